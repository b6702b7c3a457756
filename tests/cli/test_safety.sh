# Programs of test_safety.c, see tests/support/commands.sh.
# shellcheck shell=sh disable=SC2154

device_with_a_mounted_file_system_is_not_written() {
    echo data >mounted/file && sync -f mounted && cksum <mounted.img >before || return
    ioping -WWW -c 5 -i 0 "$(losetup -nO NAME -j mounted.img)"
    echo $? >&2
    sync -f mounted && cksum <mounted.img | cmp before - && umount mounted &&
        e2fsck -fn mounted.img >/dev/null 2>&1 && echo whole
}

# Usage: sum_disk DEVICE: prints a checksum of the device, which is read with direct I/O.
sum_disk() { dd if="$1" iflag=direct bs=64k 2>/dev/null | cksum; }

# Usage: disk_with_a_mounted_partition_is_not_written DEVICE
disk_with_a_mounted_partition_is_not_written() {
    mkfs.ext4 -q -E lazy_itable_init=0,lazy_journal_init=0 "${1}p1" && mkdir part &&
        mount "${1}p1" part && echo data >part/file && sync -f part && sync "$1" &&
        sum_disk "$1" >before || return
    for device in "$1" "${1}p1"; do
        ioping -WWW -c 5 -i 0 "$device"
        echo $? >&2
    done
    sync -f part && sum_disk "$1" | cmp before - && echo same
    umount part
    delpart "$1" 1
}

# Usage: device_that_changed_while_it_was_opened_is_not_written DEVICE
device_that_changed_while_it_was_opened_is_not_written() {
    echo data >busy/file && sync -f busy && cksum <busy.img >before &&
        ln -s "$1" swapped || return
    start_faulty open@swapped:1:hold -q -WWW -c 5 -i 0 "$1" swapped
    until_held
    ln -sfn "$(losetup -nO NAME -j busy.img)" swapped
    release
    reap
    status=$?
    cat e >&2
    cksum <busy.img | cmp before - && return "$status"
}

# Usage: free_device_is_written_when_said_three_times DEVICE
free_device_is_written_when_said_three_times() {
    for consent in -W -WW -G -GW; do
        ioping "$consent" -c 2 -i 0 "$1"
        echo $? >&2
    done
    sync
    cmp -n 4194304 free.img /dev/zero && ioping -WWW -c 4 -i 0 "$1" && sync &&
        ! cmp -s -n 4194304 free.img /dev/zero
}

reading_opens_read_only() {
    head -c 1M /dev/urandom >target &&
        ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 strace -f -o trace -e trace=open,openat \
            "$IOPING" -c 2 -i 0 target >&2 &&
        grep '"target"' trace | grep -c O_RDONLY
    grep '"target"' trace | grep -c -e O_RDWR -e O_WRONLY
}

# Usage: full_file_system_is_left_as_it_was MOUNT [OPTION]
full_file_system_is_left_as_it_was() {
    cd "$1" || return
    shift
    dd if=/dev/zero of=fill bs=64k 2>/dev/null
    sync -f .
    ls -A >../before
    stat -fc %f . >../free
    ioping "$@" -c 3 -i 0 .
    status=$?
    sync -f .
    # shellcheck disable=SC2012
    ls -A | diff ../before - && stat -fc %f . | cmp ../free - && return "$status"
}

# Usage: count_writes OPTION...: runs ioping on mount small, and puts into the file writes how
# many of its system calls write there. Ends with the status of the run. The device's count of
# written sectors would include writes of the journal.
count_writes() {
    ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 strace -f -y -o trace \
        -e 'trace=/write,/truncate,fallocate,?copy_file_range,?io_submit' \
        "$IOPING" "$@" small
    traced=$?
    grep -c '<[^>]*/small/' trace >writes
    return "$traced"
}

working_set_larger_than_the_free_space_is_refused_unwritten() {
    strace -o trace true 2>e || lacks 'processes cannot be traced here' || return
    count_writes -S 1m -q -c 1 -a 0 -i 0 >o 2>e
    [ "$(cat writes)" -gt 0 ] || echo 'a trace shows no writes'
    sync -f small
    free=$(stat -fc %f small)
    count_writes -S 100m -c 3 -i 0
    status=$?
    cat writes
    [ "$(stat -fc %f small)" = "$free" ] && return "$status"
}

# Usage: planted_working_file_is_never_written COMMAND: COMMAND puts something at the place of
# the working file.
planted_working_file_is_never_written() {
    rm -rf open missing && mkdir -m 1777 open && echo precious >victim || return
    (cd open && eval "$1") ||
        lacks 'needs the right to make devices and to give files away' || return
    ioping -k -W -c 3 -i 0 open
    status=$?
    cat victim
    [ ! -e missing ] && { [ -e open/ioping.tmp ] || [ -L open/ioping.tmp ]; } &&
        find open/ioping.tmp -type f -size +1k
    return "$status"
}

# Usage: mounted_working_file_is_never_written OPTION...
mounted_working_file_is_never_written() {
    rm -rf bound && mkdir bound && head -c 1M /dev/urandom >victim &&
        cp victim precious && : >bound/ioping.tmp &&
        mount --bind victim bound/ioping.tmp ||
        lacks 'needs the right to mount a file over another' || return
    ioping "$@" -c 3 -i 0 bound
    status=$?
    umount bound/ioping.tmp
    cmp victim precious && stat -c %s bound/ioping.tmp
    return "$status"
}

working_file_of_a_mounted_directory_is_used() {
    rm -rf seen real && mkdir seen real && mount --bind real seen ||
        lacks 'needs the right to mount a directory over another' || return
    ioping -k -q -c 3 -i 0 real && ioping -k -W -q -c 3 -i 0 seen
    status=$?
    umount seen
    ls -A real
    return "$status"
}
