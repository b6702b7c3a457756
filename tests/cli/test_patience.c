/* Steps before the first request or after the last that take too long. */
/* Marks: 36s */
#include "running.h"
#include "support.h"

/* A regular expression: what is said of the thing at PATH until it is given up. */
#define GIVEN_UP(path)                                    \
    "^(ioping: " path ": not ready after [0-9.]+ m?s\n)*" \
    "ioping: " path ": still not ready after [0-9.]+ m?s"
/* A step of a sweep may have had no time on a busy machine. */
#define CLOSING_GIVEN_UP(path)                                                          \
    "^(ioping: -sweep: no request completed in [^\n]+\n)*"                              \
    "(ioping: " path ": not ready after [0-9.]+ m?s, while closing it\n)*ioping: " path \
    ": still not ready after [0-9.]+ m?s, while closing it\n$"

GROUP_SETUP(make_files)

TEST(an_opening_that_hangs_is_given_up)
{
    static const struct {
        const char *fault, *options;
    } cases[] = {
        {"open@data:1:hang", "-timeout 200ms data"},
        {"open@data:1:hang", "-hang 100ms -w 100ms data"},
        {"pwrite:5:hang", "-timeout 200ms d"},
        {"fdatasync:1:hang", "-hang 100ms -timeout 200ms d"},
        {"fdatasync:2:hang", "-S 4m -k -timeout 200ms d"},
        {"open@data:1:hang", "-timeout 200ms d data"},
    };
    need_faults();
    for (size_t i = 0; i < LENGTH(cases); i++)
        expect(2, "", "~" GIVEN_UP("(d|data)") "\n$",
               "an_opening_that_hangs_is_given_up %s %s", cases[i].fault,
               cases[i].options);
}

/* Each write or flush takes a part of the time that the whole would not get. */
TEST(a_working_file_that_makes_progress_is_not_given_up)
{
    static const char *const faults[] = {
        "pwrite:1-:60ms",
        "pwrite:1-:10ms,fdatasync:1-:300ms",
    };
    need_faults();
    for (size_t i = 0; i < LENGTH(faults); i++)
        expect(0, "1 1\n", "", "a_working_file_that_makes_progress_is_not_given_up %s",
               faults[i]);
}

TEST(the_time_of_a_stopped_process_does_not_count)
{
    need_faults();
    expect(0, "1 1\n", NULL, "the_time_of_a_stopped_process_does_not_count");
}

/* The exported file is on the file system that hangs, the target is not. */
TEST(exported_files_that_cannot_be_written_are_given_up)
{
    static const char *const options[] = {"-prometheus creating/m", "-plot creating/p"};
    mount_fuse("creating", "hang_create=%s/hang", scratch());
    for (size_t i = 0; i < LENGTH(options); i++)
        expect(2, "", "~" GIVEN_UP("creating/[mp]") "\n$",
               "exported_files_that_cannot_be_written_are_given_up %s", options[i]);
}

/* Anybody may name the source of such a mount. */
TEST(a_name_on_a_file_system_that_hangs_is_given_up)
{
    static const char *const ends[] = {"-timeout 1s", "-hang 100ms"};
    mount_fuse("hung", "hang_getattr=%s/hang,entry_timeout=0,attr_timeout=0", scratch());
    mount_fuse("named", "fsname=%s/hung/data", scratch());
    for (size_t i = 0; i < LENGTH(ends); i++)
        expect(2, "", "~" GIVEN_UP("named/data") "\n$",
               "a_name_on_a_file_system_that_hangs_is_given_up %s", ends[i]);
}

/* With lines, the first thread shares its descriptors with the others. */
TEST(a_closing_that_hangs_is_given_up_after_the_summary)
{
    static const struct {
        const char *options;
        int status; /* that of the run after a signal, which comes if nothing else ends it
                     */
    } cases[] = {
        {"-c 2 -timeout 1s", 2},
        {"-q -c 2 -timeout 1s", 2},
        {"-hang 1s -w 1s", 2},
        {"-c 2", 0},
        {"-q -c 2", 0},
        {"-q -c 2 -threads 2", 0},
        {"-sweep threads -w 50ms -timeout 1s", 2},
    };
    mount_fuse("closing", "hang_flush=%s/hang", scratch());
    for (size_t i = 0; i < LENGTH(cases); i++)
        expect(cases[i].status, "~^1\n", "~" CLOSING_GIVEN_UP("closing/data"),
               "a_closing_that_hangs_is_given_up_after_the_summary %s", cases[i].options);
}
