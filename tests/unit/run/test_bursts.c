/* Bursts that take longer than the interval: the points of the grid that pass meanwhile
 * are missed, and with -corrected each of them has one wait. */
#include "setup.h"

#include "os/process.h"
#include "run/run.h"
#include "stats/percentile.h"

#define INTERVAL (10 * MS)

static const struct burst_run {
    const char *name;
    int64_t burst, count; /* count 0: the work time ends the run */
    int64_t work_time;    /* ns */
    int64_t takes;        /* ns of each request */
    int64_t stall;        /* ns of the seventh, if that is not 0 */
    bool mixed;           /* reads and writes in turn */
} runs[] = {
    {"whole", 5, 40, 0, 6 * MS},
    {"a_stall_in_the_middle", 5, 40, 0, 2 * MS, 75 * MS},
    {"a_stall_at_the_end_of_a_burst", 7, 28, 0, MS, 64 * MS},
    {"in_time", 3, 30, 0, MS},
    {"a_count_that_ends_in_a_burst", 5, 33, 0, 9 * MS},
    {"a_count_that_ends_after_the_first", 5, 31, 0, 9 * MS},
    {"a_time_that_ends_in_a_burst", 20, 0, 205 * MS, 7 * MS},
    {"reads_and_writes", 5, 40, 0, 6 * MS, 75 * MS, true},
    {"a_count_that_ends_in_a_burst_of_both", 5, 33, 0, 9 * MS, .mixed = true},
};

/* The corrected latencies of a run: of all, and of each operation of a mix. */
static struct expected_latencies {
    struct histogram all, operations[OPERATION_TURNS];
    uint64_t missed, missed_of[OPERATION_TURNS];
} want;

static void
expect_latency(int turn, int64_t latency)
{
    histogram_record(&want.all, latency);
    histogram_record(&want.operations[turn], latency);
}

/* Expects the points from FIRST on that are before UNTIL, each of which would have waited
 * until END. TURN is the operation of the first of them. Returns how many there are. */
static int64_t
expect_points(const struct burst_run *run, int turn, int64_t first, int64_t until,
              int64_t end)
{
    int64_t points = 0;
    for (int64_t point = first; point < until; point += INTERVAL) {
        expect_latency(turn, end - point);
        want.missed++;
        want.missed_of[turn]++;
        turn = run->mixed ? !turn : 0;
        points++;
    }
    return points;
}

/* Computes what is to come of the requests that were seen: a burst is due at a point, the
 * first at BEGAN, and the next one an interval later, or when its last request ends. No
 * request is due after the last one, or after the work time; the worker ended at ENDED.
 */
static void
simulate(const struct burst_run *run, int64_t began, int64_t ended)
{
    int64_t point = began, due = began, end = 0;
    int64_t last = run->count ? INT64_MAX : began + run->work_time;
    memset(&want, 0, sizeof(want));
    for (int i = 0; i < setup.seen_count; i++) {
        const struct sample *sample = &setup.seen[i];
        int turn = run->mixed ? i % 2 : 0;
        bool is_last = i == setup.seen_count - 1;
        due = end > point ? end : point;
        end = sample->start + sample->latency;
        expect_latency(turn, sample->latency);
        if ((i + 1) % run->burst != 0 && !is_last)
            continue;
        bool is_whole = (i + 1) % run->burst == 0;
        int64_t until = is_whole ? end : ended;
        int64_t next = run->mixed ? !turn : 0;
        int64_t over = run->count && is_last ? due : last;
        expect_points(run, (int)next, point + INTERVAL, over < until ? over : until,
                      until);
        point = end > point + INTERVAL ? end : point + INTERVAL;
    }
}

static void
do_run(const struct burst_run *run, const struct run_observer *observer)
{
    struct error error;
    setup_begin(&setup, run->count);
    setup.options.interval = INTERVAL;
    setup.options.burst = run->burst;
    setup.options.work_time = run->work_time;
    setup.options.threads = setup.options.depth = 1;
    setup.options.given[OPTION_CORRECTED] = 1;
    if (run->mixed)
        setup.options.given[OPTION_READ_WRITE] = 3;
    fake_engine.default_duration = run->takes;
    fake_engine.answers[7].min_duration = run->stall;
    os_signals_install();
    struct run_task task = setup_task(&setup, observer);
    struct plan_output *output = &setup.job->active_plan.output;
    output->any_requests = output->any_periods = output->emit_partial_period = true;
    output->print_count = 15;
    assert_int_equal(run_execute(&task, &error), 0);
}

static void
assert_same(const struct histogram *histogram, const struct histogram *expected)
{
    assert_int_equal(histogram->count, expected->count);
    assert_memory_equal(histogram->bins, expected->bins, sizeof(expected->bins));
}

static struct stats periods; /* all of them together */

static int
add_period(void *self, const struct job *job, const struct run_record *record)
{
    (void)self, (void)job;
    if (record->kind == RECORD_PERIOD)
        stats_merge(&periods, record->stats);
    return 0;
}

static void
assert_expected(const struct stats *stats, const struct burst_run *run)
{
    assert_int_equal(stats->missed, want.missed);
    assert_same(&stats->corrected, &want.all);
    for (int i = 0; run->mixed && i < OPERATION_TURNS; i++) {
        assert_int_equal(stats->operations[i].missed, want.missed_of[i]);
        assert_same(&stats->operations[i].corrected, &want.operations[i]);
    }
}

/* The requests themselves have as many entries as waits: one for each missed point. */
TEST_EACH(each_missed_point_has_one_wait_with, runs)
{
    const struct burst_run *run = *state;
    const struct run_observer observer = {
        .self = &setup, .sample = setup_listen, .record = add_period};
    memset(&periods, 0, sizeof(periods));
    do_run(run, &observer);
    const struct outcome *outcome = &setup.job->outcome;
    const struct stats *total = &setup.job->progress.total;
    simulate(run, outcome->ended_at - outcome->duration, outcome->ended_at);
    assert_int_equal(total->corrected.count, total->latency.count + total->missed);
    assert_expected(total, run);
    assert_expected(&periods, run);
}

/* Whatever is longer than the slowest request is in all sums, and leaves with them. */
TEST(a_wait_may_be_longer_than_any_request)
{
    static struct stats stats = {.corrected_interval = INTERVAL}, sum, none;
    struct sample sample = {.index = 1, .latency = 6 * MS, .verdict = VERDICT_NONE};
    static const struct percentile highest = {PERCENTILE_HUNDRED / 10 * 9, "90"};
    sample.in_burst = true;
    sample.stall = 40 * MS;
    stats_record(&stats, &sample);

    stats_merge(&sum, &stats);

    assert_int_equal(sum.corrected.count, 4);
    assert_memory_equal(&sum.corrected, &stats.corrected, sizeof(stats.corrected));
    assert_int_equal(latencies_of(&sum, SCOPE_ALL).max, 30 * MS);
    assert_in_range(stats_percentile(&sum, &highest), 29 * MS, 30 * MS);

    stats_clear(&sum);
    assert_memory_equal(&sum.corrected, &none.corrected, sizeof(none.corrected));
}
