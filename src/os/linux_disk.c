/*
 * Describes the disk that holds a file, from sysfs, proc and the control groups:
 * - Documentation/ABI/stable/sysfs-block of the kernel: queue/, stat, slaves/
 * - Documentation/admin-guide/cgroup-v2.rst, io.max
 * - Documentation/admin-guide/cgroup-v1/blkio-controller.rst, blkio.throttle
 * - Documentation/ABI/testing/sysfs-firmware-dmi-entries: the maker of the machine
 *
 * The search follows the devices below the file: a partition to its disk, a stack to its
 * members, and a loop device to the device that has its file.
 */
#include "base/time.h"
#include "base/units.h"
#include "linux.h"
#include "linux_stack.h"
#include "os/disk.h"
#include "os/os.h"

#include <dirent.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#define CHAIN_MAX 8 /* the most devices on top of each other */

/* A search for the disk below a file. */
struct disk_search {
    const char *root; /* directory above /sys and /proc; "" except in tests */
    struct os_disk *disk;
    dev_t chain[CHAIN_MAX]; /* device numbers of all disks that were passed */
    int chain_count;
};

/* By part of the path of a device in sysfs: how the device is connected. The first part
 * that is in the path decides, so a bus comes before the protocols that run over it. */
static const struct {
    const char *part, *transport;
} transports[] = {
    {"/virtual/block/loop", "loop"},
    {"/virtual/block/nbd", "nbd"},
    {"/virtual/block/drbd", "drbd"},
    {"/virtual/block/dm-", "stack"},
    {"/virtual/block/md", "stack"},
    {"/virtual/nvme-fabrics/", "nvme-of"},
    {"/rbd", "rbd"},
    {"/usb", "usb"},
    {"/virtio", "virtio"},
    {"/vbd-", "xen"},
    {"VMBUS", "hyper-v"},
    {"vmbus", "hyper-v"},
    {"/nvme", "nvme"},
    {"/mmc_host/", "mmc"},
    {"/session", "iscsi"},
    {"/rport-", "fc"},
    {"/ata", "ata"},
    {"/host", "scsi"},
};

/* How a disk is connected, by the transport of its NVMe controller, as the driver calls
 * it. */
static const struct {
    const char *word, *transport;
} nvme_transports[] = {
    {"pcie", "nvme"},  {"tcp", "nvme-of"},  {"rdma", "nvme-of"},
    {"fc", "nvme-of"}, {"loop", "nvme-of"},
};

/* Transports of which a hypervisor is the other end. */
static const char *const paravirtual[] = {"virtio", "xen", "hyper-v"};

/* Removes spaces at the end of TEXT. Vendors and models are padded with them. */
static void
trim(char *text)
{
    size_t length = strlen(text);
    while (length > 0 && text[length - 1] == ' ')
        text[--length] = '\0';
}

/* Reads a number from a file of sysfs. Returns MISSING if the file has no number. */
static int64_t
read_number(const char *folder, const char *name, int64_t missing)
{
    char text[32];
    char *end;
    if (!linux_file_read(text, sizeof(text), "%s/%s", folder, name))
        return missing;

    long long number = strtoll(text, &end, 10);
    return end > text && number >= 0 ? number : missing;
}

/* Stores the name of the I/O scheduler: the name in brackets, as in "none [bfq]". */
static void
read_scheduler(const char *folder, struct os_disk *disk)
{
    char text[256];
    linux_file_read(text, sizeof(text), "%s/queue/scheduler", folder);

    const char *start = strchr(text, '[');
    const char *end = start ? strchr(start, ']') : NULL;
    if (end)
        snprintf(disk->scheduler, sizeof(disk->scheduler), "%.*s", (int)(end - start - 1),
                 start + 1);
}

/* Stores the vendor and the model of the disk in FOLDER. An NVMe disk has the model in
 * its controller. The vendor of a virtio disk is a number, which says nothing. */
static void
read_model(const char *folder, struct os_disk *disk)
{
    char vendor[32];
    char model[80];

    linux_file_read(vendor, sizeof(vendor), "%s/device/vendor", folder);
    linux_file_read(model, sizeof(model), "%s/device/model", folder);
    if (strncmp(vendor, "0x", 2) == 0)
        vendor[0] = '\0';
    trim(vendor);
    trim(model);
    snprintf(disk->model, sizeof(disk->model), "%s%s%s", vendor,
             vendor[0] && model[0] ? " " : "", model);
}

/* Stores how the NVMe disk in FOLDER is connected, which several controllers may share.
 * The sysfs path is virtual for any disk with several ports, even a local one. The
 * transport of its controllers shows how it is connected. */
static void
find_shared_transport(const char *folder, struct os_disk *disk)
{
    char subsystem[LINUX_SYSFS_ROOM + 16];
    char path[LINUX_SYSFS_ROOM];
    char word[32];

    snprintf(subsystem, sizeof(subsystem), "%s/device", folder);
    DIR *list = opendir(subsystem);
    while (linux_sysfs_next(list, subsystem, path)) {
        linux_file_read(word, sizeof(word), "%s/transport", path);
        for (size_t i = 0; i < sizeof(nvme_transports) / sizeof(nvme_transports[0]); i++)
            if (strcmp(word, nvme_transports[i].word) == 0)
                snprintf(disk->transport, sizeof(disk->transport), "%s",
                         nvme_transports[i].transport);
    }
}

/* Stores how the disk in FOLDER, behind the sysfs link DEVICE_LINK, is connected. The
 * whole path of the device is needed. The link itself may be relative to another virtual
 * device. */
static void
find_transport(const char *device_link, const char *folder, struct os_disk *disk)
{
    char *resolved = realpath(device_link, NULL);
    const char *path = resolved ? strstr(resolved, "/sys/devices/") : NULL;

    if (path && strstr(path, "/virtual/nvme-subsystem/"))
        find_shared_transport(folder, disk);
    else if (path)
        for (size_t i = 0; i < sizeof(transports) / sizeof(transports[0]); i++) {
            if (!strstr(path, transports[i].part))
                continue;
            snprintf(disk->transport, sizeof(disk->transport), "%s",
                     transports[i].transport);
            break;
        }
    free(resolved);
}

/* Describes the disk FOUND, where the search ends. DEVICE_LINK is its sysfs link, or the
 * link of a partition. */
static void
describe(struct disk_search *search, const char *device_link,
         const struct linux_disk *found)
{
    struct os_disk *disk = search->disk;
    const char *folder = found->folder;

    linux_device_path(found, disk->path, sizeof(disk->path));
    snprintf(disk->folder, sizeof(disk->folder), "%s", folder);
    find_transport(device_link, folder, disk);
    if (linux_disk_is_memory(found))
        snprintf(disk->transport, sizeof(disk->transport), "memory");
    read_model(folder, disk);
    read_scheduler(folder, disk);
    linux_file_read(disk->write_cache, sizeof(disk->write_cache), "%s/queue/write_cache",
                    folder);
    disk->is_rotational = (int)read_number(folder, "queue/rotational", -1);
    disk->is_removable = (int)read_number(folder, "removable", -1);
    disk->queue_size = read_number(folder, "queue/nr_requests", -1);

    for (size_t i = 0; i < sizeof(paravirtual) / sizeof(paravirtual[0]); i++)
        if (strcmp(disk->transport, paravirtual[i]) == 0)
            disk->is_virtual = true;
}

/* Adds TEXT to the description of the stack. */
static void
add_layer(struct os_disk *disk, const char *text)
{
    size_t used = strlen(disk->stack);
    const char *separator = used > 0 ? "; " : "";
    snprintf(disk->stack + used, sizeof(disk->stack) - used, "%s%s", separator, text);
}

/* Counts the members of the stack FOUND. Stores the name of the last one in NAME. */
static int
count_members(const struct linux_disk *found, char *name, size_t size)
{
    char folder[LINUX_SYSFS_ROOM + 16];
    char path[LINUX_SYSFS_ROOM];
    int count = 0;

    snprintf(folder, sizeof(folder), "%s/slaves", found->folder);
    DIR *list = opendir(folder);
    while (linux_sysfs_next(list, folder, path)) {
        count++;
        snprintf(name, size, "%s", path);
    }
    return count;
}

static int follow(struct disk_search *search, const char *device_link);

/* Follows the loop device FOUND to the device that has its file. Describes the loop
 * device itself if its file is out of reach. */
static int
follow_loop_file(struct disk_search *search, const char *device_link,
                 const struct linux_disk *found)
{
    char file_path[256];
    char layer[sizeof(file_path) + 16];
    char below[LINUX_SYSFS_ROOM];
    struct stat file;
    struct statfs system;

    bool has_path = linux_file_read(file_path, sizeof(file_path), "%s/loop/backing_file",
                                    found->folder);
    snprintf(layer, sizeof(layer), "loop: %s", has_path ? file_path : "unknown file");
    add_layer(search->disk, layer);
    if (has_path && stat(file_path, &file) == 0 && major(file.st_dev) != 0) {
        snprintf(below, sizeof(below), "%s/sys/dev/block/%u:%u", search->root,
                 major(file.st_dev), minor(file.st_dev));
        if (follow(search, below) == 0)
            return 0;
    }

    describe(search, device_link, found);
    if (has_path && statfs(file_path, &system) == 0 && linux_mount_memory(&system))
        snprintf(search->disk->transport, sizeof(search->disk->transport), "memory");
    return 0;
}

/* Stores the number of the disk FOUND among those that were passed. */
static void
note_disk(struct disk_search *search, const struct linux_disk *found)
{
    char text[32];
    unsigned major_number;
    unsigned minor_number;

    linux_file_read(text, sizeof(text), "%s/dev", found->folder);
    if (sscanf(text, "%u:%u", &major_number, &minor_number) == 2)
        search->chain[search->chain_count] = makedev(major_number, minor_number);
    search->chain_count++;
}

/* Follows the devices below the sysfs link DEVICE_LINK to the disk. A stack of several
 * disks is described itself. Returns 0, or -1 if there is no such device. */
static int
follow(struct disk_search *search, const char *device_link)
{
    struct linux_disk found = {.name = ""};
    char member[LINUX_SYSFS_ROOM] = "";
    char text[256];
    struct linux_members members = {.text = text, .size = sizeof(text)};

    if (search->chain_count == CHAIN_MAX || linux_disk_find(device_link, &found) < 0)
        return -1;
    note_disk(search, &found);

    if (strncmp(found.name, "loop", 4) == 0 && is_digit(found.name[4]))
        return follow_loop_file(search, device_link, &found);

    int member_count = count_members(&found, member, sizeof(member));
    if (member_count > 0) {
        linux_members_find(&members, &found);
        add_layer(search->disk, text);
    }
    if (member_count == 1 && follow(search, member) == 0)
        return 0;

    describe(search, device_link, &found);
    if (member_count > 1)
        search->disk->disk_count = member_count;
    return 0;
}

/* Stores whether this machine is virtual, and who made it. The processor of a virtual
 * machine has the flag "hypervisor" on x86. */
static void
describe_machine(const char *root, struct os_disk *disk)
{
    static const char *const emulators[] = {
        "QEMU", "VMware", "innotek",   "Xen",
        "KVM",  "Bochs",  "Parallels", "Virtual Machine"};
    char vendor[64];
    char product[64];
    char *processors = linux_file_all("%s/proc/cpuinfo", root);

    if (processors && strstr(processors, " hypervisor"))
        disk->is_virtual = true;
    free(processors);

    linux_file_read(vendor, sizeof(vendor), "%s/sys/class/dmi/id/sys_vendor", root);
    linux_file_read(product, sizeof(product), "%s/sys/class/dmi/id/product_name", root);
    trim(vendor);
    trim(product);
    snprintf(disk->machine, sizeof(disk->machine), "%s%s%s", vendor,
             vendor[0] && product[0] ? " " : "", product);
    for (size_t i = 0; i < sizeof(emulators) / sizeof(emulators[0]); i++)
        if (strstr(disk->machine, emulators[i]))
            disk->is_virtual = true;
}

/* A control group. */
struct group {
    const char *folder; /* its directory */
    const char *name;   /* its path below the top group; empty for the top group */
};

/* Stores VALUE, a limit that the file NAME of GROUP sets, in FIELD of LIMIT, unless that
 * has a stricter limit already. */
static void
keep_stricter(struct os_disk_limit *limit, int64_t *field, int64_t value,
              const struct group *group, const char *name)
{
    if (value <= 0 || (*field > 0 && *field <= value))
        return;
    *field = value;
    snprintf(limit->group, sizeof(limit->group), "%s",
             group->name[0] ? group->name : "/");
    snprintf(limit->file, sizeof(limit->file), "%s/%s", group->folder, name);
}

/* Returns the text after the device number DEVICE in the line of TABLE that begins with
 * it; NULL if there is no such line. */
static const char *
find_device_line(const char *table, dev_t device)
{
    char start[32];
    int length = snprintf(start, sizeof(start), "%u:%u ", major(device), minor(device));

    for (const char *line = table; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, start, (size_t)length) == 0)
            return line + length;
        if (!*line)
            break;
    }
    return NULL;
}

/* Returns the number after KEY in LINE, which ends with a newline; 0 for "max" or if KEY
 * is missing. */
static int64_t
find_limit_value(const char *line, const char *key)
{
    const char *end = strchr(line, '\n');
    const char *found = strstr(line, key);
    if (!found || (end && found > end))
        return 0;
    return strtoll(found + strlen(key), NULL, 10);
}

/* Takes over the limits that GROUP, of version 2 of control groups, sets on DEVICE. */
static void
read_io_max(const struct group *group, dev_t device, struct os_disk_limit *limit)
{
    static const char name[] = "io.max";
    char *table = linux_file_all("%s/%s", group->folder, name);
    const char *line = table ? find_device_line(table, device) : NULL;

    if (line) {
        keep_stricter(limit, &limit->requests_per_s, find_limit_value(line, "riops="),
                      group, name);
        keep_stricter(limit, &limit->bytes_per_s, find_limit_value(line, "rbps="), group,
                      name);
    }
    free(table);
}

/* Takes over the limits that GROUP, of version 1 of control groups, sets on DEVICE. */
static void
read_throttle(const struct group *group, dev_t device, struct os_disk_limit *limit)
{
    static const char *const names[] = {"blkio.throttle.read_iops_device",
                                        "blkio.throttle.read_bps_device"};
    int64_t *const fields[] = {&limit->requests_per_s, &limit->bytes_per_s};

    for (int i = 0; i < 2; i++) {
        char *table = linux_file_all("%s/%s", group->folder, names[i]);
        const char *line = table ? find_device_line(table, device) : NULL;
        if (line)
            keep_stricter(limit, fields[i], strtoll(line, NULL, 10), group, names[i]);
        free(table);
    }
}

/* Reads the limits of the control group GROUP and of all groups above it, which are below
 * the directory MOUNT, for all disks of SEARCH. */
static void
read_groups(const struct disk_search *search, const char *mount, const char *group,
            bool is_first_version)
{
    char path[256];
    char folder[LINUX_SYSFS_ROOM];
    const struct group current = {folder, path};
    struct os_disk_limit *limit = &search->disk->limit;

    snprintf(path, sizeof(path), "%s", strstr(group, "..") ? "" : group);
    for (;;) {
        if (strcmp(path, "/") == 0)
            path[0] = '\0';
        snprintf(folder, sizeof(folder), "%s/sys/fs/cgroup%s%s", search->root, mount,
                 path);
        for (int i = 0; i < search->chain_count; i++)
            if (is_first_version)
                read_throttle(&current, search->chain[i], limit);
            else
                read_io_max(&current, search->chain[i], limit);

        char *slash = strrchr(path, '/');
        if (!slash)
            return;
        *slash = '\0';
    }
}

/* Returns true if LIST, names separated by commas and ended by a colon, has "blkio". */
static bool
has_blkio(const char *list)
{
    size_t length = strcspn(list, ":");
    const char *found = strstr(list, "blkio");
    return found && found < list + length;
}

/* Stores the strictest limit on reads of the control groups that this process is in. */
static void
find_limits(const struct disk_search *search)
{
    char *table = linux_file_all("%s/proc/self/cgroup", search->root);
    char *rest = table;
    char *line;

    while (rest && (line = strsep(&rest, "\n"))) {
        const char *controllers = strchr(line, ':');
        const char *group = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!group)
            continue;
        controllers++;
        group++;
        if (strncmp(line, "0::", 3) == 0) {
            read_groups(search, "", group, false);
            read_groups(search, "/unified", group, false);
        } else if (has_blkio(controllers)) {
            read_groups(search, "/blkio", group, true);
        }
    }
    free(table);
}

int
linux_disk_describe(const char *root, const char *device_link, struct os_disk *disk)
{
    struct disk_search search = {.root = root, .disk = disk};

    *disk = (struct os_disk){
        .is_rotational = -1, .is_removable = -1, .queue_size = -1, .disk_count = 1};
    describe_machine(root, disk);
    if (!device_link[0] || follow(&search, device_link) < 0)
        return -1;

    find_limits(&search);
    return 0;
}

/* Stores in DEVICE_LINK the sysfs link of the device that the file system of FD is on, or
 * an empty string if the file system has no device, or several. For an overlay, this is
 * the device of its upper layer or, without an upper layer, of its lowest layer. */
static void
find_link_of_file(int fd, char device_link[LINUX_SYSFS_ROOM])
{
    struct stat file;
    struct statfs system;
    struct linux_layers layers;
    char folder[LINUX_SYSFS_ROOM];
    char path[LINUX_SYSFS_ROOM];
    dev_t device;
    int count = 0;

    device_link[0] = '\0';
    if (fstat(fd, &file) < 0 || fstatfs(fd, &system) < 0)
        return;
    device = S_ISBLK(file.st_mode) ? file.st_rdev : file.st_dev;

    if ((uint32_t)system.f_type == OVERLAYFS_SUPER_MAGIC &&
        linux_overlay_layers(fd, &layers) == 0) {
        if (layers.count > 0 && stat(layers.path[layers.count - 1], &file) == 0)
            device = file.st_dev;
        linux_overlay_free(&layers);
    }
    if ((uint32_t)system.f_type == BTRFS_SUPER_MAGIC && linux_btrfs_devices(fd, folder)) {
        DIR *list = opendir(folder);
        while (linux_sysfs_next(list, folder, path))
            if (++count == 1)
                snprintf(device_link, LINUX_SYSFS_ROOM, "%s", path);
        if (count != 1)
            device_link[0] = '\0';
        return;
    }

    if (major(device) != 0)
        snprintf(device_link, LINUX_SYSFS_ROOM, "/sys/dev/block/%u:%u", major(device),
                 minor(device));
}

int
os_disk_find(int fd, struct os_disk *disk)
{
    char device_link[LINUX_SYSFS_ROOM];
    find_link_of_file(fd, device_link);
    return linux_disk_describe("", device_link, disk);
}

/* Fields of the file "stat" of a disk, numbered from 0: how many reads and writes are
 * completed; the sums of the times of reads, writes, discards and flushes; and the time
 * with a request in flight. All times are in ms. */
enum {
    STAT_READS = 0,
    STAT_READ_TIME = 3,
    STAT_WRITES = 4,
    STAT_WRITE_TIME = 7,
    STAT_BUSY = 9,
    STAT_FIELDS = 10,
    STAT_DISCARD_TIME = 14, /* since Linux 4.18 */
    STAT_FLUSH_TIME = 16,   /* since Linux 5.5 */
    STAT_ALL_FIELDS = 17
};

int
os_disk_activity(const struct os_disk *disk, struct os_disk_activity *activity)
{
    char text[512];
    int64_t fields[STAT_ALL_FIELDS] = {0};
    if (!disk->folder[0] || !linux_file_read(text, sizeof(text), "%s/stat", disk->folder))
        return -1;

    char *rest = text;
    for (int i = 0; i < STAT_ALL_FIELDS; i++) {
        char *end;
        fields[i] = strtoll(rest, &end, 10);
        if (end == rest && i < STAT_FIELDS)
            return -1;
        rest = end;
    }
    activity->requests = fields[STAT_READS] + fields[STAT_WRITES];
    activity->busy_ns = fields[STAT_BUSY] * MS;
    activity->request_ns = (fields[STAT_READ_TIME] + fields[STAT_WRITE_TIME] +
                            fields[STAT_DISCARD_TIME] + fields[STAT_FLUSH_TIME]) *
                           MS;
    return 0;
}
