# Programs of test_backing.c, see tests/support/commands.sh.
# shellcheck shell=sh

# Usage: attach_directly FILE: prints a loop device for FILE that uses direct I/O.
attach_directly() {
    head -c 8M /dev/urandom >"$1"
    device=$(losetup -f --show --direct-io=on "$1") &&
        grep -q 1 "/sys/block/${device#/dev/}/loop/dio" && echo "$device"
}

# Usage: add_zram: makes a device in compressed memory and prints its name.
add_zram() {
    number=$(cat /sys/class/zram-control/hot_add) &&
        echo 16M >"/sys/block/zram$number/disksize" && echo "/dev/zram$number" || return
    until_true test -b "/dev/zram$number"
}

# Usage: remove_zram DEVICE: removes a device that add_zram made.
remove_zram() {
    umount "$1" 2>/dev/null
    echo 1 >"/sys/block/${1#/dev/}/reset"
    echo "${1#/dev/zram}" >/sys/class/zram-control/hot_remove
}

# Usage: mount_overlay FOLDER: mounts an overlay at layers. FOLDER is its lower layer, and its
# upper layer is in memory.
mount_overlay() {
    mkdir -p memory2 layers disk/low && mount -t tmpfs memory memory2 &&
        mkdir memory2/low memory2/up memory2/work &&
        mount -t overlay layers -o \
            "lowerdir=$PWD/$1,upperdir=$PWD/memory2/up,workdir=$PWD/memory2/work" layers &&
        head -c 1M /dev/urandom >layers/file
}

# Usage: holes_of_loop MAKE ATTACH OPTIONS: makes the file h by the shell command MAKE, and attaches
# it with the options ATTACH. Prints the notes on holes of a run with OPTIONS.
holes_of_loop() {
    rm -f h
    eval "$1" && sync h || return
    # shellcheck disable=SC2086
    device=$(attach -f --show $2 h) || return 77
    # shellcheck disable=SC2086
    ioping -B -c 2 -i 0 $3 "$device" 2>e >o
    status=$?
    losetup -d "$device"
    sed -n "/holes/s|$device|DEVICE|p" e
    return $status
}
