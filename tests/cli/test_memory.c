/* A long run takes no more memory than a short one, and a run that needs more memory
 * than is available is refused. */
/* Marks: posix native */
#include "support.h"

#include "os/process.h"
#include "stats/stats.h"

/* Requests before the first look at the memory, and before the second. */
#define EARLY 10000
#define LATE 1000000
#define PAGES(count) ((count) * (sysconf(_SC_PAGESIZE) / 1024))
/* The statistics of three workers, of a period and of all, in KiB: their pages are
 * touched one by one, when a latency is the first of its kind. */
#define STATISTICS (long)(5 * sizeof(struct stats) / 1024)

/* An output format and the mark that stands in it once per request. */
struct form {
    const char *name, *arguments;
    char mark;
    int marks;
    int requests;
};

static const struct form forms[] = {
    {"raw", "exec \"$IOPING\" -C -i 0 -q -p 10000 data", '\n', 1, 10000},
    {"human", "exec \"$IOPING\" -C -i 0 data", '\n', 1, 1},
    {"json", "exec \"$IOPING\" -J -C -i 0 data", '{', 3, 1},
    {"queue", "exec \"$IOPING\" -U -depth 32 -C -i 0 -q -p 10000 data", '\n', 1, 10000},
    {"threads", "exec \"$IOPING\" -threads 3 -C -i 0 -q -p 10000 data", '\n', 1, 10000},
};

/* Memory of a process, KiB. */
struct memory {
    long all, own;
};

/* Measures the worker of a run. It is counted page by page, while the sums of
 * /proc/PID/status can be some pages late. */
static struct memory
measure(pid_t pid)
{
    char path[64], line[256];
    struct memory memory = {-1, -1};
    snprintf(path, sizeof(path), "/proc/%d/smaps_rollup", (int)worker_of(pid));
    FILE *file = fopen(path, "r");
    if (!file)
        return memory;
    while (fgets(line, sizeof(line), file)) {
        sscanf(line, "Rss: %ld kB", &memory.all);
        sscanf(line, "Anonymous: %ld kB", &memory.own);
    }
    fclose(file);
    return memory;
}

static pid_t
start(const char *shell, int *output)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        dup2(ends[1], 1);
        close(ends[0]);
        close(ends[1]);
        if (chdir(scratch()) == 0)
            execl("/bin/sh", "sh", "-c", shell, (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    *output = ends[0];
    return pid;
}

/* Reads on until WANTED marks were seen in all. */
static void
read_marks(int output, char mark, long wanted, long *seen)
{
    static char block[65536];
    while (*seen < wanted) {
        ssize_t size = read(output, block, sizeof(block));
        if (size <= 0)
            fail_msg("the output ends after %ld marks of %ld", *seen, wanted);
        for (const char *at = block; (at = memchr(at, mark, block + size - at)); at++)
            ++*seen;
    }
}

GROUP_SHELL("head -c 65536 /dev/urandom >data")

TEST_EACH(a_million_requests_take_the_memory_of_ten_thousand, forms)
{
    const struct form *form = *state;
    int output;
    long seen = 0;
    need_bare("the memory of valgrind and of sanitizers grows");
    if (strstr(form->arguments, " -U "))
        need_built_in(io_find_engine('U'));
    pid_t pid = start(form->arguments, &output);
    read_marks(output, form->mark, EARLY / form->requests * form->marks, &seen);
    struct memory early = measure(pid);
    read_marks(output, form->mark, LATE / form->requests * form->marks, &seen);
    struct memory late = measure(pid);
    kill(pid, SIGKILL);
    close(output);
    waitpid(pid, NULL, 0);
    if (early.all < 0)
        skip_because("needs /proc/PID/smaps_rollup");
    print_message(
        "%s: %ld KiB, %ld of them its own, after %d requests; %ld and %ld after "
        "%d\n",
        form->name, early.all, early.own, EARLY, late.all, late.own, LATE);
    assert_true(early.own > 0 && late.own > 0);
    assert_in_range(late.own, 0, early.own + STATISTICS + PAGES(1));
    assert_in_range(late.all, 0, early.all + STATISTICS + PAGES(2));
}

/* Memory that the workers of a step have not touched is not there, though those of the
 * steps before had the same. In a second each of them gets a request, or the sweep ends.
 */
TEST(the_steps_of_a_sweep_take_the_memory_of_one)
{
    int output;
    long seen = 0;
    need_bare("the memory of valgrind and of sanitizers grows");
    pid_t pid = start("exec \"$IOPING\" -sweep size=512..64k -threads 32 -w 1 -C -B "
                      "-S 64k data",
                      &output);
    read_marks(output, '\n', 1, &seen);
    struct memory early = measure(pid);
    read_marks(output, '\n', 6, &seen);
    struct memory late = measure(pid);
    kill(pid, SIGKILL);
    close(output);
    waitpid(pid, NULL, 0);
    if (early.all < 0 || late.all < 0)
        skip_because("needs /proc/PID/smaps_rollup");
    print_message("%ld KiB in the second step, %ld in the seventh\n", early.own,
                  late.own);
    assert_in_range(late.own, 1, early.own + 32 * 100);
}

/* Measures the memory of a run with these options once it is under way. */
static struct memory
measure_run(const char *options)
{
    char shell[128];
    int output;
    long seen = 0;
    snprintf(shell, sizeof(shell), "exec \"$IOPING\" %s -C -i 0 -q -p 10000 data",
             options);
    pid_t pid = start(shell, &output);
    read_marks(output, '\n', 20, &seen);
    struct memory memory = measure(pid);
    kill(pid, SIGKILL);
    close(output);
    waitpid(pid, NULL, 0);
    return memory;
}

/* Beyond its buffers: one of 4 KiB for each request under way. */
TEST(a_worker_takes_less_than_200_kib)
{
    static const struct {
        const char *one, *many;
        long buffers;
    } cases[] = {
        {"-threads 1", "-threads 33", 4},
        {"-A -threads 1", "-A -threads 33", 4},
        {"-U -depth 8 -threads 1", "-U -depth 8 -threads 33", 32},
    };
    need_bare("the memory of valgrind and of sanitizers grows");
    for (size_t i = 0; i < LENGTH(cases); i++) {
        if (strstr(cases[i].one, "-U") && !io_find_engine('U')->name)
            continue; /* the others are enough */
        struct memory one = measure_run(cases[i].one);
        struct memory many = measure_run(cases[i].many);
        if (one.all < 0)
            skip_because("needs /proc/PID/smaps_rollup");
        print_message("%s: %ld KiB; %s: %ld KiB\n", cases[i].one, one.all, cases[i].many,
                      many.all);
        assert_in_range((many.all - one.all) / 32, 1, 199 + cases[i].buffers);
    }
}

/* A run in the scratch folder with so many MiB for all of it; skips where that cannot be
 * had. */
static struct result
run_within(int size, const char *arguments)
{
    need_bare("valgrind and sanitizers take memory of their own");
    need_native("the emulator takes memory of its own");
    struct result result = command(
        "\"$IOPING_SOURCE\"/tests/support/shells/in-cgroup %d \"$IOPING\" -hang 0 "
        "%s",
        size << 20, arguments);
    if (result.status == 77)
        skip_because("needs root and a control group for memory");
    return result;
}

/* Runs that the kernel would kill, and their refusals. */
static const struct {
    const char *arguments, *error;
} large[] = {
    {"-s 250m .",
     "a request of 262144000 bytes in the # that are left; use a smaller -s"},
    {"-s 250m sparse",
     "a request of 262144000 bytes in the # that are left; use a smaller -s"},
    {"-WWW -s 250m sparse",
     "a request of 262144000 bytes in the # that are left; use a smaller -s"},
    {"-s 100m -threads 4 .",
     "4 requests of 104857600 bytes in the # that are left; use a "
     "smaller -s, or fewer -threads"},
    {"-s 100m sparse sparse", "2 requests of 104857600 bytes in the # that are left; use "
                              "a smaller -s"},
    {"-A -s 1m -depth 300 .",
     "300 requests of 1048576 bytes in the # that are left; use a "
     "smaller -s or -depth"},
    {"-A -s 1m -depth 60 -threads 5 sparse",
     "300 requests of 1048576 bytes in the # that are left; use a smaller -s or -depth, "
     "or fewer -threads"},
    {"-threads 1024 -plot p.svg .",
     "1024 requests of 4096 bytes in the # that are left; use fewer -threads"},
    {"-sweep threads=300..300 -s 1m .",
     "300 requests of 1048576 bytes in the # that are left; use a smaller -s, or fewer "
     "threads"},
};

TEST(a_run_without_memory_is_refused)
{
    if (os_memory_available() == INT64_MAX)
        skip_because("is built for a system that does not tell");
    shell("truncate -s 500m sparse");
    for (size_t i = 0; i < LENGTH(large); i++) {
        struct result result = run_within(200, large[i].arguments);
        char *error = masked(result.err), *expected;
        char line[400];
        snprintf(line, sizeof(line), "ioping: not enough memory for %s\n",
                 large[i].error);
        expected = masked(line);
        if (result.status != 2 || result.out[0] || strcmp(error, expected) != 0)
            fail_msg("%s: status %d\nstdout: %s\nstderr: %s", large[i].arguments,
                     result.status, result.out, result.err);
        free(error);
        free(expected);
        command_free(&result);
    }
}

TEST(a_working_file_in_memory_that_has_no_room_is_refused)
{
    if (os_memory_available() == INT64_MAX)
        skip_because("is built for a system that does not tell");
    if (access("/dev/shm", W_OK) < 0)
        skip_because("needs /dev/shm");
    struct result result = run_within(200, "-S 250m /dev/shm");
    assert_int_equal(result.status, 2);
    assert_matches(result.err,
                   "^ioping: /dev/shm: a working set of 250 MiB does not fit "
                   "into the [^\n]+ that are free; use a smaller -S, [^\n]+\n$");
    command_free(&result);
}

/* The question would take longer than the rest of the start. */
TEST(a_run_that_wants_little_does_not_ask)
{
    need_program("strace");
    need_bare("valgrind and sanitizers read files of their own");
    if (os_memory_available() == INT64_MAX)
        skip_because("is built for a system that does not tell");
    struct result result = command_status(0, "a_run_that_wants_little_does_not_ask");
    if (strstr(result.out, "0\n0\n") != result.out)
        fail_msg("%s", result.out);
    assert_string_not_equal(result.out, "0\n0\n0\n");
    command_free(&result);
}

/* The page cache gives its memory back. */
TEST(a_run_with_memory_is_not_refused)
{
    static const char *const cases[] = {
        "-s 1m .", "-s 100m sparse", "-s 50m -threads 3 .", "-A -s 1m -depth 150 sparse"};
    shell("truncate -s 500m sparse");
    for (size_t i = 0; i < LENGTH(cases); i++) {
        char arguments[128];
        snprintf(arguments, sizeof(arguments), "-c 4 -i 0 -q %s", cases[i]);
        struct result result = run_within(200, arguments);
        if (result.status != 0)
            fail_msg("%s: status %d\nstderr: %s", cases[i], result.status, result.err);
        command_free(&result);
    }
    need_bare("valgrind and sanitizers take memory of their own");
    shell("\"$IOPING_SOURCE\"/tests/support/shells/in-cgroup 209715200 sh -c '"
          "cat sparse >/dev/null; exec \"$IOPING\" -hang 0 -c 2 -i 0 -q -s 100m sparse'");
}
