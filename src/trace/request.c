/*
 * Finds the parts of one request from the records of the trace, in four steps:
 *
 * 1. Find the ranges, which are the sectors of the request. They come from the layout of
 *    the target. If the layout is unknown, or if no records are found by it, the ranges
 *    are the sectors that the thread of the request queued while the request was in
 *    flight.
 * 2. Collect the candidates, which are all records that touch the ranges.
 * 3. Find out which candidates belong to the request (cells.c).
 * 4. Divide the time of the request into parts (stats/breakdown.h).
 *
 * For a request to a stack of devices, steps 1 to 3 are done at two levels:
 *
 *    top level      from the first block request that is queued at the top device to the
 *                   last one that is complete there
 *    bottom level   within that time, at the bottom devices, to which remap records lead
 *
 * If a device passes a block request on without a remap record, the block request is not
 * followed, and its time counts as stack.
 */
#include "trace_private.h"

#include "base/time.h"
#include "candidates.h"
#include "ranges.h"

/* In ns. Records and requests have times of the same clock, but the kernel may round the
 * time of a record to the nearest tick of that clock. So records that are this much
 * earlier or later than a request are searched, too. */
#define CLOCK_SLACK 1000
/* At most this many records from before a request are searched, for block requests that
 * were still in flight when the request started. */
#define EARLIER_MAX 4096

/* The search for the records of one request. Times are monotonic, in ns. */
struct attribution_search {
    const struct trace_target *target;
    struct records *records;
    const struct sample *sample;
    int thread;           /* TID of the thread that sent the request */
    bool has_all_records; /* no record of the request can be missing */
    int64_t start;        /* start of the request */
    int64_t end;          /* end of the request, without the flush after a write */
    /* These three fields are about the top device of a stack, and are used only for a
     * stack. */
    bool was_queued_at_top; /* a block request was queued there */
    int64_t entered_top_at; /* when the first block request was queued there */
    int64_t left_top_at;    /* when the last block request was complete there */
    /* The records to search: from `first_record` to before `end_record`. */
    struct listed_record *first_record;
    struct listed_record *end_record;
    struct sector_ranges ranges; /* sectors of the request, at the level to search */
};

/* Selects the records from START to END (monotonic, ns) to be searched. */
static void
select_records(struct attribution_search *search, int64_t start, int64_t end)
{
    struct records *records = search->records;
    int count = records->entry_count;
    search->first_record =
        records->entries + records_find(records, count, start - CLOCK_SLACK);
    search->end_record =
        records->entries + records_find(records, count, end + CLOCK_SLACK + 1);
}

/* Selects the records from the time during which the request was at the top device of a
 * stack. These times come from records themselves, so they need no slack. */
static void
select_records_within_top(struct attribution_search *search)
{
    struct records *records = search->records;
    int count = records->entry_count;
    search->first_record =
        records->entries + records_find(records, count, search->entered_top_at);
    search->end_record =
        records->entries + records_find(records, count, search->left_top_at + 1);
}

/* Returns where a search starts if it includes records from before the request: up to
 * EARLIER_MAX records before the first selected record. */
static struct listed_record *
find_earlier_record(const struct attribution_search *search)
{
    int64_t earlier_count = search->first_record - search->records->entries;
    return search->first_record - time_earlier(earlier_count, EARLIER_MAX);
}

/* Returns true if RECORD is a record of the top device, which the target is on. */
static bool
is_at_top(const struct attribution_search *search, const struct os_trace_record *record)
{
    const struct os_layout *layout = &search->target->layout;
    return layout_find_disk(layout, record->device) ==
           layout->devices[layout->top_index].disk;
}

/* Returns true if RECORD says that the thread of the request queued an I/O before the end
 * of the request. */
static bool
is_queued_by_thread(const struct attribution_search *search,
                    const struct os_trace_record *record)
{
    return record->kind == OS_TRACE_QUEUE && record->thread == search->thread &&
           record->time <= search->end;
}

/*
 * Adds to the ranges of SEARCH the sectors that the thread of the request queued at the
 * top device while the request was in flight.
 *
 * If the thread queued nothing, a control group may have throttled the request: then a
 * thread of the kernel queues it later. So if threads of the kernel queued exactly one
 * I/O with the size and direction of the request, the sectors of this I/O are added.
 *
 * Returns false if there is no room for the ranges. With direct I/O, also returns false
 * if the thread queued less than the whole request: then records are missing, unless the
 * rest of the request may be in a hole of the file.
 */
static bool
add_queued_ranges(struct attribution_search *search)
{
    const struct sample *sample = search->sample;
    const struct os_layout *layout = &search->target->layout;
    const struct os_trace_record *throttled = NULL;
    bool writes = operations[sample->operation].flags & OPERATION_WRITES;
    bool kernel_queued = false;
    uint64_t queued_sectors = 0;
    int throttled_count = 0;

    for (const struct listed_record *listed = search->first_record;
         listed < search->end_record; listed++) {
        const struct os_trace_record *record = &listed->record;
        bool is_by_kernel = record->kind == OS_TRACE_QUEUE && record->by_kernel;
        if (!is_at_top(search, record))
            continue;

        if (is_by_kernel)
            kernel_queued = true;
        if (is_by_kernel && record->sector_count * SECTOR == (uint64_t)sample->size &&
            record->is_write == writes) {
            throttled = record;
            throttled_count++;
        }
        if (!is_queued_by_thread(search, record))
            continue;
        queued_sectors += record->sector_count;
        if (!ranges_add_record(&search->ranges, layout, record))
            return false;
    }

    if (search->ranges.count == 0)
        return throttled_count != 1 ||
               ranges_add_record(&search->ranges, layout, throttled);

    /* The thread may queue less than the whole request because the rest is in a hole.
     * This is assumed only if the layout is unknown and if threads of the kernel queued
     * nothing that could be the rest. */
    bool may_have_hole = !layout->extents_known && !kernel_queued;
    return !search->target->is_direct || may_have_hole ||
           queued_sectors * SECTOR >= (uint64_t)sample->size;
}

/* Adds to the ranges of SEARCH the sectors that the thread of the request queued below
 * the top device of a stack. May only be called if each thread has only one request in
 * flight: otherwise, the sectors may belong to another request. Returns false if there is
 * no room. */
static bool
add_ranges_queued_below_top(struct attribution_search *search)
{
    for (const struct listed_record *listed = search->first_record;
         listed < search->end_record; listed++) {
        const struct os_trace_record *record = &listed->record;
        if (is_queued_by_thread(search, record) && !is_at_top(search, record) &&
            !ranges_add_record(&search->ranges, &search->target->layout, record))
            return false;
    }
    return true;
}

/* Replaces the ranges of SEARCH by the ranges on bottom devices to which they were
 * remapped. Returns false if there is no room or if there are too many levels. */
static bool
follow_remaps(struct attribution_search *search)
{
    return ranges_follow_remaps(&search->ranges, &search->target->layout,
                                search->first_record, search->end_record);
}

static bool
is_top_level(const struct attribution_search *search, const struct cells *cells)
{
    return cells == &search->records->top_cells;
}

/* Collects the candidates in CELLS: the selected records that touch the ranges. If
 * WITH_EARLIER, also collects records from before the request. Returns false if there is
 * no room. */
static bool
collect_candidates(const struct attribution_search *search, struct cells *cells,
                   bool with_earlier)
{
    const struct os_layout *layout = &search->target->layout;
    const struct os_layout_device *top = &layout->devices[layout->top_index];
    struct listed_record *listed =
        with_earlier ? find_earlier_record(search) : search->first_record;

    cells->has_earlier = with_earlier;
    cells->candidate_count = 0;
    cells->first_within_index = 0;
    for (; listed < search->end_record; listed++) {
        struct candidate candidate = candidate_convert(layout, listed);
        if (listed == search->first_record)
            cells->first_within_index = cells->candidate_count;
        if (!ranges_touch(&search->ranges, candidate.disk, candidate.sector,
                          listed->record.sector_count))
            continue;

        bool fits = is_top_level(search, cells) ? candidate_add_top(cells, candidate, top)
                                                : candidate_add(cells, candidate);
        if (!fits)
            return false;
    }
    return true;
}

/* Returns the kind of the first record of each block request for RANGE. A device that
 * consists of others may pass an I/O on without queueing it again. Then the first record
 * is a remap. */
static enum os_trace_kind
find_entry_kind(const struct attribution_search *search, const struct cells *cells,
                const struct sector_range *range)
{
    if (is_top_level(search, cells) || !search->target->layout.is_remapped)
        return OS_TRACE_QUEUE;

    for (int i = cells->first_within_index; i < cells->candidate_count; i++) {
        const struct candidate *candidate = &cells->candidates[i];
        if (candidate->kind == OS_TRACE_QUEUE &&
            range_overlap(range, candidate->disk, candidate->sector,
                          candidate->listed->record.sector_count) > 0)
            return OS_TRACE_QUEUE;
    }
    return OS_TRACE_REMAP;
}

/*
 * Returns true if another process may have block requests for the ranges in flight. The
 * ranges are on the bottom devices of a stack, where threads of the kernel queue block
 * requests for any process. Each of these signs is enough, if it was seen during the
 * request or shortly before:
 *
 * - Another process queued the same sectors at the top device.
 * - A thread of another process queued a block request for the ranges. This is a sign
 *   only if the stack is a loop device on a plain disk: all I/O of a loop device is
 *   queued by threads of the kernel. Below other stacks, the kernel may use the thread of
 *   any process to queue a block request.
 * - More I/Os were queued at the ranges than were passed on to the ranges by remap
 *   records. So some of them did not come through the top device.
 */
static bool
may_have_foreign_io(const struct attribution_search *search)
{
    const struct sample *sample = search->sample;
    const struct os_layout *layout = &search->target->layout;
    struct sector_ranges top_ranges = {0};
    bool fits = ranges_add_top(&top_ranges, layout, sample->offset, sample->size);
    int queued_count = 0;
    int remapped_count = 0;

    for (const struct listed_record *listed = find_earlier_record(search);
         listed < search->end_record; listed++) {
        const struct os_trace_record *record = &listed->record;
        bool is_own = is_program_thread(search->records->program_threads, record->thread);
        bool is_in_ranges = ranges_touch_record(&search->ranges, layout, record);
        if (is_in_ranges && record->kind == OS_TRACE_REMAP)
            remapped_count++;
        if (record->kind != OS_TRACE_QUEUE)
            continue;

        if (is_in_ranges)
            queued_count++;
        if (!is_own && fits && ranges_touch_record(&top_ranges, layout, record))
            return true;
        if (!is_own && is_in_ranges && !record->by_kernel && !layout->is_remapped)
            return true;
    }
    return layout->is_remapped && queued_count > remapped_count;
}

/* Searches the selected records for the block requests of the request at one level of the
 * stack. CELLS is `top_cells` or `bottom_cells`, depending on the level. If WITH_EARLIER,
 * also searches records from before the request. Returns a result as cells_add does. */
static enum split_result
try_level(const struct attribution_search *search, struct cells *cells, bool with_earlier)
{
    const struct trace_target *target = search->target;

    cells->queued_at = INT64_MAX;
    cells->released_at = INT64_MAX;
    if (!collect_candidates(search, cells, with_earlier))
        return SPLIT_LOST;

    cells->thread = search->thread;
    cells->program_threads = search->records->program_threads;
    cells->is_direct = target->is_direct;
    cells->is_below_top = target->layout.is_stacked && !is_top_level(search, cells);
    cells->may_have_foreign_io =
        cells->is_below_top && with_earlier && may_have_foreign_io(search);
    cells->may_be_incomplete = cells->is_below_top && search->has_all_records;
    cells->all_sole = true;
    cells->interval_count = 0;

    for (int i = 0; i < search->ranges.count; i++) {
        const struct sector_range *range = &search->ranges.list[i];
        cells->entry_kind = find_entry_kind(search, cells, range);
        enum split_result result = cells_add(cells, range);
        if (result != SPLIT_DONE)
            return result;
    }
    return SPLIT_DONE;
}

/* Finds the block requests of the request at one level of the stack. CELLS is `top_cells`
 * or `bottom_cells`, depending on the level. If it is ambiguous which block requests
 * belong to the request, tries again with records from before the request. Returns a
 * result as cells_add does. */
static enum split_result
attribute_level(const struct attribution_search *search, struct cells *cells)
{
    enum split_result result = try_level(search, cells, false);
    if (result == SPLIT_AMBIGUOUS)
        result = try_level(search, cells, true);
    return result;
}

/* Returns when the last block request in CELLS was complete (monotonic, ns); 0 if CELLS
 * has no block requests. */
static int64_t
find_last_completion(const struct cells *cells)
{
    int64_t last = 0;
    for (int i = 0; i < cells->interval_count; i++)
        last = time_later(last, cells->intervals[i].completed_at);
    return last;
}

/*
 * Returns true if a request whose records were not found may have reached a device. Each
 * of these signs is enough, if it was seen while the request was in flight:
 *
 * - The sectors of the request were issued, although no record says that they were
 *   queued.
 * - A thread of the kernel queued an I/O to the sectors of the request. If the layout of
 *   the target is unknown, any I/O of a thread of the kernel is a sign. If the target is
 *   on a loop device, an I/O of a thread of the kernel outside of all extents of the
 *   target is a sign, too: the file of the loop device may have got other blocks since
 *   its layout was read.
 * - The thread of the request queued an I/O. If it has several requests in flight, only
 *   an I/O outside of all extents of the target is a sign: any other I/O may belong to
 *   another request.
 */
static bool
may_have_reached_device(const struct attribution_search *search)
{
    const struct sample *sample = search->sample;
    const struct trace_target *target = search->target;
    const struct os_layout *layout = &target->layout;
    struct sector_ranges request_ranges = {0};
    struct sector_ranges target_ranges = {0};
    bool was_queued = false;

    if (!ranges_add_below_loop(&request_ranges, layout, sample->offset, sample->size))
        return true;
    bool fits = ranges_add_below_loop(&target_ranges, layout, 0, INT64_MAX);

    for (const struct listed_record *listed = search->first_record;
         listed < search->end_record; listed++) {
        const struct os_trace_record *record = &listed->record;
        const struct os_layout_device *device =
            layout_find_device(layout, record->device);
        if (device && device->is_loop)
            continue;

        bool is_in_request = ranges_touch_record(&request_ranges, layout, record);
        bool is_in_target = fits && ranges_touch_record(&target_ranges, layout, record);
        bool is_by_kernel = record->kind == OS_TRACE_QUEUE && record->by_kernel;
        if (is_in_request && record->kind == OS_TRACE_QUEUE)
            was_queued = true;

        if (is_by_kernel && (is_in_request || !layout->extents_known))
            return true;
        if (is_by_kernel && layout->loop_extents && !is_in_target)
            return true;
        if (is_in_request && record->kind == OS_TRACE_ISSUE && !was_queued)
            return true;
        if (is_queued_by_thread(search, record) && record->sector_count > 0 &&
            (target->is_single || !is_in_target))
            return true;
    }
    return false;
}

/*
 * Finds the block requests of the request at the bottom devices of a stack. Before the
 * call, the ranges of SEARCH must be the sectors of the request at the top device.
 * BY_THREAD says that these ranges were found by the I/O that the thread queued, and not
 * by the layout. Then it is not known which part of a loop device's file the request is
 * in, so the function returns SPLIT_LOST for a loop device. Otherwise returns a result as
 * cells_add does.
 */
static enum split_result
attribute_bottom(struct attribution_search *search, bool by_thread)
{
    struct records *records = search->records;
    struct cells *cells = &records->bottom_cells;
    const struct os_layout *layout = &search->target->layout;
    const struct sample *sample = search->sample;
    int top_range_count = search->ranges.count;
    bool is_on_loop = layout->top_index > 0;

    select_records_within_top(search);
    if (is_on_loop) {
        if (by_thread)
            return SPLIT_LOST;
        search->ranges.count = 0;
        if (!ranges_add_below_loop(&search->ranges, layout, sample->offset, sample->size))
            return SPLIT_LOST;
    }
    if (layout->is_remapped) {
        if (!follow_remaps(search))
            return SPLIT_LOST;
        if (search->ranges.count == 0 && search->target->is_single &&
            (!add_ranges_queued_below_top(search) || !follow_remaps(search)))
            return SPLIT_LOST;
    }

    /* Several block requests for the same sectors were in flight at the top device, and
     * they were remapped to different sectors. It is not known which block request went
     * where. */
    if (!records->top_cells.all_sole && search->ranges.count > top_range_count)
        return SPLIT_AMBIGUOUS;

    enum split_result result = attribute_level(search, cells);
    if (result != SPLIT_DONE || cells->interval_count > 0)
        return result;

    /* No block request was found at the bottom devices. Perhaps records are missing: then
     * the result is SPLIT_LOST. Otherwise, the stack has answered the request itself, or
     * has passed the block requests on without a record: then all time at the top device
     * counts as stack. */
    if (!search->has_all_records || (is_on_loop && may_have_reached_device(search)))
        return SPLIT_LOST;
    return SPLIT_DONE;
}

/* Returns the result for a request without records of block requests. A request with
 * direct I/O must have such records, so they were lost. Any other request was answered by
 * the page cache. */
static enum split_result
result_without_records(const struct attribution_search *search)
{
    return search->target->is_direct ? SPLIT_LOST : SPLIT_NO_DEVICE_IO;
}

/* Finds the block requests of a request to a stack of devices, at both levels. BY_THREAD
 * says that the ranges of SEARCH were found by the I/O that the thread queued, and not by
 * the layout. Returns a result as cells_add does, or SPLIT_NO_DEVICE_IO. */
static enum split_result
attribute_stack(struct attribution_search *search, bool by_thread)
{
    struct records *records = search->records;
    struct cells *top = &records->top_cells;

    /* If the search ends at the top level, the bottom level must have no candidates of an
     * earlier request, because cells_end goes through them. */
    records->bottom_cells.candidate_count = 0;

    enum split_result result = attribute_level(search, top);
    if (top->queued_at < INT64_MAX || top->released_at < INT64_MAX)
        search->was_queued_at_top = true;
    if (result == SPLIT_DONE && top->interval_count == 0)
        result = result_without_records(search);
    if (result == SPLIT_DONE) {
        bool is_throttled = top->released_at < top->queued_at;
        search->entered_top_at = is_throttled ? search->start : top->queued_at;
        search->left_top_at = find_last_completion(top);
        result = attribute_bottom(search, by_thread);
    }

    cells_end(top, result == SPLIT_DONE);
    cells_end(&records->bottom_cells, result == SPLIT_DONE);
    return result;
}

/* Finds the block requests of a request to a device that is no stack. Returns a result as
 * cells_add does, or SPLIT_NO_DEVICE_IO. */
static enum split_result
attribute_single_device(const struct attribution_search *search)
{
    struct cells *cells = &search->records->bottom_cells;
    enum split_result result = attribute_level(search, cells);
    if (result == SPLIT_DONE && cells->interval_count == 0)
        result = result_without_records(search);
    cells_end(cells, result == SPLIT_DONE);
    return result;
}

/* Finds the block requests of the request. Its sectors come from the layout of the target
 * or, if BY_THREAD, from I/O that the thread of the request queued. Returns a result as
 * cells_add does, or SPLIT_NO_DEVICE_IO. */
static enum split_result
attribute_ranges(struct attribution_search *search, bool by_thread)
{
    const struct sample *sample = search->sample;
    const struct os_layout *layout = &search->target->layout;
    bool fits;

    select_records(search, search->start, search->end);
    search->ranges.count = 0;
    if (by_thread)
        fits = add_queued_ranges(search);
    else
        fits = ranges_add_top(&search->ranges, layout, sample->offset, sample->size);
    if (!fits)
        return SPLIT_LOST;

    if (search->ranges.count == 0 && by_thread)
        return result_without_records(search);
    if (search->ranges.count == 0)
        return SPLIT_NO_DEVICE_IO; /* the whole request is in a hole of the file */
    if (layout->is_stacked)
        return attribute_stack(search, by_thread);
    return attribute_single_device(search);
}

/* Finds the block requests of the request by the layout of the target. If that fails,
 * finds them by the I/O that the thread of the request queued: the file may have got
 * other blocks since its layout was read. Returns the better of the two results. */
static enum split_result
find_block_requests(struct attribution_search *search)
{
    const struct trace_target *target = search->target;
    if (!target->layout.extents_known)
        return attribute_ranges(search, true);

    enum split_result result = attribute_ranges(search, false);
    if (result == SPLIT_DONE || !target->is_single || !target->is_direct)
        return result;

    enum split_result result_by_thread = attribute_ranges(search, true);
    if (result_by_thread == SPLIT_DONE || result == SPLIT_NO_DEVICE_IO)
        return result_by_thread;
    return result;
}

/* Adds the flushes that bottom devices received at SINCE (monotonic, ns) or later to the
 * intervals of the bottom level. Flushes are assumed to complete in the order in which
 * they were issued. Flushes that are not complete are left out. */
static void
add_flush_intervals(const struct attribution_search *search, int64_t since)
{
    struct cells *cells = &search->records->bottom_cells;
    struct breakdown_interval *intervals = cells->intervals;
    int issued_count = cells->interval_count;
    int complete_count = cells->interval_count;

    for (const struct listed_record *listed = search->first_record;
         listed < search->end_record; listed++) {
        const struct os_trace_record *record = &listed->record;
        const struct os_layout_device *device =
            layout_find_device(&search->target->layout, record->device);
        if (!record->is_flush || record->time < since || !device || !device->is_bottom)
            continue;

        bool ends = record->kind == OS_TRACE_COMPLETE || record->kind == OS_TRACE_REQUEUE;
        if (record->kind == OS_TRACE_ISSUE && issued_count < INTERVALS_MAX)
            intervals[issued_count++] = (struct breakdown_interval){
                .issued_at = record->time, .queued_at = record->time};
        else if (ends && complete_count < issued_count)
            intervals[complete_count++].completed_at = record->time;
    }
    cells->interval_count = complete_count;
}

/* Returns when the top device of a stack completed the last flush before the end of the
 * request (monotonic, ns). Without a flush, returns when it completed the data. */
static int64_t
find_flush_completion(const struct attribution_search *search)
{
    const struct os_layout *layout = &search->target->layout;
    enum os_trace_kind kind =
        candidate_completion_kind(&layout->devices[layout->top_index]);
    int64_t last = search->left_top_at;
    for (const struct listed_record *listed = search->first_record;
         listed < search->end_record; listed++)
        if (listed->record.is_flush && listed->record.kind == kind &&
            is_at_top(search, &listed->record))
            last = time_later(last, listed->record.time);
    return last;
}

/* Divides the time of a request to a stack of devices into the parts of SPLIT. If a write
 * returns only after a flush (O_SYNC, O_DSYNC), it is complete at the top device when the
 * flush is complete. The time for which a control group throttled the request counts as
 * queue. */
static void
divide_stack(struct attribution_search *search, struct split *split)
{
    struct cells *cells = &search->records->bottom_cells;
    const struct cells *top = &search->records->top_cells;
    bool is_throttled = top->released_at < top->queued_at;

    select_records(search, search->start, search->end);
    if (search->target->writes_sync) {
        int64_t data_completed_at = find_last_completion(cells);
        add_flush_intervals(search,
                            time_later(search->entered_top_at, data_completed_at));
        search->left_top_at = find_flush_completion(search);
    }
    if (is_throttled && cells->interval_count < INTERVALS_MAX)
        cells->intervals[cells->interval_count++] =
            (struct breakdown_interval){.queued_at = search->start,
                                        .issued_at = INT64_MAX,
                                        .completed_at = top->released_at};

    split->is_stacked = true;
    breakdown_divide_stack(search->start, search->end, search->entered_top_at,
                           search->left_top_at, cells->intervals, cells->interval_count,
                           split->part);
}

/* Divides the time of a request to a device that is no stack into the parts of SPLIT. If
 * a control group throttled the request, the first record is from the end of the
 * throttling. The time before it counts as queue, as if the request had been queued at
 * its start. */
static void
divide_single_device(struct attribution_search *search, struct split *split)
{
    struct cells *cells = &search->records->bottom_cells;
    bool is_throttled = cells->released_at < cells->queued_at;
    int64_t queued_at = is_throttled ? search->start : cells->queued_at;

    if (search->target->writes_sync)
        add_flush_intervals(search, find_last_completion(cells));
    breakdown_divide(search->start, search->end, queued_at, cells->intervals,
                     cells->interval_count, split->part);
}

/* Returns for how long, in ns, a device worked on the flush after a write. The flush took
 * from START to END (monotonic, ns). */
static int64_t
find_flush_time(struct attribution_search *search, int64_t start, int64_t end)
{
    struct cells *cells = &search->records->bottom_cells;
    int64_t part[PARTS];

    select_records(search, start, end);
    cells->interval_count = 0;
    add_flush_intervals(search, start);
    breakdown_divide(start, end, start, cells->intervals, cells->interval_count, part);
    return part[PART_DEVICE];
}

void
request_attribute(struct records *records, const struct trace_target *target, int thread,
                  bool has_all_records, struct sample *sample)
{
    int64_t start = sample->start;
    int64_t flush_end = start + sample->latency;
    int64_t end = flush_end - sample->sync;
    struct attribution_search search = {.target = target,
                                        .records = records,
                                        .sample = sample,
                                        .thread = thread,
                                        .has_all_records = has_all_records,
                                        .start = start,
                                        .end = end};
    struct split *split = &sample->split;

    *split = (struct split){.result = find_block_requests(&search)};
    select_records(&search, start, end);
    if (has_all_records && split->result == SPLIT_LOST && !search.was_queued_at_top &&
        !may_have_reached_device(&search))
        split->result = SPLIT_NO_DEVICE_IO;
    if (split->result != SPLIT_DONE)
        return;

    if (target->layout.is_stacked)
        divide_stack(&search, split);
    else
        divide_single_device(&search, split);
    if (sample->sync)
        split->sync_device = find_flush_time(&search, end, flush_end);
}
