/* However long a run is, it takes no more memory than a short one. */
#include "support.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

/* Requests before the first look at the memory, and before the second. */
#define EARLY 10000
#define LATE 1000000
#define PAGES(count) ((count) * (sysconf(_SC_PAGESIZE) / 1024))

static int
make_files(void **state)
{
    (void)state;
    struct result result = command_status(0, "head -c 65536 /dev/urandom >data");
    command_free(&result);
    return 0;
}

/* What stands so often in the output for so many requests. */
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
};

/* In KiB. */
struct memory {
    long all, own;
};

/* Counted page by page, while the sums of /proc/PID/status can be some pages late. */
static struct memory
measure(pid_t pid)
{
    char path[64], line[256];
    struct memory memory = {-1, -1};
    snprintf(path, sizeof(path), "/proc/%d/smaps_rollup", (int)pid);
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

static void
a_million_requests_take_the_memory_of_ten_thousand(void **state)
{
    const struct form *form = *state;
    int output;
    long seen = 0;
    need_bare("the memory of valgrind and of sanitizers grows");
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
    assert_in_range(late.own, 0, early.own + PAGES(1));
    assert_in_range(late.all, 0, early.all + PAGES(2));
}

int
main(void)
{
#define TEST(index, shape)                                                  \
    {                                                                       \
        "a_million_requests_take_the_memory_of_ten_thousand_" shape,        \
            a_million_requests_take_the_memory_of_ten_thousand, NULL, NULL, \
            (void *)(uintptr_t)&forms[index]                                \
    }
    const struct CMUnitTest tests[] = {
        TEST(0, "raw"),
        TEST(1, "human"),
        TEST(2, "json"),
    };
    return cmocka_run_group_tests_name("memory", tests, make_files, unmount_all);
}
