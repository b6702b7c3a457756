#ifndef REPORT_TABLE_H
#define REPORT_TABLE_H

#include "base/buffer.h"
#include "plan/plan.h"
#include "stats/stats.h"

/*
 * The table of a sweep, which is written while it grows: its columns have room
 * for all that can stand in them. Both add a line to TEXT. IOPS and bandwidth
 * are those by the clock, over TIME ns.
 */
void table_head(struct buffer *text, const struct plan *plan);
void table_row(struct buffer *text, const struct plan *plan, int64_t value,
               const struct stats *stats, int64_t time);

#endif
