/* Runs with -breakdown: what they print, where they are refused, and that they remove
 * their trace however they end. */
/* Marks: linux races native */
#include "support.h"

#define REFUSED                                                            \
    "is not on a block device \\([a-z0-9._ ]+\\), so that nothing can be " \
    "traced; "                                                             \
    "name a file or directory on a disk, or a block device\n$"

/* The folder of this program is on a disk of which requests can be split. */
static void
need_disk(void)
{
    mount_tracefs();
    need_program("jq");
    struct result result = command("ioping -breakdown -q -c 1 -i 0 d");
    bool able = result.status == 0;
    if (!able)
        printf("%s", result.err);
    command_free(&result);
    if (!able)
        skip_because("needs a build folder on a disk");
}

#define TIME "[0-9.]+ [num]?s"
#define PARTS " submit=" TIME " queue=" TIME " device=" TIME " return=" TIME

GROUP_SETUP(make_files)

TEST(lines_and_summary_have_the_parts)
{
    need_disk();
    struct result result = command_status(0, "ioping -breakdown -i 0 -c 12 -a 0 d");
    assert_matches(result.out,
                   "^[^\n]*: request=1 time=" TIME PARTS "( \\([a-z]+\\))?\n");
    assert_matches(result.out, "\nsubmit   p50/p90 = " TIME " / " TIME "\n"
                               "queue    p50/p90 = " TIME " / " TIME "\n"
                               "device   p50/p90 = " TIME " / " TIME "\n"
                               "return   p50/p90 = " TIME " / " TIME "\n"
                               "slowest: request=[0-9]+ " TIME ", of it [0-9]+ % "
                               "(submit|queue|device|return)\n"
                               "min/avg/max/mdev = [^\n]*\n$");
    assert_string_equal(result.err, "");
    command_free(&result);
}

TEST(lines_of_writes_have_the_flush)
{
    static const char *const loads[] = {"-W", "-W -append"};
    need_disk();
    for (size_t i = 0; i < LENGTH(loads); i++)
        expect(0,
               "~^[^\n]*: request=1 time=" TIME PARTS " sync=" TIME "( sync-device=" TIME
               ")?( \\([a-z]+\\))?\n",
               NULL, "ioping -breakdown %s -i 0 -c 3 -a 0 d", loads[i]);
}

/* A log has no place on the disk below the loop device until it is written. */
TEST(a_log_is_followed_as_far_as_its_own_device)
{
    mount_tracefs();
    mount_once("ext4");
    struct result result =
        command_status(0, "ioping -breakdown -W -append -S 1m -i 0 -c 9 -a 0 ext4");
    assert_matches(result.out, "^[^\n]*: request=1 time=" TIME PARTS " sync=" TIME);
    assert_contains(result.out, "\ndevice ");
    assert_lacks(result.err, "below");
    command_free(&result);
}

/* Such a container has other numbers for threads than the trace. */
static void
expect_split_in_a_namespace(const char *options)
{
    need_program("unshare");
    need_success("unshare -pf --mount-proc true", "needs PID namespaces");
    struct result result = command_status(
        0, "unshare -pf --mount-proc \"$IOPING\" -breakdown -q -i 0 -c 50 %s", options);
    assert_contains(result.out, "\ndevice ");
    assert_lacks(result.err, "could be split");
    command_free(&result);
}

TEST(a_log_is_split_in_a_pid_namespace)
{
    need_disk();
    expect_split_in_a_namespace("-W -append -S 1m d");
}

TEST(a_btrfs_is_split_in_a_pid_namespace)
{
    mount_tracefs();
    mount_once("btrfs");
    expect_split_in_a_namespace("btrfs");
}

TEST(quiet_runs_have_the_summary_alone)
{
    need_disk();
    struct result result = command_status(0, "ioping -breakdown -q -i 0 -c 12 d");
    assert_lacks(result.out, "time=");
    assert_contains(result.out, "\ndevice   p50/p90 = ");
    command_free(&result);
}

TEST(what_is_left_behind_goes_with_the_next_run)
{
    need_disk();
    expect(0, "gone\nthere\nthere\n", NULL, "what_is_left_behind_goes_with_the_next_run");
}

TEST(raw_lines_do_not_change)
{
    need_disk();
    expect(0, "10 10 10\n10\n10 10 10\n10\n", NULL, "raw_lines_are_as_ever -breakdown");
}

TEST(metrics_have_the_parts)
{
    need_disk();
    expect(0, "29\n", NULL, "metrics_have_the_parts");
}

TEST(limits_hold_for_a_part)
{
    need_disk();
    expect(5, NULL, "~^ioping: device-p99 < 1 ns: FAIL \\(" TIME "\\)\n$",
           "ioping -breakdown -q -i 0 -c 111 -slo device-p99=1ns d");
    expect(0, NULL, "", "ioping -breakdown -q -i 0 -c 111 -slo device-p99=1h d");
}

/* The file was written a moment ago, so all of it is in the cache. */
TEST(what_the_cache_answers_is_not_split)
{
    need_disk();
    expect(0, "~\nsplit 0 of 99 requests\n",
           "ioping: only 0 of 99 requests could be split: 99 reached no device\n",
           "cat data >/dev/null; ioping -breakdown -C -q -i 0 -c 100 data");
}

TEST(what_becomes_a_hole_asks_no_device)
{
    need_disk();
    need_program("fallocate");
    mount_once("ext4");
    for (int i = 0; i < 2; i++)
        expect(-1, "[true,true,true]\n", "~ reached no device",
               "what_becomes_a_hole_asks_no_device %s", i ? "ext4" : ".");
}

TEST(the_device_below_is_named)
{
    need_disk();
    mount_once("ext4");
    expect(-1, "ioping: ext4: breakdown of LOOP (loop: DISK)\n", NULL,
           "name_the_device ext4");
}

TEST(a_limit_on_a_stack_is_not_known_where_there_is_none)
{
    need_disk();
    expect(5, "~UNKNOWN: 0 requests could be split",
           "~^ioping: d: a limit on stack needs a stack of devices, such as LVM or "
           "RAID, but /dev/[^ ]+ is a single device\n",
           "ioping -breakdown -q -i 0 -c 100 -slo stack-p50=1s d");
}

TEST(failed_requests_have_no_parts)
{
    mount_tracefs();
    need_program("jq");
    mount_fuse("fs", "uncached,fail_every=2");
    expect(
        3, "[true,true,true,0]\n", NULL,
        "with_disk failed_requests_have_no_parts; status=$?; umount -l fs; exit $status");
}

TEST(a_request_that_hangs_leaves_what_was_split)
{
    mount_tracefs();
    need_program("jq");
    mount_fuse("fs", "uncached,hang_file=%s/hang", scratch());
    expect(
        3, "[true,true,true]\n", NULL,
        "with_disk a_request_that_hangs_leaves_what_was_split; status=$?; umount -l fs; "
        "exit $status");
}

TEST(a_small_stack_suffices)
{
    need_disk();
    need_bare("a sanitizer or an emulator needs a larger stack");
    expect(0, "~\ndevice ", NULL,
           "ulimit -s 64 && ioping -breakdown -q -i 0 -c 100 -threads 4 d");
}

TEST(every_end_removes_the_trace)
{
    static const char *const ends[] = {"end INT",      "end TERM",    "end HUP",
                                       "kill_program", "kill_worker", "kill_both"};
    need_disk();
    for (size_t i = 0; i < LENGTH(ends); i++)
        expect(0, "1\n", NULL, "every_end_removes_the_trace %s", ends[i]);
}

/* The kernel stamps its records by a clock that the namespace does not shift. */
TEST(a_time_namespace_hides_no_records)
{
    static const char *const offsets[] = {"100000", "-1"};
    need_disk();
    need_success("unshare -T --monotonic 1 true",
                 "this kernel or container has no time namespaces");
    for (size_t i = 0; i < LENGTH(offsets); i++)
        expect(0, "shifted\n[20,20,true]\n", "", "split_in_a_time_namespace %s",
               offsets[i]);
}

TEST(what_is_on_no_block_device_is_refused)
{
    mount_tracefs();
    mount_fuse("fs", "uncached");
    expect(
        2, "", "~^ioping: fs/f: " REFUSED,
        "cp data fs.files/f; ioping -breakdown -c 1 fs/f; status=$?; umount -l fs; exit "
        "$status");
    expect(2, "", "~^ioping: /dev/zero: " REFUSED, "ioping -breakdown -c 1 /dev/zero");
    expect(2, "", "~(^|\n)ioping: memory: " REFUSED,
           "mkdir -p memory && mount -t tmpfs memory memory || exit 77; "
           "ioping -breakdown -c 1 memory");
    expect(2, "", "~(^|\n)ioping: layers: " REFUSED, "refused_on_overlay");
}

TEST(who_may_not_trace_is_told_what_to_do)
{
    need_disk();
    need_users();
    expect(2, "", "~^ioping: [^\n]*: Permission denied; run it as root[^\n]*\n$",
           "as_user \"$IOPING\" -breakdown -c 1 data");
}

/* What the target is on cannot be said then, so nothing else may be said of it. */
TEST(without_sysfs_the_advice_works)
{
    need_disk();
    need_success("unshare -m mount -t sysfs sysfs /sys",
                 "needs the right to mount sysfs");
    expect(0, "2\n1\n",
           "ioping: data: -breakdown cannot find the device of this target: "
           "/sys/dev/block does not exist; mount sysfs first: mount -t sysfs sysfs "
           "/sys\n",
           "without_sysfs_and_then_with_it");
}

TEST(without_tracefs_the_advice_works)
{
    need_disk();
    expect(0, "2\n1\n",
           "ioping: -breakdown: tracefs is not mounted; as root: mount -t tracefs "
           "tracefs /sys/kernel/tracing\n",
           "without_tracefs_and_then_with_it");
}
