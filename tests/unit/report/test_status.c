/* Times at which the status line is drawn and erased. */
#include "support.h"

#include "base/time.h"
#include "report/outputs.h"
#include "report/report.h"
#include "report/status.h"
#include "run/job.h"

#define BEGAN (5 * SECOND) /* by the clock of the tests */

/* Two seconds without an interval. */
static struct plan
plain(void)
{
    return (struct plan){.io.threads = 1,
                         .pace.burst = 1,
                         .end.max_requests = UINT64_MAX,
                         .end.work_time = 2 * SECOND};
}

/* Three requests of 2 ms. */
static struct stats *
equal(void)
{
    struct stats *stats = calloc(1, sizeof(*stats));
    struct sample sample = {.latency = 2 * MS, .verdict = VERDICT_NONE};
    assert_non_null(stats);
    for (int i = 0; i < 3; i++)
        stats_record(stats, &sample);
    return stats;
}

/* A file in place of stderr, 80 columns wide like all that is no terminal. */
static int saved = -1;

static void
catch_stderr(void)
{
    char path[1100];
    snprintf(path, sizeof(path), "%s/stderr", scratch());
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0);
    saved = dup(2);
    dup2(fd, 2);
    close(fd);
}

static int
release_stderr(void **state)
{
    (void)state;
    if (saved >= 0) {
        dup2(saved, 2);
        close(saved);
    }
    saved = -1;
    return 0;
}

static void
tick(struct status *status, const struct job *job, int64_t now)
{
    report_status.tick(&(struct report){.status = status}, job, 1, now, false);
}

/* Empties it; fails the test unless exactly this has been written. */
static void
check_written(const char *expected)
{
    char text[1024] = "";
    ssize_t size = pread(2, text, sizeof(text) - 1, 0);
    assert_int_equal(ftruncate(2, 0), 0);
    assert_int_equal(lseek(2, 0, SEEK_SET), 0);
    if (size != (ssize_t)strlen(expected) || strcmp(text, expected) != 0) {
        release_stderr(NULL);
        fail_msg("written: %s", text + (text[0] == '\r'));
    }
}

#define LINE(begin, end) \
    "\r" begin "  3 requests  p50 2 ms  p99 -  max 2 ms" end "\033[K\r"
#define HALF LINE("[##########----------]  50%", "  1 s left")

/* Chooses a locale without UTF-8, whatever the user's is. */
static int
choose_locale(void **state)
{
    (void)state;
    return setenv("LC_ALL", "C", 1);
}

FIXTURE(NULL, release_stderr)

GROUP_SETUP(choose_locale)

TEST(it_is_drawn_late_and_again_when_it_changes)
{
    struct plan plan = plain();
    struct stats *stats = equal();
    const struct job job = {.stats = stats};
    catch_stderr();
    struct status *status = status_open(&plan, 1, BEGAN);
    tick(status, &job, BEGAN + 199 * MS);
    status_pause(status);
    status_resume(status);
    check_written("");
    tick(status, &job, BEGAN + 200 * MS);
    check_written(LINE("[##------------------]  10%", "  1.80 s left"));
    tick(status, &job, BEGAN + SECOND);
    check_written(HALF);
    tick(status, &job, BEGAN + SECOND);
    check_written("");
    status_close(status);
    check_written("\r\033[K");
    free(stats);
}

TEST(it_is_hidden_once_and_comes_back)
{
    struct plan plan = plain();
    struct stats *stats = equal();
    const struct job job = {.stats = stats};
    catch_stderr();
    struct status *status = status_open(&plan, 1, BEGAN);
    tick(status, &job, BEGAN + SECOND);
    check_written(HALF);
    status_pause(status);
    status_resume(status);
    check_written("\r\033[K");
    status_pause(status);
    status_resume(status);
    check_written("");
    tick(status, &job, BEGAN + SECOND);
    check_written(HALF);
    status_pause(status);
    status_resume(status);
    check_written("\r\033[K");
    status_close(status);
    check_written("");
    free(stats);
}

/* Not of a file; on terminals see the tests of the whole program. */
TEST(without_a_terminal_none_is_wanted)
{
    setenv("TERM", "xterm", 1);
    catch_stderr();
    assert_false(status_possible());
}
