/* A target in memory, or one whose reads pass through another page cache, is labelled
 * as such. */
/* Marks: linux each */
#include "support.h"

/* Checks the mode and the note of a run on a target of known backing. */
static void
check(const char *arguments, const char *target, const char *mode, const char *note)
{
    char text[64];
    struct result result =
        command_status(0, "ioping -J -q -c 3 -i 0 %s %s", arguments, target);
    snprintf(text, sizeof(text), "\"mode\": \"%s\"\n", mode);
    if (!strstr(result.out, text) ||
        !strstr(result.out, "\"stat\": {\n    \"count\": 2,") ||
        strcmp(result.err, note) != 0)
        fail_msg("not %s, \"%s\": ioping %s %s\n%s%s", mode, note, arguments, target,
                 result.out, result.err);
    command_free(&result);
}

/* The first line that a shell command prints; skips if it fails. */
static void
ask(char *line, size_t size, const char *text, const char *reason)
{
    struct result result = command("%s", text);
    if (result.status != 0) {
        printf("%s", result.err);
        skip_because(reason);
    }
    snprintf(line, size, "%.*s", (int)strcspn(result.out, "\n"), result.out);
    command_free(&result);
}

/* A loop device that a shell command makes and prints, see hold_loop. */
static int
make_loop(char *device, size_t size, const char *text)
{
    ask(device, size, text, "needs loop devices");
    return hold_loop(device);
}

static void
note_loop(char *note, size_t size, const char *target, const char *device)
{
    snprintf(note, size,
             "ioping: %s: reads go through the page cache of the loop device's backing "
             "file; run losetup --direct-io=on %s\n",
             target, device);
}

#define HOLES_OF_LOOP                                                                  \
    " % of the working set are holes in the loop device's backing file: reading them " \
    "touches no device\n"

/* Reads of a hole touch no device, whether the file or the loop device is named. */
TEST(holes_behind_a_loop_device_are_told)
{
    static const struct {
        const char *make, *attach, *options;
        const char *share; /* NULL: no hole */
    } cases[] = {
        {"head -c 1M /dev/urandom >h", "", "", NULL},
        {"truncate -s 1M h", "", "", "100"},
        {"truncate -s 1M h", "", "-W -W -W", NULL},
        {"head -c 256k /dev/urandom >h && truncate -s 1M h", "", "", "75"},
        {"head -c 256k /dev/urandom >h && truncate -s 1M h", "", "-S 256k", NULL},
        {"head -c 256k /dev/urandom >h && truncate -s 1M h", "", "-o 256k", "100"},
        {"head -c 256k /dev/urandom >h && truncate -s 1M h", "-o 128k", "-S 256k", "50"},
        {"head -c 256k /dev/urandom >h && truncate -s 1M h", "-o 256k", "", "100"},
        {"head -c 256k /dev/urandom >h && truncate -s 1M h", "--sizelimit 512k", "",
         "50"},
    };

    need_loops();
    for (size_t i = 0; i < LENGTH(cases); i++) {
        char note[256] = "";
        struct result result =
            command_status(0, "holes_of_loop '%s' '%s' '%s'", cases[i].make,
                           cases[i].attach, cases[i].options);
        if (cases[i].share)
            snprintf(note, sizeof(note), "ioping: DEVICE: %s%s", cases[i].share,
                     HOLES_OF_LOOP);
        assert_string_equal(result.out, note);
        command_free(&result);
    }
}

TEST(loop_device_without_direct_io_is_cached)
{
    char device[64], note[512];
    int fd = make_loop(device, sizeof(device),
                       "head -c 8M /dev/urandom >plain.img; losetup -f --show plain.img");
    note_loop(note, sizeof(note), device, device);
    check("", device, "cached", note);
    check("-D", device, "cached", note);
    check("-s 1000", device, "cached", note);
    check("-G -WW", device, "cached", note);
    check("-C", device, "cached", "");
    close(fd);
}

/* A write is flushed through to what the file is on. */
TEST(writes_to_a_loop_device_reach_the_device)
{
    char device[64];
    int fd = make_loop(device, sizeof(device),
                       "head -c 8M /dev/urandom >plain.img; losetup -f --show plain.img");
    check("-WWW", device, "direct", "");
    close(fd);
}

TEST(loop_device_with_direct_io_is_direct)
{
    char device[64];
    need_direct_io();
    int fd = make_loop(device, sizeof(device), "attach_directly past.img");
    check("-D", device, "direct", "");
    close(fd);
}

/* Files that the kernel reads through the page cache even if the loop device asks for
 * direct I/O: after a run their pages are there, which nobody else has read. */
static const struct buffered_file {
    const char *name, *type;
    const char *place; /* where the image is mounted */
    const char *make;  /* makes the file `img` there */
    int size;          /* of the file system, MiB */
} buffered_files[] = {
    {"compressed by btrfs", "btrfs", "packed",
     "mount -o remount,compress=zstd packed && yes | head -c 8M >packed/img", 128},
    {"journaled by ext4", "ext4", "journaled",
     "device=$(findmnt -no SOURCE journaled) && umount journaled && mount -o "
     "data=journal \"$device\" journaled && head -c 8M /dev/urandom >journaled/img",
     64},
};

TEST_EACH(loop_device_with_direct_io_on_a_buffered_file_is_cached, buffered_files)
{
    const struct buffered_file *file = *state;
    char device[64], note[512];
    need_program("fincore");
    need_native("emulators do not pass on what tells how a file is stored");
    mount_image(file->type, file->size, file->place);
    need_success(file->make, "this file system does not take the option");
    shell("sync %s/img && losetup --direct-io=on $(losetup -nO NAME -j %s.img)",
          file->place, file->place);
    ask(device, sizeof(device),
        formatted("device=$(losetup -f --show --direct-io=on %s/img) && "
                  "grep -q 1 /sys/block/${device#/dev/}/loop/dio && echo $device",
                  file->place),
        "needs loop devices with direct I/O");
    int fd = hold_loop(device);
    snprintf(
        note, sizeof(note),
        "ioping: %s: %s reads through the page cache of its backing file even with "
        "direct I/O, because that file is compressed or journaled; use another file\n",
        device, device);
    shell("dd if=%s/img iflag=nocache count=0 2>&1", file->place);
    check("", device, "cached", note);
    expect(0, NULL, NULL, "test $(fincore -nbo RES %s/img) -gt 0", file->place);
    check("-D", device, "cached", note);
    check("-WWW", device, "direct", "");
    close(fd);
}

/* Where some of the file is compressed, and the rest is not, it depends on the request.
 */
TEST(loop_device_on_a_partly_compressed_file_is_direct_and_that_is_told)
{
    char device[64], note[512];
    need_native("emulators do not pass on what tells how btrfs stores a file");
    mount_image("btrfs", 128, "mixed");
    shell("cd %s && mount -o remount,compress=zstd . && yes | head -c 128k >img && "
          "head -c 8M /dev/urandom >>img && sync img && "
          "losetup --direct-io=on $(losetup -nO NAME -j ../mixed.img)",
          "mixed");
    ask(device, sizeof(device),
        "device=$(losetup -f --show --direct-io=on mixed/img) && "
        "grep -q 1 /sys/block/${device#/dev/}/loop/dio && echo $device",
        "needs loop devices with direct I/O");
    int fd = hold_loop(device);
    snprintf(
        note, sizeof(note),
        "ioping: %s: some of the backing file of %s is compressed: reads of it may be "
        "as fast as memory; use a file that is not compressed\n",
        device, device);
    check("", device, "direct", note);
    check("-WWW", device, "direct", "");
    close(fd);
}

/* And the one below is named. */
TEST(loop_device_on_a_loop_device_is_cached)
{
    char lower[64], upper[64], note[512];
    mount_image("ext4", 32, "below");
    ask(lower, sizeof(lower),
        "d=$(losetup -nO NAME -j below.img) && losetup --direct-io=off $d && echo $d",
        "needs loop devices");
    int fd = make_loop(upper, sizeof(upper), "attach_directly below/img");
    note_loop(note, sizeof(note), upper, lower);
    check("", upper, "cached", note);
    close(fd);
}

TEST(file_system_on_a_loop_device_is_cached)
{
    static const struct {
        const char *type;
        int size;
    } systems[] = {{"ext4", 32}, {"xfs", 300}, {"btrfs", 128}};
    char device[64], note[512], text[256];
    for (size_t i = 0; i < LENGTH(systems); i++) {
        const char *type = systems[i].type;
        if (strcmp(type, "btrfs") == 0)
            need_native("emulators do not pass on what asks btrfs for its devices");
        mount_image(type, systems[i].size, type);
        snprintf(text, sizeof(text),
                 "head -c 1M /dev/urandom >%s/file; d=$(losetup -nO NAME -j %s.img) && "
                 "losetup --direct-io=off $d && echo $d",
                 type, type);
        ask(device, sizeof(device), text, "needs loop devices");
        note_loop(note, sizeof(note), type, device);
        check("", type, "cached", note);
        check("-D", type, "cached", note);
        snprintf(text, sizeof(text), "%s/file", type);
        note_loop(note, sizeof(note), text, device);
        check("", text, "cached", note);
        check("-WWW", text, "direct", "");
    }
}

/* The partition has 16 MiB from 1 MiB on. All from 5 MiB on is a hole. */
TEST(partition_of_a_loop_device_is_cached)
{
    char device[64], part[80], note[512];
    need_program("addpart");
    int fd = make_loop(device, sizeof(device),
                       "head -c 5M /dev/urandom >parted.img; truncate -s 20M parted.img; "
                       "sync parted.img; losetup -P -f --show parted.img");
    struct result result = command("add_part %s", device);
    bool parted = result.status == 0;
    command_free(&result);
    if (parted) {
        snprintf(part, sizeof(part), "%sp1", device);
        note_loop(note, sizeof(note), part, device);
        size_t length = strlen(note);
        snprintf(note + length, sizeof(note) - length, "ioping: %s: 75%s", part,
                 HOLES_OF_LOOP);
        check("-D", part, "cached", note);
        expect(-1, NULL, NULL, "delpart %s 1", device);
    }
    close(fd);
    if (!parted)
        skip_because("no nodes appear for the partitions of a loop device");
}

TEST(loop_device_in_memory_is_memory)
{
    char device[64], note[512];
    mount_image("ext4", 8, "private"); /* so that what follows is as private as that */
    int fd = make_loop(
        device, sizeof(device),
        "mkdir -p memory && mount -t tmpfs memory memory && "
        "head -c 8M /dev/urandom >memory/img && losetup -f --show \"$PWD/memory/img\"");
    snprintf(note, sizeof(note),
             "ioping: %s: %s lives in memory: these times say nothing about a disk\n",
             device, device);
    check("-D", device, "cached", note);
    check("-WWW", device, "cached", note);
    close(fd);
}

static char zram[64]; /* the device of the next test */

TEST(compressed_memory_is_memory)
{
    char note[512], *device = zram;
    ask(zram, sizeof(zram), "add_zram", "needs zram");
    snprintf(note, sizeof(note),
             "ioping: %s: %s lives in memory: these times say nothing about a disk\n",
             device, device);
    check("", device, "cached", note);
    check("-D", device, "cached", note);
    check("-C", device, "cached", note);
    expect(
        0, NULL,
        formatted(
            "ioping: packed: %s lives in memory: these times say nothing about a disk\n",
            device),
        "mkfs.ext4 -q %s && mkdir -p packed && mount %s packed || exit 77; "
        "ioping -B -c 2 -i 0 packed; s=$?; umount packed; exit $s",
        device, device);
}

/* All layers of an overlay, or the one that is written to, are in memory. */
TEST(overlay_over_memory_is_memory)
{
    static const struct {
        const char *lower, *mode, *file_mode;
    } cases[] = {{"memory2/low", "cached", "cached"}, {"disk/low", "cached", NULL}};
    mount_image("ext4", 8, "disk");
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct result result = command("mount_overlay %s", cases[i].lower);
        if (result.status != 0)
            skip_because("this kernel or container has no overlays over tmpfs");
        command_free(&result);
        check("", "layers", "cached",
              "ioping: layers: tmpfs lives in memory: these times say nothing about a "
              "disk\n");
        if (cases[i].file_mode)
            check("-s 2k", "layers/file", "cached",
                  "ioping: layers/file: tmpfs lives in memory: these times say nothing "
                  "about a disk\n");
        shell("umount layers && umount memory2");
    }
}

static int
remove_all(void **state)
{
    if (zram[0])
        expect(-1, NULL, NULL, "remove_zram %s", zram);
    return unmount_all(state);
}
GROUP_TEARDOWN(remove_all)
