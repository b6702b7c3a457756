/* Backing of block devices, read from a small sysfs of the test's own. */
/* Marks: linux */
#include "support.h"

#include "os/linux.h"

/* Where the answer about a device is a loop device or memory, its name. */
static enum os_backing
look(const char *link, char *name, size_t size)
{
    char path[1200];
    snprintf(path, sizeof(path), "%s/%s", scratch(), link);
    name[0] = '\0';
    struct linux_search search = {name, size, LINUX_SEARCH_DEPTH};
    return linux_backing_search(&search, path);
}

/* Devices in sys/block, partitions in them, and links to all of them. */
static int
make_devices(void **state)
{
    (void)state;
    shell("make_devices");
    shell("link_devices");
    return 0;
}

GROUP_SETUP(make_devices)

TEST(a_device_is_what_is_below_it)
{
    static const struct {
        const char *device;
        enum os_backing backing;
        const char *name;
    } cases[] = {
        {"sda", OS_BACKING_DEVICE, ""},
        {"sda1", OS_BACKING_DEVICE, ""},
        {"vdb", OS_BACKING_DEVICE, ""},
        {"nothing", OS_BACKING_DEVICE, ""},
        {"ramdisk", OS_BACKING_DEVICE, ""},
        {"loop0", OS_BACKING_CACHED, "/dev/loop0"},
        {"loop0p1", OS_BACKING_CACHED, "/dev/loop0"},
        {"loop1", OS_BACKING_DEVICE, ""},
        {"zram3", OS_BACKING_MEMORY, "/dev/zram3"},
        {"ram0", OS_BACKING_MEMORY, "/dev/ram0"},
        {"ram0p2", OS_BACKING_MEMORY, "/dev/ram0"},
        {"nullb0", OS_BACKING_MEMORY, "/dev/nullb0"},
        {"pmem0", OS_BACKING_MEMORY, "/dev/pmem0"},
        {"pmem1", OS_BACKING_DEVICE, ""},
        {"pmem2", OS_BACKING_MEMORY, "/dev/pmem2"},
        {"pmem3s", OS_BACKING_DEVICE, ""},
        {"dm-0", OS_BACKING_CACHED, "/dev/loop0"},
        {"dm-1", OS_BACKING_CACHED, "/dev/loop0"},
        {"dm-2", OS_BACKING_DEVICE, ""},
        {"dm-3", OS_BACKING_CACHED, "/dev/loop0"},
        {"md0", OS_BACKING_CACHED, "/dev/loop0"},
        {"md1", OS_BACKING_MEMORY, NULL},
        {"md2", OS_BACKING_DEVICE, NULL},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        char link[64], name[64];
        snprintf(link, sizeof(link), "dev/%s", cases[i].device);
        enum os_backing backing = look(link, name, sizeof(name));
        if (backing != cases[i].backing ||
            (cases[i].name && strcmp(name, cases[i].name) != 0))
            fail_msg("%s: %d, %s", cases[i].device, (int)backing, name);
    }
}

/* No kernel has them; whoever looks must come to an end all the same. */
TEST(devices_below_themselves_are_looked_at_for_a_while)
{
    char name[64];
    shell("mkdir -p sys/block/dm-9/slaves && ln -s ../../dm-9 sys/block/dm-9/slaves/a && "
          "ln -s ../sys/block/dm-9 dev/dm-9");
    assert_int_equal(look("dev/dm-9", name, sizeof(name)), OS_BACKING_DEVICE);
}
