#ifndef TRACE_RANGES_H
#define TRACE_RANGES_H

/* The sectors of a request, as ranges of sectors on disks. The functions find the ranges
 * by the layout of the target, and follow them from a device to the devices below. */

#include "trace_private.h"

#include <stdbool.h>
#include <stdint.h>

#define SECTOR 512    /* in bytes, the same for every device (see os/trace.h) */
#define RANGES_MAX 64 /* the most ranges of one request */

/* A set of ranges of sectors. If all fields are zero, the set is empty. */
struct sector_ranges {
    int count;
    struct sector_range list[RANGES_MAX];
};

/* Returns the device of LAYOUT that has the device number NUMBER. If there is no such
 * device, but NUMBER is a disk and LAYOUT has a partition of it, returns that partition.
 * Otherwise returns NULL. */
const struct os_layout_device *layout_find_device(const struct os_layout *layout,
                                                  uint64_t number);

/* Returns a device number: NUMBER itself if it is a disk, or the disk that has the
 * partition if NUMBER is a partition. Returns 0 if LAYOUT does not have the device. */
uint64_t layout_find_disk(const struct os_layout *layout, uint64_t number);

/* Adds the SECTOR_COUNT sectors of DISK, from SECTOR on, to RANGES, unless RANGES has
 * this range already. Returns false if RANGES is full. */
bool ranges_add(struct sector_ranges *ranges, uint64_t disk, uint64_t sector,
                uint64_t sector_count);

/* Adds the sectors of LENGTH bytes of the target, from OFFSET on, as they are on
 * devices[0] of LAYOUT. If the target is on a loop device, devices[0] is the device that
 * holds the file of the loop device. Otherwise, it is the device that the target is on.
 * Bytes in no extent, such as holes, add nothing. Returns false if RANGES is full. */
bool ranges_add_below_loop(struct sector_ranges *ranges, const struct os_layout *layout,
                           int64_t offset, int64_t length);

/* Adds the sectors of LENGTH bytes of the target, from OFFSET on, as they are on the top
 * device of LAYOUT, which is the device that the target is on. Bytes in no extent, such
 * as holes, add nothing. Returns false if RANGES is full. */
bool ranges_add_top(struct sector_ranges *ranges, const struct os_layout *layout,
                    int64_t offset, int64_t length);

/* Adds the sectors of RECORD to RANGES. Adds nothing if the device of the record is not
 * in LAYOUT. Returns false if RANGES is full. */
bool ranges_add_record(struct sector_ranges *ranges, const struct os_layout *layout,
                       const struct os_trace_record *record);

/* Follows each range of RANGES down to the bottom devices of LAYOUT. Searches the records
 * from FIRST up to but not including END for remap records that touch the range, and
 * replaces the range by the ranges to which they lead. A range that no remap record
 * touches is removed. Ranges on bottom devices stay as they are. Returns false if RANGES
 * is full, or if there are too many levels of devices. */
bool ranges_follow_remaps(struct sector_ranges *ranges, const struct os_layout *layout,
                          const struct listed_record *first,
                          const struct listed_record *end);

/* Returns how many of the SECTOR_COUNT sectors of DISK from SECTOR on are in RANGE. */
uint64_t range_overlap(const struct sector_range *range, uint64_t disk, uint64_t sector,
                       uint64_t sector_count);

/* Returns true if any of the SECTOR_COUNT sectors of DISK from SECTOR on is in RANGES. */
bool ranges_touch(const struct sector_ranges *ranges, uint64_t disk, uint64_t sector,
                  uint64_t sector_count);

/* Returns true if any sector of RECORD is in RANGES. */
bool ranges_touch_record(const struct sector_ranges *ranges,
                         const struct os_layout *layout,
                         const struct os_trace_record *record);

#endif
