# Reads the kernel's block trace and divides the time of each request that a program sent to
# the top device of a stack into three parts: stack, queue and device. Nothing else uses the
# disks, so all requests at the bottom devices belong to the request at the top at that time.
# No record needs to be followed through the stack. Usage:
#
#     awk -v top=MAJOR,MINOR -v bottoms="MAJOR,MINOR ..." -v program=NAME -v ends=HOW
#         -f stacks.awk TRACE
#
# HOW says which record ends a request: with bios the completion of a bio at the top device,
# with requests the completion of a request at the top device, and with below the completion
# of a bio at a bottom device. Prints a line for each request: its offset in bytes, and the
# times stack, queue and device in us.
BEGIN {
    count = split(bottoms, list, " ")
    for (i = 1; i <= count; i++)
        is_bottom[list[i]] = 1
}

# Adds the time since the last record to the part in which the request was: device while a
# bottom device works on sectors of it, otherwise queue while sectors wait for a bottom device,
# otherwise stack.
function add_time() {
    part = "stack"
    if (waiting > 0)
        part = "queue"
    if (issued > 0)
        part = "device"
    if (at_top > 0)
        time[part] += now - last
    last = now
}

{
    for (event = 1; event < NF && $event !~ /^block_/; event++) ;
    stamp = $(event - 1)
    sub(/:$/, "", stamp)
    split(stamp, clock, ".")
    now = clock[1] * 1000000 + clock[2]
    name = $event
    device = $(event + 1)
    if (!match($0, / [0-9]+ \+ [0-9]+ /))
        next
    split(substr($0, RSTART + 1, RLENGTH - 2), place, " [+] ")
    sector = place[1]
    sectors = place[2]
    add_time()
}

device == top && name == "block_bio_queue:" && $NF == "[" program "]" {
    if (at_top == 0) {
        first = sector
        waiting = issued = time["stack"] = time["queue"] = time["device"] = 0
    }
    at_top += sectors
}
(ends == "below" ? device in is_bottom : device == top) && at_top > 0 &&
    name == (ends == "requests" ? "block_rq_complete:" : "block_bio_complete:") {
    at_top -= sectors
    if (at_top <= 0) {
        print first * 512, time["stack"], time["queue"], time["device"]
        at_top = 0
    }
}
!(device in is_bottom) { next }
name == "block_bio_queue:" { waiting += sectors }
name == "block_rq_issue:" { issued += sectors; waiting -= sectors < waiting ? sectors : waiting }
name == "block_rq_requeue:" { issued -= sectors; waiting += sectors }
name == "block_rq_complete:" { issued -= sectors < issued ? sectors : issued }
