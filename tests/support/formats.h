#ifndef SUPPORT_FORMATS_H
#define SUPPORT_FORMATS_H

/* Names for the rows of output_kinds, and functions that find the outputs of a plan. */
#include "plan/plan.h"
#include "report/outputs.h"

#include <stddef.h>

/* The rows of output_kinds, in their order. */
enum format {
    FORMAT_HUMAN,
    FORMAT_PRINT,
    FORMAT_RAW,
    FORMAT_JSON,
    FORMAT_NDJSON,
    FORMAT_INFLUX,
    FORMAT_CSV,
    FORMAT_CHECK,
    FORMAT_PROMETHEUS,
    FORMAT_PLOT,
    FORMAT_PLOT_STREAM, /* a plot on standard output */
    FORMAT_HDR,
    FORMAT_STATUS,
    FORMAT_LIVE
};

/* Returns the format of what PLAN prints on standard output. */
static inline enum format
format_of(const struct plan *plan)
{
    return (enum format)(plan->output.list[0].kind - output_kinds);
}

/* Returns the output of PLAN that has this FORMAT and is written to a file. Returns an
 * empty output if PLAN has none. */
static inline struct output
output_of(const struct plan *plan, enum format format)
{
    for (int i = plan->output.stream_count; i < plan->output.count; i++)
        if (plan->output.list[i].kind == &output_kinds[format])
            return plan->output.list[i];
    return (struct output){0};
}

/* Adds an output of this FORMAT to PLAN, written to a file at PATH. */
static inline void
output_add(struct plan *plan, enum format format, const char *path)
{
    plan->output.list[plan->output.count++] =
        (struct output){.kind = &output_kinds[format], .path = path};
}

#endif
