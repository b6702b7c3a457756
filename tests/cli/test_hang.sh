# Programs of test_hang.c, see tests/support/commands.sh.
# shellcheck shell=sh disable=SC2154

a_stuck_request_is_told_of_and_printed_when_it_returns() {
    start_faulty pread:3:hold -C -i 0 -c 4 -hang 100ms data
    until_said 'request 3 has had'
    sleep 1
    release
    reap
    status=$?
    cat o
    cat e >&2
    return "$status"
}

time_between_requests_is_not_told() {
    for _ in 1 2 3; do
        ioping -i 1500ms -c 2 -hang 1s -C data >o 2>e
        status=$?
        [ -s e ] || break
    done
    cat e >&2
    return "$status"
}

# Usage: stuck [OPTION...] data: starts a run whose third request never ends, and waits for
# the message about it.
stuck() {
    start_faulty pread:3-:hang -C -i 50ms -hang 100ms "$@"
    until_said 'request 3 has had no answer'
}

an_interrupt_ends_the_output_though_a_request_never_returns() {
    stuck data
    end INT
    status=$?
    tail -4 o
    tail -2 e >&2
    return "$status"
}

interrupt_and_release() {
    start_faulty pread:3-:hold -C -B -a 0 -i 0 -hang 100ms data
    signal_held
}
an_interrupt_does_not_interrupt_the_request() {
    retry 0 interrupt_and_release
    status=$?
    cut -d' ' -f1,9 o
    ls held 2>/dev/null
    return "$status"
}

# Usage: every_signal_that_ends_a_run_does_so SIGNAL
every_signal_that_ends_a_run_does_so() {
    stuck -B data
    end "$1"
    status=$?
    cut -d' ' -f1,9 o
    return "$status"
}

json_is_whole_then() {
    stuck -J data
    end INT
    status=$?
    jq -c '[length, .[2].stat.count, .[2].load.count, .[2].load.failed,
        (.[2].load.missed > 0)]' o
    return "$status"
}

stuck_and_end_at_once() {
    stuck -q data
    end_at_once
}
a_second_interrupt_does_not_wait() {
    retry 4 stuck_and_end_at_once
    status=$?
    cat o
    return "$status"
}

# Usage: statistics_come_while_a_request_hangs SIGNAL
statistics_come_while_a_request_hangs() {
    stuck data
    kill "-$1" "$pid"
    until_said 'requests, '
    end INT
    status=$?
    grep 'requests,' e
    return "$status"
}

has_three_empty_periods() { [ "$(grep -c '^0 0 0 0 0 0 0 0 0 1' o)" -ge 3 ]; }
periods_come_while_a_request_hangs() {
    stuck -q -P 100ms data
    until_true has_three_empty_periods
    end INT
    status=$?
    awk '{ n += $9 } END { print n }' o
    return "$status"
}

points_without_a_request_are_counted() {
    faulty pread:2:3200ms -C -i 1s -c 3 data >o 2>e
    {
        sed -nE 's/^ioping: ([0-9]+) requests missed: .*/\1/p' e
        sed -nE 's/^generated 3 requests in ([0-9]+)[.0-9]* s, .*/\1/p' o
    } | paste -sd' ' | awk '{ print ($1 >= 3 && $1 <= $2 - 1) }'
    faulty pread:2:3200ms -C -q -J -i 1s -c 3 data |
        jq '.[0].load | .missed >= 3 and .missed <= (.time / 1e9 | floor) - 1'
}

# Usage: points_are_missed_in_a_burst_too EXPECTED FAULTS OPTION...: runs up to five times
# with FAULTS, until the number of missed requests is EXPECTED, and prints it.
points_are_missed_in_a_burst_too() {
    expected=$1 faults=$2
    shift 2
    for _ in 1 2 3 4 5; do
        faulty "$faults" -C -b 3 -i 1s "$@" data 2>&1 |
            sed -nE 's/^ioping: ([0-9]+) requests? (missed): .*/\1 \2/p' >missed
        [ "$(cat missed)" != "$expected" ] || break
    done
    cat missed
}

the_time_of_a_failed_request_is_shown_and_not_counted() {
    faulty pwrite:4:300ms,fdatasync:5:5 -E -J -WWW -i 0 -c 6 -a 0 data >o
    status=$?
    jq -c '.[3].io | [.notice, .size, .time >= 300000000]' o
    jq -c '(.[0:3] + .[4:6] | map(.io.time) | add) as $others
        | .[6] | [.stat.count, .stat.time == $others, .load.failed]' o
    return "$status"
}

# Usage: a_target_that_hangs_is_told_of_and_left SIGNAL
a_target_that_hangs_is_told_of_and_left() {
    rm -rf d
    mkdir d
    start_faulty pwrite:1-:hang -hang 100ms -J d
    until_said 'not ready after'
    end "$1"
    status=$?
    cat o
    left ls -A d
    cat e >&2
    return "$status"
}

a_target_that_takes_long_is_told_of_and_used() {
    rm -rf d
    mkdir d
    start_faulty fdatasync:1:hold -hang 200ms -C -B -c 3 -i 0 d
    until_held
    until_said 'not ready after'
    release
    reap
    status=$?
    cut -d' ' -f1,9 o
    cat e >&2
    return "$status"
}

# Usage: deaf: prints how many threads of the worker of $pid wait uninterruptibly in the kernel.
deaf() { cat "/proc/$(worker_of "$pid")/task"/*/stat | sed 's/.*) //' | grep -c ^D; }

# Usage: is_stuck_in_kernel: returns 0 if a thread waits uninterruptibly, and there is a
# message about the request after the last one that ended. Sets $stuck to its number. There
# may be messages about earlier requests that were slow.
is_stuck_in_kernel() {
    stuck=$(($(grep -c request= o) + 1))
    grep -q "request $stuck has had no " e && [ "$(deaf)" -gt 0 ]
}

a_frozen_file_system_is_told_of_and_left() {
    start_piped -W -i 50ms -hang 200ms ext4
    until_printed 'request=2 '
    freeze
    until_true is_stuck_in_kernel
    deaf
    worker=$(worker_of "$pid")
    kill -INT "$pid"
    until_true test -e closed
    reap
    status=$?
    test -e "/proc/$worker" && echo held
    fsfreeze -u ext4
    until_true is_released "$worker"
    tail -3 o
    cat e >&2
    return "$status"
}

a_thawed_file_system_goes_on() {
    start -W -i 50ms -hang 100ms ext4
    until_printed 'request=2 '
    freeze
    until_true is_stuck_in_kernel
    fsfreeze -u ext4
    until_printed "request=$((stuck + 1)) "
    end INT
    status=$?
    grep -c "request=$stuck " o
    grep -E ' missed: |still' e
    return "$status"
}

# Usage: interrupt_filling SIGNAL FAULTS OPTION...: starts a run in the folder d. While it
# fills its working file, it is held at the write or flush that FAULTS name until it has
# handled the signal. The function prepare puts files into the folder before.
interrupt_filling() {
    signal=$1
    shift
    for _ in 1 2 3 4 5; do
        rm -rf d
        mkdir d
        prepare
        start_faulty "$@" d
        signal_held "$signal"
        status=$?
        [ "$(grep -c 'interrupted while' e)" != 1 ] || break
    done
    echo "$status"
    ls -A d
}

# Usage: a_signal_while_the_working_file_is_filled_leaves_nothing SIGNAL FAULTS OPTION...
a_signal_while_the_working_file_is_filled_leaves_nothing() {
    prepare() { :; }
    interrupt_filling "$@"
    cat o e
}

a_kept_file_outlives_a_signal_while_it_is_filled() {
    prepare() {
        cp data d/ioping.tmp
        stat -c '%i %s' d/ioping.tmp >before
    }
    interrupt_filling INT pwrite:1:hold -k -S 200m
    stat -c '%i %s' d/ioping.tmp | cmp before && cmp -i 524288 -n 524288 data d/ioping.tmp
}

interrupt_at_open() {
    start_faulty open@data:1:hold data
    signal_held
}
a_signal_before_the_first_request_ends_it_without_one() {
    retry 0 interrupt_at_open
    status=$?
    grep generated o
    tail -1 e >&2
    return "$status"
}
