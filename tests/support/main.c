/* The main function of every test program. The tests of the program have registered
 * themselves before. */
#include "support.h"

static struct CMUnitTest tests[100];
static size_t count;
static struct CMUnitTest fixture; /* setup and teardown of the tests added from now on */
static CMFixtureFunction set_up;  /* called once, before all tests */
static CMFixtureFunction tear_down = unmount_all; /* called once, after all tests */

void
test_add(const char *name, CMUnitTestFunction function)
{
    if (count == sizeof(tests) / sizeof(tests[0]))
        abort();
    tests[count] = fixture;
    tests[count].name = name;
    tests[count++].test_func = function;
}

void
test_add_row(const char *name, const char *row, CMUnitTestFunction function,
             const void *state)
{
    size_t size = strlen(name) + strlen(row) + 2;
    char *full_name = malloc(size);
    if (!full_name)
        abort();
    snprintf(full_name, size, "%s%s%s", name, *name ? "_" : "", row);
    for (char *at = full_name; (at = strpbrk(at, " .-")); at++)
        *at = '_';

    test_add(full_name, function);
    tests[count - 1].initial_state = (void *)(uintptr_t)state;
}

void
test_fixture(CMFixtureFunction before, CMFixtureFunction after)
{
    fixture.setup_func = before;
    fixture.teardown_func = after;
}

void
test_set_up(CMFixtureFunction function)
{
    set_up = function;
}

void
test_tear_down(CMFixtureFunction function)
{
    tear_down = function;
}

int
main(int argc, char **argv)
{
    const char *slash = argc > 0 ? strrchr(argv[0], '/') : NULL;
    int failed = _cmocka_run_group_tests(slash ? slash + 1 : "tests", tests, count,
                                         set_up, tear_down);
    /* A failed test stops in the middle and does not free its memory. A leak checker
     * would report that memory when the process exits, and tests/run would take the
     * report for a fault of the tested program. exec replaces the process before a
     * checker can look. */
    if (failed != 0) {
        fflush(NULL);
        execl("/bin/sh", "sh", "-c", "exit 1", (char *)NULL);
        _exit(1);
    }
    return 0;
}
