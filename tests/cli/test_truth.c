/* Reads that are not reported as cached come from the device, by the device's own
 * counters. */
/* Marks: alone posix native */
#include "support.h"

#include <inttypes.h>
#include <sys/mman.h>

#define FALLBACK ": evicting the page cache before each request instead\n"
#define UNALIGNED \
    "direct I/O needs a request size and an offset that are multiples of 512"
#define PACKED "compressed data goes through the page cache"
#define QUIETLY "direct I/O goes through the page cache here"
#define REQUESTS 40

/* The file systems of the tests that are made for each. */
static const struct place {
    const char *name;
} places[] = {{"on ext4"}, {"on xfs"}, {"on btrfs"}};

static const char *
place_of(void **state)
{
    const struct place *place = *state;
    return place->name + strlen("on ");
}

struct reads {
    int64_t requests, sectors;
};

/* Returns the reads of the device under PLACE so far, by its own counters. */
static struct reads
count_reads(const char *place)
{
    struct reads reads = {-1, -1};
    struct result result =
        command("device=%s; [ -b $device ] || device=$(df --output=source $device | "
                "tail -1); cat /sys/class/block/$(basename $(realpath $device))/stat",
                place);
    if (sscanf(result.out, "%" SCNd64 " %*s %" SCNd64, &reads.requests, &reads.sectors) !=
        2)
        skip_because("the disk does not tell how much it has read");
    command_free(&result);
    return reads;
}

/* Runs ioping and checks that the device did at least MINIMUM reads meanwhile. */
static struct result
run_on_device(const char *place, int minimum, const char *arguments)
{
    struct reads before = count_reads(place);
    struct result result = command_status(0, "ioping %s", arguments);
    struct reads after = count_reads(place);
    if (after.requests - before.requests < minimum)
        fail_msg("the device did %" PRId64 " reads, not %d: ioping %s\n%s%s",
                 after.requests - before.requests, minimum, arguments, result.out,
                 result.err);
    return result;
}

/* Where a file is, what happened to it, how it is read, and what must be said. */
struct scene {
    const char *place;  /* a mounted image, or "." */
    const char *before; /* "written" or "read" */
    const char *options;
    const char *reason; /* of the fallback; NULL: direct */
};

static const struct scene scenes[] = {
    {".", "written", "-s 1000", UNALIGNED},
    {".", "read", "-s 1000", UNALIGNED},
    {".", "written", "-o 100", UNALIGNED},
    {".", "read", "-o 100", UNALIGNED},
    {".", "written", "", NULL},
    {".", "read", "", NULL},
    {"ext4", "written", "-s 1000", UNALIGNED},
    {"ext4", "read", "-s 1000", UNALIGNED},
    {"ext4", "written", "-o 100", UNALIGNED},
    {"ext4", "read", "-o 100", UNALIGNED},
    {"ext4", "written", "", NULL},
    {"ext4", "read", "", NULL},
    {"ext4", "written", "-s 512", NULL},
    {"ext4", "read", "-s 512", NULL},
    {"ext4", "written", "-o 512", NULL},
    {"ext4", "read", "-o 512", NULL},
    {"ext4", "read", "-L -s 1000", UNALIGNED},
    {"ext4", "read", "-s 3000000", UNALIGNED},
    {"xfs", "written", "-s 1000", UNALIGNED},
    {"xfs", "read", "-s 1000", UNALIGNED},
    {"xfs", "written", "-o 100", UNALIGNED},
    {"xfs", "read", "-o 100", UNALIGNED},
    {"xfs", "written", "", NULL},
    {"xfs", "read", "", NULL},
    {"xfs", "read", "-L -s 1000", UNALIGNED},
    {"btrfs", "written", "-s 1000", QUIETLY},
    {"btrfs", "read", "-s 1000", QUIETLY},
    {"btrfs", "written", "-o 100", QUIETLY},
    {"btrfs", "read", "-o 100", QUIETLY},
    {"btrfs", "written", "-s 512", QUIETLY},
    {"btrfs", "read", "-s 512", QUIETLY},
    {"btrfs", "written", "", NULL},
    {"btrfs", "read", "", NULL},
};

static void
prepare(const struct scene *scene)
{
    if (strcmp(scene->place, ".") != 0)
        mount_once(scene->place);
    shell("rm -f %s/f", scene->place);
    shell("dd if=/dev/urandom of=%s/f bs=1M count=8 2>&1", scene->place);
    if (strcmp(scene->before, "read") == 0)
        shell("cd %s && sync f && cat f f >/dev/null", scene->place);
}

static void
reads_reach_the_device(void **state)
{
    need_resident();
    const struct scene *scene = *state;
    char arguments[128], note[256] = "";
    prepare(scene);
    snprintf(arguments, sizeof(arguments), "-J -c %d -a 0 -i 0 -e 7 %s %s/f", REQUESTS,
             scene->options, scene->place);
    struct result result = run_on_device(scene->place, REQUESTS, arguments);
    if (scene->reason)
        snprintf(note, sizeof(note), "ioping: %s/f: %s" FALLBACK, scene->place,
                 scene->reason);
    assert_string_equal(result.err, note);
    assert_contains(result.out,
                    scene->reason ? "\"mode\": \"nocache\"\n" : "\"mode\": \"direct\"\n");
    assert_contains(result.out, "\"stat\": {\n    \"count\": 40,");
    assert_lacks(result.out, "cached");
    command_free(&result);
}

/* A file of which the page cache cannot let go: this program maps its head. */
struct mapped {
    const char *place;
    size_t length;
    volatile char *memory;
};

static void
map_head(struct mapped *mapped)
{
    char path[1200];
    struct scene scene = {.place = mapped->place, .before = "read"};
    prepare(&scene);
    snprintf(path, sizeof(path), "%s/%s/f", scratch(), mapped->place);
    int fd = open(path, O_RDONLY);
    mapped->memory = mmap(NULL, mapped->length, PROT_READ, MAP_SHARED, fd, 0);
    close(fd);
    assert_true(mapped->memory != MAP_FAILED);
    for (size_t i = 0; i < mapped->length; i += 4096)
        (void)mapped->memory[i];
}

static void
unmap_head(struct mapped *mapped)
{
    munmap((void *)(uintptr_t)mapped->memory, mapped->length);
}

/* Counts the requests that were called cached; each must be in the mapped part. */
static int
check_verdicts(const char *json, int64_t mapped)
{
    int cached = 0, requests = 0;
    for (const char *at = json; (at = strstr(at, "\"offset\": ")); requests++) {
        int64_t offset = atoll(at += 10);
        const char *verdict = strstr(at, "\"notice\": \"cached\"");
        const char *end = strchr(at, '}');
        bool is_cached = verdict && verdict < end;
        if (is_cached != (offset < mapped))
            fail_msg("offset %" PRId64 " is%s called cached", offset,
                     is_cached ? "" : " not");
        cached += is_cached;
    }
    assert_int_equal(requests, REQUESTS);
    return cached;
}

/* At 4 MiB neither a request nor a piece of the page cache lies across. */
TEST_EACH(mapped_pages_are_called_cached, places)
{
    need_resident();
    char arguments[128], text[256];
    struct mapped mapped = {.place = place_of(state), .length = 4 << 20};
    map_head(&mapped);
    snprintf(arguments, sizeof(arguments), "-J -c %d -a 0 -i 0 -e 7 -s 256 %s/f",
             REQUESTS, mapped.place);
    struct result result = run_on_device(mapped.place, 0, arguments);
    int cached = check_verdicts(result.out, 4 << 20);
    command_free(&result);
    assert_in_range(cached, 10, 30);
    snprintf(arguments, sizeof(arguments), "-c %d -a 0 -i 0 -e 7 -s 256 %s/f", REQUESTS,
             mapped.place);
    result = run_on_device(mapped.place, REQUESTS - cached, arguments);
    unmap_head(&mapped);
    snprintf(text, sizeof(text), "\n%d requests completed in ", REQUESTS - cached);
    assert_contains(result.out, text);
    assert_contains(result.out, "\ngenerated 40 requests in ");
    snprintf(text, sizeof(text),
             "\nioping: %d of 40 requests were answered from memory, not by the "
             "device; use -s %s (direct I/O), or use -C to measure the cache\n",
             cached, strcmp(mapped.place, "btrfs") == 0 ? "4k" : "512");
    assert_contains(result.err, text);
    command_free(&result);
}

TEST_EACH(mapped_pages_do_not_hinder_direct_reads, places)
{
    need_resident();
    char arguments[128];
    struct mapped mapped = {.place = place_of(state), .length = 8 << 20};
    map_head(&mapped);
    snprintf(arguments, sizeof(arguments), "-J -c %d -a 0 -i 0 -e 7 %s/f", REQUESTS,
             mapped.place);
    struct result result = run_on_device(mapped.place, REQUESTS, arguments);
    unmap_head(&mapped);
    assert_string_equal(result.err, "");
    assert_contains(result.out, "\"mode\": \"direct\"\n");
    assert_contains(result.out, "\"stat\": {\n    \"count\": 40,");
    command_free(&result);
}

TEST(nothing_counts_when_all_is_cached)
{
    need_resident();
    struct mapped mapped = {.place = "ext4", .length = 8 << 20};
    map_head(&mapped);
    shell("head -c 1M /dev/urandom >%s && sync other", "other");
    struct result result = command_status(3, "ioping -q -c 9 -i 0 -s 1000 -a 2 ext4/f");
    expect(3, NULL, NULL, "ioping -B -c 9 -i 0 -s 1000 -a 2 ext4/f other");
    unmap_head(&mapped);
    assert_contains(result.out, "\n0 requests completed in 0 ns, 0 B read, 0 iops, ");
    assert_contains(result.out, "\ngenerated 9 requests in ");
    assert_string_equal(
        result.err,
        "ioping: ext4/f: " UNALIGNED FALLBACK
        "ioping: 9 of 9 requests were answered from memory, not by the "
        "device; use -s 1k (direct I/O), or use -C to measure the "
        "cache\nioping: none of the 9 requests counted: 9 came from memory\n");
    command_free(&result);
}

/* The word after WORD in TEXT, and more words up to END. */
static void
take_advice(const char *text, const char *word, const char *end, char *advice,
            size_t size)
{
    const char *from = strstr(text, word), *to = from ? strstr(from, end) : NULL;
    if (!to)
        fail_msg("no advice: %s", text);
    snprintf(advice, size, "%.*s", (int)(to - from - (long)strlen(word)),
             from + strlen(word));
}

/* The options that the note advises lead to the device. */
TEST_EACH(advice_leads_to_the_device, places)
{
    need("resident direct_io");
    static const char *const odd[] = {"-s 1000", "-o 100", "-s 1000 -o 100 -S 1m"};
    struct mapped mapped = {.place = place_of(state), .length = 8 << 20};
    map_head(&mapped);
    for (size_t i = 0; i < LENGTH(odd); i++) {
        char advice[64], arguments[256];
        struct result result =
            command_status(3, "ioping -q -c 9 -a 0 -i 0 %s %s/f", odd[i], mapped.place);
        take_advice(result.err, "; use ", " (direct I/O)", advice, sizeof(advice));
        command_free(&result);
        snprintf(arguments, sizeof(arguments), "-D -q -c 9 -a 0 -i 0 %s %s %s/f", odd[i],
                 advice, mapped.place);
        result = run_on_device(mapped.place, 9, arguments);
        assert_string_equal(result.err, "");
        assert_contains(result.out, "\n9 requests completed in ");
        command_free(&result);
        result = command_status(2, "ioping -D -q -c 9 -a 0 -i 0 %s %s/f", odd[i],
                                mapped.place);
        assert_contains(result.err, advice);
        command_free(&result);
        result = command_status(0, "ioping -C -q -c 9 -a 0 -i 0 %s %s/f", odd[i],
                                mapped.place);
        assert_contains(result.out, "\n9 requests completed in ");
        command_free(&result);
    }
    unmap_head(&mapped);
}

TEST(compressed_file_is_not_said_to_be_direct)
{
    need_resident();
    mount_once("btrfs");
    shell("cd %s && mount -o remount,compress=zstd . && yes | head -c 4M >packed && "
          "mount -o remount,compress=no . && sync packed && cat packed >/dev/null",
          "btrfs");
    struct result result = run_on_device("btrfs", 40, "-J -c 40 -a 0 -i 0 btrfs/packed");
    assert_string_equal(result.err, "ioping: btrfs/packed: " PACKED FALLBACK);
    assert_contains(result.out, "\"mode\": \"nocache\"\n");
    assert_contains(result.out, "\"stat\": {\n    \"count\": 40,");
    command_free(&result);
    expect(2, NULL,
           "ioping: btrfs/packed: " PACKED "; leave out -D to measure without it\n",
           "ioping -D -c 1 btrfs/packed");
}

/* A file whose cached pages cannot be seen is not called direct, even while it is mapped.
 */
TEST(compressed_and_mapped_file_is_not_said_to_be_direct)
{
    need_resident();
    struct mapped mapped = {.place = "btrfs", .length = 8 << 20};
    map_head(&mapped);
    shell("cd %s && mount -o remount,compress=zstd . && yes | head -c 8M >f && mount -o "
          "remount,compress=no . && sync f",
          "btrfs");
    for (size_t i = 0; i < mapped.length; i += 4096)
        (void)mapped.memory[i];
    struct result result = command_status(3, "ioping -J -c 5 -i 0 btrfs/f");
    struct result direct = command_status(2, "ioping -D -c 5 -i 0 btrfs/f");
    unmap_head(&mapped);
    assert_contains(result.out, "\"mode\": \"nocache\"\n");
    assert_contains(result.out, "\"notice\": \"cached\"");
    assert_contains(result.err, "; name another file, or use -C to measure the cache\n");
    assert_string_equal(direct.err,
                        "ioping: btrfs/f: " PACKED
                        "; name another file, or use -C instead to measure the cache\n");
    command_free(&direct);
    command_free(&result);
}

/* So small a file can live among the names, in memory: no request reaches the disk, and
 * that is said. */
TEST(inline_file_is_not_measured_in_silence)
{
    need_resident();
    mount_once("btrfs");
    shell("head -c 1000 /dev/urandom >%s/small && sync btrfs/small", "btrfs");
    struct reads before = count_reads("btrfs");
    struct result result = command("ioping -q -c 10 -i 0 -s 1000 btrfs/small");
    int64_t reads = count_reads("btrfs").requests - before.requests;
    const char *second = strchr(result.err, '\n');
    assert_non_null(second);
    if (reads < 10 && second[1] == '\0')
        fail_msg("%" PRId64 " reads for 10 requests, and no word of it: %s", reads,
                 result.err);
    command_free(&result);
}

/* cachestat(2) counts the wrong cache on an overlay. */
TEST(overlay_file_is_read_from_the_device)
{
    need_resident();
    mount_once("ext4");
    shell("mkdir %s/up ext4/low ext4/work layers && mount -t overlay overlay -o "
          "lowerdir=ext4/low,upperdir=ext4/up,workdir=ext4/work layers && "
          "dd if=/dev/urandom of=layers/f bs=1M count=8 2>&1",
          "ext4");
    const char *const before[] = {"true", "cat layers/f layers/f >/dev/null"};
    for (int i = 0; i < 2; i++) {
        shell("%s", before[i]);
        struct result result =
            run_on_device("ext4", 40, "-J -c 40 -a 0 -i 0 -s 1000 layers/f");
        assert_string_equal(result.err, "ioping: layers/f: " UNALIGNED FALLBACK);
        assert_contains(result.out, "\"stat\": {\n    \"count\": 40,");
        command_free(&result);
    }
    shell("umount %s", "layers");
}

TEST(mapped_pages_under_overlay_are_called_cached)
{
    need_resident();
    char path[1200];
    mount_once("ext4");
    shell("mkdir %s/up2 ext4/low2 ext4/work2 layers2 && mount -t overlay overlay -o "
          "lowerdir=ext4/low2,upperdir=ext4/up2,workdir=ext4/work2 layers2 && head -c 1M "
          "/dev/urandom >layers2/f && sync layers2/f",
          "ext4");
    snprintf(path, sizeof(path), "%s/layers2/f", scratch());
    int fd = open(path, O_RDONLY);
    char *memory = mmap(NULL, 1 << 20, PROT_READ, MAP_SHARED | MAP_POPULATE, fd, 0);
    close(fd);
    assert_true(memory != MAP_FAILED);
    struct result result = command_status(3, "ioping -q -c 5 -i 0 -s 1000 layers2/f");
    munmap(memory, 1 << 20);
    assert_contains(result.err, "ioping: 5 of 5 requests were answered from memory");
    command_free(&result);
    shell("umount %s", "layers2");
}

/* Odd sizes, so that the end of the file lies in the middle of a page. */
TEST_EACH(small_files_and_ends_are_read_from_the_device, places)
{
    need_resident();
    static const struct {
        int size;
        const char *options;
    } cases[] = {
        {4096, "-s 1000"},
        {5000, "-s 1000"},
        {2098152, "-s 1000 -o 2097152"},
        {8389607, "-s 999 -o 8388608"},
        {3000000, "-s 3000000"},
    };
    const char *place = place_of(state);
    mount_once(place);
    for (size_t i = 0; i < LENGTH(cases); i++) {
        char arguments[128];
        shell("rm -f %s/f && head -c %d /dev/urandom >%s/f && cat %s/f", place,
              cases[i].size, place, place);
        snprintf(arguments, sizeof(arguments), "-J -c 10 -a 0 -i 0 %s %s/f",
                 cases[i].options, place);
        struct result result = run_on_device(place, 10, arguments);
        assert_contains(result.out, "\"stat\": {\n    \"count\": 10,");
        assert_contains(result.err, FALLBACK);
        command_free(&result);
    }
}

/* A request of 3000000 bytes is 5860 sectors and more. */
TEST_EACH(large_requests_are_read_as_a_whole, places)
{
    struct scene scene = {.place = place_of(state), .before = "read"};
    char arguments[128];
    prepare(&scene);
    snprintf(arguments, sizeof(arguments), "-q -c 5 -i 0 -s 3000000 %s/f", scene.place);
    struct reads before = count_reads(scene.place);
    struct result result = run_on_device(scene.place, 5, arguments);
    assert_true(count_reads(scene.place).sectors - before.sectors >= 5LL * 5860);
    command_free(&result);
}

/* Pages read ahead would make the next request fast. */
TEST_EACH(nothing_is_read_ahead, places)
{
    struct scene scene = {.place = place_of(state), .before = "read"};
    char arguments[128];
    prepare(&scene);
    snprintf(arguments, sizeof(arguments), "-q -L -c 40 -i 0 -s 1000 %s/f", scene.place);
    struct reads before = count_reads(scene.place);
    struct result result = run_on_device(scene.place, 40, arguments);
    int64_t sectors = count_reads(scene.place).sectors - before.sectors;
    /* Two pages each at most, and a few for what describes the file. */
    assert_in_range(sectors, 40 * 8, 40 * 16 + 256);
    command_free(&result);
}

TEST(block_device_is_read_past_the_cache)
{
    char device[64], arguments[128], path[64];
    mount_once("ext4");
    struct result result = command_status(
        0, "head -c 8M /dev/urandom >block.img && attach -f --show block.img");
    snprintf(device, sizeof(device), "%.*s", (int)strcspn(result.out, "\n"), result.out);
    command_free(&result);
    snprintf(path, sizeof(path), "%s", device);
    /* Detached while it is open, it goes when this program does, however it ends. */
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    shell("losetup -d %s", device);
    shell("cat %s >/dev/null", device);
    snprintf(arguments, sizeof(arguments), "-J -c 40 -a 0 -i 0 -s 1000 %s", device);
    result = run_on_device(device, 40, arguments);
    close(fd);
    assert_contains(result.out, "\"mode\": \"nocache\"\n");
    assert_contains(result.out, "\"stat\": {\n    \"count\": 40,");
    command_free(&result);
}

TEST_EACH(holes_are_told, places)
{
    static const struct {
        const char *file;
        const char *options;
        const char *share; /* NULL: no hole */
    } cases[] = {
        {"head -c 1M /dev/urandom >h", "", NULL},
        {"truncate -s 1M h", "", "100"},
        {"head -c 256k /dev/urandom >h && truncate -s 1M h", "", "75"},
        {"head -c 256k /dev/urandom >h && truncate -s 1M h", "-S 256k", NULL},
        {"head -c 256k /dev/urandom >h && truncate -s 1M h", "-S 512k", "50"},
        {"head -c 256k /dev/urandom >h && truncate -s 1M h", "-o 256k", "100"},
        {"truncate -s 768k h && head -c 256k /dev/urandom >>h", "", "75"},
        {"truncate -s 768k h && head -c 256k /dev/urandom >>h", "-o 768k", NULL},
        {"head -c 1M /dev/urandom >h && truncate -s 3M h", "", "66.7"},
        {"head -c 1M /dev/urandom >h && fallocate -p -o 512k -l 128k h", "", "12.5"},
        {"fallocate -l 1M h", "", "100"},
        {"fallocate -l 1M h && dd if=/dev/urandom of=h bs=64k count=8 conv=notrunc,fsync",
         "", "50"},
    };
    const char *place = place_of(state);
    mount_once(place);
    for (size_t i = 0; i < LENGTH(cases); i++) {
        char line[128] = "";
        struct result result =
            command_status(0,
                           "cd %s && { rm -f h && %s; } 2>/dev/null && sync h && "
                           "ioping -B -c 2 -i 0 %s h",
                           place, cases[i].file, cases[i].options);
        if (cases[i].share)
            snprintf(line, sizeof(line),
                     "ioping: h: %s %% of the working set are holes: reading them "
                     "touches no device\n",
                     cases[i].share);
        assert_string_equal(result.err, line);
        command_free(&result);
    }
}

#define AS_NOBODY "setpriv --reuid=65534 --regid=65534 --clear-groups "

/* The kernel does not tell them what is cached; to others it says "all". */
TEST_EACH(users_who_cannot_write_are_not_told_cached, places)
{
    need_resident();
    const char *place = place_of(state);
    mount_once(place);
    need_users();
    struct result result =
        command("cp \"$IOPING\" %s/prober && chmod 755 %s %s/prober && " AS_NOBODY
                "$IOPING_RUNNER %s/prober -v",
                place, place, place, place);
    if (result.status != 0)
        skip_because("another user cannot reach the scratch folder");
    command_free(&result);
    for (int i = 0; i < 2; i++) {
        struct scene scene = {.place = place, .before = i ? "read" : "written"};
        prepare(&scene);
        struct reads before = count_reads(place);
        result = command_status(0,
                                "chmod 644 %s/f; " AS_NOBODY
                                "$IOPING_RUNNER %s/prober -J -c 40 -a 0 -i 0 -s 1000 "
                                "%s/f",
                                place, place, place);
        assert_contains(result.err, FALLBACK);
        assert_contains(result.out, "\"mode\": \"nocache\"\n");
        assert_true(count_reads(place).requests - before.requests >= 40);
        assert_contains(result.out, "\"stat\": {\n    \"count\": 40,");
        assert_lacks(result.out, "\"cached\"");
        command_free(&result);
    }
}

/* The kernel does not tell them what is cached, but what it had to read for them. */
TEST_EACH(mapped_pages_are_called_cached_to_users_who_cannot_write, places)
{
    need_resident();
    struct mapped mapped = {.place = place_of(state), .length = 8 << 20};
    static const char *const engines[] = {"", "-threads 2", "-A"};
    need("users direct_io");
    if (access("/proc/thread-self/io", F_OK) < 0)
        skip_because("needs a kernel that counts what it reads for a thread");
    map_head(&mapped);
    for (size_t i = 0; i < LENGTH(engines); i++) {
        struct result result = command(
            "chmod 644 %s/f; cp \"$IOPING\" %s/prober && chmod 755 %s %s/prober && "
            "%s/prober -v >/dev/null && " AS_NOBODY
            "$IOPING_RUNNER %s/prober -q -c 5 -a 0 -i 0 -s 1000 %s %s/f",
            mapped.place, mapped.place, mapped.place, mapped.place, mapped.place,
            mapped.place, engines[i], mapped.place);
        if (strstr(result.err, "setpriv") || !strstr(result.out, "generated"))
            skip_because("another user cannot reach the scratch folder");
        assert_contains(result.out, "\n0 requests completed in 0 ns, 0 B read, ");
        assert_contains(result.out, "\ngenerated 5 requests in ");
        assert_contains(result.err, "5 of 5 requests were answered from memory");
        assert_lacks(result.err, "cannot see");
        command_free(&result);
    }
    unmap_head(&mapped);
}

/* Compares reads with the log of the server, which has every read that reached it. */
static void
read_by_server(const char *place, const char *arguments)
{
    char path[128];
    snprintf(path, sizeof(path), "%s.log", place);
    shell(": >%s", path);
    struct result result = command_status(0, "ioping -J -c %d -a 0 -i 0 -e 7 %s %s/f",
                                          REQUESTS, arguments, place);
    assert_string_equal(result.err, "");
    assert_contains(result.out, "\"mode\": \"direct\"\n");
    assert_contains(result.out, "\"stat\": {\n    \"count\": 40,");
    command_free(&result);
    result = command_status(0, "wc -l <%s", path);
    if (atoi(result.out) < REQUESTS)
        fail_msg("%s of %d requests reached the server: %s", result.out, REQUESTS,
                 arguments);
    command_free(&result);
}

static const char *const shapes[] = {"", "-D", "-s 2k", "-s 1000", "-o 100 -D"};

TEST(server_that_caches_nothing_is_read_directly)
{
    need_direct_io();
    mount_fuse("uncached", "uncached,log=%s/uncached.log", scratch());
    prepare(&(struct scene){.place = "uncached", .before = "read"});
    for (size_t i = 0; i < LENGTH(shapes); i++)
        read_by_server("uncached", shapes[i]);
}

TEST(mapped_pages_do_not_hinder_direct_reads_of_a_server)
{
    need_direct_io();
    mount_fuse("served", "kernel_cache,log=%s/served.log", scratch());
    struct mapped mapped = {.place = "served", .length = 8 << 20};
    map_head(&mapped);
    for (size_t i = 0; i < LENGTH(shapes); i++)
        read_by_server("served", shapes[i]);
    unmap_head(&mapped);
}

static void
add_scenes(void)
{
    for (size_t i = 0; i < LENGTH(scenes); i++) {
        const struct scene *scene = &scenes[i];
        char name[80];
        bool disk = strcmp(scene->place, ".") == 0;
        snprintf(name, sizeof(name), "%s on %s%s%s", scene->before,
                 disk ? "disk" : scene->place, scene->options[0] ? " " : "",
                 scene->options);
        test_add_row("file_just", name, reads_reach_the_device, scene);
    }
}

AT_START(add_each_scene, add_scenes())
