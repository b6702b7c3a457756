/* Which engines exist, and the errors about engines that are missing. The linker (--wrap)
 * leads the library's system calls through this file, so that a test can refuse them. The
 * requests of engines are tested in test_queue.c. */
#include "support.h"

#include "io/io.h"

#include <sys/syscall.h>

enum { DEPTH = 4 };

static long refused_call = -1; /* number of the system call to refuse; -1: none, because
                                * 0 is a valid number on some processors */
static int refusal;            /* errno of the refused call */

long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);

long
__wrap_syscall(long number, ...)
{
    long argument[6];
    va_list list;
    va_start(list, number);
    for (int i = 0; i < 6; i++)
        argument[i] = va_arg(list, long);
    va_end(list);
    if (number == refused_call) {
        errno = refusal;
        return -1;
    }
    return __real_syscall(number, argument[0], argument[1], argument[2], argument[3],
                          argument[4], argument[5]);
}

static const char options[] = {'A', 'U'};

TEST(each_option_has_its_engine)
{
    assert_false(io_find_engine(0)->queues_requests);
    assert_non_null(io_find_engine(0)->name);
    for (size_t i = 0; i < sizeof(options); i++) {
        need_built_in(io_find_engine(options[i]));
        assert_int_equal(io_find_engine(options[i])->option, options[i]);
        assert_true(io_find_engine(options[i])->queues_requests);
    }
}

TEST(what_the_system_lacks_is_an_error_with_advice)
{
    char line[ERROR_LINE], expected[ERROR_LINE];
    const struct io_config none = {.fd = -1, .depth = 1};
    const struct io_engine *absent = io_find_engine('?');
    struct error error;
    assert_null(absent->name);
    errno = 0;
    assert_null(io_open(absent, "engine X", &none, &error));
    assert_int_equal(errno, ENOTSUP);
    assert_int_equal(error.status, EXIT_PREPARE);
    error_format(&error, line, sizeof(line));
    snprintf(expected, sizeof(expected),
             "ioping: engine X is not available here: %s; %s\n", strerror(ENOTSUP),
             io_find_engine('U')->name   ? "use -U instead"
             : io_find_engine('A')->name ? "use -A instead"
                                         : "use -threads instead");
    assert_string_equal(line, expected);
}

TEST(a_system_without_them_is_an_error_with_advice)
{
    static const struct {
        char option;
        long call;
        int number;
        const char *line;
    } cases[] = {
        {'U', SYS_io_uring_setup, ENOSYS,
         "ioping: io_uring is not available here: Function not implemented; "
         "use -A instead\n"},
        {'U', SYS_io_uring_setup, EPERM,
         "ioping: io_uring is not available here: Operation not permitted; "
         "use -A instead\n"},
        {'A', SYS_io_setup, ENOSYS,
         "ioping: Linux AIO is not available here: Function not implemented; "
         "use -U instead\n"},
        {'A', SYS_io_setup, EPERM,
         "ioping: Linux AIO is not available here: Operation not permitted; "
         "use -U instead\n"},
        {'A', SYS_io_setup, EAGAIN,
         "ioping: Linux AIO is not available here: Resource temporarily unavailable; "
         "raise fs.aio-max-nr, or use -U\n"},
    };
    need_built_in(io_find_engine('U')); /* the test plays Linux */
    for (size_t i = 0; i < LENGTH(cases); i++) {
        char memory[DEPTH * 8], line[ERROR_LINE];
        struct io_config small = {.depth = DEPTH, .memory = memory, .size = 8};
        struct error error;
        memset(&error, 'x', sizeof(error));
        const struct io_engine *none = io_find_engine(cases[i].option);
        refused_call = cases[i].call;
        refusal = cases[i].number;
        struct io_queue *queue = io_open(none, none->name, &small, &error);
        refused_call = -1;
        assert_null(queue);
        assert_int_equal(error.status, EXIT_PREPARE);
        error_format(&error, line, sizeof(line));
        assert_string_equal(line, cases[i].line);
    }
}
