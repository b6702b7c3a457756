# Programs of test_breakdown.c, see tests/support/commands.sh. Those of a disk whose times are
# known get $device, a loop device on a file of tests/support/tools/fuse_server.
# shellcheck shell=sh disable=SC2154

# Takes away the disk that there is, and what it is on.
drop_disk() {
    [ ! -e device ] || {
        umount ext4 2>/dev/null
        losetup -d "$(cat device)"
        rm -f device fs.files/disk
    }
    umount -l fs 2>/dev/null
}

# Usage: on_disk COMMAND...: with a disk of 16 MiB. Ends with 77 where the loop device would
# read through the page cache.
on_disk() {
    [ -e fs.files/disk ] || head -c 16M /dev/urandom >fs.files/disk
    device=$(losetup -f --show --direct-io=on fs/disk) || return 77
    echo "$device" >device
    grep -q 1 "/sys/block/${device#/dev/}/loop/dio" || return 77
    "$@"
}

# Usage: on_disk_with_ext4 COMMAND...: likewise, with a file system on it, at ext4.
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

# Usage: split OPTION... TARGET: a run with -breakdown whose records are in file o.
split() { ioping -breakdown -JJ -hang 0 "$@" >o 2>e || { cat e >&2; return 1; }; }

# Usage: start_split OPTION... TARGET: likewise, in the background.
start_split() {
    fresh
    # shellcheck disable=SC2086
    $IOPING_RUNNER "$IOPING" -breakdown -JJ -hang 0 "$@" >o 2>e &
    pid=$!
}
until_requests() { until_lines_at_least "$1" '"io":'; }
until_lines_at_least() { until [ "$(grep -c -e "$2" o)" -ge "$1" ]; do sleep 0.02; done; }

# Prints what time and parts of the requests that were split add up to in file o, ms: time,
# submit, stack (0 if there is none), queue, device, return. Fails unless all were that count, but for those of blocks
# that another process had under way.
shares() {
    jq -s -r 'map(select(.stat)) | last.stat
        | if .breakdown.count + .breakdown.shared != .count then
            error("not all were split") else . end
        | [.breakdown.time, .breakdown.submit.time, .breakdown.stack.time // 0,
            .breakdown.queue.time, .breakdown.device.time, .breakdown.return.time] | map(. / 1e6 | floor) | join(" ")' o
}

# Usage: mostly PART [SHARE]: prints whether it takes more than SHARE, or half, of the time of
# all requests that count.
mostly() {
    shares >parts || return
    cat parts >&2
    awk -v part="$1" -v share="${2-0.5}" '
        BEGIN { split("time submit stack queue device return", name) }
        { for (i in name) if (name[i] == part) print ($i > $1 * share ? part : "not " part) }
    ' parts
}

# Usage: found_in_five WANTED COMMAND...: runs the command up to five times, until it prints
# WANTED, which is a format of printf. Prints the output of the last try. A late machine adds
# to each part of a time, so a single try may fail.
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

# Usage: add_up: one line for each target in file o: whether the parts and the flush of each
# request add up to its time, whether all parts of all of them do to those of the summary,
# and whether all were split that count. Only stacks of devices have the part of that name.
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

# Usage: they_add_up OPTION... TARGET...
they_add_up() { split -i 0 -c 150 "$@" && add_up; }

# Requests and what the server says of them: for each, in file o, the last of its reads
# that are before it in the log. Prints how many there are, how many were faster than the
# server, and whether a fourth of them at least were at most 0.3 ms slower.
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

# Usage: start_load COMMAND...: in the background, until the test ends.
start_load() { "$@" >/dev/null 2>&1 & }

# How many threads of the worker of $pid wait in the kernel, where no signal comes.
deaf() { cat "/proc/$(worker_of "$pid")/task"/*/stat 2>/dev/null | sed 's/.*) //' | grep -c ^D; }
is_full() { [ "$(deaf)" -ge 12 ]; }

# Usage: a_full_queue SCHEDULER OPTION...: with 16 readers, or writers, beside the run, which
# would take the tag of its last request again before any of them without an interval. For
# bfq such a run is real-time, and goes first, unless it is told not to look for that; it may
# still go first when it has a tag.
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

# Usage: throttled IOPS COMMAND...: the command in a control group, version 1 or 2, whose
# reads of $device are limited. Ends with 77 where there can be none.
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

# Fills the file system at ext4 with small files, removes each second, and puts a file f where
# they were. Prints 1 if it has so many extents that most requests are in several.
scatter() {
    mkdir ext4/small
    head -c 64M /dev/zero | command split -a 4 -b 4k - ext4/small/ 2>/dev/null
    rm -f ext4/small/*[acegikmoqsuwy]
    sync
    head -c 1M /dev/urandom >ext4/f && sync
    filefrag ext4/f | awk '{ print ($2 > 128) }'
}

# Usage: later_blocks_wait_in_the_queue: of requests that are several block requests each, which a
# control group lets go one after the other.
later_blocks_wait_in_the_queue() {
    scatter && found_in_five 'queue\ntrue' blocks_are_let_go_later
}
blocks_are_let_go_later() {
    throttled 100 split -L -s 16k -i 0 -c 20 ext4/f && mostly queue &&
        jq -s -c 'last.stat.breakdown | .device.max < 5e7 and .queue.max > 1e7' o
}

# Usage: others_have_the_same_blocks: likewise, of four blocks that another process, which is
# not in the group, reads as well. Prints whether few of those that were split are return, for
# which a busy machine makes some wait, and whether all others are said to be shared.
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

# A process of real-time priority has the processor of the run for a while, again and again.
# The server has another processor, where requests are completed too.
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

is_stuck() {
    requests=$(grep -c '"io":' o)
    sleep 0.1
    [ "$(deaf)" -gt 0 ] && [ "$requests" = "$(grep -c '"io":' o)" ]
}

# Prints of the request that took longest whether submit was half a second and most of it.
a_frozen_file_system_is_submit() { found_in_five '[true,true]' freeze_in_a_run; }
freeze_in_a_run() {
    start_split -W -i 5ms ext4
    until_requests 3
    freeze
    until_true is_stuck
    sleep 0.5 # beside which what else a busy machine lets it wait for is little
    fsfreeze -u ext4
    until_requests $(($(grep -c '"io":' o) + 3))
    end INT || return
    jq -s -c 'map(select(.io).io) | max_by(.time)
        | [.breakdown.submit >= 5e8, .breakdown.submit > .time * 0.9]' o
}

# Usage: trace_device: begins a trace of $device of our own, as text, in whose instance of
# tracefs other programs do not write. end_trace prints it.
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
end_trace() {
    echo 0 >"$instance/tracing_on"
    cat "$instance/trace"
    rmdir "$instance"
}

# Usage: events: offset and duration, us, of each request of a trace, by its end.
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

# The kernel prints microseconds, cut off, so each of its differences may be 1 us off, and that
# of a request 2 us. Two traces have two stamps of one event, and a busy machine may take the
# processor away between them: half of the requests must agree within 2 us, and of the others
# no more than one in twenty may be far off. The percentiles are of the requests that were
# compared. They are the middles of steps, so they may be 0.4 % off.
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

# A write is flushed, and so the disk is: by its server, in 3 ms.
a_flush_has_its_own_part() {
    split -i 0 -c 20 -WWW "$device" && add_up
    jq -s -c 'map(select(.io).io)
        | [all(.sync >= 3e6), all(.breakdown.sync_device >= 3e6),
            all(.breakdown.sync_device <= .sync), all(.breakdown.device >= 2e6)]' o
    jq -s -c 'map(select(.io and (.io.ignored | not)).io.breakdown.sync_device) as $flushes
        | map(select(.stat)) | last.stat.breakdown.sync_device
        | .count == ($flushes | length) and .time == ($flushes | add)' o
}
