/*
 * Cells: finds which records of the trace belong to a request, for the sectors of the
 * request.
 *
 * The kernel may split a block request into pieces and merge it with other block requests
 * between two records. So the records of one request may cover different sectors:
 *
 *     sectors     1000      1008      1016      1024      1032
 *     queued      |-------- the request --------|
 *     issued      |------ piece ------|- piece, merged ---|
 *     completed   |- piece -|- piece -|- piece, merged ---|
 *     cells       |    1    |    2    |    3    |
 *
 * Therefore the sectors of the request are cut wherever a record begins or ends. The
 * results are called cells. A record covers either all of a cell or nothing of it. Each
 * cell is then followed on its own through the states of a block request:
 *
 *        entry            ISSUE                 COMPLETE
 *     ----------> queued ----------> at device ----------> complete
 *                   ^                    |
 *                   +------ REQUEUE -----+
 *
 * The entry is the first record of a block request. It is an OS_TRACE_QUEUE or, if the
 * device above passed the block request on without queueing it again, an OS_TRACE_REMAP.
 * Each time from an ISSUE to the next REQUEUE or COMPLETE is one interval of the request.
 *
 * The entry names the thread that queued the block request. But an issue or a completion
 * may be recorded in any thread, so these records do not tell which block request they
 * belong to. There are three cases:
 *
 * 1. While the request is in flight, the cell has one entry, one issue and one
 *    completion. The request cannot end before its own completion, so all three records
 *    belong to it. The block request is the sole one.
 * 2. This program has several block requests for the cell in flight. They are assumed to
 *    be first in, first out: the block request that was queued first is also issued first
 *    and complete first. Block requests are numbered in the order of their entries, and
 *    counters say how many were queued, issued and complete so far.
 * 3. Another process also has a block request for the cell in flight. Then nothing is
 *    certain, and the result is SPLIT_AMBIGUOUS.
 */
#include "trace_private.h"

#include "base/time.h"

/* The entries of a cell, which are the first records of its block requests. Only those
 * that may belong to the request. */
struct cell_entries {
    int count;
    int first_index; /* index of the candidate that is the first entry; -1 for none */
    /* There is only one entry, and the cell was issued and completed only once since. So
     * this is the only block request for the cell. */
    bool is_sole;
};

/* Returns true if CANDIDATE covers CELL. */
static bool
covers(const struct candidate *candidate, const struct sector_range *cell)
{
    const struct os_trace_record *record = &candidate->listed->record;
    return candidate->disk == cell->disk && candidate->sector <= cell->sector &&
           candidate->sector + record->sector_count >= cell->sector + cell->sector_count;
}

/*
 * Returns true if CANDIDATE may be the entry of a block request of the request. The entry
 * comes from the thread of the request or, after throttling, from a thread of the kernel.
 * An entry that was attributed to an earlier request is excluded.
 *
 * Below the top device of a stack, any thread of the kernel may queue block requests,
 * also in the name of another program. There, the threads of other programs count as
 * threads of the kernel, and one entry may serve several requests.
 */
static bool
may_be_entry(const struct cells *cells, const struct candidate *candidate)
{
    const struct listed_record *listed = candidate->listed;
    const struct os_trace_record *record = &listed->record;
    if (candidate->kind != cells->entry_kind)
        return false;
    if (record->thread == cells->thread)
        return listed->use != RECORD_ATTRIBUTED;
    if (cells->is_below_top)
        return !is_program_thread(cells->program_threads, record->thread);
    return record->by_kernel && listed->use != RECORD_ATTRIBUTED;
}

/* Finds the entries of CELL that may belong to the request. If the thread of the request
 * has an entry, that entry is the only one: entries by other threads before it, and all
 * entries after it, are not counted. */
static struct cell_entries
find_entries(const struct cells *cells, const struct sector_range *cell)
{
    struct cell_entries entries = {.count = 0, .first_index = -1, .is_sole = false};
    int issued_count = 0;
    int complete_count = 0;
    bool by_thread = false;

    for (int i = cells->first_within_index; i < cells->candidate_count; i++) {
        const struct candidate *candidate = &cells->candidates[i];
        if (!covers(candidate, cell))
            continue;

        if (!by_thread && may_be_entry(cells, candidate)) {
            by_thread = candidate->listed->record.thread == cells->thread;
            entries.count = by_thread ? 1 : entries.count + 1;
            if (entries.count == 1) {
                entries.first_index = i;
                issued_count = 0;
                complete_count = 0;
            }
        }
        if (candidate->kind == OS_TRACE_ISSUE)
            issued_count++;
        else if (candidate->kind == OS_TRACE_REQUEUE)
            issued_count--;
        else if (candidate->kind == OS_TRACE_COMPLETE)
            complete_count++;
    }

    entries.is_sole = entries.count == 1 && issued_count == 1 && complete_count == 1;
    return entries;
}

/* Returns true if CELL, of which no entry was found, has other records that show that the
 * entry is missing. With direct I/O, any record shows that. Without direct I/O, the page
 * cache may have answered the request, and the records may belong to another process;
 * only an issue without an entry before it shows that. */
static bool
is_entry_missing(const struct cells *cells, const struct sector_range *cell)
{
    for (int i = cells->first_within_index; i < cells->candidate_count; i++) {
        const struct candidate *candidate = &cells->candidates[i];
        if (!covers(candidate, cell))
            continue;
        if (cells->is_direct)
            return true;
        if (candidate->kind != OS_TRACE_COMPLETE)
            return candidate->kind == OS_TRACE_ISSUE;
    }
    return false;
}

/* Marks the record of CANDIDATE as a record of the request that is being attributed. */
static void
claim(struct candidate *candidate)
{
    if (candidate->listed->use == RECORD_UNUSED)
        candidate->listed->use = RECORD_CLAIMED;
}

/* Adds the INTERVAL of a block request, in flight at the device. Neighbouring cells of
 * the same block request have the same interval, which is added only once. Returns false
 * if there is no room. */
static bool
add_flight(struct cells *cells, const struct breakdown_interval *interval)
{
    int count = cells->interval_count;
    if (count > 0) {
        struct breakdown_interval *last = &cells->intervals[count - 1];
        if (last->issued_at == interval->issued_at &&
            last->completed_at == interval->completed_at) {
            last->queued_at = time_earlier(last->queued_at, interval->queued_at);
            return true;
        }
    }
    if (count == INTERVALS_MAX)
        return false;

    cells->intervals[count] = *interval;
    cells->interval_count++;
    return true;
}

/*
 * Follows the block request of CELL whose entry is the candidate with index ENTRY, until
 * it is complete, and adds its intervals. If IS_SOLE, candidates before its entry are
 * ignored.
 *
 * Block requests for the cell are numbered from 0 in the order of their entries. Their
 * ordinals tell their states:
 *
 *     ordinal                                state
 *     0 .. complete_count - 1                complete
 *     complete_count .. issued_count - 1     at the device
 *     issued_count .. queued_count - 1       queued
 *
 * So an ISSUE belongs to the block request with ordinal issued_count, and a COMPLETE to
 * complete_count. A REQUEUE belongs to issued_count - 1, because the block request that
 * was issued last goes back first. An ISSUE with an ordinal that was not queued belongs
 * to a block request whose entry is not known, perhaps of another process.
 *
 * Returns SPLIT_DONE if the block request is complete. If MAY_BE_INCOMPLETE, also returns
 * SPLIT_DONE if the candidates end before it is complete; then its last interval ends at
 * INT64_MAX. Returns SPLIT_AMBIGUOUS if another process may have had the cell in flight
 * at the same time, and SPLIT_LOST if records are missing or if there is no room.
 */
static enum split_result
follow_block_request(struct cells *cells, const struct sector_range *cell, int entry,
                     bool is_sole, bool may_be_incomplete)
{
    int queued_count = 0;
    int issued_count = 0;
    int complete_count = 0;
    int followed = -1;   /* ordinal of the block request that is followed; -1 before it */
    int foreign_end = 0; /* all block requests of other processes have lower ordinals */
    int old_interval_count = cells->interval_count;
    int first_index = is_sole ? entry : 0;
    struct breakdown_interval now = {INT64_MAX, INT64_MAX, INT64_MAX};

    for (int i = first_index; i < cells->candidate_count; i++) {
        struct candidate *candidate = &cells->candidates[i];
        const struct os_trace_record *record = &candidate->listed->record;
        if (!covers(candidate, cell))
            continue;

        if (i == entry) {
            if (foreign_end > complete_count)
                return SPLIT_AMBIGUOUS; /* with a block request of another process */
            followed = queued_count++;
            now.queued_at = record->time;
            claim(candidate);
        } else if (candidate->kind == cells->entry_kind) {
            queued_count++;
            if (cells->is_below_top ||
                is_program_thread(cells->program_threads, record->thread))
                continue;
            if (followed >= 0 && !is_sole)
                return SPLIT_AMBIGUOUS;
            foreign_end = queued_count;
        } else if (candidate->kind == OS_TRACE_ISSUE) {
            if (issued_count == queued_count) {
                queued_count++;
                foreign_end = queued_count;
            }
            int ordinal = issued_count++;
            if (ordinal != followed)
                continue;
            now.issued_at = record->time;
            claim(candidate);
        } else if (issued_count > complete_count &&
                   (candidate->kind == OS_TRACE_REQUEUE ||
                    candidate->kind == OS_TRACE_COMPLETE)) {
            bool is_complete = candidate->kind == OS_TRACE_COMPLETE;
            int ordinal = is_complete ? complete_count++ : --issued_count;
            if (ordinal != followed)
                continue;
            claim(candidate);
            now.completed_at = record->time;
            if (!add_flight(cells, &now))
                return SPLIT_LOST;
            if (is_complete)
                return SPLIT_DONE;
            now = (struct breakdown_interval){INT64_MAX, INT64_MAX, record->time};
        }
    }

    if (may_be_incomplete && followed >= 0)
        return add_flight(cells, &now) ? SPLIT_DONE : SPLIT_LOST;
    cells->interval_count = old_interval_count;
    return SPLIT_LOST;
}

/* Follows the block request of CELL that was queued last among those that may belong to
 * the request and that were complete when it ended. Stores the index of its entry in
 * ENTRY. Returns SPLIT_LOST if none was complete, or else the result of
 * follow_block_request. */
static enum split_result
follow_last_complete(struct cells *cells, const struct sector_range *cell, int *entry)
{
    for (int i = cells->candidate_count - 1; i >= cells->first_within_index; i--) {
        const struct candidate *candidate = &cells->candidates[i];
        if (!covers(candidate, cell) || !may_be_entry(cells, candidate))
            continue;
        *entry = i;
        enum split_result result = follow_block_request(cells, cell, i, false, false);
        if (result != SPLIT_LOST)
            return result;
    }
    return SPLIT_LOST;
}

/* Returns true if it cannot be known which block request of CELL belongs to the request.
 * ENTRIES are the entries of CELL. If there are several block requests, earlier records
 * show the order in which they were queued, unless another process is involved. */
static bool
is_ambiguous(const struct cells *cells, const struct cell_entries *entries)
{
    if (entries->is_sole)
        return false;
    if (!cells->has_earlier || cells->may_have_foreign_io)
        return true;
    return entries->count > 1 && !cells->is_below_top;
}

/* Finds the block request for CELL that belongs to the request, adds its intervals, and
 * notes when it was queued. Returns a result as cells_add does. */
static enum split_result
add_cell(struct cells *cells, const struct sector_range *cell)
{
    struct cell_entries entries = find_entries(cells, cell);
    int entry = entries.first_index;
    enum split_result result;
    if (entries.count == 0)
        return is_entry_missing(cells, cell) ? SPLIT_LOST : SPLIT_DONE;

    if (!entries.is_sole)
        cells->all_sole = false;
    if (is_ambiguous(cells, &entries))
        result = SPLIT_AMBIGUOUS;
    else if (entries.count > 1)
        result = follow_last_complete(cells, cell, &entry);
    else
        result = follow_block_request(cells, cell, entry, entries.is_sole,
                                      cells->may_be_incomplete);

    const struct os_trace_record *record = &cells->candidates[entry].listed->record;
    if (record->by_kernel && !cells->is_below_top)
        cells->released_at = time_earlier(cells->released_at, record->time);
    else
        cells->queued_at = time_earlier(cells->queued_at, record->time);
    return result;
}

/* Returns the end of the cell that begins at sector FROM of DISK: the first sector at
 * which a record begins or ends, or END if there is no such sector before END. */
static uint64_t
find_cell_end(const struct cells *cells, uint64_t disk, uint64_t from, uint64_t end)
{
    for (int i = 0; i < cells->candidate_count; i++) {
        const struct candidate *candidate = &cells->candidates[i];
        uint64_t record_end = candidate->sector + candidate->listed->record.sector_count;
        if (candidate->disk != disk)
            continue;
        if (candidate->sector > from && candidate->sector < end)
            end = candidate->sector;
        if (record_end > from && record_end < end)
            end = record_end;
    }
    return end;
}

enum split_result
cells_add(struct cells *cells, const struct sector_range *range)
{
    uint64_t range_end = range->sector + range->sector_count;
    uint64_t sector = range->sector;

    while (sector < range_end) {
        uint64_t end = find_cell_end(cells, range->disk, sector, range_end);
        struct sector_range cell = {range->disk, sector, end - sector};
        enum split_result result = add_cell(cells, &cell);
        if (result != SPLIT_DONE)
            return result;
        sector = end;
    }
    return SPLIT_DONE;
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
