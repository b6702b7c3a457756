#ifndef SUPPORT_COMMAND_H
#define SUPPORT_COMMAND_H

/* Shell commands, run in the scratch folder of a test program. */
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include <sys/types.h>

/* The output and status of a command that has ended. Freed by command_free. */
struct result {
    char *out, *err; /* stdout and stderr, NUL-terminated */
    size_t out_size; /* bytes of stdout, which may contain NUL bytes */
    int status;      /* exit status, or 128 + the signal that ended the command */
};

/*
 * Runs a shell command, given in printf form, in the scratch folder and waits for its
 * end. After 150 s the command is killed and the test fails. Processes that the command
 * left in the background are killed when it ends. The command may use the functions of
 * tests/support/commands.sh and of the shell file beside the test program's source, such
 * as tests/cli/test_hang.sh.
 */
struct result command(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The status with which a command says that the system lacks something. The last line of
 * its stderr says what is missing. The shell function lacks() ends a command like that.
 */
#define LACKS 77

/* The last line of stderr after each usage error of the program. */
#define TRY "Try 'ioping -h' for help.\n"

/* Runs a command as command() does. Fails the test, with all output, unless the command
 * ends with STATUS. A command that ends with LACKS instead skips the test. */
struct result command_status(int status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * Runs a command as command() does. Fails the test, with all output, unless the command
 * ends with STATUS (-1: any status), its stdout is OUT and its stderr is ERR. Each text
 * is compared to the byte. If the expected text is NULL, any output is right. If it
 * begins with ~, the rest is an extended regular expression that must match. If STATUS is
 * 1 and ERR begins with "ioping: ", it is a usage error, and TRY must follow it on
 * stderr. A command that ends with LACKS instead skips the test.
 */
void expect(int status, const char *out, const char *err, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Arguments for a command, and how the command ends with them. */
struct variant {
    const char *arguments;
    int status;
    const char *out, *err; /* expected stdout and stderr, as for expect() */
};

/* Runs COMMAND once for each of COUNT variants, as expect() does. The arguments of the
 * variant replace the "%s" of COMMAND. */
void expect_variants(const struct variant *variants, size_t count, const char *command);

/* Runs a command that must succeed. Its output does not matter. */
#define shell(...) expect(0, NULL, NULL, __VA_ARGS__)

/* A test that consists of one command: a row of a table for EXPECT_EACH. */
struct expected {
    const char *name;  /* name of the test */
    const char *needs; /* conditions of the test, a list for need() */
    int status;
    const char *out, *err; /* expected stdout and stderr, as for expect() */
    const char *command;   /* NULL: the shell function with the name of the test */
};

/* The function of such a test: runs the command of the struct expected at *STATE. */
void expect_row(void **state);

/* Frees the output of a command. */
void command_free(struct result *result);

/* Writes a command, in printf form, as a script NAME into the scratch folder. Returns the
 * path of the script, which is valid until the next call. Fails the test if the script
 * cannot be written. */
const char *command_script(const char *name, const char *format, va_list list)
    __attribute__((format(printf, 2, 0)));

/* Kills a process group that this program started, and waits at most 5 s for its end. */
void command_stop(pid_t group);

/* Returns the path of the scratch folder: the folder for this program's files, below
 * $IOPING_SCRATCH or, without that variable, /tmp. The first call makes the folder, and
 * aborts if that fails. */
const char *scratch(void);

/* Returns true if scratch() has made the scratch folder. */
bool scratch_is_made(void);

/* For GROUP_SETUP: makes the file "data" of 1 MiB of random bytes, its copy "copy", and
 * the folder "d". Both files are flushed to the disk. Returns 0; a failure fails the
 * test. */
int make_files(void **state);

/* For FIXTURE: makes an empty folder "f". Returns 0; a failure fails the test. */
int make_folder(void **state);

/* Returns true if the program was built for a system that has direct I/O. */
bool has_direct_io(void);

#endif
