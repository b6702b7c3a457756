#ifndef RUN_RECORDS_H
#define RUN_RECORDS_H

/* The records of a trace, for the splitter and the matcher. */

#include "os/trace.h"

#include <stdbool.h>
#include <stdint.h>

/* Where records come from: the functions of os/trace.h, or those of a test. */
struct splitter_source {
    int (*read)(void *self, struct os_trace_record *records, int room);
    int (*mark)(void *self, uint64_t mark);
    void *self;
};

/* A record of the trace. */
struct record {
    struct os_trace_record trace;
    enum { RECORD_UNUSED, RECORD_TAKEN, RECORD_USED } use;
};

#define RECORD_THREADS (1 << 22) /* of a system, numbered from 0 */

/* The records so far, in the order of time: RECORD_USED are those of requests that are
 * split, RECORD_TAKEN those of one that is being so. */
struct records {
    struct splitter_source source;
    struct record *list;
    int count;
    unsigned char *own;              /* a bit for each thread of this program */
    struct attribution *attribution; /* what matcher_split works with */
};

/* Returns whether THREAD, as in os_trace_record, is among OWN of struct records. */
static inline bool
records_is_own(const unsigned char *own, int thread)
{
    return thread >= 0 && thread < RECORD_THREADS &&
           (own[thread / 8] >> thread % 8 & 1) != 0;
}

/* Adds THREAD to those of this program. */
void records_add_own(struct records *records, int thread);

/* Prepares RECORDS for those of SOURCE. Returns 0, or -1 without memory;
 * either way records_close frees it. */
int records_open(struct records *records, const struct splitter_source *source);
void records_close(struct records *records);

/* Reads all new records. If there are too many, those that were used go first. */
void records_read(struct records *records);

/* Returns the index of the first of COUNT records at TIME (ns) or later. */
int records_find(const struct records *records, int count, int64_t time);

#endif
