# Programs of test_terminal.c, see tests/support/commands.sh.
# shellcheck shell=sh

# Usage: tell_streams WORD: which streams are a terminal, and of what kind it is.
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
