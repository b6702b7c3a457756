# Programs of test_append.c, see tests/support/commands.sh.
# shellcheck shell=sh disable=SC2154

# Usage: file_size FOLDER: prints the size of the working file in FOLDER of the run $pid. The
# file has been removed, so it has no name.
file_size() {
    for file in "/proc/$(worker_of "$pid")/fd"/*; do
        case $(readlink "$file") in "$PWD/$1/"*'(deleted)') stat -Lc %s "$file" ;; esac
    done
}

# The first flush belongs to the write with which ioping tries the I/O mode.
each_write_extends_the_file_and_a_full_one_is_emptied() {
    start_faulty fdatasync:2-8:hold -W -append -s 4k -S 14k -c 5 -i 0 -q d
    for _ in 1 2 3 4 5 6 7; do
        until_held
        file_size d
        release
    done
    reap
}

# Usage: offsets OPTION...: prints the offsets of nine appends.
offsets() { ioping -W -append -c 9 -i 0 -JJ "$@" d | jq -c 'select(.io) | .io.offset' | tr '\n' ' '; }

# Usage: file_is_left_alone OPTION...: returns 0 if a run that appends has not changed the file
# data.
file_is_left_alone() {
    cksum data >before
    ioping -append -c 3 "$@" data
    status=$?
    cksum data | cmp before - && return "$status"
}

# Flushes 2 and 4 follow the emptying of the file and take 2 s each, in which requests become
# due. Prints whether the time of the run without these 4 s is at least as long as the slowest
# request and as the intervals of all missed requests. That holds even on a slow machine.
emptying_is_in_no_time_and_nothing_is_missed() {
    faulty fdatasync:2-4/2:2000ms -W -append -s 4k -S 4k -c 3 -a 0 -i 10ms -q -JJ d |
        jq '(.load.time - 4e9) as $rest
            | .stat.max <= $rest, .load.missed * 1e7 <= $rest, $rest > 0'
}

# Usage: count_transactions: prints how many transactions the journal of ext4 has had so far, by
# the kernel's own count (Documentation/filesystems/ext4/journal.rst).
count_transactions() {
    device=$(basename "$(losetup -nO NAME -j ext4.img)")
    awk '/ transactions / { print $1; exit }' "/proc/fs/jbd2/$device-8/info"
}

# Usage: transactions COMMAND...: prints how many transactions of the journal a command causes.
transactions() {
    begin=$(count_transactions) || return
    "$@" >/dev/null 2>e || { cat e >&2; return 1; }
    echo $(($(count_transactions) - begin))
}

# Usage: an_append_is_a_transaction COUNT OPTION...: prints how many transactions COUNT appends
# cause, and how many COUNT overwrites cause.
an_append_is_a_transaction() {
    count=$1
    shift
    transactions ioping -W -append -S 1m -c "$count" -i 0 -q "$@" ext4 &&
        transactions ioping -W -S 1m -c "$count" -i 0 -q "$@" ext4
}

# Usage: fio_takes_as_many COUNT [ARGUMENT...]: prints how many transactions COUNT appends of
# fio cause, and how many those of ioping cause.
fio_takes_as_many() {
    count=$1
    shift
    transactions fio --name=log --directory=ext4 --rw=write --ioengine=sync --fdatasync=1 \
        --bs=2300 --size=$((2300 * count)) "$@"
    rm -f ext4/log*
    transactions ioping -W -append -s 2300 -S $((2300 * count)) -c "$count" -i 0 -q ext4
}

# Another writer fills the file system while a request is held.
a_full_file_system_is_a_failed_request() {
    start_faulty fdatasync:6:hold -W -append -s 64k -S 16m -i 0 full
    until_held
    dd if=/dev/zero of=full/other bs=4k 2>/dev/null
    release
    reap
    status=$?
    sed 's/request [0-9]*/request #/' e
    grep -c 'request=' o
    grep -c 'requests completed' o
    grep -o 'ENOSPC' o
    find full -name '*ioping*'
    rm full/other
    return "$status"
}

# Usage: nothing_is_left OPTION...: prints the status of a run and the files that it left.
nothing_is_left() {
    ioping -W -append -i 0 -q "$@" d >/dev/null 2>e
    echo $?
    ls -A d
}
nothing_is_left_after_a_signal() {
    start -W -append -i 10ms d
    until_printed 'request=3 '
    end INT
    echo $?
    ls -A d
}

# Usage: each_size_has_a_row OPTION...: prints a line for each step of a sweep of sizes.
each_size_has_a_row() {
    for window in 40ms 500ms 5s; do
        ioping -W -append -sweep size=4k..16k -w "$window" -JJ "$@" d >o
        [ "$(jq -s 'map(select(.load.count > 0)) | length' o)" != 3 ] || break
    done
    jq -c '[.sweep.size, .load.failed, .load.size == .load.count * .sweep.size]' o
    ls -A d
}
