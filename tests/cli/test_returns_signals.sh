# Programs of test_returns_signals.c, see tests/support/commands.sh.
# shellcheck shell=sh disable=SC1091,SC2034,SC2154
. "$tests/support/returns.sh"

# Usage: beside COMMAND...: runs it beside the program that takes the place of this shell,
# of which it is no child, and away from its terminal.
beside() { ("$@" </dev/null >/dev/null 2>&1 &); }

# Usage: end_hang FILE: after 20 s, so that a test fails and ends.
end_hang() {
    sleep 20
    rm -f "$1"
}

# Interrupts the program once its terminal has been stopped and it waits for that.
interrupt_stopped() {
    until_true test -e stopped
    pid=$(pgrep -P $$ || echo $$)
    until_idle
    : >struck
    kill -INT $$
}

# Usage: a_killed_worker_is_not_waited_for [OPTION...]: says "hangs" if the request still does
# when the program has ended.
a_killed_worker_is_not_waited_for() {
    [ -s killed.files/f ] || head -c 1M /dev/urandom >killed.files/f
    rm -f hang.waiting
    : >hang
    beside end_hang "$PWD/hang"
    start -i 50ms "$@" killed/f
    until_true test -e hang.waiting
    worker=$(worker_of "$pid")
    kill -KILL "$worker"
    reap
    echo $?
    [ ! -e hang ] || echo hangs
    rm -f hang
    until_true is_released "$worker"
    cat o
}
