# Programs of test_breakdown_runs.c, see tests/support/commands.sh.
# shellcheck shell=sh disable=SC2154

# Usage: start_split OPTION... TARGET: starts a run with -breakdown in the background and waits
# until three requests have ended. Sets $worker to its worker process.
start_split() {
    start -breakdown "$@"
    until [ "$(grep -c -e 'request=' -e '"io":' o)" -ge 3 ]; do sleep 0.02; done
    worker=$(worker_of "$pid")
}

# Usage: instances: prints the instances of tracefs that belong to the run.
instances() {
    find /sys/kernel/tracing/instances -maxdepth 1 \
        \( -name "ioping-$pid-*" -o -name "ioping-$worker-*" \)
}

# Usage: every_end_removes_the_trace COMMAND...: starts a run and ends it with the command.
# Prints how many instances the run had, and the instances that remain.
every_end_removes_the_trace() {
    start_split -i 10ms d
    instances | wc -l
    "$@"
    left instances
}
kill_program() { kill -KILL "$pid"; reap; }
kill_worker() { kill -KILL "$worker"; reap; }
kill_both() { kill -KILL "$worker" "$pid"; reap; }

# A thread that is stuck in the file system does not keep the trace alive, and the requests that
# were divided so far are printed.
a_request_that_hangs_leaves_what_was_split() {
    rm -f hang hang.waiting
    start_split -JJ -D -i 20ms -threads 2 -timeout 1s "$device"
    : >hang
    reap
    status=$?
    rm hang
    left instances
    tail -n 1 o | jq -c '[.load.failed >= 1, .stat.breakdown.count >= 2,
        .stat.breakdown.count == .stat.count]'
    return "$status"
}

# Usage: what_becomes_a_hole_asks_no_device FOLDER: reads a file in FOLDER while its blocks are
# taken away from it, so that it becomes a hole. Prints whether requests before that were
# divided, whether requests after that reached no device, and whether at most two were lost.
what_becomes_a_hole_asks_no_device() {
    head -c 1M /dev/urandom >"$1/hole" && sync
    start_split -JJ -i 2ms "$1/hole"
    fallocate -p -l 1M "$1/hole" ||
        lacks 'needs a file system that takes blocks away from files' || return
    seen=$(grep -c '"io":' o)
    until [ "$(grep -c '"io":' o)" -ge $((seen + 30)) ]; do sleep 0.02; done
    end INT
    tail -n 1 o | jq -c '.stat.breakdown | [.count >= 2, .unasked >= 20, .lost <= 2]'
    cat e >&2
}

failed_requests_have_no_parts() {
    ioping -breakdown -JJ -E -D -i 0 -c 40 "$device" >o 2>e
    status=$?
    jq -s -c 'map(select(.io)) as $all | (map(select(.stat)) | last) as $total
        | [$total.load.failed >= 10, $total.stat.count >= 10,
            $total.stat.breakdown.count == $total.stat.count,
            ($all | map(select(.io.breakdown and .io.size == 0)) | length)]' o
    return "$status"
}

# Usage: with_disk COMMAND...: runs a command with $device, a loop device on the file disk of
# the mounted server.
with_disk() {
    head -c 16M /dev/urandom >fs.files/disk
    need='needs loop devices with direct I/O on FUSE'
    device=$(losetup -f --show --direct-io=on fs/disk) || lacks "$need" || return
    if grep -q 1 "/sys/block/${device#/dev/}/loop/dio"; then "$@"; else lacks "$need"; fi
    status=$?
    losetup -d "$device"
    return "$status"
}

# Runs on an overlay of file systems in memory.
refused_on_overlay() {
    mkdir -p memory layers && mount -t tmpfs memory memory &&
        mkdir memory/low memory/up memory/work && mount -t overlay layers \
        -o lowerdir=memory/low,upperdir=memory/up,workdir=memory/work layers ||
        lacks 'this kernel or container cannot mount an overlay' || return
    ioping -breakdown -c 1 layers
}

# Usage: split_in_a_time_namespace SECONDS: runs with a monotonic clock that is shifted by
# SECONDS. Prints "shifted", how many requests counted, how many were divided, and whether
# their parts add up to their time.
split_in_a_time_namespace() {
    # shellcheck disable=SC2016
    unshare -T --monotonic "$1" sh -c '
        ! grep -q "^monotonic  *0 " /proc/self/timens_offsets && echo shifted
        "$IOPING" -breakdown -JJ -q -a 0 -c 20 -i 0 data' sh >o
    grep shifted o
    grep -v shifted o | tail -n 1 | jq -c '.stat.breakdown as $split
        | [.stat.count, $split.count + $split.shared,
            ([$split.submit, $split.queue, $split.device, $split.return | .time] | add)
            == $split.time]'
}

# Runs in a new mount namespace with an empty /sys, and again after the command that the message
# advises. tracefs is mounted below /sys, so it has to be mounted again, too.
without_sysfs_and_then_with_it() {
    # shellcheck disable=SC2016
    unshare -m --propagation private sh -c '
        mount -t tmpfs nothing /sys || exit 77
        "$IOPING" -breakdown -q -c 2 -i 0 data 2>e
        echo $?
        cat e >&2
        advice=$(sed -n "s,.*: \(mount -t sysfs sysfs /sys\)$,\1,p" e)
        $advice
        mount -t tracefs tracefs /sys/kernel/tracing
        "$IOPING" -breakdown -q -c 12 -i 0 data | grep -c "^device  *p50"'
}

# Runs in a new mount namespace without tracefs, and again after the command that the message
# advises.
without_tracefs_and_then_with_it() {
    # shellcheck disable=SC2016
    unshare -m --propagation private sh -c '
        for folder in tracing debug/tracing debug; do
            umount -l "/sys/kernel/$folder" 2>/dev/null
        done
        [ ! -e /sys/kernel/tracing/instances ] || {
            echo "needs the right to unmount tracefs for a process of its own" >&2
            exit 77
        }
        "$IOPING" -breakdown -q -c 2 -i 0 data 2>e
        echo $?
        cat e >&2
        advice=$(sed -n "s,.*; as root: \(mount -t tracefs tracefs /sys/kernel/tracing\).*,\1,p" e)
        $advice
        "$IOPING" -breakdown -q -c 12 -i 0 data | grep -c "^device  *p50"'
}

# Makes three instances, as if left by a process that has ended, by one that is running, and by
# one that seems to have ended but has made its instance only now. The last may belong to a
# process of another PID namespace. Prints which of them exist after another run.
what_is_left_behind_goes_with_the_next_run() {
    sh -c 'echo $$' >gone
    now=$(printf %x $(($(cut -d. -f1 /proc/uptime) * 1000000000)))
    for name in "$(cat gone)-1" "$$-1" "$(cat gone)-$now"; do
        mkdir "/sys/kernel/tracing/instances/ioping-$name" || return
    done
    ioping -breakdown -q -c 1 d >o
    for name in "$(cat gone)-1" "$$-1" "$(cat gone)-$now"; do
        rmdir "/sys/kernel/tracing/instances/ioping-$name" 2>/dev/null && echo there ||
            echo gone
    done
}

# Usage: raw_lines_are_as_ever OPTION...: prints how many numbers raw lines have, first
# without and then with each OPTION.
raw_lines_are_as_ever() {
    for options in "" "$@"; do
        # shellcheck disable=SC2086
        ioping $options -q -p 5 -i 0 -c 20 d | awk '{ print NF }' | xargs
        # shellcheck disable=SC2086
        ioping $options -B -i 0 -c 20 d | awk '{ print NF }'
    done
}

# Usage: name_the_device TARGET: prints the note of a run with -breakdown. In it the disk of the
# folder and the loop device of the image are replaced by DISK and LOOP.
name_the_device() {
    loop=$(losetup -nO NAME -j ext4.img)
    disk=$(ioping -J -q -c 1 -i 0 d | jq -r '.[0].target.device')
    case $disk in /dev/*) ;; *) false ;; esac &&
        grep -q 1 "/sys/block/${loop#/dev/}/loop/dio" ||
        lacks 'needs a folder on a disk whose files loop devices read directly' || return
    ioping -breakdown -q -c 12 -i 0 "$1" 2>&1 >o | sed "s,$disk,DISK,; s,$loop,LOOP,"
}

# The sums and counts in the metrics are those in the JSON.
metrics_have_the_parts() {
    rm -f x.prom
    ioping -breakdown -JJ -i 0 -c 30 -prometheus "$PWD/x.prom" d >o || return
    for part in submit queue device return; do
        sed -n "s/^ioping_request_part_seconds_\(sum\|count\){.*part=\"$part\"} //p" x.prom |
            tr -d . | sed 's/^0*\([0-9]\)/\1/' | xargs >metrics
        tail -n 1 o | jq -r ".stat.breakdown.$part | \"\(.time) \(.count)\"" | cmp - metrics ||
            return
    done
    sed -n 's/^ioping_requests_split_total{.*} //p' x.prom
}
