/* A run with several workers or a queue, some of whose requests hang. */
#include "listening.h"

#include "base/deadlines.h"

#define FOR_EVER (3600000 * MS)

static void
begin(int64_t count, int threads, int depth)
{
    setup_begin_workers(&setup, count, threads, depth);
    setup.options.interval = 20 * MS;
}

/* Until the run is told enough. */
static void
hold(int worker, int number)
{
    fake_engine.queues[worker].scripted = true;
    fake_engine.queues[worker].answers[number].held = true;
}

/* Counts the requests with two hang messages: no late machine causes all of these. */
static int
told_twice(void)
{
    uint64_t found[SAID];
    int said = told->hangs < SAID ? told->hangs : SAID, count = 0;
    for (int i = 0; i < said; i++)
        for (int k = 0; k < i; k++) {
            int known = 0;
            if (told->hang_index[k] != told->hang_index[i])
                continue;
            while (known < count && found[known] != told->hang_index[i])
                known++;
            if (known == count)
                found[count++] = told->hang_index[i];
        }
    return count;
}

/* Requests that each worker must have sent before; set by the test. */
static int must_send[3];

/* Messages about a hanging request repeat, so that this is called again. */
static void
interrupt_when_sure(void)
{
    bool sent = true;
    for (int i = 0; i < 3; i++)
        sent &= fake_engine.queues[i].requests >= must_send[i];
    if (sent && told_twice() >= 1 && !os_signals_stop_signal())
        raise(SIGINT);
}

/* Returns how many points of the grids of the first WORKERS were due before the interrupt
 * and not sent, at most: each late request may have started a new grid with one more
 * point. The 37 points of the grace after the interrupt are not in it. */
static int64_t
points_not_sent(const struct outcome *outcome, int workers)
{
    int64_t until = outcome->ended_at - DEADLINE_GRACE - setup.job->group.begin_at;
    return workers * (until / (20 * MS) + 1) + told->late - sent_by_all();
}

TEST_IN_CHILD(an_interrupt_gives_up_only_the_one_that_is_stuck)
{
    told->at_hang = interrupt_when_sure;
    begin(0, 3, 1);
    setup.options.hang = 200 * MS;
    hang(1, 2, FOR_EVER);
    must_send[0] = must_send[1] = must_send[2] = 2;
    const struct outcome *outcome = run();
    const struct fake_queue *queues = fake_engine.queues;
    REQUIRE(outcome->waiting_age >= 700 * MS &&
            outcome->waiting_age <= told->summary_time);
    REQUIRE(outcome->abandoned_requests == 1);
    REQUIRE(fake_engine.closed == 2);
    REQUIRE(queues[0].requests > 1 && queues[1].requests == 2 && queues[2].requests > 1);
    REQUIRE(told->summaries == 1);
    REQUIRE(told->summary.requests == (uint64_t)sent_by_all());
    REQUIRE(told->summary.latency.count == (uint64_t)sent_by_all() - 1);
    REQUIRE(told->samples == sent_by_all() - 1);
    REQUIRE(told->summary.missed >= 8);
    REQUIRE((int64_t)told->summary.missed <= points_not_sent(outcome, 3));
    REQUIRE(!told->together);
}

TEST_IN_CHILD(all_that_is_stuck_in_a_queue_is_counted)
{
    told->at_hang = interrupt_when_sure;
    begin(0, 2, 3);
    setup.options.hang = 50 * MS;
    fake_engine.default_duration = 5 * MS;
    for (int i = 1; i <= 3; i++)
        hang(1, i, FOR_EVER);
    must_send[1] = 3;
    const struct outcome *outcome = run();
    REQUIRE(outcome->waiting_age >= 700 * MS);
    REQUIRE(outcome->abandoned_requests == 3);
    REQUIRE(told->left.count == 3);
    REQUIRE(outcome->ended_at - told->left.oldest_sent_at >= outcome->waiting_age);
    REQUIRE(fake_engine.closed == 1);
    REQUIRE(fake_engine.queues[1].requests == 3);
    REQUIRE(told->summary.requests == (uint64_t)sent_by_all());
    REQUIRE(told->summary.latency.count == (uint64_t)sent_by_all() - 3);
}

/* A free slot does not help those that are taken. */
TEST_IN_CHILD(a_queue_that_is_not_full_is_given_up_as_well)
{
    told->at_hang = interrupt_when_sure;
    begin(0, 1, 8);
    setup.options.hang = 200 * MS;
    hang(0, 2, FOR_EVER);
    must_send[0] = 4;
    const struct outcome *outcome = run();
    REQUIRE(outcome->waiting_age >= 700 * MS);
    REQUIRE(outcome->abandoned_requests == 1);
    REQUIRE(fake_engine.queues[0].requests > 3);
    REQUIRE(told->summary.requests == (uint64_t)fake_engine.queues[0].requests);
    REQUIRE(told->summary.latency.count == told->summary.requests - 1);
}

/* The second, due 20 ms after the first, does not come back from being sent: no slot is
 * lacking, but nobody is there to use it. */
TEST_IN_CHILD(points_that_nobody_was_there_to_send_are_missed)
{
    told->at_hang = interrupt_when_sure;
    begin(0, 1, 8);
    setup.options.hang = 200 * MS;
    hang(0, 2, FOR_EVER);
    fake_engine.queues[0].answers[2].late = true;
    must_send[0] = 2;
    const struct outcome *outcome = run();
    REQUIRE(outcome->abandoned_requests == 1);
    REQUIRE(told->summary.requests == 2);
    REQUIRE(told->summary.missed >= 8);
    /* Plus one: the stuck request is not reported, and may have been late itself. */
    REQUIRE((int64_t)told->summary.missed <= points_not_sent(outcome, 1) + 1);
}

/* The time is that of the longest, which began with the run: at least 280 ms before the
 * other and the interrupt. */
TEST_IN_CHILD(the_longest_of_several_stuck_ones_is_told)
{
    told->at_hang = interrupt_when_sure;
    begin(0, 3, 1);
    setup.options.hang = 100 * MS;
    hang(0, 15, FOR_EVER);
    hang(2, 1, FOR_EVER);
    fake_engine.min_senders = 3;
    must_send[0] = 15;
    const struct outcome *outcome = run();
    REQUIRE(outcome->abandoned_requests == 2);
    REQUIRE(fake_engine.closed == 1);
    REQUIRE(outcome->waiting_age >= 1000 * MS);
    REQUIRE(outcome->waiting_age <= outcome->duration);
    REQUIRE(told->summary.latency.count == (uint64_t)sent_by_all() - 2);
}

static bool asked; /* for statistics */

/* Asks once, when the held request has been sent. Other requests may be slow before. */
static void
ask_for_statistics(void)
{
    if (fake_engine.queues[1].requests < 2 || asked)
        return;
    asked = true;
    raise(SIGUSR1);
}

TEST(statistics_of_all_can_be_had_while_one_hangs)
{
    told->at_hang = ask_for_statistics;
    asked = false;
    begin(200, 3, 1);
    setup.options.hang = 200 * MS;
    hold(1, 2);
    run();
    assert_int_equal(told->interims, 1);
    assert_in_range(told->interim.requests, 0, 199);
    assert_int_equal(told->interim.latency.count, told->interim.requests);
    assert_in_range(told->meanwhile.count, 1, 3);
    assert_in_range(told->meanwhile.oldest_sent_at, 1, os_clock_now());
    assert_int_equal(told->summary.latency.count, 200);
    assert_int_equal(told->left.count, 0);
    assert_int_equal(told->left.oldest_sent_at, 0);
}

static void
let_go_of_two(void)
{
    if (told_twice() >= 2)
        atomic_store(&fake_engine.go, true);
}

/* Each of the two that are stuck is told of, and nothing before its time. */
TEST(what_hangs_is_told_of_each_worker)
{
    begin(60, 3, 1);
    setup.options.hang = 100 * MS;
    hold(0, 2);
    hold(2, 4);
    told->at_hang = let_go_of_two;
    run();
    bool slowest = false;
    assert_in_range(told->hangs, 2, SAID);
    for (int i = 0; i < told->hangs; i++) {
        assert_true(told->hang_time[i] >= 100 * MS);
        slowest |= told->hang_index[i] == told->slowest.index;
    }
    assert_true(slowest);
    assert_true(told_twice() >= 2);
}

/* The second ends at some 720 ms; the third, then the oldest, is older than the limit. A
 * machine that sleeps meanwhile tries again. */
TEST(the_oldest_request_of_a_queue_is_told_of)
{
    unsigned found = 0; /* a bit for each that was told of */
    for (int tries = 0; tries < 4 && (found & 0xc) != 0xc; tries++) {
        told_begin(NULL);
        begin(3, 1, 3);
        setup.options.hang = 150 * MS;
        hang(0, 2, 700 * MS);
        hang(0, 3, 1600 * MS);
        run();
        assert_in_range(told->hangs, 0, SAID);
        found = 0;
        for (int i = 0; i < told->hangs; i++) {
            assert_in_range(told->hang_index[i], 1, 3);
            found |= 1u << told->hang_index[i];
            assert_true(i == 0 || told->hang_index[i] >= told->hang_index[i - 1]);
            assert_true(told->hang_time[i] >= 150 * MS);
        }
    }
    assert_int_equal(found & 0xc, 0xc);
}

TEST(periods_come_while_one_hangs)
{
    begin(30, 2, 1);
    setup.options.print_interval = 30 * MS;
    hold(0, 1);
    told->enough_periods = 4;
    run();
    assert_true(told->periods >= 4);
    assert_int_equal(told->period_sum + told->since_period, 30);
    assert_false(told->uneven);
    assert_false(told->backwards);
    assert_false(told->together);
}
