# Programs of test_live.c, see tests/support/commands.sh.
# shellcheck shell=sh

# Returns 0 if the settings of the terminal are as they were before.
is_restored() { [ "$(stty -g)" = "$(cat before)" ]; }

# Usage: live [ARGUMENT...]: runs the program with -live on the terminal. Writes its process to the
# file "pid". Afterwards says "restored" if the settings of the terminal are as before. Returns
# the status of the program. Ctrl-C ends the program only. With -C, no disk delays the run.
live() {
    trap : INT
    rm -f pid held
    stty -g >before
    # shellcheck disable=SC2086,SC2016
    sh -c 'echo $$ >pid.new; mv pid.new pid; exec "$@"' sh $IOPING_RUNNER "$IOPING" -live -hang 0 -C "$@"
    live_status=$?
    is_restored && echo restored >/dev/tty
    return $live_status
}

# Usage: faulty_live SCRIPT [ARGUMENT...]: the same with faults, see faulty.
faulty_live() {
    faults=$1
    shift
    export IOPING_SCRIPT="$faults"
    IOPING_RUNNER="env LD_PRELOAD=$IOPING_FAULTS" live "$@"
}

# Usage: job_live [ARGUMENT...]: runs the program as a job of a shell with job control. When the
# job has stopped, says "stopped" if the settings of the terminal are as before, waits for the
# file "go", and continues the job.
job_live() {
    rm -f go
    set -m
    stty -g >before
    "$IOPING" -live -hang 0 -C "$@"
    is_restored && echo stopped
    until_true test -e go
    fg
    live_status=$?
    is_restored && echo restored >/dev/tty
    return $live_status
}
