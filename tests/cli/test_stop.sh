# Programs of test_stop.c, see tests/support/commands.sh.
# shellcheck shell=sh disable=SC2154

# Usage: is_stopping: returns 0 if at least one thread of the worker is stopped.
is_stopping() { grep -h '^State:' "/proc/$worker/task"/*/status | grep -q 'T '; }

# Usage: is_stopped: returns 0 if all threads of the worker are stopped or have ended.
is_stopped() { ! grep -h '^State:' "/proc/$worker/task"/*/status | grep -qv '[TZ] '; }

# Usage: stop_for SECONDS [COMMAND...]: stops the run $pid and continues it SECONDS after all
# threads of its worker have stopped. A thread in the kernel cannot stop. The command, which
# runs when the first thread has stopped, makes such threads return from the kernel.
stop_for() {
    seconds=$1
    shift
    worker=$(worker_of "$pid")
    kill -STOP "$pid"
    [ $# = 0 ] || until_true is_stopping
    "$@"
    until_true is_stopped
    sleep "$seconds"
    kill -CONT "$pid"
}

# Usage: begin [OPTION...] TARGET: starts a run and waits until it has printed a line.
begin() {
    start "$@"
    until_true test -s o
}

# Usage: begin_under_way [OPTION...]: starts a run on the mount fs and waits until a request
# hangs. It hangs until the file hang is removed.
begin_under_way() {
    head -c 1M /dev/urandom >fs.files/f
    rm -f hang hang.waiting
    begin -i 1ms "$@" fs/f
    : >hang
    until_true test -e hang.waiting
}

# Usage: go_on: waits until the run has printed 20 more periods, even on a slow machine.
go_on() {
    periods=$(($(wc -l <o) + 20))
    while [ "$(wc -l <o)" -lt "$periods" ]; do
        sleep 0.02
    done
}

# Usage: a_stop_is_not_the_longest_latency [OPTION...]
a_stop_is_not_the_longest_latency() {
    for _ in 1 2 3 4 5; do
        begin -JJ -q -P 10ms -i 0 -S 1m "$@" .
        stop_for 1
        go_on
        end INT
        short=$(tail -n 1 o | jq '.stat.max < 1e9')
        [ "$short" != true ] || break
    done
    echo "$short"
    cat e >&2
}

a_request_under_way_has_the_verdict() {
    begin_under_way -JJ -c 1000 -a 0
    stop_for 1 rm hang
    reap
    status=$?
    jq -c 'select(.io.notice == "stopped") | .io.ignored' o
    tail -n 1 o | jq -c '[.stat.count, .load.count, .stat.max < 1e9]'
    grep -o 'while the program was stopped or frozen' e
    return "$status"
}

a_pause_that_becomes_longer_misses_nothing() {
    for _ in 1 2 3 4 5; do
        begin -JJ -i 300ms -c 5 -a 0 -S 1m .
        stop_for 1
        reap
        whole=$(tail -n 1 o | jq '[.stat.count, .load.missed] == [5, 0]')
        [ "$whole" != true ] || break
    done
    echo "$whole"
    cat e >&2
}

a_signal_to_go_on_is_no_stop() {
    begin_under_way -JJ -c 100 -a 0
    kill -CONT "$pid"
    sleep 0.3
    kill -CONT "$pid"
    sleep 0.3
    rm hang
    reap
    status=$?
    tail -n 1 o | jq -c '[.stat.count, .stat.max > 6e8, .load.missed > 500]'
    grep stopped o e
    return "$status"
}

# Usage: rates_are_those_without_the_stop [OPTION...]
rates_are_those_without_the_stop() {
    head -c 1M /dev/urandom >fs.files/f
    for _ in 1 2 3 4 5; do
        begin -JJ -q -P 10ms -i 0 -a 0 "$@" fs/f
        stop_for 1
        go_on
        end INT
        without=$(tail -n 1 o | jq -c '
            (.load.count / .load.iops - .stat.count / .stat.iops) as $nobodys |
            if $nobodys > 0.6 and .stat.iops < 400 then true
            else [$nobodys, .stat.iops] end')
        [ "$without" != true ] || break
    done
    echo "$without"
}

# Usage: has_read COUNT: returns 0 if COUNT reads were logged, or if the run has ended. A run
# ends early if a step is late.
has_read() { [ "$(wc -l <fs.log)" -ge "$1" ] || is_released "$pid"; }

# Usage: what_was_due_while_stopped_does_not_count READS: stops a run after READS of its 660
# reads.
what_was_due_while_stopped_does_not_count() {
    head -c 1M /dev/urandom >fs.files/f
    whole=late
    for _ in 1 2 3 4 5; do
        start -JJ -sweep rate=200..200 -w 3 -slo p99=1s fs/f
        : >fs.log
        until_true has_read "$1"
        ! is_released "$pid" || continue
        stop_for 2
        reap
        whole=$(jq -c 'select(.sweep) | [.met, .stat.max < 1e9, .load.iops > 160]' o)
        [ "$whole" != '[true,true,true]' ] || break
    done
    echo "$whole"
}
