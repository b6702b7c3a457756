# Programs of test_last_line.c, see tests/support/commands.sh.
# shellcheck shell=sh disable=SC2034,SC2154

# Usage: signalled SIGNAL OPTION...: prints both output streams of a run that the signal ends.
signalled() {
    fresh
    signal=$1
    shift
    # shellcheck disable=SC2086
    $IOPING_RUNNER "$IOPING" -hang 0 "$@" >o 2>&1 &
    pid=$!
    until_printed request=3
    end "$signal"
    cat o
}

# Usage: unexported OPTION...: prints both output streams of a run that cannot write its file of
# metrics at the end.
unexported() {
    mkdir exports
    fresh
    # shellcheck disable=SC2086
    $IOPING_RUNNER "$IOPING" -hang 0 -prometheus exports/m "$@" >o 2>&1 &
    pid=$!
    until_printed request=3
    rm -r exports
    end INT
    cat o
}
