# Programs of test_linux_layout.c, see tests/support/commands.sh.
# shellcheck shell=sh

# Usage: device NAME NUMBER: makes it in sys/block, and a link to it in dev.
device() {
    mkdir -p "sys/block/$1" dev && echo "$2" >"sys/block/$1/dev" &&
        ln -s "../sys/block/$1" "dev/${1##*/}"
}

# Usage: requests NAME...: these devices take requests.
requests() { for name; do mkdir "sys/block/$name/mq"; done; }

# Usage: lay DEVICE BELOW...: makes each BELOW one of those that DEVICE is on.
lay() {
    mkdir -p "sys/block/$1/slaves"
    for below; do
        [ "$below" = "$1" ] || ln -s "../../$below" "sys/block/$1/slaves/${below##*/}"
    done
}

# Usage: map DEVICE NAME UUID: tells how the device mapper has made it.
map() {
    mkdir "sys/block/$1/dm"
    echo "$2" >"sys/block/$1/dm/name"
    echo "$3" >"sys/block/$1/dm/uuid"
}

# Usage: array DEVICE LEVEL MEMBER...: tells how md has made it.
array() {
    folder=sys/block/$1/md
    mkdir "$folder"
    echo "$2" >"$folder/level"
    shift 2
    slot=0
    for member; do
        mkdir "$folder/rd$slot"
        ln -s "../../../$member" "$folder/rd$slot/block"
        slot=$((slot + 1))
    done
}

make_devices() {
    device sda 8:0 && device sda/sda1 8:1 && device sdb 8:16 && device zram0 253:0 &&
        device dm-0 252:0 && device dm-1 252:1 && device dm-2 252:2 && device md0 9:0 &&
        device nvme0n1 259:5 && device 'cciss!c0d0' 104:0 && device md1 9:1 &&
        device dm-3 252:3 && device bcache0 251:0 || return
    requests sda sdb 'cciss!c0d0' dm-3
    touch sys/block/sda/sda1/partition
    echo 2048 >sys/block/sda/sda1/start
    lay dm-0 sda/sda1
    lay dm-1 dm-0 sdb
    lay dm-2 zram0
    lay dm-3 sda sdb
    lay md0 sda sdb
    lay bcache0 sdb
    mkdir sys/block/bcache0/bcache
    map dm-1 vg-data LVM-abc
    map dm-3 paths mpath-abc
    array md0 raid1 sdb sda
    for number in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
        device "sd$number" "65:$number" && requests "sd$number" && lay md1 "sd$number"
    done
}

# Usage: filled IMAGE MIB: a file with something in it, on its disk.
filled() { head -c "$2M" /dev/urandom >"$1" && sync "$1"; }

# Usage: looped on|off IMAGE [OPTION...]: prints the name of a loop device that uses direct
# I/O or does not; status 77 if it is not as asked.
looped() {
    direct=$1
    image=$2
    shift 2
    device=$(losetup "$@" --direct-io="$direct" -f --show "$image") || return
    echo "$device"
    case $direct$(cat "/sys/block/${device#/dev/}/loop/dio") in
    on1 | off0) ;;
    *) return 77 ;;
    esac
}

# Adds a partition to $device, of 16 MiB from sector 6144 on, and makes a node for it.
# The kernel need not know tables of partitions for that.
partition() {
    disk=${device#/dev/}
    addpart "$device" 2 6144 32768 || return
    # shellcheck disable=SC2046
    mknod part b $(tr : ' ' <"/sys/block/$disk/${disk}p2/dev")
}
