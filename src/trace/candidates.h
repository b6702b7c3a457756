#ifndef TRACE_CANDIDATES_H
#define TRACE_CANDIDATES_H

/* Candidates: records that may belong to a request, because they touch its sectors. A
 * record may count as a record of another device, sector or kind; then its candidate has
 * these instead of its own (struct candidate). */
#include "trace_private.h"

/* Adds CANDIDATE to the search CELLS. Returns false if there is no room. */
bool candidate_add(struct cells *cells, struct candidate candidate);

/* Returns the kind of the record that the kernel writes when TOP, the top device of a
 * stack, completes I/O: OS_TRACE_BIO_COMPLETE if the device has no request queue,
 * otherwise OS_TRACE_COMPLETE. */
enum os_trace_kind candidate_completion_kind(const struct os_layout_device *top);

/* Adds CANDIDATE, whose record is of TOP, the top device of a stack, to the candidates of
 * CELLS. A block request counts as in flight at the top device as soon as it is queued
 * there. So a record of queueing is added twice: as OS_TRACE_QUEUE and as OS_TRACE_ISSUE.
 * A record of completion is added as OS_TRACE_COMPLETE. Records of other kinds are not
 * added. Returns false if there is no room. */
bool candidate_add_top(struct cells *cells, struct candidate candidate,
                       const struct os_layout_device *top);

/* Makes a candidate of LISTED, a record, and returns it. When an I/O to a bcache is
 * complete, the kernel writes a record for the device below the bcache, at a sector that
 * is higher by `completion_shift`. The candidate of such a record gets the device and the
 * sector of the bcache instead. */
struct candidate candidate_convert(const struct os_layout *layout,
                                   struct listed_record *listed);

#endif
