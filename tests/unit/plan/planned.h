#ifndef PLAN_PLANNED_H
#define PLAN_PLANNED_H

/* Plans of command lines, whose words are separated by single spaces. */
#include "support.h"

#include "cli/cli.h"
#include "formats.h"
#include "plan/plan.h"
#include "report/output_choice.h"

#define WORDS 32
#define SEED 0xfedcba9876543210u

/* Plans LINE; fails the test if it cannot be parsed. The plan's texts live until the next
 * call. Returns as plan_make and outputs_choose. */
static inline int
planned_try(const char *line, struct plan *plan, struct error *error)
{
    static char copy[256];
    char *argv[WORDS] = {"ioping"};
    int argc = 1;
    static struct options options;
    snprintf(copy, sizeof(copy), "%s", line);
    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " ")) {
        assert_true(argc < WORDS - 1);
        argv[argc++] = word;
    }
    memset(error, 0, sizeof(*error));
    if (cli_parse(argc, argv, &options, error) < 0)
        fail_msg("ioping %s: %s", line, error->why);
    memset(plan, 0xff, sizeof(*plan));
    return plan_make(&options, SEED, plan, error) < 0 ||
                   outputs_choose(&options, plan, error) < 0
               ? -1
               : 0;
}

static inline struct plan
planned(const char *line)
{
    struct error error;
    struct plan plan;
    if (planned_try(line, &plan, &error) < 0)
        fail_msg("ioping %s: %s", line, error.why);
    return plan;
}

/* Fails the test unless LINE is refused as wrong usage with just this line. */
static inline void
planned_refused(const char *line, const char *expected)
{
    struct error error;
    struct plan plan;
    char text[ERROR_LINE];
    if (planned_try(line, &plan, &error) != -1)
        fail_msg("ioping %s: accepted", line);
    error_format(&error, text, sizeof(text));
    if (strcmp(text, expected) != 0)
        fail_msg("ioping %s: %s", line, text);
    assert_int_equal(error.status, EXIT_USAGE);
}

/* A line, and some members of its plan with their values, as in "interval=0 burst=1"
 * (max: INT64_MAX, umax: UINT64_MAX, seed: SEED), or how it is refused. */
struct planned_row {
    const char *line, *expected;
};

/* Returns the member of PLAN whose path ends in NAME. */
static inline uint64_t
planned_member(const struct plan *plan, const char *name, size_t length)
{
    static const struct {
        const char *name;
        size_t offset, size;
    } members[] = {
#define MEMBER(group, name)                               \
    {#group "." #name, offsetof(struct plan, group.name), \
     sizeof(((struct plan *)0)->group.name)}
        MEMBER(end, max_requests),
        MEMBER(end, grace),
        MEMBER(end, min_requests),
        MEMBER(end, open_timeout),
        MEMBER(end, settle_time),
        MEMBER(end, timeout),
        MEMBER(end, work_time),
        MEMBER(output, burst),
        MEMBER(output, any_requests),
        MEMBER(output, any_summary),
        MEMBER(pace, burst),
        MEMBER(pace, interval),
        MEMBER(pace, from_limit),
        MEMBER(statistics, corrected_interval),
        MEMBER(statistics.limits, warmup),
        MEMBER(statistics, series_capacity),
        MEMBER(statistics.slos, count),
        MEMBER(workload, linear),
        MEMBER(workload, request_size),
        MEMBER(workload, scratch_size),
        MEMBER(workload, seed),
        MEMBER(workload, work_size),
    };
    for (size_t i = 0; i < LENGTH(members); i++) {
        const void *member = (const char *)plan + members[i].offset;
        size_t all = strlen(members[i].name);
        const char *end = members[i].name + all - (length < all ? length : all);
        if (strncmp(end, name, length) == 0 && (length == all || end[-1] == '.'))
            return members[i].size == sizeof(bool)  ? *(const bool *)member
                   : members[i].size == sizeof(int) ? *(const unsigned *)member
                                                    : *(const uint64_t *)member;
    }
    fail_msg("no member: %s", name);
    return 0;
}

/* Fails the test unless the plan of LINE has what is EXPECTED. */
static inline void
planned_has(const char *line, const char *expected)
{
    struct plan plan = planned(line);
    for (const char *at = expected; *at; at += strspn(at, " ")) {
        const char *equals = strchr(at, '=');
        assert_non_null(equals);
        uint64_t value = planned_member(&plan, at, (size_t)(equals - at));
        uint64_t right = strtoull(equals + 1, NULL, 10);
        if (equals[1] == 'm')
            right = INT64_MAX;
        else if (equals[1] == 'u')
            right = UINT64_MAX;
        else if (equals[1] == 's')
            right = SEED;
        if (value != right)
            fail_msg("ioping %s: %s: %llu", line, at, (unsigned long long)value);
        at = equals + strcspn(equals, " ");
    }
}

#endif
