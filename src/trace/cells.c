/*
 * Cells: finds which records of the trace belong to a request, for the sectors of the
 * request.
 *
 * The kernel may split a block request into parts and merge it with others between two
 * records. So the records of one request may cover different sectors:
 *
 *     sectors     1000      1008      1016      1024      1032
 *     queued      |-------- the request --------|
 *     issued      |------ part -------|-- merged part ----|
 *     completed   |- part --|- part --|-- merged part ----|
 *     cells       |    1    |    2    |    3    |
 *
 * Therefore the sectors of the request are cut wherever a record begins or ends. The
 * pieces are called cells. A record covers either all of a cell or nothing of it. Each
 * cell is then followed on its own through the states of a block request:
 *
 *        entry            ISSUE                 COMPLETE
 *     ----------> queued ----------> at device ----------> done
 *                   ^                    |
 *                   +------ REQUEUE -----+
 *
 * The entry is a record of OS_TRACE_QUEUE, or of OS_TRACE_REMAP below a device that is
 * made of others. Each stay at the device becomes one interval of the request.
 *
 * The entry names the thread that queued the block request. But an issue or a completion
 * may be recorded in any thread, so these records do not name the request they belong to.
 * There are three cases:
 *
 * 1. There is one entry, one issue and one completion of the cell while the request is in
 *    flight. The request cannot end before its own completion, so all records are its
 *    own. The cell is alone.
 * 2. This program has several block requests for the cell in flight. The block requests
 *    are assumed to be first in, first out: the block request that was queued first is
 *    issued first and completes first. Block requests are numbered in the order of their
 *    entries, and counters say how many were queued, issued and completed so far.
 * 3. Another process also has a block request for the cell in flight. Then nothing is
 *    certain, and the result is SPLIT_AMBIGUOUS.
 */
#include "trace_private.h"

#include "base/time.h"

/* Returns whether CANDIDATE is a record of CELL, and so covers all of CELL. */
static bool
covers(const struct candidate *candidate, const struct sector_range *cell)
{
    const struct os_trace_record *record = &candidate->listed->record;
    return candidate->disk == cell->disk && candidate->sector <= cell->sector &&
           candidate->sector + record->sector_count >= cell->sector + cell->sector_count;
}

/* Returns whether CANDIDATE may be the entry of a block request of this request: queued
 * by the request's own thread, or by a thread of the kernel. An entry that another
 * request has used is excluded. Below the top device of a stack, threads of other
 * programs count as threads of the kernel, and their entries may be used several times.
 */
static bool
may_enter(const struct cells *cells, const struct candidate *candidate)
{
    const struct listed_record *listed = candidate->listed;
    const struct os_trace_record *record = &listed->record;
    if (candidate->kind != cells->entry_kind)
        return false;
    if (record->thread == cells->thread)
        return listed->use != RECORD_ATTRIBUTED;

    return cells->is_below_top
               ? !is_program_thread(cells->program_threads, record->thread)
               : record->by_kernel && listed->use != RECORD_ATTRIBUTED;
}

/* Finds the first entry of CELL that may be the request's: an entry by its own thread, or
 * else by a thread of the kernel. Stores its index in ENTRY, or -1 if there is no entry.
 * Sets ALONE if this is the only entry, and the cell was issued and completed exactly
 * once since. Returns the number of such entries; entries after one by the request's own
 * thread are not counted. */
static int
find_entry(const struct cells *cells, const struct sector_range *cell, int *entry,
           bool *alone)
{
    int found = 0;
    int issues = 0;
    int completions = 0;
    bool own = false;
    *entry = -1;
    for (int i = cells->first_within_index; i < cells->candidate_count; i++) {
        const struct listed_record *listed = cells->candidates[i].listed;
        enum os_trace_kind kind = cells->candidates[i].kind;
        if (!covers(&cells->candidates[i], cell))
            continue;

        if (!own && may_enter(cells, &cells->candidates[i])) {
            own = listed->record.thread == cells->thread;
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

/* Returns whether records of CELL are missing, although no entry of CELL was found. If
 * all requests ask the device (direct I/O), any record of the cell shows that. Otherwise,
 * an issue without an entry before it shows that. */
static bool
is_missing(const struct cells *cells, const struct sector_range *cell)
{
    for (int i = cells->first_within_index; i < cells->candidate_count; i++) {
        enum os_trace_kind kind = cells->candidates[i].kind;
        if (covers(&cells->candidates[i], cell) &&
            (cells->is_direct || kind != OS_TRACE_COMPLETE))
            return cells->is_direct || kind == OS_TRACE_ISSUE;
    }
    return false;
}

/* Marks the record of CANDIDATE as found for the request that is being attributed. */
static void
mark(struct candidate *candidate)
{
    if (candidate->listed->use == RECORD_UNUSED)
        candidate->listed->use = RECORD_CLAIMED;
}

/* Adds a stay of a block request at the device. Successive cells of the same block
 * request have equal stays, which are added once. Returns false if there is no room. */
static bool
add_interval(struct cells *cells, const struct breakdown_interval *interval)
{
    int count = cells->interval_count;
    struct breakdown_interval *next = &cells->intervals[count];
    if (count > 0 && next[-1].issued_at == interval->issued_at &&
        next[-1].completed_at == interval->completed_at) {
        next[-1].queued_at = time_earlier(next[-1].queued_at, interval->queued_at);
        return true;
    }
    if (count == INTERVALS_MAX)
        return false;

    *next = *interval;
    cells->interval_count++;
    return true;
}

/*
 * Follows the block request of CELL whose entry is the candidate of index ENTRY, until it
 * is complete, and adds its stays at the device. If the block request is ALONE, records
 * before its entry are ignored.
 *
 * Block requests for the cell are numbered from 0 in the order of their entries:
 *
 *     0 .. complete - 1        complete
 *     complete .. issued - 1   at the device
 *     issued .. queued - 1     queued
 *     own                      the number of the block request that is followed, or -1
 *                              before its entry
 *     0 .. foreign - 1         all block requests up to the last one that is, or may be,
 *                              of another process
 *
 * So ISSUE is a record of number `issued`, COMPLETE of number `complete`, and REQUEUE of
 * number `issued - 1`, because the block request that was issued last goes back first. An
 * ISSUE of a number that was not queued belongs to a block request whose entry is not
 * known, perhaps of another process.
 *
 * Returns SPLIT_DONE if the block request is complete. If OPEN, it may also be incomplete
 * when the records end; its last stay ends at INT64_MAX then. Returns SPLIT_AMBIGUOUS if
 * another process may have had the cell in flight at the same time, and SPLIT_LOST if
 * records are missing or if there is no room.
 */
static enum split_result
follow_block_request(struct cells *cells, const struct sector_range *cell, int entry,
                     bool alone, bool open)
{
    int queued = 0;
    int issued = 0;
    int complete = 0;
    int own = -1;
    int foreign = 0;
    int intervals = cells->interval_count;
    struct breakdown_interval now = {INT64_MAX, INT64_MAX, INT64_MAX};

    for (int i = alone ? entry : 0; i < cells->candidate_count; i++) {
        struct candidate *candidate = &cells->candidates[i];
        const struct os_trace_record *record = &candidate->listed->record;
        if (!covers(candidate, cell))
            continue;

        if (i == entry) {
            if (foreign > complete) /* one of another process is in flight */
                return SPLIT_AMBIGUOUS;
            own = queued++;
            now.queued_at = record->time;
            mark(candidate);
        } else if (candidate->kind == cells->entry_kind) {
            queued++;
            if (cells->is_below_top ||
                is_program_thread(cells->program_threads, record->thread))
                continue;
            if (own >= 0 && !alone)
                return SPLIT_AMBIGUOUS;
            foreign = queued;
        } else if (candidate->kind == OS_TRACE_ISSUE) {
            if (issued == queued)
                foreign = ++queued;
            if (issued++ != own)
                continue;
            now.issued_at = record->time;
            mark(candidate);
        } else if (issued > complete && (candidate->kind == OS_TRACE_REQUEUE ||
                                         candidate->kind == OS_TRACE_COMPLETE)) {
            bool ends = candidate->kind == OS_TRACE_COMPLETE;
            if ((ends ? complete++ : --issued) != own)
                continue;
            mark(candidate);
            now.completed_at = record->time;
            if (!add_interval(cells, &now))
                return SPLIT_LOST;
            if (ends)
                return SPLIT_DONE;
            now = (struct breakdown_interval){INT64_MAX, INT64_MAX, record->time};
        }
    }

    if (open && own >= 0)
        return add_interval(cells, &now) ? SPLIT_DONE : SPLIT_LOST;
    cells->interval_count = intervals;
    return SPLIT_LOST;
}

/* Follows the last of several entries of CELL by the kernel whose block request was
 * complete when the request ended. Stores its index in ENTRY. Returns SPLIT_LOST if none
 * was complete, else the result of the block request. */
static enum split_result
follow_last(struct cells *cells, const struct sector_range *cell, int *entry)
{
    enum split_result result = SPLIT_LOST;
    for (int i = cells->candidate_count;
         i-- > cells->first_within_index && result == SPLIT_LOST;) {
        const struct candidate *candidate = &cells->candidates[i];
        if (!covers(candidate, cell) || !may_enter(cells, candidate))
            continue;
        *entry = i;
        result = follow_block_request(cells, cell, i, false, false);
    }

    return result;
}

/* Finds the block request of CELL that belongs to the request, adds its stays at the
 * device, and notes when it was queued. A cell without any records needed no device. */
static enum split_result
add_cell(struct cells *cells, const struct sector_range *cell)
{
    bool alone;
    int entry;
    int found = find_entry(cells, cell, &entry, &alone);
    enum split_result result;
    if (found == 0)
        return is_missing(cells, cell) ? SPLIT_LOST : SPLIT_DONE;

    cells->all_sole = cells->all_sole && alone;
    /* Several block requests: earlier records may tell which is which, unless another
     * process is involved. */
    if (!alone && (!cells->has_earlier || cells->may_have_foreign_io ||
                   (found > 1 && !cells->is_below_top)))
        result = SPLIT_AMBIGUOUS;
    else if (found > 1)
        result = follow_last(cells, cell, &entry);
    else
        result =
            follow_block_request(cells, cell, entry, alone, cells->may_be_incomplete);

    const struct os_trace_record *record = &cells->candidates[entry].listed->record;
    bool released = record->by_kernel && !cells->is_below_top;
    int64_t *queued = released ? &cells->released_at : &cells->queued_at;
    *queued = time_earlier(*queued, record->time);
    return result;
}

/* Returns the first sector of DISK after FROM and before END at which a record begins or
 * ends. Returns END if there is no such sector. */
static uint64_t
next_cut(const struct cells *cells, uint64_t disk, uint64_t from, uint64_t end)
{
    for (int i = 0; i < cells->candidate_count; i++) {
        const struct candidate *candidate = &cells->candidates[i];
        const struct os_trace_record *record = &candidate->listed->record;
        uint64_t over = candidate->sector + record->sector_count;
        if (candidate->disk == disk && candidate->sector > from &&
            candidate->sector < end)
            end = candidate->sector;
        if (candidate->disk == disk && over > from && over < end)
            end = over;
    }

    return end;
}

enum split_result
cells_add(struct cells *cells, const struct sector_range *range)
{
    uint64_t over = range->sector + range->sector_count;
    uint64_t end;
    enum split_result result = SPLIT_DONE;

    for (uint64_t at = range->sector; at < over && result == SPLIT_DONE; at = end) {
        end = next_cut(cells, range->disk, at, over);
        struct sector_range cell = {range->disk, at, end - at};
        result = add_cell(cells, &cell);
    }
    return result;
}

void
cells_end(struct cells *cells, bool is_split)
{
    for (int i = 0; i < cells->candidate_count; i++) {
        struct listed_record *listed = cells->candidates[i].listed;
        if (listed->use == RECORD_CLAIMED)
            listed->use = is_split ? RECORD_ATTRIBUTED : RECORD_UNUSED;
    }
}
