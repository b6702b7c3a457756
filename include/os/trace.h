#ifndef OS_TRACE_H
#define OS_TRACE_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

/* Block tracing. A layout tells on which devices and on which of their sectors a file is
 * stored. A trace delivers the system's records of the I/O to these devices. On systems
 * without block tracing, both os_layout_find and os_trace_open fail. A sector has 512
 * bytes, even if the device has larger sectors. */

/* An extent: a part of a file that is stored in successive sectors. */
struct os_extent {
    int64_t offset, length; /* offset and length of the part of the file, in bytes */
    uint64_t sector;        /* number of the first sector on the disk */
};

/* Searches COUNT extents, which must be in ascending order, for the first one that ends
 * after OFFSET. Returns its index, or COUNT if there is none. */
static inline int
os_extent_find(const struct os_extent *extents, int count, int64_t offset)
{
    int low = 0;
    int high = count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (extents[middle].offset + extents[middle].length > offset)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

#define OS_LAYOUT_DEVICES 16 /* the most devices of one layout */

/* A device of a layout. Its trace records are needed to trace the target. */
struct os_layout_device {
    uint64_t number; /* device number, as in os_trace_record */
    /* if the device is a partition, the device number of its disk; else `number` */
    uint64_t disk;
    /* if the device is a partition, its first sector on its disk; else 0 */
    uint64_t start_sector;
    /* The device passes no I/O on to other devices: its driver executes the requests. */
    bool is_bottom;
    /* This is a loop device. It turns its requests into requests to the device that holds
     * the file of the loop device. So of its own records, only OS_TRACE_QUEUE and
     * OS_TRACE_COMPLETE are of use. */
    bool is_loop;
    /* The device has no request queue. It handles each I/O (bio) itself. A completed I/O
     * has an OS_TRACE_BIO_COMPLETE instead of an OS_TRACE_COMPLETE. */
    bool is_bio_based;
};

/*
 * Where a range of a file or of a device lies.
 *
 * The top device is the block device that the file is on. `extents` say where the file
 * lies on devices[0], which is usually the top device.
 *
 * If the top device is a loop device with direct I/O, devices[0] is another device: the
 * device that holds the loop device's own file. The loop device is then the last entry of
 * `devices`, and `loop_extents` say where the file lies on it. A loop device without
 * direct I/O counts as a disk.
 *
 *                   usually                     with a loop device with direct I/O
 *     devices[0]    the top device              the device with the loop device's file
 *     devices[1..]  the devices below           devices below devices[0]; loop device
 *     top_index     0                           index of the loop device
 *     extents       on devices[0]               on devices[0]
 *     loop_extents  NULL                        on the loop device
 *
 * Extents are in ascending order. Parts of the file in no extent are on no device. Sector
 * numbers count from the start of the disk, even if the device is a partition.
 */
struct os_layout {
    struct os_layout_device devices[OS_LAYOUT_DEVICES];
    int device_count;
    struct os_extent *extents; /* where the file lies on devices[0] */
    int extent_count;
    /* where the file lies on the loop device; NULL without a loop device */
    struct os_extent *loop_extents;
    int loop_extent_count;
    int top_index; /* index in `devices` of the top device, which the file is on */
    /* In sectors; 0 if the top device is no bcache. When an I/O to a bcache is complete,
     * the kernel writes a record for the device below, not for the bcache. The sector in
     * this record is the sector of the I/O plus this number. */
    uint64_t completion_shift;
    /* The system has returned the extents. If not, the layout has none. */
    bool extents_known;
    /* devices[0] passes I/O on to other devices, with records OS_TRACE_REMAP */
    bool is_remapped;
    bool is_stacked; /* there are other devices below the top device */
    char name[64];   /* path of the top device, such as /dev/vda */
    /* if the top device is a stack, its kind and its members, such as "raid1: /dev/vdb,
     * /dev/vdc"; else empty */
    char members[512];
};

/*
 * Finds the devices that receive the I/O for a range of the open file FD. OFFSET and
 * LENGTH are in bytes. PATH is the path of the file, for messages. Fills LAYOUT, which
 * must be all zero before; the caller frees it with os_layout_free. Returns 0, or -1 with
 * ERROR if the file is on no block device or if the devices below cannot be found.
 */
int os_layout_find(int fd, const char *path, int64_t offset, int64_t length,
                   struct os_layout *layout, struct error *error);

/* Frees the extents of LAYOUT. */
void os_layout_free(struct os_layout *layout);

/* The kinds of records. Each one is an event in the life of an I/O (bio) of a file system
 * or of a program. The I/O enters the block layer, and may be passed on from device to
 * device (remapped). At the last device, it becomes a request or a part of a request. The
 * driver sends the request to the device. */
enum os_trace_kind {
    OS_TRACE_QUEUE,    /* an I/O enters the block layer */
    OS_TRACE_REMAP,    /* an I/O is passed on to another device */
    OS_TRACE_ISSUE,    /* a request is sent to the device */
    OS_TRACE_REQUEUE,  /* a request goes back into the queue, because it was not done */
    OS_TRACE_COMPLETE, /* a request, or a part of one, is complete */
    OS_TRACE_MARK,     /* os_trace_mark was called; `sector` holds its argument MARK */
    /* an I/O, or a part of one, to a device without a request queue is complete */
    OS_TRACE_BIO_COMPLETE,
    /* A whole request, not an I/O, is passed on to another device. Used only in src/os:
     * os_trace_read returns such a record as OS_TRACE_REMAP. */
    OS_TRACE_REQUEST_REMAP,
};

struct os_trace_record {
    int64_t time; /* in ns, monotonic */
    uint64_t device, sector, sector_count;
    /* device and sector before the remap; only for OS_TRACE_REMAP */
    uint64_t old_device, old_sector;
    /* TID, in the initial PID namespace, of the thread that was running when the record
     * was written. If that thread was an io_uring worker, this is the TID of the thread
     * that the worker serves, but only for OS_TRACE_QUEUE. */
    int thread;
    enum os_trace_kind kind;
    bool by_kernel; /* a thread of the kernel queued the I/O; only for OS_TRACE_QUEUE */
    bool is_flush;  /* the request empties the device's write cache and moves no data */
    bool is_write;
};

struct os_trace;

/*
 * Starts a trace of the devices of COUNT layouts. From the start on, the system stores
 * all records of these devices until they are read, as long as its buffers have room.
 * Everything that the trace creates in the system is removed when the process ends, even
 * if it is killed. Returns NULL with ERROR if the trace cannot be started.
 */
struct os_trace *os_trace_open(const struct os_layout *const *layouts, int count,
                               struct error *error);

/* Reads up to ROOM records without waiting. Records of one processor are returned in the
 * order of time; records of different processors are not. Returns the number of records,
 * 0 if there are none at the moment. Only one thread at a time may call this function. */
int os_trace_read(struct os_trace *trace, struct os_trace_record *records, int room);

/* Writes a record of kind OS_TRACE_MARK with the number MARK into the trace. The record
 * names the calling thread. Returns 0, or -1 if that is not possible. */
int os_trace_mark(struct os_trace *trace, uint64_t mark);

/* Returns the number of records that were lost so far because a buffer was full. If the
 * system does not tell how many, the number is too low, but not 0. */
uint64_t os_trace_lost(const struct os_trace *trace);

/* Ends the trace and frees it. TRACE may be NULL. */
void os_trace_close(struct os_trace *trace);

/* Returns the TID of the calling thread, 0 if it is unknown. This is the TID in the
 * thread's own PID namespace, but trace records have the TID in the initial PID
 * namespace. */
int os_thread_number(void);

#endif
