/* The program returns to its caller if a disk stops answering during the requests. */
/* Marks: 18s posix */
#include "returns.h"

/* A server that stops answering while the run goes on. */
#define STOPS .place = PLACE_SERVER, .hang = "hang_all", .when = "request=2 "

/* One that stops reading after some reads, for runs that have no line for each. */
#define READS .place = PLACE_SERVER, .hang = "hang_after=10,hang_file"

/* What bounds a run by its requests, and by its time alone. */
#define TIMEOUT "-w 5 -timeout 2s "
#define BOUND_BY_WORK_TIME .limit = 10, .arguments = "-i 50ms -w 2 -q "

#define STATUS_FAILED 3
#define STATUS_CRITICAL 2 /* of -check */

/* MORE: what stands before the summary besides. */
#define TIMES_OUT(row, options, target, more, needed)                          \
    {                                                                          \
        .name = (row), STOPS, .arguments = TIMEOUT options target,             \
        .status = STATUS_FAILED, .out = TIMED_OUT more SUMMARY_OF(target) "$", \
        .err = "", .need = (needed)                                            \
    }

static const struct row rows[] = {
    TIMES_OUT("reads", "-i 50ms ", "reads", "", NULL),
    TIMES_OUT("a_file", "", "a_file/f", "", NULL),
    {.name = "json",
     .place = PLACE_SERVER,
     .hang = "hang_all",
     .when = "\"request\": 2,",
     .arguments = TIMEOUT "-i 50ms -J json",
     .status = STATUS_FAILED,
     .out = "\"notice\": \"timeout\".*\"failed\": 1,.*\\]\n$",
     .err = ""},
    TIMES_OUT("aio", "-i 50ms -A ", "aio", "", need_aio),
    TIMES_OUT("uring", "-i 50ms -U ", "uring", "", need_uring),
    TIMES_OUT("threads", "-i 50ms -threads 8 ", "threads", ".*", NULL),
    TIMES_OUT("uring_depth", "-i 50ms -U -depth 32 ", "uring_depth", ".*", need_uring),
    TIMES_OUT("aio_depth", "-i 50ms -A -depth 32 ", "aio_depth", ".*", need_aio),
    {.name = "one_of_several",
     STOPS,
     .arguments = TIMEOUT "-i 50ms data one_of_several copy",
     .status = STATUS_FAILED,
     .out = TIMED_OUT ".*" SUMMARY_OF("data") SUMMARY_OF("one_of_several")
         SUMMARY_OF("copy") "\n--- comparison",
     .err = ""},
    {.name = "one_of_several_ignoring_errors",
     STOPS,
     .arguments = TIMEOUT "-i 50ms -E data one_of_several_ignoring_errors copy",
     .status = STATUS_FAILED,
     /* The others go on as long as the run. */
     .out = TIMED_OUT ".*\n--- data [^\n]*\n[^\n]*\n"
                      "[^\n]*generated [0-9]+ requests in ([5-9]|4\\.9).*"
                      "\n--- one_of_several_ignoring_errors [^\n]*\n",
     .err = ""},
    {.name = "threads_ignoring_errors",
     STOPS,
     .arguments = TIMEOUT "-i 50ms -E -threads 8 threads_ignoring_errors",
     .status = STATUS_FAILED,
     .out = TIMED_OUT ".*" TIMED_OUT ".*" SUMMARY_OF("threads_ignoring_errors") "$",
     .err = ""},
    {.name = "second_step",
     .place = PLACE_SERVER,
     .hang = "hang_file",
     .when = "^ *1 ",
     .arguments = "-w 1 -timeout 2s -sweep threads=1..4 second_step",
     .status = STATUS_FAILED,
     .out = "\n--- second_step [^\n]*\n *threads [^\n]*\n +1 [^\n]*\n",
     .err = "second_step|request"},
    {.name = "rapid",
     READS,
     .arguments = TIMEOUT "-R rapid",
     .status = STATUS_FAILED,
     .out = "^" SUMMARY_OF("rapid") "$",
     .err = ""},
    {.name = "exports_to_the_same_disk",
     STOPS,
     .arguments = TIMEOUT "-i 50ms -plot exports_to_the_same_disk/exported.svg "
                          "-prometheus exports_to_the_same_disk/exported.prom "
                          "exports_to_the_same_disk",
     .status = STATUS_FAILED,
     .out = TIMED_OUT SUMMARY_OF("exports_to_the_same_disk") "$",
     .err = ""},
    {.name = "work_time",
     READS,
     BOUND_BY_WORK_TIME "work_time",
     .status = STATUS_FAILED,
     .out = "^" SUMMARY_OF("work_time") "$",
     .err = STILL_WAITING},
    {.name = "check",
     READS,
     .arguments = TIMEOUT "-i 50ms -check check",
     .status = STATUS_CRITICAL,
     .out =
         "^IOPING CRITICAL - check request [0-9]+ failed: no answer for [2-9][.0-9]* s "
         "\\(timeout\\)[^|]* \\| p50=[^|]* failed=1c\n$",
     .err = ""},
    {.name = "check_at_the_end_of_its_time",
     READS,
     .limit = 10,
     .arguments = "-i 50ms -w 2 -hang 1s -check check_at_the_end_of_its_time",
     .status = STATUS_CRITICAL,
     .out = "^IOPING CRITICAL - [^ ]* no answer to 1 request for [^|]* \\| .*=1c\n$",
     .err = STILL_WAITING},
    {.name = "check_of_what_does_not_open",
     .place = PLACE_SERVER,
     .hang = "hang_open",
     .arguments = "-timeout 2s -check check_of_what_does_not_open/f",
     .status = STATUS_CRITICAL,
     .out = "^IOPING CRITICAL - [^ ]*/f: still not ready after [2-9][.0-9]* s\n$",
     .err = ""},
    {.name = "work_time_with_a_shorter_hang",
     READS,
     .arguments = "-i 50ms -w 2 -q -hang 1s work_time_with_a_shorter_hang",
     .limit = 5,
     .status = STATUS_FAILED,
     .out = "^" SUMMARY_OF("work_time_with_a_shorter_hang") "$",
     .err = "has had no answer for .*" STILL_WAITING},
    {.name = "work_time_without_hang",
     READS,
     BOUND_BY_WORK_TIME "-hang 0 work_time_without_hang",
     .status = STATUS_FAILED,
     .out = "^" SUMMARY_OF("work_time_without_hang") "$",
     .err = STILL_WAITING},
    {.name = "work_time_of_threads",
     READS,
     BOUND_BY_WORK_TIME "-threads 8 work_time_of_threads",
     .status = STATUS_FAILED,
     .out = "^" SUMMARY_OF("work_time_of_threads") "$",
     .err = STILL_WAITING},
    {.name = "work_time_of_a_queue",
     READS,
     BOUND_BY_WORK_TIME "-U -depth 32 work_time_of_a_queue",
     .status = STATUS_FAILED,
     .out = "^" SUMMARY_OF("work_time_of_a_queue") "$",
     .err = STILL_WAITING,
     .need = need_uring},
    {.name = "frozen_ext4",
     .place = PLACE_EXT4,
     .when = "request=2 ",
     .arguments = TIMEOUT "-i 50ms -W frozen_ext4",
     .status = STATUS_FAILED,
     .out = TIMED_OUT SUMMARY_OF("frozen_ext4") "$",
     .err = ""},
    {.name = "work_time_on_frozen_ext4",
     .place = PLACE_EXT4,
     .when = "request=2 ",
     .limit = 10,
     .arguments = "-i 50ms -w 2 -W work_time_on_frozen_ext4",
     .status = STATUS_FAILED,
     .out = "\n" SUMMARY_OF("work_time_on_frozen_ext4") "$",
     .err = STILL_WAITING},
    {.name = "frozen_ext4_with_exports",
     .place = PLACE_EXT4,
     .when = "request=2 ",
     .arguments = TIMEOUT "-i 50ms -W -plot frozen_ext4_with_exports/exported.svg "
                          "-prometheus frozen_ext4_with_exports/exported.prom "
                          "frozen_ext4_with_exports",
     .status = STATUS_FAILED,
     .out = TIMED_OUT SUMMARY_OF("frozen_ext4_with_exports") "$",
     .err = ""},
    {.name = "frozen_xfs",
     .place = PLACE_XFS,
     .when = "request=2 ",
     .arguments = TIMEOUT "-i 50ms -W frozen_xfs",
     .status = STATUS_FAILED,
     .out = TIMED_OUT SUMMARY_OF("frozen_xfs") "$",
     .err = ""},
};

GROUP_SETUP(make_files)
AT_START(add_rows, returns_add(rows, LENGTH(rows)))
