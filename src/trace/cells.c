/*
 * Finds out which trace records belong to a request. For this purpose, the sectors of the
 * request are divided into cells.
 *
 * The kernel may split a block request, or merge it with others, while it passes through
 * the kernel. So the records of one request may cover different sectors:
 *
 *     sectors     1000      1008      1016      1024      1032
 *     queued      |-------- the request --------|
 *     issued      |------ piece ------|- piece, merged ---|
 *     completed   |- piece -|- piece -|- piece, merged ---|
 *     cells       |    1    |    2    |    3    |
 *
 * Therefore the sectors of the request are cut wherever a record begins or ends. The
 * pieces are called cells. A record covers either a whole cell or nothing of it. Each
 * cell is then followed on its own through the states of a block request:
 *
 *        entry            ISSUE                 COMPLETE
 *     ----------> queued ----------> at device ----------> complete
 *                   ^                    |
 *                   +------ REQUEUE -----+
 *
 * The entry is the first record of a block request. It is an OS_TRACE_QUEUE or, if the
 * device above passed the block request on without queueing it again, an OS_TRACE_REMAP.
 * The time from an ISSUE to the next REQUEUE or COMPLETE is called an interval: the block
 * request is in flight at the device. The intervals tell how long the request was in the
 * queue, at the device and so on (the parts of its time, stats/breakdown.h).
 *
 * The entry names the thread that queued the block request. The kernel may record an
 * issue or a completion in any thread, so the thread does not tell to which block request
 * these two records belong. There are three cases:
 *
 * 1. While the request is in flight, the cell has one entry, one issue and one
 *    completion. The request cannot end before its own completion, so all three records
 *    belong to it.
 * 2. This program has several block requests for the cell in flight. They are assumed to
 *    be first in, first out: the block request that was queued first is also issued first
 *    and completed first. follow_block_request counts entries, issues and completions to
 *    find the records of one block request.
 * 3. Another process also has a block request for the cell in flight. Then it is not
 *    known whose records these are, and the result is SPLIT_AMBIGUOUS.
 */
#include "trace_private.h"

#include "base/time.h"

/* The entries that may belong to the request, for one cell. An entry is the first record
 * of a block request. A cell is a range of sectors of the request. */
struct cell_entries {
    int count;
    /* index of the first entry in the candidates; -1 if there is no entry */
    int first_index;
    /* There is one entry, and after it one issue and one completion. So no other block
     * request to these sectors was in flight. */
    bool is_sole;
};

static bool
covers(const struct candidate *candidate, const struct sector_range *cell)
{
    const struct os_trace_record *record = &candidate->listed->record;
    return candidate->disk == cell->disk && candidate->sector <= cell->sector &&
           candidate->sector + record->sector_count >= cell->sector + cell->sector_count;
}

/*
 * Returns true if CANDIDATE, a record that touches the sectors of the request, may be the
 * first record (entry) of a block request that belongs to the request.
 *
 * Usually, the thread of the request queues its block requests, so the entry names this
 * thread. If a control group throttled the request, a thread of the kernel queues them
 * later, so the entry names that thread. In both cases, an entry that was attributed to
 * an earlier request is excluded.
 *
 * Below the top device of a stack, threads of the kernel queue the block requests. The
 * kernel may also do this in the current thread of any other program. So there, an entry
 * may name any thread except other workers of this program. One block request may serve
 * several requests there. So an entry that names a thread other than the thread of the
 * request is accepted even if it was attributed to an earlier request.
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

/* Finds the entries of CELL that may belong to the request. An entry is the first record
 * of a block request, and a cell is a range of sectors of the request. If the thread of
 * the request queued some of these block requests, the function returns only the entry of
 * the first of these, and `count` is 1. */
static struct cell_entries
find_candidate_entries(const struct cells *cells, const struct sector_range *cell)
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

/*
 * Called if CELL, a range of sectors of the request, has no entry. An entry is the first
 * record of a block request. Returns true if other records of the cell show that the
 * entry was lost.
 *
 * With direct I/O, the request must have reached the device, so any record of the cell
 * shows that the entry was lost.
 *
 * Without direct I/O, the page cache may have answered the request, and the records may
 * belong to another process. Completions are skipped, because their block requests may
 * have been queued before the request started. The first record of any other kind
 * decides. If it is an issue, its entry was lost. Otherwise, the entry was not lost: for
 * example, an entry of another process explains the records that follow it.
 */
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

static void
claim(struct candidate *candidate)
{
    if (candidate->listed->use == RECORD_UNUSED)
        candidate->listed->use = RECORD_CLAIMED;
}

/* Adds INTERVAL, for which a block request was in flight, to the intervals of CELLS. If a
 * block request covers several cells (ranges of sectors), its interval is added only
 * once. Returns false if there is no room. */
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
 * The block requests to one cell, according to the records that were read so far. Block
 * requests are first in, first out. So if they are numbered from 0 in the order of their
 * entries, the number of a block request tells its state:
 *
 *     number of the block request            state
 *     0 .. complete_count - 1                complete
 *     complete_count .. issued_count - 1     at the device
 *     issued_count .. queued_count - 1       queued
 */
struct cell_queue {
    int complete_count;
    int issued_count;
    int queued_count;
    int followed; /* number of the block request that is followed; -1 before its entry */
    int foreign_end; /* block requests with a lower number may be of another process */
};

/*
 * Counts a record of KIND, which is no entry. Returns true if it belongs to the block
 * request that is followed. A record belongs to the block request with this number:
 *
 *     ISSUE      issued_count, the first one in the queue
 *     COMPLETE   complete_count, the first one at the device
 *     REQUEUE    issued_count - 1, the last one at the device: the block request that was
 *                issued last goes back first
 *
 * If there is an ISSUE although no block request is queued, its entry is not among the
 * candidates, and the block request may be of another process.
 */
static bool
count_step(struct cell_queue *queue, enum os_trace_kind kind)
{
    if (kind == OS_TRACE_ISSUE) {
        if (queue->issued_count == queue->queued_count) {
            queue->queued_count++;
            queue->foreign_end = queue->queued_count;
        }
        return queue->issued_count++ == queue->followed;
    }

    if (queue->issued_count <= queue->complete_count)
        return false;
    if (kind == OS_TRACE_COMPLETE)
        return queue->complete_count++ == queue->followed;
    return kind == OS_TRACE_REQUEUE && --queue->issued_count == queue->followed;
}

/* Applies CANDIDATE, a record of the block request that is followed and not its entry, to
 * NOW, its present interval. If that ends the interval, adds it, and begins a new one.
 * Returns false if there is no room. */
static bool
apply_step(struct cells *cells, struct candidate *candidate,
           struct breakdown_interval *now)
{
    int64_t time = candidate->listed->record.time;

    claim(candidate);
    if (candidate->kind == OS_TRACE_ISSUE) {
        now->issued_at = time;
        return true;
    }

    now->completed_at = time;
    if (!add_flight(cells, now))
        return false;
    *now = (struct breakdown_interval){INT64_MAX, INT64_MAX, time};
    return true;
}

/*
 * Follows one block request of CELL, a range of sectors of the request, until it is
 * complete. Adds the intervals for which it was in flight. ENTRY is the index, among the
 * candidates, of its entry (its first record). IS_SOLE says that there is no other block
 * request to the cell. Then candidates before ENTRY are ignored.
 *
 * Returns SPLIT_DONE if the block request is complete. If the candidates end before it is
 * complete, and MAY_BE_INCOMPLETE is true, also returns SPLIT_DONE, and the last interval
 * ends at INT64_MAX. Returns SPLIT_AMBIGUOUS if another process may have had a block
 * request to the cell in flight at the same time. Returns SPLIT_LOST if records are
 * missing or if there is no room.
 */
static enum split_result
follow_block_request(struct cells *cells, const struct sector_range *cell, int entry,
                     bool is_sole, bool may_be_incomplete)
{
    struct cell_queue queue = {.followed = -1};
    int old_interval_count = cells->interval_count;
    int first_index = is_sole ? entry : 0;
    struct breakdown_interval now = {INT64_MAX, INT64_MAX, INT64_MAX};

    for (int i = first_index; i < cells->candidate_count; i++) {
        struct candidate *candidate = &cells->candidates[i];
        const struct os_trace_record *record = &candidate->listed->record;
        if (!covers(candidate, cell))
            continue;

        if (i == entry) {
            if (queue.foreign_end > queue.complete_count)
                /* a block request that may be of another process is not complete */
                return SPLIT_AMBIGUOUS;
            queue.followed = queue.queued_count++;
            now.queued_at = record->time;
            claim(candidate);
        } else if (candidate->kind == cells->entry_kind) {
            queue.queued_count++;
            if (cells->is_below_top ||
                is_program_thread(cells->program_threads, record->thread))
                continue;
            if (queue.followed >= 0 && !is_sole)
                return SPLIT_AMBIGUOUS;
            queue.foreign_end = queue.queued_count;
        } else if (count_step(&queue, candidate->kind)) {
            if (!apply_step(cells, candidate, &now))
                return SPLIT_LOST;
            if (candidate->kind == OS_TRACE_COMPLETE)
                return SPLIT_DONE;
        }
    }

    if (may_be_incomplete && queue.followed >= 0)
        return add_flight(cells, &now) ? SPLIT_DONE : SPLIT_LOST;
    cells->interval_count = old_interval_count;
    return SPLIT_LOST;
}

/*
 * Finds the last complete block request of CELL (a range of sectors of the request) that
 * may belong to the request. Tries the block requests with follow_block_request, the last
 * one first. If the result is SPLIT_LOST, the block request is not complete yet, or there
 * is no room: then tries the one before it. Any other result ends the search. Returns the
 * last result. Stores in ENTRY where the block request that was tried last begins: the
 * index, among the candidates, of its first record.
 */
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

/*
 * Returns true if it cannot be known which block request to a cell belongs to the
 * program's request. A cell is a range of sectors of the program's request. ENTRIES are
 * the first records of the block requests to the cell. If there is only one block
 * request, it belongs to the program's request. If there may be several, it cannot be
 * known in these cases:
 *
 * - The search does not include records from before the program's request. Only those
 *   records show in which order the block requests were queued.
 * - Another process may have block requests to the cell in flight.
 * - A control group throttled the program's request, so a thread of the kernel queued its
 *   block request. Threads of the kernel also queued other block requests to the cell.
 */
static bool
is_ambiguous(const struct cells *cells, const struct cell_entries *entries)
{
    if (entries->is_sole)
        return false;
    if (!cells->has_earlier || cells->may_have_foreign_io)
        return true;
    return entries->count > 1 && !cells->is_below_top;
}

/* CELL is a range of sectors of the program's request. Finds the block request to these
 * sectors that belongs to the program's request. Adds to CELLS the intervals for which
 * this block request was in flight, and updates `queued_at` or `released_at`. Returns a
 * result as cells_add does. */
static enum split_result
add_cell(struct cells *cells, const struct sector_range *cell)
{
    struct cell_entries entries = find_candidate_entries(cells, cell);
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

/* A cell is a range of sectors in which no record begins or ends. Returns the end of the
 * cell that begins at sector FROM of DISK: the first later sector at which a record
 * begins or ends, or END if there is no such sector before END. */
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
