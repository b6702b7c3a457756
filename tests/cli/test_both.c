/* Reads and writes in turn, each with its own figures, on a file system that is slow in
 * its own way for each of them. */
/* Marks: valgrind posix */
#include "support.h"

#include <unistd.h>

/* Mounts a file system NAME once. */
static void
mount_slow(const char *name, const char *more)
{
    char folder[1100];
    need_program("jq");
    snprintf(folder, sizeof(folder), "%s/%s.files", scratch(), name);
    if (access(folder, F_OK) < 0)
        mount_fuse(name,
                   "uncached,delay_us=2000,delay_write_us=6000,delay_fsync_us=4000%s",
                   more);
}

/* Expects status 0 and OUT of a function of test_both.sh. */
static void
expect(const char *function, const char *out)
{
    struct result result = command_status(0, "%s", function);
    if (strcmp(result.out, out) != 0)
        fail_msg("%s:\n%s%s", function, result.out, result.err);
    command_free(&result);
}

TEST(each_operation_has_the_figures_of_its_records)
{
    mount_slow("fs", "");
    expect("each_operation_has_the_figures_of_its_records",
           "[10,10,10,30]\ntrue\ntrue\ntrue\ntrue\n[true,true,true]\n[30,30,30]\n");
}

TEST(corrected_percentiles_have_the_waits_of_both_in_turn)
{
    mount_slow("fs", "");
    expect("corrected_percentiles_have_the_waits_of_both_in_turn",
           "true\ntrue\ntrue\ntrue\ntrue\ntrue\n");
}

TEST(limits_are_of_one_operation_or_of_flushes)
{
    mount_slow("fs", "");
    expect("limits_are_of_one_operation_or_of_flushes",
           "5\nioping: write-min = TIME exceeds 9 ms\n"
           "ioping: sync-min = TIME exceeds 3 ms\n"
           "1\n");
}

TEST(steps_and_phases_have_rows_of_each_operation)
{
    mount_slow("fs", "");
    expect("steps_and_phases_have_rows_of_each_operation", "1 1 4\n1 1 6\n");
}

TEST(a_comparison_has_rows_of_each_operation)
{
    expect("a_comparison_has_rows_of_each_operation",
           "1 1 4\nchanges are of reads and writes together\n");
}

TEST(metrics_are_those_of_the_records)
{
    mount_slow("failing", ",fail_every=4");
    expect("metrics_are_those_of_the_records",
           "3\n30 1 30 0 30\nmissed\nflushed\n0\n,} 0\n");
    need_program("promtool");
    expect("promtool_takes_metrics_of_both", "");
}
