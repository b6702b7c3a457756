/* Memory that Linux has left, read from /proc and cgroup files of the test's own. */
/* Marks: linux */
#include "support.h"

#include "os/linux.h"
#include "os/process.h"

#define MIB (1LL << 20)

/* Empties the root that is played, and makes the files of a shell script in it: "put PATH
 * TEXT" makes one. */
static int64_t
available(const char *script)
{
    char root[1100];
    struct result result = command_status(0, "begin_root\n%s", script);
    command_free(&result);
    snprintf(root, sizeof(root), "%s/root", scratch());
    return linux_memory_available(root);
}

/* Subtracts the reserve from LEFT bytes. */
static int64_t
less(int64_t left)
{
    return left - left / 16 - 16 * MIB;
}

#define MACHINE                                                    \
    "put proc/meminfo 'MemTotal: 8388608 kB\\nMemFree: 1024 kB\\n" \
    "MemAvailable: 4194304 kB\\nSwapTotal: 0 kB\\nSwapFree: 0 kB'\n"
#define SWAP "put proc/meminfo 'MemAvailable: 4194304 kB\\nSwapFree: 1048576 kB'\n"

TEST(the_machine_is_the_limit_without_groups)
{
    assert_int_equal(available(MACHINE), less(4096 * MIB));
    assert_int_equal(available(SWAP), less(5120 * MIB));
    assert_int_equal(available(MACHINE "put proc/self/cgroup '0::/'"), less(4096 * MIB));
    assert_int_equal(available("put proc/meminfo 'MemAvailable: 15000 kB'"), 0);
}

TEST(what_nobody_tells_is_not_known)
{
    assert_int_equal(available(""), INT64_MAX);
    assert_int_equal(available("put proc/meminfo 'MemTotal: 8388608 kB'"), INT64_MAX);
    assert_int_equal(available("put proc/meminfo 'MemAvailable: x kB'; "
                               "put proc/self/cgroup 'nonsense'"),
                     INT64_MAX);
}

#define SECOND_VERSION MACHINE "g=sys/fs/cgroup; put proc/self/cgroup '0::/a/b'\n"

TEST(the_smallest_group_counts)
{
    assert_int_equal(available(SECOND_VERSION "put $g/a/b/memory.max 209715200; "
                                              "put $g/a/b/memory.current 104857600"),
                     less(100 * MIB));
    assert_int_equal(available(SECOND_VERSION "put $g/a/b/memory.max max; "
                                              "put $g/a/b/memory.current 104857600; "
                                              "put $g/a/memory.max 314572800; "
                                              "put $g/a/memory.current 209715200"),
                     less(100 * MIB));
    assert_int_equal(available(SECOND_VERSION "put $g/a/b/memory.max 314572800; "
                                              "put $g/a/b/memory.high 209715200; "
                                              "put $g/a/b/memory.current 104857600"),
                     less(100 * MIB));
    assert_int_equal(available(SECOND_VERSION "put $g/a/b/memory.max max; "
                                              "put $g/a/b/memory.high max; "
                                              "put $g/a/b/memory.current 104857600"),
                     less(4096 * MIB));
}

/* A container sees its own group as the top, whatever its name is outside. */
TEST(a_container_sees_its_own_group)
{
    static const char *const names[] = {"/", "/docker/0123", "/../other"};
    char script[400];
    for (size_t i = 0; i < LENGTH(names); i++) {
        snprintf(script, sizeof(script),
                 MACHINE "put proc/self/cgroup '0::%s'; "
                         "put sys/fs/cgroup/memory.max 209715200; "
                         "put sys/fs/cgroup/memory.current 104857600",
                 names[i]);
        assert_int_equal(available(script), less(100 * MIB));
    }
}

TEST(page_cache_makes_room)
{
    assert_int_equal(
        available(SECOND_VERSION
                  "put $g/a/b/memory.max 209715200; "
                  "put $g/a/b/memory.current 209711104; put $g/a/b/memory.stat "
                  "'anon 4096\\nfile 157286400\\ninactive_file 104857600\\n"
                  "active_file 52428800\\nshmem 4096'"),
        less(150 * MIB + 4096));
    assert_int_equal(available(SECOND_VERSION
                               "put $g/a/b/memory.max 209715200; "
                               "put $g/a/b/memory.current 1048576; "
                               "put $g/a/b/memory.stat 'x 1\\ninactive_file "
                               "104857600'"),
                     less(200 * MIB));
}

TEST(swap_makes_room_as_far_as_the_group_may_use_it)
{
#define GROUP                                                                  \
    SWAP "g=sys/fs/cgroup; put proc/self/cgroup '0::/a'\nput $g/a/memory.max " \
         "209715200; put $g/a/memory.current 104857600; "
    assert_int_equal(available(GROUP), less(1124 * MIB));
    assert_int_equal(available(GROUP "put $g/a/memory.swap.max 0; "
                                     "put $g/a/memory.swap.current 0"),
                     less(100 * MIB));
    assert_int_equal(available(GROUP "put $g/a/memory.swap.max 52428800; "
                                     "put $g/a/memory.swap.current 1048576"),
                     less(149 * MIB));
}

#define FIRST_VERSION                                                          \
    "g=sys/fs/cgroup/memory; put proc/self/cgroup "                            \
    "'9:name=systemd:/x\\n4:hugetlb,memory:/a/b\\n2:cpu,cpuacct:/y\\n0::/z'\n" \
    "put $g/memory.limit_in_bytes 9223372036854771712; put $g/memory.usage_in_bytes 1\n"

TEST(the_first_version_is_known_as_well)
{
    assert_int_equal(available(MACHINE FIRST_VERSION), less(4096 * MIB));
    assert_int_equal(available(MACHINE FIRST_VERSION
                               "put $g/a/b/memory.limit_in_bytes 209715200; "
                               "put $g/a/b/memory.usage_in_bytes 104857600"),
                     less(100 * MIB));
    assert_int_equal(available(MACHINE FIRST_VERSION
                               "put $g/a/memory.limit_in_bytes 209715200; "
                               "put $g/a/memory.usage_in_bytes 209715200; "
                               "put $g/a/memory.stat 'inactive_file 0\\nactive_file "
                               "0\\ntotal_inactive_file 52428800\\ntotal_active_file "
                               "52428800'"),
                     less(100 * MIB));
    assert_int_equal(available(SWAP FIRST_VERSION
                               "put $g/a/memory.limit_in_bytes 209715200; "
                               "put $g/a/memory.usage_in_bytes 104857600; "
                               "put $g/a/memory.memsw.limit_in_bytes 209715200; "
                               "put $g/a/memory.memsw.usage_in_bytes 104857600"),
                     less(100 * MIB));
    assert_int_equal(available(SWAP FIRST_VERSION
                               "put $g/a/memory.limit_in_bytes 209715200; "
                               "put $g/a/memory.usage_in_bytes 104857600; "
                               "put $g/a/memory.memsw.limit_in_bytes 314572800; "
                               "put $g/a/memory.memsw.usage_in_bytes 157286400"),
                     less(150 * MIB));
}

/* The memory of this machine can be allocated. */
TEST(what_it_says_of_itself_can_be_had)
{
    int64_t left = os_memory_available();
    assert_true(left >= 0);
    if (left == INT64_MAX)
        skip_because("needs /proc/meminfo");
    assert_true(left < 1LL << 60);
}
