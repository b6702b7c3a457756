#ifndef SUPPORT_COMMAND_H
#define SUPPORT_COMMAND_H

/* Commands of a shell, run in the scratch folder of a test program. */
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include <sys/types.h>

/* The end of a command; freed by command_free. */
struct result {
    char *out, *err; /* stdout and stderr, NUL-terminated */
    size_t out_size;
    int status; /* exit status, or 128 + the signal that ended it */
};

/*
 * Runs a shell command, given in printf form, in the scratch folder and waits
 * for it, 150 s at most (then it is killed and the test fails). Its background processes
 * are killed then. The command may use the functions of tests/support/commands.sh and of
 * the file of sh beside the test program's source, such as tests/cli/test_hang.sh.
 */
struct result command(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The status of a command for which the system lacks something: the last line of its
 * stderr says what, as by lacks() of commands.sh. */
#define LACKS 77

/* The last line after each usage error. */
#define TRY "Try 'ioping -h' for help.\n"

/* Runs a command as command() does; fails the test with all output unless it ends with
 * STATUS; one that ends with LACKS skips it. */
struct result command_status(int status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * Runs a command as command() does; fails the test with all output unless it ends with
 * STATUS (-1: whatever it is), and stdout and stderr are OUT and ERR, to the byte. One
 * that is NULL may have anything; one that begins with ~ is an extended regular
 * expression. After an ERR of ioping with STATUS 1, TRY has to follow. A command that
 * ends with LACKS skips the test.
 */
void expect(int status, const char *out, const char *err, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* A command that is expected to end in many ways, each by other arguments. */
struct variant {
    const char *arguments;
    int status;
    const char *out, *err; /* as expect() has them */
};

/* Runs COMMAND for each of COUNT variants, whose arguments take the place of its "%s",
 * and expects of it what the variant says. */
void expect_variants(const struct variant *variants, size_t count, const char *command);

/* Runs a command that has to succeed, and whose output is nobody's. */
#define shell(...) expect(0, NULL, NULL, __VA_ARGS__)

/* A test that is one command, for a table of them. */
struct expected {
    const char *name;  /* of the test */
    const char *needs; /* see need() */
    int status;
    const char *out, *err; /* as expect() has them */
    const char *command;   /* NULL: NAME, which is a function of sh */
};

/* Does what struct expected says; a test whose *STATE is one. */
void expect_row(void **state);

/* Frees the output of a command. */
void command_free(struct result *result);

/* Writes a command, in printf form, as a script NAME into the scratch folder. Returns its
 * path, which is valid until the next call; fails the test if it cannot be written. */
const char *command_script(const char *name, const char *format, va_list list)
    __attribute__((format(printf, 2, 0)));

/* Kills a process group that this program started, and waits 5 s at most for its end. */
void command_stop(pid_t group);

/* The path of the folder for this program's files, below $IOPING_SCRATCH or else /tmp,
 * made by the first call. Aborts if it cannot be made. scratch_is_made() tells of that.
 */
const char *scratch(void);
bool scratch_is_made(void);

/* A group setup: makes file data of 1 MiB, its copy, and folder d, all flushed to the
 * disk. Returns 0; a failure fails the test. */
int make_files(void **state);

/* A setup: makes an empty folder f. Returns 0; a failure fails the test. */
int make_folder(void **state);

/* Returns true if the program was built for a system that has direct I/O. */
bool has_direct_io(void);

#endif
