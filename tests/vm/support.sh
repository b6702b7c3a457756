# What the scenarios share: the disks of the guest, and how to wait for an event.
# shellcheck shell=sh disable=SC2034

# Disks of 64 MiB that are all zeros at first: two NVMe and four of virtio. The names of
# NVMe disks depend on which was found first, so they are looked up by serial numbers.
by_id=/dev/disk/by-id
nvme=$(realpath "$by_id/nvme-QEMU_NVMe_Ctrl_first")
other_nvme=$(realpath "$by_id/nvme-QEMU_NVMe_Ctrl_second")
disk1=$(realpath "$by_id/virtio-disk1")
disk2=$(realpath "$by_id/virtio-disk2")
disk3=$(realpath "$by_id/virtio-disk3")
disk4=$(realpath "$by_id/virtio-disk4")

# Usage: within SECONDS COMMAND...: repeats the command until it succeeds. Fails if it did
# not in this time. The time is read without a new process, which takes long in the guest.
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
