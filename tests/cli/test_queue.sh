# Programs of test_queue.c, see tests/support/commands.sh. ENGINE is the word for the requests
# of an engine in a script of faults, and OPTION is the option that chooses the engine.
# shellcheck shell=sh disable=SC2154

# Usage: a_stall_does_not_silence_the_grid ENGINE OPTION
a_stall_does_not_silence_the_grid() {
    start_faulty "$1:2:hang,$1:1-:fast" -a 0 -i 50ms -c 8 -hang 1h -depth 4 "$2" data
    until_printed 'request=8 '
    until_lines 7
    end INT
    status=$?
    sed -nE 's/.*: request=([0-9]+) time.*/\1/p' o | sort -n | tr '\n' ' '
    totals
    said >&2
    return "$status"
}

# Usage: a_hung_request_does_not_hold_the_others ENGINE OPTION
a_hung_request_does_not_hold_the_others() {
    start_faulty "$1:6:hang,$1:1-:fast" -a 0 -i 10ms -c 40 -hang 100ms -depth 4 "$2" data
    until_lines 39
    until_said 'request 6 has'
    end INT
    status=$?
    grep -c 'request=6 ' o
    grep -c '^39 requests completed' o
    grep -c '^generated 40 requests' o
    said >&2
    return "$status"
}

# Usage: start_hanging ENGINE OPTION...: starts a run whose requests hang from the fifth on,
# and waits for the message about the fifth.
start_hanging() {
    engine=$1
    shift
    start_faulty "$engine:5-:hang,$engine:1-:fast" -a 0 -i 0 -hang 100ms -depth 4 "$@" data
    until_said 'request 5 has'
}

# Usage: a_queue_that_hangs_is_left_as_a_whole ENGINE OPTION
a_queue_that_hangs_is_left_as_a_whole() {
    start_hanging "$1" "$2" -J
    until_idle
    end INT
    status=$?
    jq -c '[length, (map(.io.request // 0) | sort), .[-1].stat.count, .[-1].load.count,
        .[-1].load.failed]' o
    cat e >&2
    return "$status"
}

# Usage: statistics_and_periods_come_while_all_hang ENGINE OPTION
has_three_empty_periods() { [ "$(grep -c '^0 0 0 0 0 0 0 0 0 ' o)" -ge 3 ]; }
statistics_and_periods_come_while_all_hang() {
    start_hanging "$1" "$2" -q -P 50ms
    kill -USR1 "$pid"
    until_said 'requests, '
    until_true has_three_empty_periods
    end INT
    status=$?
    grep -o '^4 requests' e
    awk '{ n += $9 } END { print n }' o
    return "$status"
}

# Usage: a_second_interrupt_does_not_wait ENGINE OPTION
hang_and_end_at_once() {
    start_faulty "$1:3-:hang" -q -i 0 -hang 100ms -depth 4 "$2" data
    until_said 'request 3 has'
    end_at_once
}
a_second_interrupt_does_not_wait() {
    retry 4 hang_and_end_at_once "$@"
    status=$?
    cat o
    return "$status"
}

# Usage: an_interrupt_waits_for_what_is_under_way ENGINE OPTION
delay_and_interrupt() {
    start_faulty "$1:5-:100ms" -a 0 -i 0 -hang 50ms -depth 4 "$2" data
    until_said 'no answer'
    until_printed 'request=5 '
    end INT
}
an_interrupt_waits_for_what_is_under_way() {
    retry 0 delay_and_interrupt "$@"
    status=$?
    totals
    return "$status"
}

# Usage: each_write_is_flushed_and_timed_with_it ENGINE OPTION
each_write_is_flushed_and_timed_with_it() {
    faulty "$1@flush:3:600ms,$1@flush:1-:fast" -J -W -a 0 -i 0 -c 12 -depth 4 "$2" d |
        jq -c '[.[] | .io | select(.)] as $io
            | [($io | length), ($io | map(.sync > 0 and .sync < .time) | all),
            ($io | map(select(.sync >= 600000000)) | length >= 1)]'
    IOPING_SCRIPT=$1@flush:1-:5 LD_PRELOAD=$IOPING_FAULTS "$IOPING" -WC -B -i 0 -c 9 \
        -depth 4 "$2" d 2>e | cut -d' ' -f1,9
    ls -A d
}

# Usage: a_flush_that_fails_is_a_write_that_failed ENGINE OPTION
a_flush_that_fails_is_a_write_that_failed() {
    faulty "$1@flush:3-/4:5" -J -E -W -a 0 -i 0 -c 12 -depth 4 "$2" d >o
    status=$?
    jq -c '[([.[] | .io | select(.notice == "EIO")] | length, map(.size), map(.ignored)),
        .[-1].stat.count, .[-1].load.failed, .[-1].load.count]' o
    return "$status"
}

# Usage: failures_are_counted_over_all_workers ENGINE OPTION
failures_are_counted_over_all_workers() {
    faulty "$1:7-/7:5" -E -a 0 -i 0 -c 70 -depth 3 -threads 3 "$2" data >o
    status=$?
    grep -c '(EIO)' o
    totals
    return "$status"
}

# Usage: one_hung_request_of_each_worker_is_named ENGINE OPTION
one_hung_request_of_each_worker_is_named() {
    start_faulty "$1:7-:hang,$1:1-:fast" -a 0 -i 0 -hang 100ms -depth 2 -threads 3 "$2" data
    until_lines 6
    until_named 3
    until_idle
    end INT
    status=$?
    tail -1 e >&2
    totals
    return "$status"
}

# Usage: a_failure_in_a_full_queue_ends_the_run ENGINE OPTION
a_failure_in_a_full_queue_ends_the_run() {
    faulty "$1:5:5" -J -a 0 -i 0 -depth 4 "$2" data >o
    status=$?
    jq -c '[.[] | .io | select(.)] as $io | .[-1] as {$stat, $load}
        | [$load.failed,
        ($io | map(select(.notice == "EIO")) | map([.request, .size, .ignored])),
        ($load.count >= 5 and $load.count <= 8), $stat.count == $load.count - 1,
        $stat.time == ($io | map(select(.ignored | not) | .time) | add),
        ($io | map(.request) | sort == [range(1; $load.count + 1)])]' o
    return "$status"
}

# Usage: failures_that_are_ignored_leave_the_others_alone ENGINE OPTION
failures_that_are_ignored_leave_the_others_alone() {
    faulty "$1:3-/4:5,$1:9:short,$1:10:zero" -J -E -a 0 -i 0 -c 16 -depth 4 "$2" data >o
    status=$?
    jq -c '[.[] | .io | select(.ignored == true)] | sort_by(.request)[]
        | [.request, .notice, .size]' o
    jq -c '.[-1] | [.stat.count, .stat.size, .load.count, .load.failed, .load.size]' o
    return "$status"
}

# Usage: a_request_that_would_wait_fails_alone ENGINE OPTION
a_request_that_would_wait_fails_alone() {
    faulty "$1:3-/3:11,$1:1-:fast" -N -C -a 0 -i 0 -c 9 -depth 4 "$2" data 2>e >o
    status=$?
    sed -nE 's/^0 B .*: request=([0-9]+) .*\(EAGAIN\)$/\1/p' o | sort -n | tr '\n' ' '
    totals
    return "$status"
}

# Usage: a_slow_request_is_told_at_its_end ENGINE OPTION
a_slow_request_is_told_at_its_end() {
    faulty "$1:2:600ms" -J -a 0 -i 0 -c 12 -depth 4 "$2" data |
        jq -c 'map(select(.io)) as $all
            | ($all[] | .io | select(.request == 2) | .time) as $slow
            | [($all | map(.io.request) | sort == [range(1; 13)]), $slow >= 600000000,
            ($all | map(.timestamp) | . == sort), .[-1].stat.max >= $slow,
            .[-1].stat.count, .[-1].load.time >= 600000000]'
}

# Usage: a_depth_sweep_by_slow_requests ENGINE OPTION
a_depth_sweep_by_slow_requests() {
    faulty "$1:1-:30ms" -JJ -w 200ms -sweep depth=1..4 "$2" data |
        jq -s -c '[map(.sweep.depth), (map(.load.iops <= 34 * .sweep.depth) | all),
            (map(.load.count == 0 or .stat.min >= 30000000) | all)]'
}

# Usage: a_queue_that_breaks_fails_what_is_under_way FAULTS OPTION
a_queue_that_breaks_fails_what_is_under_way() {
    faulty "$1" -J -E -a 0 -i 0 -c 100 -depth 4 "$2" data >o
    status=$?
    jq -c '.[-1] | [.stat.count + .load.failed == .load.count,
        .load.failed >= 1 and .load.failed <= 4, .load.count < 100]' o
    return "$status"
}
