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
