# Programs of test_monitor.c, see tests/support/commands.sh.
# shellcheck shell=sh disable=SC2154

# Usage: begin [ARGUMENT...]: starts a run in its own process group and waits for its first
# output. $pid is the group and its first process, the monitor. $worker is the process that
# does the work.
begin() {
    fresh
    # shellcheck disable=SC2086
    setsid $IOPING_RUNNER "$IOPING" -hang 0 "$@" >o 2>e &
    pid=$!
    until_true test -s o
    worker=$(worker_of "$pid")
}

# Usage: has_open PID: returns 0 if the process has the target data open.
has_open() { readlink "/proc/$1/fd"/* | grep -qx "$(pwd -P)/data"; }

only_the_worker_has_the_target() {
    begin -i 20ms data
    test "$worker" != "$pid" && echo two
    has_open "$worker" && echo worker
    has_open "$pid" && echo monitor
    end INT
}

# Usage: the_end_of_the_worker_is_that_of_the_program SIGNAL
the_end_of_the_worker_is_that_of_the_program() {
    begin -i 20ms data
    kill "-$1" "$worker"
    reap
    echo $?
}

the_worker_ends_with_its_monitor() {
    begin -i 20ms data
    end KILL
    echo $?
    until_true is_released "$worker"
}

# Usage: a_signal_is_one SIGNAL TO...: sends the signal to each TO, which is group, monitor or
# worker.
a_signal_is_one() {
    signal=$1
    shift
    begin -i 20ms -JJ data
    for to; do
        case $to in
        group) kill "-$signal" "-$pid" ;;
        monitor) kill "-$signal" "$pid" ;;
        worker) kill "-$signal" "$worker" ;;
        esac
    done
    reap
    status=$?
    tail -n 1 o | jq 'has("load")'
    return "$status"
}

# Usage: has_said COUNT: returns 0 if there are COUNT lines of interim statistics.
has_said() { [ "$(grep -c 'requests, ' e)" -ge "$1" ]; }

# Each signal must print one line. The next is sent after that line.
each_request_for_statistics_is_one() {
    begin -i 20ms data
    count=0
    for to in "-$pid" "$pid" "-$pid" "$pid"; do
        kill -USR1 "$to"
        count=$((count + 1))
        until_true has_said "$count"
        sleep 0.1
    done
    kill -INT "-$pid"
    reap
    status=$?
    grep -c 'requests, ' e
    return "$status"
}

# Monitor and worker each get a copy of a signal to the group. The second signal is sent when
# both copies of the first have been handled.
two_interrupts_of_the_group_are_two() {
    start_stuck
    kill -INT "-$pid"
    until_handled
    sleep 0.1
    kill -INT "-$pid"
    reap
}

# Usage: repeat_interrupts PREFIX: one process sends SIGINT every 25 ms until the run has
# ended: to the group if PREFIX is "-", or to the monitor if it is empty.
repeat_interrupts() {
    start_stuck
    while kill -INT "$1$pid" 2>/dev/null; do sleep 0.025; done &
    sender=$!
    reap
    status=$?
    wait "$sender"
    return "$status"
}
interrupts_that_one_sender_repeats_are_several() {
    for to in '' -; do
        retry 3 repeat_interrupts "$to"
        echo $?
    done
}

# Usage: start_stuck: like begin, for a run whose third request never ends.
start_stuck() {
    fresh
    IOPING_SCRIPT=pread:3-:hang LD_PRELOAD=$IOPING_FAULTS \
        setsid "$IOPING" -C -i 20ms -hang 100ms data >o 2>e &
    pid=$!
    until_said 'request 3 has had'
    worker=$(worker_of "$pid")
}

# Usage: state_of PID: prints the letter for the state of a process.
state_of() { sed -n 's/^State:.\(.\).*/\1/p' "/proc/$1/status"; }
has_state() { [ "$(state_of "$1")" = "$2" ]; }

# Usage: until_more COUNT: waits for COUNT more lines of output.
until_more() {
    lines=$(($(wc -l <o) + $1))
    while [ "$(wc -l <o)" -lt "$lines" ]; do
        sleep 0.02
    done
}

# Usage: a_stop_stops_both SIGNAL PREFIX: sends the signal to the group if PREFIX is "-", or
# to the monitor if it is empty.
a_stop_stops_both() {
    begin -i 20ms data
    kill "-$1" "$2$pid"
    until_true has_state "$pid" T
    until_true has_state "$worker" T
    kill -CONT "$2$pid"
    until_more 5
    end INT
}

# When the monitor is stopped, the worker stops itself. If the monitor has been continued in the
# meantime, the worker must go on, too.
a_stop_and_its_end_at_once_stop_nothing() {
    begin -i 1ms -q -P 10ms data
    for tenth in 0 1 2 3 4 5 6 7 8 9; do
        for hundredth in 0 1 2 3 4 5; do
            kill -STOP "$pid"
            sleep "0.0$hundredth$tenth"
            kill -CONT "$pid"
        done
    done
    until_more 30
    end INT
}

# After the interrupt the caller has its things back although the worker is stuck: the lock of
# descriptor 9, the current folder and the output.
what_is_stuck_holds_nothing_of_the_caller() {
    mkdir -p folder
    mkfifo pipe
    cp data folder
    { cat pipe >o; : >closed; } &
    (
        exec 9>lock
        flock 9
        cd folder || exit
        IOPING_SCRIPT=pread:3-:hang LD_PRELOAD=$IOPING_FAULTS exec "$IOPING" -C -i 20ms \
            -hang 100ms data
    ) >pipe 2>e &
    pid=$!
    until_said 'request 3 has had'
    worker=$(worker_of "$pid")
    kill -INT "$pid"
    until_true test -e closed
    reap
    status=$?
    flock -n lock echo unlocked
    is_released "$worker" || readlink "/proc/$worker/cwd"
    return "$status"
}

# Usage: a_caller_may_have_set_signals OPTION: runs with SIGCHLD as OPTION of env(1) sets it.
a_caller_may_have_set_signals() {
    # shellcheck disable=SC2086
    env "$1=CHLD" $IOPING_RUNNER "$IOPING" -hang 0 -c 3 -i 0 -B data | cut -d' ' -f9
    env "$1=CHLD" "$IOPING" -hang 0 -c 3 -i 0 -B missing 2>/dev/null
}

without_a_second_process_one_does_all() {
    "$IOPING_FORBID" 11 clone "$IOPING" -hang 0 -c 3 -i 0 -B data >o 2>e
    status=$?
    cut -d' ' -f9 o
    cat e >&2
    return "$status"
}

# Usage: show_worker: prints the I/O class and the nice value of the first thread of the
# worker, and "one" if it may use only one processor. Its process holds the target.
show_worker() {
    worker=$(pgrep -P "$pid")
    readlink "/proc/$worker/fd"/* | grep -q 'data$' || echo "it has no target"
    ionice -p "$worker"
    sed 's/.*) //' "/proc/$worker/stat" | cut -d' ' -f17
    taskset -c -p "$worker" | grep -q ': [0-9]*$' && echo one
    end INT >/dev/null
}
priorities_and_processors_are_those_of_the_start() {
    fresh
    one=$(taskset -c -p $$ | sed 's/.*: //; s/[-,].*//')
    nice -n 7 ionice -c 3 taskset -c "$one" "$IOPING" -hang 0 -i 1ms data >o 2>e &
    pid=$!
    until_lines_at_least 2
    show_worker
}
a_change_of_the_worker_reaches_its_requests() {
    start -i 1ms data
    until_lines_at_least 2
    worker=$(pgrep -P "$pid")
    one=$(taskset -c -p $$ | sed 's/.*: //; s/[-,].*//')
    ionice -c 3 -p "$worker"
    renice -n 7 -p "$worker" >/dev/null
    taskset -a -c -p "$one" "$worker" >/dev/null
    show_worker
}
until_lines_at_least() { until [ "$(wc -l <o)" -ge "$1" ]; do sleep 0.02; done; }
