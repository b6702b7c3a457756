/*
 * The matcher: which records of a trace are those of a request. Its blocks are known from
 * the layout of its file, so they are those that touch them while it is under way: the
 * first entry into the queue, the first issue after that, and the completion with which
 * all that was entered is complete. Where the layout is not known, its blocks are those
 * that its thread enters into the queue meanwhile. Times are clipped to those of the
 * request, so that the parts always add up.
 */
#include "splitter.h"

#include "base/time.h"

#include <stddef.h>

#define SECTOR 512
/* Both clocks are one, but the system may read the nearer of two ticks (ns). */
#define CLOCK_SLACK 1000
#define RANGES_MOST 64 /* pieces of one request; what has more is not split */
#define REMAPS 8       /* devices on top of each other */

/* Records of a request, which several others may share. */
#define CANDIDATES 256
/* Earlier ones that are looked through for what is ahead of it on the device. */
#define LOOK_BACK 4096

/* Blocks of a request: sectors of a disk. */
struct range {
    uint64_t disk, sector, sectors;
};

/* What is looked for: a request between two times, monotonic. */
struct search {
    const struct splitter_target *target;
    int64_t start, end;
    int thread;
    int count;
    struct range ranges[RANGES_MOST];
};

int
records_find(const struct records *records, int count, int64_t time)
{
    int low = 0, high = count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (records->list[middle].trace.time < time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Returns the disk that DEVICE is, or is on; 0: it is none of LAYOUT. */
static uint64_t
disk_of(const struct os_layout *layout, uint64_t device)
{
    for (int i = 0; i < layout->device_count; i++)
        if (layout->devices[i].number == device || layout->devices[i].disk == device)
            return layout->devices[i].disk;
    return 0;
}

/* Returns whether requests are issued to DISK. */
static bool
is_lowest(const struct os_layout *layout, uint64_t disk)
{
    for (int i = 0; i < layout->device_count; i++)
        if (layout->devices[i].disk == disk)
            return layout->devices[i].lowest;
    return false;
}

/* Adds sectors to what is looked for. Returns false if there is no room. */
static bool
add_range(struct search *search, uint64_t disk, uint64_t sector, uint64_t sectors)
{
    if (search->count == RANGES_MOST)
        return false;
    search->ranges[search->count++] = (struct range){disk, sector, sectors};
    return true;
}

/* Adds the sectors of a part of the file. Returns false if there is no room. */
static bool
add_extents(struct search *search, int64_t offset, int64_t length)
{
    const struct os_layout *layout = &search->target->layout;
    int low = 0, high = layout->extent_count;
    while (low < high) { /* the first that ends behind OFFSET */
        int middle = low + (high - low) / 2;
        const struct os_extent *extent = &layout->extents[middle];
        if (extent->offset + extent->length <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < layout->extent_count && layout->extents[low].offset < offset + length;
         low++) {
        const struct os_extent *extent = &layout->extents[low];
        int64_t from = time_later(offset, extent->offset) - extent->offset;
        int64_t to = time_earlier(offset + length, extent->offset + extent->length) -
                     extent->offset;
        uint64_t first = (uint64_t)from / SECTOR;
        uint64_t end = ((uint64_t)to + SECTOR - 1) / SECTOR;
        if (!add_range(search, layout->devices[0].disk, extent->sector + first,
                       end - first))
            return false;
    }
    return true;
}

/* Returns how many sectors of RANGE a record has from SECTOR on. */
static uint64_t
overlap(const struct range *range, uint64_t disk, uint64_t sector, uint64_t sectors)
{
    uint64_t from = sector > range->sector ? sector : range->sector;
    uint64_t end = sector + sectors, range_end = range->sector + range->sectors;
    uint64_t to = end < range_end ? end : range_end;
    return disk == range->disk && from < to ? to - from : 0;
}

/* The records while a request is under way. */
struct window {
    struct record *from, *to;
};

static struct window
window_of(const struct records *records, int64_t start, int64_t end)
{
    return (struct window){
        records->list + records_find(records, records->count, start - CLOCK_SLACK),
        records->list + records_find(records, records->count, end + CLOCK_SLACK + 1)};
}

/* Adds what a record enters into the queue. Returns false if there is no room. */
static bool
add_record(struct search *search, const struct os_trace_record *trace)
{
    uint64_t disk = disk_of(&search->target->layout, trace->device);
    return !disk || !trace->sectors ||
           add_range(search, disk, trace->sector, trace->sectors);
}

/* Returns the only entry by a thread of the kernel that could be that of SAMPLE; NULL:
 * none, or more than one. */
static const struct os_trace_record *
find_throttled(const struct sample *sample, struct window window)
{
    const struct os_trace_record *found = NULL;
    for (const struct record *record = window.from; record < window.to; record++) {
        const struct os_trace_record *trace = &record->trace;
        if (trace->kind != OS_TRACE_QUEUE || !trace->kernel ||
            trace->sectors * SECTOR != (uint64_t)sample->size ||
            trace->write != (sample->operation == OPERATION_WRITE))
            continue;
        if (found)
            return NULL;
        found = trace;
    }
    return found;
}

/* Adds what the thread of a request has entered into the queue meanwhile, or a thread of
 * the kernel for it. Returns false if there is no room. */
static bool
add_queued(struct search *search, const struct sample *sample, struct window window)
{
    for (const struct record *record = window.from; record < window.to; record++) {
        const struct os_trace_record *trace = &record->trace;
        if (trace->kind == OS_TRACE_QUEUE && trace->thread == search->thread &&
            !add_record(search, trace))
            return false;
    }
    const struct os_trace_record *throttled =
        search->count ? NULL : find_throttled(sample, window);
    return !throttled || add_record(search, throttled);
}

/* Returns where on its disk a remap leads to: its sector is that of its device, which may
 * be a partition. */
static uint64_t
place_of(const struct os_layout *layout, const struct os_trace_record *trace)
{
    for (int i = 0; i < layout->device_count; i++)
        if (layout->devices[i].number == trace->device)
            return trace->sector + layout->devices[i].start;
    return trace->sector;
}

/* Follows a range of a device that is made of others. Returns false if there is no room.
 */
static bool
follow(struct search *search, struct window window, const struct range *range)
{
    const struct os_layout *layout = &search->target->layout;
    for (const struct record *record = window.from; record < window.to; record++) {
        const struct os_trace_record *trace = &record->trace;
        if (trace->kind != OS_TRACE_REMAP ||
            disk_of(layout, trace->device) == range->disk) /* from a partition */
            continue;
        uint64_t old = trace->old_sector, disk = disk_of(layout, trace->device);
        uint64_t sectors =
            overlap(range, disk_of(layout, trace->old_device), old, trace->sectors);
        uint64_t skipped = range->sector > old ? range->sector - old : 0;
        if (sectors && disk &&
            !add_range(search, disk, place_of(layout, trace) + skipped, sectors))
            return false;
    }
    return true;
}

/* Replaces ranges of devices that are made of others by what is below them. */
static bool
follow_all(struct search *search, struct window window)
{
    for (int level = 0; level < REMAPS; level++) {
        bool all = true;
        for (int i = search->count; i-- > 0;) {
            struct range range = search->ranges[i];
            if (is_lowest(&search->target->layout, range.disk))
                continue;
            search->ranges[i] = search->ranges[--search->count];
            all = false;
            if (!follow(search, window, &range))
                return false;
        }
        if (all)
            return true;
    }
    return false;
}

/* Returns how many sectors of what is looked for a record has. */
static uint64_t
find_sectors(const struct search *search, const struct os_trace_record *trace)
{
    uint64_t sectors = 0;
    uint64_t disk = disk_of(&search->target->layout, trace->device);
    for (int i = 0; i < search->count; i++)
        sectors += overlap(&search->ranges[i], disk, trace->sector, trace->sectors);
    return sectors;
}

/* The records that touch what is looked for, in the order of time. */
struct candidates {
    int count;
    struct record *list[CANDIDATES];
    uint64_t sectors[CANDIDATES]; /* of each, those that are looked for */
};

/* Returns false if there are too many. */
static bool
gather(const struct search *search, struct window window, struct candidates *candidates)
{
    candidates->count = 0;
    for (struct record *record = window.from; record < window.to; record++) {
        uint64_t sectors = find_sectors(search, &record->trace);
        if (!sectors)
            continue;
        if (candidates->count == CANDIDATES)
            return false;
        candidates->sectors[candidates->count] = sectors;
        candidates->list[candidates->count++] = record;
    }
    return true;
}

/* Returns the index of the first of KIND from FROM on, by THREAD unless that is 0; -1:
 * there is none. */
static int
find_first(const struct candidates *candidates, int from, enum os_trace_kind kind,
           int thread)
{
    for (int i = from; i < candidates->count; i++) {
        const struct os_trace_record *trace = &candidates->list[i]->trace;
        if (trace->kind == kind && (!thread || trace->thread == thread))
            return i;
    }
    return -1;
}

/* Returns how many sectors of KIND there are from FROM on. */
static uint64_t
sum_up(const struct candidates *candidates, int from, enum os_trace_kind kind)
{
    uint64_t sectors = 0;
    for (int i = from; i < candidates->count; i++)
        if (candidates->list[i]->trace.kind == kind)
            sectors += candidates->sectors[i];
    return sectors;
}

/* Returns how many sectors of what is looked for the device had, and had not completed,
 * when ISSUED came to it: those of other requests of the same blocks. */
static uint64_t
count_ahead(const struct search *search, const struct record *first,
            const struct record *issued)
{
    uint64_t issues = 0, completions = 0;
    int64_t count = issued - first;
    for (int64_t i = 1; i <= count && i <= LOOK_BACK; i++) {
        const struct os_trace_record *trace = &issued[-i].trace;
        if (trace->kind == OS_TRACE_ISSUE)
            issues += find_sectors(search, trace);
        else if (trace->kind == OS_TRACE_COMPLETE)
            completions += find_sectors(search, trace);
    }
    return issues > completions ? issues - completions : 0;
}

/* Returns the first completion from FROM on with which SECTORS are complete, or the last
 * one; NULL: there is none. Marks all of them as used. */
static struct record *
find_completion(const struct candidates *candidates, int from, uint64_t sectors)
{
    struct record *last = NULL;
    for (int i = from; i < candidates->count && sectors > 0; i++) {
        if (candidates->list[i]->trace.kind != OS_TRACE_COMPLETE)
            continue;
        last = candidates->list[i];
        last->used = true;
        sectors -= candidates->sectors[i] < sectors ? candidates->sectors[i] : sectors;
    }
    return last;
}

static int64_t
clip(int64_t time, int64_t least, int64_t most)
{
    return time < least ? least : time > most ? most : time;
}

/* The times at which one part follows another. */
struct borders {
    int64_t queued, issued, completed;
};

/* Returns the index of the entry into the queue, by the thread of the request if it is
 * known to come from there, or of what hands it on instead; -1: there is none. */
static int
find_entry(const struct search *search, const struct candidates *candidates)
{
    const struct os_layout *layout = &search->target->layout;
    int own =
        layout->lower ? -1 : find_first(candidates, 0, OS_TRACE_QUEUE, search->thread);
    int any = own < 0 ? find_first(candidates, 0, OS_TRACE_QUEUE, 0) : own;
    return any < 0 && layout->remapped ? find_first(candidates, 0, OS_TRACE_REMAP, 0)
                                       : any;
}

/*
 * Finds the records of what is looked for. What of it was not queued needs no device, as
 * pages that are cached; a device completes the requests of one block in their order. A
 * request that is throttled is recorded only when a thread of the kernel lets it go on:
 * its time before that is spent in the queue.
 */
static enum split_result
find_borders(const struct search *search, const struct record *first,
             struct window window, struct borders *borders)
{
    const struct splitter_target *target = search->target;
    struct candidates candidates;
    if (!gather(search, window, &candidates))
        return SPLIT_LOST;
    int queued = find_entry(search, &candidates);
    int issued = find_first(&candidates, queued < 0 ? 0 : queued, OS_TRACE_ISSUE, 0);
    if (queued < 0 || issued < 0)
        return queued < 0 && issued < 0 && !target->direct ? SPLIT_UNASKED : SPLIT_LOST;
    uint64_t all = 0, ahead = 0;
    for (int i = 0; i < search->count; i++)
        all += search->ranges[i].sectors;
    uint64_t entered = sum_up(&candidates, queued, candidates.list[queued]->trace.kind);
    uint64_t needed = entered < all ? entered : all;
    uint64_t done = sum_up(&candidates, issued, OS_TRACE_COMPLETE);
    if (done < needed)
        return SPLIT_LOST;
    if (done > needed)
        ahead = count_ahead(search, first, candidates.list[issued]);
    const struct record *completed = find_completion(&candidates, issued, needed + ahead);
    const struct os_trace_record *entry = &candidates.list[queued]->trace;
    candidates.list[queued]->used = candidates.list[issued]->used = true;
    bool throttled = entry->kernel && !target->layout.lower;
    borders->queued = throttled ? search->start : entry->time;
    borders->issued = candidates.list[issued]->trace.time;
    borders->completed = completed->trace.time;
    return SPLIT_DONE;
}

/* Finds the first issue, SINCE then, and the last completion of a flush of any of the
 * devices. Returns false if none was sent to them. */
static bool
find_flush(const struct search *search, struct window window, int64_t since,
           struct borders *borders)
{
    bool issued = false, completed = false;
    for (const struct record *record = window.from; record < window.to; record++) {
        const struct os_trace_record *trace = &record->trace;
        uint64_t disk = disk_of(&search->target->layout, trace->device);
        if (!trace->flush || trace->time < since || !disk ||
            !is_lowest(&search->target->layout, disk))
            continue;
        if (trace->kind == OS_TRACE_ISSUE && !issued) {
            borders->issued = trace->time;
            issued = true;
        } else if (trace->kind == OS_TRACE_COMPLETE && issued) {
            borders->completed = trace->time;
            completed = true;
        }
    }
    return completed;
}

/* Looks for the request by the blocks of its file, or by its THREAD. */
static enum split_result
look_for(struct search *search, const struct records *records,
         const struct sample *sample, bool by_thread, struct borders *borders)
{
    struct window window = window_of(records, search->start, search->end);
    search->count = 0;
    bool fits = by_thread ? add_queued(search, sample, window)
                          : add_extents(search, sample->offset, sample->size);
    if (!fits || (search->target->layout.remapped && !follow_all(search, window)))
        return SPLIT_LOST;
    if (search->count == 0)
        return by_thread && search->target->direct ? SPLIT_LOST : SPLIT_UNASKED;
    return find_borders(search, records->list, window, borders);
}

/* The blocks of a file may have changed since its layout was found, as those that are
 * written for the first time, or are shared. */
static enum split_result
look_everywhere(struct search *search, const struct records *records,
                const struct sample *sample, struct borders *borders)
{
    const struct splitter_target *target = search->target;
    if (!target->layout.known)
        return look_for(search, records, sample, true, borders);
    enum split_result result = look_for(search, records, sample, false, borders);
    if (result == SPLIT_DONE || !target->single || !target->direct ||
        look_for(search, records, sample, true, borders) != SPLIT_DONE)
        return result;
    return SPLIT_DONE;
}

void
matcher_split(const struct records *records, const struct splitter_target *target,
              int thread, struct sample *sample)
{
    int64_t start = sample->start, over = start + sample->latency;
    int64_t end = over - sample->sync;
    struct search search = {
        .target = target, .thread = thread, .start = start, .end = end};
    struct borders borders = {0}, flush = {0};
    struct split *split = &sample->split;
    *split =
        (struct split){.result = look_everywhere(&search, records, sample, &borders)};
    if (split->result != SPLIT_DONE)
        return;
    if (target->syncs &&
        find_flush(&search, window_of(records, start, end), borders.completed, &flush))
        borders.completed = flush.completed;
    int64_t queued = clip(borders.queued, start, end);
    int64_t issued = clip(borders.issued, queued, end);
    int64_t completed = clip(borders.completed, issued, end);
    split->part[PART_SUBMIT] = queued - start;
    split->part[PART_QUEUE] = issued - queued;
    split->part[PART_DEVICE] = completed - issued;
    split->part[PART_RETURN] = end - completed;
    if (sample->sync && find_flush(&search, window_of(records, end, over), end, &flush))
        split->sync_device =
            clip(flush.completed, end, over) - clip(flush.issued, end, over);
}
