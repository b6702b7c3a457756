# Programs of test_limits.c, see tests/support/commands.sh.
# shellcheck shell=sh disable=SC2154

# Usage: a_write_beyond_the_largest_file_is_a_failed_request [OPTION]
a_write_beyond_the_largest_file_is_a_failed_request() {
    cp data copy
    prlimit --fsize=8192 "$IOPING" "$@" -WWW -L -s 4k -a 0 -c 5 -i 0 copy >o
    status=$?
    totals
    sed -n 's/^0 B >>> .*: \(request=3\) time=[^(]*/\1 /p' o
    return "$status"
}

no_locked_memory_is_needed() {
    install -m 755 "$IOPING" copy
    prlimit --memlock=0:0 ./copy -a 0 -c 3 -i 0 data >o
    totals
    as_user prlimit --memlock=0:0 ./copy -a 0 -c 3 -i 0 data >o
    totals
}

# Usage: fill: takes all blocks of the file system of this folder. Uses fallocate, because
# writes reserve more blocks than they need, and some of these would become free again later.
fill() {
    mkdir fill && sync -f . || return
    count=0
    for size in 1M 64K 1K; do
        while fallocate -l "$size" "fill/$count" 2>/dev/null; do
            count=$((count + 1))
        done
    done
    sync -f .
    ! fallocate -l 1K "fill/$count" 2>/dev/null
}

# Usage: a_kept_file_is_used_on_a_full_file_system OPTION...
a_kept_file_is_used_on_a_full_file_system() {
    ioping "$@" -a 0 -c 6 -i 0 full >o || return
    totals
    # shellcheck disable=SC2011
    ls full | xargs
    stat -c %s full/ioping.tmp
}

# Usage: a_hole_that_cannot_be_filled_is_a_failed_request [OPTION]
a_hole_that_cannot_be_filled_is_a_failed_request() {
    ioping "$@" -WWW -L -s 64k -a 0 -c 5 -i 0 holes/f >o
    status=$?
    totals
    sed -n 's/^0 B >>> .*: \(request=2\) time=[^(]*/\1 /p' o
    return "$status"
}
