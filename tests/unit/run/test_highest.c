/* Which step of a sweep is the highest that keeps the limits, by the verdicts on all. */
#include "run/job.h"
#include "support.h"

#include <string.h>

/* Fills SWEEP with steps of 1, 2, 4 ..., and what they kept: k, b(roken) or u(nknown). */
static void
make_steps(struct job_sweep *sweep, const char *verdicts)
{
    sweep->count = (int)strlen(verdicts);
    for (int i = 0; i < sweep->count; i++)
        sweep->steps[i] =
            (struct job_step){.value = 1 << i,
                              .verdict = verdicts[i] == 'k'   ? SLO_MET
                                         : verdicts[i] == 'b' ? SLO_BROKEN
                                                              : SLO_UNKNOWN};
}

/* Returns the highest value of the steps with VERDICTS. UNKNOWN becomes what may be
 * higher. */
static int64_t
highest_of(const char *verdicts, int64_t *unknown)
{
    static struct job_sweep sweep;
    make_steps(&sweep, verdicts);
    *unknown = job_find_highest(&sweep);
    return sweep.highest_index < 0 ? 0 : sweep.steps[sweep.highest_index].value;
}

TEST(the_highest_is_below_the_first_that_breaks_a_limit)
{
    static const struct {
        const char *verdicts;
        int64_t highest;
    } cases[] = {
        {"", 0},     {"b", 0},     {"u", 0},    {"k", 1},      {"kkkb", 4},
        {"kkkk", 8}, {"kbkk", 1},  {"bbkk", 8}, {"bkkb", 4},   {"bkbk", 2},
        {"uku", 2},  {"kuk", 4},   {"kukb", 4}, {"ubu", 0},    {"bbb", 0},
        {"kub", 1},  {"bukkb", 8}, {"kkbu", 2}, {"kkkbbb", 4}, {"kkbkbk", 2},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        int64_t unknown, highest = highest_of(cases[i].verdicts, &unknown);
        if (highest != cases[i].highest)
            fail_msg("%s: %lld", cases[i].verdicts, (long long)highest);
    }
}

TEST(too_few_requests_matter_where_they_may_be_the_highest)
{
    static const struct {
        const char *verdicts;
        int64_t unknown;
    } cases[] = {{"u", 1},  {"ub", 1},   {"bu", 2},  {"uk", 0},  {"ku", 2},
                 {"kb", 0}, {"ukub", 4}, {"kub", 2}, {"kbu", 0}, {"bkbu", 0}};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        int64_t unknown;
        highest_of(cases[i].verdicts, &unknown);
        if (unknown != cases[i].unknown)
            fail_msg("%s: %lld", cases[i].verdicts, (long long)unknown);
    }
}

TEST(the_highest_is_a_lower_bound_unless_a_higher_step_breaks_a_limit)
{
    static const struct {
        const char *verdicts;
        bool is_lower_bound;
        bool is_highest_measured;
    } cases[] = {{"", false, false},  {"b", false, false},   {"u", false, false},
                 {"k", true, true},   {"bkk", true, true},   {"kb", false, false},
                 {"ku", true, false}, {"kub", false, false}, {"kbk", false, false},
                 {"kukk", true, true}};
    static struct job_sweep sweep;

    for (size_t i = 0; i < LENGTH(cases); i++) {
        make_steps(&sweep, cases[i].verdicts);
        job_find_highest(&sweep);
        if (sweep.is_lower_bound != cases[i].is_lower_bound)
            fail_msg("%s: %d", cases[i].verdicts, sweep.is_lower_bound);
        if (job_is_highest_measured(&sweep) != cases[i].is_highest_measured)
            fail_msg("%s", cases[i].verdicts);
    }
}
