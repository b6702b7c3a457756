/*
 * File systems for tests: images on loop devices, and tests/support/tools/fuse_server.
 * They are mounted below the scratch folder, in a mount namespace of the test program.
 */
#include "mounts.h"

#include "support.h"

#include "os/storage.h"

#include <sched.h>
#include <sys/mount.h>

/* Gives this program its own mount namespace. The kernel removes its mounts when the
 * program ends, even if it is killed. */
static void
keep_mounts_private(void)
{
    static bool is_private;
    if (is_private)
        return;
    if (unshare(CLONE_NEWNS) < 0)
        skip_because("needs the right to mount");
    is_private = mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
}

void
mount_image(const char *type, int size, const char *name)
{
    char mkfs[64];
    need_loops();
    keep_mounts_private();
    snprintf(mkfs, sizeof(mkfs), "mkfs.%s", type);
    need_program(mkfs);
    /* Without these options mkfs.ext4 leaves a part of its work to the kernel, which
     * would write to the mounted file system during the tests. */
    const char *options = "";
    if (strcmp(type, "ext4") == 0)
        options = "-E lazy_itable_init=0,lazy_journal_init=0";
    struct result result =
        command("truncate -s %dM %s.img && mkfs.%s -q %s %s.img >&2 && mkdir -p %s && "
                "device=$(attach -f --show %s.img) && blockdev --setrw \"$device\" && "
                "mount \"$device\" %s",
                size, name, type, options, name, name, name, name);
    if (result.status != 0) {
        printf("%s", result.err);
        skip_because("this kernel or container cannot mount the image");
    }
    command_free(&result);
}

void
mount_once(const char *type)
{
    static const struct {
        const char *type;
        int size;
    } images[] = {{"ext4", 64}, {"xfs", 300}, {"btrfs", 128}};
    static bool mounted[3];
    for (int i = 0; i < 3; i++) {
        if (strcmp(images[i].type, type) != 0 || mounted[i])
            continue;
        mount_image(type, images[i].size, type);
        mounted[i] = true;
    }
}

void
mount_tracefs(void)
{
    static const char folder[] = "/sys/kernel/tracing";
    char path[64];
    snprintf(path, sizeof(path), "%s/instances", folder);
    if (access(path, F_OK) == 0)
        return;
    keep_mounts_private();
    if (mount("tracefs", folder, "tracefs", 0, NULL) < 0 || access(path, W_OK) < 0)
        skip_because("needs a kernel and a container that allow tracefs");
}

int
hold_loop(const char *device)
{
    int fd = open(device, O_RDONLY | O_CLOEXEC);
    shell("losetup -d %s", device);
    assert_true(fd >= 0);
    return fd;
}

void
mount_fuse(const char *name, const char *options, ...)
{
    char text[1024];
    va_list list;
    keep_mounts_private();
    if (access(getenv("IOPING_FUSE"), X_OK) < 0)
        skip_because("needs libfuse 3 and pkg-config, to play a file system");
    if (access("/dev/fuse", R_OK | W_OK) < 0)
        skip_because("needs FUSE");
    va_start(list, options);
    vsnprintf(text, sizeof(text), options, list);
    va_end(list);
    struct result result =
        command("mkdir -p '%s' '%s.files' && "
                "\"$IOPING_FUSE\" -o \"backing=$PWD/%s.files%s%s\" '%s'",
                name, name, name, text[0] ? "," : "", text, name);
    if (result.status != 0) {
        printf("%s", result.err);
        skip_because("this kernel or container cannot mount FUSE");
    }
    command_free(&result);
}

void
serve(const char *options)
{
    /* The log of an earlier server is emptied here. The new server does that, too, but
     * maybe only after the mount has returned, and a test may count lines at once. */
    expect(-1, NULL, NULL,
           "umount fs 2>/dev/null; mkdir -p fs.files && : >fs.log && "
           "head -c 4M /dev/urandom >fs.files/f");
    mount_fuse("fs", "uncached,log=%s/fs.log,%s", scratch(), options);
}

int
unmount_all(void **state)
{
    (void)state;
    if (!scratch_is_made())
        return 0;
    char text[4096];
    const char *source = getenv("IOPING_SOURCE");
    snprintf(text, sizeof(text), "'%s/tests/support/shells/unmount-all' '%s'",
             source ? source : ".", scratch());
    return system(text) == 0 ? 0 : -1;
}

int
describe_mount(int fd, struct os_mount *mount)
{
    if (os_mount_measure(fd, mount) < 0)
        return -1;
    return os_mount_name(fd, mount);
}
