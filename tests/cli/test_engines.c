/* The program does what its options say with every engine, with one or several
 * requests in flight. */
/* Marks: 22s races posix each hardened */
#include "running.h"
#include "support.h"

#include <inttypes.h>

#define AIO_WAITS "Linux AIO sends one request at a time unless I/O is direct; use -U\n"

struct engine {
    const char *name, *options;
    int kind; /* 0, or the letter of its option */
    int depth;
};

static const struct engine engines[] = {
    {"sync", "", 0, 1},
    {"aio", "-A", 'A', 1},
    {"aio deep", "-A -depth 4", 'A', 4},
    {"uring", "-U", 'U', 1},
    {"uring deep", "-U -depth 4", 'U', 4},
};

static void
need_kind(int kind)
{
    if (kind == 'U')
        need_uring();
    if (kind == 'A')
        need_aio();
}

/* Those of which a test needs more at a time. */
static const struct engine deep[] = {{"aio", "-A -depth 8", 'A', 8},
                                     {"uring", "-U -depth 8", 'U', 8}};

/* The engine that a test is run with. */
static const struct engine *
need_engine(void **state)
{
    const struct engine *engine = *state;
    need_kind(engine->kind);
    return engine;
}

/* Runs, and what they say with -B: requests in the statistics, and all. */
static const struct {
    const char *arguments, *counts;
    const char *named; /* the target, if it is not read or written directly */
} runs[] = {
    {"-c 9 data", "8 9", NULL},
    {"-a 0 -c 9 data", "9 9", NULL},
    {"-a 5 -c 9 data", "4 9", NULL},
    {"-a 9 -c 5 data", "0 5", NULL},
    {"-L -c 9 data", "8 9", NULL},
    {"-s 512 -c 9 data", "8 9", NULL},
    {"-s 1m -c 9 data", "8 9", NULL},
    {"-s 3000 -c 9 data", "8 9", "data"},
    {"-s 3000 -L -c 9 data", "8 9", "data"},
    {"-S 64k -o 128k -c 9 data", "8 9", NULL},
    {"-C -c 9 data", "8 9", "data"},
    {"-D -c 9 data", "8 9", NULL},
    {"-Y -c 9 data", "8 9", NULL},
    {"-c 9 d", "8 9", NULL},
    {"-k -c 9 d; rm d/ioping.tmp", "8 9", NULL},
    {"-W -c 9 d", "8 9", NULL},
    {"-WL -s 4k -c 9 d", "8 9", NULL},
    {"-WC -c 9 d", "8 9", "d"},
    {"-Wy -c 9 d", "8 9", NULL},
    {"-W -s 3000 -c 9 d", "8 9", "d"},
    {"-G -c 9 d", "8 9", NULL},
    {"-GC -c 9 d", "8 9", "d"},
    {"-WWW -c 9 copy", "8 9", NULL},
    {"-GWW -c 9 copy", "8 9", NULL},
    {"-b 4 -i 1ms -c 9 data", "8 9", NULL},
    {"-i 1ms -c 9 data", "8 9", NULL},
    {"-r 1000 -c 9 data", "8 9", NULL},
    {"-l 4m -c 9 data", "8 9", NULL},
    {"-R -c 9 d", "8 9", NULL},
    {"-t 1h -c 9 data", "0 9", NULL},
    {"-T 1h -c 9 data", "8 9", NULL},
    {"-T 1ns -c 9 data", "0 9", NULL},
    {"-e 7 -c 9 data", "8 9", NULL},
    {"-hang 1h -E -c 9 data", "8 9", NULL},
    {"-w 1ns -a 0 -i 1h data", "1 1", NULL},
    {"-c 9 /dev/zero", "8 9", NULL},
    {"-s 8m -c 99 /dev/zero", "98 99", NULL},
    {"-C -WWW -c 9 /dev/zero", "8 9", NULL},
};

/* The messages of the first engine in each run. */
static char plain_err[LENGTH(runs)][512];

/* Returns true if the run ended well, with the messages of the run without an engine. */
static bool
is_as_told(const struct engine *engine, size_t run)
{
    char counts[32], err[1024] = "";
    bool waits = engine->kind == 'A' && engine->depth > 1 && runs[run].named;
    const char *arguments = runs[run].arguments;
    if (engine == &engines[0]) {
        struct result plain = command_status(0, "ioping -B -hang 0 -i 0 %s", arguments);
        snprintf(plain_err[run], sizeof(plain_err[run]), "%s", plain.err);
        command_free(&plain);
    }
    struct result result =
        command("{ ioping -B -hang 0 -i 0 %s %s; } >o; s=$?; cut -d' ' -f1,9 o; exit $s",
                engine->options, arguments);
    const char *plain = plain_err[run];
    const char *later = strstr(plain, "ioping: no request counted");
    size_t first = later ? (size_t)(later - plain) : strlen(plain);
    snprintf(counts, sizeof(counts), "%s\n", runs[run].counts);
    snprintf(err, sizeof(err), "%.*s%s%s%s%s", (int)first, plain, waits ? "ioping: " : "",
             waits ? runs[run].named : "", waits ? ": " AIO_WAITS : "", plain + first);
    bool told = result.status == 0 && strcmp(result.out, counts) == 0 &&
                strcmp(result.err, err) == 0;
    if (!told)
        print_error("%s %s: status %d\nstdout: %s\nstderr: %s\nnot: %s\n",
                    engine->options, arguments, result.status, result.out, result.err,
                    err);
    command_free(&result);
    return told;
}

GROUP_SETUP(make_files)

TEST_EACH(every_option_means_the_same, engines)
{
    const struct engine *engine = need_engine(state);
    int different = 0;
    need_direct("data");
    for (size_t i = 0; i < LENGTH(runs); i++)
        different += !is_as_told(engine, i);
    assert_int_equal(different, 0);
    expect(0, "", NULL, "ls -A d");
}

TEST_EACH(each_number_is_told_once, engines)
{
    const struct engine *engine = need_engine(state);
    expect(0,
           "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 1\n"
           "1\n22 requests completed\ngenerated 23 requests\n",
           NULL, "each_number_is_told_once %s", engine->options);
}

TEST_EACH(records_add_up_to_the_summary, engines)
{
    static const char *const shapes[][3] = {
        {"data", "25", "102400"},         {"-s 1m data", "25", "26214400"},
        {"-s 3000 data", "25", "75000"},  {"-L data", "25", "6553600"},
        {"-C -s 100 data", "25", "2500"}, {"-W -s 8k d", "25", "204800"},
        {"-G -s 1000 d", "25", "25000"},  {"-b 3 -i 1ms data", "25", "102400"},
    };
    const struct engine *engine = need_engine(state);
    need_program("jq");
    for (size_t i = 0; i < LENGTH(shapes); i++)
        expect(0, formatted("[%s,%s,true]\ntrue\n", shapes[i][1], shapes[i][2]), NULL,
               "records_add_up_to_the_summary %d %s %s", engine->depth, engine->options,
               shapes[i][0]);
}

/* The requests, in the order of their numbers, are those of the plain system calls. */
TEST_EACH(a_seed_gives_the_same_requests, engines)
{
    static const char *const shapes[] = {"-e 7 data",   "-e 7 -s 1000 data",
                                         "-e 8 -G d",   "-L -s 4k -o 8k -S 20k data",
                                         "-GL -s 4k d", "-e 9 -C data"};
    const struct engine *engine = need_engine(state);
    need_program("jq");
    for (size_t i = 0; i < LENGTH(shapes); i++)
        expect(0, "24\n24\n", NULL, "a_seed_gives_the_same_requests '%s' %s", shapes[i],
               engine->options);
}

TEST_EACH(offsets_stay_in_the_working_set, engines)
{
    const struct engine *engine = need_engine(state);
    need_program("jq");
    expect(0, "[16,17,18,19,20,21,22,23]\n", NULL,
           "ioping -J -e 3 -c 200 -i 0 -s 4k -S 32k -o 64k %s data | jq -c '[.[] | .io | "
           "select(.) | .offset / 4096] | unique'",
           engine->options);
}

TEST_EACH(raw_lines_and_time_stamps, engines)
{
    const struct engine *engine = need_engine(state);
    expect(0, "3 3\n3 3\n3 3\n3 3\n3\n", NULL,
           "ioping -q -p 3 -a 0 -c 12 -i 0 %s data | cut -d' ' -f1,9; ioping -I%%s -a 0 "
           "-c 3 -i 0 %s data | grep -cE '^[0-9]{10} 4 KiB <<< data'",
           engine->options, engine->options);
}

TEST_EACH(distribution_and_limits, engines)
{
    const struct engine *engine = need_engine(state);
    need_program("jq");
    expect(5, "[40,[\"50\",\"99.9\"],true,true,true,true]\n8\n",
           "~^ioping: p50 < 1 ns: FAIL \\([0-9.]+ [mu]?s\\)\n$",
           "distribution_and_limits %s", engine->options);
}

/* A read from memory need not wait; a disk may answer in time too. */
TEST_EACH(not_waiting_is_no_failure_of_the_run, engines)
{
    const struct engine *engine = need_engine(state);
    need_native("needs an emulator that has preadv2(2)");
    need_direct("data");
    struct result result =
        command_status(0, "not_waiting_is_no_failure_of_the_run %s", engine->options);
    assert_matches(result.out, "^([0-9])\n([1-9]\n)?8 9\n$");
    if (result.out[0] != '0')
        assert_int_equal(result.out[0], result.out[2]);
    command_free(&result);
}

/* Some disks can be polled, but nothing else can. */
TEST_EACH(priority_is_taken_or_done_without, engines)
{
    static const char direct[] =
        "^(ioping: data: (the device cannot be polled|cannot tell whether the device can "
        "be polled); continuing without -hipri\n)?$";
    static const char *const cases[][2] = {
        {"data", direct},
        {"-C data",
         "^ioping: data: only direct I/O can be polled; continuing without -hipri\n$"},
        {"-W d", "^ioping: d: a flush cannot be polled; continuing without -hipri\n$"},
        {"-G d", "^ioping: d: a flush cannot be polled; continuing without -hipri\n$"},
    };
    const struct engine *engine = need_engine(state);
    need_native("needs an emulator that has preadv2(2)");
    need_direct("data");
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct result result = command_status(
            0,
            "ioping -hang 0 -H -B -c 9 -i 0 %s %s >o; s=$?; cut -d' ' -f1,9 o; exit $s",
            engine->options, cases[i][0]);
        assert_string_equal(result.out, "8 9\n");
        if (engine->kind == 'U')
            assert_matches(result.err, cases[i][1]);
        else
            assert_lacks(result.err, "-hipri");
        command_free(&result);
    }
}

/* A loop device on disk.img, which is made by command MAKE. Closed by the caller, then
 * gone. */
static int
attach(const char *make, char device[64])
{
    need_loops();
    struct result result =
        command_status(0, "rm -f disk.img && { %s; } && attach -f --show disk.img", make);
    snprintf(device, 64, "%.*s", (int)strcspn(result.out, "\n"), result.out);
    command_free(&result);
    return hold_loop(device);
}

#define BLOCK 4096
#define BLOCKS 64
#define ZEROS "head -c 256k /dev/zero >disk.img && sync disk.img"

/* Reads the data of the device, past the page cache. */
static const char *
read_blocks(const char *device)
{
    static char data[BLOCKS * BLOCK] __attribute__((aligned(BLOCK)));
    int fd = open(device, O_RDONLY | O_DIRECT | O_CLOEXEC);
    assert_int_equal(read(fd, data, sizeof(data)), sizeof(data));
    close(fd);
    return data;
}

/* Which blocks are no longer zero, as jq prints a list. */
static void
list_changed(const char *data, char list[512])
{
    static const char zero[BLOCK];
    size_t length = 0;
    for (int i = 0; i < BLOCKS; i++)
        if (memcmp(data + i * BLOCK, zero, BLOCK) != 0)
            length += (size_t)sprintf(list + length, "%c%d", length ? ',' : '[', i);
    sprintf(list + length, "]\n");
}

TEST_EACH(writes_are_on_the_device, engines)
{
    static const char *const shapes[] = {
        "-WWW -e 5 -c 20",  "-WWW -L -s 4k -S 64k -o 64k -c 16",
        "-GWW -e 5 -c 21",  "-WWW -s 1000 -e 6 -c 9",
        "-WWWC -e 5 -c 20", "-WWWL -s 128k -c 2"};
    const struct engine *engine = need_engine(state);
    char device[64], changed[512];
    need_program("jq");
    for (size_t i = 0; i < LENGTH(shapes); i++) {
        int fd = attach(ZEROS, device);
        struct result result = command_status(0, "writes_are_on_the_device %s %s %s",
                                              device, shapes[i], engine->options);
        list_changed(read_blocks(device), changed);
        close(fd);
        assert_string_equal(changed, result.out);
        command_free(&result);
    }
}

/* No two of them are the same, and none is what it was. */
TEST_EACH(every_write_has_data_of_its_own, engines)
{
    const struct engine *engine = need_engine(state);
    static char seen[2 * BLOCKS][BLOCK];
    char device[64];
    int fd = attach(ZEROS, device);
    for (int pass = 0; pass < 2; pass++) {
        shell("ioping -q -WWW -L -s 4k -c %d -i 0 %s %s", BLOCKS, engine->options,
              device);
        memcpy(seen[pass * BLOCKS], read_blocks(device), sizeof(seen) / 2);
    }
    close(fd);
    for (int i = 0; i < 2 * BLOCKS; i++)
        for (int j = 0; j < i; j++)
            if (memcmp(seen[i], seen[j], BLOCK) == 0)
                fail_msg("writes %d and %d are the same", j, i);
}

/* Nothing of a run may hold it when the program has ended. */
TEST_EACH(the_device_is_free_after_each_run, engines)
{
    const struct engine *engine = need_engine(state);
    char device[64];
    int fd = attach(ZEROS, device);
    struct result result =
        command("the_device_is_free_after_each_run %s %s", engine->options, device);
    close(fd);
    assert_string_equal(result.err, "");
    assert_string_equal(result.out, "8 9\n8 9\n8 9\n8 9\n8 9\n8 9\n8 9\n8 9\n");
    command_free(&result);
}

static int64_t
count_reads(const char *device)
{
    int64_t requests, merged;
    struct result result =
        command_status(0, "cat /sys/class/block/$(basename %s)/stat", device);
    assert_int_equal(sscanf(result.out, "%" SCNd64 " %" SCNd64, &requests, &merged), 2);
    command_free(&result);
    return requests + merged;
}

/* The device is so large that no two requests are near each other. */
static void
check_counts(const struct engine *engine)
{
    static const char *const shapes[] = {"", "-s 1000", "-L -s 4k", "-s 64k"};
    char device[64];
    int fd = attach("truncate -s 1T disk.img", device);
    for (size_t i = 0; i < LENGTH(shapes); i++) {
        int64_t reads;
        int tries = 0;
        do { /* again, if somebody else looked at what is a new device */
            int64_t before = count_reads(device);
            struct result result =
                command_status(0,
                               "ioping -B -e 7 -c 300 -a 0 -i 0 -threads 4 %s %s %s "
                               "2>e | cut -d' ' -f1,9",
                               engine->options, shapes[i], device);
            reads = count_reads(device) - before;
            assert_string_equal(result.out, "300 300\n");
            command_free(&result);
        } while (reads > 304 && ++tries < 5);
        /* A kernel that does not tell its alignment is asked by a few reads. */
        if (reads < 300 || reads > 304)
            fail_msg("%s %s: %" PRId64 " reads", engine->options, shapes[i], reads);
    }
    close(fd);
}

TEST_EACH(the_device_counts_as_many_reads, engines)
{
    check_counts(need_engine(state));
}

TEST_EACH(the_device_counts_as_many_reads_of_many, deep)
{
    check_counts(need_engine(state));
}

/* The device has lost its second half. */
TEST_EACH(a_device_that_lost_its_end_fails_there_only, deep)
{
    const struct engine *engine = need_engine(state);
    char device[64];
    need_program("jq");
    int fd = attach("head -c 8M /dev/zero >disk.img && sync disk.img", device);
    struct result result = command("a_device_that_lost_its_end_fails_there_only %s %s",
                                   engine->options, device);
    close(fd);
    assert_int_equal(result.status, 3);
    assert_string_equal(result.out, "[60,true,true,60,true,true]\n");
    assert_matches(
        result.err,
        "^ioping: request [0-9]+ failed: EIO \\((Input/output|I/O) error\\)\n$");
    command_free(&result);
}

TEST(a_frozen_file_system_holds_all_of_the_queue)
{
    need_kind('U');
    need_program("fsfreeze");
    mount_once("ext4");
    expect(3,
           "~^[0-9]+ requests completed in .* written, .*\ngenerated [0-9]+ requests in "
           ".*\nmin/avg/max/mdev = .*\n$",
           "~" SLOW "(ioping: request [0-9]+ has had no answer for [0-9.]+ "
           "m?s\n)+ioping: 4 requests still waiting after [0-9.]+ m?s\n" MISSED "$",
           "a_frozen_file_system_holds_all_of_the_queue");
}

TEST(an_engine_that_is_forbidden_is_refused)
{
    static const struct {
        const char *calls, *options, *line;
    } cases[] = {
        {"io_uring_setup", "-U",
         "ioping: io_uring is not available here: %s; use -A instead\n"},
        {"io_uring_setup", "-U -depth 8 -threads 2",
         "ioping: io_uring is not available here: %s; use -A instead\n"},
        {"io_setup", "-A",
         "ioping: Linux AIO is not available here: %s; use -U instead\n"},
        {"io_setup", "-A -depth 8 -threads 2",
         "ioping: Linux AIO is not available here: %s; use -U instead\n"},
    };
    static const struct {
        int number;
        const char *text;
    } errors[] = {{1, "Operation not permitted"}, {38, "Function not implemented"}};
    static const char *const targets[] = {"-J data", "-k d"};
    need_built_in(io_find_engine('U'));
    need_forbid();
    for (size_t i = 0; i < LENGTH(cases) * 2 * LENGTH(targets); i++) {
        size_t at = i / 2 / LENGTH(targets);
        char line[256];
        struct result result =
            command_status(2,
                           "\"$IOPING_FORBID\" %d %s \"$IOPING\" -hang 0 -c 3 -i 0 %s "
                           "%s; s=$?; ls -A d; "
                           "exit $s",
                           errors[i % 2].number, cases[at].calls, cases[at].options,
                           targets[i / 2 % LENGTH(targets)]);
        snprintf(line, sizeof(line), cases[at].line, errors[i % 2].text);
        assert_string_equal(result.err, line);
        assert_string_equal(result.out, "");
        command_free(&result);
    }
}

TEST(an_engine_does_without_the_other_one)
{
    static const char *const cases[][2] = {{"io_setup", "-U -depth 4"},
                                           {"io_uring_setup", "-A -depth 4"},
                                           {"io_setup,io_uring_setup", ""},
                                           {"io_uring_setup,io_uring_register", "-A"}};
    need_forbid();
    need_kind('U');
    need_kind('A');
    for (size_t i = 0; i < LENGTH(cases); i++)
        expect(
            0, "8 9\n", NULL,
            "\"$IOPING_FORBID\" 1 %s \"$IOPING\" -B -c 9 -i 0 %s data | cut -d' ' -f1,9",
            cases[i][0], cases[i][1]);
}

TEST(rings_need_no_more_than_to_be_set_up)
{
    static const char *const cases[][2] = {{"1", "-U"},
                                           {"1", "-U -depth 4"},
                                           {"38", "-U"},
                                           {"38", "-U -depth 4 -threads 2"}};
    need_forbid();
    need_kind('U');
    for (size_t i = 0; i < LENGTH(cases); i++)
        expect(
            0, "8 9\n", "",
            "\"$IOPING_FORBID\" %s io_uring_register \"$IOPING\" -hang 0 -B -c 9 -i 0 %s "
            "data >o; s=$?; cut -d' ' -f1,9 o; exit $s",
            cases[i][0], cases[i][1]);
}

/* Rings may need memory that is locked, buffers do; the one is told, the other not. */
TEST(little_memory_to_lock_is_told_or_done_with)
{
    static const char *const limits[] = {"0", "65536", "1048576"};
    need_users();
    need_kind('U');
    need_program("prlimit");
    for (size_t i = 0; i < LENGTH(limits); i++) {
        struct result result =
            command("little_memory_to_lock_is_told_or_done_with %s", limits[i]);
        if (i == 0 && result.status == 2) {
            assert_matches(result.err, "^ioping: io_uring is not available here: (Cannot "
                                       "allocate|Out of) memory; use -A instead\n$");
            assert_string_equal(result.out, "");
        } else {
            assert_int_equal(result.status, 0);
            assert_string_equal(result.err, "");
            assert_string_equal(result.out, "39 40\n");
        }
        command_free(&result);
    }
}
