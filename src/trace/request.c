/*
 * Divides the time of one request into parts (stats/breakdown.h) by the records of the
 * trace, in four steps:
 *
 * 1. Find the ranges, which are the sectors of the request. They come from the layout of
 *    the target. If the layout is unknown, or if no records are found by it, the ranges
 *    are the sectors that the thread of the request queued while the request was in
 *    flight.
 * 2. Collect the candidates, which are all records that touch the ranges.
 * 3. Find out which candidates belong to the request (cells.c).
 * 4. Divide the time of the request into parts by the times of these candidates.
 *
 * For a request to a stack of devices, steps 1 to 3 are done for two levels of the stack:
 *
 *     top level      the top device, while the request was in flight
 *     bottom level   the bottom devices, to which remap records lead; from the time at
 *                    which the first block request was queued at the top device to the
 *                    time at which the last one was complete there
 *
 * If a device passes a block request on without a remap record, the block request is not
 * followed, and its time counts as time in the stack.
 */
#include "trace_private.h"

#include "base/time.h"
#include "candidates.h"
#include "ranges.h"

/* In ns. Records and requests have times of the same clock, but the kernel may round the
 * time of a record to the nearest tick of the clock. So the search for the records of a
 * request begins this much before its start, and ends this much after its end. */
#define CLOCK_SLACK 1000
/* Block requests of other requests may still be in flight when a request starts. To find
 * them, at most this many records from before the request are searched. */
#define EARLIER_MAX 4096

/* The search for the records that belong to one request. Times are monotonic, in ns. */
struct attribution_search {
    const struct trace_target *target;
    struct records *records;
    const struct sample *sample;
    int thread;           /* TID of the thread that sent the request */
    bool has_all_records; /* all records were read, and none was lost */
    int64_t start;        /* start of the request */
    int64_t end;          /* end of the request, not including the flush after a write */
    /* for a stack: a block request was queued at the top device */
    bool was_queued_at_top;
    /* for a stack: when the first block request was queued at the top device */
    int64_t entered_top_at;
    /* for a stack: when the last block request was complete at the top device */
    int64_t left_top_at;
    /* The records to search: from `first_record` up to but not including `end_record`. */
    struct listed_record *first_record;
    struct listed_record *end_record;
    /* sectors of the request, on the devices that are searched */
    struct sector_ranges ranges;
};

/* Sets `first_record` and `end_record` of SEARCH to the records from START to END
 * (monotonic, in ns), with CLOCK_SLACK on both sides. */
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

/* Sets `first_record` and `end_record` of SEARCH to the records of the time for which the
 * request was at the top device of a stack. CLOCK_SLACK is not needed here, because this
 * time was computed from records. */
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

/* Returns the first record of a search that includes records from before the request. It
 * is up to EARLIER_MAX records before `first_record`. */
static struct listed_record *
find_earlier_record(const struct attribution_search *search)
{
    int64_t earlier_count = search->first_record - search->records->entries;
    return search->first_record - time_earlier(earlier_count, EARLIER_MAX);
}

/* Returns true if RECORD is of the top device (the device that the target is on). */
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
 * thread of the kernel queues its I/O later. So if threads of the kernel queued exactly
 * one I/O with the size and direction of the request, adds the sectors of this I/O.
 *
 * Returns false if there is no room for the ranges. With direct I/O, also returns false,
 * because records are missing, if the thread queued something, but less than the whole
 * request. That is no error if the rest may be in a hole of the file.
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

    /* If a part of the request is in a hole of the file, the thread does not queue this
     * part. The code assumes such a hole only if the layout is unknown, and if no thread
     * of the kernel queued an I/O, because that could be the missing part. */
    bool may_have_hole = !layout->extents_known && !kernel_queued;
    return !search->target->is_direct || may_have_hole ||
           queued_sectors * SECTOR >= (uint64_t)sample->size;
}

/* Adds to the ranges of SEARCH the sectors that the thread of the request queued at
 * devices below the top device of a stack. The caller must make sure that the thread has
 * only one request in flight. Otherwise, the sectors may belong to another request.
 * Returns false if there is no room. */
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

/* Replaces the ranges of SEARCH by the ranges on the bottom devices to which their I/O
 * was remapped. Returns false if there is no room or if there are too many levels of
 * devices. */
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

/* Collects the candidates for CELLS: the records from `first_record` up to `end_record`
 * that touch the ranges of SEARCH. If WITH_EARLIER, also collects such records from
 * before the request. Returns false if there is no room. */
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

/* Returns the kind of the record that each block request to RANGE begins with. This is
 * OS_TRACE_QUEUE. But a device that consists of other devices may pass an I/O on without
 * queueing it again. Then it is OS_TRACE_REMAP. */
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
 * Returns true if another process may have block requests to the ranges of SEARCH in
 * flight. The ranges are on the bottom devices of a stack, where threads of the kernel
 * queue block requests for any process. Returns true if one of these signs was seen
 * during the request or shortly before:
 *
 * - Another process queued an I/O to the sectors of the request at the top device.
 * - A thread of another process queued a block request to the ranges. This is a sign only
 *   if the stack is a loop device on a plain disk, because only threads of the kernel
 *   queue the I/O of a loop device. In other stacks, the kernel may queue the I/O of the
 *   stack in a thread of any process.
 * - More I/Os were queued to the ranges than remap records lead to the ranges. So some of
 *   the I/Os did not come through the top device.
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

/* Searches the records from `first_record` up to `end_record` for the block requests of
 * the request at one level of the stack: at the top device if CELLS is `top_cells`, and
 * at the bottom devices if it is `bottom_cells`. If WITH_EARLIER, also searches records
 * from before the request. Returns a result as cells_add does. */
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

/* Finds the block requests of the request at one level of the stack: at the top device if
 * CELLS is `top_cells`, and at the bottom devices if it is `bottom_cells`. If it is
 * ambiguous which block requests belong to the request, tries again with records from
 * before the request. Returns a result as cells_add does. */
static enum split_result
attribute_level(const struct attribution_search *search, struct cells *cells)
{
    enum split_result result = try_level(search, cells, false);
    if (result == SPLIT_AMBIGUOUS)
        result = try_level(search, cells, true);
    return result;
}

/* Returns the time at which the last block request of the request in CELLS was complete
 * (monotonic, in ns), or 0 if no block request was found. */
static int64_t
find_last_completion(const struct cells *cells)
{
    int64_t last = 0;
    for (int i = 0; i < cells->interval_count; i++)
        last = time_later(last, cells->intervals[i].completed_at);
    return last;
}

/*
 * Called if the records of a request were not found. Returns true if the request may have
 * reached a device. Returns true if one of these signs was seen while the request was in
 * flight:
 *
 * - The sectors of the request were issued, although no record says that they were
 *   queued.
 * - A thread of the kernel queued an I/O to the sectors of the request. If the layout of
 *   the target is unknown, any I/O that a thread of the kernel queued is a sign.
 * - The target is on a loop device, and a thread of the kernel queued an I/O outside of
 *   all extents of the target. The file of the loop device may have got other blocks
 *   since its layout was read.
 * - The thread of the request queued an I/O. If the thread may have several requests in
 *   flight, only an I/O outside of all extents of the target is a sign, because any other
 *   I/O may belong to another request.
 *
 * Records of a loop device itself are no signs.
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
 *
 * BY_THREAD says that these ranges are from the I/O that the thread queued, and not from
 * the layout. Then it is not known which part of a loop device's file the request is to,
 * so the function returns SPLIT_LOST for a loop device. Otherwise returns a result as
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

    /* Several block requests to the same sectors were in flight at the top device, and
     * were remapped to different sectors. It is not known which block request was
     * remapped to which sectors. */
    if (!records->top_cells.all_sole && search->ranges.count > top_range_count)
        return SPLIT_AMBIGUOUS;

    enum split_result result = attribute_level(search, cells);
    if (result != SPLIT_DONE || cells->interval_count > 0)
        return result;

    /* No block request was found at the bottom devices. If records may be missing, the
     * result is SPLIT_LOST. Otherwise, the stack has answered the request itself, or has
     * passed the block requests on without a record. Then all time at the top device
     * counts as time in the stack. */
    if (!search->has_all_records || (is_on_loop && may_have_reached_device(search)))
        return SPLIT_LOST;
    return SPLIT_DONE;
}

/* Returns the result for a request for which no block requests were found. With direct
 * I/O, the request must have reached a device, so its records were lost. Otherwise, the
 * page cache has answered the request. */
static enum split_result
result_without_records(const struct attribution_search *search)
{
    return search->target->is_direct ? SPLIT_LOST : SPLIT_NO_DEVICE_IO;
}

/* Finds the block requests of a request to a stack of devices, at the top device and at
 * the bottom devices. BY_THREAD says that the ranges of SEARCH are from the I/O that the
 * thread queued, and not from the layout. Returns a result as cells_add does, or
 * SPLIT_NO_DEVICE_IO. */
static enum split_result
attribute_stack(struct attribution_search *search, bool by_thread)
{
    struct records *records = search->records;
    struct cells *top = &records->top_cells;

    /* The search may end at the top device. Then `bottom_cells` must not have candidates
     * of an earlier request, because cells_end changes the records of all candidates. */
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

/* Finds the block requests of a request to a single device, which is no stack of devices.
 * Returns a result as cells_add does, or SPLIT_NO_DEVICE_IO. */
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

/* Finds the block requests of the request. If BY_THREAD, the sectors of the request are
 * those of the I/O that its thread queued. Otherwise, the sectors come from the layout of
 * the target. Returns a result as cells_add does, or SPLIT_NO_DEVICE_IO. */
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

/* Finds the block requests of the request by the layout of the target. The file may have
 * got other blocks since its layout was read. So if the search by the layout is not
 * successful, also tries to find the block requests by the I/O that the thread queued.
 * This is possible only with direct I/O and if the thread has only one request in flight.
 * If the layout is unknown, tries only the search by the thread. Returns the better of
 * the two results. */
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

/* Adds the flushes that bottom devices received at SINCE (monotonic, in ns) or later to
 * the intervals of `bottom_cells`. Flushes are assumed to complete in the order in which
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

/* Returns the time at which the top device of a stack completed the last of the flushes
 * during the request (monotonic, in ns). Without a flush, returns the time at which it
 * completed the data. */
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

/* Divides the time of a request to a stack of devices into parts (times in the queue, at
 * the device and so on), and stores them in SPLIT. If a write returns only after a flush
 * (O_SYNC, O_DSYNC), it is complete at the top device when the flush is complete. If a
 * control group throttled the request, the time of the throttling counts as time in the
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

/* Divides the time of a request to a device that is no stack into parts (times in the
 * queue, at the device and so on), and stores them in SPLIT. If a control group throttled
 * the request, its block requests were queued only at the end of the throttling. The time
 * of the throttling counts as time in the queue, as if they had been queued at the start
 * of the request. */
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

/* Returns the time, in ns, for which a device worked on the flush after a write. The
 * flush took from START to END (monotonic, in ns). */
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
