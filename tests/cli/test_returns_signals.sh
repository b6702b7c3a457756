# Programs of test_returns_signals.c, see tests/support/commands.sh.
# shellcheck shell=sh disable=SC1091,SC2034,SC2154
. "$tests/support/returns.sh"

# Usage: beside COMMAND...: runs a command in the background, apart from the terminal. It is
# not a child of this shell, because the tested program will replace this shell.
beside() { ("$@" </dev/null >/dev/null 2>&1 &); }

# Usage: end_hang FILE: ends a hang after 20 s by removing FILE, so that a failing test ends.
end_hang() {
    sleep 20
    rm -f "$1"
}

# Usage: interrupt_stopped: sends SIGINT to the program that replaces this shell, when its
# terminal has been stopped (the file stopped exists) and it waits for the terminal.
interrupt_stopped() {
    until_true test -e stopped
    pid=$(pgrep -P $$ || echo $$)
    until_idle
    : >struck
    kill -INT $$
}

# Usage: a_killed_worker_is_not_waited_for [OPTION...]: prints "hangs" if the request still
# hangs when the program has ended.
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
