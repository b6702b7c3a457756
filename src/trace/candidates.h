#ifndef TRACE_CANDIDATES_H
#define TRACE_CANDIDATES_H

/* Candidates: records that may belong to a request. Each has the device, the sector and
 * the kind for which it counts (struct candidate). */
#include "trace_private.h"

/* Adds CANDIDATE to CELLS. Returns false if there is no room. */
bool candidate_add(struct cells *cells, struct candidate candidate);

/* Returns the kind of the record that says that a block request is complete at TOP, the
 * top device of a stack. If the device has no request queue, only an I/O (bio) has such a
 * record. */
enum os_trace_kind candidate_completion_kind(const struct os_layout_device *top);

/* Adds CANDIDATE, a record of TOP, the top device of a stack, to CELLS. At this device, a
 * block request counts as in flight as soon as it is queued. So a record of queueing is
 * added twice: as OS_TRACE_QUEUE, and as OS_TRACE_ISSUE at the same time. Returns false
 * if there is no room. */
bool candidate_add_top(struct cells *cells, struct candidate candidate,
                       const struct os_layout_device *top);

/* Returns the record LISTED as a candidate. If an I/O to a bcache is complete, the kernel
 * records this for the device below, at a sector that is higher by `completion_shift`.
 * The candidate of such a record has the device and the sector of the bcache instead. */
struct candidate candidate_convert(const struct os_layout *layout,
                                   struct listed_record *listed);

#endif
