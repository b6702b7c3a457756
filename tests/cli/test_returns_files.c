/* The program returns to its caller if something other than a request hangs: a target
 * that is opened, filled, flushed or closed, a name in the mount table, or an exported
 * file. */
/* Marks: 26s */
#include "returns.h"

#define TIMEOUT "-w 5 -timeout 2s -i 50ms "

enum { STATUS_PREPARE = 2, STATUS_FAILED = 3 };

/* The preparing hangs, so there are no requests. */
#define NOT_PREPARED(target)                                                      \
    .status = STATUS_PREPARE, .out = "^$",                                        \
    .err = "^(ioping: " target ": not ready after [0-9.]+ m?s\n)*ioping: " target \
           ": (still )?not ready after [0-9.]+ m?s\n$"

#define HANGS(what) .place = PLACE_SERVER, .hang = "hang_" what
#define UNPREPARED(row, what, options, target)                           \
    {                                                                    \
        .name = (row), HANGS(what), .arguments = TIMEOUT options target, \
        NOT_PREPARED(target)                                             \
    }
#define BEGINS .when = "request=2 "

/* A healthy target whose exported files cannot be written any more: it goes on until the
 * end of its time. */
#define EXPORTS(file)                                                                \
    BEGINS, .status = STATUS_FAILED, .err = "ioping: " file ": ",                    \
            .out = "\n--- data \\([^\n]*\n[^\n]*\n"                                  \
                   "generated [0-9]+ requests in (4\\.[5-9][0-9]*|[5-9][.0-9]*) s, " \
                   "[^\n]*\nmin/avg/max/mdev = [^\n]*\n$"

static const struct row rows[] = {
    UNPREPARED("lookup", "getattr", "", "lookup/f"),
    UNPREPARED("open", "open", "", "open/f"),
    {.name = "open_within_the_work_time",
     HANGS("open"),
     .arguments = "-w 2 open_within_the_work_time/f",
     NOT_PREPARED("open_within_the_work_time/f")},
    UNPREPARED("open_of_the_second_target", "open", "data ",
               "open_of_the_second_target/f"),
    UNPREPARED("statfs", "statfs", "", "statfs/f"),
    UNPREPARED("creation", "create", "", "creation"),
    UNPREPARED("creation_of_a_kept_file", "create", "-k ", "creation_of_a_kept_file"),
    UNPREPARED("filling", "write", "", "filling"),
    UNPREPARED("filling_a_kept_file", "write", "-k ", "filling_a_kept_file"),
    UNPREPARED("flush_of_the_filling", "fsync", "", "flush_of_the_filling"),
    UNPREPARED("flush_of_a_kept_file", "fsync", "-k -W ", "flush_of_a_kept_file"),
    UNPREPARED("reads_of_the_opening", "file", "", "reads_of_the_opening/f"),
    {.name = "writes",
     HANGS("write"),
     BEGINS,
     .arguments = TIMEOUT "-W writes",
     .status = STATUS_FAILED,
     .out = TIMED_OUT SUMMARY_OF("writes") "$",
     .err = ""},
    {.name = "flushes",
     HANGS("fsync"),
     BEGINS,
     .arguments = TIMEOUT "-W flushes",
     .status = STATUS_FAILED,
     .out = TIMED_OUT SUMMARY_OF("flushes") "$",
     .err = ""},
    {.name = "flushes_of_a_queue",
     HANGS("fsync"),
     BEGINS,
     .arguments = TIMEOUT "-U -depth 32 -W flushes_of_a_queue",
     .status = STATUS_FAILED,
     .out = TIMED_OUT ".*" SUMMARY_OF("flushes_of_a_queue") "$",
     .err = "",
     .need = need_uring},
    {.name = "look_for_holes",
     HANGS("lseek"),
     BEGINS,
     .arguments = "-c 5 -timeout 2s -i 200ms look_for_holes/f",
     .out = "request=5 [^\n]*\n" SUMMARY_OF("look_for_holes/f") "$",
     .err = "^$"},
    {.name = "close",
     HANGS("flush"),
     BEGINS,
     .arguments = "-w 2 -timeout 2s -i 50ms close/f",
     .status = STATUS_PREPARE,
     .out = SUMMARY_OF("close/f") "$",
     .err = "ioping: close/f: (still )?not ready after [0-9.]+ m?s, while closing it\n"},
    {.name = "close_within_the_work_time",
     HANGS("flush"),
     BEGINS,
     .arguments = "-w 1 -hang 2s -i 50ms close_within_the_work_time/f",
     .status = STATUS_PREPARE,
     .out = SUMMARY_OF("close_within_the_work_time/f") "$",
     .err = "ioping: close_within_the_work_time/f: (still )?not ready after"},
    {.name = "close_in_a_directory",
     HANGS("flush"),
     BEGINS,
     .arguments = "-w 2 -timeout 2s -i 50ms -W close_in_a_directory",
     .status = STATUS_PREPARE,
     .out = SUMMARY_OF("close_in_a_directory") "$",
     .err = "ioping: close_in_a_directory: (still )?not ready after [0-9.]+ m?s, while "
            "closing it\n"},
    {.name = "mount_table",
     .place = PLACE_NAMED,
     .hang = "hang_getattr",
     .arguments = TIMEOUT "mount_table_named/f",
     NOT_PREPARED("mount_table_named/f")},
    {.name = "mount_table_with_metrics",
     .place = PLACE_NAMED,
     .hang = "hang_getattr",
     .arguments =
         TIMEOUT "-prometheus exported.prom data mount_table_with_metrics_named/f",
     NOT_PREPARED("mount_table_with_metrics_named/f")},
    {.name = "mount_table_with_a_directory",
     .place = PLACE_NAMED,
     .hang = "hang_all",
     .arguments = TIMEOUT "mount_table_with_a_directory_named",
     NOT_PREPARED("mount_table_with_a_directory_named")},
    {.name = "metrics",
     HANGS("all"),
     EXPORTS("metrics/exported.prom"),
     .arguments = TIMEOUT "-prometheus metrics/exported.prom data"},
    {.name = "flush_of_metrics",
     HANGS("fsync"),
     EXPORTS("flush_of_metrics/exported.prom"),
     .arguments = TIMEOUT "-prometheus flush_of_metrics/exported.prom data"},
    {.name = "plot",
     HANGS("all"),
     EXPORTS("plot/exported.svg"),
     .arguments = TIMEOUT "-plot plot/exported.svg data"},
    {.name = "output_open",
     HANGS("open"),
     .arguments = TIMEOUT "-output output_open/f data",
     NOT_PREPARED("output_open/f")},
    {.name = "output_write",
     HANGS("write"),
     BEGINS,
     .arguments = "-w 2 -timeout 2s -i 50ms -JJ -output output_write/f data",
     .status = STATUS_FAILED,
     .out = "request=2 ",
     .err = "^ioping: output_write/f: accepts no more data; given up\n$"},
    {.name = "output_close",
     HANGS("flush"),
     BEGINS,
     .arguments = "-w 2 -timeout 2s -i 50ms -JJ -output output_close/f data",
     .status = STATUS_FAILED,
     .out = SUMMARY_OF("data") "$",
     .err = "^ioping: output_close/f: accepts no more data; given up\n$"},
    {.name = "metrics_on_frozen_ext4",
     .place = PLACE_EXT4,
     EXPORTS("metrics_on_frozen_ext4/exported.prom"),
     .arguments = TIMEOUT "-prometheus metrics_on_frozen_ext4/exported.prom data"},
    {.name = "plot_on_frozen_ext4",
     .place = PLACE_EXT4,
     EXPORTS("plot_on_frozen_ext4/exported.svg"),
     .arguments = TIMEOUT "-plot plot_on_frozen_ext4/exported.svg data"},
    {.name = "exports_on_frozen_xfs",
     .place = PLACE_XFS,
     EXPORTS("exports_on_frozen_xfs/exported.(svg|prom)"),
     .arguments = TIMEOUT "-plot exports_on_frozen_xfs/exported.svg "
                          "-prometheus exports_on_frozen_xfs/exported.prom data"},
};

GROUP_SETUP(make_files)
AT_START(add_rows, returns_add(rows, LENGTH(rows)))
