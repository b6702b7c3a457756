# Programs of test_append.c, see tests/support/commands.sh.
# shellcheck shell=sh disable=SC2154

# Sizes of the working file of $pid, which has no name.
file_size() {
    for file in "/proc/$(worker_of "$pid")/fd"/*; do
        case $(readlink "$file") in "$PWD/$1/"*'(deleted)') stat -Lc %s "$file" ;; esac
    done
}

# The first flush is that of what is written to try the I/O mode.
each_write_extends_the_file_and_a_full_one_is_emptied() {
    start_faulty fdatasync:2-8:hold -W -append -s 4k -S 14k -c 5 -i 0 -q d
    for _ in 1 2 3 4 5 6 7; do
        until_held
        file_size d
        release
    done
    reap
}

# Usage: offsets OPTION...
offsets() { ioping -W -append -c 9 -i 0 -JJ "$@" d | jq -c 'select(.io) | .io.offset' | tr '\n' ' '; }

# Usage: file_is_left_alone OPTION...
file_is_left_alone() {
    cksum data >before
    ioping -append -c 3 "$@" data
    status=$?
    cksum data | cmp before - && return "$status"
}

# Flushes 2 and 4 are those of an empty file, and points of the grid pass meanwhile. The time
# of the run without the two flushes is at least as long as the slowest request and as all
# missed points together, however late the machine was.
emptying_is_in_no_time_and_nothing_is_missed() {
    faulty fdatasync:2-4/2:2000ms -W -append -s 4k -S 4k -c 3 -a 0 -i 10ms -q -JJ d |
        jq '(.load.time - 4e9) as $rest
            | .stat.max <= $rest, .load.missed * 1e7 <= $rest, $rest > 0'
}

# Usage: transactions COMMAND...: that the journal of ext4 takes for it, by the kernel's
# own count (Documentation/filesystems/ext4/journal.rst).
count_transactions() {
    device=$(basename "$(losetup -nO NAME -j ext4.img)")
    awk '/ transactions / { print $1; exit }' "/proc/fs/jbd2/$device-8/info"
}
transactions() {
    begin=$(count_transactions) || return
    "$@" >/dev/null 2>e || { cat e >&2; return 1; }
    echo $(($(count_transactions) - begin))
}

# Usage: an_append_is_a_transaction COUNT OPTION...: prints how many appends and overwrites
# take.
an_append_is_a_transaction() {
    count=$1
    shift
    transactions ioping -W -append -S 1m -c "$count" -i 0 -q "$@" ext4 &&
        transactions ioping -W -S 1m -c "$count" -i 0 -q "$@" ext4
}

# Usage: fio_takes_as_many COUNT [ARGUMENT...]: prints its transactions, and ours.
fio_takes_as_many() {
    count=$1
    shift
    transactions fio --name=log --directory=ext4 --rw=write --ioengine=sync --fdatasync=1 \
        --bs=2300 --size=$((2300 * count)) "$@"
    rm -f ext4/log*
    transactions ioping -W -append -s 2300 -S $((2300 * count)) -c "$count" -i 0 -q ext4
}

# Another writer takes what is left.
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

# Usage: nothing_is_left OPTION...
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

# Usage: each_size_has_a_row OPTION...
each_size_has_a_row() {
    for window in 40ms 500ms 5s; do
        ioping -W -append -sweep size=4k..16k -w "$window" -JJ "$@" d >o
        [ "$(jq -s 'map(select(.load.count > 0)) | length' o)" != 3 ] || break
    done
    jq -c '[.sweep.size, .load.failed, .load.size == .load.count * .sweep.size]' o
    ls -A d
}
