/* Disks, described from files of sysfs, proc and control groups of the test's own. */
/* Marks: linux */
#include "support.h"

#include "base/time.h"
#include "os/linux.h"

static struct os_disk disk;

/* Makes the files of a shell script in an empty root, and describes the disk with the
 * device number NUMBER there. Returns as os_disk_find. */
static int
described(const char *number, const char *script)
{
    char root[1100];
    char link[1200];
    struct result result = command_status(0, "begin_root\n%s", script);
    command_free(&result);
    snprintf(root, sizeof(root), "%s/root", scratch());
    snprintf(link, sizeof(link), "%s/sys/dev/block/%s", root, number);
    return linux_disk_describe(root, link, &disk);
}

TEST(a_sata_disk_says_what_it_is)
{
    assert_int_equal(
        described("8:0",
                  "disk 8:0 pci0/ata1/host0/target0/block/sda\n"
                  "put device/vendor 'ATA     '; put device/model 'ST2000DM008-2UB1  '\n"
                  "put queue/rotational 1; put removable 0; put queue/nr_requests 64\n"
                  "put queue/scheduler 'none [mq-deadline] bfq'\n"
                  "put queue/write_cache 'write back'"),
        0);
    assert_string_equal(disk.path, "/dev/sda");
    assert_string_equal(disk.model, "ATA ST2000DM008-2UB1");
    assert_string_equal(disk.transport, "ata");
    assert_int_equal(disk.is_rotational, 1);
    assert_int_equal(disk.is_removable, 0);
    assert_int_equal(disk.queue_size, 64);
    assert_string_equal(disk.scheduler, "mq-deadline");
    assert_string_equal(disk.write_cache, "write back");
    assert_int_equal(disk.disk_count, 1);
    assert_false(disk.is_virtual);
    assert_string_equal(disk.stack, "");
    assert_string_equal(disk.limit.group, "");
}

TEST(paths_in_sysfs_show_how_disks_are_connected)
{
    static const struct {
        const char *path, *transport;
        bool is_virtual;
    } cases[] = {
        {"pci0/0000:01/nvme/nvme0/nvme0n1", "nvme", false},
        {"pci0/usb1/1-1/host6/target6/block/sdb", "usb", false},
        {"pci0/virtio2/block/vda", "virtio", true},
        {"pci0/virtio3/host0/target0/block/sda", "virtio", true},
        {"vbd-51712/block/xvda", "xen", true},
        {"LNXSYSTM:00/VMBUS:00/x/host0/block/sda", "hyper-v", true},
        {"pci0/mmc_host/mmc0/mmc0:1/block/mmcblk0", "mmc", false},
        {"pci0/host2/port-2:0/block/sdc", "scsi", false},
        {"platform/host3/session1/target3/block/sdd", "iscsi", false},
        {"pci0/host4/rport-4:0/block/sde", "fc", false},
        {"virtual/block/nbd0", "nbd", false},
        {"virtual/block/zram0", "memory", false},
        {"virtual/block/ram0", "memory", false},
        {"virtual/nvme-fabrics/ctl/nvme1/nvme1n1", "nvme-of", false},
        {"odd/block/odd0", "", false},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        char script[200];
        snprintf(script, sizeof(script), "disk 9:9 %s", cases[i].path);
        assert_int_equal(described("9:9", script), 0);
        assert_string_equal(disk.transport, cases[i].transport);
        assert_int_equal(disk.is_virtual, cases[i].is_virtual);
        assert_int_equal(disk.is_rotational, -1);
    }
}

/* The path of a disk that several controllers may share does not show how it is
 * connected. Most NVMe SSDs with two ports are like that, also in one machine. */
TEST(controllers_show_how_a_shared_disk_is_connected)
{
    static const char *const cases[][2] = {
        {"pcie", "nvme"},  {"tcp", "nvme-of"},  {"rdma", "nvme-of"},
        {"fc", "nvme-of"}, {"loop", "nvme-of"}, {"pigeons", ""},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        char script[300];
        snprintf(script, sizeof(script),
                 "disk 9:9 virtual/nvme-subsystem/nvme-subsys2/nvme2n1\n"
                 "ln -s .. device; put ../model 'Shared SSD'; put ../nvme2/transport %s",
                 cases[i][0]);
        assert_int_equal(described("9:9", script), 0);
        assert_string_equal(disk.transport, cases[i][1]);
        assert_string_equal(disk.model, "Shared SSD");
    }
}

TEST(a_machine_may_be_virtual)
{
    assert_int_equal(described("8:0",
                               "put proc/cpuinfo 'flags\\t: fpu vme hypervisor lahf_lm'\n"
                               "put sys/class/dmi/id/sys_vendor 'Amazon EC2'\n"
                               "put sys/class/dmi/id/product_name m5.large\n"
                               "disk 8:0 pci0/nvme/nvme0/nvme0n1"),
                     0);
    assert_true(disk.is_virtual);
    assert_string_equal(disk.machine, "Amazon EC2 m5.large");

    assert_int_equal(described("8:0", "put sys/class/dmi/id/sys_vendor QEMU\n"
                                      "disk 8:0 pci0/ata1/host0/block/sda"),
                     0);
    assert_true(disk.is_virtual);

    /* The machine is known even if the disk is not. */
    assert_int_equal(described("8:1", "put proc/cpuinfo 'flags\\t: hypervisor'"), -1);
    assert_true(disk.is_virtual);
}

TEST(partitions_and_stacks_lead_to_their_disk)
{
    assert_int_equal(
        described("253:0",
                  "disk 253:0 virtual/block/dm-0\n"
                  "put dm/name vg-data; put dm/uuid LVM-abc\n"
                  "ln -s ../../../../pci0/ata1/host0/block/sda/sda1 slaves/sda1\n"
                  "cd ../../../../..\n"
                  "disk 8:0 pci0/ata1/host0/block/sda\n"
                  "put queue/rotational 0; put sda1/partition 1"),
        0);
    assert_string_equal(disk.path, "/dev/sda");
    assert_string_equal(disk.stack, "LVM: /dev/sda1");
    assert_int_equal(disk.is_rotational, 0);
    assert_int_equal(disk.disk_count, 1);
}

TEST(a_stack_of_several_disks_is_described_itself)
{
    assert_int_equal(described("9:0", "disk 9:0 virtual/block/md0\n"
                                      "put md/level raid1; put queue/rotational 1\n"
                                      "for i in a b; do ln -s ../../../../b/sd$i "
                                      "slaves/sd$i; done\n"
                                      "cd ../../../../..\n"
                                      "(disk 8:0 b/sda); (disk 8:16 b/sdb)"),
                     0);
    assert_string_equal(disk.path, "/dev/md0");
    assert_string_equal(disk.stack, "raid1: /dev/sda, /dev/sdb");
    assert_int_equal(disk.disk_count, 2);
    assert_string_equal(disk.transport, "stack");
}

/* In sysfs, the link from one virtual device to another has only the end of the path. */
TEST(a_stack_on_a_stack_is_described)
{
    static const char *const cases[][2] = {{"md0", "stack"}, {"loop7", "loop"}};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        char script[300];
        snprintf(script, sizeof(script),
                 "(disk 253:0 virtual/block/dm-0; put dm/uuid LVM-abc\n"
                 "ln -s ../../%s slaves/%s)\n"
                 "disk 9:0 virtual/block/%s",
                 cases[i][0], cases[i][0], cases[i][0]);
        assert_int_equal(described("253:0", script), 0);
        assert_string_equal(disk.transport, cases[i][1]);
        assert_string_equal(disk.path + strlen("/dev/"), cases[i][0]);
    }
}

#define SDA "(disk 8:0 pci0/ata1/host0/block/sda)\n"

TEST(the_strictest_limit_of_all_groups_counts)
{
    assert_int_equal(described("8:0", SDA
                               "put proc/self/cgroup '0::/a.slice/b/c'\n"
                               "put sys/fs/cgroup/a.slice/io.max '8:0 rbps=max wbps=max "
                               "riops=60 wiops=max\\n8:16 riops=1'\n"
                               "put sys/fs/cgroup/a.slice/b/io.max '8:0 rbps=1048576 "
                               "riops=100'\n"
                               "put sys/fs/cgroup/io.max '8:0 riops=max wiops=3'"),
                     0);
    assert_int_equal(disk.limit.requests_per_s, 60);
    assert_int_equal(disk.limit.bytes_per_s, 1048576);
    assert_string_equal(disk.limit.group, "/a.slice");

    /* Another disk is limited, or only its writes. */
    assert_int_equal(described("8:0", SDA "put proc/self/cgroup '0::/a'\n"
                                          "put sys/fs/cgroup/a/io.max '8:16 riops=60\\n"
                                          "8:0 wiops=5'"),
                     0);
    assert_string_equal(disk.limit.group, "");

    /* The top group of a container has limits, but its name is unknown there. */
    assert_int_equal(described("8:0", SDA "put proc/self/cgroup '0::/../x'\n"
                                          "put sys/fs/cgroup/io.max '8:0 riops=7'"),
                     0);
    assert_int_equal(disk.limit.requests_per_s, 7);
    assert_string_equal(disk.limit.group, "/");
}

TEST(limits_of_the_first_version_are_found)
{
    assert_int_equal(described("8:0",
                               SDA "put proc/self/cgroup '3:cpu:/\\n7:blkio:/x\\n0::/'\n"
                                   "g=sys/fs/cgroup/blkio/x/blkio.throttle\n"
                                   "put $g.read_iops_device '8:0 60'\n"
                                   "put $g.read_bps_device '8:0 4096'"),
                     0);
    assert_int_equal(disk.limit.requests_per_s, 60);
    assert_int_equal(disk.limit.bytes_per_s, 4096);
    assert_string_equal(disk.limit.group, "/x");
    assert_string_equal(strstr(disk.limit.file, "/sys/fs"),
                        "/sys/fs/cgroup/blkio/x/blkio.throttle.read_bps_device");
}

TEST(activity_is_read_from_the_disk)
{
    struct os_disk_activity activity;
    assert_int_equal(described("8:0", "disk 8:0 b/sda\n"
                                      "put stat ' 100 1 2 3 50 4 5 6 0 700 8 9'"),
                     0);
    assert_int_equal(os_disk_activity(&disk, &activity), 0);
    assert_int_equal(activity.requests, 150);
    assert_int_equal(activity.busy_ns, 700 * MS);
    assert_int_equal(activity.request_ns, (3 + 6) * MS);

    /* Newer kernels also count discards and flushes. */
    assert_int_equal(described("8:0", "disk 8:0 b/sda\n"
                                      "put stat '1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 "
                                      "17'"),
                     0);
    assert_int_equal(os_disk_activity(&disk, &activity), 0);
    assert_int_equal(activity.requests, 1 + 5);
    assert_int_equal(activity.request_ns, (4 + 8 + 15 + 17) * MS);

    assert_int_equal(described("8:0", "disk 8:0 b/sda\nput stat '1 2 3'"), 0);
    assert_int_equal(os_disk_activity(&disk, &activity), -1);
}
