/* Files that are replaced as a whole, terminals, and the locale. */
#include "support.h"

#include "os/beside.h"
#include "os/output.h"

#include <dirent.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <termios.h>
#include <time.h>

static const char *
path_of(const char *name)
{
    static char paths[4][1400];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof(paths[0]), "%s/%s", scratch(), name);
    return path;
}

static void
assert_file(const char *name, const char *expected)
{
    char text[256] = {0};
    int fd = open(path_of(name), O_RDONLY);
    assert_true(fd >= 0);
    assert_int_equal(read(fd, text, sizeof(text) - 1), (int)strlen(expected));
    assert_string_equal(text, expected);
    close(fd);
}

static int
count_files(const char *folder)
{
    int count = 0;
    DIR *directory = opendir(path_of(folder));
    assert_non_null(directory);
    for (struct dirent *entry; (entry = readdir(directory));)
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(directory);
    return count;
}

static void
make_directory(const char *name)
{
    assert_int_equal(mkdir(path_of(name), 0755), 0);
}

static int
replace(const char *name, const char *text)
{
    return os_file_replace(path_of(name), text, strlen(text), "", true);
}

TEST(a_file_is_made_and_replaced_by_another)
{
    struct stat first, second;
    make_directory("new");
    assert_int_equal(replace("new/a", "one\n"), 0);
    assert_file("new/a", "one\n");
    int old = open(path_of("new/a"), O_RDONLY); /* so that its number is not reused */
    assert_int_equal(fstat(old, &first), 0);
    assert_int_equal(replace("new/a", "two, and longer\n"), 0);
    assert_file("new/a", "two, and longer\n");
    assert_int_equal(stat(path_of("new/a"), &second), 0);
    assert_true(first.st_ino != second.st_ino);
    char text[16] = {0};
    assert_int_equal(read(old, text, 15), 4);
    assert_string_equal(text, "one\n");
    close(old);
    assert_int_equal(replace("new/a", ""), 0);
    assert_file("new/a", "");
    assert_int_equal(count_files("new"), 1);
}

TEST(everybody_may_read_it_whatever_the_umask)
{
    static const mode_t masks[] = {0, 022, 077, 0777};
    for (size_t i = 0; i < LENGTH(masks); i++) {
        struct stat info;
        mode_t before = umask(masks[i]);
        int status = replace("masked", "a");
        umask(before);
        assert_int_equal(status, 0);
        assert_int_equal(stat(path_of("masked"), &info), 0);
        assert_int_equal(info.st_mode & 07777, 0644);
    }
}

TEST(a_name_without_a_folder_is_in_the_current_one)
{
    make_directory("here");
    int before = open(".", O_RDONLY | O_DIRECTORY);
    assert_int_equal(chdir(path_of("here")), 0);
    int status = os_file_replace("plain", "a", 1, "", true);
    assert_int_equal(fchdir(before), 0);
    close(before);
    assert_int_equal(status, 0);
    assert_file("here/plain", "a");
    assert_int_equal(count_files("here"), 1);
}

/* What a stream of output is. */
TEST(a_stream_keeps_what_the_file_has_until_it_is_emptied)
{
    assert_int_equal(replace("stream", "older, and longer\n"), 0);
    int stream = os_stream_open(path_of("stream"));
    assert_true(stream > 2);
    assert_file("stream", "older, and longer\n");
    assert_int_equal(os_stream_empty(stream), 0);
    assert_file("stream", "");
    assert_int_equal(os_stream_write(stream, "one\n", 4), 0);
    assert_int_equal(os_stream_write(stream, "two\n", 4), 0);
    assert_int_equal(os_stream_close(stream), 0);
    assert_file("stream", "one\ntwo\n");
}

TEST(a_stream_makes_its_file_by_the_umask)
{
    struct stat info;
    mode_t before = umask(027);
    int stream = os_stream_open(path_of("made"));
    umask(before);
    assert_true(stream > 2);
    assert_int_equal(fstat(stream, &info), 0);
    assert_int_equal(info.st_mode & 07777, 0640);
    assert_int_equal(fcntl(stream, F_GETFD), FD_CLOEXEC);
    os_stream_close(stream);
}

TEST(a_stream_is_known_by_every_name_and_descriptor)
{
    int stream = os_stream_open(path_of("named"));
    assert_true(stream > 2);
    assert_int_equal(replace("other", "a"), 0);
    assert_int_equal(link(path_of("named"), path_of("hard")), 0);
    assert_int_equal(symlink("hard", path_of("soft")), 0);
    int same = open(path_of("soft"), O_RDONLY), other = open(path_of("other"), O_RDONLY);
    assert_true(os_stream_is_file(stream, same));
    assert_true(os_stream_is_path(stream, path_of("soft")));
    assert_false(os_stream_is_file(stream, other));
    assert_false(os_stream_is_file(stream, -1));
    assert_false(os_stream_is_path(stream, path_of("other")));
    assert_false(os_stream_is_path(stream, path_of("missing")));
    close(same);
    close(other);
    os_stream_close(stream);
}

TEST(a_stream_that_cannot_be_has_its_errno)
{
    make_directory("folder");
    assert_int_equal(os_stream_open(path_of("missing/x")), -1);
    assert_int_equal(errno, ENOENT);
    assert_int_equal(os_stream_open(path_of("folder")), -1);
    assert_int_equal(errno, EISDIR);
    assert_int_equal(os_stream_close(-1), -1);
    assert_int_equal(errno, EBADF);
}

/* Another name of a standard stream has its place in the file, and is not emptied. */
TEST(a_standard_stream_goes_on_where_it_is)
{
    int fd = open(path_of("standard"), O_WRONLY | O_CREAT, 0600), saved = dup(2);
    fflush(stderr);
    dup2(fd, 2);
    close(fd);
    int written = os_stream_write(2, "one ", 4), stream = os_stream_open("/dev/stderr");
    int emptied = os_stream_empty(stream);
    written |= os_stream_write(stream, "two ", 4) | os_stream_write(2, "three", 5);
    int closed = os_stream_close(stream);
    dup2(saved, 2);
    close(saved);
    assert_true(stream > 2);
    assert_int_equal(written | emptied | closed, 0);
    assert_file("standard", "one two three");
}

TEST(what_is_no_file_is_not_replaced)
{
    make_directory("others");
    make_directory("others/folder");
    assert_int_equal(replace("others/named", "old"), 0);
    assert_int_equal(symlink("named", path_of("others/link")), 0);
    assert_int_equal(symlink("missing", path_of("others/nowhere")), 0);
    assert_int_equal(mkfifo(path_of("others/pipe"), 0600), 0);
    static const char *const names[] = {"others/folder", "others/link", "others/nowhere",
                                        "others/pipe"};
    for (size_t i = 0; i < LENGTH(names); i++) {
        struct stat before, after;
        assert_int_equal(lstat(path_of(names[i]), &before), 0);
        errno = 0;
        assert_int_equal(replace(names[i], "new"), -1);
        assert_int_equal(errno, EEXIST);
        assert_int_equal(lstat(path_of(names[i]), &after), 0);
        assert_true(before.st_ino == after.st_ino && before.st_mode == after.st_mode);
    }
    assert_file("others/named", "old");
    assert_int_equal(count_files("others"), 5);
}

TEST(failures_leave_the_old_file_and_nothing_beside_it)
{
    char name[5000];
    make_directory("failures");
    make_directory("failures/folder");
    assert_int_equal(replace("failures/a", "old"), 0);
    memset(name, 'x', sizeof(name));
    memcpy(name, "failures/", 9);
    const struct {
        const char *name;
        int length, error;
    } cases[] = {
        {"failures/folder", 0, EEXIST}, {"failures/missing/a", 0, ENOENT},
        {"failures/a/b", 0, ENOTDIR},   {name, 9 + 256, ENAMETOOLONG},
        {name, 4999, ENAMETOOLONG},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        char path[6500];
        if (cases[i].length)
            name[cases[i].length] = '\0';
        snprintf(path, sizeof(path), "%s/%s", scratch(), cases[i].name);
        if (cases[i].length)
            name[cases[i].length] = 'x';
        errno = 0;
        assert_int_equal(os_file_replace(path, "new", 3, "", false), -1);
        assert_int_equal(errno, cases[i].error);
    }
    assert_file("failures/a", "old");
    assert_int_equal(count_files("failures"), 2);
    assert_int_equal(count_files("failures/folder"), 0);
}

static int
try(const char *name)
{
    return os_file_try(path_of(name), "new", 3, "# HELPx");
}

/* Whether the file could be replaced or not. */
TEST(a_trial_leaves_all_as_it_was)
{
    static const struct {
        const char *name;
        int error;
    } cases[] = {{"tried/ours", 0},        {"tried/absent", 0},
                 {"tried/data", EEXIST},   {"tried/link", EEXIST},
                 {"tried/folder", EEXIST}, {"tried/missing/a", ENOENT},
                 {"tried/data/a", ENOTDIR}};
    make_directory("tried");
    make_directory("tried/folder");
    assert_int_equal(replace("tried/ours", "# HELPx"), 0);
    assert_int_equal(replace("tried/data", "data"), 0);
    assert_int_equal(symlink("ours", path_of("tried/link")), 0);
    for (size_t i = 0; i < LENGTH(cases); i++) {
        errno = 0;
        assert_int_equal(try(cases[i].name), cases[i].error ? -1 : 0);
        if (cases[i].error)
            assert_int_equal(errno, cases[i].error);
        assert_file("tried/ours", "# HELPx");
        assert_file("tried/data", "data");
        assert_int_equal(count_files("tried"), 4);
    }
}

/* Expects that text of 100000 bytes, appended to the file or in its place, has no room. A
 * child with a limit on the size of files plays a full disk. */
static void
assert_no_room(const char *path, bool appended)
{
    static char much[100000];
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        struct rlimit limit = {.rlim_cur = 50000, .rlim_max = 50000};
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &limit);
        memset(much, 'x', sizeof(much));
        errno = 0;
        int written = appended ? os_file_append(path, much, sizeof(much), "#log", true)
                               : os_file_replace(path, much, sizeof(much), "", true);
        _exit(written != -1 || errno != EFBIG);
    }
    assert_child_succeeds(child);
}

TEST(what_does_not_fit_leaves_the_old_file)
{
    make_directory("full");
    assert_int_equal(replace("full/a", "old"), 0);
    assert_no_room(path_of("full/a"), false);
    assert_file("full/a", "old");
    assert_int_equal(count_files("full"), 1);
}

static int
add(const char *name, const char *text)
{
    return os_file_append(path_of(name), text, strlen(text), "#log", true);
}

TEST(a_file_grows_at_its_end)
{
    struct stat first, second;
    make_directory("grown");
    assert_int_equal(replace("grown/a", "#log\n"), 0);
    assert_int_equal(stat(path_of("grown/a"), &first), 0);
    assert_int_equal(add("grown/a", "one\n"), 0);
    assert_int_equal(add("grown/a", ""), 0);
    assert_int_equal(add("grown/a", "two\nthree\n"), 0);
    assert_file("grown/a", "#log\none\ntwo\nthree\n");
    assert_int_equal(stat(path_of("grown/a"), &second), 0);
    assert_int_equal(first.st_ino, second.st_ino);
    assert_int_equal(count_files("grown"), 1);
}

/* Neither somebody's data, nor what is no file. */
TEST(nothing_else_grows)
{
    static const struct {
        const char *name;
        int error;
    } cases[] = {{"kept/missing", ENOENT}, {"kept/empty", ENOENT}, {"kept/short", EEXIST},
                 {"kept/other", EEXIST},   {"kept/link", EEXIST},  {"kept/pipe", EEXIST},
                 {"kept/folder", EEXIST}};
    make_directory("kept");
    make_directory("kept/folder");
    assert_int_equal(replace("kept/empty", ""), 0);
    assert_int_equal(replace("kept/short", "#lo"), 0);
    assert_int_equal(replace("kept/other", "data of somebody"), 0);
    assert_int_equal(replace("kept/log", "#log\n"), 0);
    assert_int_equal(symlink("log", path_of("kept/link")), 0);
    assert_int_equal(mkfifo(path_of("kept/pipe"), 0600), 0);
    for (size_t i = 0; i < LENGTH(cases); i++) {
        errno = 0;
        if (add(cases[i].name, "new") != -1 || errno != cases[i].error)
            fail_msg("%s: %s", cases[i].name, strerror(errno));
    }
    assert_file("kept/empty", "");
    assert_file("kept/short", "#lo");
    assert_file("kept/other", "data of somebody");
    assert_file("kept/log", "#log\n");
    assert_int_equal(count_files("kept"), 7);
}

/* Of the text there would be room for a half. */
TEST(a_text_without_room_leaves_the_file_as_long_as_it_was)
{
    make_directory("fuller");
    assert_int_equal(replace("fuller/a", "#log\n"), 0);
    assert_no_room(path_of("fuller/a"), true);
    assert_file("fuller/a", "#log\n");
}

/* The other end of a pseudo-terminal, whose descriptor becomes *TERMINAL. */
static int
open_screen(int *terminal)
{
    *terminal = posix_openpt(O_RDWR | O_NOCTTY);
    if (*terminal < 0 || grantpt(*terminal) < 0 || unlockpt(*terminal) < 0)
        skip_because("needs a pseudo-terminal");
    int screen = open(ptsname(*terminal), O_RDWR | O_NOCTTY);
    assert_true(screen >= 0);
    return screen;
}

TEST(a_terminal_is_told_from_all_else)
{
    int ends[2], terminal, screen = open_screen(&terminal);
    int null = open("/dev/null", O_RDWR), folder = open("/", O_RDONLY);
    assert_int_equal(pipe(ends), 0);
    const struct {
        int stream;
        bool terminal;
    } cases[] = {{screen, true},   {null, false},    {folder, false},
                 {ends[0], false}, {ends[1], false}, {-1, false}};
    for (size_t i = 0; i < LENGTH(cases); i++)
        if (os_stream_is_terminal(cases[i].stream) != cases[i].terminal)
            fail_msg("case %zu", i);
    for (size_t i = 0; i < LENGTH(cases) - 1; i++)
        close(cases[i].stream);
    assert_false(os_stream_is_terminal(screen));
    close(terminal);
}

TEST(a_terminal_without_a_name_is_plain)
{
    static const struct {
        const char *name;
        bool plain;
    } cases[] = {{NULL, true},     {"", true},        {"dumb", true},
                 {"xterm", false}, {"dumber", false}, {"linux", false}};
    const char *term = getenv("TERM");
    char *saved = term ? strdup(term) : NULL;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        unsetenv("TERM");
        if (cases[i].name)
            setenv("TERM", cases[i].name, 1);
        if (os_terminal_is_dumb() != cases[i].plain)
            fail_msg("case %zu", i);
    }
    unsetenv("TERM");
    if (saved)
        setenv("TERM", saved, 1);
    free(saved);
}

TEST(only_terminals_have_columns)
{
    struct winsize size = {.ws_col = 123, .ws_row = 10};
    int terminal, screen = open_screen(&terminal);
    assert_int_equal(os_stream_columns(screen), 0);
    assert_int_equal(ioctl(terminal, TIOCSWINSZ, &size), 0);
    assert_int_equal(os_stream_columns(screen), 123);
    int null = open("/dev/null", O_RDWR);
    assert_int_equal(os_stream_columns(null), 0);
    close(null);
    assert_int_equal(os_stream_columns(null), 0);
    close(screen);
    close(terminal);
}

TEST(the_first_locale_that_is_set_decides)
{
    static const struct {
        const char *all, *ctype, *lang;
        bool utf8;
    } cases[] = {
        {NULL, NULL, NULL, false},
        {NULL, NULL, "C.UTF-8", true},
        {NULL, NULL, "de_DE.utf8", true},
        {NULL, NULL, "en_US.UTF8", true},
        {NULL, NULL, "sr_RS.UTF-8@latin", true},
        {NULL, NULL, "en_US", false},
        {NULL, NULL, "en_US.ISO-8859-1", false},
        {NULL, NULL, "UTF-8", false},
        {"C", "C.UTF-8", "C.UTF-8", false},
        {"C.UTF-8", "C", "C", true},
        {NULL, "C.UTF-8", "C", true},
        {"", "", "C.UTF-8", true},
        {"", "C", "C.UTF-8", false},
    };
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        const char *const values[] = {cases[i].all, cases[i].ctype, cases[i].lang};
        for (int k = 0; k < 3; k++) {
            unsetenv(names[k]);
            if (values[k])
                setenv(names[k], values[k], 1);
        }
        if (os_locale_is_utf8() != cases[i].utf8)
            fail_msg("case %zu", i);
    }
    for (int k = 0; k < 3; k++)
        unsetenv(names[k]);
}

/* Somebody's data, in place of which the name was given by mistake. */
TEST(what_begins_otherwise_is_not_replaced)
{
    static const struct {
        const char *old;
        int status;
    } cases[] = {
        {"data", -1}, {"# HELP", -1}, {"# HELPx", 0}, {"# HELPx more", 0}, {"", 0}};
    make_directory("lookalikes");
    for (size_t i = 0; i < LENGTH(cases); i++) {
        const char *path = path_of("lookalikes/a");
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        fputs(cases[i].old, file);
        fclose(file);
        errno = 0;
        assert_int_equal(os_file_replace(path, "new", 3, "# HELPx", false),
                         cases[i].status);
        assert_int_equal(errno == EEXIST, cases[i].status < 0);
        assert_file("lookalikes/a", cases[i].status < 0 ? cases[i].old : "new");
    }
}

/* Makes a file whose last change was AGE seconds ago. */
static void
make_old(const char *name, const char *text, mode_t mode, int age)
{
    struct timespec times[2] = {{.tv_sec = time(NULL) - age},
                                {.tv_sec = time(NULL) - age}};
    const char *path = path_of(name);
    int fd = open(path, O_CREAT | O_WRONLY | O_TRUNC, mode);
    assert_true(fd >= 0);
    assert_int_equal(fchmod(fd, mode), 0);
    assert_int_equal(write(fd, text, strlen(text)), (int)strlen(text));
    close(fd);
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

/* The other names, modes and times are those of files that somebody has put there, or of
 * a run that is writing. */
TEST(what_a_killed_run_has_left_is_removed)
{
    static const struct {
        const char *name, *text;
        mode_t mode;
        int age;
        bool stays;
    } cases[] = {
        {"old/a.0123af", "# HELPx more", 0600, 61, false},
        {"old/a.012345", "# HE", 0600, 86400, false},
        {"old/a.abcdef", "", 0600, 3600, false},
        {"old/a.241124", "# HELPx more", 0644, 86400, true},
        {"old/a.00cafe", "# HELPx more", 0600, 0, true},
        {"old/a.00beef", "data", 0600, 3600, true},
        {"old/a.ABCDEF", "# HELPx", 0600, 3600, true},
        {"old/a.abcdefa", "# HELPx", 0600, 3600, true},
        {"old/a-abcdef", "# HELPx", 0600, 3600, true},
        {"old/b.abcdef", "# HELPx", 0600, 3600, true},
        {"old/a", "# HELPx", 0600, 3600, true},
    };
    make_directory("old");
    for (size_t i = 0; i < LENGTH(cases); i++)
        make_old(cases[i].name, cases[i].text, cases[i].mode, cases[i].age);
    assert_int_equal(link(path_of("old/b.abcdef"), path_of("old/a.111111")), 0);
    assert_int_equal(symlink("b.abcdef", path_of("old/a.222222")), 0);
    assert_int_equal(mkfifo(path_of("old/a.333333"), 0600), 0);
    os_file_clean(path_of("old/a"), "# HELPx");
    for (size_t i = 0; i < LENGTH(cases); i++)
        if ((access(path_of(cases[i].name), F_OK) == 0) != cases[i].stays)
            fail_msg("%s", cases[i].name);
    assert_int_equal(count_files("old"), 8 + 3);
    os_file_clean(path_of("missing/a"), "# HELPx");
}

/* Fills NAME with FOLDER, a slash and TEXT over and over, which makes LENGTH bytes. */
static void
make_long(char name[400], const char *folder, const char *text, size_t length)
{
    size_t start = (size_t)snprintf(name, 400, "%s/", folder);
    for (size_t i = 0; i < length; i++)
        name[start + i] = text[i % strlen(text)];
    name[start + length] = '\0';
}

/* Where the file system has no such names, there is nothing to see. The character has two
 * bytes, so that the name of the temporary file would end in the middle of one. */
TEST(a_name_may_be_as_long_as_the_file_system_allows)
{
    static const char *const texts[] = {"x", "\xc3\xa4"};
    static const size_t lengths[] = {246, 248, 250, 254};
    char name[400], left[500];
    make_directory("long");
    long most = pathconf(path_of("long"), _PC_NAME_MAX);
    for (size_t i = 0; i < LENGTH(lengths) * LENGTH(texts); i++) {
        size_t length = lengths[i / LENGTH(texts)];
        make_long(name, "long", texts[i % LENGTH(texts)], length);
        if (most < (long)length)
            continue;
        assert_int_equal(replace(name, "old"), 0);
        assert_int_equal(os_file_try(path_of(name), "new", 3, ""), 0);
        assert_file(name, "old");
        assert_int_equal(count_files("long"), 1);
        assert_int_equal(replace(name, "new"), 0);
        assert_file(name, "new");
        assert_int_equal(count_files("long"), 1);

        size_t start = length + BESIDE_ADDED <= 255 ? length : 255 - BESIDE_ADDED;
        snprintf(left, sizeof(left), "%.*s.0123af", (int)(5 + start), name);
        make_old(left, "# HELPx", 0600, 61);
        os_file_clean(path_of(name), "# HELPx");
        assert_int_equal(count_files("long"), 1);
        assert_int_equal(unlink(path_of(name)), 0);
    }
}

/* A path is limited as well. */
TEST(a_path_may_be_as_long_as_the_system_allows)
{
    char path[5000], folder[256];
    if (pathconf("/", _PC_PATH_MAX) != 4096)
        skip();
    int before = open(".", O_RDONLY | O_DIRECTORY);
    size_t length = (size_t)snprintf(path, sizeof(path), "%s", scratch());
    memset(folder, 'd', 200);
    folder[200] = '\0';
    assert_int_equal(chdir(path), 0);
    while (4095 - length > 256) { /* until the rest is one name, which may have 255 */
        assert_int_equal(mkdir(folder, 0755), 0);
        assert_int_equal(chdir(folder), 0);
        length += (size_t)snprintf(path + length, sizeof(path) - length, "/%s", folder);
    }
    assert_int_equal(fchdir(before), 0);
    close(before);

    path[length++] = '/';
    memset(path + length, 'x', 4095 - length);
    path[4095] = '\0';
    assert_int_equal(os_file_replace(path, "new", 3, "", false), 0);
    assert_int_equal(access(path, F_OK), 0);
    path[4095] = 'x';
    path[4096] = '\0';
    assert_int_equal(os_file_replace(path, "new", 3, "", false), -1);
    assert_int_equal(errno, ENAMETOOLONG);
}

TEST(a_temporary_name_never_cuts_a_character)
{
    static const struct {
        const char *name;
        size_t most, length;
    } cases[] = {
        {"", 14, 0},
        {"a", 14, 1},
        {"1234567", 14, 7},
        {"12345678", 14, 7},
        {"12345678", 15, 8},
        {"abcdef\xc3\xa4", 14, 6},
        {"abcde\xc3\xa4", 14, 7},
        {"\xf0\x9f\x98\x80", 10, 1},
        {"12", 0, 1},
        {"\x80\x80\x80\x80", 10, 1},
    };
    for (size_t i = 0; i < LENGTH(cases); i++)
        if (beside_length(cases[i].name, cases[i].most) != cases[i].length)
            fail_msg("%s of %zu", cases[i].name, cases[i].most);
}

/* Its writer may be stuck for longer than a minute. */
TEST(what_is_being_written_is_not_removed)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    const char *name = "locked/a.abcdef";
    int ends[2];
    make_directory("locked");
    make_old(name, "# HELPx", 0600, 3600);
    assert_int_equal(pipe(ends), 0);
    pid_t writer = fork();
    if (writer == 0) {
        int fd = open(path_of(name), O_WRONLY);
        int status = fcntl(fd, F_SETLK, &lock) < 0 || write(ends[1], "", 1) != 1;
        pause();
        _exit(status);
    }
    char byte;
    assert_int_equal(read(ends[0], &byte, 1), 1);
    os_file_clean(path_of("locked/a"), "# HELPx");
    assert_int_equal(access(path_of(name), F_OK), 0);
    kill(writer, SIGKILL);
    assert_int_equal(waitpid(writer, NULL, 0), writer);
    os_file_clean(path_of("locked/a"), "# HELPx");
    assert_int_equal(access(path_of(name), F_OK), -1);
    close(ends[0]);
    close(ends[1]);
}

TEST(a_pipe_is_read_as_it_comes)
{
    char bytes[8];
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "abc", 3), 3);
    assert_int_equal(os_stream_read(ends[0], bytes, 2), 2);
    assert_int_equal(os_stream_read(ends[0], bytes + 2, 6), 1);
    assert_memory_equal(bytes, "abc", 3);
    close(ends[1]);
    assert_int_equal(os_stream_read(ends[0], bytes, 8), 0);
    close(ends[0]);
    errno = 0;
    assert_int_equal(os_stream_read(ends[0], bytes, 8), -1);
    assert_int_equal(errno, EBADF);
}

/* Another user of a terminal or of a pipe may have made it so. */
TEST(a_pipe_that_does_not_wait_is_waited_for)
{
    char bytes[8];
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(fcntl(ends[0], F_SETFL, O_NONBLOCK), 0);
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        _exit(write(ends[1], "abc", 3) != 3);
    }
    close(ends[1]);
    assert_int_equal(os_stream_read(ends[0], bytes, 8), 3);
    assert_int_equal(os_stream_read(ends[0], bytes, 8), 0);
    close(ends[0]);
    assert_int_equal(waitpid(child, NULL, 0), child);
}
