#include "support.h"

#include "os/os.h"
#include "os/storage.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/io_uring.h>
#include <regex.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* A shell that runs programs in the background has them ignore these. */
__attribute__((constructor)) static void
heed_signals(void)
{
    signal(SIGINT, SIG_DFL);
    signal(SIGQUIT, SIG_DFL);
}

const char *
scratch(void)
{
    static char path[1024];
    if (path[0] == '\0') {
        const char *top = getenv("IOPING_SCRATCH");
        snprintf(path, sizeof(path), "%s/XXXXXX", top ? top : "/tmp");
        if (!mkdtemp(path))
            abort();
        /* Other users, whom some tests become, may enter. */
        chmod(path, 0755);
    }
    return path;
}

static char *
read_all(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    size_t room = 0;
    *size = 0;
    assert_non_null(file);
    do {
        text = realloc(text, room += 65536);
        assert_non_null(text);
        *size += fread(text + *size, 1, room - *size - 1, file);
    } while (*size == room - 1);
    text[*size] = '\0';
    fclose(file);
    return text;
}

/* Before each command: $tests is the folder of the tests. */
static const char preamble[] =
    "cd '%s' && tests=${IOPING_SOURCE:-$OLDPWD}/tests || exit\n"
    ". \"$tests/support/commands.sh\"\n"
    "[ ! -e \"$tests/%s.sh\" ] || . \"$tests/%s.sh\"\n";

/* This program in the folder of the tests, as "cli/test_hang". */
static const char *
own_name(void)
{
    const char *name = program_invocation_name, *found;
    while ((found = strstr(name, "tests/")))
        name = found + strlen("tests/");
    return name;
}

/* Keeps a text for tests/schema if it is JSON as ioping writes it. */
static void
keep_json(const char *text, size_t size)
{
    const char *folder = getenv("IOPING_JSON");
    char path[1100];
    if (!folder || (strncmp(text, "[{\n", 3) != 0 && strncmp(text, "{\"time", 6) != 0))
        return;
    snprintf(path, sizeof(path), "%s/XXXXXX", folder);
    int fd = mkstemp(path);
    assert_true(fd >= 0 && write(fd, text, size) == (ssize_t)size);
    close(fd);
}

/* The same of the file o, into which runs in the background write, if it is not of an
 * earlier command. */
static void
keep_json_of_o(const char *script)
{
    char path[1100];
    struct stat before, after;
    size_t size;
    snprintf(path, sizeof(path), "%s/o", scratch());
    if (stat(script, &before) < 0 || stat(path, &after) < 0 || !S_ISREG(after.st_mode) ||
        after.st_mtime < before.st_mtime || access(path, R_OK) < 0)
        return;
    char *text = read_all(path, &size);
    keep_json(text, size);
    free(text);
}

/* In a process group of its own, which ends with this program, however that ends. */
static pid_t
start_group(const char *text)
{
    prctl(PR_SET_CHILD_SUBREAPER, 1); /* for command_stop */
    pid_t group = fork();
    assert_true(group >= 0);
    if (group == 0) {
        setpgid(0, 0);
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        execl("/bin/sh", "sh", "-c", text, (char *)NULL);
        _exit(127);
    }
    return group;
}

/* Nothing that a command left running may write to what the next one looks at. What is
 * stuck in the kernel can only be left. */
void
command_stop(pid_t group)
{
    for (int ms = 0; kill(-group, SIGKILL) == 0 && ms < 5000; ms++) {
        while (waitpid(-group, NULL, WNOHANG) > 0)
            ;
        usleep(1000);
    }
}

const char *
command_script(const char *name, const char *format, va_list list)
{
    static char path[1100];
    snprintf(path, sizeof(path), "%s/%s", scratch(), name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, preamble, scratch(), own_name(), own_name());
    vfprintf(file, format, list);
    fprintf(file, "\n");
    fclose(file);
    return path;
}

/* Whether the program was built for a system that has direct I/O. */
static bool
knows_direct(void)
{
    errno = 0;
    return os_file_direct(-1, true) == 0 || errno != ENOTSUP;
}

/* Takes what is said of every target out where there is no direct I/O; that it is said
 * is the business of one test, see unit/target/test_io_mode.c. */
static size_t
drop_notes(char *text)
{
    static const char *const notes[] = {
        "direct I/O not supported: dropping the page cache before each request instead\n",
        "direct I/O not supported: flushing the page cache after each request instead\n",
        "cannot see whether reads come from the page cache: compare with -C\n"};
    for (size_t i = 0; i < sizeof(notes) / sizeof(notes[0]); i++) {
        char *found;
        while ((found = strstr(text, notes[i]))) {
            char *line = found, *after = found + strlen(notes[i]);
            while (line > text && line[-1] != '\n')
                line--;
            memmove(line, after, strlen(after) + 1);
        }
    }
    return strlen(text);
}

static struct result
run_shell(const char *format, va_list list)
{
    char out[1100], err[1100], whole[4096];
    struct result result = {0};
    size_t ignored;
    const char *script = command_script(".script", format, list);
    snprintf(out, sizeof(out), "%s/.out", scratch());
    snprintf(err, sizeof(err), "%s/.err", scratch());
    snprintf(whole, sizeof(whole),
             "exec timeout -k 5 150 sh '%s' >'%s' 2>'%s' </dev/null", script, out, err);
    int status;
    pid_t group = start_group(whole);
    assert_int_equal(waitpid(group, &status, 0), group);
    command_stop(group);
    result.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    result.out = read_all(out, &result.out_size);
    result.err = read_all(err, &ignored);
    if (!knows_direct()) {
        drop_notes(result.err);
        if (strlen(result.out) == result.out_size)
            result.out_size = drop_notes(result.out);
    }
    keep_json(result.out, result.out_size);
    keep_json_of_o(script);
    if (result.status == 124 || result.status == 137)
        fail_msg("timed out: %s\nstdout: %s\nstderr: %s", read_all(script, &ignored),
                 result.out, result.err);
    return result;
}

struct result
command(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    struct result result = run_shell(format, list);
    va_end(list);
    return result;
}

struct result
command_status(int status, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    struct result result = run_shell(format, list);
    va_end(list);
    if (result.status != status)
        fail_msg("status %d, not %d: %s\nstdout: %s\nstderr: %s", result.status, status,
                 format, result.out, result.err);
    return result;
}

void
command_free(struct result *result)
{
    free(result->out);
    free(result->err);
    *result = (struct result){0};
}

/* With the signals as at a terminal, whatever started the tests. */
int
make_files(void **state)
{
    (void)state;
    signal(SIGHUP, SIG_DFL);
    signal(SIGPIPE, SIG_DFL);
    struct result result = command_status(
        0, "head -c 1048576 /dev/urandom >data && cp data copy && mkdir d && "
           "sync data copy");
    command_free(&result);
    return 0;
}

int
make_folder(void **state)
{
    (void)state;
    struct result result = command_status(0, "rm -rf f && mkdir f");
    command_free(&result);
    return 0;
}

static size_t
skip_unit(const char *text)
{
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "ns", "us", "ms",
                                        "min", "B",   "s",   "k",   "M",  "G"};
    for (size_t i = 0; *text == ' ' && i < sizeof(units) / sizeof(units[0]); i++) {
        size_t length = strlen(units[i]);
        if (strncmp(text + 1, units[i], length) == 0 &&
            !isalpha((unsigned char)text[1 + length]))
            return 1 + length;
    }
    return 0;
}

char *
masked(const char *text)
{
    char *out = malloc(strlen(text) + 1), *end = out;
    assert_non_null(out);
    while (*text) {
        if (isdigit((unsigned char)*text)) {
            while (isdigit((unsigned char)*text) ||
                   (*text == '.' && isdigit((unsigned char)text[1])))
                text++;
            text += skip_unit(text);
            *end++ = '#';
        } else if (strncmp(text, " (fast)", 7) == 0 || strncmp(text, " (slow)", 7) == 0) {
            text += 7;
        } else {
            *end++ = *text++;
        }
    }
    *end = '\0';
    return out;
}

void
assert_contains(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("\"%s\" is not in: %s", part, text);
}

void
assert_lacks(const char *text, const char *part)
{
    if (strstr(text, part))
        fail_msg("\"%s\" is in: %s", part, text);
}

void
assert_matches(const char *text, const char *expression)
{
    regex_t regex;
    assert_int_equal(regcomp(&regex, expression, REG_EXTENDED | REG_NOSUB), 0);
    int status = regexec(&regex, text, 0, NULL, 0);
    regfree(&regex);
    if (status != 0)
        fail_msg("\"%s\" does not match: %s", expression, text);
}

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
need_root(void)
{
    if (geteuid() != 0)
        skip_because("needs root, to mount and to make loop devices");
    if (system("losetup -f >/dev/null 2>&1") != 0)
        skip_because("needs loop devices");
}

/* Whether the tested programs are for another processor than the tests' own; and whether
 * it is emulated (IOPING_FOREIGN, by tests/cross/run). */
static bool
is_foreign(void)
{
    return getenv("IOPING_FOREIGN") != NULL;
}

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
need_built_in(const struct io_engine *engine)
{
    if (!engine->name)
        skip_because("needs an engine that was not built in");
}

bool
is_linux_aio(void)
{
    const char *name = io_engine_of('A')->name;
    return name && strcmp(name, "Linux AIO") == 0;
}

/* The program has what it is told to use, also where an emulator stands for the kernel.
 */
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
    need_built_in(io_engine_of('U'));
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
    need_built_in(io_engine_of('A'));
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

/* A file of one page; the caller closes it. */
static int
open_page(void)
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
    int fd = open_page();
    bool told = os_resident_choose(fd, 0) != NULL;
    os_file_close(fd);
    if (!told && !is_linux_aio())
        skip_because("needs a system that tells what the page cache has");
}

void
need_names(void)
{
    struct os_mount mount;
    int fd = open_page();
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
    int fd = open_page();
    int status = os_file_flags_try(fd, OS_RW_HIPRI, false);
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
    if (!knows_direct())
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

/* Mounts that only this program sees, so that none outlives it, even if killed. */
static void
keep_mounts_private(void)
{
    static bool done;
    if (!done && unshare(CLONE_NEWNS) == 0)
        done = mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
}

void
mount_image(const char *type, int size, const char *name)
{
    char mkfs[64];
    need_root();
    keep_mounts_private();
    snprintf(mkfs, sizeof(mkfs), "mkfs.%s", type);
    need_program(mkfs);
    /* Else the kernel goes on making it, some time while it is mounted. */
    bool lazy = strcmp(type, "ext4") == 0;
    struct result result =
        command("truncate -s %dM %s.img && mkfs.%s -q %s %s.img >&2 && mkdir -p %s && "
                "device=$(attach -f --show %s.img) && blockdev --setrw \"$device\" && "
                "mount \"$device\" %s",
                size, name, type, lazy ? "-E lazy_itable_init=0,lazy_journal_init=0" : "",
                name, name, name, name);
    if (result.status != 0) {
        printf("%s", result.err);
        skip_because("this kernel or container cannot mount the image");
    }
    command_free(&result);
}

int
hold_loop(const char *device)
{
    int fd = open(device, O_RDONLY | O_CLOEXEC);
    struct result result = command_status(0, "losetup -d %s", device);
    command_free(&result);
    assert_true(fd >= 0);
    return fd;
}

void
mount_fuse(const char *name, const char *options, ...)
{
    char text[1024];
    va_list list;
    need_root();
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

int
unmount_all(void **state)
{
    (void)state;
    char text[4096];
    const char *source = getenv("IOPING_SOURCE");
    snprintf(text, sizeof(text), "'%s/tests/support/shells/unmount-all' '%s'",
             source ? source : ".", scratch());
    return system(text) == 0 ? 0 : -1;
}

void
mount_once(const char *type)
{
    static const struct {
        const char *type;
        int size;
    } images[] = {{"ext4", 64}, {"xfs", 300}, {"btrfs", 128}};
    static bool mounted[3];
    need_root();
    for (int i = 0; i < 3; i++) {
        if (strcmp(images[i].type, type) != 0 || mounted[i])
            continue;
        mount_image(type, images[i].size, type);
        mounted[i] = true;
    }
}

void
need_direct(const char *file)
{
    struct result result =
        command("dd if=%s of=/dev/null bs=4k count=1 iflag=direct status=none", file);
    bool able = result.status == 0;
    command_free(&result);
    if (!able || !knows_direct())
        skip_because("needs a build folder on a disk that takes direct I/O");
}

int
describe_mount(int fd, struct os_mount *mount)
{
    if (os_mount_measure(fd, mount) < 0)
        return -1;
    os_mount_name(fd, mount);
    return 0;
}
