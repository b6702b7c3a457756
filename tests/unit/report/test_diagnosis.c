/* The findings and sentences of -diagnose, from facts that tests make up. */
#include "../plan/planned.h"

#include "base/error.h"
#include "base/time.h"
#include "plot/plot.h"
#include "report/diagnosis.h"
#include "report/fold.h"
#include "report/report.h"
#include "report/writers.h"
#include "run/run.h"

/* The facts of a test: those of a fast disk on which nothing is known, with 600 reads. */
static struct diagnosis diagnosis;
static struct os_disk disk;
static struct job_sweep sweep;

/* Each depth doubles; the rate does as well, up to SLOTS, and beyond that the median. The
 * first step has MEDIAN ns. */
static void
set_steps(int64_t median, int64_t slots)
{
    sweep = (struct job_sweep){.count = 6, .highest_index = -1};
    for (int i = 0; i < sweep.count; i++) {
        int64_t depth = 1 << i;
        int64_t at_once = depth < slots ? depth : slots;
        sweep.steps[i] =
            (struct job_step){.value = depth,
                              .requests = 1000,
                              .iops = (double)at_once * 1e9 / (double)median,
                              .bps = (double)at_once * 4096e9 / (double)median,
                              .p50 = median * depth / at_once,
                              .p99 = 2 * median * depth / at_once};
    }
}

static void
set_up(int64_t median)
{
    struct diagnosis_facts *facts = &diagnosis.facts;

    disk = (struct os_disk){.path = "/dev/sdx",
                            .is_rotational = -1,
                            .is_removable = -1,
                            .queue_size = -1,
                            .disk_count = 1};
    set_steps(median, 1000);
    diagnosis = (struct diagnosis){.refusal = ""};
    *facts = (struct diagnosis_facts){
        .path = "/data",
        .fstype = "ext4",
        .device = "/dev/sdx1",
        .kind = OS_DIRECTORY,
        .has_disk = true,
        .disk = &disk,
        .failure = "",
        .trace_refusal = "not root",
        .request_size = 4096,
        .pause = 10 * MS,
        .paused = {600, median, median, 2 * median, 3 * median},
        .stream = {500, MS, MS, MS, MS},
        .stream_bps = 100e6,
        .commit = {300, 2 * MS, 2 * MS, 3 * MS, 4 * MS},
        .flush = {300, MS, MS, 2 * MS, 3 * MS},
        .depths = &sweep,
        .has_swept = true,
        .duration = 20 * SECOND,
        .other_rate = 0,
        .disk_busy = 1,
    };
}

static const struct diagnosis_findings *
judged(void)
{
    diagnosis_judge(&diagnosis.facts, &diagnosis.findings);
    return &diagnosis.findings;
}

/* Returns the text for people about the findings, which the caller frees. */
static char *
printed(void)
{
    struct report report = {.has_color = true};
    struct run_record record = {.kind = RECORD_DIAGNOSIS, .diagnosis = &diagnosis};

    diagnosis_print(&report, &record);
    assert_false(report.text.failed);
    return report.text.text;
}

/* All lines of the text for people fit, except for a line of a single word. */
static void
expect_lines_fit(void)
{
    char *text = printed();

    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        int columns = escape_count(line);
        if (strchr(line, '\033')) /* "\033[31mFAIL\033[0m" */
            columns -= 9;
        const char *word = line + strspn(line, " ");
        if (columns > FOLD_WIDTH && strchr(word, ' '))
            fail_msg("%d columns: %s", columns, line);
        if (line[strlen(line) - 1] == ' ')
            fail_msg("a space at the end: %s", line);
    }
    free(text);
}

/* The text for people has PART. */
static void
expect_printed(const char *part)
{
    char *text = printed();
    if (!strstr(text, part))
        fail_msg("\"%s\" not in:\n%s", part, text);
    free(text);
}

/* The program accepts the command that is worth trying next, if it is its own. Emulators
 * and some containers lack io_uring, which -sweep depth needs. */
static void
expect_accepted_advice(void)
{
    struct buffer text = {0};
    struct error error;
    struct plan plan;

    diagnosis_advice(&diagnosis, &text);
    char *quoted = strchr(text.text, '\'');
    if (quoted)
        strcpy(quoted, "x");
    bool is_own = strncmp(text.text, "ioping ", 7) == 0;
    if (is_own && planned_try(text.text + 7, &plan, &error) < 0 &&
        !strstr(error.why, "io_uring is not available here"))
        fail_msg("%s: %s", text.text, error.why);
    buffer_free(&text);
}

/* The findings are STATE, CLASS and CAUSE. */
static void
expect_judged(enum diagnosis_state state, enum storage_class class,
              enum diagnosis_cause cause)
{
    const struct diagnosis_findings *findings = judged();
    if (findings->state != state || findings->class != class || findings->cause != cause)
        fail_msg("%s, %s, %s; not %s, %s, %s", diagnosis_state_word(findings->state),
                 storage_ranges[findings->class].word,
                 diagnosis_cause_word(findings->cause), diagnosis_state_word(state),
                 storage_ranges[class].word, diagnosis_cause_word(cause));
    expect_lines_fit();
    expect_accepted_advice();
}

/* The answer is SENTENCE, and ADVICE is worth trying. */
static void
says(const char *sentence, const char *advice)
{
    struct buffer text = {0};

    judged();
    diagnosis_answer(&diagnosis, &text);
    assert_string_equal(text.text, sentence);
    buffer_clear(&text);
    diagnosis_advice(&diagnosis, &text);
    assert_string_equal(text.text, advice);
    buffer_free(&text);
    expect_lines_fit();
    expect_accepted_advice();
}

/* What the system says, and which class follows with which median. */
TEST(a_class_needs_figures_and_the_system)
{
    static const struct {
        const char *transport, *model;
        int rotational;
        bool is_virtual;
        int64_t median;
        enum diagnosis_state state;
        enum storage_class class;
        bool is_likeness;
        enum diagnosis_cause cause;
    } cases[] = {
        {"nvme", "", 0, false, 100 * US, DIAGNOSIS_FINE, CLASS_NVME, false, CAUSE_NONE},
        {"nvme", "", 0, false, 10 * US, DIAGNOSIS_FINE, CLASS_NVME, false, CAUSE_NONE},
        {"nvme", "", 0, false, 900 * US, DIAGNOSIS_SLOW, CLASS_NVME, false, CAUSE_NONE},
        {"nvme", "", 0, false, 2 * US, DIAGNOSIS_UNKNOWN, CLASS_UNKNOWN, false,
         CAUSE_CONTRADICTION},
        {"ata", "", 0, false, 200 * US, DIAGNOSIS_FINE, CLASS_SATA_SSD, false,
         CAUSE_NONE},
        {"ata", "", 0, false, 9 * MS, DIAGNOSIS_SLOW, CLASS_SATA_SSD, false, CAUSE_NONE},
        {"ata", "", 1, false, 12 * MS, DIAGNOSIS_FINE, CLASS_HARD_DISK, false,
         CAUSE_NONE},
        {"ata", "", 1, false, 60 * MS, DIAGNOSIS_SLOW, CLASS_HARD_DISK, false,
         CAUSE_NONE},
        {"ata", "", 1, false, 150 * US, DIAGNOSIS_UNKNOWN, CLASS_UNKNOWN, false,
         CAUSE_CONTRADICTION},
        {"ata", "", -1, false, 150 * US, DIAGNOSIS_FINE, CLASS_SSD, true, CAUSE_NONE},
        {"scsi", "", 0, false, 150 * US, DIAGNOSIS_FINE, CLASS_SSD, false, CAUSE_NONE},
        {"scsi", "", 1, false, 7 * MS, DIAGNOSIS_FINE, CLASS_HARD_DISK, false,
         CAUSE_NONE},
        /* USB bridges call everything rotational. */
        {"usb", "", 1, false, 300 * US, DIAGNOSIS_FINE, CLASS_SSD, true, CAUSE_NONE},
        {"usb", "", 1, false, 15 * MS, DIAGNOSIS_FINE, CLASS_HARD_DISK, true, CAUSE_NONE},
        {"mmc", "", 0, false, 600 * US, DIAGNOSIS_FINE, CLASS_SSD, true, CAUSE_NONE},
        {"mmc", "", 0, false, 15 * MS, DIAGNOSIS_UNKNOWN, CLASS_UNKNOWN, true,
         CAUSE_BETWEEN},
        /* A virtual disk may say anything. */
        {"virtio", "", 1, true, 150 * US, DIAGNOSIS_FINE, CLASS_SSD, true, CAUSE_NONE},
        {"virtio", "", 1, true, 3 * MS, DIAGNOSIS_UNKNOWN, CLASS_UNKNOWN, true,
         CAUSE_BETWEEN},
        {"virtio", "", 1, true, 12 * MS, DIAGNOSIS_FINE, CLASS_HARD_DISK, true,
         CAUSE_NONE},
        {"virtio", "", 1, true, 69 * MS, DIAGNOSIS_SLOW, CLASS_HARD_DISK, true,
         CAUSE_NONE},
        {"nvme", "QEMU NVMe Ctrl", 0, true, 150 * US, DIAGNOSIS_FINE, CLASS_SSD, true,
         CAUSE_NONE},
        {"nvme", "Amazon Elastic Block Store", 0, true, 500 * US, DIAGNOSIS_FINE,
         CLASS_CLOUD, false, CAUSE_NONE},
        {"nvme", "Amazon Elastic Block Store", 0, false, 30 * MS, DIAGNOSIS_SLOW,
         CLASS_CLOUD, false, CAUSE_NONE},
        {"nvme", "Amazon EC2 NVMe Instance Storage", 0, true, 100 * US, DIAGNOSIS_FINE,
         CLASS_SSD, true, CAUSE_NONE},
        {"scsi", "Google PersistentDisk", 0, true, 20 * US, DIAGNOSIS_UNKNOWN,
         CLASS_UNKNOWN, false, CAUSE_CONTRADICTION},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        set_up(cases[i].median);
        snprintf(disk.transport, sizeof(disk.transport), "%s", cases[i].transport);
        snprintf(disk.model, sizeof(disk.model), "%s", cases[i].model);
        disk.is_rotational = cases[i].rotational;
        disk.is_virtual = cases[i].is_virtual;
        expect_judged(cases[i].state, cases[i].class, cases[i].cause);
        if (cases[i].class != CLASS_UNKNOWN)
            assert_int_equal(diagnosis.findings.is_likeness, cases[i].is_likeness);
    }
}

TEST(file_systems_without_a_disk_have_classes_of_their_own)
{
    static const struct {
        const char *fstype;
        bool is_in_memory;
        int64_t median;
        enum diagnosis_state state;
        enum storage_class class;
        enum diagnosis_cause cause;
    } cases[] = {
        {"tmpfs", true, 2 * US, DIAGNOSIS_FINE, CLASS_MEMORY, CAUSE_NONE},
        {"nfs4", false, 400 * US, DIAGNOSIS_FINE, CLASS_NEAR_SERVER, CAUSE_NONE},
        {"fuse.sshfs", false, 26 * MS, DIAGNOSIS_FINE, CLASS_FAR_SERVER, CAUSE_NONE},
        {"nfs", false, 800 * MS, DIAGNOSIS_SLOW, CLASS_FAR_SERVER, CAUSE_NONE},
        {"nfs", false, 20 * US, DIAGNOSIS_UNKNOWN, CLASS_UNKNOWN, CAUSE_CONTRADICTION},
        {"fuse.other", false, 400 * US, DIAGNOSIS_UNKNOWN, CLASS_UNKNOWN, CAUSE_HIDDEN},
        {"fuse.other", false, 69 * MS, DIAGNOSIS_UNKNOWN, CLASS_UNKNOWN, CAUSE_HIDDEN},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        set_up(cases[i].median);
        diagnosis.facts.fstype = cases[i].fstype;
        diagnosis.facts.has_disk = false;
        diagnosis.facts.is_in_memory = cases[i].is_in_memory;
        expect_judged(cases[i].state, cases[i].class, cases[i].cause);
    }
}

/* Nothing is claimed without enough reads of the device itself. */
TEST(without_measurements_nothing_is_claimed)
{
    set_up(100 * US);
    diagnosis.facts.paused.count = 9;
    expect_judged(DIAGNOSIS_UNKNOWN, CLASS_UNKNOWN, CAUSE_NO_READS);

    set_up(100 * US);
    diagnosis.facts.paused = (struct diagnosis_times){0, -1, -1, -1, -1};
    diagnosis.facts.cached = 600;
    expect_judged(DIAGNOSIS_UNKNOWN, CLASS_UNKNOWN, CAUSE_PAGE_CACHE);

    set_up(100 * US);
    diagnosis.facts.mode = IO_MODE_CACHED;
    expect_judged(DIAGNOSIS_UNKNOWN, CLASS_UNKNOWN, CAUSE_PAGE_CACHE);

    set_up(100 * US);
    diagnosis.facts.request_size = 1 << 20;
    expect_judged(DIAGNOSIS_UNKNOWN, CLASS_UNKNOWN, CAUSE_LARGE_READS);

    set_up(100 * US);
    diagnosis.facts.failure = "request 7 failed: EIO (Input/output error)";
    expect_judged(DIAGNOSIS_FAILED, CLASS_UNKNOWN, CAUSE_NONE);

    set_up(100 * US);
    diagnosis.facts.from_memory = 61; /* of 600 */
    expect_judged(DIAGNOSIS_UNKNOWN, CLASS_UNKNOWN, CAUSE_PAGE_CACHE);
    diagnosis.facts.from_memory = 60;
    expect_judged(DIAGNOSIS_FINE, CLASS_SSD, CAUSE_NONE);

    set_up(100 * US);
    diagnosis.facts.hole_percent = 40;
    expect_judged(DIAGNOSIS_UNKNOWN, CLASS_UNKNOWN, CAUSE_HOLES);

    set_up(100 * US);
    diagnosis.facts.kind = OS_CHARACTER;
    diagnosis.facts.mode = IO_MODE_CACHED;
    diagnosis.facts.has_disk = false;
    expect_judged(DIAGNOSIS_UNKNOWN, CLASS_UNKNOWN, CAUSE_HIDDEN);

    /* Without p99, a disk may be slow, but not fine. */
    set_up(100 * US);
    diagnosis.facts.paused.p99 = -1;
    diagnosis.facts.paused.count = 50;
    expect_judged(DIAGNOSIS_UNKNOWN, CLASS_UNKNOWN, CAUSE_NO_READS);
    diagnosis.facts.paused.p50 = 69 * MS;
    set_steps(69 * MS, 1000);
    expect_judged(DIAGNOSIS_SLOW, CLASS_HARD_DISK, CAUSE_NONE);

    /* An interruption matters until the sweep has ended. */
    set_up(69 * MS);
    diagnosis.facts.was_interrupted = true;
    expect_judged(DIAGNOSIS_SLOW, CLASS_HARD_DISK, CAUSE_NONE);
    diagnosis.facts.has_swept = false;
    expect_judged(DIAGNOSIS_UNKNOWN, CLASS_UNKNOWN, CAUSE_INTERRUPTED);
    snprintf(disk.limit.group, sizeof(disk.limit.group), "/a");
    disk.limit.requests_per_s = 60;
    expect_judged(DIAGNOSIS_UNKNOWN, CLASS_UNKNOWN, CAUSE_INTERRUPTED);
}

static void
set_nvme(int64_t median)
{
    set_up(median);
    snprintf(disk.transport, sizeof(disk.transport), "nvme");
    disk.is_rotational = 0;
}

TEST(each_cause_has_its_evidence)
{
    set_nvme(3 * MS);
    diagnosis.facts.other_rate = 840;
    diagnosis.facts.disk_busy = 95;
    expect_judged(DIAGNOSIS_SLOW, CLASS_NVME, CAUSE_OTHERS);
    diagnosis.facts.other_rate = 20; /* fewer than ioping's own */
    expect_judged(DIAGNOSIS_SLOW, CLASS_NVME, CAUSE_NONE);
    diagnosis.facts.other_rate = 840;
    diagnosis.facts.disk_busy = 20;
    expect_judged(DIAGNOSIS_SLOW, CLASS_NVME, CAUSE_NONE);

    set_nvme(3 * MS);
    set_steps(100 * US, 1000);
    expect_judged(DIAGNOSIS_SLOW, CLASS_NVME, CAUSE_PAUSES);
    set_steps(2 * MS, 1000);
    expect_judged(DIAGNOSIS_SLOW, CLASS_NVME, CAUSE_NONE);

    static const enum diagnosis_cause causes[PARTS] = {
        CAUSE_SYSTEM, CAUSE_STACK, CAUSE_QUEUE, CAUSE_DEVICE, CAUSE_SYSTEM};
    for (enum part part = 0; part < PARTS; part++) {
        set_nvme(3 * MS);
        diagnosis.facts.has_shares = true;
        diagnosis.facts.shares[part] = 80;
        expect_judged(DIAGNOSIS_SLOW, CLASS_NVME, causes[part]);
        diagnosis.facts.shares[part] = 40;
        expect_judged(DIAGNOSIS_SLOW, CLASS_NVME, CAUSE_NONE);
    }

    set_nvme(100 * US);
    diagnosis.facts.flush.p50 = 50 * MS;
    expect_judged(DIAGNOSIS_SLOW, CLASS_NVME, CAUSE_FLUSH);
    diagnosis.facts.flush.count = 5;
    expect_judged(DIAGNOSIS_FINE, CLASS_NVME, CAUSE_NONE);

    set_nvme(200 * US);
    set_steps(200 * US, 2);
    expect_judged(DIAGNOSIS_SLOW, CLASS_NVME, CAUSE_SLOTS);
    set_steps(200 * US, 8);
    expect_judged(DIAGNOSIS_FINE, CLASS_NVME, CAUSE_NONE);
    assert_int_equal(diagnosis.findings.slots, 8);
    diagnosis.facts.other_rate = 840; /* others take the rest of the rate */
    diagnosis.facts.disk_busy = 95;
    set_steps(200 * US, 2);
    expect_judged(DIAGNOSIS_FINE, CLASS_NVME, CAUSE_NONE);
    diagnosis.facts.other_rate = 0;
    disk.is_virtual = true; /* the hypervisor may limit the rate */
    set_steps(200 * US, 2);
    expect_judged(DIAGNOSIS_FINE, CLASS_SSD, CAUSE_NONE);
    disk.is_virtual = false;
    set_steps(10 * US, 2); /* the processor may be the limit */
    expect_judged(DIAGNOSIS_FINE, CLASS_NVME, CAUSE_NONE);

    /* A hard disk works on one request at a time, and its flushes take long. */
    set_up(12 * MS);
    snprintf(disk.transport, sizeof(disk.transport), "ata");
    disk.is_rotational = 1;
    set_steps(12 * MS, 1);
    diagnosis.facts.flush.p50 = 60 * MS;
    expect_judged(DIAGNOSIS_FINE, CLASS_HARD_DISK, CAUSE_NONE);
}

/* A slow disk of unknown kind may be a fast one with other work to do. */
TEST(a_busy_disk_is_not_called_a_hard_disk)
{
    set_up(12 * MS);
    diagnosis.facts.other_rate = 840;
    diagnosis.facts.disk_busy = 95;
    expect_judged(DIAGNOSIS_UNKNOWN, CLASS_UNKNOWN, CAUSE_BUSY);
    diagnosis.facts.paused.p50 = 100 * US;
    expect_judged(DIAGNOSIS_FINE, CLASS_SSD, CAUSE_NONE);
}

TEST(a_disk_that_falls_asleep_is_not_called_a_hard_disk)
{
    set_up(12 * MS);
    set_steps(100 * US, 1000);
    expect_judged(DIAGNOSIS_SLOW, CLASS_SSD, CAUSE_PAUSES);
}

TEST(a_limit_must_exist_and_be_reached)
{
    /* The reads with pauses want 100 per second. */
    set_up(16 * MS);
    snprintf(disk.limit.group, sizeof(disk.limit.group), "/backup.slice");
    snprintf(disk.limit.file, sizeof(disk.limit.file),
             "/sys/fs/cgroup/backup.slice/io.max");
    disk.limit.requests_per_s = 60;
    set_steps(16 * MS, 1);
    expect_judged(DIAGNOSIS_SLOW, CLASS_UNKNOWN, CAUSE_LIMIT);
    says("Slow: reads wait 16 ms (p50) because of the cgroup limit /backup.slice "
         "(60 reads/s).",
         "cat /sys/fs/cgroup/backup.slice/io.max");
    diagnosis.facts.has_shares = true;
    diagnosis.facts.shares[PART_QUEUE] = 90;
    says("Slow: reads wait 16 ms (p50) in the queue because of the cgroup limit "
         "/backup.slice (60 reads/s).",
         "cat /sys/fs/cgroup/backup.slice/io.max");

    diagnosis.facts.has_shares = false;
    diagnosis.facts.paused.p50 = 128 * US;
    diagnosis.facts.paused.p99 = 54 * MS;
    says("Slow: reads wait 54 ms (p99) because of the cgroup limit /backup.slice "
         "(60 reads/s).",
         "cat /sys/fs/cgroup/backup.slice/io.max");
    diagnosis.facts.paused.p99 = -1;
    diagnosis.facts.paused.max = 60 * MS;
    says("Slow: reads wait 60 ms (max) because of the cgroup limit /backup.slice "
         "(60 reads/s).",
         "cat /sys/fs/cgroup/backup.slice/io.max");
    diagnosis.facts.paused.p50 = 16 * MS;
    diagnosis.facts.paused.p99 = 32 * MS;

    /* The limit is far away. */
    disk.limit.requests_per_s = 1000;
    expect_judged(DIAGNOSIS_FINE, CLASS_HARD_DISK, CAUSE_NONE);

    /* It stops only the sweep. */
    set_up(100 * US);
    snprintf(disk.limit.group, sizeof(disk.limit.group), "/a b");
    disk.limit.requests_per_s = 20000;
    set_steps(100 * US, 2);
    expect_judged(DIAGNOSIS_FINE, CLASS_SSD, CAUSE_NONE);
    says("This disk answers like an SSD (p50 100 us, p99 200 us); nothing looks wrong up "
         "to the cgroup limit /a b (20 k reads/s).",
         "ioping -q -w 10m -i 100ms -plot latency.svg /data");

    /* Bytes are limited. */
    set_up(100 * US);
    snprintf(disk.limit.group, sizeof(disk.limit.group), "/");
    disk.limit.bytes_per_s = 400 << 10; /* 100 reads per second want as much */
    set_steps(10 * MS, 1);
    diagnosis.facts.stream_bps = 400 << 10;
    expect_judged(DIAGNOSIS_FINE, CLASS_SSD, CAUSE_NONE);
    disk.limit.bytes_per_s = 300 << 10;
    expect_judged(DIAGNOSIS_SLOW, CLASS_UNKNOWN, CAUSE_LIMIT);
}

TEST(the_tail_alone_may_be_slow)
{
    set_nvme(100 * US);
    diagnosis.facts.paused.p99 = 30 * MS;
    expect_judged(DIAGNOSIS_SLOW, CLASS_NVME, CAUSE_NONE);
    says("Slow: reads take 30 ms (p99), and why is not known; the p99 of an NVMe SSD is "
         "typically at most 10 ms.",
         "ioping -q -w 10m -i 100ms -plot latency.svg /data");
}

/* A terminal shows a Chinese character, which has three bytes here, in two columns. */
TEST(lines_with_wide_characters_are_folded)
{
    int columns = 0;
    int widest = 0;
    set_nvme(100 * US);
    diagnosis.facts.path = "/\u6570\u636e/\u8cc7\u6599/\u6570\u636e/\u8cc7\u6599/"
                           "\u6570\u636e/\u8cc7\u6599/\u6570\u636e/\u8cc7\u6599";
    judged();
    char *text = printed();
    for (const unsigned char *byte = (const unsigned char *)text; *byte; byte++) {
        bool is_continuation = (*byte & 0xc0) == 0x80;
        if (!is_continuation)
            columns += *byte >= 0xe0 ? 2 : 1;
        if (*byte == '\n')
            columns = 0;
        widest = columns > widest ? columns : widest;
    }
    assert_in_range(widest, 70, 80);
    assert_non_null(strstr(text, "\u6570\u636e/\u8cc7\u6599: directory"));
    free(text);
}

/* Returns the depth at which the plot of the diagnosis has its knee; 0: it has none. */
static int64_t
drawn_knee(void)
{
    struct report report = {.diagnosis = &diagnosis};
    struct plot_diagnosis filled;
    struct buffer answer = {0};

    diagnosis_fill_plot(&report, &filled, &answer);
    buffer_free(&answer);
    return filled.knee;
}

TEST(the_knee_is_the_last_depth_with_twice_the_p99)
{
    set_nvme(100 * US);
    set_steps(100 * US, 4);
    assert_int_equal(judged()->knee->value, 8);
    expect_printed("\nknee       depth 8 (40 k iops, p99 400 us): with more reads in "
                   "flight, p99 is\n           more than twice that of single reads\n");
    assert_int_equal(drawn_knee(), 8);
    set_steps(100 * US, 1000);
    assert_int_equal(judged()->knee->value, 32);
    expect_printed(
        "\nknee       none up to depth 32 (320 k iops, p99 200 us): with 32 "
        "reads in\n           flight, p99 is still at most twice that of single "
        "reads\n");
    assert_int_equal(drawn_knee(), 0);

    /* If the p99 of further steps is not known, the knee may be among them. */
    set_steps(100 * US, 4);
    sweep.steps[4].p99 = -1;
    sweep.steps[5].p99 = -1;
    judged();
    expect_printed("\nknee       none up to depth 8 (40 k iops, ");
    assert_int_equal(drawn_knee(), 0);
    diagnosis.facts.uses_threads = true;
    expect_printed("\nknee       none up to 8 threads (40 k iops, ");

    sweep.steps[0].p99 = -1;
    assert_null(judged()->knee);
    expect_printed("\nknee       unknown: too few requests\n");
    sweep.count = 0;
    assert_null(judged()->knee);
    diagnosis.facts.was_interrupted = true;
    expect_printed("\nknee       unknown: too few requests\n");
    diagnosis.facts.has_swept = false;
    expect_printed("\nknee       unknown: the run was interrupted\n");
    diagnosis.facts.failure = "request 7 failed: EIO (Input/output error)";
    expect_printed("\nknee       unknown: a request failed\n");
}

/* A figure is not called measured if it was not, and says how it was measured. */
TEST(lines_of_figures_are_true)
{
    set_nvme(100 * US);
    judged();
    expect_printed("\nidle       p50 100 us, p99 200 us, max 300 us\n"
                   "           (600 reads of 4 KiB, one every 10 ms)\n");
    diagnosis.facts.paused.average = 10 * MS; /* then the next read waits */
    expect_printed("(600 reads of 4 KiB, at most one every 10 ms)\n");
    expect_printed(
        "\nothers     0 requests/s during the idle reads; disk busy 1 % of the "
        "time\n");
    diagnosis.facts.other_rate = -1;
    char *text = printed();
    assert_null(strstr(text, "\nothers "));
    free(text);

    diagnosis.facts.stream.count = 1;
    expect_printed("(1 sequential read of ");
    diagnosis.facts.flush.count = 1;
    expect_printed(" (1 write, with a flush)\n");
    diagnosis.facts.paused.count = 0;
    expect_printed("\nidle       unknown: too few requests\n");
    diagnosis.facts.cached = 600;
    expect_printed("\nidle       unknown: no read reached the disk\n");
    diagnosis.facts.stream.count = 0;
    expect_printed("\nstream     unknown: too few requests\n");
    diagnosis.facts.flush.count = 0;
    expect_printed("\nflush      unknown: too few requests\n");
    diagnosis.facts.kind = OS_BLOCK;
    expect_printed("\nflush      unknown: flushes are measured in directories only\n");
}

/* Nothing looks wrong, but the reader must know that the disk was not idle. */
TEST(a_busy_disk_is_mentioned_even_if_it_is_fast)
{
    set_nvme(100 * US);
    diagnosis.facts.other_rate = 840;
    diagnosis.facts.disk_busy = 95;
    says(
        "This disk is an NVMe SSD and answers like one (p50 100 us, p99 200 us); nothing "
        "looks wrong, although other processes keep the disk busy (840 requests/s, 95 % "
        "busy).",
        "iotop -o");
    diagnosis.facts.other_rate = 1000;
    diagnosis.facts.disk_busy = 30;
    says(
        "This disk is an NVMe SSD and answers like one (p50 100 us, p99 200 us); nothing "
        "looks wrong, although other processes sent 1000 requests/s.",
        "iotop -o");
    diagnosis.facts.other_rate = 999;
    says(
        "This disk is an NVMe SSD and answers like one (p50 100 us, p99 200 us); nothing "
        "looks wrong.",
        "ioping -q -w 10m -i 100ms -plot latency.svg /data");
    diagnosis.facts.was_interrupted = true; /* during the flushes */
    says(
        "This disk is an NVMe SSD and answers like one (p50 100 us, p99 200 us); nothing "
        "looks wrong.",
        "ioping -diagnose /data");
}

/* Makes the answer about a target that is as fast as CLASS, and for which the uses in the
 * bits of FAILED fail. */
static void
answer_with_failed_uses(enum storage_class class, unsigned failed, struct buffer *text)
{
    buffer_clear(text);
    judged();
    diagnosis.findings.class = class;
    for (enum storage_use use = 0; use < STORAGE_USES; use++)
        diagnosis.findings.uses[use].verdict = failed >> use & 1 ? SLO_BROKEN : SLO_MET;
    assert_int_equal(diagnosis.findings.state, DIAGNOSIS_FINE);
    assert_int_equal(diagnosis_status(&diagnosis.findings), EXIT_DONE);
    diagnosis_answer(&diagnosis, text);
    expect_lines_fit();
}

/* The answer does not contradict the uses below it: it names each use that fails, and no
 * other, for every class and every set of uses. */
TEST(the_answer_agrees_with_the_uses)
{
    static const char *const named[] = {
        [USE_ETCD] = "etcd",
        [USE_DATABASE] = "a database log",
        [USE_DESKTOP] = "a desktop",
        [USE_STREAMING] = "streaming",
    };
    struct buffer text = {0};

    for (enum storage_class class = CLASS_NVME; class < STORAGE_CLASSES; class ++)
        for (unsigned failed = 0; failed < 1U << STORAGE_USES; failed++) {
            set_up(100 * US);
            answer_with_failed_uses(class, failed, &text);

            for (enum storage_use use = 0; use < STORAGE_USES; use++)
                assert_int_equal(strstr(text.text, named[use]) != NULL,
                                 failed >> use & 1);
            bool is_praised =
                class != CLASS_FAR_SERVER && (failed == 0 || class == CLASS_HARD_DISK);
            assert_int_equal(strstr(text.text, "nothing looks wrong") != NULL,
                             is_praised);
            assert_int_equal(strstr(text.text, "too slow for ") != NULL, failed != 0);
            assert_int_equal(strstr(text.text, "but it is too slow for ") != NULL,
                             failed != 0 && class == CLASS_HARD_DISK);
        }
    buffer_free(&text);
}

/* One use has its figure, several uses only have their names. */
TEST(the_answer_names_the_uses_that_fail)
{
    static const char advice[] = "ioping -q -w 10m -i 100ms -plot latency.svg /data";

    set_up(100 * US);
    diagnosis.facts.commit.average = 13200 * US;
    says("This disk answers like an SSD (p50 100 us, p99 200 us); too slow for a "
         "database log (write and flush avg 13.2 ms).",
         advice);
    diagnosis.facts.flush.p99 = 14 * MS;
    says("This disk answers like an SSD (p50 100 us, p99 200 us); too slow for etcd and "
         "a database log.",
         advice);
    diagnosis.facts.stream_bps = 1 << 20;
    says("This disk answers like an SSD (p50 100 us, p99 200 us); too slow for etcd, a "
         "database log and streaming.",
         advice);
    diagnosis.facts.other_rate = 1000;
    diagnosis.facts.flush.p99 = MS;
    diagnosis.facts.commit.average = MS;
    says("This disk answers like an SSD (p50 100 us, p99 200 us); too slow for streaming "
         "(sequential reads 1 MiB/s), while other processes sent 1000 requests/s.",
         "iotop -o");
    diagnosis.facts.disk_busy = 98;
    says("This disk answers like an SSD (p50 100 us, p99 200 us); too slow for streaming "
         "(sequential reads 1 MiB/s), while other processes keep the disk busy (1000 "
         "requests/s, 98 % busy).",
         "iotop -o");

    set_up(100 * US);
    snprintf(disk.limit.group, sizeof(disk.limit.group), "/a");
    disk.limit.requests_per_s = 20000;
    set_steps(100 * US, 2);
    diagnosis.facts.stream_bps = 1 << 20;
    says("This disk answers like an SSD (p50 100 us, p99 200 us); too slow for streaming "
         "(sequential reads 1 MiB/s) within the cgroup limit /a (20 k reads/s).",
         advice);

    set_up(12 * MS);
    snprintf(disk.transport, sizeof(disk.transport), "ata");
    disk.is_rotational = 1;
    diagnosis.facts.flush.p99 = 60 * MS;
    says("This disk is a hard disk and answers like one (p50 12 ms, p99 24 ms); nothing "
         "looks wrong for a hard disk, but it is too slow for etcd (flush p99 60 ms).",
         advice);
    diagnosis.facts.commit.average = 30 * MS;
    diagnosis.facts.paused.p99 = 120 * MS;
    diagnosis.facts.stream_bps = 1e6;
    says("This disk is a hard disk and answers like one (p50 12 ms, p99 120 ms); nothing "
         "looks wrong for a hard disk, but it is too slow for etcd, a database log, a "
         "desktop and streaming.",
         advice);

    set_up(26 * MS);
    diagnosis.facts.fstype = "fuse.sshfs";
    diagnosis.facts.device = "me@there:/";
    diagnosis.facts.has_disk = false;
    diagnosis.facts.flush.p99 = 60 * MS;
    says("This file system on a server (fuse.sshfs) answers like a server over the "
         "internet (p50 26 ms, p99 52 ms); too slow for etcd (flush p99 60 ms); if the "
         "server is near, it is slow.",
         "ping there");
}

/* People see with which times the disk is compared. */
TEST(typical_times_are_printed)
{
    set_up(100 * US);
    judged();
    expect_printed("\ntypical    an SSD: p50 5 us to 2 ms, p99 up to 30 ms\nknee ");
    set_nvme(900 * US);
    judged();
    expect_printed(
        "\ntypical    an NVMe SSD: p50 5 us to 500 us, p99 up to 10 ms\nknee ");

    static const struct {
        bool is_in_memory;
        enum io_mode mode;
    } without[] = {{true, IO_MODE_DIRECT}, {false, IO_MODE_CACHED}};
    for (size_t i = 0; i < LENGTH(without); i++) {
        set_up(10 * US);
        diagnosis.facts.is_in_memory = without[i].is_in_memory;
        diagnosis.facts.mode = without[i].mode;
        judged();
        char *text = printed();
        assert_null(strstr(text, "\ntypical "));
        free(text);
    }
}

/* A command that is pasted with its further lines is still the same command. */
TEST(a_long_command_can_be_pasted)
{
    set_nvme(100 * US);
    diagnosis.facts.path = "/a/folder with spaces/it's here/and goes on for ever";
    judged();
    expect_printed("\ntry        ioping -q -w 10m -i 100ms -plot latency.svg \\\n"
                   "           '/a/folder with spaces/it'\\''s here/and goes on for "
                   "ever'\n");
}

TEST(uses_need_their_figures)
{
    static const struct {
        int64_t flush_p99, commit_average, read_p99;
        double bps;
        enum slo_verdict verdicts[STORAGE_USES];
    } cases[] = {
        {9 * MS, 4 * MS, 99 * MS, 16e6, {SLO_MET, SLO_MET, SLO_MET, SLO_MET}},
        {10 * MS,
         5 * MS,
         100 * MS,
         15e6,
         {SLO_BROKEN, SLO_BROKEN, SLO_BROKEN, SLO_BROKEN}},
        {-1, -1, -1, 16e6, {SLO_UNKNOWN, SLO_UNKNOWN, SLO_UNKNOWN, SLO_MET}},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        set_nvme(100 * US);
        diagnosis.facts.flush.p99 = cases[i].flush_p99;
        diagnosis.facts.commit.average = cases[i].commit_average;
        diagnosis.facts.paused.p99 = cases[i].read_p99;
        diagnosis.facts.stream_bps = cases[i].bps;
        judged();
        for (enum storage_use use = 0; use < STORAGE_USES; use++)
            assert_int_equal(diagnosis.findings.uses[use].verdict,
                             cases[i].verdicts[use]);
    }

    /* Nothing is called good that did not happen on a disk. */
    set_nvme(100 * US);
    diagnosis.facts.flushes_ignored = true;
    judged();
    assert_int_equal(diagnosis.findings.uses[USE_ETCD].verdict, SLO_UNKNOWN);
    assert_int_equal(diagnosis.findings.uses[USE_DESKTOP].verdict, SLO_MET);
    diagnosis.facts.kind = OS_BLOCK;
    assert_string_equal(judged()->uses[USE_ETCD].why_unknown,
                        "flushes are measured in directories only");

    /* Nothing is called good if no device was touched, or too little was measured. */
    set_nvme(100 * US);
    diagnosis.facts.hole_percent = 100;
    assert_string_equal(judged()->uses[USE_DESKTOP].why_unknown,
                        "reads of holes touch no device");
    assert_string_equal(judged()->uses[USE_STREAMING].why_unknown,
                        "reads of holes touch no device");
    set_up(100 * US);
    diagnosis.facts.kind = OS_CHARACTER;
    diagnosis.facts.has_disk = false;
    assert_string_equal(judged()->uses[USE_STREAMING].why_unknown,
                        "a character device is no disk");
    set_up(100 * US);
    diagnosis.facts.from_memory = 61; /* of 600 */
    assert_string_equal(judged()->uses[USE_DESKTOP].why_unknown,
                        "the page cache answered");
    set_up(100 * US);
    diagnosis.facts.was_interrupted = true;
    diagnosis.facts.stream.count = 0;
    assert_string_equal(judged()->uses[USE_STREAMING].why_unknown,
                        "the run was interrupted");

    set_up(2 * US);
    diagnosis.facts.is_in_memory = true;
    judged();
    for (enum storage_use use = 0; use < STORAGE_USES; use++)
        assert_int_equal(diagnosis.findings.uses[use].verdict, SLO_UNKNOWN);
}

TEST(answers_are_sentences_with_their_figures)
{
    set_nvme(100 * US);
    says(
        "This disk is an NVMe SSD and answers like one (p50 100 us, p99 200 us); nothing "
        "looks wrong.",
        "ioping -q -w 10m -i 100ms -plot latency.svg /data");
    set_nvme(3 * MS);
    diagnosis.facts.has_shares = true;
    diagnosis.facts.shares[PART_DEVICE] = 85;
    says("Slow: reads take 3 ms (p50), 85 % of it in the disk itself; an NVMe SSD "
         "typically takes "
         "at "
         "most 500 us.",
         "ioping -breakdown -q -c 1000 -i 10ms /data");
    diagnosis.facts.other_rate = 840.4;
    diagnosis.facts.disk_busy = 95;
    says("Slow: reads take 3 ms (p50) because other processes keep the disk busy (840 "
         "requests/s, 95 % busy).",
         "iotop -o");
    set_nvme(3 * MS);
    set_steps(80 * US, 1000);
    says("Slow: reads take 3 ms (p50) after a pause, but 80 us back to back: something "
         "falls asleep between requests.",
         "ioping -sweep interval /data");
    set_nvme(100 * US);
    diagnosis.facts.flush.p50 = 50 * MS;
    says("Slow: a flush takes 50 ms (p50), but a read only 100 us.",
         "ioping -W -append -q -c 1000 -i 10ms /data");
    set_nvme(100 * US);
    set_steps(100 * US, 1);
    says("Slow: with more than about 1 in flight, reads only wait; one read takes 100 us "
         "(p50).",
         "ioping -sweep depth /data");
    set_up(3 * MS);
    disk.is_virtual = true;
    says("Cannot tell: slower than an SSD, faster than a hard disk (p50 3 ms, p99 6 ms).",
         "ioping -q -w 10m -i 100ms -plot latency.svg /data");
    diagnosis.facts.has_shares = true;
    says("Cannot tell: slower than an SSD, faster than a hard disk (p50 3 ms, p99 6 ms).",
         "ioping -breakdown -q -c 1000 -i 10ms /data");
    set_up(19 * MS); /* no faster than a hard disk */
    disk.is_rotational = 0;
    says("Cannot tell: slower than an SSD, but the driver says that nothing rotates (p50 "
         "19 ms, p99 38 ms).",
         "ioping -q -w 10m -i 100ms -plot latency.svg /data");
    set_up(26 * MS);
    diagnosis.facts.fstype = "fuse.sshfs";
    diagnosis.facts.device = "me@far.example:/srv";
    diagnosis.facts.has_disk = false;
    says("This file system on a server (fuse.sshfs) answers like a server over the "
         "internet (p50 26 ms, p99 52 ms); if the server is near, it is slow.",
         "ping far.example");
    set_up(2 * MS);
    diagnosis.facts.fstype = "fuse.other";
    diagnosis.facts.has_disk = false;
    set_steps(2 * MS, 4);
    diagnosis.facts.path = "it's here";
    says("Cannot tell: a file system of type fuse.other does not say where its data is "
         "(p50 2 ms, p99 4 ms); with more than about 4 in flight, reads only wait.",
         "ioping -q -c 1000 -i 10ms -slo p99=10ms 'it'\\''s here'");
    set_up(100 * US);
    snprintf(disk.transport, sizeof(disk.transport), "ata");
    disk.is_rotational = 1;
    says("Cannot tell: the driver says hard disk, but a cache seems to answer (p50 100 "
         "us, p99 200 us).",
         "ioping -diagnose /dev/sdx");
    set_up(100 * US);
    diagnosis.facts.paused = (struct diagnosis_times){1, 5, 5, -1, 5};
    says("Cannot tell: only 1 read counts, too few for p99.",
         "ioping -diagnose -w 1m /data");
    diagnosis.facts.duration = 2 * SECOND;
    says("Cannot tell: only 1 read counts, too few for p99.", "ioping -diagnose /data");
    diagnosis.facts.paused.average = 70 * MS;
    says("Cannot tell: only 1 read counts, too few for p99.",
         "ioping -diagnose -w 1m /data");
    diagnosis.facts.paused = (struct diagnosis_times){0, -1, -1, -1, -1};
    says("Cannot tell: only 0 reads count, too few for p99.", "ioping -c 3 /data");
    set_up(100 * US);
    diagnosis.facts.was_interrupted = true;
    diagnosis.facts.has_swept = false;
    diagnosis.facts.duration = 3 * SECOND;
    says("Cannot tell: interrupted after 3 s.", "ioping -diagnose /data");
    set_up(100 * US);
    diagnosis.facts.mode = IO_MODE_CACHED;
    says("Cannot tell: the page cache answers, not the disk.",
         "ioping -diagnose /dev/sdx");
    diagnosis.facts.has_disk = false;
    says("Cannot tell: the page cache answers, not the disk.",
         "ioping -W -q -c 1000 -i 10ms /data");
    diagnosis.facts.kind = OS_FILE;
    says("Cannot tell: the page cache answers, not the disk.",
         "ioping -W -q -c 1000 -i 10ms /");
    diagnosis.facts.kind = OS_DIRECTORY;
    diagnosis.facts.has_disk = true;
    snprintf(disk.stack, sizeof(disk.stack), "loop: /image");
    says("Cannot tell: the page cache answers, not the disk.",
         "losetup --direct-io=on /dev/sdx1");
    diagnosis.facts.mode = IO_MODE_DIRECT; /* the loop device has direct I/O already */
    diagnosis.facts.from_memory = 600;
    says("Cannot tell: the page cache answers, not the disk.",
         "ioping -diagnose /dev/sdx");
    set_up(100 * US);
    diagnosis.facts.hole_percent = 40;
    diagnosis.facts.kind = OS_FILE;
    diagnosis.facts.path = "/a b/image";
    says("Cannot tell: 40 % of the file are holes, which touch no device.",
         "ioping -diagnose '/a b'");
    diagnosis.facts.path = "image";
    says("Cannot tell: 40 % of the file are holes, which touch no device.",
         "ioping -diagnose .");
    diagnosis.facts.kind = OS_BLOCK;
    diagnosis.facts.path = "/dev/loop0";
    says("Cannot tell: 40 % of the loop device's file are holes, which touch no device.",
         "ioping -diagnose /dev/sdx");
    set_up(100 * US);
    diagnosis.facts.request_size = 1 << 20;
    says("Cannot tell: what is typical is known for reads of 4 KiB, not of 1 MiB.",
         "ioping -diagnose /data");
    set_up(100 * US);
    diagnosis.facts.failure = "request 7 failed: EIO (Input/output error)";
    says("Failing: request 7 failed: EIO (Input/output error).",
         "ioping -E -c 100 -i 10ms /data");
}

TEST(what_is_not_known_is_listed)
{
    static const char *const expected[] = {
        "p99 of reads: 50 reads are too few", "where the time goes: not root",
        "caches, limits and burst credit of the hypervisor",
        "whether the disk rotates: the driver says so, but the times are those of an SSD",
        "whether the disk's own cache has answered: the file read is new"};
    struct buffer text = {0};

    set_up(100 * US);
    disk.is_virtual = true;
    disk.is_rotational = 1;
    diagnosis.facts.paused.count = 50;
    diagnosis.facts.flush.p50 = 50 * MS; /* slow, so the class is known without p99 */
    diagnosis.facts.paused.p99 = -1;
    judged();
    for (int i = 0; i < (int)LENGTH(expected); i++) {
        assert_true(diagnosis_unknown(&diagnosis, i, &text));
        assert_string_equal(text.text, expected[i]);
        buffer_clear(&text);
    }
    assert_false(diagnosis_unknown(&diagnosis, LENGTH(expected), &text));
    assert_int_equal(text.length, 0);
    buffer_free(&text);
}

/* Returns true if the diagnosis lists LINE as not known. */
static bool
is_listed(const char *line)
{
    struct buffer text = {0};
    bool found = false;

    judged();
    for (int i = 0; !found && diagnosis_unknown(&diagnosis, i, &text); i++) {
        found = strcmp(text.text, line) == 0;
        buffer_clear(&text);
    }
    buffer_free(&text);
    return found;
}

/* Parts that were never written may be answered without a device. Nobody can know that
 * about a virtual disk or a thin volume, if the whole device is read. */
TEST(unwritten_parts_are_not_known)
{
    static const char unwritten[] = "whether the parts read were ever written: others "
                                    "may be answered without a device";
    static const struct {
        enum os_kind kind;
        const char *transport, *stack;
        bool is_virtual, is_listed;
    } cases[] = {
        {OS_BLOCK, "virtio", "", true, true},
        {OS_BLOCK, "nbd", "", false, true},
        {OS_BLOCK, "nvme", "LVM: /dev/mapper/vg-pool-tpool", false, true},
        {OS_BLOCK, "nvme", "LVM: /dev/nvme0n1p2", false, false},
        {OS_BLOCK, "nvme", "", false, false},
        {OS_BLOCK, "memory", "", true, false},
        {OS_BLOCK, "virtio", "loop: /image", true, false},
        {OS_FILE, "virtio", "", true, false},
        {OS_DIRECTORY, "virtio", "", true, false},
    };

    for (size_t i = 0; i < LENGTH(cases); i++) {
        set_up(100 * US);
        diagnosis.facts.kind = cases[i].kind;
        snprintf(disk.transport, sizeof(disk.transport), "%s", cases[i].transport);
        snprintf(disk.stack, sizeof(disk.stack), "%s", cases[i].stack);
        disk.is_virtual = cases[i].is_virtual;
        assert_int_equal(is_listed(unwritten), cases[i].is_listed);
    }

    set_up(100 * US);
    diagnosis.facts.kind = OS_BLOCK;
    diagnosis.facts.hides_holes = true;
    snprintf(disk.stack, sizeof(disk.stack), "loop: /image");
    assert_true(is_listed("holes in the file of the loop device, which touch no device"));
    diagnosis.facts.kind = OS_FILE;
    disk.stack[0] = '\0';
    assert_true(is_listed("holes in the file, which touch no device"));
    diagnosis.facts.hides_holes = false;
    assert_false(is_listed("holes in the file, which touch no device"));
}

TEST(only_a_slow_target_changes_the_exit_status)
{
    set_nvme(100 * US);
    assert_int_equal(diagnosis_status(judged()), EXIT_DONE);
    set_nvme(3 * MS);
    assert_int_equal(diagnosis_status(judged()), EXIT_LIMIT);
    diagnosis.facts.mode = IO_MODE_CACHED;
    assert_int_equal(diagnosis_status(judged()), EXIT_DONE);
}

/* Each class can be told from its neighbours by its range. */
TEST(ranges_are_ranges)
{
    for (enum storage_class class = CLASS_MEMORY; class < STORAGE_CLASSES; class ++) {
        const struct storage_range *range = &storage_ranges[class];
        assert_true(range->p50_from < range->p50_to);
        assert_true(range->p99_to > range->p50_to);
        assert_true(range->flush_to > 0);
    }
    assert_true(storage_ranges[CLASS_SSD].p50_to <=
                storage_ranges[CLASS_HARD_DISK].p50_from);
}
