/*
 * Finds the parts of one request from the records of the trace, in four steps:
 *
 *   look_for      finds the ranges, which are the sectors of the request: from the layout
 *                 of the file or, without a layout, from the sectors that the thread of
 *                 the request queued while the request was in flight
 *   gather        collects the candidates: all records that touch the ranges
 *   cells_add     finds out which candidates belong to the request (cells.c)
 *   breakdown_*   divides the time of the request into parts (stats/breakdown.h)
 *
 * A request to a stack of devices takes these steps twice. First at the top device, from
 * the first block request queued there to the last one complete there. Then within that
 * time at the bottom devices, to which remap records lead. If a device hands a block
 * request on without a record, it is not followed, and its time counts as stack.
 */
#include "trace_private.h"

#include "base/time.h"

#define SECTOR 512
/* The clocks are the same, but the kernel may round a time to the nearer tick (ns). */
#define CLOCK_SLACK 1000
#define RANGES_MOST 64 /* ranges of one request; a request with more is not split */
#define REMAPS 8       /* devices on top of each other, at most */
#define LOOK_BACK 4096 /* earlier records that may show block requests in flight */

/* The search for the records of one request. Times are monotonic, in ns. */
struct attribution_search {
    const struct trace_target *target;
    struct records *records;
    const struct sample *sample;
    int thread;             /* the thread that sent the request */
    bool has_all_records;   /* no record can be missing */
    int64_t start;          /* of the request */
    int64_t end;            /* of the request without its flush */
    bool was_queued_at_top; /* a block request of it was queued at the top device of a
                               stack */
    int64_t
        entered_top_at;  /* when the first block request was queued at the top device */
    int64_t left_top_at; /* when the last block request was complete at the top device */
    struct listed_record *first_record,
        *end_record; /* the records to search; TO is the first beyond */
    int range_count; /* number of ranges */
    struct sector_range ranges[RANGES_MOST];
};

/* Returns the device of LAYOUT with NUMBER, or else a partition of the disk with NUMBER.
 * Returns NULL if there is no such device. */
static const struct os_layout_device *
find_device(const struct os_layout *layout, uint64_t number)
{
    const struct os_layout_device *found = NULL;
    for (int i = 0; i < layout->device_count; i++) {
        const struct os_layout_device *device = &layout->devices[i];
        if (device->number == number)
            return device;
        if (device->disk == number)
            found = device;
    }
    return found;
}

/* Returns the disk of the device with NUMBER: the device itself, or the disk of a
 * partition. Returns 0 if the device is not in LAYOUT. */
static uint64_t
disk_of(const struct os_layout *layout, uint64_t number)
{
    const struct os_layout_device *device = find_device(layout, number);
    return device ? device->disk : 0;
}

/* Adds a range, unless SEARCH has it already. Returns false if there is no room. */
static bool
add_range(struct attribution_search *search, uint64_t disk, uint64_t sector,
          uint64_t sectors)
{
    for (int i = 0; i < search->range_count; i++) {
        const struct sector_range *range = &search->ranges[i];
        if (range->disk == disk && range->sector == sector && range->sectors == sectors)
            return true;
    }
    if (search->range_count == RANGES_MOST)
        return false;
    search->ranges[search->range_count++] = (struct sector_range){disk, sector, sectors};
    return true;
}

/* Adds the sectors of LENGTH bytes of the file from OFFSET. The file has COUNT extents on
 * DISK. Returns false if there is no room. */
static bool
add_extents(struct attribution_search *search, const struct os_extent *extents, int count,
            uint64_t disk, int64_t offset, int64_t length)
{
    int i = os_extent_find(extents, count, offset);
    for (; i < count && extents[i].offset < offset + length; i++) {
        const struct os_extent *extent = &extents[i];
        int64_t from = time_later(offset, extent->offset) - extent->offset;
        int64_t to = time_earlier(offset + length, extent->offset + extent->length) -
                     extent->offset;
        uint64_t first = (uint64_t)from / SECTOR;
        uint64_t end = ((uint64_t)to + SECTOR - 1) / SECTOR;
        if (!add_range(search, disk, extent->sector + first, end - first))
            return false;
    }
    return true;
}

/* Adds the sectors of a part of the file on the lowest device, if they are known. */
static bool
add_part(struct attribution_search *search, int64_t offset, int64_t length)
{
    const struct os_layout *layout = &search->target->layout;
    return add_extents(search, layout->extents, layout->extent_count,
                       layout->devices[0].disk, offset, length);
}

/* Adds the sectors of a part of the file on the top device, which the file is on. */
static bool
add_top_part(struct attribution_search *search, int64_t offset, int64_t length)
{
    const struct os_layout *layout = &search->target->layout;
    if (layout->top_index == 0)
        return add_part(search, offset, length);
    return add_extents(search, layout->loop_extents, layout->loop_extent_count,
                       layout->devices[layout->top_index].disk, offset, length);
}

/* Returns how many of SECTORS sectors of DISK, from SECTOR on, are in RANGE. */
static uint64_t
overlap(const struct sector_range *range, uint64_t disk, uint64_t sector,
        uint64_t sectors)
{
    uint64_t from = sector > range->sector ? sector : range->sector;
    uint64_t end = sector + sectors;
    uint64_t range_end = range->sector + range->sectors;
    uint64_t to = end < range_end ? end : range_end;
    return disk == range->disk && from < to ? to - from : 0;
}

/* Restricts SEARCH to the records from START to END. */
static void
look_within(struct attribution_search *search, int64_t start, int64_t end)
{
    struct records *records = search->records;
    search->first_record = records->entries + records_find(records, records->entry_count,
                                                           start - CLOCK_SLACK);
    search->end_record = records->entries + records_find(records, records->entry_count,
                                                         end + CLOCK_SLACK + 1);
}

/* Returns the record at which a search that includes earlier records begins. */
static struct listed_record *
look_back(const struct attribution_search *search)
{
    return search->first_record -
           time_earlier(search->first_record - search->records->entries, LOOK_BACK);
}

/* Adds the sectors of a record, if its device is known. Returns false if there is no
 * room. */
static bool
add_record(struct attribution_search *search, const struct os_trace_record *record)
{
    uint64_t disk = disk_of(&search->target->layout, record->device);
    return !disk || !record->sector_count ||
           add_range(search, disk, record->sector, record->sector_count);
}

/* Returns whether a record is of the top device, which the file is on. */
static bool
is_at_top(const struct attribution_search *search, const struct os_trace_record *record)
{
    const struct os_layout *layout = &search->target->layout;
    return disk_of(layout, record->device) == layout->devices[layout->top_index].disk;
}

/* Returns whether a record is an I/O that the thread of the request has queued before the
 * end of the request. */
static bool
is_queued(const struct attribution_search *search, const struct os_trace_record *record)
{
    return record->kind == OS_TRACE_QUEUE && record->thread == search->thread &&
           record->time <= search->end;
}

/* Adds the sectors that the thread of the request has queued at the top device meanwhile.
 * If there are none, the request may have been throttled: adds the entry of a thread of
 * the kernel that has the size and direction of the request, if there is only one such
 * entry. Returns false if there is no room, or if the thread queued less than the whole
 * request, so that another thread must have queued the rest. */
static bool
add_queued(struct attribution_search *search)
{
    const struct sample *sample = search->sample;
    const struct os_trace_record *throttled = NULL;
    bool writes = operations[sample->operation].flags & OPERATION_WRITES;
    bool kernel = search->target->layout.extents_known;
    uint64_t sectors = 0;
    int alike = 0;
    for (const struct listed_record *listed = search->first_record;
         listed < search->end_record; listed++) {
        const struct os_trace_record *record = &listed->record;
        uint64_t bytes = record->sector_count * SECTOR;
        bool released = record->kind == OS_TRACE_QUEUE && record->by_kernel;
        if (!is_at_top(search, record))
            continue;
        kernel |= released;
        if (released && bytes == (uint64_t)sample->size && record->is_write == writes) {
            throttled = record;
            alike++;
        }
        if (!is_queued(search, record))
            continue;
        sectors += record->sector_count;
        if (!add_record(search, record))
            return false;
    }
    if (search->range_count == 0)
        return alike != 1 || add_record(search, throttled);
    return !search->target->is_direct || !kernel ||
           sectors * SECTOR >= (uint64_t)sample->size;
}

/* Adds the ranges to which remap records lead from RANGE, on a device that is made of
 * others. The sector of a remap record counts from the start of its device, which may be
 * a partition. Returns false if there is no room. */
static bool
follow_remaps(struct attribution_search *search, const struct sector_range *range)
{
    const struct os_layout *layout = &search->target->layout;
    for (const struct listed_record *listed = search->first_record;
         listed < search->end_record; listed++) {
        const struct os_trace_record *record = &listed->record;
        const struct os_layout_device *device = find_device(layout, record->device);
        if (record->kind != OS_TRACE_REMAP || !device ||
            device->disk == range->disk) /* from a partition to its disk */
            continue;
        uint64_t start = device->number == record->device ? device->start_sector : 0;
        uint64_t old = record->old_sector;
        uint64_t skipped = range->sector > old ? range->sector - old : 0;
        uint64_t sectors = overlap(range, disk_of(layout, record->old_device), old,
                                   record->sector_count);
        if (sectors &&
            !add_range(search, device->disk, record->sector + start + skipped, sectors))
            return false;
    }
    return true;
}

/* Replaces ranges of devices that are made of others by the ranges below them, until all
 * ranges are on lowest devices. Returns false if there is no room, or too many levels. */
static bool
follow_all(struct attribution_search *search)
{
    for (int level = 0; level < REMAPS; level++) {
        bool all = true;
        for (int i = search->range_count; i-- > 0;) {
            struct sector_range range = search->ranges[i];
            if (find_device(&search->target->layout, range.disk)->is_bottom)
                continue;
            search->ranges[i] = search->ranges[--search->range_count];
            all = false;
            if (!follow_remaps(search, &range))
                return false;
        }
        if (all)
            return true;
    }
    return false;
}

/* Returns how many of SECTORS sectors of DISK, from SECTOR on, are in any range. */
static uint64_t
find_overlap(const struct attribution_search *search, uint64_t disk, uint64_t sector,
             uint64_t sectors)
{
    uint64_t found = 0;
    for (int i = 0; i < search->range_count; i++)
        found += overlap(&search->ranges[i], disk, sector, sectors);
    return found;
}

/* Returns how many sectors of a record are in ranges of SEARCH. */
static uint64_t
find_sectors(const struct attribution_search *search,
             const struct os_trace_record *record)
{
    uint64_t disk = disk_of(&search->target->layout, record->device);
    return find_overlap(search, disk, record->sector, record->sector_count);
}

/* Adds a candidate. Returns false if there is no room. */
static bool
add_candidate(struct cells *cells, struct candidate candidate)
{
    if (cells->candidate_count == CELLS_RECORDS)
        return false;
    cells->candidates[cells->candidate_count++] = candidate;
    return true;
}

/* Adds a candidate of the top device of a stack. A block request is at the top device
 * from the moment at which it is queued, so a record of queueing becomes two candidates:
 * the block request is queued, and issued at once. Returns false if there is no room. */
static bool
add_top_candidate(struct cells *cells, struct candidate candidate,
                  const struct os_layout_device *top)
{
    enum os_trace_kind end =
        top->is_bio_based ? OS_TRACE_BIO_COMPLETE : OS_TRACE_COMPLETE;
    if (candidate.kind != OS_TRACE_QUEUE && candidate.kind != end)
        return true;
    if (candidate.kind == end)
        candidate.kind = OS_TRACE_COMPLETE;
    else if (!add_candidate(cells, candidate))
        return false;
    else
        candidate.kind = OS_TRACE_ISSUE;
    return add_candidate(cells, candidate);
}

/* Returns RECORD as a candidate. A completion on another device counts as one of the top
 * device if the top device has moved its I/O there, by `shift` sectors (bcache). */
static struct candidate
candidate_of(const struct os_layout *layout, struct listed_record *listed)
{
    const struct os_trace_record *record = &listed->record;
    struct candidate candidate = {listed, disk_of(layout, record->device), record->sector,
                                  record->kind};
    uint64_t top = layout->devices[layout->top_index].disk;
    if (layout->completion_shift && record->kind == OS_TRACE_BIO_COMPLETE &&
        candidate.disk != top) {
        candidate.disk = top;
        candidate.sector -= layout->completion_shift;
    }
    return candidate;
}

/* Collects the candidates in CELLS: the records that touch a range of SEARCH while the
 * request is in flight or, if ALL, also up to LOOK_BACK records before. Returns false if
 * there is no room. */
static bool
gather(const struct attribution_search *search, struct cells *cells, bool all)
{
    const struct os_layout *layout = &search->target->layout;
    struct listed_record *listed = all ? look_back(search) : search->first_record;
    bool is_top = cells == &search->records->top_cells;
    cells->has_earlier = all;
    cells->candidate_count = cells->first_within_index = 0;
    for (; listed < search->end_record; listed++) {
        struct candidate candidate = candidate_of(layout, listed);
        if (listed == search->first_record)
            cells->first_within_index = cells->candidate_count;
        if (!find_overlap(search, candidate.disk, candidate.sector,
                          listed->record.sector_count))
            continue;
        bool fits = is_top ? add_top_candidate(cells, candidate,
                                               &layout->devices[layout->top_index])
                           : add_candidate(cells, candidate);
        if (!fits)
            return false;
    }
    return true;
}

/* Returns the kind of record with which block requests for RANGE begin. A device that is
 * made of others may hand an I/O on without queueing it again: it begins with a remap. */
static enum os_trace_kind
find_entry_kind(const struct attribution_search *search, const struct cells *cells,
                const struct sector_range *range)
{
    if (cells == &search->records->top_cells || !search->target->layout.is_remapped)
        return OS_TRACE_QUEUE;
    for (int i = cells->first_within_index; i < cells->candidate_count; i++) {
        const struct candidate *candidate = &cells->candidates[i];
        if (candidate->kind == OS_TRACE_QUEUE &&
            overlap(range, candidate->disk, candidate->sector,
                    candidate->listed->record.sector_count))
            return OS_TRACE_QUEUE;
    }
    return OS_TRACE_REMAP;
}

/* Returns whether another process may have the ranges below the top device of a stack in
 * flight, now or shortly before. There are three signs: another process queues the same
 * sectors at the top device; another process queues the ranges themselves (below a loop
 * device, only the kernel does this for requests from above); or more I/Os were queued
 * below than remap records have handed on from above. */
static bool
is_foreign(const struct attribution_search *search)
{
    const struct sample *sample = search->sample;
    const struct os_layout *layout = &search->target->layout;
    struct attribution_search above = {.target = search->target};
    int queued = 0;
    int handed = 0;
    bool fits = add_top_part(&above, sample->offset, sample->size);
    for (struct listed_record *listed = look_back(search); listed < search->end_record;
         listed++) {
        const struct os_trace_record *record = &listed->record;
        bool is_own = is_program_thread(search->records->program_threads, record->thread);
        bool is_below = find_sectors(search, record) > 0;
        handed += is_below && record->kind == OS_TRACE_REMAP;
        if (record->kind != OS_TRACE_QUEUE)
            continue;
        queued += is_below;
        if (!is_own && fits && find_sectors(&above, record) > 0)
            return true;
        if (!is_own && is_below && !record->by_kernel && !layout->is_remapped)
            return true;
    }
    return layout->is_remapped && queued > handed;
}

/* Finds the records of the request for all ranges of SEARCH, among the candidates of its
 * time and, if ALL, of the time before. CELLS selects the level of a stack: the top
 * device or the devices below. Returns a result as cells_add does. */
static enum split_result
attribute_candidates(const struct attribution_search *search, struct cells *cells,
                     bool all)
{
    const struct trace_target *target = search->target;
    cells->queued_at = cells->released_at = INT64_MAX;
    if (!gather(search, cells, all))
        return SPLIT_LOST;
    cells->thread = search->thread;
    cells->program_threads = search->records->program_threads;
    cells->is_direct = target->is_direct;
    cells->is_below_top =
        target->layout.is_stacked && cells != &search->records->top_cells;
    cells->may_have_foreign_io = cells->is_below_top && all && is_foreign(search);
    cells->may_be_incomplete = cells->is_below_top && search->has_all_records;
    cells->all_sole = true;
    cells->interval_count = 0;
    enum split_result result = SPLIT_DONE;
    for (int i = 0; i < search->range_count && result == SPLIT_DONE; i++) {
        cells->entry_kind = find_entry_kind(search, cells, &search->ranges[i]);
        result = cells_add(cells, &search->ranges[i]);
    }
    return result;
}

/* Does what attribute does, at first with the records since the request began. Only if
 * they do not tell whose a block request is, earlier records are searched as well. */
static enum split_result
attribute_cells(const struct attribution_search *search, struct cells *cells)
{
    enum split_result result = attribute_candidates(search, cells, false);
    if (result == SPLIT_AMBIGUOUS)
        result = attribute_candidates(search, cells, true);
    return result;
}

/* Returns the end of the interval that ends last, monotonic, in ns. */
static int64_t
find_last(const struct cells *cells)
{
    int64_t last = 0;
    for (int i = 0; i < cells->interval_count; i++)
        last = time_later(last, cells->intervals[i].completed_at);
    return last;
}

/* Adds the intervals of flushes that a lowest device had since SINCE. Flushes complete in
 * the order in which they were issued; `open` is the first that is not complete. */
static void
add_flushes(const struct attribution_search *search, int64_t since)
{
    struct cells *cells = &search->records->bottom_cells;
    int count = cells->interval_count;
    int open = count;
    struct breakdown_interval *intervals = cells->intervals;
    for (const struct listed_record *listed = search->first_record;
         listed < search->end_record; listed++) {
        const struct os_trace_record *record = &listed->record;
        const struct os_layout_device *device =
            find_device(&search->target->layout, record->device);
        if (!record->is_flush || record->time < since || !device || !device->is_bottom)
            continue;
        if (record->kind == OS_TRACE_ISSUE && count < CELLS_INTERVALS)
            intervals[count++] =
                (struct breakdown_interval){record->time, 0, record->time};
        else if (open < count &&
                 (record->kind == OS_TRACE_COMPLETE || record->kind == OS_TRACE_REQUEUE))
            intervals[open++].completed_at = record->time;
    }
    cells->interval_count = open;
}

/* Adds the sectors that the thread of the request has queued below the top device of a
 * stack meanwhile. They belong to the request if the thread has only one request in
 * flight. Returns false if there is no room. */
static bool
add_queued_below(struct attribution_search *search)
{
    for (const struct listed_record *listed = search->first_record;
         listed < search->end_record; listed++) {
        const struct os_trace_record *record = &listed->record;
        if (is_queued(search, record) && !is_at_top(search, record) &&
            !add_record(search, record))
            return false;
    }
    return true;
}

static bool may_ask(struct attribution_search *search);

/* Finds the records of the request below the top device of a stack. SEARCH has the ranges
 * on the top device. There may be no records: the stack has answered the request itself,
 * or has handed it on without a record. */
static enum split_result
attribute_below(struct attribution_search *search, bool by_thread)
{
    struct records *records = search->records;
    const struct os_layout *layout = &search->target->layout;
    const struct sample *sample = search->sample;
    int above = search->range_count;
    bool is_loop = layout->top_index > 0, fits = true;

    search->first_record = records->entries + records_find(records, records->entry_count,
                                                           search->entered_top_at);
    search->end_record = records->entries + records_find(records, records->entry_count,
                                                         search->left_top_at + 1);
    if (is_loop) {
        search->range_count = 0;
        fits = !by_thread && add_part(search, sample->offset, sample->size);
    }
    if (!fits || (layout->is_remapped && !follow_all(search)))
        return SPLIT_LOST;
    if (search->range_count == 0 && layout->is_remapped && search->target->is_single &&
        (!add_queued_below(search) || !follow_all(search)))
        return SPLIT_LOST;
    if (!records->top_cells.all_sole && search->range_count > above)
        return SPLIT_AMBIGUOUS; /* it is not certain which request was remapped where */

    enum split_result result = attribute_cells(search, &records->bottom_cells);
    if (result == SPLIT_DONE && records->bottom_cells.interval_count == 0 &&
        (!search->has_all_records || (is_loop && may_ask(search))))
        return SPLIT_LOST;
    return result;
}

/* Finds the records of a request to a stack, at the top device and below. */
static enum split_result
attribute_stack(struct attribution_search *search, bool by_thread)
{
    struct records *records = search->records;
    struct cells *top = &records->top_cells;
    records->bottom_cells.candidate_count = 0;
    enum split_result result = attribute_cells(search, top);
    search->was_queued_at_top |=
        time_earlier(top->queued_at, top->released_at) < INT64_MAX;
    if (result == SPLIT_DONE && top->interval_count == 0)
        result = search->target->is_direct ? SPLIT_LOST : SPLIT_NO_DEVICE_IO;
    if (result == SPLIT_DONE) {
        search->entered_top_at =
            top->released_at < top->queued_at ? search->start : top->queued_at;
        search->left_top_at = find_last(top);
        result = attribute_below(search, by_thread);
    }
    cells_end(top, result == SPLIT_DONE);
    cells_end(&records->bottom_cells, result == SPLIT_DONE);
    return result;
}

/* Finds the records of a request to a device that is not a stack. */
static enum split_result
attribute_plain(const struct attribution_search *search)
{
    struct cells *cells = &search->records->bottom_cells;
    enum split_result result = attribute_cells(search, cells);
    if (result == SPLIT_DONE && cells->interval_count == 0)
        result = search->target->is_direct ? SPLIT_LOST : SPLIT_NO_DEVICE_IO;
    cells_end(cells, result == SPLIT_DONE);
    return result;
}

/* Returns when the top device of a stack completed the last flush before the end of the
 * request. Returns when it completed the data if there was no flush. */
static int64_t
find_flushed(const struct attribution_search *search)
{
    const struct os_layout *layout = &search->target->layout;
    const struct os_layout_device *top = &layout->devices[layout->top_index];
    enum os_trace_kind end =
        top->is_bio_based ? OS_TRACE_BIO_COMPLETE : OS_TRACE_COMPLETE;
    int64_t last = search->left_top_at;
    for (const struct listed_record *listed = search->first_record;
         listed < search->end_record; listed++)
        if (listed->record.is_flush && listed->record.kind == end &&
            is_at_top(search, &listed->record))
            last = time_later(last, listed->record.time);
    return last;
}

/* Finds the records of the request by the blocks of its file, or else BY_THREAD. */
static enum split_result
look_for(struct attribution_search *search, bool by_thread)
{
    const struct sample *sample = search->sample;
    look_within(search, search->start, search->end);
    search->range_count = 0;
    bool fits = by_thread ? add_queued(search)
                          : add_top_part(search, sample->offset, sample->size);
    if (!fits)
        return SPLIT_LOST;
    if (search->range_count == 0)
        return by_thread && search->target->is_direct ? SPLIT_LOST : SPLIT_NO_DEVICE_IO;
    return search->target->layout.is_stacked ? attribute_stack(search, by_thread)
                                             : attribute_plain(search);
}

/* Tries the blocks of the file, if they are known, and then the thread, because a file
 * may have got other blocks since its layout was read. */
static enum split_result
look_everywhere(struct attribution_search *search)
{
    const struct trace_target *target = search->target;
    if (!target->layout.extents_known)
        return look_for(search, true);
    enum split_result result = look_for(search, false);
    if (result == SPLIT_DONE || !target->is_single || !target->is_direct)
        return result;
    enum split_result other = look_for(search, true);
    return other == SPLIT_DONE || result == SPLIT_NO_DEVICE_IO ? other : result;
}

/* Returns whether a request whose records were not found may have asked a device anyway:
 * its thread has queued an I/O that need not belong to another request; or the kernel has
 * queued its blocks, or blocks that may be its own; or its blocks were issued, although
 * nobody was seen to queue them. */
static bool
may_ask(struct attribution_search *search)
{
    const struct sample *sample = search->sample;
    const struct trace_target *target = search->target;
    const struct os_layout *layout = &target->layout;
    struct attribution_search all = {.target = target};
    bool queued = false;
    search->range_count = 0;
    if (!add_part(search, sample->offset, sample->size))
        return true;
    bool fits = add_part(&all, 0, INT64_MAX);
    for (const struct listed_record *listed = search->first_record;
         listed < search->end_record; listed++) {
        const struct os_trace_record *record = &listed->record;
        const struct os_layout_device *device = find_device(layout, record->device);
        if (device && device->is_loop)
            continue;
        bool touches = find_sectors(search, record) > 0;
        bool others = fits && find_sectors(&all, record) > 0;
        bool by_kernel = record->kind == OS_TRACE_QUEUE && record->by_kernel;
        queued |= touches && record->kind == OS_TRACE_QUEUE;
        if (by_kernel &&
            (touches || !layout->extents_known || (layout->loop_extents && !others)))
            return true;
        if (touches && record->kind == OS_TRACE_ISSUE && !queued)
            return true;
        if (is_queued(search, record) && record->sector_count > 0 &&
            (target->is_single || !others))
            return true;
    }
    return false;
}

/* Divides the time of a request to a stack. If a control group has throttled the request
 * at the top device, that time counts as queue. A write that returns only after its flush
 * leaves the top device when the flush is complete. */
static void
divide_stack(struct attribution_search *search, struct split *split)
{
    struct cells *cells = &search->records->bottom_cells;
    struct cells *top = &search->records->top_cells;
    bool is_held = top->released_at < top->queued_at;
    look_within(search, search->start, search->end);
    if (search->target->writes_sync) {
        add_flushes(search, time_later(search->entered_top_at, find_last(cells)));
        search->left_top_at = find_flushed(search);
    }
    if (is_held && cells->interval_count < CELLS_INTERVALS)
        cells->intervals[cells->interval_count++] =
            (struct breakdown_interval){INT64_MAX, top->released_at, search->start};
    split->is_stacked = true;
    breakdown_divide_stack(search->start, search->end, search->entered_top_at,
                           search->left_top_at, cells->intervals, cells->interval_count,
                           split->part);
}

/* A throttled request has no record before a thread of the kernel releases it. The time
 * before counts as queue, so the request is taken as queued from its start. */
void
request_attribute(struct records *records, const struct trace_target *target, int thread,
                  bool complete, struct sample *sample)
{
    int64_t start = sample->start;
    int64_t over = start + sample->latency;
    int64_t end = over - sample->sync;
    int64_t flush[PARTS];
    struct attribution_search search = {.target = target,
                                        .records = records,
                                        .sample = sample,
                                        .thread = thread,
                                        .has_all_records = complete,
                                        .start = start,
                                        .end = end};
    struct cells *cells = &records->bottom_cells;
    struct split *split = &sample->split;

    *split = (struct split){.result = look_everywhere(&search)};
    look_within(&search, start, end);
    if (complete && split->result == SPLIT_LOST && !search.was_queued_at_top &&
        !may_ask(&search))
        split->result = SPLIT_NO_DEVICE_IO;
    if (split->result != SPLIT_DONE)
        return;

    if (target->layout.is_stacked) {
        divide_stack(&search, split);
    } else {
        bool released = cells->released_at < cells->queued_at;
        if (target->writes_sync)
            add_flushes(&search, find_last(cells));
        breakdown_divide(start, end, released ? start : cells->queued_at,
                         cells->intervals, cells->interval_count, split->part);
    }
    if (!sample->sync)
        return;
    look_within(&search, end, over);
    cells->interval_count = 0;
    add_flushes(&search, end);
    breakdown_divide(end, over, end, cells->intervals, cells->interval_count, flush);
    split->sync_device = flush[PART_DEVICE];
}
