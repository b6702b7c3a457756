# Programs of test_color.c, see tests/support/commands.sh.
# shellcheck shell=sh disable=SC2154

# Usage: slow_and_failed [OPTION...] TARGET: request 8 is slow, request 9 fails. Where a busy
# machine held up one before, it may not be slow beside that; then all is tried again.
slow_and_failed() { faulty pread:8:400ms,pread:9:5 -C -E -i 0 -c 10 "$@"; }

always_colours_whatever_reads_it() {
    for _ in 1 2 3 4 5; do
        slow_and_failed -color always data >o
        status=$?
        [ "$(grep -c 'request=8 .*slow' o)" != 1 ] || break
    done
    cat o
    sed 's/\x1b\[[0-9;]*m//g' o >&2
    return "$status"
}
