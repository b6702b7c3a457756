/* Reads and writes in turn, each with its own figures, on a file system that is slow in
 * its own way for each of them. */
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

static void
each_operation_has_the_figures_of_its_records(void **state)
{
    (void)state;
    mount_slow("fs", "");
    expect("each_operation_has_the_figures_of_its_records",
           "[10,10,10,30]\ntrue\ntrue\ntrue\ntrue\n[true,true,true]\n[30,30,30]\n");
}

static void
corrected_percentiles_have_the_waits_of_both_in_turn(void **state)
{
    (void)state;
    mount_slow("fs", "");
    expect("corrected_percentiles_have_the_waits_of_both_in_turn",
           "true\ntrue\ntrue\ntrue\ntrue\ntrue\n");
}

static void
limits_are_of_one_operation_or_of_flushes(void **state)
{
    (void)state;
    mount_slow("fs", "");
    expect("limits_are_of_one_operation_or_of_flushes",
           "5\nioping: write-min = TIME exceeds 9 ms\n"
           "ioping: sync-min = TIME exceeds 3 ms\n"
           "1\n");
}

static void
steps_and_phases_have_rows_of_each_operation(void **state)
{
    (void)state;
    mount_slow("fs", "");
    expect("steps_and_phases_have_rows_of_each_operation", "1 1 4\n1 1 6\n");
}

static void
a_comparison_has_rows_of_each_operation(void **state)
{
    (void)state;
    expect("a_comparison_has_rows_of_each_operation",
           "1 1 4\nchanges are of reads and writes together\n");
}

static void
metrics_are_those_of_the_records(void **state)
{
    (void)state;
    mount_slow("failing", ",fail_every=4");
    expect("metrics_are_those_of_the_records",
           "3\n30 1 30 0 30\nmissed\nflushed\n0\n,} 0\n");
    need_program("promtool");
    expect("promtool_takes_metrics_of_both", "");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_operation_has_the_figures_of_its_records),
        cmocka_unit_test(corrected_percentiles_have_the_waits_of_both_in_turn),
        cmocka_unit_test(limits_are_of_one_operation_or_of_flushes),
        cmocka_unit_test(steps_and_phases_have_rows_of_each_operation),
        cmocka_unit_test(a_comparison_has_rows_of_each_operation),
        cmocka_unit_test(metrics_are_those_of_the_records),
    };
    return cmocka_run_group_tests_name("both", tests, NULL, unmount_all);
}
