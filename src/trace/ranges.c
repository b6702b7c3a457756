/*
 * The sectors of a request, as ranges of sectors on disks.
 *
 * At first the ranges are on the top device. A device that consists of other devices
 * (device mapper, md, bcache) passes each I/O on to them, and the kernel writes a remap
 * record of this. So remap records lead from a range on a device to the ranges on the
 * devices below:
 *
 *     range on dm-0      |------ sectors 1000 to 1015 ------|
 *     remap records      |- 1000 on dm-0 -|- 1008 on dm-0 --|
 *                                |                 |
 *     ranges below        5000 to 5007 of vda   9000 to 9007 of vdb
 */
#include "ranges.h"

#include "base/time.h"

#define LEVELS_MAX 8 /* the most devices on top of each other */

const struct os_layout_device *
layout_find_device(const struct os_layout *layout, uint64_t number)
{
    const struct os_layout_device *partition = NULL;
    for (int i = 0; i < layout->device_count; i++) {
        const struct os_layout_device *device = &layout->devices[i];
        if (device->number == number)
            return device;
        if (device->disk == number)
            partition = device;
    }
    return partition;
}

uint64_t
layout_find_disk(const struct os_layout *layout, uint64_t number)
{
    const struct os_layout_device *device = layout_find_device(layout, number);
    return device ? device->disk : 0;
}

bool
ranges_add(struct sector_ranges *ranges, uint64_t disk, uint64_t sector,
           uint64_t sector_count)
{
    for (int i = 0; i < ranges->count; i++) {
        const struct sector_range *range = &ranges->list[i];
        if (range->disk == disk && range->sector == sector &&
            range->sector_count == sector_count)
            return true;
    }
    if (ranges->count == RANGES_MAX)
        return false;

    ranges->list[ranges->count++] = (struct sector_range){disk, sector, sector_count};
    return true;
}

/* Adds the sectors of LENGTH bytes of a file, from OFFSET on, to RANGES. The file has
 * COUNT EXTENTS, which are on DISK. Returns false if RANGES is full. */
static bool
add_extents(struct sector_ranges *ranges, const struct os_extent *extents, int count,
            uint64_t disk, int64_t offset, int64_t length)
{
    int i = os_extent_find(extents, count, offset);
    for (; i < count && extents[i].offset < offset + length; i++) {
        const struct os_extent *extent = &extents[i];
        int64_t extent_end = extent->offset + extent->length;
        int64_t from = time_later(offset, extent->offset) - extent->offset;
        int64_t to = time_earlier(offset + length, extent_end) - extent->offset;
        uint64_t first = (uint64_t)from / SECTOR;
        uint64_t end = ((uint64_t)to + SECTOR - 1) / SECTOR;
        if (!ranges_add(ranges, disk, extent->sector + first, end - first))
            return false;
    }
    return true;
}

bool
ranges_add_below_loop(struct sector_ranges *ranges, const struct os_layout *layout,
                      int64_t offset, int64_t length)
{
    return add_extents(ranges, layout->extents, layout->extent_count,
                       layout->devices[0].disk, offset, length);
}

bool
ranges_add_top(struct sector_ranges *ranges, const struct os_layout *layout,
               int64_t offset, int64_t length)
{
    if (layout->top_index == 0)
        return ranges_add_below_loop(ranges, layout, offset, length);
    return add_extents(ranges, layout->loop_extents, layout->loop_extent_count,
                       layout->devices[layout->top_index].disk, offset, length);
}

bool
ranges_add_record(struct sector_ranges *ranges, const struct os_layout *layout,
                  const struct os_trace_record *record)
{
    uint64_t disk = layout_find_disk(layout, record->device);
    if (!disk || record->sector_count == 0)
        return true;
    return ranges_add(ranges, disk, record->sector, record->sector_count);
}

uint64_t
range_overlap(const struct sector_range *range, uint64_t disk, uint64_t sector,
              uint64_t sector_count)
{
    uint64_t end = sector + sector_count;
    uint64_t range_end = range->sector + range->sector_count;
    uint64_t from = sector > range->sector ? sector : range->sector;
    uint64_t to = end < range_end ? end : range_end;
    return disk == range->disk && from < to ? to - from : 0;
}

bool
ranges_touch(const struct sector_ranges *ranges, uint64_t disk, uint64_t sector,
             uint64_t sector_count)
{
    for (int i = 0; i < ranges->count; i++)
        if (range_overlap(&ranges->list[i], disk, sector, sector_count) > 0)
            return true;
    return false;
}

bool
ranges_touch_record(const struct sector_ranges *ranges, const struct os_layout *layout,
                    const struct os_trace_record *record)
{
    uint64_t disk = layout_find_disk(layout, record->device);
    return ranges_touch(ranges, disk, record->sector, record->sector_count);
}

/* Adds to RANGES the sectors to which I/O in RANGE was passed on. Finds them by the remap
 * records from FIRST up to but not including END. The sector in a remap record counts
 * from the start of its device, which may be a partition. Returns false if RANGES is
 * full. */
static bool
add_remapped(struct sector_ranges *ranges, const struct sector_range *range,
             const struct os_layout *layout, const struct listed_record *first,
             const struct listed_record *end)
{
    for (const struct listed_record *listed = first; listed < end; listed++) {
        const struct os_trace_record *record = &listed->record;
        const struct os_layout_device *device =
            layout_find_device(layout, record->device);
        if (record->kind != OS_TRACE_REMAP || !device)
            continue;
        if (device->disk == range->disk)
            continue; /* a remap from a partition to its own disk changes nothing */

        uint64_t old_disk = layout_find_disk(layout, record->old_device);
        uint64_t old_sector = record->old_sector;
        uint64_t overlap =
            range_overlap(range, old_disk, old_sector, record->sector_count);
        if (overlap == 0)
            continue;

        uint64_t start = device->number == record->device ? device->start_sector : 0;
        uint64_t skipped = range->sector > old_sector ? range->sector - old_sector : 0;
        if (!ranges_add(ranges, device->disk, start + record->sector + skipped, overlap))
            return false;
    }
    return true;
}

bool
ranges_follow_remaps(struct sector_ranges *ranges, const struct os_layout *layout,
                     const struct listed_record *first, const struct listed_record *end)
{
    for (int level = 0; level < LEVELS_MAX; level++) {
        bool all_at_bottom = true;
        for (int i = ranges->count; i-- > 0;) {
            struct sector_range range = ranges->list[i];
            if (layout_find_device(layout, range.disk)->is_bottom)
                continue;
            ranges->list[i] = ranges->list[--ranges->count];
            all_at_bottom = false;
            if (!add_remapped(ranges, &range, layout, first, end))
                return false;
        }
        if (all_at_bottom)
            return true;
    }
    return false;
}
