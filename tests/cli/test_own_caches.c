/* Some file systems have their own cache, whose contents the page cache does not show.
 * Reads from such a cache are still reported as cached, because the device's counter
 * says that it has read nothing. */
/* Marks: alone native */
#include "support.h"

#include <inttypes.h>

#define REQUESTS 40

/* The end of a file, which squashfs packs together with ends of others into a fragment,
 * and keeps the last few fragments in memory, unpacked. */
static char device[64];

/* Mounts a squashfs of two such files at `packed`, and an overlay over it at `layers`, if
 * they are not there yet. */
static void
mount_squashfs(void)
{
    if (device[0])
        return;
    need_loops();
    need_program("mksquashfs");
    if (access("/proc/thread-self/io", F_OK) < 0)
        skip_because("needs a kernel that charges processes for what they read");
    mount_once("ext4"); /* what is mounted from here on is private to this program */
    struct result result = command(
        "mkdir -p d packed layers upper && head -c 60000 /dev/urandom >d/f && "
        "head -c 50000 /dev/urandom >d/g && mksquashfs d packed.img -quiet >&2 && "
        "device=$(attach -f --show -r packed.img) && mount -o ro \"$device\" packed && "
        "mount -t tmpfs upper upper && mkdir upper/up upper/work && mount -t overlay -o "
        "lowerdir=packed,upperdir=upper/up,workdir=upper/work layers layers && "
        "echo \"$device\"");
    if (result.status != 0) {
        printf("%s", result.err);
        skip_because("this kernel or container cannot mount a squashfs");
    }
    snprintf(device, sizeof(device), "%.*s", (int)strcspn(result.out, "\n"), result.out);
    command_free(&result);
}

/* Returns how many sectors the device of the squashfs has read so far. */
static int64_t
count_sectors(void)
{
    int64_t sectors = -1;
    struct result result =
        command_status(0, "cat /sys/class/block/$(basename %s)/stat", device);
    assert_int_equal(sscanf(result.out, "%*d %*d %" SCNd64, &sectors), 1);
    command_free(&result);
    return sectors;
}

/* How it is read: each request by a thread that is charged for it, by several such
 * threads, and by queues, where only the sum over the run is known. */
static const struct manner {
    const char *name, *options;
} manners[] = {
    {"one at a time", ""},  {"by threads", "-threads 4"},
    {"by Linux AIO", "-A"}, {"by a queue of Linux AIO", "-A -depth 4"},
    {"by io_uring", "-U"},  {"by a queue of io_uring", "-U -depth 8"},
};

static const char *const files[] = {"packed/f", "layers/f"};

TEST_EACH(fragments_of_squashfs_are_called_cached, manners)
{
    const struct manner *manner = *state;
    char text[128];
    if (strstr(manner->options, "-A"))
        need("linux_aio");
    if (strstr(manner->options, "-U"))
        need("uring");
    mount_squashfs();
    snprintf(text, sizeof(text),
             "\nioping: %d of %d requests were answered from memory, not by the device; ",
             REQUESTS, REQUESTS);
    for (size_t i = 0; i < LENGTH(files); i++) {
        shell("cat %s >/dev/null", files[i]); /* so that its fragment is in memory */
        int64_t before = count_sectors();
        struct result result = command("ioping -q -c %d -a 0 -i 0 %s %s", REQUESTS,
                                       manner->options, files[i]);
        int64_t read = count_sectors() - before;
        /* Less than one sector for each request: what is read may be about names. */
        assert_in_range(read, 0, REQUESTS - 1);
        assert_contains(result.out, "\n0 requests completed in 0 ns, 0 B read, ");
        assert_contains(result.out, "\ngenerated 40 requests in ");
        assert_contains(result.err, text);
        assert_int_equal(result.status, 3);
        command_free(&result);
    }
}

/* Here it is the server that reads the device, and the kernel charges ioping for nothing,
 * but each read reaches the server. */
TEST(server_on_a_block_device_is_not_called_cached)
{
    need_loops();
    mount_once("ext4"); /* what is mounted from here on is private to this program */
    struct result result =
        command_status(0, "head -c 1M /dev/zero >seat.img && attach -f --show seat.img");
    char seat[64];
    snprintf(seat, sizeof(seat), "%.*s", (int)strcspn(result.out, "\n"), result.out);
    command_free(&result);
    int fd = hold_loop(seat);
    mount_fuse("seated", "blkdev,fsname=%s,log=%s/seated.log", seat, scratch());
    close(fd);
    shell("head -c 4M /dev/urandom >%s/f", "seated");
    shell(": >%s", "seated.log");
    result = command_status(0, "ioping -q -c %d -a 0 -i 0 -s 1000 seated/f", REQUESTS);
    assert_contains(result.out, "\n40 requests completed in ");
    assert_lacks(result.err, "answered from memory");
    command_free(&result);
    result = command_status(0, "wc -l <%s", "seated.log");
    assert_in_range(atoi(result.out), REQUESTS, 1 << 20);
    command_free(&result);
}

GROUP_TEARDOWN(unmount_all)
