# Programs of test_color.c, see tests/support/commands.sh.
# shellcheck shell=sh disable=SC2154

# Usage: slow_and_failed [OPTION...] TARGET: a run in which request 8 is slow and request 9
# fails. If a busy machine delays an earlier request, request 8 may not count as slow. Then
# the caller tries again.
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
