/* The answers of -diagnose about storage whose behaviour is known: servers with delays,
 * limits of control groups, memory, loop devices and failures. */
/* Marks: 80s linux native */
#include "support.h"

#define TIME "[0-9.]+ [num]?s"

GROUP_SETUP(make_files)
GROUP_TEARDOWN(unmount_all)

/* Lines for people; JSON is for programs. */
TEST(no_line_is_wider_than_80_columns)
{
    expect(0, "", NULL,
           "mkdir -p sub && wide -w 1s -slo p99=10ms -slo sync-p99.9=10ms sub && "
           "wide -w 300ms data && wide -w 300ms /dev/zero && wide -w 300ms /dev/null");
}

/* The reads that can be made in a time tell how long the pauses are. */
TEST(the_pause_is_10_ms_for_any_work_time)
{
    expect(-1, "~ reads of 4 KiB, (at most )?one every 10 ms\\)\n", NULL,
           "ioping -hang 0 -diagnose -w 500ms data");
    expect(-1, "~ reads of 4 KiB, (at most )?one every 10 ms\\)\n", NULL,
           "ioping -hang 0 -diagnose -w 3s data");
    need("jq");
    expect(-1, "true\n", NULL, "facts '.idle.count <= 30' -w 1s data");
}

/* Each member that ioping-output(5) names, and no other one. */
TEST(json_has_the_members_of_the_manual)
{
    need("jq");
    expect(0, "", NULL, "documented d");
    expect(0, "", NULL, "documented data");
    need_success("[ \"$(stat -f -c %T /dev/shm)\" = tmpfs ]",
                 "needs a tmpfs at /dev/shm");
    expect(0, "", NULL, "documented /dev/shm");
}

/* The findings follow from the figures that the same run prints. */
TEST(findings_agree_with_the_figures)
{
    need("jq");
    expect(0,
           "[true,true,true,true,true,true,true,true,true,true,true,true]\n"
           "[true,true,true,true,true,true,true,true,true,true,true,true]\n",
           "", "recomputed");
}

TEST(text_begins_with_the_answer_and_ends_with_a_command)
{
    expect(-1,
           "~^(This|Slow:|Cannot tell:) [^\n]*(\n    [^\n]*)*\\.\n\n"
           "target     d: directory on [^\n]*\n"
           "(           [^\n]*\n)?"
           "disk       [^\n]*\n"
           "(.*\n)?\n"
           "idle       p50 " TIME ", .*\n"
           "knee       .*\n"
           "stream     .*\n"
           "flush      .*\n"
           "time       .*\n\n"
           "etcd          (OK|FAIL|UNKNOWN) .*\n"
           "database log  (OK|FAIL|UNKNOWN) .*\n"
           "desktop       (OK|FAIL|UNKNOWN) .*\n"
           "streaming     (OK|FAIL|UNKNOWN) .*\n\n"
           "(not known  .*\n)?"
           "try        (ioping|iotop|cat|losetup|ping) [^\n]*\n$",
           NULL, "ioping -hang 0 -diagnose -w 1s d");
}

/* The file and its folder look the same afterwards. */
TEST(nothing_is_changed_or_left)
{
    expect(0, "", NULL,
           "ioping -diagnose -w 500ms data >/dev/null; ioping -diagnose -w 500ms d "
           ">/dev/null; cmp data copy && ls d");
}

TEST(memory_is_called_memory)
{
    need_success("[ \"$(stat -f -c %T /dev/shm)\" = tmpfs ]",
                 "needs a tmpfs at /dev/shm");
    expect(0, "~^This tmpfs is memory, not a disk \\(p50 " TIME ", p99 " TIME "\\)\\.\n$",
           NULL, "sentence_of_enough 4 /dev/shm");
}

TEST(few_slots_are_counted)
{
    need("jq");
    serve("delay_us=16000,slots=4");
    expect(0, "[\"unknown\",\"hidden\",4]\n", NULL,
           "facts '[.state, .cause, .slots]' -w 12s fs/f");
    expect(0,
           "~^\"Cannot tell: a file system of type fuse[^ ]* does not say where its data "
           "is \\(p50 " TIME "[^)]*\\); with more than about 4 in flight, reads only "
           "wait\\.\"\n$",
           NULL, "jq '.[0].diagnosis.answer' o");
}

TEST(a_delay_is_measured_and_no_class_is_claimed)
{
    need("jq");
    serve("delay_us=69000");
    expect(0, "[\"unknown\",\"unknown\",\"hidden\",true]\n", NULL,
           "facts '[.state, .class, .cause, .idle.p50 >= 69000000]' -w 4s fs/f");
}

TEST(a_slow_flush_is_the_cause)
{
    serve("delay_fsync_us=50000");
    expect(5, "~^Slow: a flush takes " TIME " \\(p50\\), but a read only " TIME "\\.\n$",
           NULL, "sentence -w 12s fs");
}

TEST(sleep_after_pauses_is_the_cause)
{
    serve("idle_ms=2,idle_us=5000"); /* shorter than a pause, so that each read waits */
    expect(5,
           "~^Slow: reads take " TIME " \\(p50\\) after a pause, but " TIME
           " back to back: something falls asleep between requests\\.\n$",
           NULL, "sentence -w 20s fs/f");
}

TEST(a_failed_read_is_the_answer)
{
    serve("fail_every=50");
    expect(3, "~^Failing: request [0-9]+ failed: EIO \\(Input/output error\\)\\.\n$",
           NULL, "sentence -w 2s fs/f");
    expect(-1, "~^Failing: request ", NULL, "sentence -E -w 2s fs/f");
}

TEST(a_limit_of_a_control_group_is_the_cause)
{
    need("jq");
    expect(5,
           "~^\\[\"slow\",\"limit\",60\\]\n"
           "Slow: reads wait TIME (in the queue )?because of the cgroup limit "
           "/ioping-[0-9]+ \\(60 reads/s\\)\\.\n$",
           NULL, "limited 60");
}

static const struct {
    const char *target, *message;
} unsuitable[] = {
    {"missing",
     "No such file or directory; name a directory, file or device that exists"},
    {"locked", "Permission denied; name a file that you may read, or run ioping as root"},
    {"closed/data",
     "Permission denied; name a file that you may read, or run ioping as root"},
    {"unwritable", "cannot create a temporary file here: Permission denied; name an "
                   "existing file in it instead"},
    {"empty", "request size is too big for this target: the file is empty; name a file "
              "that has data, or a directory"},
    {"/proc/version",
     "request size is too big for this target: the file is empty; name a "
     "file that has data, or a directory"},
    {"/proc", "not storage: the kernel generates its contents; name a directory on a "
              "disk"},
    {"fifo", "unsupported destination; name a directory, file or device"},
};

/* Root may do all, so it becomes somebody else. */
TEST(a_refusal_says_what_to_do_next)
{
    need_bound();
    shell("cp data locked; chmod 000 locked; mkdir unwritable; chmod 555 unwritable; "
          "mkdir closed; cp data closed; chmod 000 closed; : >empty; mkfifo fifo");
    for (size_t i = 0; i < LENGTH(unsuitable); i++) {
        struct result result = command("as_user $IOPING_RUNNER \"$IOPING\" -diagnose %s",
                                       unsuitable[i].target);
        assert_string_equal(
            result.err,
            formatted("ioping: %s: %s\n", unsuitable[i].target, unsuitable[i].message));
        assert_int_equal(result.status, 2);
        command_free(&result);
    }
    shell("chmod -R u+rwX closed unwritable locked");
}

/* It is opened, but has nothing to read. */
TEST(the_null_device_is_no_disk)
{
    expect(3,
           "~^Failing: request 1 failed: short \\(0 of 4096 bytes\\), and a character "
           "device is no\n    disk\\.\n.*\ntry        ioping -diagnose /var/tmp\n$",
           NULL, "ioping -hang 0 -diagnose -w 500ms /dev/null");
}

TEST(a_loop_device_may_answer_from_the_page_cache)
{
    need_loops();
    expect(0,
           "Cannot tell: the page cache answers, not the disk.\n"
           "try        losetup --direct-io=on DEVICE\n",
           NULL, "on_loop off");
    expect(-1, "~^(This|Slow:|Cannot tell: [^t])", NULL, "on_loop on");
}

/* The times of holes say nothing about a disk, also through a loop device. */
TEST(a_loop_device_may_have_holes)
{
    need_loops();
    expect(-1,
           "Cannot tell: 100 % of the loop device's file are holes, which touch no "
           "device.\n",
           "", "on_sparse_loop");
    expect(0,
           "~\n *(not known +)?holes in the file of the loop device, which touch no "
           "device\n$",
           "", "on_sparse_loop rm");
}

TEST(limits_are_on_the_part_that_has_the_figure)
{
    expect(5,
           "~\nmax < 1 ns: FAIL \\(" TIME "\\)\n"
           "sync-max < 1 hour: OK \\(" TIME "\\)\n$",
           NULL, "report_of_flushes -slo sync-max=1hour -slo max=1ns d");
    expect(5, NULL, "~\nioping: max < 1 ns: FAIL \\(" TIME "\\)\n$|^ioping: max < 1 ns",
           "ioping -diagnose -w 1s -slo max=1ns -J data");
}

TEST(a_limit_on_something_that_was_not_measured_is_unknown)
{
    expect(
        5,
        "~\nsync-p99 < 1 us: UNKNOWN: flushes are measured in directories only; name a\n"
        "    directory\n$",
        NULL, "ioping -hang 0 -diagnose -w 500ms -slo sync-p99=1us data");
    expect(5,
           "~\"name\": ?\"sync-p99\",[ \n]*\"limit\": ?1000,[ \n]*\"count\": ?0,[ \n]*"
           "\"met\": ?null,[ \n]*\"certain\": ?false[ \n]*\\}",
           NULL, "ioping -hang 0 -diagnose -w 500ms -slo sync-p99=1us -J data");
}

/* The figures of the uses would be those of memory. */
TEST(holes_and_zeros_suit_no_use)
{
    expect(-1,
           "~\ndesktop       UNKNOWN  reads of holes touch no device\n"
           "streaming     UNKNOWN  reads of holes touch no device\n",
           NULL, "truncate -s 64M holes; ioping -hang 0 -diagnose -w 500ms holes");
    expect(-1,
           "~\ndesktop       UNKNOWN  a character device is no disk\n"
           "streaming     UNKNOWN  a character device is no disk\n",
           NULL, "ioping -hang 0 -diagnose -w 500ms /dev/zero");
}

TEST(a_diagnosis_that_is_too_short_says_so)
{
    expect(0, "~^Cannot tell: only [0-9]+ reads? counts?, too few for p99\\.\n",
           "~^([^\n]*use a longer -w\n)*$", "ioping -hang 0 -diagnose -w 10ms d");
    expect(0,
           "~^Cannot tell: only [0-9]+ reads? counts?, too few for p99\\.\n.*"
           "\ntry        ioping (-diagnose|-diagnose -w [0-9]+m|-c 3) data\n$",
           NULL, "ioping -hang 0 -diagnose -w 500ms data");
}

TEST(an_interrupted_diagnosis_says_so)
{
    serve("delay_us=100");
    expect(5,
           "~^Cannot tell: interrupted after [0-9.]+ m?s\\.\n"
           ".*\nknee       unknown: the run was interrupted\n"
           "stream     unknown: the run was interrupted\n"
           ".*\ndesktop       UNKNOWN  the run was interrupted\n"
           ".*\nnot known  everything after the interruption\n"
           ".*\ntry        ioping -diagnose fs\n"
           "sync-p99 < 1 us: UNKNOWN: -diagnose ended before it measured flushes; let "
           "it run\n    to its end\n$",
           "~interrupt|^$", "interrupted");
}

/* The picture and the JSON of one run have the same figures. */
TEST(a_picture_has_the_figures_of_the_json)
{
    need("jq");
    expect(0, "figures\nuses\nanswer\nknee\n", "", "drawn_and_printed d");
    expect(0, "figures\nuses\nanswer\nknee\n", "", "drawn_and_printed data");
    expect(0, "measured in directories only\n", "", "panel_texts");
}

TEST(a_picture_of_an_interrupted_diagnosis_has_what_was_measured)
{
    serve("delay_us=100");
    expect(0,
           "~^(interrupted before this part\n){2,3}"
           "1\nidle reads\n$",
           NULL, "interrupted_picture");
}

TEST(a_picture_of_a_failing_disk_shows_the_failure)
{
    serve("fail_every=50");
    expect(3,
           "a request failed before this part\n"
           "a request failed before this part\n"
           "measured in directories only\n"
           "1\n1\n",
           NULL, "failing_picture");
}

TEST(a_picture_may_go_to_standard_output)
{
    expect(0, "<!-- ioping -->\n4\n1\n", NULL, "picture_on_stdout");
}

static const struct variant refused[] = {
    {"data copy", 1, "",
     "ioping: -diagnose: works with one target only; run it once for each target\n"},
    {"-w 0 data", 1, "",
     "ioping: -work-time: -diagnose needs an end; give more than 0\n"},
    {"-slo device-p99=1ms data", 1, "",
     "ioping: -slo: device-p99 is about a part of the time, which -diagnose may not "
     "know; "
     "leave out the prefix to limit the whole time\n"},
    {"-W data", 1, "",
     "ioping: -W and -diagnose cannot be combined: -diagnose writes only to files of its "
     "own; leave out -W\n"},
    {"-c 9 data", 1, "",
     "ioping: -c and -diagnose cannot be combined: -w says how long -diagnose may take; "
     "leave out -c\n"},
    {"-csv data", 1, "",
     "ioping: -csv and -diagnose cannot be combined: -J is the format of -diagnose for "
     "programs; leave out -csv\n"},
    {"-q data", 1, "",
     "ioping: -q and -diagnose cannot be combined: -diagnose chooses its requests and "
     "its report itself; leave out -q\n"},
    {"missing", 2, "",
     "ioping: missing: No such file or directory; name a directory, file or device that "
     "exists\n"},
    {"-plot no/x.svg data", 2, "",
     "ioping: no/x.svg: No such file or directory; make its directory first\n"},
    {"-plot copy data", 2, "",
     "ioping: copy: exists and is not an ioping plot, so it is not overwritten; remove "
     "it, or name another file\n"},
    {"-plot - data", 1, "",
     "ioping: -plot -: standard output has the results; add -output FILE, or name a file "
     "such as x.svg\n"},
};

TEST(what_makes_no_sense_is_refused)
{
    expect_variants(refused, LENGTH(refused), "ioping -diagnose %s");
}
