# Programs of test_terminal.c, see tests/support/commands.sh.
# shellcheck shell=sh

# Usage: tell_streams WORD: prints which streams are a terminal, the size, device and type of
# the terminal, and, on stderr, WORD. Returns 3.
tell_streams() {
    for stream in 0 1 2; do
        test -t "$stream" && echo "$stream"
    done
    stty size
    echo "$1" >&2
    tty >/dev/tty
    echo "$TERM"
    return 3
}

tell_width_when_it_changes() {
    trap 'stty size; exit' WINCH
    echo begun
    while :; do sleep 0.02; done
}
