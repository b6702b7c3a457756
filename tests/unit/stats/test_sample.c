/* Verdicts and failures of samples. */
#include "support.h"

#include "stats/stats.h"

static const struct {
    enum verdict verdict;
    int error;
    const char *notice; /* NULL: none */
    bool counts, failed;
} cases[] = {
    {VERDICT_WARMUP, 0, "warmup", false, false},
    {VERDICT_TOO_FAST, 0, "too fast", false, false},
    {VERDICT_TOO_SLOW, 0, "too slow", false, false},
    {VERDICT_CACHED, 0, "cached", false, false},
    {VERDICT_STOPPED, 0, "stopped", false, false},
    {VERDICT_SHORT, 0, "short", false, true},
    {VERDICT_ERROR, EIO, "EIO", false, true},
    {VERDICT_ERROR, EAGAIN, "EAGAIN", false, true},
    {VERDICT_ERROR, ENOSPC, "ENOSPC", false, true},
    {VERDICT_ERROR, EINVAL, "EINVAL", false, true},
    {VERDICT_ERROR, EOPNOTSUPP, "EOPNOTSUPP", false, true},
    {VERDICT_ERROR, 9999, "E9999", false, true},
    {VERDICT_TIMEOUT, 0, "timeout", false, true},
    {VERDICT_NONE, 0, NULL, true, false},
    {VERDICT_FAST, 0, "fast", true, false},
    {VERDICT_SLOW, 0, "slow", true, false},
};

#define CASES (LENGTH(cases))

static struct sample
sample_of(size_t row)
{
    return (struct sample){.verdict = cases[row].verdict, .error = cases[row].error};
}

TEST(every_verdict_has_its_word)
{
    for (size_t i = 0; i < CASES; i++) {
        char buffer[16];
        struct sample sample = sample_of(i);
        const char *notice = sample_verdict_word(&sample, buffer);
        if (cases[i].notice)
            assert_string_equal(notice, cases[i].notice);
        else
            assert_null(notice);
    }
}

TEST(some_verdicts_count)
{
    for (size_t i = 0; i < CASES; i++) {
        struct sample sample = sample_of(i);
        assert_int_equal(sample_counts(&sample), cases[i].counts);
    }
}

TEST(errors_and_short_requests_failed)
{
    for (size_t i = 0; i < CASES; i++) {
        struct sample sample = sample_of(i);
        assert_int_equal(sample_failed(&sample), cases[i].failed);
    }
}
