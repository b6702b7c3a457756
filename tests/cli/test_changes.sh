# Programs of test_changes.c, see tests/support/commands.sh.
# shellcheck shell=sh disable=SC2154

# Usage: begin [OPTION...] TARGET: starts a run and waits until three requests have ended. The
# run ends by itself after at most 20 s.
begin() {
    start -w 20s -a 0 -i 10ms "$@"
    until_printed 'request=3 '
}

has_more_than() { [ "$(grep -c request= o)" -gt "$1" ]; }
until_three_more() { until_true has_more_than "$(($(grep -c request= o) + 2))"; }

# Usage: await: waits for the end of the run, sets $status to its status, and prints its stderr.
await() {
    reap
    status=$?
    said >&2
}

# Usage: stop: interrupts the run and waits for its end.
stop() {
    kill -INT "$pid"
    await
}

# Usage: agree VERDICT: prints "ok" if the totals agree with the lines of requests. Lines with
# VERDICT, a regular expression, count as failed. Returns the status of the run.
agree() {
    all=$(grep -c request= o)
    bad=$(grep -c "^0 B .*($1)\$" o)
    grep -q "^$((all - bad)) requests completed in " o &&
        grep -q "^generated $all requests in " o &&
        { [ "$bad" -le 1 ] || grep -q "^ioping: $bad of $all requests failed$" e; } &&
        echo ok
    return "$status"
}

# Usage: a_file_that_is_truncated_is_read_short [OPTION...]
a_file_that_is_truncated_is_read_short() {
    cp data file
    sync file
    begin "$@" file
    : >file
    await
    grep -c '(short)$' o
    agree short
}

a_file_that_grows_is_measured_as_it_was() {
    head -c 16k data >file
    sync file
    start -w 20s -a 0 -i 10ms -J -L -s 4k file
    until_printed '"request": 3,'
    cat data >>file
    until_printed '"request": 12,'
    stop
    jq -c '(map(.io.offset // empty) | unique), .[-1].load.failed,
        .[-1].load.count == length - 1' o
    return "$status"
}

# Usage: a_file_that_is_deleted_is_still_measured [OPTION...]
a_file_that_is_deleted_is_still_measured() {
    cp data file
    sync file
    begin "$@" file
    rm file
    until_three_more
    stop
    ls file 2>/dev/null
    agree 'E[A-Z]*'
}

# Usage: holes_that_are_made_meanwhile_are_told LENGTH [OPTION...] TARGET...
holes_that_are_made_meanwhile_are_told() {
    length=$1
    shift
    cp data file
    sync file
    begin "$@"
    fallocate -p -l "$length" file
    stop
}

a_kept_file_that_is_deleted_is_not_made_again() {
    mkdir -p kept
    begin -k -W kept
    rm kept/ioping.tmp
    until_three_more
    stop
    ls kept
    agree 'E[A-Z]*'
}

reading_goes_on_when_the_file_system_becomes_read_only() {
    cp data frozen/f && sync frozen/f
    begin frozen/f
    mount -o remount,ro frozen || return
    until_three_more
    stop
    agree 'E[A-Z]*'
}

# Usage: error_trigger: prints the file that makes the kernel handle an error of the ext4 in
# broken.img.
error_trigger() {
    device=$(losetup -nO NAME -j broken.img)
    echo "/sys/fs/ext4/${device##*/}/trigger_fs_error"
}
writing_ends_when_the_kernel_makes_the_file_system_read_only() {
    begin -W broken
    echo 1 >"$(error_trigger)"
    await
    grep -c '(EROFS)$' o
    agree EROFS
}

# Usage: a_file_system_that_is_unmounted_lazily_is_still_measured MOUNT [OPTION...] TARGET
a_file_system_that_is_unmounted_lazily_is_still_measured() {
    mount=$1
    shift
    rm -f lazy
    ln -s "$mount" lazy
    cp data lazy/f && sync lazy/f
    begin "$@"
    umount -l "$mount"
    ls "$mount"
    until_three_more
    stop
    agree 'E[A-Z]*'
}

# Usage: attach_disk: makes a loop device for disk.img and sets $device. It is detached at
# once, so that the kernel removes it when its last descriptor is closed, however this shell
# ends.
attach_disk() {
    head -c 4M /dev/urandom >disk.img
    device=$(attach -f --show disk.img) || exit
    exec 9<"$device"
    losetup -d "$device"
}

a_device_breaks() {
    begin "$device"
    : >disk.img
    await
    grep -c '(EIO)$' o
    agree EIO
}
a_device_that_breaks_ends_the_run() {
    attach_disk
    a_device_breaks
}

# A request fails with EIO if it comes before the kernel knows that the size is 0.
a_device_without_any_bytes_is_gone() {
    attach_disk
    begin -E "$device"
    : >disk.img
    losetup -c "$device"
    until_printed '(short)$'
    stop
    agree '[A-Zshort]*'
}

a_device_that_the_system_does_not_know_is_gone() {
    attach_disk
    echo 'mount -t tmpfs none /sys/dev/block && exec "$@"' >hide
    IOPING_RUNNER="unshare -m sh hide ${IOPING_RUNNER-}"
    a_device_breaks
}

a_device_that_breaks_for_a_while_is_measured_further() {
    attach_disk
    begin -E "$device"
    : >disk.img
    until_printed '(EIO)$'
    until_three_more
    head -c 4M /dev/urandom >disk.img
    until_three_more
    stop
    tail -6 o | head -1 | grep -c EIO
    agree EIO
}
