# Programs of test_backing.c, see tests/support/commands.sh.
# shellcheck shell=sh

# Devices in sys/block, and partitions in them.
make_devices() {
    mkdir -p sys/block dev && cd sys/block || return
    mkdir -p sda/sda1 vdb loop0/loop loop1/loop loop0/loop0p1 zram3 ram0/ram0p2 nullb0 \
        ramdisk pmem0 pmem1 pmem2 pmem3s md0/slaves md1/slaves md2/slaves dm-0/slaves \
        dm-1/slaves dm-2/slaves dm-3/slaves
    touch sda/sda1/partition loop0/loop0p1/partition ram0/ram0p2/partition
    echo 0 >loop0/loop/dio
    echo 1 >loop1/loop/dio
    echo /nowhere/image >loop0/loop/backing_file
    echo '/nowhere/image (deleted)' >loop1/loop/backing_file
    ln -s ../../vdb vdb/device
    mkdir namespace0.0 namespace1.0 pfn2.0
    echo memory >namespace0.0/mode
    echo raw >namespace1.0/mode
    ln -s ../namespace0.0 pmem0/device
    ln -s ../namespace1.0 pmem1/device
    ln -s ../pfn2.0 pmem2/device
}

# Usage: lay DEVICE BELOW: makes BELOW one of those that DEVICE is on.
lay() { ln -s "../../$2" "$1/slaves/${2##*/}"; }

# What they are on, and links to all of them in dev.
link_devices() {
    cd sys/block && lay dm-0 loop0 && lay dm-1 dm-0 && lay dm-2 sda/sda1 &&
        lay dm-3 loop0/loop0p1 && lay md0 sda && lay md0 loop0 && lay md1 ram0 &&
        lay md1 zram3 && lay md2 ram0 && lay md2 vdb && cd ../../dev || return
    for device in ../sys/block/* ../sys/block/*/*[a-z0-9][0-9]; do
        ln -sf "$device" "${device##*/}"
    done
}
