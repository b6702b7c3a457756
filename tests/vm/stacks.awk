# Divides the time that the top device of a stack has each block request of a program, by the
# kernel's own trace as text. Nobody else uses the disks, so what they have meanwhile belongs to
# that request, and no record needs to be followed through the stack.
#
# Usage: awk -v top=MAJOR,MINOR -v bottoms="MAJOR,MINOR ..." -v program=NAME -v ends=HOW
#     -f stacks.awk TRACE
# The top device ends a block request as a bio or, if HOW is requests, as a request; if HOW is
# below, the bio ends as one of a bottom device. Prints a line for each: offset in bytes, and
# stack, queue and device in us.
BEGIN {
    count = split(bottoms, list, " ")
    for (i = 1; i <= count; i++)
        is_bottom[list[i]] = 1
}

# Adds the time since the last record to the part that it was.
function pass() {
    part = issued > 0 ? "device" : waiting > 0 ? "queue" : "stack"
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
    pass()
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
