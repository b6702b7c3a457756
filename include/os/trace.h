#ifndef OS_TRACE_H
#define OS_TRACE_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * What the system records of the requests that reach a device: where a file lies on which
 * device, and a trace of the block layer. Errors are filled with exit status and advice;
 * where the system has no such thing, both functions that open fail. Sectors have 512
 * bytes.
 */

struct os_extent {
    int64_t offset, length; /* bytes of the file */
    uint64_t sector;        /* where it begins */
};

/* Returns the first of COUNT extents, in ascending order, that ends above OFFSET. */
static inline int
os_extent_find(const struct os_extent *extents, int count, int64_t offset)
{
    int low = 0, high = count;
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

/* A device whose records matter. */
struct os_layout_device {
    uint64_t number; /* as in os_trace_record */
    uint64_t disk;   /* that of the disk if it is a partition, else its own */
    uint64_t start;  /* the first sector of a partition on its disk; else 0 */
    bool lowest;     /* requests are issued to it, or to its disk */
    bool above;      /* a loop device whose requests become others below: only what is
                        queued on it, and what completes, is recorded */
    bool bio_based;  /* it has no queue of its own: what is queued on it completes as
                        OS_TRACE_BIO_COMPLETE */
};

/* Where a range of a file or device lies. Extents ascend, and what lies between them is
 * on no device. Sectors are those of the disk of the first device, which may be a
 * partition. */
struct os_layout {
    struct os_layout_device devices[OS_LAYOUT_DEVICES];
    int device_count;
    struct os_extent *extents;
    int extent_count;
    struct os_extent *upper; /* likewise on the last device, if that is above */
    int upper_count;
    int top;         /* index of the device that the file is on */
    uint64_t shift;  /* sectors: what is queued on that device completes as an I/O of one
                        below, this many sectors further; 0: as its own */
    bool known;      /* where it lies is; else there are no extents */
    bool remapped;   /* the first device is made of others, see OS_TRACE_REMAP */
    bool is_stacked; /* the device that the file is on is not the lowest */
    char name[64];   /* path of the device that the file is on, such as /dev/vda */
    char legs[512];  /* what that is made of, such as "raid1: /dev/vdb, /dev/vdc"; empty
                        unless it is a stack */
};

/* Finds the lowest devices that requests for a range of open file FD go to. LAYOUT is all
 * 0 before, and os_layout_free frees it. Returns 0, or -1 with ERROR, whose `what` is
 * PATH: there is none, or it is made of others in a way that cannot be followed. */
int os_layout_find(int fd, const char *path, int64_t offset, int64_t length,
                   struct os_layout *layout, struct error *error);
void os_layout_free(struct os_layout *layout);

enum os_trace_kind {
    OS_TRACE_QUEUE,        /* an I/O of a file system or program enters the block layer */
    OS_TRACE_REMAP,        /* it goes on to another device */
    OS_TRACE_ISSUE,        /* a request is sent to the device */
    OS_TRACE_REQUEUE,      /* it comes back into the queue without being done */
    OS_TRACE_COMPLETE,     /* it, or a part of it, is done */
    OS_TRACE_MARK,         /* os_trace_mark; its number is that of the sector */
    OS_TRACE_BIO_COMPLETE, /* an I/O, or a part of it, is done that was queued on a device
                              without a queue of its own */
    OS_TRACE_REQUEST_REMAP, /* the system's event, whose records are OS_TRACE_REMAP: a
                               whole request goes on to another device */
};

struct os_trace_record {
    int64_t time; /* monotonic, ns */
    uint64_t device, sector, sectors;
    uint64_t old_device, old_sector; /* of a remap: where it comes from */
    int thread; /* that was running, or for which one of io_uring does; as the first
                   PID namespace numbers them */
    enum os_trace_kind kind;
    bool kernel; /* of a queue: it comes from a thread of the kernel */
    bool flush;  /* it empties the device's cache, and moves no data */
    bool write;
};

struct os_trace;

/* Starts a trace of the devices of COUNT layouts, which holds all records from now on
 * until they are read, as far as there is room. The system removes what it takes when the
 * process ends, however that comes about. Returns NULL with ERROR. */
struct os_trace *os_trace_open(const struct os_layout *const *layouts, int count,
                               struct error *error);

/* Reads up to ROOM records, without a wait; those of one processor are in the order of
 * time, those of several are not. Returns how many; 0: there are no more now. One thread
 * at a time. */
int os_trace_read(struct os_trace *trace, struct os_trace_record *records, int room);

/* Makes a record of the calling thread with the number MARK: 0; -1: there is none. */
int os_trace_mark(struct os_trace *trace, uint64_t mark);

/* Returns how many records have been lost so far for want of room, as far as is known. */
uint64_t os_trace_lost(const struct os_trace *trace);

/* Ends the trace. NULL is allowed. */
void os_trace_close(struct os_trace *trace);

/* Returns the number of the calling thread in its own PID namespace; 0: not known. */
int os_thread_number(void);

#endif
