#ifndef RUN_ATTRIBUTION_H
#define RUN_ATTRIBUTION_H

#include "splitter.h"

/*
 * Attribution: which of the block requests that a trace has for the sectors of a request
 * are its own, and so when these were at a device. The matcher says which sectors they
 * are, and gathers the records that touch them.
 */

#define ATTRIBUTION_RECORDS 8192
#define ATTRIBUTION_INTERVALS 2048

/* Sectors of a disk. */
struct range {
    uint64_t disk, sector, sectors;
};

/* A record that touches the sectors. */
struct candidate {
    struct record *record;
    uint64_t disk; /* that its device is, or is on */
};

/* What is known of one request, and room to find it out; too large for a stack. */
struct attribution {
    int thread;               /* that sends the request */
    const unsigned char *own; /* likewise each of this program, see records_is_own */
    bool direct;              /* it asks the device for all that is not a hole */
    bool lower;               /* threads of the kernel queue it, whoever asks for it; */
    bool foreign;             /* others do ask for it */
    enum os_trace_kind entry; /* how block requests begin: queued, or handed on */
    bool all;                 /* records of long before are among the candidates */
    int count, first;         /* candidates; the first of them within the request */
    int64_t queued, released; /* when its first block request was queued by its own
                                 thread, and by the kernel; INT64_MAX: none was */
    int interval_count;
    struct candidate candidates[ATTRIBUTION_RECORDS]; /* in the order of time */
    struct breakdown_interval intervals[ATTRIBUTION_INTERVALS];
};

/*
 * Finds the block requests for RANGE that are the request's own, and adds their times.
 * What of RANGE was not queued needs no device. Returns SPLIT_DONE; SPLIT_LOST: records
 * are missing; SPLIT_SHARED: it is not certain which are its own, and unless there are
 * ALL candidates, these may tell.
 */
enum split_result attribution_add(struct attribution *attribution,
                                  const struct range *range);

/* Marks the records that were found as used if the request IS_SPLIT, else as before. */
void attribution_end(struct attribution *attribution, bool is_split);

#endif
