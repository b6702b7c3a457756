/* Reads and writes apart, where both are mixed. */
#include "mix.h"
#include "support.h"

#include "base/random.h"
#include "stats/slo.h"
#include "stats/stats.h"

/* Adds a request that moved 100 bytes, or as many as its operation and verdict say. */
static void
record_operation(struct stats *stats, enum operation operation, int64_t latency,
                 uint64_t missed, enum verdict verdict)
{
    struct sample sample = {.start = 1000,
                            .latency = latency,
                            .missed = missed,
                            .bytes = operation == OPERATION_READ ? 100 : 7,
                            .operation = operation,
                            .verdict = verdict};
    stats_record(stats, &sample);
}

TEST(each_operation_has_its_own_figures_where_both_are_mixed)
{
    struct stats stats = {.mix = mix_of("rw")}, one = {0};
    record_operation(&stats, OPERATION_WRITE, 5000, 0, VERDICT_NONE);
    record_operation(&stats, OPERATION_READ, 100, 0, VERDICT_SLOW);
    record_operation(&stats, OPERATION_WRITE, 9000, 0, VERDICT_NONE);
    record_operation(&stats, OPERATION_READ, 300, 0, VERDICT_WARMUP);
    record_operation(&stats, OPERATION_WRITE, 1, 0, VERDICT_ERROR);
    record_operation(&one, OPERATION_WRITE, 5000, 3, VERDICT_NONE);
    const struct stats_operation *reads = &stats.operations[1],
                                 *writes = &stats.operations[0];
    assert_int_equal(reads->requests, 2);
    assert_int_equal(writes->requests, 3);
    assert_int_equal(reads->failed, 0);
    assert_int_equal(writes->failed, 1);
    assert_int_equal(reads->bytes, 100);
    assert_int_equal(writes->bytes, 14);
    assert_int_equal(reads->last_end, 1300);
    assert_int_equal(writes->last_end, 1001);
    assert_int_equal(reads->latency.count, 1);
    assert_int_equal(reads->latencies.count, 1);
    assert_int_equal(writes->latency.sum, 14000);
    assert_int_equal(writes->latency.min, 5000);
    assert_int_equal(writes->latencies.bins[histogram_bin(9000)], 1);
    assert_int_equal(stats.latencies.count, 3);
    assert_int_equal(one.operations[0].requests, 0);
    assert_int_equal(one.operations[0].latency.count, 0);
    assert_int_equal(one.operations[1].missed, 0);
}

/* 5 after a write, 1 after a read, 4 before a read, and 3 of a write without an end. */
TEST(points_that_are_missed_are_those_of_both_operations_in_turn)
{
    static const struct {
        bool abandoned;
        uint64_t requests, reads, writes;
    } cases[] = {{false, 2, 2 + 3, 2 + 3}, {true, 3, 2 + 3 + 2, 2 + 3 + 1}};
    for (int i = 0; i < 2; i++) {
        struct stats stats = {.mix = mix_of("rw")};
        struct sample stuck = {.operation = OPERATION_WRITE, .missed = 3};
        record_operation(&stats, OPERATION_WRITE, 50, 5, VERDICT_NONE);
        record_operation(&stats, OPERATION_READ, 10, 1, VERDICT_TOO_SLOW);
        stats_miss(&stats, OPERATION_READ, 4);
        if (cases[i].abandoned)
            stats_abandon(&stats, &stuck);
        assert_int_equal(stats.missed, cases[i].reads + cases[i].writes);
        assert_int_equal(stats.operations[1].missed, cases[i].reads);
        assert_int_equal(stats.operations[0].missed, cases[i].writes);
        assert_int_equal(stats.requests, cases[i].requests);
        assert_int_equal(stats.operations[1].requests, 1);
        assert_int_equal(stats.operations[0].requests, i + 1);
    }
}

/* What is recorded into two and merged is what is recorded into one. */
TEST(merging_adds_every_operation)
{
    struct stats stats = {.mix = mix_of("rw"), .corrected_interval = 1000}, more = stats,
                 all = stats;
    for (int i = 0; i < 40; i++) {
        enum operation operation = i % 3 ? OPERATION_READ : OPERATION_WRITE;
        enum verdict verdict = i % 7 ? VERDICT_NONE : VERDICT_TIMEOUT;
        struct stats *half = i < 20 ? &stats : &more;
        record_operation(half, operation, 97 * i * i, (uint64_t)i, verdict);
        record_operation(&all, operation, 97 * i * i, (uint64_t)i, verdict);
    }
    stats_merge(&stats, &more);
    for (int i = 0; i < 2; i++) {
        struct stats_operation *own = &stats.operations[i], *other = &all.operations[i];
        assert_true(own->corrected.count > own->latencies.count);
        assert_true(fabs(own->latency.mean - other->latency.mean) < 1e-6);
        own->latency.mean = other->latency.mean;
        own->latency.squares = other->latency.squares;
        assert_memory_equal(own, other, sizeof(*own));
    }
    stats_clear(&stats);
    all = (struct stats){.mix = mix_of("rw"), .corrected_interval = 1000};
    assert_memory_equal(&stats, &all, sizeof(stats));
}

/* A write of 4500 at every 1000: the reads would have waited for 3500 and 1500, another
 * write for 2500 and 500. The only read took 100. */
TEST(waits_are_those_of_both_operations_in_turn)
{
    static const int64_t reads[] = {100, 3500, 1500}, writes[] = {4500, 2500, 500};
    static const struct percentile half = {.billionths = 500000000},
                                   last = {.billionths = 999000000};
    struct stats stats = {.corrected_interval = 1000, .mix = mix_of("rw")};
    struct sample write = {.latency = 4500,
                           .operation = OPERATION_WRITE,
                           .verdict = VERDICT_NONE},
                  read = {.latency = 100, .verdict = VERDICT_NONE};
    stats_record(&stats, &write);
    stats_record(&stats, &read);
    struct histogram expected[2] = {{0}};
    for (int i = 0; i < 3; i++) {
        histogram_record(&expected[OPERATION_READ], reads[i]);
        histogram_record(&expected[OPERATION_WRITE], writes[i]);
    }
    for (int i = 0; i < 2; i++)
        assert_memory_equal(&stats_operation_of(&stats, (enum operation)i)->corrected,
                            &expected[i], sizeof(expected[i]));
    struct latencies latencies = latencies_of(&stats, SCOPE_OPERATION + OPERATION_READ);
    assert_true(latencies.is_corrected);
    assert_int_equal(latencies_percentile(&latencies, &half), 1500);
    assert_int_equal(latencies_percentile(&latencies, &last), 3496);
    latencies = latencies_of(&stats, SCOPE_OPERATION + OPERATION_WRITE);
    assert_int_equal(latencies_percentile(&latencies, &last), 4496);
    stats.corrected_interval = 0;
    latencies = latencies_of(&stats, SCOPE_OPERATION + OPERATION_READ);
    assert_false(latencies.is_corrected);
    assert_int_equal(latencies_percentile(&latencies, &last), 100);
}

/* All of the waits, and none twice: also of a request whose last part had none. */
TEST(waits_of_both_operations_are_those_of_all)
{
    struct random random;
    random_seed(&random, 3);
    for (int i = 0; i < 200; i++) {
        int64_t every = 1 + (int64_t)random_below(&random, 1000);
        struct stats stats = {.corrected_interval = every, .mix = mix_of("rw")};
        struct sample sample = {.latency = (int64_t)random_below(&random, 50000),
                                .operation = (enum operation)(i % 2),
                                .verdict = VERDICT_NONE};
        sample.tail_after_end =
            (int64_t)random_below(&random, (uint64_t)sample.latency + 1);
        stats_record(&stats, &sample);
        const struct histogram *own = &stats.operations[1 - i % 2].corrected,
                               *other = &stats.operations[i % 2].corrected;
        assert_int_equal(own->count + other->count, stats.corrected.count);
        assert_in_range(other->count - (own->count - 1), 0, 1);
        for (int k = 0; k < HISTOGRAM_BINS; k++)
            assert_true(own->bins[k] + other->bins[k] == stats.corrected.bins[k]);
    }
}

/* Operations where both are mixed, even without a request, and parts that were seen. */
TEST(a_walk_over_a_record_finds_what_it_tells_apart)
{
    static const struct {
        bool both, split, flushed;
        const char *scopes;
    } cases[] = {
        {false, false, false, ""},
        {true, false, false, " read write"},
        {false, true, false, " submit queue device return"},
        {true, false, true, " read write sync"},
        {true, true, true, " read write sync submit queue device return sync_device"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct stats stats = {.mix = mix_of(cases[i].both ? "rw" : "read")};
        struct sample sample = {.latency = 9,
                                .sync = cases[i].flushed,
                                .operation = OPERATION_WRITE,
                                .verdict = VERDICT_NONE,
                                .split = {.sync_device = cases[i].flushed}};
        char scopes[80] = "";
        sample.split.result = cases[i].split ? SPLIT_DONE : SPLIT_LOST;
        stats_record(&stats, &sample);
        breakdown_record(&stats.breakdown, &sample);
        for (enum scope scope = scope_next(&stats, SCOPE_ALL); scope < SCOPES;
             scope = scope_next(&stats, scope))
            snprintf(scopes + strlen(scopes), sizeof(scopes) - strlen(scopes), " %s",
                     scope_name(scope));
        assert_string_equal(scopes, cases[i].scopes);
        assert_int_equal(scope_next(&stats, SCOPE_SYNC_DEVICE), SCOPES);
    }
}
