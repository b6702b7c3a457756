/* The mount table of Linux: the line of a file system and its decoded fields. */
#include "support.h"

#include "os/linux.h"

static const char ext4[] =
    "25 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda1 rw,errors=remount-ro\n"
    "30 25 0:26 / /proc rw,nosuid - proc proc rw\n";

static const char btrfs[] =
    "40 1 0:35 /root / rw,noatime shared:1 - btrfs /dev/sdb2 rw,subvolid=256\n"
    "41 40 0:35 /home /home rw,noatime shared:2 - btrfs /dev/sdb2 rw,subvolid=257\n";

static const char bind[] =
    "50 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
    "51 50 8:17 / /data rw - xfs /dev/sdb1 rw\n"
    "52 50 8:17 /sub/folder /mnt/bound ro,relatime - xfs /dev/sdb1 rw\n";

static const char others[] =
    "60 1 0:50 / / rw - overlay overlay rw,lowerdir=/l1:/l2,upperdir=/u,workdir=/w\n"
    "61 60 0:51 / /tmp rw - tmpfs tmpfs rw,size=1024k\n"
    "62 60 0:52 / /nfs rw - nfs4 server.example:/export/home rw,vers=4.2\n"
    "63 60 0:53 / /fuse rw - fuse.sshfs user@host: rw\n"
    "64 60 0:54 / /none rw - tmpfs  rw\n";

static const char optional_fields[] = "70 1 8:1 / /a rw - ext4 /dev/none rw\n"
                                      "71 1 8:2 / /b rw shared:5 - ext4 /dev/one rw\n"
                                      "72 1 8:3 / /c rw shared:5 master:1 "
                                      "propagate_from:2 unbindable - ext4 /dev/more rw\n";

static const char escapes[] =
    "80 1 0:60 / /my\\040disk rw - fuse.a\\040b //host/a\\040b rw\n"
    "81 1 0:61 / /t rw - nfs host:/tab\\011newline\\012backslash\\134end rw\n"
    "82 1 0:62 / /u rw - nfs host:/\\0 rw\n"
    "83 1 0:63 / /v rw - nfs host:/\\999\\04x rw\n"
    "84 1 0:64 / /w rw - nfs \\134040 rw\n"
    "85 1 0:65 / /x\\040-\\040y rw - nfs dash rw\n"
    "86 1 0:66 / /y rw - nfs\\040 host:/end\\040 rw\n";

static const char prefixes[] = "333 1 8:3 / /c rw - ext4 /dev/c rw\n"
                               "33 1 8:2 / /b rw - ext4 /dev/b rw\n"
                               "3 1 8:1 / /a rw - ext4 /dev/a rw\n";

static const struct {
    const char *table;
    int64_t id;
    const char *fstype, *device;
} found[] = {
    {ext4, 25, "ext4", "/dev/vda1"},
    {"\n25 1 8:1 / / rw - ext4 /dev/a rw\n", 25, "ext4", "/dev/a"},
    {ext4, 30, "proc", "proc"},
    {btrfs, 40, "btrfs", "/dev/sdb2"},
    {btrfs, 41, "btrfs", "/dev/sdb2"},
    {bind, 50, "ext4", "/dev/sda1"},
    {bind, 51, "xfs", "/dev/sdb1"},
    {bind, 52, "xfs", "/dev/sdb1"},
    {others, 60, "overlay", "overlay"},
    {others, 61, "tmpfs", "tmpfs"},
    {others, 62, "nfs4", "server.example:/export/home"},
    {others, 63, "fuse.sshfs", "user@host:"},
    {others, 64, "tmpfs", ""},
    {optional_fields, 70, "ext4", "/dev/none"},
    {optional_fields, 71, "ext4", "/dev/one"},
    {optional_fields, 72, "ext4", "/dev/more"},
    {escapes, 80, "fuse.a b", "//host/a b"},
    {escapes, 81, "nfs", "host:/tab\tnewline\nbackslash\\end"},
    {escapes, 82, "nfs", "host:/\\0"},
    {escapes, 83, "nfs", "host:/\\999\\04x"},
    {escapes, 84, "nfs", "\\040"},
    {escapes, 85, "nfs", "dash"},
    {escapes, 86, "nfs ", "host:/end "},
    {prefixes, 3, "ext4", "/dev/a"},
    {prefixes, 33, "ext4", "/dev/b"},
    {prefixes, 333, "ext4", "/dev/c"},
    {"5 1 8:1 / / rw - ext4 /dev/last rw", 5, "ext4", "/dev/last"},
    {"5 1 8:1 / / rw - ext4 /dev/last", 5, "ext4", "/dev/last"},
};

static const struct {
    const char *table;
    int64_t id;
} missing[] = {
    {"", 1},
    {"\n", 0},
    {"\n\n", 1},
    {ext4, 1}, /* a parent only */
    {ext4, 2},
    {ext4, 250},
    {prefixes, 0},
    {prefixes, 3333},
    {"5\n", 5},
    {"5 1 8:1 / / rw\n", 5},
    {"5 1 8:1 / / rw -\n", 5},
    {"5 1 8:1 / / rw - \n", 5},
    {"5 1 8:1 / / rw - ext4", 5},
    {"5 1 8:1 / / rw\n6 1 8:1 / / rw - ext4 /dev/next rw\n", 5},
    {"5x 1 8:1 / / rw - ext4 /dev/a rw\n", 5},
    {"x5 1 8:1 / / rw - ext4 /dev/a rw\n", 5},
};

TEST(finds_type_and_source_by_mount_id)
{
    for (size_t i = 0; i < LENGTH(found); i++) {
        struct os_mount mount;
        memset(&mount, 'x', sizeof(mount));
        if (mountinfo_find(found[i].table, found[i].id, &mount) != 0)
            fail_msg("no %lld in: %s", (long long)found[i].id, found[i].table);
        assert_string_equal(mount.fstype, found[i].fstype);
        assert_string_equal(mount.device, found[i].device);
    }
}

TEST(leaves_the_rest_of_the_mount_alone)
{
    struct os_mount mount = {.size = 11, .available = 7, .is_in_memory = true};
    assert_int_equal(mountinfo_find(ext4, 25, &mount), 0);
    assert_int_equal(mount.size, 11);
    assert_int_equal(mount.available, 7);
    assert_true(mount.is_in_memory);
}

TEST(says_when_it_is_not_there_and_touches_nothing)
{
    for (size_t i = 0; i < LENGTH(missing); i++) {
        struct os_mount mount = {.fstype = "unknown", .device = "unknown"};
        if (mountinfo_find(missing[i].table, missing[i].id, &mount) != -1)
            fail_msg("found %lld in: %s", (long long)missing[i].id, missing[i].table);
        assert_string_equal(mount.fstype, "unknown");
        assert_string_equal(mount.device, "unknown");
    }
}

/* A mount without a line is found by another of the same file system. */
TEST(finds_type_and_source_by_device)
{
    static const char table[] =
        "5 1 8:11 / /a rw - xfs /dev/a rw\n"
        "8:1 8:1 0:1 8:1 8:1 8:1 - tmpfs none rw\n"
        "6 8:1\n"
        "7 1 8:1\n"
        "8 1 8:1 /x /b rw - \n"
        "9 1 8:1 /usr /usr rw,noatime shared:4 - ext4 /dev/b\\040c rw\n"
        "10 1 8:1 / /c rw - ext4 /dev/root rw\n";
    struct os_mount mount = {.fstype = "unknown", .device = "unknown", .size = 11};
    assert_int_equal(mountinfo_find_device(table, 8, 2, &mount), -1);
    assert_int_equal(mountinfo_find_device(table, 0, 2, &mount), -1);
    assert_int_equal(mountinfo_find_device("", 0, 0, &mount), -1);
    assert_string_equal(mount.fstype, "unknown");
    assert_int_equal(mountinfo_find_device(table, 8, 1, &mount), 0);
    assert_string_equal(mount.fstype, "ext4");
    assert_string_equal(mount.device, "/dev/b c");
    assert_int_equal(mount.size, 11);
    assert_int_equal(mountinfo_find_device(table, 8, 11, &mount), 0);
    assert_string_equal(mount.fstype, "xfs");
    assert_int_equal(mountinfo_find_device(table, 0, 1, &mount), 0);
    assert_string_equal(mount.fstype, "tmpfs");
}

TEST(cuts_fields_that_are_too_long)
{
    enum { TYPE = 64, DEVICE = 1024, LONG = 3000 };
    char type[LONG + 1] = {0}, device[LONG + 1] = {0}, table[3 * LONG];
    struct os_mount mount;
    memset(type, 't', LONG);
    memset(device, 'd', LONG);
    snprintf(table, sizeof(table), "5 1 8:1 / / rw - %s %s rw\n", type, device);
    memset(&mount, 'x', sizeof(mount));
    mount.size = 4711;
    assert_int_equal(mountinfo_find(table, 5, &mount), 0);
    type[TYPE - 1] = '\0';
    device[DEVICE - 1] = '\0';
    assert_string_equal(mount.fstype, type);
    assert_string_equal(mount.device, device);
    assert_int_equal(mount.size, 4711);
}

TEST(a_field_that_just_fits_is_whole)
{
    char type[64], table[200];
    struct os_mount mount;
    memset(type, 't', 63);
    type[63] = '\0';
    snprintf(table, sizeof(table), "5 1 8:1 / / rw - %s d rw\n", type);
    assert_int_equal(mountinfo_find(table, 5, &mount), 0);
    assert_string_equal(mount.fstype, type);
}

TEST(options_of_the_file_system_are_found)
{
    static const struct {
        const char *table;
        int64_t id;
        const char *options;
    } cases[] = {
        {others, 60, "rw,lowerdir=/l1:/l2,upperdir=/u,workdir=/w"},
        {others, 64, "rw"},
        {others, 6, NULL},
        {bind, 52, "rw"},
        {"1 1 0:1 / / rw - overlay o rw,lowerdir=/a\\040b\n", 1, "rw,lowerdir=/a b"},
        {"1 1 0:1 / / rw - overlay o\n2 1 0:1 / / rw - tmpfs t rw\n", 1, NULL},
        {"1 1 0:1 / / rw", 1, NULL},
        {"1 1 0:1 / / rw - overlay o ", 1, ""},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        char *options = mountinfo_options(cases[i].table, cases[i].id);
        assert_int_equal(!options, !cases[i].options);
        if (options)
            assert_string_equal(options, cases[i].options);
        free(options);
    }
}
