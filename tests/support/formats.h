#ifndef SUPPORT_FORMATS_H
#define SUPPORT_FORMATS_H

/* The rows of the table of outputs by name. */
#include "plan/plan.h"
#include "report/outputs.h"

#include <stddef.h>

enum format {
    FORMAT_HUMAN,
    FORMAT_RAW,
    FORMAT_JSON,
    FORMAT_NDJSON,
    FORMAT_INFLUX,
    FORMAT_CHECK,
    FORMAT_PROMETHEUS,
    FORMAT_PLOT,
    FORMAT_PLOT_STREAM, /* on standard output */
    FORMAT_HDR,
    FORMAT_STATUS
};

/* Returns the format of what PLAN prints. */
static inline enum format
format_of(const struct plan *plan)
{
    return (enum format)(plan->output.list[0].kind - output_kinds);
}

/* Returns the output of PLAN that is not printed and has this FORMAT; one of nothing if
 * there is none. */
static inline struct output
output_of(const struct plan *plan, enum format format)
{
    for (int i = plan->output.stream_count; i < plan->output.count; i++)
        if (plan->output.list[i].kind == &output_kinds[format])
            return plan->output.list[i];
    return (struct output){0};
}

/* Adds an output of this FORMAT to PLAN, in a file at PATH. */
static inline void
output_add(struct plan *plan, enum format format, const char *path)
{
    plan->output.list[plan->output.count++] =
        (struct output){.kind = &output_kinds[format], .path = path};
}

#endif
