#ifndef SUPPORT_SUPPORT_H
#define SUPPORT_SUPPORT_H

/* The header that every test includes: cmocka, common system headers, and the support for
 * commands, conditions of tests, file systems and texts. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "command.h"
#include "mounts.h"
#include "needs.h"

/* Returns the number of elements of an array. */
#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

/*
 * TEST(name) { ... } defines a test, which registers itself. The main function in main.c
 * runs all tests of a program in the order of their definitions.
 *
 * TEST_EACH(name, table) { ... } defines a test for each row of an array of structs with
 * a field `name`. *state is the row. The test is called "name_ROW", after its row.
 * EXPECT_EACH(table) defines a test for each row of an array of struct expected.
 *
 * FIXTURE(before, after) sets the functions that are called before and after each of the
 * tests below it. NULL stands for no function. Before all tests GROUP_SETUP(function) is
 * called, or the command of GROUP_SHELL(command) is run. After all tests unmount_all is
 * called, or the function of GROUP_TEARDOWN(function) instead.
 */
#define TEST(name)                              \
    static void name(void **);                  \
    AT_START(add_##name, test_add(#name, name)) \
    static void name(void **state __attribute__((unused)))
#define FIXTURE(before, after) AT_START(before##_##after, test_fixture(before, after))
#define GROUP_SETUP(function) AT_START(call_##function, test_set_up(function))
#define GROUP_SHELL(...)                \
    static int call_shell(void **state) \
    {                                   \
        (void)state;                    \
        shell(__VA_ARGS__);             \
        return 0;                       \
    }                                   \
    GROUP_SETUP(call_shell)
#define GROUP_TEARDOWN(function) AT_START(call_##function, test_tear_down(function))
#define TEST_EACH(test, table)                                                           \
    static void test(void **);                                                           \
    AT_START(add_##test, for (size_t i = 0; i < sizeof(table) / sizeof((table)[0]); i++) \
                             test_add_row(#test, (table)[i].name, test, &(table)[i]))    \
    static void test(void **state __attribute__((unused)))
#define EXPECT_EACH(table)                                                         \
    AT_START(add_##table, for (size_t i = 0; i < LENGTH(table); i++) test_add_row( \
                              "", (table)[i].name, expect_row, &(table)[i]))
#define AT_START(name, call)                            \
    __attribute__((constructor)) static void name(void) \
    {                                                   \
        call;                                           \
    }

/* The functions behind these macros: add a test; add a test for the table row ROW, whose
 * address becomes *state; set the fixture of the tests added later; set the functions
 * that are called before and after all tests. */
void test_add(const char *name, CMUnitTestFunction function);
void test_add_row(const char *name, const char *row, CMUnitTestFunction function,
                  const void *state);
void test_fixture(CMFixtureFunction before, CMFixtureFunction after);
void test_set_up(CMFixtureFunction function);
void test_tear_down(CMFixtureFunction function);

/*
 * Returns a copy of TEXT, allocated, for comparing lines with unknown values. In the copy
 * each number, with its decimals and its unit, is "#", and the verdicts " (fast)" and
 * " (slow)" are left out.
 */
char *masked(const char *text);

/* Returns a text in printf form, of less than 2048 bytes. It is valid until formatted()
 * has been called two more times. */
const char *formatted(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Returns the process that does the work of a run that was started as process PID. That
 * is its child, or PID itself if it has no child. */
pid_t worker_of(pid_t pid);

/* Fails the test unless TEXT contains PART. */
void assert_contains(const char *text, const char *part);

/* Fails the test if TEXT contains PART. */
void assert_lacks(const char *text, const char *part);

/* Returns true if TEXT matches EXPRESSION. Fails the test if EXPRESSION is not a valid
 * extended regular expression. */
bool text_matches(const char *text, const char *expression);

/* Fails the test unless TEXT matches EXPRESSION, an extended regular expression. */
void assert_matches(const char *text, const char *expression);

/* Prints "crashed: signal N" if STATUS says that a crash ended a program. STATUS is in
 * the form of a shell: 128 + the signal, such as 139 for SIGSEGV. tests/run never retries
 * a test program that printed this line and failed. */
void note_crash(int status);

/* Waits for the process CHILD, and fails the test unless it ended with status 0. Also
 * calls note_crash. */
void assert_child_succeeds(pid_t child);

#endif
