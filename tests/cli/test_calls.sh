# Programs of test_calls.c, see tests/support/commands.sh.
# shellcheck shell=sh disable=SC2154

# Usage: interrupted_calls_are_repeated WRONG FAULTS ARGUMENT...: runs with FAULTS and prints
# the totals, WRONG if it occurs in the output, and the errors of requests.
interrupted_calls_are_repeated() {
    wrong=$1 faults=$2
    shift 2
    faulty "$faults" -a 0 -c 5 -i 0 "$@" >o
    status=$?
    totals
    grep -o "$wrong" o
    grep -oE '\(E[A-Z]*\)' o
    return "$status"
}

# Usage: knows_awake: returns 0 if the program was built with a way to keep processors awake.
knows_awake() {
    ! ioping -awake -C -q -c 1 data 2>&1 |
        grep -q 'cannot keep processors awake: .*supported'
}

awake_it_holds_the_processors_awake_as_long_as_it_runs() {
    knows_awake && [ -w /dev/cpu_dma_latency ] || lacks 'needs /dev/cpu_dma_latency' ||
        return
    start -awake -C -i 10ms data
    until_printed 'request=3 '
    readlink "/proc/$(worker_of "$pid")/fd"/* | sed -n 's|^/dev/cpu_dma_latency$|held|p'
    end INT
    echo $?
}

without_the_right_to_that_it_says_so_and_goes_on() {
    knows_awake || lacks 'this build has no way to keep processors awake' || return
    faulty open@cpu_dma_latency:1-:13 -awake -C -q -c 2 -i 1ms data | wc -l
}

# Usage: a_run_that_only_reads_flushes_no_device FILE [OPTION...]: reads a file that was just
# written, while each flush fails. If FILE is the word DEVICE, a loop device is read instead.
a_run_that_only_reads_flushes_no_device() {
    file=$1
    shift
    [ "$file" != DEVICE ] || {
        head -c 4M /dev/urandom >disk.img
        file=$(attach -f --show disk.img) || return
        exec 9<"$file"
        losetup -d "$file"
    }
    head -c 4M /dev/urandom >"$file"
    faulty fdatasync:1-:5 -q -c 3 -i 0 "$@" "$file"
}

every_failure_is_shown_and_counted() {
    faulty pread:4-/4:5,pread:6:121 -E -C -a 0 -c 12 -i 0 data >o
    status=$?
    sed -n 's/^0 B .*: \(request=[0-9]*\) time=[^(]*/\1 /p' o
    totals
    return "$status"
}

failures_stay_out_of_the_statistics() {
    faulty pread:4-/4:5 -J -E -C -a 0 -c 12 -i 0 data >o
    status=$?
    jq -c '[.[-1].stat.count, .[-1].stat.size, .[-1].load.count, .[-1].load.failed,
        .[-1].load.size], (map(select(.io.ignored) | .io) | map(.request),
        map(.notice), (map(.time > 0) | all)),
        (.[-1].stat.time == (map(select(.io.ignored == false) | .io.time) | add))' o
    return "$status"
}

# Usage: a_wall_clock_that_is_set_changes_time_stamps_only STEP SECONDS: runs while the wall
# clock is set forward or back by STEP (see preload/faults.c), which is SECONDS.
a_wall_clock_that_is_set_changes_time_stamps_only() {
    faulty "realtime:3-:$1" -J -C -a 0 -i 20ms -w 150ms data >o || return
    jq -c --argjson step "$2" '(.[-1].timestamp - .[0].timestamp - $step | fabs < 60),
        (.[-1].load | .time >= 130000000 and .time < 60000000000),
        (map(.io.time // 1) | min > 0 and max < 60000000000)' o
}

# Usage: run_forbidden ERRNO CALLS [OPTION...] TARGET: runs while these system calls fail with
# ERRNO, and prints the totals.
run_forbidden() {
    errno=$1 calls=$2
    shift 2
    "$IOPING_FORBID" "$errno" "$calls" "$IOPING" -a 0 -i 0 -c 4 "$@" >o
    status=$?
    totals
    return "$status"
}
