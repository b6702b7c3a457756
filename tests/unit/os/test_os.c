/* Files, mounts and memory of the system, on real ones. */
/* Marks: chroot */
#include "support.h"

#include "os/os.h"
#include "os/process.h"
#include "os/storage.h"
#include "os/thread.h"

#include <sys/syscall.h>

#define PAGE 4096

static const char *
path_of(const char *name)
{
    static char paths[4][1200];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof(paths[0]), "%s/%s", scratch(), name);
    return path;
}

/* A new file of so many pages of data, open for reading and writing. */
static int
make_file(const char *name, int pages)
{
    char page[PAGE];
    memset(page, 'x', sizeof(page));
    unlink(path_of(name));
    int fd = open(path_of(name), O_RDWR | O_CREAT | O_EXCL, 0644);
    assert_true(fd >= 0);
    for (int i = 0; i < pages; i++)
        assert_int_equal(pwrite(fd, page, PAGE, (off_t)i * PAGE), PAGE);
    return fd;
}

TEST(a_slash_joins_a_directory_and_a_name_unless_there_is_one)
{
    assert_string_equal(os_path_separator("a"), "/");
    assert_string_equal(os_path_separator("a/b"), "/");
    assert_string_equal(os_path_separator("a/"), "");
    assert_string_equal(os_path_separator("/"), "");
}

TEST(a_path_has_a_kind)
{
    close(make_file("kind", 1));
    unlink(path_of("to-kind"));
    assert_int_equal(symlink("kind", path_of("to-kind")), 0);
    unlink(path_of("fifo"));
    assert_int_equal(mkfifo(path_of("fifo"), 0600), 0);
    const struct {
        const char *path;
        enum os_kind kind;
    } cases[] = {
        {scratch(), OS_DIRECTORY},     {path_of("kind"), OS_FILE},
        {path_of("to-kind"), OS_FILE}, {path_of("fifo"), OS_OTHER},
        {"/dev/null", OS_CHARACTER},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct os_info info;
        assert_int_equal(os_path_info(cases[i].path, &info), 0);
        assert_int_equal(info.kind, cases[i].kind);
    }
}

TEST(a_file_has_size_links_and_owner)
{
    struct os_info info;
    int fd = make_file("info", 3);
    unlink(path_of("info2"));
    assert_int_equal(link(path_of("info"), path_of("info2")), 0);
    assert_int_equal(os_file_info(fd, &info), 0);
    assert_int_equal(info.kind, OS_FILE);
    assert_int_equal(info.size, 3 * PAGE);
    assert_int_equal(info.links, 2);
    assert_true(info.is_owned);
    close(fd);
}

TEST(a_missing_path_has_an_errno)
{
    struct os_info info;
    errno = 0;
    assert_int_equal(os_path_info(path_of("missing"), &info), -1);
    assert_int_equal(errno, ENOENT);
    errno = 0;
    assert_int_equal(os_file_open(path_of("missing"), OS_OPEN_READ), -1);
    assert_int_equal(errno, ENOENT);
}

TEST(the_folder_of_a_path_exists_or_not)
{
    close(make_file("plain", 1));
    assert_true(os_path_has_folder("missing"));
    assert_true(os_path_has_folder("/missing"));
    assert_true(os_path_has_folder(path_of("missing")));
    assert_false(os_path_has_folder(path_of("missing/missing")));
    assert_false(os_path_has_folder(path_of("plain/missing")));
}

TEST(a_file_opened_for_reading_cannot_be_written)
{
    close(make_file("read-only", 1));
    int fd = os_file_open(path_of("read-only"), OS_OPEN_READ);
    char byte = 0;
    assert_true(fd >= 0);
    errno = 0;
    assert_int_equal(os_file_write(fd, "y", 1, 0, 0), -1);
    assert_int_equal(errno, EBADF);
    assert_int_equal(os_file_read(fd, &byte, 1, 0, 0), 1);
    assert_int_equal(byte, 'x');
    close(fd);
}

TEST(flags_become_those_of_the_descriptor)
{
    static const struct {
        unsigned flags;
        int mask, expected;
    } cases[] = {
        {OS_OPEN_READ, O_ACCMODE, O_RDONLY}, {OS_OPEN_WRITE, O_ACCMODE, O_RDWR},
        {OS_OPEN_READ, O_SYNC, 0},           {OS_OPEN_SYNC, O_SYNC, O_SYNC},
        {OS_OPEN_DSYNC, O_SYNC, O_DSYNC},    {OS_OPEN_NO_WAIT, O_NONBLOCK, 0},
    };
    close(make_file("flags", 1));
    for (size_t i = 0; i < LENGTH(cases); i++) {
        int fd = os_file_open(path_of("flags"), cases[i].flags);
        assert_true(fd >= 0);
        assert_int_equal(fcntl(fd, F_GETFL) & cases[i].mask, cases[i].expected);
        assert_int_equal(fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
        close(fd);
    }
}

TEST(a_fifo_is_opened_without_waiting)
{
    unlink(path_of("lonely"));
    assert_int_equal(mkfifo(path_of("lonely"), 0600), 0);
    int fd = os_file_open(path_of("lonely"), OS_OPEN_NO_WAIT);
    assert_true(fd >= 0);
    close(fd);
}

TEST(a_file_is_made_for_its_owner_alone)
{
    struct stat status;
    mode_t mask = umask(0);
    unlink(path_of("made"));
    int fd = os_file_open(path_of("made"), OS_OPEN_WRITE | OS_OPEN_CREATE);
    umask(mask);
    assert_true(fd >= 0);
    assert_int_equal(fstat(fd, &status), 0);
    assert_int_equal(status.st_mode, S_IFREG | 0600);
    close(fd);
}

TEST(a_file_is_never_made_through_a_link)
{
    unlink(path_of("link"));
    unlink(path_of("victim"));
    assert_int_equal(symlink("victim", path_of("link")), 0);
    errno = 0;
    assert_int_equal(os_file_open(path_of("link"), OS_OPEN_WRITE | OS_OPEN_CREATE), -1);
    assert_int_equal(errno, ELOOP);
    assert_int_equal(access(path_of("victim"), F_OK), -1);
    close(make_file("victim", 1));
    assert_int_equal(os_file_open(path_of("link"), OS_OPEN_WRITE | OS_OPEN_CREATE), -1);
}

TEST(a_temporary_file_has_no_name)
{
    struct os_info info;
    struct stat status;
    char folder[1100], name[4096], byte = 0;
    snprintf(folder, sizeof(folder), "%s", path_of("folder"));
    assert_int_equal(mkdir(folder, 0700), 0);
    mode_t mask = umask(0);
    int fd = os_file_temporary(folder, 0, name, sizeof(name));
    umask(mask);
    assert_true(fd >= 0);
    assert_int_equal(os_file_info(fd, &info), 0);
    assert_int_equal(info.kind, OS_FILE);
    assert_int_equal(info.links, 0);
    assert_int_equal(fstat(fd, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    assert_int_equal(os_file_write(fd, "y", 1, 0, 0), 1);
    assert_int_equal(os_file_read(fd, &byte, 1, 0, 0), 1);
    assert_int_equal(byte, 'y');
    assert_int_equal(rmdir(folder), 0); /* empty */
    close(fd);
    assert_int_equal(os_file_remove_again(name), 0);
}

TEST(a_temporary_file_needs_a_directory)
{
    static const char *const folders[] = {"no-folder", "missing"};
    char name[4096];
    close(make_file("no-folder", 1));
    for (size_t i = 0; i < LENGTH(folders); i++)
        assert_int_equal(os_file_temporary(path_of(folders[i]), 0, name, sizeof(name)),
                         -1);
}

TEST(holes_and_data_are_found)
{
    enum { MB = 1 << 20 };
    int fd = make_file("sparse", 0);
    int64_t start, end;
    char byte = 'x';
    assert_int_equal(ftruncate(fd, 4 * MB), 0);
    if (os_file_data(fd, 0, &start, &end) == 0) {
        close(fd);
        skip_because("this file system does not tell holes");
    }
    errno = 0;
    assert_int_equal(os_file_data(fd, 0, &start, &end), -1);
    assert_int_equal(errno, ENXIO);
    for (int i = 0; i < MB; i += 4096)
        assert_int_equal(os_file_write(fd, &byte, 1, 2 * MB + i, 0), 1);
    os_file_flush(fd);
    for (int64_t at = 0; at <= 2 * MB; at += 2 * MB) {
        assert_int_equal(os_file_data(fd, at, &start, &end), 0);
        assert_int_equal(start, 2 * MB);
        assert_int_equal(end, 3 * MB);
    }
    assert_int_equal(os_file_data(fd, 3 * MB, &start, &end), -1);
    close(fd);
}

TEST(direct_io_is_turned_on_and_off)
{
    int fd = make_file("direct", 1);
    if (os_file_direct(fd, true) < 0) {
        close(fd);
        skip_because("this file system refuses direct I/O");
    }
    assert_int_equal(fcntl(fd, F_GETFL) & O_DIRECT, O_DIRECT);
    assert_int_equal(os_file_direct(fd, false), 0);
    assert_int_equal(fcntl(fd, F_GETFL) & O_DIRECT, 0);
    close(fd);
    assert_int_equal(os_file_direct(-1, true), -1);
}

TEST(an_alignment_is_a_power_of_two_or_not_known)
{
    int64_t memory = -1, offset = -1;
    int fd = make_file("alignment", 1);
    errno = 0;
    if (os_file_alignment(fd, &memory, &offset) < 0)
        assert_int_equal(errno, ENOTSUP);
    else
        assert_true(memory >= 0 && offset >= 0 && memory <= 1 << 20 &&
                    offset <= 1 << 20 && (memory & (memory - 1)) == 0 &&
                    (offset & (offset - 1)) == 0);
    close(fd);
    errno = 0;
    assert_int_equal(os_file_alignment(-1, &memory, &offset), -1);
    assert_int_equal(errno, ENOTSUP);
}

TEST(a_file_is_no_device)
{
    int64_t size, block;
    int fd = make_file("no-device", 1);
    assert_int_equal(os_device_size(fd, &size, &block), -1);
    close(fd);
}

TEST(a_mount_is_described)
{
    struct os_mount mount;
    need_names();
    int fd = make_file("mounted", 1);
    assert_int_equal(describe_mount(fd, &mount), 0);
    close(fd);
    struct result result = command_status(0, "stat -f -c '%%S %%b %%a' mounted");
    long long unit, blocks, available;
    assert_int_equal(sscanf(result.out, "%lld %lld %lld", &unit, &blocks, &available), 3);
    command_free(&result);
    assert_int_equal(mount.size, unit * blocks);
    assert_true(mount.size > 0);
    assert_true(mount.block_size >= 512 && mount.block_size % 512 == 0);
    assert_true(mount.available >= 0 && mount.available <= mount.size);
    bool named = strcmp(mount.fstype, "unknown") != 0;
    assert_true(mount.fstype[0] && named == is_mount_listed());
    assert_true(mount.device[0] && named == (strcmp(mount.device, "unknown") != 0));
}

TEST(the_label_is_that_of_the_mount_table)
{
    struct os_mount mount;
    need_names();
    need_mount_line();
    need_program("findmnt");
    int fd = make_file("labelled", 1);
    assert_int_equal(describe_mount(fd, &mount), 0);
    close(fd);
    struct result result =
        command("findmnt -n -v -o FSTYPE,SOURCE -T \"$PWD/labelled\" | tr -s ' '");
    char expected[1200];
    snprintf(expected, sizeof(expected), "%s %s\n", mount.fstype, mount.device);
    if (result.out[0] && !strstr(result.out, "/dev/root"))
        assert_string_equal(result.out, expected);
    command_free(&result);
}

TEST(memory_is_told_from_devices)
{
    struct os_mount mount;
    need_names();
    int fd = open("/proc/self", O_RDONLY);
    assert_int_equal(describe_mount(fd, &mount), 0);
    assert_string_equal(mount.fstype, "proc");
    assert_false(mount.is_in_memory);
    assert_true(mount.is_anonymous);
    close(fd);
    fd = open("/dev/shm", O_RDONLY);
    if (fd < 0 || describe_mount(fd, &mount) < 0 || strcmp(mount.fstype, "tmpfs") != 0)
        skip_because("needs a tmpfs at /dev/shm");
    assert_true(mount.is_in_memory);
    close(fd);
}

TEST(a_bad_descriptor_is_on_no_mount)
{
    struct os_mount mount;
    errno = 0;
    assert_int_equal(describe_mount(-1, &mount), -1);
    assert_int_equal(errno, EBADF);
    assert_string_equal(mount.fstype, "unknown");
}

TEST(memory_is_aligned)
{
    for (size_t alignment = sizeof(void *); alignment <= 1 << 20; alignment *= 2) {
        char *memory = os_memory_aligned(alignment, 512);
        assert_non_null(memory);
        assert_int_equal((uintptr_t)memory % alignment, 0);
        memset(memory, 'x', 512);
        free(memory);
    }
}

TEST(large_memory_is_writable_up_to_its_end)
{
    for (size_t size = 60000; size < 1000000; size += 99999) {
        unsigned char *memory = os_memory_aligned(16, size);
        assert_non_null(memory);
        memset(memory, 'x', size);
        assert_int_equal(memory[size - 1], 'x');
        os_memory_free(memory);
    }
}

/* Counts the pages that are dirty or being written, by cachestat(2); -1: unknown. */
static int64_t
unwritten_pages(int fd)
{
    uint64_t range[2] = {0, 0}, answer[5] = {0};
    if (syscall(451, fd, range, answer, 0) < 0)
        return -1;
    return (int64_t)(answer[1] + answer[2]);
}

TEST(writing_back_leaves_nothing_to_write)
{
    int fd = make_file("dirty", 64);
    if (unwritten_pages(fd) != 64)
        skip_because("cachestat(2) does not tell of this file system's cache");
    errno = 0;
    if (os_file_write_back(fd, 0, 32 * 4096) < 0 && errno == ENOTSUP)
        skip_because("needs a system that writes back without a flush");
    assert_int_equal(os_file_write_back(fd, 0, 32 * 4096), 0);
    assert_int_equal(os_file_write_back(fd, 0, 0), 0);
    assert_int_equal(unwritten_pages(fd), 0);
    close(fd);
    errno = 0;
    assert_int_equal(os_file_write_back(-1, 0, 0), -1);
    assert_int_equal(errno, EBADF);
}

static void *
do_nothing(void *argument)
{
    return argument;
}

/* A caller may still have to report an earlier error. */
TEST(success_leaves_errno_alone)
{
    struct os_thread thread;
    int fd = make_file("success", 4);
    errno = ENODEV;
    assert_int_equal(os_sleep_until(0), 0);
    assert_int_equal(errno, ENODEV);
    assert_int_equal(os_sleep_until(os_clock_now() + 1000000), 0);
    assert_int_equal(errno, ENODEV);
    assert_int_equal(os_file_random(fd, 0, PAGE), 0);
    assert_int_equal(errno, ENODEV);
    assert_int_equal(os_file_drop(fd, 0, PAGE), 0);
    assert_int_equal(errno, ENODEV);
    assert_int_equal(os_thread_start(&thread, do_nothing, NULL), 0);
    assert_int_equal(errno, ENODEV);
    os_thread_join(&thread);
    assert_int_equal(errno, ENODEV);
    close(fd);
}
