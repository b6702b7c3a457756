/* -breakdown divides the time of a request correctly: on disks that are slow, busy or
 * throttled, with a busy processor, with a frozen file system, and compared with the
 * kernel's own trace. */
/* Marks: 38s linux races native */
#include "support.h"

#include <sched.h>

/* Runs a function of test_breakdown.sh, with its arguments, on a disk whose server has
 * OPTIONS, and expects STATUS and OUT. RUNNER is on_disk or the like. */
static void
run_on_disk(const char *runner, const char *options, const char *function,
            const char *out, const char *lacking)
{
    mount_tracefs();
    need_program("jq");
    expect(-1, NULL, NULL, "drop_disk");
    mount_fuse("fs", "uncached,log=%s/log%s%s", scratch(), options[0] ? "," : "",
               options);
    struct result result = command("%s %s", runner, function);
    if (result.status == 77) {
        printf("%s", result.err);
        skip_because(lacking);
    }
    if (result.status != 0 || strcmp(result.out, out) != 0)
        fail_msg("%s: status %d\n%s%s", function, result.status, result.out, result.err);
    command_free(&result);
}

#define DISK "needs loop devices with direct I/O on FUSE"

TEST(a_slow_disk_is_device)
{
    run_on_disk("on_disk", "delay_us=5000", "the_device_is_as_slow_as_its_server",
                "60 0 1\ndevice\n", DISK);
}

TEST(a_slow_flush_is_told_apart_from_its_write)
{
    run_on_disk("on_disk", "delay_write_us=2000,delay_fsync_us=3000",
                "a_flush_has_its_own_part",
                "[true,true,true,true,true]\n[true,true,true,true]\ntrue\n", DISK);
}

/* Of writers bfq keeps some tags free for readers, and so there is no queue. */
TEST(a_queue_that_others_fill_is_queue)
{
    static const char *const loads[] = {"bfq", "mq-deadline", "none", "none -WWW -D -C"};
    char text[64];
    for (size_t i = 0; i < LENGTH(loads); i++) {
        snprintf(text, sizeof(text), "a_full_queue %s", loads[i]);
        run_on_disk("on_disk", "delay_us=1000,delay_write_us=1000,slots=1", text,
                    "queue\n",
                    "needs loop devices with direct I/O on FUSE, and I/O schedulers");
    }
}

TEST(a_throttle_of_a_control_group_is_queue)
{
    run_on_disk("on_disk", "delay_us=1000", "a_throttle_is_queue", "queue\n",
                "needs a control group that throttles reads");
}

TEST(blocks_that_a_throttle_lets_go_later_are_queue)
{
    need_program("filefrag");
    run_on_disk("on_disk_with_ext4", "", "later_blocks_wait_in_the_queue",
                "1\nqueue\ntrue\n",
                "needs ext4 and a control group that throttles reads");
}

TEST(blocks_that_another_process_reads_are_told_apart_or_not_split)
{
    run_on_disk("on_disk", "delay_us=200", "others_have_the_same_blocks", "[true,true]\n",
                "needs a control group that throttles reads");
}

/* The server is on the first processor, which it has from this program. */
TEST(a_busy_processor_is_return)
{
    cpu_set_t all, first;
    need("chrt taskset");
    assert_int_equal(sched_getaffinity(0, sizeof(all), &all), 0);
    if (!CPU_ISSET(0, &all) || !CPU_ISSET(1, &all))
        skip_because("needs two processors");
    CPU_ZERO(&first);
    CPU_SET(0, &first);
    assert_int_equal(sched_setaffinity(0, sizeof(first), &first), 0);
    run_on_disk("on_disk", "delay_us=5000", "a_busy_processor_is_return", "return\n",
                "needs a process of real-time priority");
    sched_setaffinity(0, sizeof(all), &all);
}

TEST(a_frozen_file_system_is_submit)
{
    need_program("fsfreeze");
    run_on_disk("on_disk_with_ext4", "", "a_frozen_file_system_is_submit",
                "[true,true]\n", "needs ext4");
}

TEST(the_kernel_tells_the_same_times)
{
    static const char *const delays[] = {"", "delay_us=300"};
    for (size_t i = 0; i < LENGTH(delays); i++)
        run_on_disk("on_disk", delays[i], "the_kernel_tells_the_same_times",
                    "300 1\n\"same\"\n\"same\"\n", DISK);
}

static const char *const ways[] = {
    "",         "-A",        "-U",       "-threads 4",           "-A -depth 8",
    "-L -s 1m", "-L -s 64k", "-U -G",    "-U -depth 8 -s 16k",   "-i 1ms",
    "-W",       "-W -A",     "-G -s 8k", "-U -depth 8 -W -c 60", "-W -threads 4 -c 60",
};

/* Expects of every way to send requests to a target that all parts add up. */
static void
expect_sums(const char *target, const char *writable)
{
    need("aio uring");
    for (size_t i = 0; i < LENGTH(ways); i++) {
        bool writes = strstr(ways[i], "-W") || strstr(ways[i], "-G");
        struct result result = command_status(0, "they_add_up %s %s %s", ways[i],
                                              writes ? writable : "", target);
        if (strcmp(result.out, "[true,true,true,true,true]\n") != 0)
            fail_msg("%s %s: %s", ways[i], target, result.out);
        command_free(&result);
    }
}

TEST(parts_add_up_on_a_file_system)
{
    mount_tracefs();
    need_program("jq");
    mount_once("ext4");
    expect_sums("ext4", "");
}

TEST(parts_add_up_on_a_device)
{
    char device[64];
    mount_tracefs();
    need_program("jq");
    struct result result = command("head -c 32M /dev/urandom >plain.img && "
                                   "attach -f --show plain.img");
    if (result.status != 0)
        skip_because("needs loop devices");
    snprintf(device, sizeof(device), "%.*s", (int)strcspn(result.out, "\n"), result.out);
    command_free(&result);
    expect_sums(device, "-WW");
}

TEST(parts_add_up_on_the_disk_of_the_build_folder)
{
    mount_tracefs();
    need_program("jq");
    struct result result = command("ioping -J -q -c 1 -i 0 d | "
                                   "jq -e '.[0].target.device | startswith(\"/dev/\")'");
    bool disk = result.status == 0;
    command_free(&result);
    if (!disk)
        skip_because("needs a build folder on a disk");
    expect_sums("d", "");
}

TEST(parts_add_up_for_each_of_two_targets)
{
    mount_tracefs();
    need_program("jq");
    mount_once("ext4");
    mount_image("ext4", 64, "second");
    expect(0, "[true,true,true,true,true]\n[true,true,true,true,true]\n", NULL,
           "they_add_up -threads 2 ext4 second");
}

/* More requests than the system keeps records of. */
TEST(many_workers_have_theirs_split_as_well)
{
    mount_tracefs();
    need_program("jq");
    mount_once("ext4");
    expect(0, "true\n59999\n", NULL,
           "split -q -i 0 -threads 200 -c 60000 ext4 && jq -s -c 'last.stat | "
           ".breakdown.count >= 0.95 * .count, .count' o");
}

TEST(what_is_not_on_the_device_is_not_looked_for)
{
    mount_tracefs();
    need_program("jq");
    mount_once("ext4");
    expect(0, "0\n2999\n0\n", NULL,
           "truncate -s 1m ext4/hole && split -q -i 0 -c 3000 ext4/hole; jq -s -c "
           "'last.stat.breakdown | .count, .unasked, .lost' o");
}

static int
drop_all(void **state)
{
    expect(-1, NULL, NULL, "drop_disk");
    return unmount_all(state);
}
GROUP_SETUP(make_files)
GROUP_TEARDOWN(drop_all)
