# For all scenarios: the disks of the guest, and a function that waits.
# shellcheck shell=sh disable=SC2034

# Two NVMe disks and four virtio disks of 64 MiB, all zeros at first. The kernel names disks in
# the order in which it finds them, so they are looked up by their serial numbers.
by_id=/dev/disk/by-id
nvme=$(realpath "$by_id/nvme-QEMU_NVMe_Ctrl_first")
other_nvme=$(realpath "$by_id/nvme-QEMU_NVMe_Ctrl_second")
disk1=$(realpath "$by_id/virtio-disk1")
disk2=$(realpath "$by_id/virtio-disk2")
disk3=$(realpath "$by_id/virtio-disk3")
disk4=$(realpath "$by_id/virtio-disk4")

# Usage: within SECONDS COMMAND...: repeats a command until it succeeds. Returns 1 if it still
# fails after SECONDS. Reads the time without starting a process, because that is slow in the
# guest.
within() {
    read -r now _ </proc/uptime
    deadline=$((${now%.*} + $1))
    shift
    until "$@"; do
        read -r now _ </proc/uptime
        [ "${now%.*}" -lt "$deadline" ] || return 1
        sleep 0.1
    done
}
