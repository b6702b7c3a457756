#ifndef SUPPORT_SUPPORT_H
#define SUPPORT_SUPPORT_H

/* The header of every test: cmocka, what most need of the system, commands, conditions,
 * file systems and texts. */
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

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

/*
 * TEST(name) { ... } is a test. It registers itself: main() of the support runs all of a
 * program, in their order. With FIXTURE(before, after) each of those below it has one
 * called before it and one after it (NULL: none); GROUP_SETUP(function) is called once,
 * before all, or GROUP_SHELL(command) is run. At the end unmount_all is, unless there is
 * a GROUP_TEARDOWN(function).
 *
 * TEST_EACH(name, table) { ... } is a test for each row of an array of structs that have
 * a name: *state is the row, and "name_row" what the test is called. EXPECT_EACH(table)
 * makes such tests of an array of struct expected.
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
void test_add(const char *name, CMUnitTestFunction function);
void test_add_row(const char *name, const char *row, CMUnitTestFunction function,
                  const void *state);
void test_fixture(CMFixtureFunction before, CMFixtureFunction after);
void test_set_up(CMFixtureFunction function);
void test_tear_down(CMFixtureFunction function);

/*
 * Copies TEXT with every number (decimals included) as "#" and without the units after
 * it and the verdicts "fast" and "slow", to compare lines whose values are not known.
 * Allocated.
 */
char *masked(const char *text);

/* A text in printf form, of less than 2048 bytes, until the second call from then. */
const char *formatted(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Returns the process that does the work of a run that was started as PID: its child, or
 * PID itself where there is none. */
pid_t worker_of(pid_t pid);

/* Fails the test unless TEXT contains PART. */
void assert_contains(const char *text, const char *part);

/* Fails the test if TEXT contains PART. */
void assert_lacks(const char *text, const char *part);

/* Returns true if TEXT matches an extended regular expression; fails the test if that is
 * none. */
bool text_matches(const char *text, const char *expression);

/* Fails the test unless TEXT matches an extended regular expression. */
void assert_matches(const char *text, const char *expression);

/* Prints "crashed: signal N" if STATUS, in the form of a shell, says that a fault ended a
 * program: 139 for SIGSEGV. tests/run gives no second try to a test program that printed
 * this and failed. */
void note_crash(int status);

/* Waits for the process CHILD, and fails the test unless it ended with status 0. Notes a
 * crash. */
void assert_child_succeeds(pid_t child);

#endif
