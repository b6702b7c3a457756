# Scenario: checks that the guest has the program, disks and kernel modules that the other
# scenarios need.
# shellcheck shell=sh disable=SC2154

check 'program' ioping -v
for disk in "$nvme" "$other_nvme" "$disk1" "$disk2" "$disk3" "$disk4"; do
    check "requests to $disk" ioping -q -D -c 3 -i 0 "$disk"
done
for module in nvme dm-mod dm-delay dm-crypt dm-flakey dm-multipath raid0 raid1 loop bcache \
    nfsd iscsi_tcp; do
    check "module $module" modprobe "$module"
done
