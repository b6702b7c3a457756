/* What attribution makes of the logs of workers. */
#include "records.h"

/* Three requests after each other, and an attribution that knows their target. */
static const struct os_trace_record three[] = {
    QUEUE(10100, 1000), ISSUE(10300, 1000), COMPLETE(10700, 1000),
    QUEUE(20100, 1008), ISSUE(20300, 1008), COMPLETE(20800, 1008),
    QUEUE(30100, 1016), ISSUE(30300, 1016), COMPLETE(30900, 1016)};

static struct attribution *
make_attribution(struct os_trace *tape)
{
    struct attribution *attribution = attribution_make(1);
    *tape = (struct os_trace){three, 9, 0, 0};
    assert_non_null(attribution);
    struct trace_target *target = &attribution->targets[0].target;
    *target = *plain();
    target->needs_track = true;
    target->layout.extents = malloc(sizeof(struct os_extent));
    assert_non_null(target->layout.extents);
    *target->layout.extents = *plain()->layout.extents;
    attribution->records.source = (struct trace_source){.read = read_tape, .trace = tape};
    return attribution;
}

static struct attribution_log *
log_three(void)
{
    static struct attribution_log log;
    log = (struct attribution_log){.thread = ME, .began_at = 1};
    for (int i = 0; i < 3; i++) {
        struct sample sample = reading(4096 * i, 10000 * (i + 1), 10000 * (i + 1) + 1500);
        sample.index = (uint64_t)i + 1;
        log.samples[log.count++] = sample;
    }
    return &log;
}

TEST(all_that_was_handed_over_is_in_the_sum)
{
    static struct stats stats;
    struct os_trace tape;
    struct attribution *attribution = make_attribution(&tape);
    struct attribution_log *log = log_three();
    stats = (struct stats){0};
    attribution_take(attribution, log);
    assert_int_equal(log->count, 0);
    assert_true(attribution_add(attribution, 0, &stats, NULL, true));
    assert_int_equal(breakdown_count(&stats.breakdown), 3);
    assert_int_equal(stats.breakdown.parts[PART_DEVICE].moments.sum, 400 + 500 + 600);
    assert_int_equal(stats.breakdown.parts[PART_RETURN].moments.min, 600);
    assert_int_equal(stats.breakdown.slowest.index, 1);
    attribution_close(attribution);
}

TEST(more_logs_than_wait_at_a_time_are_split_all_the_same)
{
    enum { LOGS = 500, ALL = 3 * LOGS };
    static struct stats stats;
    static struct attribution_log log;
    static struct os_trace_record records[3 * ALL];
    struct os_trace tape;
    struct attribution *attribution = make_attribution(&tape);
    for (int64_t i = 0; i < ALL; i++) {
        const struct os_trace_record own[] = {QUEUE(i * 2000 + 100, 1008),
                                              ISSUE(i * 2000 + 200, 1008),
                                              COMPLETE(i * 2000 + 300, 1008)};
        memcpy(records + 3 * i, own, sizeof(own));
    }
    tape = (struct os_trace){records, 3 * ALL, 0, 0};
    stats = (struct stats){0};
    for (int64_t i = 0; i < ALL; i++) {
        log.samples[log.count++] = reading(4096, i * 2000, i * 2000 + 400);
        log.thread = ME;
        if (log.count == 3)
            attribution_take(attribution, &log);
    }
    assert_true(attribution_add(attribution, 0, &stats, NULL, true));
    assert_int_equal(breakdown_count(&stats.breakdown), ALL);
    attribution_close(attribution);
}

static int
write_mark(struct os_trace *tape, uint64_t mark)
{
    static struct os_trace_record record;
    record = (struct os_trace_record){
        .kind = OS_TRACE_MARK, .time = (int64_t)mark, .sector = mark, .thread = 4711};
    *tape = (struct os_trace){&record, 1, 0, 0};
    return 0;
}

/* A PID namespace has other numbers than the trace. */
TEST(a_thread_has_the_number_of_its_mark)
{
    static struct attribution_log log;
    struct os_trace tape;
    struct attribution *attribution = make_attribution(&tape);
    attribution->records.source.mark = write_mark;
    attribution_begin(attribution, &log);
    assert_int_equal(log.thread, 4711);
    attribution_close(attribution);
}

TEST(what_does_not_count_is_split_but_not_recorded)
{
    static struct stats stats;
    struct os_trace tape;
    struct attribution *attribution = make_attribution(&tape);
    struct sample sample = log_three()->samples[0];
    stats = (struct stats){0};
    sample.verdict = VERDICT_WARMUP;
    attribution_record(attribution, log_three(), &sample);
    assert_parts(&sample.split, 100, 200, 400, 800);
    assert_true(attribution_add(attribution, 0, &stats, NULL, true));
    assert_int_equal(breakdown_count(&stats.breakdown), 0);
    attribution_close(attribution);
}

TEST(columns_of_a_plot_have_the_parts_too)
{
    static struct stats stats;
    static struct track track;
    struct os_trace tape;
    struct attribution *attribution = make_attribution(&tape);
    stats = (struct stats){0};
    attribution_take(attribution, log_three());
    assert_true(attribution_add(attribution, 0, &stats, &track, true));
    assert_int_equal(track.began_at, 1);
    assert_int_equal(track.columns[0].split_count, 3);
    assert_int_equal((int64_t)track.columns[0].parts[PART_DEVICE], 400 + 500 + 600);
    attribution_close(attribution);
}

TEST(a_reset_forgets_what_was_split)
{
    static struct stats stats;
    struct os_trace tape;
    struct attribution *attribution = make_attribution(&tape);
    stats = (struct stats){0};
    attribution_take(attribution, log_three());
    attribution_reset(attribution, 0);
    assert_true(attribution_add(attribution, 0, &stats, NULL, true));
    assert_int_equal(breakdown_count(&stats.breakdown), 0);
    attribution_close(attribution);
}
