#include "golden.h"

#include <errno.h>

/* The target of the example in section 5 of the contract. */
static void
prepare(struct golden *golden)
{
    golden_prepare(golden, FORMAT_JSON);
    golden->target.path = ".";
    snprintf(golden->target.device, sizeof(golden->target.device), "/dev/vda");
    golden->target.size = 270553174016;
}

static struct sample
sample_of(uint64_t index, enum verdict verdict)
{
    return (struct sample){.index = index,
                           .offset = 8192,
                           .size = 4096,
                           .bytes = 4096,
                           .latency = 121240,
                           .verdict = verdict};
}

static struct stats
contract_stats(void)
{
    return (struct stats){.latency = {.count = 2,
                                      .sum = 162436,
                                      .min = 77926,
                                      .max = 84510,
                                      .mean = 81218,
                                      .squares = 2 * 3292.0 * 3292.0},
                          .bytes = 8192,
                          .requests = 3,
                          .all_bytes = 12288};
}

/* What was written last, through jq, with a filter: fails unless it is true. */
static void
assert_jq(const char *filter)
{
    need_program("jq");
    struct result result = command("jq -e '%s' output", filter);
    if (result.status != 0)
        fail_msg("jq '%s': %d: %s%s", filter, result.status, result.out, result.err);
    command_free(&result);
}

static void
a_request_is_that_of_the_contract(void **state)
{
    (void)state;
    struct golden golden;
    prepare(&golden);
    golden_begin(&golden);
    golden_sample(&golden, sample_of(1, VERDICT_WARMUP));
    golden_end(&golden, "json_io");
    assert_jq("length == 1 and .[0].io.notice == \"warmup\"");
}

static void
statistics_are_those_of_the_contract(void **state)
{
    (void)state;
    struct golden golden;
    struct stats stats = contract_stats();
    prepare(&golden);
    golden_begin(&golden);
    golden.observer.summary(golden.observer.self, &stats, 20158762);
    golden_end(&golden, "json_stat");
    assert_jq("length == 1 and .[0].stat.count == 2 and .[0].load.count == 3");
}

static void
an_empty_array_is_closed(void **state)
{
    (void)state;
    struct golden golden;
    prepare(&golden);
    golden_begin(&golden);
    golden_end(&golden, "json_empty");
    assert_jq("length == 0");
}

static void
records_are_separated(void **state)
{
    (void)state;
    struct golden golden;
    struct stats stats = contract_stats();
    prepare(&golden);
    golden_begin(&golden);
    golden_sample(&golden, sample_of(1, VERDICT_WARMUP));
    golden.observer.period(golden.observer.self, &stats, 20158762);
    golden.observer.summary(golden.observer.self, &stats, 20158762);
    golden_end(&golden, "json_three");
    assert_jq("length == 3 and .[0].io and .[1].stat and .[2].stat");
}

static void
a_request_has_notice_only_if_there_is_one(void **state)
{
    (void)state;
    struct golden golden;
    struct sample failed = sample_of(3, VERDICT_ERROR);
    struct sample written = sample_of(1, VERDICT_NONE);
    prepare(&golden);
    golden.target.mode = MODE_NOCACHE;
    golden_begin(&golden);
    written.operation = OPERATION_WRITE;
    golden_sample(&golden, written);
    golden_sample(&golden, sample_of(2, VERDICT_SLOW));
    failed.error = EIO;
    failed.bytes = 0;
    golden_sample(&golden, failed);
    golden_end(&golden, "json_notices");
    assert_jq("map(.io.ignored) == [false, false, true]");
}

static void
failures_and_modes_are_told(void **state)
{
    (void)state;
    struct golden golden;
    struct stats stats = {.requests = 2, .failed = 2, .missed = 31};
    prepare(&golden);
    golden.target.mode = MODE_CACHED;
    golden_begin(&golden);
    golden.observer.summary(golden.observer.self, &stats, 0);
    golden_end(&golden, "json_failed");
    assert_jq(".[0].load.failed == 2 and .[0].target.mode == \"cached\"");
}

/* 2e9 / 3 and 5e9 / 7 bytes a second; ioping 1.3 rounds to the nearest. */
static void
bytes_per_second_are_rounded(void **state)
{
    (void)state;
    struct golden golden;
    struct stats stats = {.latency = {.count = 1, .sum = 3, .min = 3, .max = 3},
                          .bytes = 2,
                          .requests = 1,
                          .all_bytes = 5};
    stats.latency.mean = 3;
    prepare(&golden);
    golden_begin(&golden);
    golden.observer.summary(golden.observer.self, &stats, 7);
    golden_end(&golden, "json_rounded");
}

static void
texts_are_escaped(void **state)
{
    (void)state;
    struct golden golden;
    prepare(&golden);
    golden.target.path = "q\" b\\ n\n t\t e\x1b d\x7f u\xc3\xa9 \xf0\x9f\x98\x80 x\xff "
                         "c\xc3 s\xed\xa0\x80 o\xc0\xaf k\xc2\x9b /";
    snprintf(golden.target.fstype, sizeof(golden.target.fstype), "a\"b");
    snprintf(golden.target.device, sizeof(golden.target.device), "host:/\\\n");
    golden_begin(&golden);
    golden_sample(&golden, sample_of(1, VERDICT_NONE));
    golden_end(&golden, "json_escapes");
    assert_jq(".[0].target.device == \"host:/\\\\\\n\"");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_request_is_that_of_the_contract),
        cmocka_unit_test(statistics_are_those_of_the_contract),
        cmocka_unit_test(an_empty_array_is_closed),
        cmocka_unit_test(records_are_separated),
        cmocka_unit_test(a_request_has_notice_only_if_there_is_one),
        cmocka_unit_test(failures_and_modes_are_told),
        cmocka_unit_test(bytes_per_second_are_rounded),
        cmocka_unit_test(texts_are_escaped),
    };
    return cmocka_run_group_tests_name("json", tests, NULL, unmount_all);
}
