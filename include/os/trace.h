#ifndef OS_TRACE_H
#define OS_TRACE_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Block tracing: where a file lies on which device (a layout), and the system's records
 * of requests that reach that device (a trace). Functions that fail fill a struct error
 * with the exit status and an advice; on systems without block tracing both
 * os_layout_find and os_trace_open fail. A sector has 512 bytes everywhere.
 */

struct os_extent {
    int64_t offset, length; /* of the file, in bytes */
    uint64_t sector;        /* on the disk: where the extent begins */
};

/* Returns the index of the first of COUNT extents, in ascending order, that ends after
 * OFFSET; COUNT if all end before. */
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

#define OS_LAYOUT_DEVICES 16

/* A device whose trace records matter for a layout. */
struct os_layout_device {
    uint64_t number; /* device number, as in os_trace_record */
    uint64_t disk;   /* number of the whole disk, of which this may be a partition */
    uint64_t
        start_sector; /* first sector of a partition on its disk; 0 for a whole disk */
    bool is_bottom;   /* the kernel sends requests to this device, or to its disk */
    /* a loop device whose requests become requests of the device below; only events of
     * kind QUEUE and COMPLETE are recorded */
    bool is_loop;
    /* the device has no request queue: an I/O that is queued on it completes as
     * OS_TRACE_BIO_COMPLETE */
    bool is_bio_based;
};

/*
 * Where a range of a file or of a device lies.
 *
 * Without a loop device: devices[0] is the device that the file is on, so `top` is 0. The
 * devices that it consists of follow. The extents are on devices[0].
 *
 * With a loop device that uses direct I/O: devices[0] is the device that holds the file
 * of the loop device, and the devices that it consists of follow. The loop device is the
 * last one, and `top` is its index. The extents are on devices[0], and `upper` has the
 * extents on the loop device.
 *
 * Extents are in ascending order; gaps between them are on no device. Sectors are those
 * of the disk of devices[0], even if devices[0] is a partition.
 */
struct os_layout {
    struct os_layout_device devices[OS_LAYOUT_DEVICES];
    int device_count;
    struct os_extent *extents; /* on devices[0] */
    int extent_count;
    struct os_extent *loop_extents; /* on the loop device; NULL without one */
    int loop_extent_count;
    int top_index; /* index of the device that the file is on */
    /* In sectors. An I/O that is queued on devices[top] completes as an I/O of the device
     * below, this many sectors further. 0: it completes as its own. */
    uint64_t completion_shift;
    bool extents_known; /* the extents are known; if false, there are none */
    bool is_remapped;   /* devices[0] consists of other devices, see OS_TRACE_REMAP */
    bool is_stacked;    /* the device that the file is on is not the lowest */
    char name[64];      /* path of the device that the file is on, such as /dev/vda */
    char members[512];  /* of a stack: "raid1: /dev/vdb, /dev/vdc"; else empty */
};

/*
 * Finds the lowest devices that receive requests for a range of the open file FD. OFFSET
 * and LENGTH are in bytes. LAYOUT is all zero before the call; the caller frees it with
 * os_layout_free. Returns 0, or -1 with ERROR, whose `what` is PATH: there is no block
 * device, or its stack cannot be followed.
 */
int os_layout_find(int fd, const char *path, int64_t offset, int64_t length,
                   struct os_layout *layout, struct error *error);

/* Frees the extents of LAYOUT. */
void os_layout_free(struct os_layout *layout);

/* Events in the life of an I/O. An I/O ("bio") of a file system or a program enters the
 * block layer, may be remapped from device to device, and becomes a request, or a part of
 * one, which the driver sends to the device. */
enum os_trace_kind {
    OS_TRACE_QUEUE,    /* an I/O of a file system or program enters the block layer */
    OS_TRACE_REMAP,    /* an I/O moves on to another device */
    OS_TRACE_ISSUE,    /* a request is sent to the device */
    OS_TRACE_REQUEUE,  /* a request returns to the queue without being done */
    OS_TRACE_COMPLETE, /* a request, or a part of it, is done */
    OS_TRACE_MARK, /* written by os_trace_mark; `sector` holds the number of the mark */
    /* an I/O, or a part of it, is done that was queued on a device without a request
     * queue */
    OS_TRACE_BIO_COMPLETE,
    /* only as an event of the system: a whole request moves on to another device. Its
     * records have the kind OS_TRACE_REMAP. */
    OS_TRACE_REQUEST_REMAP,
};

struct os_trace_record {
    int64_t time; /* in ns, monotonic */
    uint64_t device, sector, sector_count;
    uint64_t old_device, old_sector; /* of a remap: where the I/O comes from */
    /* TID of the running thread, in the initial PID namespace. For a worker of io_uring:
     * the TID of the thread that the worker serves. */
    int thread;
    enum os_trace_kind kind;
    bool by_kernel; /* of a queue event: a kernel thread queued the I/O */
    bool is_flush;  /* the request empties the device's cache and moves no data */
    bool is_write;
};

struct os_trace;

/*
 * Starts a trace of the devices of COUNT layouts. The system keeps all records from now
 * on until they are read, as long as its buffers have room. Everything that the trace
 * takes of the system is removed when the process ends, however it ends. Returns NULL
 * with ERROR.
 */
struct os_trace *os_trace_open(const struct os_layout *const *layouts, int count,
                               struct error *error);

/* Reads up to ROOM records without waiting. Records of one processor are in the order of
 * time, but those of different processors are not. Returns the number of records, 0 if
 * there are no more now. One thread at a time. */
int os_trace_read(struct os_trace *trace, struct os_trace_record *records, int room);

/* Adds a record of kind OS_TRACE_MARK with the number MARK, in the name of the calling
 * thread. Returns 0, or -1 if no mark could be made. */
int os_trace_mark(struct os_trace *trace, uint64_t mark);

/* Returns the number of records that were lost so far because a buffer was full, as far
 * as known. */
uint64_t os_trace_lost(const struct os_trace *trace);

/* Ends the trace and frees it. NULL is allowed. */
void os_trace_close(struct os_trace *trace);

/* Returns the TID of the calling thread in its own PID namespace, 0 if unknown. */
int os_thread_number(void);

#endif
