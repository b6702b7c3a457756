# Programs of test_breakdown.c, see tests/support/commands.sh. Some use $device, a disk with
# known times: a loop device on a file of tests/support/tools/fuse_server.
# shellcheck shell=sh disable=SC2154

# Usage: drop_disk: removes the disk, if there is one, and unmounts the server with its file.
drop_disk() {
    [ ! -e device ] || {
        umount ext4 2>/dev/null
        losetup -d "$(cat device)"
        rm -f device fs.files/disk
    }
    umount -l fs 2>/dev/null
}

# Usage: on_disk COMMAND...: runs a command with a disk of 16 MiB. Returns 77 if the loop device
# cannot use direct I/O.
on_disk() {
    [ -e fs.files/disk ] || head -c 16M /dev/urandom >fs.files/disk
    device=$(losetup -f --show --direct-io=on fs/disk) || return 77
    echo "$device" >device
    grep -q 1 "/sys/block/${device#/dev/}/loop/dio" || return 77
    "$@"
}

# Usage: on_disk_with_ext4 COMMAND...: like on_disk, with an ext4 on the disk, mounted at ext4.
on_disk_with_ext4() {
    truncate -s 64M fs.files/disk
    mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0 fs.files/disk >&2 || return 77
    mkdir -p ext4
    on_disk on_ext4 "$@"
}
on_ext4() {
    mount "$device" ext4 || return 77
    "$@"
}

# Usage: split OPTION... TARGET: runs ioping with -breakdown. Its records go to the file o.
split() { ioping -breakdown -JJ -hang 0 "$@" >o 2>e || { cat e >&2; return 1; }; }

# Usage: start_split OPTION... TARGET: starts such a run in the background.
start_split() {
    fresh
    # shellcheck disable=SC2086
    $IOPING_RUNNER "$IOPING" -breakdown -JJ -hang 0 "$@" >o 2>e &
    pid=$!
}

# Usage: until_requests COUNT: waits until o has COUNT requests.
until_requests() { until_lines_at_least "$1" '"io":'; }
until_lines_at_least() { until [ "$(grep -c -e "$2" o)" -ge "$1" ]; do sleep 0.02; done; }

# Usage: shares: prints the sums of times in ms over all divided requests in the file o: the
# whole time, submit, stack (0 without a stack), queue, device and return. Fails if a counted
# request was not divided, unless another process used the same blocks at the same time.
shares() {
    jq -s -r 'map(select(.stat)) | last.stat
        | if .breakdown.count + .breakdown.shared != .count then
            error("not all were split") else . end
        | [.breakdown.time, .breakdown.submit.time, .breakdown.stack.time // 0,
            .breakdown.queue.time, .breakdown.device.time, .breakdown.return.time] | map(. / 1e6 | floor) | join(" ")' o
}

# Usage: mostly PART [SHARE]: prints "PART" if this part takes more than SHARE (default 0.5) of
# the time of all divided requests, and otherwise "not PART".
mostly() {
    shares >parts || return
    cat parts >&2
    awk -v part="$1" -v share="${2-0.5}" '
        BEGIN { split("time submit stack queue device return", name) }
        { for (i in name) if (name[i] == part) print ($i > $1 * share ? part : "not " part) }
    ' parts
}

# Usage: found_in_five WANTED COMMAND...: runs a command up to five times, until it prints
# WANTED, which is a format of printf. Prints the output of the last try. A single try may
# fail, because a busy machine makes each part of a time longer.
found_in_five() {
    # shellcheck disable=SC2059
    wanted=$(printf "$1")
    shift
    for _ in 1 2 3 4 5; do
        found=$("$@") || return
        [ "$found" != "$wanted" ] || break
    done
    echo "$found"
}

# Usage: add_up: prints a line for each target in the file o, with five values: whether the
# parts and the flush of each request add up to its time; whether no part is negative; whether
# the parts of all requests add up to those in the summary; whether the counts add up; and
# whether at least 95 % of the counted requests were divided. Only stacks of devices have the
# part stack.
add_up() {
    jq -s -c '
        def figures: {count: length, time: (add // 0), min: (min // 0), max: (max // 0)};
        group_by(.target.path)[] | (map(select(.stat)) | last.stat) as $stat
        | map(select(.io.breakdown).io) as $split
        | ($split | map(select(.ignored | not))) as $counted
        | (["submit", "stack", "queue", "device", "return"]
            | map(select(in($stat.breakdown)))) as $parts
        | [($split | all(.time == (.sync // 0) + ([.breakdown[$parts[]]] | add))),
            ($split | all([.breakdown[$parts[]]] | min >= 0)),
            all($parts[]; . as $part | ($counted | map(.breakdown[$part]) | figures)
                == ($stat.breakdown[$part] | {count, time, min, max})),
            ($stat.breakdown | .count + .unasked + .lost + .shared == $stat.count),
            $stat.breakdown.count >= 0.95 * $stat.count and $stat.count > 0]' o
}

# Usage: they_add_up OPTION... TARGET...: prints the result of add_up for a run.
they_add_up() { split -i 0 -c 150 "$@" && add_up; }

# Usage: beside_the_server: compares the part device of the requests in the file o with the
# times that fuse_server logged for them. Prints how many requests there are, how many were
# faster than the server, and whether at least a quarter of them were at most 0.3 ms slower.
beside_the_server() {
    jq -r 'select(.io).io | "\(.offset) \(.breakdown.device // "none")"' o >requests
    tail -n "$(grep -c . requests)" log | awk '
        NR == FNR { offset[NR] = $2; took[NR] = $5 - $4; next }
        $1 != offset[FNR] { print "offset", $1, "is not", offset[FNR]; exit }
        took[FNR] < 5e6 { print "the server took", took[FNR]; exit }
        { more = $2 - took[FNR]; early += more < 0; close_by += more < 3e5 }
        END { print FNR, early + 0, (close_by >= FNR / 4) }
    ' - requests
}
the_device_is_slow() { split -D -i 5ms -c 60 "$device" && beside_the_server && mostly device; }
the_device_is_as_slow_as_its_server() {
    found_in_five '60 0 1\ndevice' the_device_is_slow
}

# Usage: start_load COMMAND...: runs a command in the background until the test ends.
start_load() { "$@" >/dev/null 2>&1 & }

# Usage: deaf: prints how many threads of the worker of $pid wait uninterruptibly in the kernel.
deaf() { cat "/proc/$(worker_of "$pid")/task"/*/stat 2>/dev/null | sed 's/.*) //' | grep -c ^D; }

# Usage: is_full: returns 0 if at least 12 threads wait for the queue of the device.
is_full() { [ "$(deaf)" -ge 12 ]; }

# Usage: a_full_queue SCHEDULER OPTION...: prints the result of a run while 16 other threads
# read or write, so that all four tags of the device's queue are in use. The run has an
# interval. Without it the run would get the tag of its last request again before the others.
# For bfq such a run looks like a real-time program and goes first, so low_latency is switched
# off. The run may still go first once it has a tag.
a_full_queue() { found_in_five queue fill_the_queue "$@"; }
fill_the_queue() {
    queue=/sys/block/${device#/dev/}/queue
    echo "$1" >"$queue/scheduler" && echo 4 >"$queue/nr_requests" || return 77
    [ "$1" != bfq ] || echo 0 >"$queue/iosched/low_latency"
    shift
    start_load "$IOPING" -q -i 0 -threads 16 "$@" "$device"
    pid=$!
    load=$pid
    until_true is_full
    split -D -i 5ms -c 60 "$device"
    status=$?
    kill "$load"
    wait "$load" 2>/dev/null
    [ "$status" = 0 ] && mostly queue 0.25
}

# Usage: throttled IOPS COMMAND...: runs a command in a new control group (version 1 or 2)
# with at most IOPS reads of $device per second. Returns 77 if such a group cannot be made.
throttled() {
    number=$(cat "/sys/block/${device#/dev/}/dev")
    first=/sys/fs/cgroup/blkio second=/sys/fs/cgroup group=
    if [ -e "$first/blkio.throttle.read_iops_device" ]; then
        group=$first/ioping-$$
        mkdir "$group" && echo "$number $1" >"$group/blkio.throttle.read_iops_device" ||
            return 77
    elif grep -qw io "$second/cgroup.subtree_control" 2>/dev/null; then
        group=$second/ioping-$$
        mkdir "$group" && echo "$number riops=$1" >"$group/io.max" || return 77
    else
        return 77
    fi
    shift
    (echo 0 >"$group/cgroup.procs" && "$@")
    status=$?
    until_true rmdir "$group" 2>/dev/null
    return "$status"
}
reads_are_throttled() { throttled 25 split -D -i 0 -c 30 "$device" && mostly queue; }
a_throttle_is_queue() { found_in_five queue reads_are_throttled; }

# Usage: scatter: fills the file system at ext4 with small files, removes every second of
# them, and makes a file f in the gaps. Prints 1 if f has so many extents that most requests
# touch several.
scatter() {
    mkdir ext4/small
    head -c 64M /dev/zero | command split -a 4 -b 4k - ext4/small/ 2>/dev/null
    rm -f ext4/small/*[acegikmoqsuwy]
    sync
    head -c 1M /dev/urandom >ext4/f && sync
    filefrag ext4/f | awk '{ print ($2 > 128) }'
}

# Each request consists of several block requests. A control group lets them pass one by one, so
# the later ones wait. This time must count as queue.
later_blocks_wait_in_the_queue() {
    scatter && found_in_five 'queue\ntrue' blocks_are_let_go_later
}
blocks_are_let_go_later() {
    throttled 100 split -L -s 16k -i 0 -c 20 ext4/f && mostly queue &&
        jq -s -c 'last.stat.breakdown | .device.max < 5e7 and .queue.max > 1e7' o
}

# The run, in such a group, reads four blocks that another process outside the group reads, too.
# Prints whether few divided requests spent most of their time in the part return (on a busy
# machine some do), and whether all requests that were not divided are counted as shared.
others_have_the_same_blocks() { found_in_five '[true,true]' read_the_same_blocks; }
read_the_same_blocks() {
    start_load "$IOPING" -q -D -i 0 -S 16k "$device"
    load=$!
    throttled 25 split -D -i 0 -S 16k -c 30 "$device"
    status=$?
    kill "$load"
    wait "$load" 2>/dev/null
    [ "$status" = 0 ] || return "$status"
    jq -s -c 'map(select(.io.breakdown).io) as $split | last.stat
        | [($split | map(select(.breakdown.return > 0.5 * .time and .time > 5e6)) | length
            | . <= 2 + ($split | length) / 4),
            .breakdown.count + .breakdown.shared == .count]' o
}

# A process with real-time priority uses the processor of the run for a while, again and again.
# The server runs on another processor, and requests are completed there.
a_busy_processor_is_return() { found_in_five return keep_a_processor_busy; }
keep_a_processor_busy() {
    chrt -f 10 true && taskset -c 1 true || return 77
    echo 0 >"/sys/block/${device#/dev/}/queue/rq_affinity"
    start_split -D -i 0 "$device"
    until_requests 3
    taskset -a -p -c 1 "$(worker_of "$pid")" >/dev/null || return
    # shellcheck disable=SC2016
    chrt -f 10 taskset -c 1 sh -c '
        while :; do
            i=0
            while [ $i -lt 40000 ]; do i=$((i + 1)); done
            sleep 0.002
        done' &
    load=$!
    until_requests $(($(grep -c '"io":' o) + 40))
    kill "$load"
    end INT && mostly return
}

# Usage: is_stuck: returns 0 if a thread of the run waits in the kernel and no request ends.
is_stuck() {
    requests=$(grep -c '"io":' o)
    sleep 0.1
    [ "$(deaf)" -gt 0 ] && [ "$requests" = "$(grep -c '"io":' o)" ]
}

# Prints whether the longest request spent at least 0.5 s in submit, and over 90 % of its time.
a_frozen_file_system_is_submit() { found_in_five '[true,true]' freeze_in_a_run; }
freeze_in_a_run() {
    start_split -W -i 5ms ext4
    until_requests 3
    freeze
    until_true is_stuck
    sleep 0.5 # long compared with other waits, even on a busy machine
    fsfreeze -u ext4
    until_requests $(($(grep -c '"io":' o) + 3))
    end INT || return
    jq -s -c 'map(select(.io).io) | max_by(.time)
        | [.breakdown.submit >= 5e8, .breakdown.submit > .time * 0.9]' o
}

# Usage: trace_device: begins a trace of $device in a separate instance of tracefs, which no
# other program uses.
trace_device() {
    instance=/sys/kernel/tracing/instances/test-$$
    mkdir "$instance" && echo 0 >"$instance/tracing_on" &&
        echo mono >"$instance/trace_clock" && echo 4096 >"$instance/buffer_size_kb" ||
        return 77
    number=$(cat "/sys/block/${device#/dev/}/dev")
    number=$((${number%:*} << 20 | ${number#*:}))
    for event in block_rq_issue block_rq_complete; do
        echo "dev == $number" >"$instance/events/block/$event/filter" &&
            echo 1 >"$instance/events/block/$event/enable" || return 77
    done
    echo 1 >"$instance/tracing_on"
}

# Usage: end_trace: ends the trace and prints it.
end_trace() {
    echo 0 >"$instance/tracing_on"
    cat "$instance/trace"
    rmdir "$instance"
}

# Usage: events <TRACE: prints the offset and the duration in us of each request of a trace,
# in the order of their ends.
events() {
    awk '{
        for (event = 1; event < NF && $event !~ /^block_rq_/; event++) ;
        time = $(event - 1)
        sub(/:$/, "", time)
        split(time, clock, ".")
        us = clock[1] * 1000000 + clock[2]
        match($0, / [0-9]+ \+ [0-9]+ /)
        sector = substr($0, RSTART + 1) + 0
    }
    $event == "block_rq_issue:" { issued[sector] = us }
    $event == "block_rq_complete:" && sector in issued {
        print sector * 512, us - issued[sector]
        delete issued[sector]
    }'
}

# Compares the part device with a trace. The kernel prints truncated microseconds, so a time may
# differ by up to 2 us. ioping reads another trace, for which the kernel stamps each event
# separately, and a busy machine may interrupt it between the two stamps. So half of the
# requests must agree within 2 us, and at most one in twenty may differ a lot. The percentiles
# must be those of the compared requests. They may differ by 0.4 %, because each is the middle
# of a histogram bucket.
the_kernel_tells_the_same_times() {
    trace_device || return
    split -D -i 1ms -c 300 -a 0 -percentiles 50,99 "$device"
    status=$?
    end_trace >trace
    [ "$status" = 0 ] || return "$status"
    events <trace >ended
    jq -r 'select(.io).io | "\(.offset) \(.breakdown.device)"' o >requests
    tail -n "$(grep -c . requests)" ended | awk '
        NR == FNR { offset[NR] = $1; us[NR] = $2; next }
        $1 != offset[FNR] { print "offset", $1, "is not", offset[FNR]; exit }
        {
            off = $2 / 1000 - us[FNR]
            if (off < 0) off = -off
            near += off <= 2
            far += off > 20 + us[FNR] / 10
        }
        END { print FNR, (near >= FNR / 2 && far <= FNR / 20) }
    ' - requests
    jq -s '(map(select(.io).io.breakdown.device) | sort) as $all
        | (map(select(.stat)) | last.stat.breakdown.device.percentiles) as $told
        | 50, 99 | $all[. * ($all | length) / 100 | ceil - 1] as $right
        | $told[tostring] - $right | if fabs <= 2 + $right * 0.004 then "same" else . end' o
}

# Each write is flushed, and the disk's server takes 3 ms for a flush.
a_flush_has_its_own_part() {
    split -i 0 -c 20 -WWW "$device" && add_up
    jq -s -c 'map(select(.io).io)
        | [all(.sync >= 3e6), all(.breakdown.sync_device >= 3e6),
            all(.breakdown.sync_device <= .sync), all(.breakdown.device >= 2e6)]' o
    jq -s -c 'map(select(.io and (.io.ignored | not)).io.breakdown.sync_device) as $flushes
        | map(select(.stat)) | last.stat.breakdown.sync_device
        | .count == ($flushes | length) and .time == ($flushes | add)' o
}
