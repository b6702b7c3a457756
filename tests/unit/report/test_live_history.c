/* The recent past of a row of the live screen: figures and columns of the heat map. */
#include "support.h"

#include "base/time.h"
#include "report/live_history.h"
#include "stats/stats.h"

/* The histories and statistics are too large for a stack. */
static struct live_history history;
static struct stats stats;
static struct histogram working;

static int
clear_all(void **state)
{
    (void)state;
    memset(&history, 0, sizeof(history));
    memset(&stats, 0, sizeof(stats));
    return 0;
}

/* COUNT requests of LATENCY ns end. */
static void
add_requests(int count, int64_t latency)
{
    struct sample sample = {.latency = latency, .verdict = VERDICT_NONE};
    for (int i = 0; i < count; i++)
        stats_record(&stats, &sample);
}

static void
add_failures(int count)
{
    struct sample sample = {.error = EIO, .verdict = VERDICT_ERROR};
    for (int i = 0; i < count; i++)
        stats_record(&stats, &sample);
}

/* A tick, ELAPSED ns after the start of the run. */
static struct live_figures
figures_at(int64_t elapsed)
{
    struct live_figures figures;
    live_history_add(&history, &stats, SCOPE_ALL, elapsed);
    live_history_figures(&history, &stats, SCOPE_ALL, &working, &figures);
    return figures;
}

/* Histograms are exact to 1/256. */
static void
assert_near(int64_t value, int64_t expected)
{
    if (llabs(value - expected) > expected / 128)
        fail_msg("%lld, not %lld", (long long)value, (long long)expected);
}

/* Returns how many requests the column has. */
static int
column_sum(int scale, int age)
{
    const uint16_t *column = live_history_column(&history, scale, history.elapsed, age);
    int sum = 0;
    for (int bin = 0; bin < LIVE_BINS; bin++)
        sum += column ? column[bin] : 0;
    return sum;
}

FIXTURE(clear_all, NULL)

TEST(without_requests_nothing_is_known)
{
    struct live_figures figures = figures_at(100 * MS);
    assert_int_equal(figures.now, -1);
    assert_int_equal(figures.p50, -1);
    assert_int_equal(figures.recent_max, -1);
    assert_int_equal(figures.requests, 0);
    assert_true(figures.rate < 1e-9);
    assert_null(live_history_column(&history, 0, history.elapsed, 1));
    assert_int_equal(column_sum(0, 0), 0);
}

/* What was the newest column stays so while the screen is paused. */
TEST(columns_are_found_by_their_time)
{
    for (int second = 0; second < 300; second++) {
        add_requests(second + 1, MS);
        figures_at(second * SECOND + MS);
    }
    for (int age = 0; age < 10; age++) {
        const uint16_t *column = live_history_column(&history, 0, 200 * SECOND - MS, age);
        assert_int_equal(column[histogram_bin(MS) >> LIVE_BIN_SHIFT], 200 - age);
    }
    assert_non_null(live_history_column(&history, 0, 44 * SECOND, 0));
    assert_null(live_history_column(&history, 0, 44 * SECOND, 1));
    assert_null(live_history_column(&history, 0, SECOND, 0));
}

/* p99 needs 99 requests. */
TEST(figures_are_those_of_the_statistics)
{
    add_requests(80, MS);
    add_requests(18, 2 * MS);
    assert_int_equal(figures_at(SECOND).p99, -1);
    add_requests(2, 7 * MS + 1);
    add_failures(3);
    struct live_figures figures = figures_at(2 * SECOND);
    assert_near(figures.p50, MS);
    assert_near(figures.p99, 7 * MS);
    assert_int_equal(figures.max, 7 * MS + 1);
    assert_int_equal(figures.requests, 103);
    assert_int_equal(figures.failed, 3);
    assert_int_equal(figures.now, 7 * MS + 1);
    assert_true(fabs(figures.rate - 103.0 / 2) < 0.01);
}

TEST(now_is_the_mean_of_the_latest_requests)
{
    add_requests(5, 9 * MS);
    assert_int_equal(figures_at(SECOND).now, 9 * MS);
    add_requests(1, MS);
    add_requests(1, 3 * MS);
    assert_int_equal(figures_at(2 * SECOND).now, 2 * MS);
    assert_int_equal(figures_at(3 * SECOND).now, 2 * MS);
}

TEST(recent_figures_forget_after_ten_seconds)
{
    add_requests(200, 8 * MS);
    struct live_figures figures = figures_at(SECOND / 2);
    assert_near(figures.recent_p50, 8 * MS);
    add_requests(200, MS);
    figures = figures_at(9 * SECOND);
    assert_near(figures.recent_p99, 8 * MS);
    assert_int_equal(figures.recent_max, 8 * MS);
    figures = figures_at(10 * SECOND);
    assert_near(figures.recent_p99, MS);
    assert_near(figures.recent_max, MS);
    assert_int_equal(figures.max, 8 * MS);
    assert_near(figures.p99, 8 * MS);
    assert_true(fabs(figures.rate - 200.0 / 9.5) < 0.01);
    assert_int_equal(figures_at(60 * SECOND).recent_p50, -1);
}

TEST(columns_have_the_requests_of_their_time)
{
    for (int second = 0; second < 12; second++) {
        add_requests(second + 1, MS);
        figures_at(second * SECOND + MS);
    }
    for (int age = 0; age < 12; age++)
        assert_int_equal(column_sum(0, age), 12 - age);
    assert_null(live_history_column(&history, 0, history.elapsed, 12));
    assert_int_equal(column_sum(1, 0), 11 + 12);
    assert_int_equal(column_sum(1, 5), 1 + 2);
    assert_int_equal(column_sum(2, 2), 1 + 2 + 3 + 4 + 5);
    assert_int_equal(column_sum(5, 0), 12 * 13 / 2);
    assert_int_equal(live_history_column(&history, 0, history.elapsed,
                                         0)[histogram_bin(MS) >> LIVE_BIN_SHIFT],
                     12);
}

/* As after a stop of an hour. */
TEST(columns_without_a_tick_are_empty)
{
    add_requests(3, MS);
    figures_at(SECOND / 2);
    add_requests(4, MS);
    figures_at(3600 * SECOND);
    assert_int_equal(column_sum(0, 0), 4);
    for (int age = 1; age < LIVE_COLUMNS; age++)
        assert_int_equal(column_sum(0, age), 0);
    assert_int_equal(column_sum(5, 60), 3);
    assert_int_equal(column_sum(5, 0), 4);
}

TEST(a_count_stops_at_its_maximum)
{
    add_requests(70000, MS);
    figures_at(SECOND);
    add_requests(70000, MS);
    figures_at(SECOND + MS);
    assert_int_equal(column_sum(0, 0), UINT16_MAX);
    assert_int_equal(figures_at(SECOND + 2 * MS).requests, 140000);
}

TEST(a_reset_counts_from_now_on)
{
    add_requests(500, 8 * MS);
    add_failures(4);
    figures_at(SECOND);
    live_history_reset(&history);
    struct live_figures figures = figures_at(SECOND + MS);
    assert_int_equal(figures.requests, 0);
    assert_int_equal(figures.failed, 0);
    assert_int_equal(figures.max, -1);
    assert_int_equal(figures.recent_p50, -1);
    assert_int_equal(column_sum(0, 0), 0);
    add_requests(100, 3 * MS);
    add_failures(1);
    figures = figures_at(2 * SECOND);
    assert_int_equal(figures.requests, 101);
    assert_int_equal(figures.failed, 1);
    assert_near(figures.p50, 3 * MS);
    assert_near(figures.p99, 3 * MS);
    assert_near(figures.max, 3 * MS);
    assert_int_equal(column_sum(0, 0), 100);
}

/* Ticks do not come at the start of a second. */
TEST(a_constant_rate_is_exact)
{
    for (int tick = 1; tick < 300; tick++) {
        add_requests(90, MS);
        assert_true(fabs(figures_at(tick * 90 * MS).rate - 1000) < 0.01);
    }
}

/* The time of the rate begins with the reset, until that is ten seconds ago. */
TEST(the_rate_after_a_reset_is_that_of_the_time_since)
{
    for (int second = 1; second <= 20; second++) {
        add_requests(100, MS);
        figures_at(second * SECOND);
    }
    figures_at(20 * SECOND + SECOND / 2);
    live_history_reset(&history);
    assert_true(figures_at(20 * SECOND + SECOND / 2).rate < 1e-9);
    add_requests(50, MS);
    assert_true(fabs(figures_at(21 * SECOND).rate - 100) < 0.01);
    add_requests(300, MS);
    assert_true(fabs(figures_at(24 * SECOND).rate - 100) < 0.01);
    add_requests(1000, MS);
    assert_true(fabs(figures_at(40 * SECOND).rate - 1000.0 / 16) < 0.01);
}

/* The table shows an operation in a row of its own. */
TEST(an_operation_has_its_own_figures)
{
    struct live_figures figures;
    struct sample sample = {.verdict = VERDICT_NONE};
    assert_true(operation_mix_find("rw", &stats.mix));
    for (int i = 0; i < 10; i++) {
        sample.operation = stats.mix.turns[i % 2];
        sample.latency = i % 2 ? MS : 5 * MS;
        stats_record(&stats, &sample);
    }
    enum scope scope = (enum scope)(SCOPE_OPERATION + (int)stats.mix.turns[0]);
    live_history_add(&history, &stats, scope, SECOND);
    live_history_figures(&history, &stats, scope, &working, &figures);
    assert_int_equal(figures.requests, 5);
    assert_near(figures.p50, 5 * MS);
    assert_int_equal(figures.max, 5 * MS);
}
