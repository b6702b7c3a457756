/* The clocks, and sleeping until a time. */
#include "support.h"

#include "base/time.h"
#include "os/os.h"

#include <sys/time.h>
#include <time.h>

TEST(sleeping_until_the_past_returns_at_once)
{
    int64_t now = os_clock_now();
    assert_int_equal(os_sleep_until(now - 60000 * MS), 0);
    assert_int_equal(os_sleep_until(0), 0);
    assert_true(os_clock_now() - now < 30000 * MS);
}

TEST(sleeping_lasts_until_the_time_asked_for)
{
    int64_t when = os_clock_now() + 20 * MS;
    os_clock_sharpen();
    assert_int_equal(os_sleep_until(when), 0);
    assert_true(os_clock_now() >= when);
}

static void
ignore(int number)
{
    (void)number;
}

TEST(a_signal_ends_a_sleep)
{
    struct sigaction action = {.sa_handler = ignore, .sa_flags = SA_RESTART};
    struct itimerval often = {{0, 20000}, {0, 20000}}, never = {{0, 0}, {0, 0}};
    int64_t when = os_clock_now() + 20000 * MS;
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    int status = os_sleep_until(when);
    int number = errno;
    setitimer(ITIMER_REAL, &never, NULL);
    assert_int_equal(status, -1);
    assert_int_equal(number, EINTR);
    assert_true(os_clock_now() < when);
}

TEST(the_clocks_are_those_of_the_system)
{
    struct timespec before, after;
    clock_gettime(CLOCK_MONOTONIC, &before);
    int64_t now = os_clock_now();
    clock_gettime(CLOCK_MONOTONIC, &after);
    assert_true(now >= before.tv_sec * 1000 * MS + before.tv_nsec);
    assert_true(now <= after.tv_sec * 1000 * MS + after.tv_nsec);
    int64_t earliest = (int64_t)time(NULL), wall = os_clock_wall() / (1000 * MS);
    assert_in_range(wall, earliest, (int64_t)time(NULL) + 1); /* which may lag behind */
}
