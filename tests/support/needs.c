/*
 * Conditions of tests. Each function tries on this machine whether a test is possible,
 * and skips the test if not. Some functions try it with the tested program, because the
 * condition depends on how that was built.
 */
#include "needs.h"

#include "support.h"

#include "os/os.h"
#include "os/posix.h"
#include "os/storage.h"

#include <linux/aio_abi.h>
#include <linux/io_uring.h>
#include <sys/syscall.h>

void
skip_because(const char *reason)
{
    printf("skipped: %s\n", reason);
    fflush(stdout);
    skip();
}

void
need_program(const char *name)
{
    char text[256];
    snprintf(text, sizeof(text), "command -v %s >/dev/null 2>&1", name);
    if (system(text) == 0)
        return;
    snprintf(text, sizeof(text), "needs the program %s", name);
    skip_because(text);
}

void
need_success(const char *text, const char *reason)
{
    struct result result = command("%s", text);
    bool is_met = result.status == 0;
    command_free(&result);
    if (!is_met)
        skip_because(reason);
}

/* Only a build for Linux prints the names of mounts. The file "data" must exist, see
 * make_files. */
void
need_linux(void)
{
    need_success("\"$IOPING\" -q -C -a 0 -c 1 data >label.try && "
                 "! grep -q ' (unknown unknown ' label.try",
                 "needs a program that is built for Linux");
}

void
need_loops(void)
{
    need_success(
        ": >loop.try && device=$(attach -f --show loop.try) || exit\n"
        "losetup -c \"$device\"; status=$?; losetup -d \"$device\"; exit $status",
        "needs the right to attach loop devices");
}

void
need_users(void)
{
    need_success(": >given && chown 65534 given && rm given && "
                 "setpriv --reuid=65534 --regid=65534 --clear-groups true",
                 "needs the right to become another user, and setpriv");
}

void
need_bound(void)
{
    need_success(": >bound && chmod 0 bound && as_user test -x \"$IOPING\" && "
                 "! as_user cat bound",
                 "needs setpriv, and a build folder that another user can enter");
}

void
need_mounts(void)
{
    need_success("mkdir -p mount.try && unshare -m mount -t tmpfs tmpfs mount.try",
                 "needs mounts of its own, which it has in no plain chroot");
}

/* Returns true if the tested programs are for another processor than the tests. Then
 * tests/cross/run has set IOPING_FOREIGN. */
static bool
is_foreign(void)
{
    return getenv("IOPING_FOREIGN") != NULL;
}

/* Returns true if an emulator such as QEMU runs the tested programs. */
static bool
is_emulated(void)
{
    return is_foreign() && strcmp(getenv("IOPING_FOREIGN"), "emulated") == 0;
}

void
need_faults(void)
{
    if (is_foreign())
        skip_because("faults cannot be preloaded into a program for another processor");
    const char *runner = getenv("IOPING_RUNNER");
    if (runner && runner[0])
        skip_because("faults cannot be preloaded under another program");
    const char *faults = getenv("IOPING_FAULTS");
    if (faults && strpbrk(faults, " :"))
        skip_because("faults cannot be preloaded from a path with a space or a colon");
#if defined(__SANITIZE_ADDRESS__)
    skip_because("faults cannot be preloaded into a sanitizer's build");
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
    skip_because("faults cannot be preloaded into a sanitizer's build");
#endif
#endif
}

void
need_bare(const char *reason)
{
    const char *runner = getenv("IOPING_RUNNER");
    char text[256];
    snprintf(text, sizeof(text), "under an emulator: %s", reason);
    if (is_emulated())
        skip_because(text);
    if (runner && runner[0])
        skip_because(reason);
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    skip_because(reason);
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
    skip_because(reason);
#endif
#endif
}

void
need_native(const char *reason)
{
    if (is_emulated())
        skip_because(reason);
}

void
need_process_states(void)
{
    pid_t pid = fork();
    if (pid == 0) {
        raise(SIGSTOP);
        _exit(0);
    }
    waitpid(pid, NULL, WUNTRACED);
    bool is_stopped = posix_process_is_stopped(pid);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    if (!is_stopped)
        skip_because("needs a system that tells if a process is stopped");
}

void
need_built_in(const struct io_engine *engine)
{
    if (!engine->name)
        skip_because("needs an engine that was not built in");
}

bool
is_linux_aio(void)
{
    const char *name = io_find_engine('A')->name;
    return name && strcmp(name, "Linux AIO") == 0;
}

/* If the tested program is for another processor, lets it try its engine OPTION, and
 * skips the test with REASON if that fails. This program cannot try it, because an
 * emulator may lack system calls that the kernel has. */
static void
need_engine_of_program(const char *option, const char *reason)
{
    if (!is_foreign())
        return;
    struct result result = command("ioping %s -c 1 -i 0 /dev/zero", option);
    bool missing = strstr(result.err, "Function not implemented") != NULL;
    command_free(&result);
    if (missing)
        skip_because(reason);
}

void
need_uring(void)
{
    need_engine_of_program("-U", "needs an emulator that has io_uring");
    need_built_in(io_find_engine('U'));
    struct io_uring_params params = {0};
    long fd = syscall(SYS_io_uring_setup, 1, &params);
    if (fd < 0)
        skip_because("needs a kernel and a container that allow io_uring");
    close((int)fd);
}

void
need_aio(void)
{
    aio_context_t context = 0;
    need_engine_of_program("-A", "needs an emulator that has Linux AIO");
    need_built_in(io_find_engine('A'));
    if (is_linux_aio() && syscall(SYS_io_setup, 1, &context) < 0)
        skip_because("needs a kernel and a container that allow Linux AIO");
    if (is_linux_aio())
        syscall(SYS_io_destroy, context);
}

void
need_linux_aio(void)
{
    if (!is_linux_aio())
        skip_because("needs Linux AIO, which was not built in");
    need_aio();
}

/* Returns a descriptor of a file of one page whose name has been removed already. The
 * caller closes it. */
static int
open_removed_page(void)
{
    char path[1100], page[4096] = "";
    snprintf(path, sizeof(path), "%s/page", scratch());
    int fd = os_file_open(path, OS_OPEN_WRITE | OS_OPEN_CREATE);
    assert_true(fd >= 0);
    assert_int_equal(os_file_write(fd, page, sizeof(page), 0, 0), sizeof(page));
    assert_int_equal(os_path_remove(path), 0);
    return fd;
}

void
need_resident(void)
{
    int fd = open_removed_page();
    bool has_method = os_resident_choose(fd, 0) != NULL;
    os_file_close(fd);
    if (!has_method && !is_linux_aio())
        skip_because("needs a system that tells what the page cache has");
}

void
need_names(void)
{
    struct os_mount mount;
    int fd = open_removed_page();
    int status = describe_mount(fd, &mount);
    os_file_close(fd);
    if ((status < 0 || strcmp(mount.fstype, "unknown") == 0) && !is_linux_aio())
        skip_because("needs a system that tells the names of mounts");
}

bool
is_mount_listed(void)
{
    enum { LISTED, MISSING, NO_TABLE = 77 };
    struct result result = command("\"$tests/support/shells/mount-listed\"");
    int status = result.status;
    command_free(&result);
    assert_true(status == LISTED || status == MISSING || status == NO_TABLE);
    return status != MISSING;
}

void
need_mount_line(void)
{
    if (!is_mount_listed())
        skip_because("needs a mount table that has the file system of the build folder, "
                     "which a plain chroot has not");
}

void
need_flags(void)
{
    int fd = open_removed_page();
    char unused;
    int64_t status = os_file_read(fd, &unused, 0, 0, OS_RW_HIPRI);
    os_file_close(fd);
    if (status < 0 && !is_linux_aio())
        skip_because("needs a system whose requests have flags");
}

void
need_sizes(void)
{
    if (!is_linux_aio())
        skip_because("needs a system that knows an empty device");
}

void
need_direct_io(void)
{
    if (!has_direct_io())
        skip_because("needs a system with direct I/O");
}

void
need_forbid(void)
{
    if (is_foreign())
        skip_because("system calls of another processor have other numbers");
    if (system("\"$IOPING_FORBID\" 1 statx true") != 0)
        skip_because("needs a kernel and a container that allow seccomp filters");
}

void
need_direct(const char *file)
{
    struct result result =
        command("dd if=%s of=/dev/null bs=4k count=1 iflag=direct status=none", file);
    bool is_possible = result.status == 0;
    command_free(&result);
    if (!is_possible || !has_direct_io())
        skip_because("needs a build folder on a disk that takes direct I/O");
}

static void
need_direct_data(void)
{
    need_direct("data");
}

void
need(const char *words)
{
    static const struct {
        const char *word;
        void (*function)(void);
    } conditions[] = {
        {"aio", need_aio},
        {"bound", need_bound},
        {"direct", need_direct_data},
        {"direct_io", need_direct_io},
        {"faults", need_faults},
        {"flags", need_flags},
        {"forbid", need_forbid},
        {"linux", need_linux},
        {"linux_aio", need_linux_aio},
        {"loops", need_loops},
        {"mount_line", need_mount_line},
        {"mounts", need_mounts},
        {"names", need_names},
        {"process_states", need_process_states},
        {"resident", need_resident},
        {"sizes", need_sizes},
        {"uring", need_uring},
        {"users", need_users},
    };
    char list[128];
    char *unread = list;
    char *word;

    assert_true(snprintf(list, sizeof(list), "%s", words) < (int)sizeof(list));
    while ((word = strtok_r(unread, " ", &unread))) {
        size_t i = 0;
        while (i < LENGTH(conditions) && strcmp(conditions[i].word, word) != 0)
            i++;
        if (i < LENGTH(conditions))
            conditions[i].function();
        else
            need_program(word);
    }
}
