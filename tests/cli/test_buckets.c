/* The buckets of the histogram for Prometheus, compared with the times of all requests
 * of the same run and with what Prometheus computes from them. */
/* Marks: posix */
#include "support.h"

GROUP_SETUP(make_files)

#define BOUNDS                                                                     \
    "le=\"1e-09\"\nle=\"0.0005\"\nle=\"0.005\"\nle=\"1\"\nle=\"3599.123456789\"\n" \
    "le=\"+Inf\"\n"

static const struct expected runs[] = {
    {"default_counts_are_exact", "faults", 0, "41\n", ""},
    /* As a step of the histogram is 1/128 of its values at most. */
    {"counts_of_other_bounds_have_nothing_slower", "faults", 0, "10\n", ""},
    {"metrics_with_such_bounds_are_sound", "promtool", 0, BOUNDS BOUNDS, ""},
};

EXPECT_EACH(runs)

TEST(prometheus_is_never_more_wrong_than_a_bucket_is_wide)
{
    need("faults promtool");
    expect(0, "42\nSUCCESS\n", "",
           "prometheus_is_never_more_wrong_than_a_bucket_is_wide");
}

/* One line says why, and nothing is sent. */
TEST(bounds_that_are_none_are_refused)
{
    static const char *const cases[][2] = {
        {"-prometheus x -buckets 5ms,1ms",
         "-buckets '5ms,1ms': each bound must be above the one before"},
        {"-prometheus x -buckets 0", "-buckets '0': must be more than 0"},
        {"-prometheus x -buckets 2h", "-buckets '2h': must be at most an hour"},
        {"-buckets 5ms", "-buckets works only with -prometheus"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++)
        expect(1, "", formatted("ioping: %s\n", cases[i][1]), "ioping %s data",
               cases[i][0]);
}
