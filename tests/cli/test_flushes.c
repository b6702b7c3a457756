/* Flushes reach the device, by the device's own count (the kernel's
 * Documentation/admin-guide/iostats.rst, field 16). If flushes are not expected to
 * reach it, up to nine may still be counted in a run of 50, because the file system
 * may flush on its own. */
#include "support.h"

GROUP_SHELL(":")

#define LIMITED "-W -B -a 0 -i 0 -c 50 -slo sync-p50=10s "
#define NOTE(target, why)                                                             \
    "ioping: " target ": no flush reaches the device, because of " why ": the times " \
    "of flushes say nothing about it\n"
#define UNKNOWN_LIMIT                                                                  \
    "ioping: sync-p50 < 10 s: UNKNOWN: no flush reached the device; measure a target " \
    "that passes flushes on\n"

/* Mounts an image whose device has a cache, and counts flushes. No commit of its journal
 * comes while a test counts. */
static void
need_flushed(void)
{
    static bool is_mounted;
    if (!is_mounted)
        mount_image("ext4", 64, "flushed");
    is_mounted = true;
    need_success("mount -o remount,barrier,commit=300 flushed && sync -f flushed",
                 "needs ext4 with barriers");
    need_success("is_counting", "needs a loop device with a cache, and a kernel that "
                                "counts flushes (Linux 5.5)");
}

TEST(a_flush_that_reaches_the_device_is_limited)
{
    need_flushed();
    expect(0, "~^50 [0-9 ]+\n(5[0-9]|[6-9][0-9]|[0-9]{3}) flushes\n$", "",
           "count_flushes " LIMITED "flushed");
}

/* Newer kernels write fsync=volatile in the mount table. */
TEST(on_a_volatile_overlay_no_limit_on_flushes_is_known)
{
    need_flushed();
    need_success("make_overlay volatile volatile", "needs overlays that can be volatile");
    expect(5, "~^50 [0-9 ]+\n[0-9] flushes\n$",
           "~^" NOTE("volatile", "mount option (fsync=)?volatile") UNKNOWN_LIMIT "$",
           "count_flushes " LIMITED "volatile");
}

/* Such an overlay leaves out the flushes that it is asked for, but its file in the upper
 * layer is open for synchronous writes as well. */
TEST(synchronous_writes_on_a_volatile_overlay_are_flushed)
{
    need_flushed();
    need_success("make_overlay volatile volatile", "needs overlays that can be volatile");
    expect(0, "~^50 [0-9 ]+\n[1-9][0-9]* flushes\n$", "",
           "count_flushes -W -Y -B -a 0 -i 0 -c 50 volatile");
}

TEST(without_barriers_no_limit_on_flushes_is_known)
{
    need_flushed();
    need_success("make_overlay plain rw && mount -o remount,nobarrier flushed",
                 "needs ext4 without barriers");
    expect(5, "~^50 [0-9 ]+\n[0-9] flushes\n$",
           NOTE("flushed", "mount option nobarrier") UNKNOWN_LIMIT,
           "count_flushes " LIMITED "flushed");
    expect(5, "~^50 [0-9 ]+\n[0-9] flushes\n$",
           NOTE("plain", "mount option nobarrier") UNKNOWN_LIMIT,
           "count_flushes " LIMITED "plain");
}

/* Whoever knows better than the driver tells the kernel so, or is mistaken. */
TEST(a_cache_that_the_kernel_is_told_not_to_flush_makes_limits_unknown)
{
    static const char *const targets[] = {"flushed", "-sync flushed"};
    need_flushed();
    need_success("without_cache true", "needs a kernel and a container that let the "
                                       "cache of a device be declared");
    for (size_t i = 0; i < LENGTH(targets); i++)
        expect(5, "~^50 [0-9 ]+\n[0-9] flushes\n$",
               "~^" NOTE("flushed",
                         "\"write through\" in /sys/block/loop[0-9]+/queue/write_cache")
                   UNKNOWN_LIMIT "$",
               "without_cache count_flushes " LIMITED "%s", targets[i]);
}

TEST(every_format_says_that_the_limit_is_unknown)
{
    static const struct {
        int status;
        const char *options, *filter, *text;
    } cases[] = {
        {5, "-q", "grep '^sync-p50 <' o",
         "sync-p50 < 10 s: UNKNOWN: no flush reached the device; measure a target that "
         "passes flushes on\n"},
        {5, "-J -q", "jq -c '.[0].limits[0] | [.met, .certain]' o", "[null,false]\n"},
        {3, "-check", "sed 's/ |.*//' o",
         "IOPING UNKNOWN - flushed sync-p50 unknown: no flush reached the device\n"},
    };
    need("jq");
    need_flushed();
    need_success("mount -o remount,nobarrier flushed", "needs ext4 without barriers");
    for (size_t i = 0; i < LENGTH(cases); i++)
        expect(cases[i].status, cases[i].text, NULL,
               "ioping -W -i 0 -c 50 -slo sync-p50=10s %s flushed >o; status=$?; %s; "
               "exit $status",
               cases[i].options, cases[i].filter);
}

TEST(a_sweep_does_not_ask_for_more_requests_where_no_flush_counts)
{
    need_flushed();
    need_success("mount -o remount,nobarrier flushed", "needs ext4 without barriers");
    expect(5, NULL,
           NOTE("flushed", "mount option nobarrier") "ioping: highest number of threads "
                                                     "with sync-p50 <= 10 s: UNKNOWN\n",
           "ioping -B -W -S 1m -w 1s -sweep threads=1..2 -slo sync-p50=10s flushed");
}

/* Nothing is flushed, or the time of a flush is no part of the limit. */
TEST(what_does_not_flush_says_nothing_about_flushes)
{
    static const char *const options[] = {"", "-C -W", "-k"};
    need_flushed();
    need_success("mount -o remount,nobarrier flushed", "needs ext4 without barriers");
    for (size_t i = 0; i < LENGTH(options); i++) {
        struct result result =
            command_status(0, "ioping -B -i 0 -c 9 -slo p50=10s %s flushed", options[i]);
        assert_lacks(result.err, "flush");
        command_free(&result);
    }
    expect(0, "~^8 ", NOTE("flushed", "mount option nobarrier"),
           "ioping -B -W -i 0 -c 9 -slo p50=10s flushed");
}
