/*
 * The four kinds of arrivals, on a clock that is simulated: when requests are due, from
 * when those count that are sent late, and what is missed, against lists that are written
 * by hand.
 */
#include "support.h"

#include "os/thread.h"
#include "run/job.h"
#include "run/schedule.h"

#include <stdarg.h>

#define BEGIN 1000000007LL
#define WORKERS 3
#define SLOTS 3
#define NEVER INT64_MAX

/* The ORDINALth request of a worker, from 1: others take 1, and none is late. */
struct script {
    int ordinal;
    int64_t takes, late; /* the worker sends it so long after it could */
};

/* Times are from the begin on. */
struct row {
    const char *name;
    struct plan_pace pace;
    int workers, depth;        /* 0: 1 */
    int64_t settle, work_time; /* that is 0: for ever */
    uint64_t count;            /* 0: any */
    int64_t stop;              /* 0: never */
    struct script scripts[WORKERS][3];
    /* Of each worker, when each request is sent, and (from when it counts) if that is
     * earlier; "-N": N are missed then, by this request's end, or after the last. */
    const char *expected;
};

struct sender {
    struct schedule schedule;
    const struct script *scripts;
    int slots, under_way, sent;
    int64_t ends[SLOTS];
    int64_t ready; /* when it did something last */
    bool over, ended;
    char text[512];
};

struct simulation {
    const struct row *row;
    int workers;
    struct plan plan;
    struct worker_group group;
    struct sender senders[WORKERS];
};

__attribute__((format(printf, 2, 3))) static void
note(struct sender *sender, const char *format, ...)
{
    size_t length = strlen(sender->text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sender->text + length, sizeof(sender->text) - length, format, arguments);
    va_end(arguments);
}

static void
note_missed(struct sender *sender, uint64_t missed)
{
    if (missed)
        note(sender, " -%llu", (unsigned long long)missed);
}

static struct script
script_of(const struct sender *sender, int ordinal)
{
    for (int i = 0; i < 3; i++)
        if (sender->scripts[i].ordinal == ordinal)
            return sender->scripts[i];
    return (struct script){.takes = 1};
}

static int64_t
first_end(const struct sender *sender)
{
    int64_t first = NEVER;
    for (int i = 0; i < sender->under_way; i++)
        first = time_earlier(first, sender->ends[i]);
    return first;
}

/* Returns when SENDER could send its next request, if it has a slot; NEVER: it will not.
 */
static int64_t
next_send(struct sender *sender, int64_t stop)
{
    if (sender->over || sender->under_way == sender->slots)
        return NEVER;
    int64_t due = schedule_due(&sender->schedule, sender->ready);
    due = due > sender->ready ? due : sender->ready;
    return time_earlier(due + script_of(sender, sender->sent + 1).late, stop);
}

static void
complete(struct simulation *simulation, struct sender *sender, int64_t now)
{
    int64_t until = worker_group_last_due(&simulation->group, now);
    if (sender->under_way == sender->slots)
        note_missed(sender, schedule_freed(&sender->schedule, until, now));
    for (int i = 0; i < sender->under_way; i++)
        if (sender->ends[i] == now) {
            sender->ends[i] = sender->ends[--sender->under_way];
            return;
        }
}

static void
send(struct simulation *simulation, struct sender *sender, int64_t now)
{
    struct schedule *schedule = &sender->schedule;
    uint64_t first, missed;
    int64_t when = schedule_due(schedule, sender->ready);
    sender->over = when >= schedule->end_at || now >= schedule->deadline ||
                   atomic_load(&simulation->group.is_stopped) ||
                   worker_group_take_ordinals(&simulation->group, 1, when, &first) == 0;
    if (sender->over)
        return;
    schedule->has_overslept = when > sender->ready;
    int64_t from = schedule_sent(schedule, now, &missed);
    note_missed(sender, missed);
    note(sender, " %lld", (long long)(now - BEGIN));
    if (from && from < now)
        note(sender, "(%lld)", (long long)(from - BEGIN));
    sender->ends[sender->under_way++] =
        time_add(now, script_of(sender, ++sender->sent).takes);
}

/* Does what is next. Returns whether there was something. */
static bool
step(struct simulation *simulation)
{
    int64_t earliest = NEVER, stop = simulation->row->stop;
    struct sender *next = NULL;
    for (int i = 0; i < simulation->workers; i++) {
        struct sender *sender = &simulation->senders[i];
        int64_t now = time_earlier(first_end(sender),
                                   next_send(sender, stop ? BEGIN + stop : NEVER));
        if (now < earliest) {
            earliest = now;
            next = sender;
        }
    }
    if (!next)
        return false;
    if (stop && earliest >= BEGIN + stop)
        worker_group_stop(&simulation->group, BEGIN + stop);
    if (first_end(next) == earliest)
        complete(simulation, next, earliest);
    else
        send(simulation, next, earliest);
    next->ready = earliest;
    return true;
}

static void
start(struct simulation *simulation, const struct row *row)
{
    memset(simulation, 0, sizeof(*simulation));
    simulation->row = row;
    simulation->workers = row->workers ? row->workers : 1;
    int depth = row->depth ? row->depth : 1;
    simulation->plan =
        (struct plan){.workload = {.seed = 42},
                      .io = {.threads = simulation->workers, .depth = depth},
                      .pace = row->pace,
                      .end = {.settle_time = row->settle,
                              .work_time = row->work_time ? row->work_time : NEVER}};
    simulation->group.size = simulation->workers;
    simulation->group.max_requests = row->count ? row->count : UINT64_MAX;
    for (int i = 0; i < simulation->workers; i++) {
        struct sender *sender = &simulation->senders[i];
        sender->scripts = row->scripts[i];
        sender->slots = depth;
        sender->ready = BEGIN;
        schedule_start(&sender->schedule, &simulation->plan, i,
                       &simulation->group.next_arrival, BEGIN, BEGIN);
    }
}

#define GRID .pace = {.interval = 10, .burst = 1}
#define BURSTS(size) .pace = {.interval = 10, .burst = (size)}
#define LIMIT(every) .pace = {.interval = (every), .burst = 1, .from_limit = true}
#define RAPID .pace = {.burst = 1}
#define RATE .pace = {.interval = 10, .burst = 1, .is_open_loop = true}
#define RANDOM \
    .pace = {.interval = 1000, .burst = 1, .is_open_loop = true, .is_poisson = true}

static const struct row rows[] = {
    /* A grid. */
    {"in time", GRID, .count = 4, .expected = " 0 10 20 30"},
    {"a stall moves the grid", GRID, .count = 5, .scripts = {{{3, 35, 0}}},
     .expected = " 0 10 20 -3 55 65"},
    {"as long as the interval", GRID, .count = 4, .scripts = {{{2, 10, 0}}},
     .expected = " 0 10 20 30"},
    {"one stall after another", GRID, .count = 4, .scripts = {{{1, 11, 0}, {2, 21, 0}}},
     .expected = " 0 -1 11 -2 32 42"},
    {"a stall at the end of the time", GRID, .work_time = 60, .scripts = {{{3, 100, 0}}},
     .expected = " 0 10 20 -3"},
    {"a stall at a stop", GRID, .stop = 45, .scripts = {{{3, 100, 0}}},
     .expected = " 0 10 20 -2"},
    {"a stall for ever", GRID, .stop = 45, .scripts = {{{3, NEVER, 0}}},
     .expected = " 0 10 20 -2"},
    {"a stop while it waits", GRID, .stop = 25, .expected = " 0 10 20"},
    {"a stop while it is late", GRID, .stop = 25, .scripts = {{{3, 1, 9}}},
     .expected = " 0 10"},
    {"sent late, within the interval", GRID, .count = 4, .scripts = {{{2, 1, 6}}},
     .expected = " 0 16 20 30"},
    {"sent late, by intervals", GRID, .count = 4, .scripts = {{{2, 1, 25}}},
     .expected = " 0 35 -2 36 46"},
    {"bursts", BURSTS(3), .count = 7, .expected = " 0 1 2 10 11 12 20"},
    {"a burst that outlasts its interval", BURSTS(2), .count = 6,
     .scripts = {{{2, 34, 0}}}, .expected = " 0 1 -3 35 36 45 46"},
    {"a burst that is not complete", BURSTS(2), .stop = 45, .scripts = {{{3, 100, 0}}},
     .expected = " 0 1 10 -3"},
    {"a limit, of which nothing is missed", LIMIT(10), .count = 4,
     .scripts = {{{2, 35, 0}}}, .expected = " 0 10 45 55"},
    {"two slots", GRID, .depth = 2, .count = 5, .scripts = {{{2, 95, 0}}},
     .expected = " 0 10 20 30 40"},
    {"two slots, both taken", GRID, .depth = 2, .count = 4,
     .scripts = {{{1, 53, 0}, {2, 60, 0}}}, .expected = " 0 10 -4 53 63"},
    {"held up with a free slot", GRID, .depth = 2, .count = 4, .scripts = {{{3, 1, 25}}},
     .expected = " 0 10 -3 45 55"},
    {"a burst for which there is no room", BURSTS(3), .depth = 2, .count = 6,
     .scripts = {{{1, 4, 0}, {2, 5, 0}}}, .expected = " 0 0 4 10 10 11"},
    {"a burst that gets room after points", BURSTS(3), .depth = 2, .count = 7,
     .scripts = {{{1, 25, 0}, {2, 26, 0}}}, .expected = " 0 0 25 -2 26 26 27 36"},
    {"several on one grid", GRID, .workers = 3, .count = 9,
     .scripts = {{{0}}, {{0}}, {{2, 12, 0}}},
     .expected = " 0 10 20 / 0 10 20 / 0 10 -1 22"},
    {"several with a limit", LIMIT(30), .workers = 3, .count = 7,
     .expected = " 0 30 60 / 10 40 / 20 50"},
    {"one of three stuck until the others end", GRID, .workers = 3, .count = 30,
     .scripts = {{{0}}, {{0}}, {{3, 1000, 0}}},
     .expected = " 0 10 20 30 40 50 60 70 80 90 100 110 120 130"
                 " / 0 10 20 30 40 50 60 70 80 90 100 110 120 / 0 10 20 -10"},
    {"two of three stuck until the time is over", GRID, .workers = 3, .work_time = 60,
     .scripts = {{{2, NEVER, 0}}, {{3, 1000, 0}}, {{0}}},
     .expected = " 0 10 -4 / 0 10 20 -3 / 0 10 20 30 40 50"},
    {"the last of all is stuck", GRID, .workers = 3, .count = 9,
     .scripts = {{{0}}, {{0}}, {{3, 1000, 0}}},
     .expected = " 0 10 20 / 0 10 20 / 0 10 20"},
    {"the last of all before a stop", GRID, .workers = 3, .count = 9, .stop = 400,
     .scripts = {{{1, 900, 0}}}, .expected = " 0 -2 / 0 10 20 30 / 0 10 20 30"},
    {"the end of the time before a stop", GRID, .work_time = 55, .stop = 90,
     .scripts = {{{3, 1000, 0}}}, .expected = " 0 10 20 -3"},

    /* As fast as possible. */
    {"one after another", RAPID, .count = 4, .expected = " 0 1 2 3"},
    {"a stall that misses nothing", RAPID, .work_time = 60, .scripts = {{{2, 57, 0}}},
     .expected = " 0 1 58 59"},
    {"a stall beyond the end", RAPID, .work_time = 60, .scripts = {{{3, 100, 0}}},
     .expected = " 0 1 2"},
    {"as many as there are slots", RAPID, .depth = 3, .stop = 3,
     .scripts = {{{2, NEVER, 0}}}, .expected = " 0 0 0 1 1 2 2"},
    {"late", RAPID, .count = 3, .scripts = {{{2, 1, 9}}}, .expected = " 0 10 11"},

    /* At a rate. */
    {"when they are due", RATE, .work_time = 40, .expected = " 0 10 20 30"},
    {"those behind a stall wait", RATE, .work_time = 80, .scripts = {{{3, 35, 0}}},
     .expected = " 0 10 20 55(30) 56(40) 57(50) 60 70"},
    {"those behind a stall at the end are sent after it", RATE, .work_time = 60,
     .scripts = {{{4, 50, 0}}}, .expected = " 0 10 20 30 80(40) 81(50)"},
    {"until the deadline", RATE, .work_time = 60, .scripts = {{{3, 99, 0}, {4, 5, 0}}},
     .expected = " 0 10 20 119(30) -2"},
    {"none is sent after it", RATE, .work_time = 60, .scripts = {{{3, 100, 0}}},
     .expected = " 0 10 20 -3"},
    {"a stall for ever", RATE, .work_time = 60, .scripts = {{{3, NEVER, 0}}},
     .expected = " 0 10 20 -3"},
    {"a stop behind a stall", RATE, .stop = 45, .scripts = {{{3, 100, 0}}},
     .expected = " 0 10 20 -2"},
    {"a stop while it waits", RATE, .stop = 25, .expected = " 0 10 20"},
    {"a sleep that is too long is not the target's time", RATE, .work_time = 40,
     .scripts = {{{2, 1, 4}}}, .expected = " 0 14 20 30"},
    {"unless the next is due by then", RATE, .work_time = 40, .scripts = {{{2, 1, 12}}},
     .expected = " 0 22(10) 23(20) 30"},
    {"of the settling none is missed", RATE, .settle = 30, .work_time = 30,
     .scripts = {{{2, 1000, 0}}}, .expected = " 0 10 -3"},
    {"a worker that is free takes the next", RATE, .workers = 2, .work_time = 60,
     .scripts = {{{1, 25, 0}}}, .expected = " 0 40 / 10 20 30 50"},
    {"all are busy", RATE, .workers = 2, .work_time = 60,
     .scripts = {{{1, 43, 0}}, {{1, 31, 0}}},
     .expected = " 0 43(40) / 10 41(20) 42(30) 50"},
    {"all are stuck", RATE, .workers = 2, .work_time = 60,
     .scripts = {{{1, NEVER, 0}}, {{2, NEVER, 0}}}, .expected = " 0 -3 / 10 20"},
    {"one slot is free", RATE, .depth = 2, .work_time = 60, .scripts = {{{2, 43, 0}}},
     .expected = " 0 10 20 30 40 50"},

    /* At random: computed from the seed by another program. */
    {"at random", RANDOM, .work_time = 8000,
     .expected = " 0 1101 1350 4149 6496 7029 7678 7978"},
    {"a stall among random ones", RANDOM, .work_time = 8000, .scripts = {{{3, 5300, 0}}},
     .expected = " 0 1101 1350 6650(4149) 6651(6496) 7029 7678 7978"},
    {"a stall at the end of random ones", RANDOM, .work_time = 7600,
     .scripts = {{{4, 12000, 0}}}, .expected = " 0 1101 1350 4149 -2"},
    {"random ones, until a stop", RANDOM, .stop = 7000, .scripts = {{{3, NEVER, 0}}},
     .expected = " 0 1101 1350 -2"},
    {"random ones of several workers", RANDOM, .workers = 3, .work_time = 8000,
     .scripts = {{{1, 5000, 0}}, {{2, 2700, 0}}},
     .expected = " 0 7029 / 1101 4149 7978 / 1350 6496 7678"},
};

/* Ends the account of each: one that is stuck is given up when no other goes on. */
static void
finish(struct simulation *simulation, char *text, size_t size)
{
    text[0] = '\0';
    if (simulation->row->stop)
        worker_group_stop(&simulation->group, BEGIN + simulation->row->stop);
    for (int i = 0; i < simulation->workers; i++) {
        struct sender *sender = &simulation->senders[i];
        int64_t until = worker_group_last_due(&simulation->group, NEVER);
        bool ready = sender->under_way < sender->slots;
        note_missed(sender, schedule_end(&sender->schedule, until, true, ready));
        size_t length = strlen(text);
        snprintf(text + length, size - length, "%s%s", i ? " /" : "", sender->text);
    }
}

TEST(requests_are_sent_and_missed_as_the_list_says)
{
    static struct simulation simulation;
    int wrong = 0;
    for (size_t i = 0; i < LENGTH(rows); i++) {
        char text[1024];
        start(&simulation, &rows[i]);
        while (step(&simulation))
            ;
        finish(&simulation, text, sizeof(text));
        if (strcmp(text, rows[i].expected) == 0)
            continue;
        print_error("%s:\n  expected%s\n  but     %s\n", rows[i].name, rows[i].expected,
                    text);
        wrong++;
    }
    assert_int_equal(wrong, 0);
}

/* Starts a schedule alone; its settling is over at once, and it has no end. */
static struct schedule
start_one(struct plan_pace pace, int depth, _Atomic int64_t *shared)
{
    struct plan plan = {.workload = {.seed = 7},
                        .io = {.threads = 1, .depth = depth},
                        .pace = pace,
                        .end = {.work_time = NEVER}};
    struct schedule schedule;
    schedule_start(&schedule, &plan, 0, shared, BEGIN, BEGIN);
    return schedule;
}

/* Of workers whose threads are late the last request is due before the same end. */
TEST(a_worker_that_is_late_ends_with_the_others)
{
    static const struct plan_pace paces[] = {{.burst = 1},
                                             {.interval = 10, .burst = 1},
                                             {.interval = 10, .is_open_loop = true}};
    for (size_t i = 0; i < LENGTH(paces); i++) {
        for (int64_t late = 0; late <= 1500; late += 500) {
            struct plan plan = {.io = {.threads = 2, .depth = 1},
                                .pace = paces[i],
                                .end = {.work_time = 1000, .settle_time = 100}};
            _Atomic int64_t shared = 0;
            struct schedule schedule;
            schedule_start(&schedule, &plan, 1, &shared, BEGIN, BEGIN + late);
            assert_int_equal(schedule.settle_end, BEGIN + 100);
            assert_int_equal(schedule.end_at, BEGIN + 1100);
        }
    }
}

static uint64_t
sent_at(struct schedule *schedule, int64_t now)
{
    uint64_t missed;
    schedule_sent(schedule, now, &missed);
    return missed;
}

TEST(a_million_points_do_not_drift)
{
    struct schedule schedule =
        start_one((struct plan_pace){.interval = 333333, .burst = 1}, 1, NULL);
    int64_t at = BEGIN;
    for (int64_t k = 1; k <= 1000000; k++) {
        sent_at(&schedule, at);
        assert_int_equal(schedule_freed(&schedule, at + k % 333333, at + k % 333333), 0);
        at = schedule_due(&schedule, at);
        if (at != BEGIN + k * 333333)
            fail_msg("point %lld is at %lld", (long long)k, (long long)(at - BEGIN));
    }
}

TEST(a_huge_interval_saturates)
{
    static const int64_t intervals[] = {NEVER, NEVER - BEGIN, NEVER - BEGIN + 1};
    for (size_t i = 0; i < LENGTH(intervals); i++) {
        struct schedule schedule =
            start_one((struct plan_pace){.interval = intervals[i], .burst = 1}, 1, NULL);
        for (int k = 0; k < 2; k++) {
            sent_at(&schedule, BEGIN + k);
            assert_int_equal(schedule_freed(&schedule, NEVER, BEGIN + 5), 0);
            assert_true(schedule_due(&schedule, BEGIN) == NEVER);
        }
        _Atomic int64_t shared = 0;
        schedule =
            start_one((struct plan_pace){.interval = intervals[i], .is_open_loop = true},
                      1, &shared);
        assert_true(schedule_due(&schedule, BEGIN) == BEGIN);
        sent_at(&schedule, BEGIN);
        assert_true(schedule_due(&schedule, BEGIN) == NEVER);
    }
}

/* After requests at the points before, one that ends so long after its own. */
TEST(points_that_pass_during_a_request_are_missed)
{
    static const struct {
        int64_t interval, takes;
        uint64_t missed;
    } cases[] = {
        {1000, 0, 0},         {1000, 999, 0},  {1000, 1000, 0}, /* the next is in time */
        {1000, 1001, 1},      {1000, 3200, 3}, {1000, 4000, 3},
        {1, 1000000, 999999}, {0, 1000000, 0}, {INT64_MAX, INT64_MAX - BEGIN, 0}};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        int64_t now = BEGIN + cases[i].takes;
        struct schedule schedule = start_one(
            (struct plan_pace){.interval = cases[i].interval, .burst = 1}, 1, NULL);
        sent_at(&schedule, BEGIN);
        assert_int_equal(schedule_freed(&schedule, now, now), cases[i].missed);
        if (cases[i].missed)
            assert_int_equal(schedule.missed_since, BEGIN + cases[i].interval);
    }
}

/* Both slots are lost from 25 on, and one comes back at 57; 60 is in time then. */
TEST(points_without_a_slot_are_passed_over_once)
{
    struct schedule schedule =
        start_one((struct plan_pace){.interval = 10, .burst = 1}, 2, NULL);
    assert_int_equal(sent_at(&schedule, BEGIN), 0);
    assert_int_equal(sent_at(&schedule, BEGIN + 10), 0);
    assert_int_equal(schedule_skip(&schedule, BEGIN + 25), 1);
    assert_int_equal(schedule.missed_since, BEGIN + 20);
    assert_int_equal(schedule_skip(&schedule, BEGIN + 35), 1);
    assert_int_equal(schedule_skip(&schedule, BEGIN + 36), 0);
    assert_int_equal(schedule_freed(&schedule, BEGIN + 57, BEGIN + 57), 2);
    assert_int_equal(schedule.missed_since, BEGIN + 40);
    assert_int_equal(schedule_due(&schedule, BEGIN + 57), BEGIN + 57);
    assert_int_equal(sent_at(&schedule, BEGIN + 57), 0);
    assert_int_equal(schedule_due(&schedule, BEGIN + 58), BEGIN + 67);
}

/* Those that are due before 35 are passed over, whether it has taken them or not. */
TEST(what_was_due_in_a_stop_of_the_process_is_not_sent)
{
    _Atomic int64_t shared = 0;
    struct plan_pace pace = {.interval = 10, .is_open_loop = true, .burst = 1};
    struct schedule schedule = start_one(pace, 1, &shared);
    assert_int_equal(schedule_due(&schedule, BEGIN), BEGIN);
    assert_int_equal(sent_at(&schedule, BEGIN), 0);
    assert_int_equal(schedule_due(&schedule, BEGIN + 1), BEGIN + 10);
    assert_int_equal(schedule_skip(&schedule, BEGIN + 36), 0);
    assert_int_equal(schedule_give_up_stopped(&schedule, BEGIN + 35), 3);
    assert_int_equal(schedule_due(&schedule, BEGIN + 36), BEGIN + 40);
    pace.is_open_loop = false;
    schedule = start_one(pace, 1, NULL);
    assert_int_equal(schedule_give_up_stopped(&schedule, BEGIN + 35), 0);
    assert_int_equal(schedule_due(&schedule, BEGIN + 36), BEGIN);
}

/* What others may still send is theirs. */
TEST(a_worker_that_is_not_the_last_gives_up_its_own)
{
    _Atomic int64_t shared = 0;
    struct schedule schedule =
        start_one((struct plan_pace){.interval = 10, .is_open_loop = true}, 1, &shared);
    assert_int_equal(schedule_next(&schedule, BEGIN), BEGIN);
    assert_int_equal(schedule_due(&schedule, BEGIN), BEGIN);
    assert_int_equal(schedule_end(&schedule, BEGIN + 35, false, true), 1);
    assert_int_equal(schedule_end(&schedule, BEGIN + 35, false, true), 0);
    assert_int_equal(schedule_next(&schedule, BEGIN), BEGIN + 10);
    assert_int_equal(schedule_end(&schedule, BEGIN + 35, true, true), 3);
    assert_int_equal(schedule_end(&schedule, BEGIN + 35, true, true), 0);
    assert_int_equal(schedule_next(&schedule, BEGIN), BEGIN + 40);
}

#define INTERVAL 1000000
#define ARRIVALS 100000

static struct schedule
start_random(uint64_t seed, int64_t interval, _Atomic int64_t *shared)
{
    struct schedule schedule = start_one((struct plan_pace){.interval = interval,
                                                            .is_open_loop = true,
                                                            .is_poisson = true},
                                         1, shared);
    schedule.seed = seed;
    return schedule;
}

/* Takes the next; returns its time from the begin. */
static int64_t
take(struct schedule *schedule)
{
    int64_t due = schedule_due(schedule, BEGIN);
    sent_at(schedule, due);
    return due - BEGIN;
}

TEST(the_same_seed_has_the_same_gaps)
{
    _Atomic int64_t shared[3] = {0};
    struct schedule schedules[] = {start_random(7, INTERVAL, &shared[0]),
                                   start_random(7, INTERVAL, &shared[1]),
                                   start_random(8, INTERVAL, &shared[2])};
    int equal = -1; /* the first is at the begin */
    for (int i = 0; i < 1000; i++) {
        int64_t at = take(&schedules[0]);
        assert_true(take(&schedules[1]) == at);
        equal += take(&schedules[2]) == at;
    }
    assert_int_equal(equal, 0);
}

/* Of an exponential distribution the standard deviation is the mean, and of all values
 * exp(-1) are above it, exp(-2) above twice it. */
TEST(random_gaps_are_exponentially_distributed)
{
    static const uint64_t seeds[] = {0, 1, UINT64_MAX};
    for (size_t i = 0; i < LENGTH(seeds); i++) {
        _Atomic int64_t shared = 0;
        struct schedule schedule = start_random(seeds[i], INTERVAL, &shared);
        struct moments moments = {0};
        int64_t at = take(&schedule), above = 0, twice = 0;
        for (int k = 0; k < ARRIVALS; k++) {
            int64_t next = take(&schedule), gap = next - at;
            at = next;
            moments_record(&moments, gap);
            above += gap > INTERVAL;
            twice += gap > 2 * INTERVAL;
        }
        assert_in_range(moments_average(&moments), INTERVAL * 0.99, INTERVAL * 1.01);
        assert_in_range(moments_deviation(&moments), INTERVAL * 0.98, INTERVAL * 1.02);
        assert_in_range(above, ARRIVALS * 0.36, ARRIVALS * 0.376);
        assert_in_range(twice, ARRIVALS * 0.13, ARRIVALS * 0.14);
    }
}

/* What follows from an arrival that comes again would come again for ever. */
TEST(no_gap_is_nothing)
{
    _Atomic int64_t shared = 0;
    struct schedule schedule = start_random(0, 1, &shared);
    int64_t at = take(&schedule);
    for (int i = 0; i < ARRIVALS; i++) {
        int64_t next = take(&schedule);
        assert_true(next > at);
        at = next;
    }
}

#define THREADS 4

struct taker {
    struct schedule schedule;
    int64_t sum;
};

static void *
take_all(void *argument)
{
    struct taker *taker = argument;
    int64_t at;
    while ((at = take(&taker->schedule)) < 5000LL * INTERVAL)
        taker->sum += at;
    return NULL;
}

/* Each once: their sum is that of what one worker takes. */
TEST(several_threads_take_each_arrival_once)
{
    _Atomic int64_t shared = 0;
    struct taker alone = {.schedule = start_random(7, INTERVAL, &shared)};
    take_all(&alone);
    assert_true(schedule_next(&alone.schedule, BEGIN) > BEGIN + 5000LL * INTERVAL);
    shared = 0;
    struct os_thread threads[THREADS];
    struct taker takers[THREADS];
    int64_t sum = 0;
    for (int i = 0; i < THREADS; i++) {
        takers[i] = (struct taker){.schedule = start_random(7, INTERVAL, &shared)};
        takers[i].schedule.has_single_worker = false;
        assert_int_equal(os_thread_start(&threads[i], take_all, &takers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        os_thread_join(&threads[i]);
        sum += takers[i].sum;
    }
    assert_true(sum == alone.sum);
}
