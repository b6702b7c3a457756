/*
 * What was due and not sent: of a grid whose times are written by hand, on a clock that
 * is simulated, and of workers of which one is stuck when the last request of all is
 * sent.
 */
#include "setup.h"

#include "os/process.h"
#include "run/run.h"

#define WORKERS 3
#define LATE INT64_MAX

/* A worker: every point of its grid is sent in time, but for one request that takes
 * longer. */
struct sender {
    int stuck;     /* the number of that among its own, from 1; 0: none */
    int64_t takes; /* its time; that of others is 1 */
    struct pacer pacer;
    int sent;
    int64_t ends; /* of what is under way; 0: nothing is */
    bool over;
    uint64_t missed;
};

/* A run of them with an interval of 10 from 100 on. */
struct row {
    const char *name;
    uint64_t count;
    int64_t end, stop; /* of the work time; when it is stopped; LATE: it is not */
    struct sender senders[WORKERS];
    uint64_t missed[WORKERS];
};

/* Returns when SENDER has something to do; LATE: nothing any more. */
static int64_t
next_of(const struct sender *sender)
{
    return sender->ends   ? sender->ends
           : sender->over ? LATE
                          : pacer_due(&sender->pacer, 0);
}

/* Does at NOW what is next of SENDER. */
static void
act(const struct row *row, struct worker_group *group, struct sender *sender, int64_t now)
{
    uint64_t first;
    if (sender->ends) {
        int64_t until = worker_group_until(group, time_earlier(now, row->end));
        sender->missed += pacer_missed(&sender->pacer, until);
        pacer_freed(&sender->pacer, now);
        sender->ends = 0;
        return;
    }
    sender->over = now >= row->end || now >= row->stop ||
                   worker_group_take(group, 1, now, &first) == 0;
    if (sender->over)
        return;
    pacer_sent(&sender->pacer);
    sender->ends = now + (++sender->sent == sender->stuck ? sender->takes : 1);
}

static void
simulate(const struct row *row, struct sender *senders)
{
    struct worker_group group = {.size = WORKERS, .count = row->count};
    for (;;) {
        struct sender *next = senders;
        for (int i = 0; i < WORKERS; i++)
            if (next_of(&senders[i]) < next_of(next))
                next = &senders[i];
        int64_t now = next_of(next);
        if (now == LATE)
            return;
        if (now >= row->stop)
            worker_group_stop(&group, row->stop);
        act(row, &group, next, now);
    }
}

/* Points are at 100, 110 ... and those of a stuck worker's return. */
static const struct row rows[] = {
    /* sent at 100 to 190 by each of three */
    {"nothing is late", 30, LATE, LATE, {{0}}, {0}},
    /* 120 takes until 155: 130, 140, 150; then 155, 165 ... to 205 */
    {"in the middle", 30, LATE, LATE, {{.stuck = 3, .takes = 35}}, {3}},
    /* 120 takes until 130, when the next is due */
    {"as long as the interval", 30, LATE, LATE, {{.stuck = 3, .takes = 10}}, {0}},
    /* after 9 the two others send 21, the last at 230: 130 to 220 */
    {"longer than the run", 30, LATE, LATE, {{.stuck = 3, .takes = 1000}}, {10}},
    /* after 8 the third sends 25, the last at 370: 120 to 360, and 130 to 360 */
    {"two of them",
     33,
     LATE,
     LATE,
     {{.stuck = 2, .takes = 1000}, {.stuck = 3, .takes = 1000}},
     {25, 24}},
    /* the last of all: nothing is due after it */
    {"the last one", 30, LATE, LATE, {{0}, {0}, {.stuck = 10, .takes = 1000}}, {0}},
    /* all of them, with the last that there are */
    {"all at the end",
     30,
     LATE,
     LATE,
     {{.stuck = 10, .takes = 500}, {.stuck = 10, .takes = 50}, {.stuck = 10, .takes = 5}},
     {0}},
    /* 120 until the time is over at 200: 130 to 190 */
    {"until the work time ends", 99, 200, LATE, {{.stuck = 3, .takes = 1000}}, {7}},
    /* 120 until the stop at 165: 130 to 160 */
    {"until it is stopped", 99, LATE, 165, {{.stuck = 3, .takes = 1000}}, {4}},
    /* the time is over before the stop */
    {"until the earlier of both", 99, 155, 190, {{.stuck = 3, .takes = 1000}}, {3}},
    /* the last number is taken, at 130, before the stop: 110 and 120 */
    {"until the last before a stop", 9, LATE, 400, {{.stuck = 1, .takes = 900}}, {2}},
};

static void
each_point_until_the_end_of_the_run_is_missed_once(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct sender senders[WORKERS];
        memcpy(senders, rows[i].senders, sizeof(senders));
        for (int k = 0; k < WORKERS; k++)
            pacer_start(&senders[k].pacer, 10, 1, 100);
        simulate(&rows[i], senders);
        for (int k = 0; k < WORKERS; k++)
            if (senders[k].missed != rows[i].missed[k])
                fail_msg("%s: worker %d missed %d", rows[i].name, k,
                         (int)senders[k].missed);
    }
}

/* Whoever takes the last number says when, and of several the latest holds. */
static void
a_group_ends_with_its_last_number_or_its_stop(void **state)
{
    (void)state;
    struct worker_group group = {.size = 2, .count = 3};
    uint64_t first;
    assert_int_equal(worker_group_take(&group, 2, 10, &first), 2);
    assert_int_equal(worker_group_until(&group, 50), 50);
    assert_int_equal(worker_group_take(&group, 2, 20, &first), 1);
    assert_int_equal(worker_group_until(&group, 50), 20);
    assert_int_equal(worker_group_until(&group, 15), 15);
    assert_int_equal(worker_group_take(&group, 2, 30, &first), 0);
    worker_group_stop(&group, 40);
    assert_int_equal(worker_group_until(&group, 50), 20);
    struct worker_group stopped = {.size = 2, .count = 3};
    worker_group_stop(&stopped, 40);
    worker_group_stop(&stopped, 45);
    assert_int_equal(worker_group_until(&stopped, 50), 40);
}

#define INTERVAL (20 * MS)

/* One is stuck from its second request until all numbers are long taken. Its points that
 * another has sent nothing for are missed up to when the last was sent. */
static void
a_worker_that_is_stuck_to_the_end_misses_its_points(void **state)
{
    (void)state;
    struct setup setup;
    const struct run_observer observer = {.self = &setup, .sample = setup_listen};
    struct error error;
    setup_begin(&setup, 30);
    setup.options.interval = INTERVAL;
    setup.options.threads = 2;
    setup.options.depth = 1;
    setup.options.hang = 0;
    setup.options.given[OPTION_CORRECTED] = 1;
    fake_engine.gather = 2;
    fake_engine.queues[0].scripted = true;
    fake_engine.queues[0].answers[2].takes = 1500 * MS;
    os_signals_install();
    struct run_task task = setup_task(&setup, &observer);
    assert_int_equal(run_execute(&task, &error), 0);
    assert_int_equal(setup.seen_count, 30);
    const struct sample *stuck = &setup.seen[29];
    int64_t last = 0;
    for (int i = 0; i < 30; i++)
        last = time_later(last, setup.seen[i].start);
    /* The last was sent when it was due, or later. */
    int64_t due = (stuck->latency - stuck->idle) / INTERVAL;
    assert_true(stuck->latency >= 1500 * MS);
    assert_true(stuck->latency - stuck->idle <= last - stuck->start);
    assert_in_range(due, 20, 100);
    /* The stuck one was due an interval after the begin, and sent then, or later. */
    int64_t late = (stuck->start - setup.job->group.begin) / INTERVAL - 1;
    assert_in_range(stuck->missed, due - 1, due + late + 1);
    due = (int64_t)stuck->missed;
    /* The waits are evenly between its time and what was left of it at the end. */
    const struct histogram *corrected = stats_distribution(&setup.job->total);
    assert_in_range(corrected->count, 30 + due - 2, 30 + due + 2);
    int64_t most = histogram_value(corrected, corrected->count);
    int64_t least = histogram_value(corrected, corrected->count - (uint64_t)due + 2);
    assert_in_range(most, 1400 * MS, stuck->latency * 11 / 10);
    assert_in_range(least, (stuck->idle - INTERVAL) * 9 / 10,
                    (stuck->idle + 4 * INTERVAL) * 11 / 10);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_point_until_the_end_of_the_run_is_missed_once),
        cmocka_unit_test(a_group_ends_with_its_last_number_or_its_stop),
        cmocka_unit_test(a_worker_that_is_stuck_to_the_end_misses_its_points),
    };
    return cmocka_run_group_tests_name("missed", tests, NULL, NULL);
}
