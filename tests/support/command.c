/*
 * Runs shell commands for the tests. Each command is written as a script into the scratch
 * folder of the test program. It runs in its own process group and writes its output to
 * files, which are read after it has ended.
 */
#include "command.h"

#include "support.h"

#include "os/os.h"

#include <sys/prctl.h>

/* A non-interactive shell starts background programs with these signals ignored, and a
 * child inherits that. The tests send both signals. */
__attribute__((constructor)) static void
restore_default_signals(void)
{
    signal(SIGINT, SIG_DFL);
    signal(SIGQUIT, SIG_DFL);
}

static char scratch_path[1024];

const char *
scratch(void)
{
    if (!scratch_is_made()) {
        const char *top = getenv("IOPING_SCRATCH");
        snprintf(scratch_path, sizeof(scratch_path), "%s/XXXXXX", top ? top : "/tmp");
        if (!mkdtemp(scratch_path))
            abort();
        /* Some tests run a command as another user, who must be able to enter. */
        chmod(scratch_path, 0755);
    }
    return scratch_path;
}

bool
scratch_is_made(void)
{
    return scratch_path[0] != '\0';
}

/* Returns the contents of a file, allocated and NUL-terminated. SIZE becomes their number
 * of bytes without the NUL. */
static char *
read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    size_t room = 0;

    *size = 0;
    assert_non_null(file);
    do {
        room += 65536;
        text = realloc(text, room);
        assert_non_null(text);
        *size += fread(text + *size, 1, room - *size - 1, file);
    } while (*size == room - 1);

    text[*size] = '\0';
    fclose(file);
    return text;
}

/* The first lines of each script: they enter the scratch folder, set $tests to the folder
 * of the tests, and read the shell functions. The two %s after the first are both the
 * name of the test program. */
static const char preamble[] =
    "cd '%s' && tests=${IOPING_SOURCE:-$OLDPWD}/tests || exit\n"
    ". \"$tests/support/commands.sh\"\n"
    "[ ! -e \"$tests/%s.sh\" ] || . \"$tests/%s.sh\"\n";

/* Returns the path of this program below the folder of the tests, such as
 * "cli/test_hang". */
static const char *
test_program_name(void)
{
    const char *name = program_invocation_name;
    const char *found;
    while ((found = strstr(name, "tests/")))
        name = found + strlen("tests/");
    return name;
}

/* Copies a text into the folder $IOPING_JSON if it is JSON as ioping writes it. At the
 * end tests/run validates all files of that folder. */
static void
save_json(const char *text, size_t size)
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

/* Saves the file "o" as save_json does, if it is not older than SCRIPT. Tests use this
 * name for the output of runs in the background. */
static void
save_json_of_background_run(const char *script)
{
    char path[1100];
    struct stat before, after;
    size_t size;
    snprintf(path, sizeof(path), "%s/o", scratch());
    if (stat(script, &before) < 0 || stat(path, &after) < 0 || !S_ISREG(after.st_mode) ||
        after.st_mtime < before.st_mtime || access(path, R_OK) < 0)
        return;
    char *text = read_file(path, &size);
    save_json(text, size);
    free(text);
}

/* Starts a shell in its own process group and returns the group. The shell gets SIGTERM
 * when this program ends, even if this program is killed. */
static pid_t
start_group(const char *text)
{
    /* Orphaned processes of the group become children of this program, so that
     * command_stop can wait for them. */
    prctl(PR_SET_CHILD_SUBREAPER, 1);
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

/* A background process must not go on writing to files that the next command uses. A
 * process that is stuck in the kernel cannot be killed, so it is left after 5 s. */
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
    fprintf(file, preamble, scratch(), test_program_name(), test_program_name());
    vfprintf(file, format, list);
    fprintf(file, "\n");
    fclose(file);
    return path;
}

bool
has_direct_io(void)
{
    errno = 0;
    return os_file_direct(-1, true) == 0 || errno != ENOTSUP;
}

/* Removes the lines that the program prints for every target on a system without direct
 * I/O, and returns the new length. Most tests expect no such lines. They have their own
 * test, unit/target/test_io_mode.c. */
static size_t
drop_direct_io_notes(char *text)
{
    static const char *const notes[] = {
        "direct I/O not supported: evicting the page cache before each request instead\n",
        "direct I/O not supported: flushing the page cache after each request instead\n",
        "cannot tell whether reads come from the page cache; compare with -C\n"};
    for (size_t i = 0; i < sizeof(notes) / sizeof(notes[0]); i++) {
        char *found;
        while ((found = strstr(text, notes[i]))) {
            char *line = found;
            char *after = found + strlen(notes[i]);
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
    note_crash(result.status);

    result.out = read_file(out, &result.out_size);
    result.err = read_file(err, &ignored);
    if (!has_direct_io()) {
        drop_direct_io_notes(result.err);
        /* Binary output, which contains NUL bytes, is left alone. */
        if (strlen(result.out) == result.out_size)
            result.out_size = drop_direct_io_notes(result.out);
    }
    save_json(result.out, result.out_size);
    save_json_of_background_run(script);
    if (result.status == 124 || result.status == 137)
        fail_msg("timed out: %s\nstdout: %s\nstderr: %s", read_file(script, &ignored),
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

/* Skips the test if the command ended with status LACKS although another status was
 * expected. The reason for the skip is the last line of its stderr. */
static void
skip_if_lacking(struct result *result, int expected)
{
    static char reason[256] = "the system lacks what the test needs";
    if (result->status != LACKS || expected == LACKS)
        return;
    for (char *line = strtok(result->err, "\n"); line; line = strtok(NULL, "\n"))
        snprintf(reason, sizeof(reason), "%s", line);
    command_free(result);
    skip_because(reason);
}

struct result
command_status(int status, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    struct result result = run_shell(format, list);
    va_end(list);
    skip_if_lacking(&result, status);
    if (result.status != status)
        fail_msg("status %d, not %d: %s\nstdout: %s\nstderr: %s", result.status, status,
                 format, result.out, result.err);
    return result;
}

/* Returns true if TEXT is what the argument EXPECTED of expect() describes. */
static bool
is_expected(const char *text, const char *expected)
{
    if (!expected)
        return true;
    if (expected[0] == '~')
        return text_matches(text, expected + 1);
    return strcmp(text, expected) == 0;
}

/* Returns true if TEXT, the stderr of a command that ended with STATUS, is what the
 * argument ERR of expect() describes. */
static bool
is_expected_error(const char *text, const char *err, int status)
{
    bool usage_error = status == 1 && err && strncmp(err, "ioping: ", 8) == 0;
    if (!usage_error)
        return is_expected(text, err);
    size_t length = strlen(err);
    return strncmp(text, err, length) == 0 && strcmp(text + length, TRY) == 0;
}

static const char *
expected_or_anything(const char *expected)
{
    return expected ? expected : "anything\n";
}

void
expect(int status, const char *out, const char *err, const char *format, ...)
{
    char text[512];
    va_list list, list_copy;

    va_start(list, format);
    va_copy(list_copy, list);
    struct result result = run_shell(format, list);
    vsnprintf(text, sizeof(text), format, list_copy);
    va_end(list_copy);
    va_end(list);

    skip_if_lacking(&result, status);
    if ((status >= 0 && result.status != status) || !is_expected(result.out, out) ||
        !is_expected_error(result.err, err, status))
        fail_msg("%s\nstatus %d, expected: %d\n--- stdout:\n%s--- expected:\n%s"
                 "--- stderr:\n%s--- expected:\n%s---",
                 text, result.status, status, result.out, expected_or_anything(out),
                 result.err, expected_or_anything(err));
    command_free(&result);
}

void
expect_variants(const struct variant *variants, size_t count, const char *command)
{
    const char *place = strstr(command, "%s");
    for (size_t i = 0; i < count; i++)
        expect(variants[i].status, variants[i].out, variants[i].err, "%.*s%s%s",
               (int)(place - command), command, variants[i].arguments, place + 2);
}

void
expect_row(void **state)
{
    const struct expected *row = *state;
    need(row->needs);
    expect(row->status, row->out, row->err, "%s",
           row->command ? row->command : row->name);
}

void
command_free(struct result *result)
{
    free(result->out);
    free(result->err);
    *result = (struct result){0};
}

/* Also restores the default actions of SIGHUP and SIGPIPE, as at a terminal. What started
 * the tests may ignore them, and the commands would inherit that. */
int
make_files(void **state)
{
    (void)state;
    signal(SIGHUP, SIG_DFL);
    signal(SIGPIPE, SIG_DFL);
    shell("head -c 1048576 /dev/urandom >data && cp data copy && mkdir d && "
          "sync data copy");
    return 0;
}

int
make_folder(void **state)
{
    (void)state;
    shell("rm -rf f && mkdir f");
    return 0;
}
