/* Which step of a sweep is the highest that keeps the limits, by the verdicts on all. */
#include "run/job.h"
#include "support.h"

#include <string.h>

static struct job judged;

/* Values, and what they kept: k, b(roken) or u(nknown). */
static int64_t
highest_of(const char *verdicts, const int64_t *values)
{
    judged.sweep.count = (int)strlen(verdicts);
    for (int i = 0; i < judged.sweep.count; i++)
        judged.sweep.steps[i] =
            (struct job_step){.value = values ? values[i] : 1 << i,
                              .verdict = verdicts[i] == 'k'   ? SLO_MET
                                         : verdicts[i] == 'b' ? SLO_BROKEN
                                                              : SLO_UNKNOWN};
    int found = judged.sweep.highest = job_find_highest(&judged);
    return found < 0 ? 0 : judged.sweep.steps[found].value;
}

TEST(the_highest_is_below_the_first_that_breaks_a_limit)
{
    static const struct {
        const char *verdicts;
        int64_t highest;
    } cases[] = {
        {"", 0},     {"b", 0},    {"u", 0},    {"k", 1},    {"kkkb", 4},  {"kkkk", 8},
        {"kbkk", 1}, {"bbkk", 8}, {"bkkb", 4}, {"bkbk", 2}, {"uku", 2},   {"kuk", 4},
        {"kukb", 4}, {"ubu", 0},  {"bbb", 0},  {"kub", 1},  {"bukkb", 8}, {"kkbu", 2},
    };
    static const int64_t back_and_forth[] = {100, 200, 400, 300, 250, 275};
    for (size_t i = 0; i < LENGTH(cases); i++)
        if (highest_of(cases[i].verdicts, NULL) != cases[i].highest)
            fail_msg("%s: %lld", cases[i].verdicts,
                     (long long)highest_of(cases[i].verdicts, NULL));
    assert_int_equal(highest_of("kkbbkb", back_and_forth), 250);
    assert_int_equal(highest_of("kkbkbk", back_and_forth), 200);
}

TEST(too_few_requests_matter_where_they_may_be_the_highest)
{
    static const struct {
        const char *verdicts;
        int64_t unknown;
    } cases[] = {{"u", 1},  {"ub", 1},   {"bu", 2},  {"uk", 0},  {"ku", 2},
                 {"kb", 0}, {"ukub", 4}, {"kub", 2}, {"kbu", 0}, {"bkbu", 0}};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        highest_of(cases[i].verdicts, NULL);
        if (job_find_unknown(&judged) != cases[i].unknown)
            fail_msg("%s: %lld", cases[i].verdicts, (long long)job_find_unknown(&judged));
    }
}
