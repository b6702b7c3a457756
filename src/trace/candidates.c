/*
 * Candidates: records that may belong to a request, because they touch its sectors.
 * request.c collects the candidates, and cells.c finds out which of them belong to the
 * request.
 */
#include "candidates.h"

#include "ranges.h"

bool
candidate_add(struct cells *cells, struct candidate candidate)
{
    if (cells->candidate_count == CANDIDATES_MAX)
        return false;
    cells->candidates[cells->candidate_count++] = candidate;
    return true;
}

enum os_trace_kind
candidate_completion_kind(const struct os_layout_device *top)
{
    return top->is_bio_based ? OS_TRACE_BIO_COMPLETE : OS_TRACE_COMPLETE;
}

bool
candidate_add_top(struct cells *cells, struct candidate candidate,
                  const struct os_layout_device *top)
{
    if (candidate.kind == candidate_completion_kind(top)) {
        candidate.kind = OS_TRACE_COMPLETE;
        return candidate_add(cells, candidate);
    }
    if (candidate.kind != OS_TRACE_QUEUE)
        return true;

    if (!candidate_add(cells, candidate))
        return false;
    candidate.kind = OS_TRACE_ISSUE;
    return candidate_add(cells, candidate);
}

struct candidate
candidate_convert(const struct os_layout *layout, struct listed_record *listed)
{
    const struct os_trace_record *record = &listed->record;
    struct candidate candidate = {.listed = listed,
                                  .disk = layout_find_disk(layout, record->device),
                                  .sector = record->sector,
                                  .kind = record->kind};
    uint64_t top_disk = layout->devices[layout->top_index].disk;
    if (layout->completion_shift && record->kind == OS_TRACE_BIO_COMPLETE &&
        candidate.disk != top_disk) {
        candidate.disk = top_disk;
        candidate.sector -= layout->completion_shift;
    }
    return candidate;
}
