/* The clock is simulated: a request starts when the pacer says. */
#include "support.h"

#include "run/schedule.h"

#define START 1000000007LL

static struct pacer
start(int64_t interval, int64_t burst)
{
    struct pacer pacer;
    pacer_start(&pacer, interval, burst, START);
    return pacer;
}

/* A request is sent and ends at NOW: when the next one starts. */
static int64_t
next(struct pacer *pacer, int64_t now)
{
    pacer_sent(pacer);
    pacer_freed(pacer, now);
    return pacer_due(pacer, now);
}

/* Counts the grid points missed by a request that is sent and ends at NOW. */
static uint64_t
missed(struct pacer *pacer, int64_t now)
{
    struct pacer then = *pacer;
    pacer_sent(&then);
    return pacer_missed(&then, now);
}

/* Each request starts at START + a row's point, takes its time, and so on. */
struct step {
    int64_t takes, next;
};

static void
assert_steps(int64_t interval, int64_t burst, const struct step *steps, int count)
{
    struct pacer pacer = start(interval, burst);
    int64_t at = START;
    for (int i = 0; i < count; i++) {
        at = next(&pacer, at + steps[i].takes);
        if (at != START + steps[i].next)
            fail_msg("step %d: %lld, not %lld", i, (long long)(at - START),
                     (long long)steps[i].next);
    }
}

static void
a_million_points_do_not_drift(void **state)
{
    (void)state;
    struct pacer pacer = start(333333, 1);
    int64_t at = START;
    for (int64_t k = 1; k <= 1000000; k++) {
        at = next(&pacer, at + k % 333333);
        if (at != START + k * 333333)
            fail_msg("point %lld is at %lld", (long long)k, (long long)(at - START));
    }
}

/* A worker that wakes up late, but within the interval, keeps the grid. */
static void
late_starts_do_not_move_the_grid(void **state)
{
    (void)state;
    struct pacer pacer = start(1000, 1);
    for (int64_t k = 1; k < 100; k++)
        assert_int_equal(next(&pacer, START + (k - 1) * 1000 + 900), START + k * 1000);
}

static void
no_interval_means_at_once(void **state)
{
    (void)state;
    static const struct step steps[] = {{70, 70}, {0, 70}, {5, 75}, {1000000, 1000075}};
    assert_steps(0, 1, steps, 4);
}

static void
a_burst_goes_without_delay_then_waits_for_the_next_point(void **state)
{
    (void)state;
    static const struct step steps[] = {{10, 10},    {20, 30},    {30, 1000},
                                        {100, 1100}, {100, 1200}, {100, 2000},
                                        {300, 2300}, {300, 2600}, {300, 3000}};
    assert_steps(1000, 3, steps, 9);
}

static void
a_request_that_ends_on_the_point_keeps_the_grid(void **state)
{
    (void)state;
    static const struct step steps[] = {{1000, 1000}, {10, 2000}};
    assert_steps(1000, 1, steps, 2);
}

static void
an_overrun_moves_the_grid(void **state)
{
    (void)state;
    static const struct step steps[] = {{10, 1000}, {1700, 2700}, {10, 3700},
                                        {10, 4700}, {5000, 9700}, {0, 10700}};
    assert_steps(1000, 1, steps, 6);
}

static void
one_overrun_after_another_starts_at_once_each_time(void **state)
{
    (void)state;
    static const struct step steps[] = {
        {1001, 1001}, {1001, 2002}, {1001, 3003}, {999, 4003}};
    assert_steps(1000, 1, steps, 4);
}

static void
a_burst_overrun_moves_the_grid(void **state)
{
    (void)state;
    static const struct step steps[] = {{800, 800},  {800, 1600}, {10, 1610},
                                        {990, 2600}, {0, 2600},   {10, 3600}};
    assert_steps(1000, 2, steps, 6);
}

static void
a_huge_interval_saturates(void **state)
{
    (void)state;
    static const int64_t intervals[] = {INT64_MAX, INT64_MAX - START,
                                        INT64_MAX - START + 1};
    for (size_t i = 0; i < sizeof(intervals) / sizeof(intervals[0]); i++) {
        struct pacer pacer = start(intervals[i], 1);
        assert_true(next(&pacer, START + 5) == INT64_MAX);
        assert_true(next(&pacer, START + 6) == INT64_MAX);
    }
}

/* After requests at the points before, one that ends so long after its own. */
static void
points_that_pass_during_a_request_are_missed(void **state)
{
    static const struct {
        int64_t interval, takes;
        uint64_t missed;
    } cases[] = {
        {1000, 0, 0},         {1000, 999, 0},  {1000, 1000, 0}, /* the next is in time */
        {1000, 1001, 1},      {1000, 3200, 3}, {1000, 4000, 3},
        {1, 1000000, 999999}, {0, 1000000, 0}, {INT64_MAX, INT64_MAX - START, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct pacer pacer = start(cases[i].interval, 1);
        if (missed(&pacer, START + cases[i].takes) != cases[i].missed)
            fail_msg("case %zu: %llu", i,
                     (unsigned long long)missed(&pacer, START + cases[i].takes));
    }
}

static void
they_are_counted_from_the_point_after_a_stall(void **state)
{
    (void)state;
    struct pacer pacer = start(1000, 1);
    assert_int_equal(missed(&pacer, START + 3200), 3);
    assert_int_equal(next(&pacer, START + 3200), START + 3200);
    assert_int_equal(missed(&pacer, START + 3300), 0);
    assert_int_equal(next(&pacer, START + 3300), START + 4200);
    assert_int_equal(missed(&pacer, START + 6300), 2);
}

/* With several slots: a request is sent whenever one is free, and only the one that ends
 * while all are taken is told to the pacer. */
static void
the_grid_stays_while_there_are_free_slots(void **state)
{
    (void)state;
    struct pacer pacer = start(1000, 1);
    for (int64_t k = 0; k < 100; k++) {
        assert_int_equal(pacer_due(&pacer, START), START + k * 1000);
        pacer_sent(&pacer);
    }
}

/* Free slots, of which the pacer is not told, change nothing. */
static void
without_a_grid_a_request_is_always_due(void **state)
{
    (void)state;
    struct pacer pacer = start(0, 1);
    for (int64_t now = START; now < START + 5000; now += 1000) {
        assert_int_equal(pacer_due(&pacer, now), now);
        pacer_sent(&pacer);
    }
}

/* Sent late, all at once: those that follow are on the grid again. */
static void
points_that_were_slept_through_are_caught_up_with(void **state)
{
    (void)state;
    struct pacer pacer = start(1000, 1);
    int64_t now = START + 3500;
    int sent = 0;
    for (; pacer_due(&pacer, now) <= now; sent++)
        pacer_sent(&pacer);
    assert_int_equal(sent, 4);
    assert_int_equal(pacer_due(&pacer, START), START + 4000);
    assert_int_equal(pacer_missed(&pacer, now), 0);
}

/* Two slots, both taken from the point 1000 until 5300: 2000 to 5000 are missed. */
static void
it_moves_only_after_all_slots_were_taken(void **state)
{
    (void)state;
    struct pacer pacer = start(1000, 1);
    pacer_sent(&pacer);
    pacer_sent(&pacer);
    assert_int_equal(pacer_missed(&pacer, START + 5300), 4);
    pacer_freed(&pacer, START + 5300);
    assert_int_equal(pacer_due(&pacer, START), START + 5300);
    pacer_sent(&pacer);
    assert_int_equal(pacer_due(&pacer, START), START + 6300);
    pacer_sent(&pacer);
    /* All are taken again, but one is free before the next point. */
    assert_int_equal(pacer_missed(&pacer, START + 7000), 0);
    pacer_freed(&pacer, START + 7000);
    assert_int_equal(pacer_due(&pacer, START), START + 7300);
}

static void
a_point_that_is_due_when_a_slot_becomes_free_is_not_missed(void **state)
{
    (void)state;
    struct pacer pacer = start(1000, 1);
    pacer_sent(&pacer);
    pacer_sent(&pacer);
    assert_int_equal(pacer_missed(&pacer, START + 2000), 0);
    pacer_freed(&pacer, START + 2000);
    assert_int_equal(pacer_due(&pacer, START), START + 2000);
    pacer_sent(&pacer);
    assert_int_equal(pacer_due(&pacer, START), START + 3000);
}

/* Three at each point, of which two fit: the third follows when one of them ends, and
 * belongs to its point. */
static void
a_burst_that_does_not_fit_goes_on_when_there_is_room(void **state)
{
    (void)state;
    struct pacer pacer = start(1000, 3);
    pacer_sent(&pacer);
    pacer_sent(&pacer);
    assert_int_equal(pacer_due(&pacer, START), START);
    pacer_freed(&pacer, START + 400);
    assert_int_equal(pacer_due(&pacer, START), START + 400);
    pacer_sent(&pacer);
    assert_int_equal(pacer_due(&pacer, START), START + 1000);
    assert_int_equal(pacer_missed(&pacer, START + 1000), 0);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(pacer_due(&pacer, START), START + 1000);
        pacer_sent(&pacer);
    }
    assert_int_equal(pacer_due(&pacer, START), START + 2000);
}

/* The burst of 0 is not complete before 2500: 1000 and 2000 are missed. */
static void
a_burst_that_waits_for_room_moves_the_grid_with_its_end(void **state)
{
    (void)state;
    struct pacer pacer = start(1000, 3);
    pacer_sent(&pacer);
    pacer_sent(&pacer);
    pacer_freed(&pacer, START + 2500);
    assert_int_equal(pacer_missed(&pacer, START + 2500), 2);
    assert_int_equal(pacer_due(&pacer, START), START + 2500);
    pacer_sent(&pacer);
    assert_int_equal(pacer_missed(&pacer, START + 2600), 2);
    pacer_freed(&pacer, START + 2600);
    assert_int_equal(pacer_due(&pacer, START), START + 2600);
    assert_int_equal(pacer_missed(&pacer, START + 2600), 0);
    for (int i = 0; i < 3; i++)
        pacer_sent(&pacer);
    assert_int_equal(pacer_due(&pacer, START), START + 3600);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_million_points_do_not_drift),
        cmocka_unit_test(late_starts_do_not_move_the_grid),
        cmocka_unit_test(no_interval_means_at_once),
        cmocka_unit_test(a_burst_goes_without_delay_then_waits_for_the_next_point),
        cmocka_unit_test(a_request_that_ends_on_the_point_keeps_the_grid),
        cmocka_unit_test(an_overrun_moves_the_grid),
        cmocka_unit_test(one_overrun_after_another_starts_at_once_each_time),
        cmocka_unit_test(a_burst_overrun_moves_the_grid),
        cmocka_unit_test(a_huge_interval_saturates),
        cmocka_unit_test(points_that_pass_during_a_request_are_missed),
        cmocka_unit_test(they_are_counted_from_the_point_after_a_stall),
        cmocka_unit_test(the_grid_stays_while_there_are_free_slots),
        cmocka_unit_test(without_a_grid_a_request_is_always_due),
        cmocka_unit_test(points_that_were_slept_through_are_caught_up_with),
        cmocka_unit_test(it_moves_only_after_all_slots_were_taken),
        cmocka_unit_test(a_point_that_is_due_when_a_slot_becomes_free_is_not_missed),
        cmocka_unit_test(a_burst_that_does_not_fit_goes_on_when_there_is_room),
        cmocka_unit_test(a_burst_that_waits_for_room_moves_the_grid_with_its_end),
    };
    return cmocka_run_group_tests_name("pacer", tests, NULL, NULL);
}
