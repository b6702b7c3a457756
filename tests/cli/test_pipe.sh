# Programs of test_pipe.c, see tests/support/commands.sh.
# shellcheck shell=sh disable=SC2034,SC2154

# Usage: stall [OPTION...] TARGET: makes a run whose fifth request takes so long that at least
# 30 requests become due meanwhile.
stall() { faulty pread:5:320ms -C -q -i 10ms -c 24 "$@"; }

# Usage: outlier [OPTION...] TARGET: makes a run whose eighth request takes longer than all
# others together.
outlier() { faulty pread:8:2000ms,pread:1-:20ms -C -i 20ms -c 20 "$@"; }

# Makes the file "seen" when a run cannot go on because its terminal is stopped: all threads
# sleep although no request has to wait any more. (A run that has ended is not asleep.) Request 5
# fails. Request 4 is held so that the run cannot reach the failure before this shell looks.
# Succeeds if the run ends with the status of a failed request.
a_note_waits_for_the_user() {
    rm -f held
    exec_faulty pread:4:hold,pread:5:5 -C -E -q -no-status -i 0 -c 9 data &
    pid=$!
    until_held
    release
    until_idle
    touch seen
    reap
    [ $? = 3 ]
}

# Usage: a_quiet_run_in_the_background_dies_by_what_it_is_sent SIGNAL
a_quiet_run_in_the_background_dies_by_what_it_is_sent() {
    start -i 7s -q .
    until_idle
    end "$1"
    status=$?
    grep -c ^generated o
    find . -name '.ioping*'
    return "$status"
}
