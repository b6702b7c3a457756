/* Periods of runs whose requests are missed and lost: all periods together have what the
 * summary has. */
#include "listening.h"

#define FOR_EVER (3600000 * MS)
#define TIMEOUT (150 * MS)
#define WORK_TIME (1000 * MS)

/* Requests without an answer: the second of a worker each, for ever or for a while. */
static const struct losing {
    const char *name;
    int threads, depth;
    int64_t count;        /* 0: the work time ends the run */
    int hang[2];          /* so many requests of the first and of the second worker */
    int64_t takes;        /* ns of each of these */
    bool calls;           /* the engine does one request at a time */
    bool mixed;           /* reads and writes in turn */
    bool fails;           /* the first lost request ends the run */
    int64_t timeout;      /* ns; 0: TIMEOUT */
    int64_t period;       /* ns */
    int64_t period_count; /* requests that end a period; 0: any number */
} losings[] = {
    /* clang-format off */
    {"all_slots_of_a_queue", 1, 2, 0, {2}, FOR_EVER, .period = 100 * MS},
    {"all_slots_for_a_while", 2, 2, 0, {2}, 4 * TIMEOUT, .period = 100 * MS},
    {"all_slots_to_the_count", 2, 2, 60, {2}, FOR_EVER, .period = 100 * MS},
    {"one_of_two_queues", 2, 2, 0, {2}, FOR_EVER, .period = 70 * MS},
    {"one_call_of_two", 2, 1, 0, {1}, FOR_EVER, .calls = true, .period = 100 * MS},
    {"both_calls", 2, 1, 0, {1, 1}, FOR_EVER, .calls = true, .period = 100 * MS},
    {"reads_and_writes", 2, 2, 0, {2}, FOR_EVER, .mixed = true, .period = 100 * MS},
    {"calls_that_read_and_write", 2, 1, 0, {1}, FOR_EVER, .calls = true, .mixed = true,
     .period = 100 * MS},
    {"the_last_period_alone", 1, 2, 0, {2}, FOR_EVER, .period = FOR_EVER},
    {"requests_given_up_at_the_end", 2, 1, 0, {1}, FOR_EVER, .timeout = INT64_MAX,
     .period = 100 * MS},
    {"a_failure", 1, 2, 0, {2}, FOR_EVER, .fails = true, .period = 100 * MS},
    {"periods_of_a_count", 2, 1, 0, {1}, TIMEOUT - 20 * MS, .period = FOR_EVER,
     .period_count = 10},
    /* clang-format on */
};

static void
run_losing(const struct losing *losing)
{
    static struct io_engine engine;
    const struct run_observer observer = observer_of();
    struct error error;
    setup_begin_workers(&setup, losing->count, losing->threads, losing->depth);
    setup.options.given[OPTION_TIMEOUT] = 1;
    setup.options.given[OPTION_IGNORE_ERROR] = !losing->fails;
    setup.options.timeout = losing->timeout ? losing->timeout : TIMEOUT;
    setup.options.interval = 10 * MS;
    setup.options.work_time = losing->count ? 0 : WORK_TIME;
    setup.options.hang = 50 * MS;
    setup.options.print_interval = losing->period;
    setup.options.print_count = losing->period_count;
    if (losing->mixed)
        setup.options.given[OPTION_READ_WRITE] = 3;
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < losing->hang[i]; k++)
            hang(i, 2 + k, losing->takes);
    os_signals_install();
    struct run_task task = setup_task(&setup, &observer);
    engine = engine_fake;
    engine.queues_requests = !losing->calls;
    struct plan *active = &setup.job->active_plan;
    active->io.engine = &engine;
    active->output.any_periods = active->output.emit_partial_period = true;
    active->output.print_interval = losing->period;
    active->output.print_count = losing->period_count;
    REQUIRE(run_execute(&task, &error) == 0);
}

static void
check_sums(const struct losing *losing)
{
    const struct stats *total = &told->summary;
    told_begin(NULL);
    run_losing(losing);
    REQUIRE(told->summaries == 1 && told->periods >= 1);
    fprintf(stderr, "%s: %d periods, requests %d of %d, missed %d of %d\n", losing->name,
            told->periods, (int)told->period_sum, (int)total->requests,
            (int)told->missed_sum, (int)total->missed);
    REQUIRE(total->missed > 0);
    REQUIRE(told->missed_sum == total->missed);
    REQUIRE(told->period_sum == total->requests);
    for (int i = 0; losing->mixed && i < OPERATION_TURNS; i++) {
        REQUIRE(total->operations[i].missed > 0);
        REQUIRE(told->missed_sums[i] == total->operations[i].missed);
    }
}

/* The rows of a table have no room for a child of their own, so that looks here. */
static const struct losing *chosen;

static void
check_chosen(void)
{
    check_sums(chosen);
}

TEST_EACH(periods_add_up_with, losings)
{
    chosen = *state;
    in_child(check_chosen);
}
