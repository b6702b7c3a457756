/* Runs with reads and writes have separate figures for both. The file system of the
 * tests has different delays for reads, writes and flushes. */
/* Marks: valgrind posix */
#include "support.h"

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

TEST(each_operation_has_the_figures_of_its_records)
{
    mount_slow("fs", "");
    expect(0, "[10,10,10,30]\ntrue\ntrue\ntrue\ntrue\n[true,true,true]\n[30,30,30]\n",
           NULL, "each_operation_has_the_figures_of_its_records");
}

TEST(corrected_percentiles_have_the_waits_of_both_in_turn)
{
    mount_slow("fs", "");
    expect(0, "true\ntrue\ntrue\ntrue\ntrue\ntrue\n", NULL,
           "corrected_percentiles_have_the_waits_of_both_in_turn");
}

TEST(limits_are_of_one_operation_or_of_flushes)
{
    mount_slow("fs", "");
    expect(
        0,
        "5\nioping: write-min < 9 ms: FAIL (TIME)\nioping: sync-min < 3 ms: FAIL (TIME)\n"
        "1\n",
        NULL, "limits_are_of_one_operation_or_of_flushes");
}

TEST(steps_and_phases_have_rows_of_each_operation)
{
    mount_slow("fs", "");
    expect(0, "1 1 4\n1 1 6\n", NULL, "steps_and_phases_have_rows_of_each_operation");
}

TEST(a_comparison_has_rows_of_each_operation)
{
    expect(0, "1 1 4\nchanges are of reads and writes together\n", NULL,
           "a_comparison_has_rows_of_each_operation");
}

TEST(metrics_are_those_of_the_records)
{
    mount_slow("failing", ",fail_every=4");
    expect(0, "3\n30 1 30 0 30\nmissed\nflushed\n0\n,} 0\n", NULL,
           "metrics_are_those_of_the_records");
    need_program("promtool");
    expect(0, "", NULL, "promtool_takes_metrics_of_both");
}
