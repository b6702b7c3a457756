# Programs of test_backing.c, see tests/support/commands.sh.
# shellcheck shell=sh

# Usage: attach_directly FILE: prints a loop device on it that reads past the page cache.
attach_directly() {
    head -c 8M /dev/urandom >"$1"
    device=$(losetup -f --show --direct-io=on "$1") &&
        grep -q 1 "/sys/block/${device#/dev/}/loop/dio" && echo "$device"
}

# Prints a device of compressed memory; remove_zram DEVICE takes it away.
add_zram() {
    number=$(cat /sys/class/zram-control/hot_add) &&
        echo 16M >"/sys/block/zram$number/disksize" && echo "/dev/zram$number" || return
    until_true test -b "/dev/zram$number"
}
remove_zram() {
    umount "$1" 2>/dev/null
    echo 1 >"/sys/block/${1#/dev/}/reset"
    echo "${1#/dev/zram}" >/sys/class/zram-control/hot_remove
}

# Usage: mount_overlay FOLDER: an overlay at layers, over this one; its upper layer is in
# memory.
mount_overlay() {
    mkdir -p memory2 layers disk/low && mount -t tmpfs memory memory2 &&
        mkdir memory2/low memory2/up memory2/work &&
        mount -t overlay layers -o \
            "lowerdir=$PWD/$1,upperdir=$PWD/memory2/up,workdir=$PWD/memory2/work" layers &&
        head -c 1M /dev/urandom >layers/file
}
