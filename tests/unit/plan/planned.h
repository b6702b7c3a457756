#ifndef PLAN_PLANNED_H
#define PLAN_PLANNED_H

/* Plans of command lines, whose words are separated by single spaces. */
#include "support.h"

#include "cli/cli.h"
#include "formats.h"
#include "plan/plan.h"

#define WORDS 32
#define SEED 0xfedcba9876543210u

/* Plans LINE; fails the test if it cannot be parsed. The plan's texts live until the next
 * call. Returns as plan_make and outputs_plan. */
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
                   outputs_plan(&options, plan, error) < 0
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
    assert_false(error.usage);
}

#endif
