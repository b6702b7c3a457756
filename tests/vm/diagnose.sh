# Scenario: checks what -diagnose says about many kinds of storage: against what the kernel says
# about the disk, and against a delay or a limit that this script sets. The emulator is slow and
# its speed is not known. So where nothing is set, the figures of the run itself decide what the
# answer must be.
# shellcheck shell=sh disable=SC2016,SC2154
cgroups=/sys/fs/cgroup

# Usage: diagnose SECONDS TARGET: diagnoses the target within about SECONDS. Takes longer if there
# were too few reads because the guest is slow. The output goes to the file o. Returns 0 if the
# exit status and the answer fit to the state. 30 % of the time have a read each 10 ms, and p99
# needs 100 reads.
diagnose() {
    for factor in 1 2 4; do
        status=0
        ioping -hang 0 -no-status -diagnose -w $(($1 * factor)) -S 2m -J "$2" >o 2>e || status=$?
        grep -q '"cause": "no-reads"' o || break
    done
    finds "$status"' == (if $state == "slow" then 5 else 0 end) and
        (.answer | test({fine: "nothing looks wrong|too slow for|is memory|if the server is near",
            slow: "^Slow: ", unknown: "^Cannot tell: "}[$state]))'
}

# Usage: finds FILTER: returns 0 if a jq filter is true for the diagnosis. In the filter, $p50
# is the median of reads with pauses in ms, and $state the state. Otherwise prints the diagnosis
# and returns 1.
finds() {
    jq -n -e 'input[0].diagnosis | (.idle.p50 / 1e6) as $p50 | .state as $state |
        '"$1" o >/dev/null ||
        { cat e; jq -c '.[0].diagnosis | del(.uses)' o; return 1; }
}

# Usage: describe DISK: returns 0 if the diagnosis says the same about DISK as the kernel and
# lsblk do.
describe() {
    lsblk -dJo PATH,MODEL,TRAN,ROTA,RM,SCHED,RQ-SIZE "$1" >k &&
        read -r cache <"/sys/block/${1#/dev/}/queue/write_cache" &&
        jq -n -e --slurpfile k k --arg cache "$cache" '
            input[0].diagnosis.disk as $disk | $k[0].blockdevices[0] as $kernel |
            ({sata: "ata", spi: "scsi"}[$kernel.tran // ""] // $kernel.tran) as $transport |
            $disk.path == $kernel.path and $disk.disks == 1 and $disk.write_cache == $cache and
            $disk.rotational == $kernel.rota and $disk.removable == $kernel.rm and
            $disk.queue_size == $kernel["rq-size"] and $disk.scheduler == $kernel.sched and
            ($disk.transport == ($transport // "virtio")) and
            (($disk.model // "") | endswith($kernel.model // ""))' o >/dev/null ||
        { cat k; jq -c '.[0].diagnosis.disk' o; return 1; }
}

# Usage: check_target SECONDS NAME TARGET FILTER: diagnoses a target. FILTER must be true for the
# diagnosis.
check_target() {
    check "$2: diagnosed" diagnose "$1" "$3" &&
        check "$2: $(sed -n 's/^ *"answer": "\(.*\)",$/\1/p' o)" finds "$4"
}

# Usage: check_disk SECONDS NAME TARGET DISK FILTER: as check_target, for a target on DISK.
check_disk() {
    check_target "$1" "$2" "$3" "$5" &&
        check "$2: the disk is as the kernel says" describe "$4"
}

# Usage: by_serial NAME: prints the path of the disk with this serial number.
by_serial() { lsblk -dnro PATH,SERIAL | sed -n "s/ $1\$//p" | grep .; }

# Usage: find_disks: loads the drivers and waits for the disks. Sets a variable for each.
find_disks() {
    modprobe -a ahci sym53c8xx sd_mod xhci_pci dm-delay raid1 brd zram sch_netem
    modprobe usb-storage delay_use=0
    for name in spinning solid stick shared; do
        within 60 by_serial $name >/dev/null || return
    done
    udevadm settle
    spinning=$(by_serial spinning) solid=$(by_serial solid)
    stick=$(by_serial stick) shared=$(by_serial shared)
}

# Usage: hide_hypervisor: lets the machine look like a real one. Only then does ioping believe
# what a disk says about itself.
hide_hypervisor() {
    sed 's/ hypervisor//' /proc/cpuinfo >processors && echo Maker >maker &&
        mount --bind processors /proc/cpuinfo &&
        mount --bind maker /sys/class/dmi/id/sys_vendor &&
        mount --bind maker /sys/class/dmi/id/product_name
}
show_hypervisor() {
    umount /proc/cpuinfo /sys/class/dmi/id/sys_vendor /sys/class/dmi/id/product_name
}

# Usage: delay DISK MS: makes /dev/mapper/late, which answers each read of DISK MS ms late. It
# may be up to 4 ms less, because the guest's clock has ticks of 4 ms.
delay() {
    echo "0 $(blockdev --getsz "$1") delay $1 0 $2" | dmsetup create late && udevadm settle &&
        within 10 test -e /dev/mapper/late
}

# Usage: stack_up: makes an ext4 file system on LVM on a RAID 1 of both NVMe disks.
stack_up() {
    mdadm --create /dev/md0 --run --level=1 --raid-devices=2 --metadata=1.2 --assume-clean \
        "$nvme" "$other_nvme" && udevadm settle && vgcreate -q group /dev/md0 &&
        lvcreate -q -y -l 100%FREE -n data group && mkfs.ext4 -q /dev/mapper/group-data &&
        mount /dev/mapper/group-data mounted
}
stack_down() {
    umount mounted && vgremove -q -f group && mdadm --stop /dev/md0 && udevadm settle &&
        wipefs -qa "$nvme" "$other_nvme"
}

# Usage: serve: mounts a folder in memory by NFS, from the kernel's own server.
serve() {
    mkdir -p /export && mount -t tmpfs tmpfs /export && modprobe nfsd &&
        { mountpoint -q /proc/fs/nfsd || mount -t nfsd nfsd /proc/fs/nfsd; } &&
        exportfs -o rw,no_root_squash,insecure,fsid=0 127.0.0.1:/export &&
        rpc.mountd -N 3 && rpc.nfsd -N 3 -V 4 2 && echo Y >/proc/fs/nfsd/v4_end_grace &&
        mount -t nfs4 127.0.0.1:/ mounted
}
stop_serving() {
    umount mounted && rpc.nfsd 0 && exportfs -ua && pkill -x rpc.mountd &&
        within 20 umount /export && rmdir /export
}

# Usage: limit DISK: makes a control group outer/inner, and lets outer read from DISK 60 times
# per second.
limit() {
    mount -t cgroup2 cgroup2 $cgroups && echo +io >$cgroups/cgroup.subtree_control &&
        mkdir -p $cgroups/outer/inner &&
        echo "$(cat "/sys/block/${1#/dev/}/dev") riops=60" >$cgroups/outer/io.max
}
unlimit() {
    rmdir $cgroups/outer/inner $cgroups/outer && umount $cgroups
}

# Usage: limited COMMAND...: runs a command in the control group.
limited() {
    echo $$ >$cgroups/outer/inner/cgroup.procs
    "$@"
    echo $$ >$cgroups/cgroup.procs
}

mkdir mounted
check 'disks' find_disks

# In a virtual machine, a disk may be anything, so only its figures count.
check_disk 4 'virtual SATA' "$spinning" "$spinning" '.disk.virtual and
    (.disk.machine | startswith("QEMU ")) and (.class == "unknown" or .likeness) and
    (.class == "ssd") == (.unknown | any(startswith("whether the disk rotates: ")))'

# The machine looks like a real one.
check 'hypervisor: hidden' hide_hypervisor
check 'limit for others' limit "$nvme"
check_disk 4 NVMe "$nvme" "$nvme" '(.disk.virtual | not) and .disk.machine == "Maker Maker" and
    .class == "nvme-ssd" and (.likeness | not) and .disk.limit == null and
    ($state == "slow" or ($p50 <= 0.5 and .idle.p99 <= 1e7 and $state == "fine")) and
    .shares.device > 0'
check_disk 2 'rotating SATA' "$spinning" "$spinning" 'if $p50 < 2
    then .class == "unknown" and .cause == "contradiction" and
        (.answer | contains("the driver says hard disk, but a cache seems to answer"))
    else .class == "hard-disk" end'
check_disk 4 'SCSI that does not rotate' "$solid" "$solid" '.class == "ssd" and (.likeness | not)'
check_disk 4 'USB' "$stick" "$stick" '.class == "ssd" or .class == "unknown"'
check_disk 3 'NVMe with two ports, 50 reads/s' "$shared" "$shared" '$p50 > 10 and
    .class == "nvme-ssd" and $state == "slow" and .cause != "pauses" and .others == null'

check 'delay of a rotating disk' delay "$spinning" 8
check_disk 6 'hard disk' /dev/mapper/late "$spinning" '$p50 > 4 and .class == "hard-disk" and
    (.likeness | not) and .disk.stack == "device mapper: '"$spinning"'" and
    (.shares | not or .stack >= 50)'
check 'delay removed' dmsetup remove late
check 'delay of an NVMe disk' delay "$nvme" 20
check_disk 3 'slow layer' /dev/mapper/late "$nvme" '$p50 > 15 and .class == "nvme-ssd" and
    $state == "slow" and .cause == "stack" and .shares.stack >= 50 and
    (.answer | contains("in the layers above the disk"))'
check 'delay removed' dmsetup remove late

# The limit is on the disk below the target.
check 'a device above the disk' delay "$nvme" 0
limited check_disk 5 'reads beyond the limit' /dev/mapper/late "$nvme" '$state == "slow" and
    .cause == "limit" and .disk.limit == {group: "/outer", iops: 60, bps: null} and
    (.answer | endswith(" because of the cgroup limit /outer (60 reads/s).")) and
    .try == "cat /sys/fs/cgroup/outer/io.max"'
check 'device removed' dmsetup remove late
check 'limit removed' unlimit

check 'stack' stack_up
check_target 4 'stack' mounted '.disk.path == "/dev/md0" and .disk.disks == 2 and
    .disk.transport == "stack" and .disk.rotational == false and
    .disk.stack == "LVM: /dev/md0; raid1: '"$nvme, $other_nvme"'" and
    (.class == "unknown" or .likeness) and .flush.count > 0'
check 'stack removed' stack_down
check 'hypervisor: shown' show_hypervisor

check 'NFS' serve
is_server='.disk == null and (.class == "unknown" or .likeness) and
    (if $p50 < 0.1 then .cause == "contradiction" elif $p50 <= 5
    then .class == "near-server" else .class == "far-server" end)'
check_target 4 'NFS' mounted "$is_server"
check 'far NFS' tc qdisc add dev lo root netem delay 4ms
check_target 6 'far NFS' mounted '$p50 >= 8 and .class == "far-server" and
    .try == "ping 127.0.0.1" and '"$is_server"
check 'near NFS' tc qdisc del dev lo root
check 'NFS removed' stop_serving

check_target 1 'tmpfs' /tmp '.class == "memory" and .disk == null'
check_target 1 'RAM disk' /dev/ram0 '.class == "memory" and .disk.transport == "memory" and
    .disk.path == "/dev/ram0" and .others == null'
check 'zram' sh -c 'echo 64M >/sys/block/zram0/disksize'
check_target 1 'zram' /dev/zram0 '.class == "memory" and .disk.transport == "memory"'
check 'zram removed' sh -c 'echo 1 >/sys/block/zram0/reset'
