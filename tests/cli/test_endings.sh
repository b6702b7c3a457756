# Programs of test_endings.c, see tests/support/commands.sh.
# shellcheck shell=sh disable=SC2154

# Usage: a_signal_ends_a_sleep_with_the_summary SIGNAL
a_signal_ends_a_sleep_with_the_summary() {
    start -a 0 -i 1h data
    until_printed request=1
    end "$1"
    status=$?
    cat o
    cat e >&2
    return "$status"
}

# Usage: a_signal_ends_a_busy_run_with_the_summary SIGNAL
a_signal_ends_a_busy_run_with_the_summary() {
    start -i 1ms d
    until_printed 'request=9 '
    end "$1"
    status=$?
    tail -4 o
    said >&2
    return "$status"
}

a_signal_leaves_valid_json() {
    start -J -a 0 -i 1h data
    until_printed '"request": 1'
    end INT || return
    jq -c '[length, .[0].io.request, .[1].stat.count, .[1].load.count]' o
}

statistics_can_be_asked_for_on_the_way() {
    start -a 0 -i 1h data
    until_printed request=1
    kill -USR1 "$pid"
    until_said '1 requests'
    cp e first
    kill -QUIT "$pid"
    until [ "$(grep -c . e)" -ge 2 ]; do sleep 0.02; done
    end INT || return
    grep -c . first
    cat e >&2
    grep -c request= o
    grep -c statistics o
}

the_run_goes_on_after_interim_statistics() {
    start -a 0 -i 20ms data
    until_printed 'request=2 '
    kill -USR1 "$pid"
    until_said ' requests, min/'
    until_printed "request=$(($(grep -c request= o) + 3)) "
    end INT || return
    grep -c ' requests, min/' e
    all=$(grep -c request= o)
    grep -oE "^$all requests completed|generated $all requests" o | tr -d 0-9
}

begin_and_interrupt() {
    start_faulty pread:3:hold -C -i 0 data
    signal_held
}
one_interrupt_waits_for_the_request_and_ends_well() {
    retry 0 begin_and_interrupt
    status=$?
    cat o
    cat e >&2
    return "$status"
}

# Usage: begin_and_end_at_once [OPTION...]: interrupts a run twice while a request is held.
begin_and_end_at_once() {
    start_faulty pread:3:hold -C -i 0 "$@" data
    until_held
    end_at_once
}
a_second_interrupt_ends_at_once() {
    retry 4 begin_and_end_at_once
    status=$?
    cat o
    cat e >&2
    return "$status"
}

# Usage: a_second_interrupt_leaves_valid_json OPTION
a_second_interrupt_leaves_valid_json() {
    retry 4 begin_and_end_at_once "$1"
    status=$?
    jq -c '[length, .[-1].io.request]' o
    cat e >&2
    return "$status"
}

# Usage: a_failed_request_ends_the_run_with_the_summary FAULTS [OPTION...]: runs with FAULTS,
# and prints the last line of a request and the counts of the summary.
a_failed_request_ends_the_run_with_the_summary() {
    cp data w
    faults=$1
    shift
    faulty "$faults" -C -c 10 -i 0 "$@" w >o
    status=$?
    sed -n 's/w (.*): \(request=[0-9]*\) time=[^(]*/\1 /p' o | tail -1 |
        sed 's/ (fast)/ /; s/ (slow)/ /'
    grep -oE '^[0-9]+ requests completed|^generated [0-9]+ requests' o
    return "$status"
}

a_failed_request_leaves_valid_json() {
    faulty pread:7:5 -J -C -c 10 -i 0 data >o
    status=$?
    jq -c '[length, .[6].io.request, .[6].io.notice, .[6].io.ignored, .[7].stat.count,
        .[7].load.count, .[7].load.failed, .[7].load.size]' o
    return "$status"
}

# Usage: begin_blocked_and_end_at_once [OPTION...]: interrupts a run twice when its output is
# blocked, because the pipe is full.
begin_blocked_and_end_at_once() {
    rm -f pipe
    mkfifo pipe
    exec 3<>pipe
    # shellcheck disable=SC2086
    $IOPING_RUNNER "$IOPING" "$@" -i 0 /dev/zero >&3 3>&- &
    pid=$!
    while dd if=/dev/zero of=pipe bs=100 count=1 oflag=nonblock 2>/dev/null; do
        sleep 0.02
    done
    until_idle
    end_at_once
}
# Usage: a_second_interrupt_ends_a_run_whose_output_is_blocked [OPTION...]
a_second_interrupt_ends_a_run_whose_output_is_blocked() {
    retry 4 begin_blocked_and_end_at_once "$@"
}
