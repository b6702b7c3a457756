/* The log of histograms (-hdr): an independent library can read it, and it has only
 * complete lines however the run ends. */
/* Marks: valgrind posix */
#include "support.h"

static bool
succeeds(const char *line)
{
    struct result result = command("%s", line);
    bool able = result.status == 0;
    command_free(&result);
    return able;
}

static void
need_library(void)
{
    if (!succeeds("hdr_python"))
        skip_because("needs PyPI's hdrhistogram, which .ci/run installs");
}

GROUP_SETUP(make_files)
FIXTURE(make_folder, NULL)

/* All counts, extremes and percentiles, of each target and of both together, against the
 * time of each request in the JSON of the same run. */
TEST(another_library_reads_what_the_requests_took)
{
    need_library();
    expect(0, "../data 1000\n../d 1000\nsum 2000\nintervals\n", NULL,
           "another_library_reads_what_the_requests_took");
}

/* Likewise, of each operation, of flushes and of phases. */
TEST(another_library_reads_what_is_apart)
{
    need_library();
    expect(0, "../d ../d#sync sum\n", NULL,
           "another_library_reads_what_is_apart -W -i 1ms -c 100");
    expect(0, "../d ../d#read ../d#sync ../d#write sum\n", NULL,
           "another_library_reads_what_is_apart -G -i 1ms -c 200");
    expect(
        0,
        "../d#idle ../d#idle#read ../d#idle#write ../d#loaded ../d#loaded#read "
        "../d#loaded#write ../d#recovered ../d#recovered#read ../d#recovered#write sum\n",
        NULL,
        "another_library_reads_what_is_apart -G -C -i 1ms -c 100 -load read,rate=100");
}

/* Likewise, of what the parts of the time of requests are. */
TEST(another_library_reads_the_parts)
{
    need_library();
    need_bare("valgrind and emulators do not know all calls to the kernel's trace");
    mount_tracefs();
    if (!succeeds("ioping -breakdown -q -c 1 -i 0 d"))
        skip_because("needs a build folder on a disk");
    expect(0,
           "../d ../d#device ../d#queue ../d#read ../d#return ../d#submit ../d#sync "
           "../d#write sum\n",
           NULL, "another_library_reads_what_is_apart -G -breakdown -i 1ms -c 200");
}

static const struct expected runs[] = {
    {"each_interval_begins_where_the_one_before_ends", "", 0, "../d 1\n../data 1\n"},
    {"an_interval_without_a_request_has_its_line", "faults", 0, "0.000000\n3\n"},
    {"the_lines_are_there_while_a_run_goes_on", "", 0, "grows\n0\n"},
    {"only_a_log_of_ours_is_replaced", "", 0,
     "2\nioping: other: exists and is not an ioping log, so it is not overwritten; "
     "remove it, or name another file\ndata\n1\n1\n"},
    {"a_log_that_is_moved_away_begins_again", "", 0, "0\n"},
    {"steps_of_a_sweep_have_tags_of_their_own", "", 0,
     "../data#size=512\n../data#size=1024\n../data#size=2048\n"},
    {"phases_of_a_load_have_tags_of_their_own", "", 0,
     "../d#idle\n../d#loaded\n../d#recovered\n"},
    {"a_target_that_is_named_again_has_a_number", "", 0,
     "../data\na%20b%2Cc\n../data#2\n"},
    {"an_interrupt_leaves_whole_lines", "faults", 0, "0\n../data\nx.hlog\n", NULL,
     "every_end_leaves_whole_lines_and_nothing_else '' 'request=4' o INT"},
    {"sigterm_leaves_whole_lines", "faults", 0, "143\n../data\nx.hlog\n", NULL,
     "every_end_leaves_whole_lines_and_nothing_else '' 'request=4' o TERM"},
    {"a_failure_leaves_whole_lines", "faults", 0, "3\n../data\nx.hlog\n", NULL,
     "every_end_leaves_whole_lines_and_nothing_else 'pread:5:5' 'request=4' o "},
    {"an_interrupt_while_one_hangs_leaves_whole_lines", "faults", 0,
     "3\n../data\nx.hlog\n", NULL,
     "every_end_leaves_whole_lines_and_nothing_else 'pread:5:hang' 'request 5 has had no "
     "answer' e INT"},
};

EXPECT_EACH(runs)

/* The disk has four pages. What had no room comes when there is some. */
TEST(on_a_full_disk_lines_stay_whole)
{
    need_mounts();
    expect(0, "3\nioping: small/x.hlog: No space left on device\nkept\n", NULL,
           "on_a_full_disk_lines_stay_whole full");
    expect(0, "0\nioping: small/x.hlog: No space left on device\nkept\n", NULL,
           "on_a_full_disk_lines_stay_whole freed");
}

/* The whole log of a week is the sum of the logs of its days. */
TEST(a_log_that_is_rotated_loses_nothing)
{
    need_program("jq");
    expect(0, "0\nsame\n", NULL, "a_log_that_is_rotated_loses_nothing");
}

TEST(memory_does_not_grow_with_the_log)
{
    need_bare("measures the memory of the program");
    expect(0, "constant\n", NULL, "memory_does_not_grow_with_the_log");
}
