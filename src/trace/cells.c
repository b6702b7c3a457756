/*
 * Attribution of block requests to the cells of a request. A block request covers sectors
 * from when it is queued: it is issued to the device, perhaps requeued and issued again,
 * and completes, as a whole or in parts; and it may be a part of what was queued, or more
 * of it, merged. So the sectors of a request are cut wherever a record begins or ends,
 * into cells of which each record has all or nothing.
 *
 * Who queues a cell is known by its thread, but an issue or a completion is anybody's. A
 * request ends only after its own: if there is one of each while it is under way, they
 * are its own. Otherwise several have the cell under way. If all are of this program, the
 * first that was queued is the first that is issued, and the first that completes. If
 * not, nothing is certain.
 */
#include "trace_private.h"

#include "base/time.h"

static bool
covers(const struct candidate *candidate, const struct range *cell)
{
    const struct os_trace_record *trace = &candidate->record->trace;
    return candidate->disk == cell->disk && candidate->sector <= cell->sector &&
           candidate->sector + trace->sectors >= cell->sector + cell->sectors;
}

/* Returns whether that may have been queued for the request: by a thread of its program,
 * or of the kernel. Each block request is queued for one request alone. */
static bool
may_enter(const struct cells *cells, const struct candidate *candidate)
{
    const struct run_record *record = candidate->record;
    const struct os_trace_record *trace = &record->trace;
    if (candidate->kind != cells->entry)
        return false;
    if (trace->thread == cells->thread)
        return record->use != RECORD_USED;
    return cells->lower ? !records_is_own(cells->own, trace->thread)
                        : trace->kernel && record->use != RECORD_USED;
}

/* Finds the first time that CELL was queued for the request: by its own thread, or else
 * by one of the kernel. ENTRY becomes its index, or -1: it was not; ALONE, whether it is
 * the only one, issued and completed once since. Returns how often; 1 if by its own. */
static int
find_entry(const struct cells *cells, const struct range *cell, int *entry, bool *alone)
{
    int found = 0, issues = 0, completions = 0;
    bool own = false;
    *entry = -1;
    for (int i = cells->first; i < cells->count; i++) {
        const struct run_record *record = cells->candidates[i].record;
        enum os_trace_kind kind = cells->candidates[i].kind;
        if (!covers(&cells->candidates[i], cell))
            continue;
        if (!own && may_enter(cells, &cells->candidates[i])) {
            own = record->trace.thread == cells->thread;
            found = own ? 1 : found + 1;
            if (found == 1) {
                *entry = i;
                issues = completions = 0;
            }
        }
        issues += (kind == OS_TRACE_ISSUE) - (kind == OS_TRACE_REQUEUE);
        completions += kind == OS_TRACE_COMPLETE;
    }
    *alone = found == 1 && issues == 1 && completions == 1;
    return found;
}

/* Returns whether records of CELL, not known to be queued, are missing: it was issued all
 * the same, or others queue what has to come from the device for the request. */
static bool
is_missing(const struct cells *cells, const struct range *cell)
{
    for (int i = cells->first; i < cells->count; i++) {
        enum os_trace_kind kind = cells->candidates[i].kind;
        if (covers(&cells->candidates[i], cell) &&
            (cells->direct || kind != OS_TRACE_COMPLETE))
            return cells->direct || kind == OS_TRACE_ISSUE;
    }
    return false;
}

static void
mark(struct candidate *candidate)
{
    if (candidate->record->use == RECORD_UNUSED)
        candidate->record->use = RECORD_TAKEN;
}

/* Adds the time of a block request at the device. Returns false if there is no room. */
static bool
add_interval(struct cells *cells, const struct breakdown_interval *interval)
{
    int count = cells->interval_count;
    struct breakdown_interval *next = &cells->intervals[count];
    if (count > 0 && next[-1].issued_at == interval->issued_at &&
        next[-1].completed_at == interval->completed_at) { /* of the same block request */
        next[-1].queued_at = time_earlier(next[-1].queued_at, interval->queued_at);
        return true;
    }
    if (count == CELLS_INTERVALS)
        return false;
    *next = *interval;
    cells->interval_count++;
    return true;
}

/* Follows CELL until its block request that has ENTRY is complete, from there if it is
 * ALONE: nobody else has it under way. Block requests are numbered as they are queued,
 * from 0: they are issued and complete in that order, and the one that was issued last is
 * requeued first. One of which the beginning is not known may be of another process. If
 * it is OPEN, it need not be complete: it lasts to INT64_MAX then. */
static enum split_result
follow(struct cells *cells, const struct range *cell, int entry, bool alone, bool open)
{
    int queued = 0, issued = 0, complete = 0, own = -1;
    int foreign = 0; /* those up to the last of another process */
    int intervals = cells->interval_count;
    struct breakdown_interval now = {INT64_MAX, INT64_MAX, INT64_MAX};
    for (int i = alone ? entry : 0; i < cells->count; i++) {
        struct candidate *candidate = &cells->candidates[i];
        const struct os_trace_record *trace = &candidate->record->trace;
        if (!covers(candidate, cell))
            continue;
        if (i == entry) {
            if (foreign > complete)
                return SPLIT_SHARED;
            own = queued++;
            now.queued_at = trace->time;
            mark(candidate);
        } else if (candidate->kind == cells->entry) {
            queued++;
            if (cells->lower || records_is_own(cells->own, trace->thread))
                continue;
            if (own >= 0 && !alone)
                return SPLIT_SHARED;
            foreign = queued;
        } else if (candidate->kind == OS_TRACE_ISSUE) {
            if (issued == queued)
                foreign = ++queued;
            if (issued++ != own)
                continue;
            now.issued_at = trace->time;
            mark(candidate);
        } else if (issued > complete && (candidate->kind == OS_TRACE_REQUEUE ||
                                         candidate->kind == OS_TRACE_COMPLETE)) {
            bool ends = candidate->kind == OS_TRACE_COMPLETE;
            if ((ends ? complete++ : --issued) != own)
                continue;
            mark(candidate);
            now.completed_at = trace->time;
            if (!add_interval(cells, &now))
                return SPLIT_LOST;
            if (ends)
                return SPLIT_DONE;
            now = (struct breakdown_interval){INT64_MAX, INT64_MAX, trace->time};
        }
    }
    if (open && own >= 0)
        return add_interval(cells, &now) ? SPLIT_DONE : SPLIT_LOST;
    cells->interval_count = intervals;
    return SPLIT_LOST;
}

/* Of several times that the kernel queued CELL, the last is taken that is complete when
 * the request ends. */
static enum split_result
follow_last(struct cells *cells, const struct range *cell, int *entry)
{
    enum split_result result = SPLIT_LOST;
    for (int i = cells->count; i-- > cells->first && result == SPLIT_LOST;) {
        const struct candidate *candidate = &cells->candidates[i];
        if (!covers(candidate, cell) || !may_enter(cells, candidate))
            continue;
        *entry = i;
        result = follow(cells, cell, i, false, false);
    }
    return result;
}

static enum split_result
add_cell(struct cells *cells, const struct range *cell)
{
    bool alone;
    int entry, found = find_entry(cells, cell, &entry, &alone);
    enum split_result result;
    if (found == 0)
        return is_missing(cells, cell) ? SPLIT_LOST : SPLIT_DONE;
    cells->alone = cells->alone && alone;
    if (!alone && (!cells->all || cells->foreign || (found > 1 && !cells->lower)))
        result = SPLIT_SHARED;
    else if (found > 1)
        result = follow_last(cells, cell, &entry);
    else
        result = follow(cells, cell, entry, alone, cells->open);
    const struct os_trace_record *trace = &cells->candidates[entry].record->trace;
    bool released = trace->kernel && !cells->lower;
    int64_t *queued = released ? &cells->released : &cells->queued;
    *queued = time_earlier(*queued, trace->time);
    return result;
}

/* Returns the first sector behind FROM where a record begins or ends; END: none does. */
static uint64_t
next_cut(const struct cells *cells, uint64_t disk, uint64_t from, uint64_t end)
{
    for (int i = 0; i < cells->count; i++) {
        const struct candidate *candidate = &cells->candidates[i];
        const struct os_trace_record *trace = &candidate->record->trace;
        uint64_t over = candidate->sector + trace->sectors;
        if (candidate->disk == disk && candidate->sector > from &&
            candidate->sector < end)
            end = candidate->sector;
        if (candidate->disk == disk && over > from && over < end)
            end = over;
    }
    return end;
}

enum split_result
cells_add(struct cells *cells, const struct range *range)
{
    uint64_t over = range->sector + range->sectors, end;
    enum split_result result = SPLIT_DONE;
    for (uint64_t at = range->sector; at < over && result == SPLIT_DONE; at = end) {
        end = next_cut(cells, range->disk, at, over);
        struct range cell = {range->disk, at, end - at};
        result = add_cell(cells, &cell);
    }
    return result;
}

void
cells_end(struct cells *cells, bool is_split)
{
    for (int i = 0; i < cells->count; i++) {
        struct run_record *record = cells->candidates[i].record;
        if (record->use == RECORD_TAKEN)
            record->use = is_split ? RECORD_USED : RECORD_UNUSED;
    }
}
