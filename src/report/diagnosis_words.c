/*
 * The sentences of -diagnose: the answer, and the command to try next. Each sentence is
 * made from findings (diagnosis.c) and says the figures on which it rests.
 */
#include "base/time.h"
#include "base/units.h"
#include "cli/options.h"
#include "plan/parts.h"
#include "report/diagnosis.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* With this many reads, p99 is known even if some of them do not count. */
#define ENOUGH_READS 120

/* Adds TIME, in ns. */
static void
add_time(struct buffer *text, int64_t time)
{
    units_add(text, UNITS_TIME, time);
}

void
diagnosis_noun(const struct diagnosis_facts *facts, struct buffer *text)
{
    const struct os_disk *disk = facts->disk;

    if (facts->is_in_memory)
        buffer_format(text, "This %s", facts->fstype);
    else if (diagnosis_is_served(facts))
        buffer_format(text, "This file system on a server (%s)", facts->fstype);
    else if (!facts->has_disk)
        buffer_format(text, "This file system (%s)", facts->fstype);
    else if (strcmp(disk->transport, "memory") == 0)
        buffer_text(text, "This device");
    else if (disk->disk_count > 1)
        buffer_format(text, "This stack of %d disks", disk->disk_count);
    else if (disk->is_virtual)
        buffer_text(text, "This virtual disk");
    else
        buffer_text(text, "This disk");
}

/* Adds the median and, if it is known, the p99 of the paused reads, in brackets. */
static void
add_percentiles(const struct diagnosis_facts *facts, struct buffer *text)
{
    buffer_text(text, "(p50 ");
    add_time(text, facts->paused.p50);
    if (facts->paused.p99 >= 0) {
        buffer_text(text, ", p99 ");
        add_time(text, facts->paused.p99);
    }
    buffer_text(text, ")");
}

/* Adds the limit of the control group, such as "/backup.slice (60 reads/s)". */
static void
add_limit_name(const struct os_disk_limit *limit, struct buffer *text)
{
    const char *gap = "";

    buffer_escaped(text, limit->group);
    buffer_text(text, " (");
    if (limit->requests_per_s) {
        units_add(text, UNITS_COUNT, limit->requests_per_s);
        buffer_text(text, " reads/s");
        gap = ", ";
    }
    if (limit->bytes_per_s) {
        buffer_text(text, gap);
        units_add(text, UNITS_SIZE, limit->bytes_per_s);
        buffer_text(text, "/s");
    }
    buffer_text(text, ")");
}

/* Adds the typical time of the class of FINDINGS. */
static void
add_typical(const struct diagnosis_findings *findings, struct buffer *text)
{
    const struct storage_range *range = &storage_ranges[findings->class];

    if (findings->slow_tail) {
        buffer_format(text, "the p99 of %s is typically at most ", range->name);
        add_time(text, range->p99_to);
        return;
    }
    buffer_format(text,
                  findings->is_likeness ? "even %s typically takes at most "
                                        : "%s typically takes at most ",
                  range->name);
    add_time(text, range->p50_to);
}

/* Adds "Slow: reads take 69 ms (p50)". */
static void
add_slow_reads(const struct diagnosis *diagnosis, const char *verb, struct buffer *text)
{
    const struct diagnosis_times *times = &diagnosis->facts.paused;

    buffer_format(text, "Slow: reads %s ", verb);
    if (!diagnosis->findings.slow_tail) {
        add_time(text, times->p50);
        buffer_text(text, " (p50)");
        return;
    }
    add_time(text, diagnosis_tail(&diagnosis->facts));
    buffer_text(text, times->p99 >= 0 ? " (p99)" : " (max)");
}

/* Adds the share of PART, such as "72 % of it". */
static void
add_share(const struct diagnosis_facts *facts, enum part part, struct buffer *text)
{
    buffer_format(text, ", %d %% of it ", facts->shares[part]);
}

/* Adds that others keep the disk busy, with figures. */
static void
add_busy(const struct diagnosis_facts *facts, struct buffer *text)
{
    buffer_format(text,
                  "other processes keep the disk busy (%.0f requests/s, %d %% busy)",
                  facts->other_rate, facts->disk_busy);
}

/* Adds why the reads are slow, after add_slow_reads. */
static void
add_slow_cause(const struct diagnosis *diagnosis, struct buffer *text)
{
    const struct diagnosis_facts *facts = &diagnosis->facts;
    const struct diagnosis_findings *findings = &diagnosis->findings;

    switch (findings->cause) {
    case CAUSE_OTHERS:
        buffer_text(text, " because ");
        add_busy(facts, text);
        return;
    case CAUSE_PAUSES:
        buffer_text(text, " after a pause, but ");
        add_time(text, facts->depths->steps[0].p50);
        buffer_text(text, " back to back: something falls asleep between requests");
        return;
    case CAUSE_QUEUE:
        add_share(facts, PART_QUEUE, text);
        buffer_text(text, "in the queue of the kernel; ");
        break;
    case CAUSE_STACK:
        add_share(facts, PART_STACK, text);
        buffer_text(text, "in the layers above the disk; ");
        break;
    case CAUSE_DEVICE:
        add_share(facts, PART_DEVICE, text);
        buffer_text(text, "in the disk itself; ");
        break;
    case CAUSE_SYSTEM:
        buffer_format(text, ", %d %% of it in the system, not in the disk; ",
                      facts->shares[PART_SUBMIT] + facts->shares[PART_RETURN]);
        break;
    default:
        buffer_text(text, ", and why is not known; ");
        break;
    }
    add_typical(findings, text);
}

/* Adds the answer about a target that is slow. */
static void
add_slow_answer(const struct diagnosis *diagnosis, struct buffer *text)
{
    const struct diagnosis_facts *facts = &diagnosis->facts;
    bool is_queued = facts->has_shares && facts->shares[PART_QUEUE] >= 50;

    switch (diagnosis->findings.cause) {
    case CAUSE_LIMIT:
        add_slow_reads(diagnosis, "wait", text);
        buffer_format(text, "%s because of the cgroup limit ",
                      is_queued ? " in the queue" : "");
        add_limit_name(&facts->disk->limit, text);
        break;
    case CAUSE_FLUSH:
        buffer_text(text, "Slow: a flush takes ");
        add_time(text, facts->flush.p50);
        buffer_text(text, " (p50), but a read only ");
        add_time(text, facts->paused.p50);
        break;
    case CAUSE_SLOTS:
        buffer_format(text,
                      "Slow: with more than about %" PRId64
                      " in flight, reads only wait; one read takes ",
                      diagnosis->findings.slots);
        add_time(text, facts->paused.p50);
        buffer_text(text, " (p50)");
        break;
    default:
        add_slow_reads(diagnosis, "take", text);
        add_slow_cause(diagnosis, text);
        break;
    }
    buffer_text(text, ".");
}

/* Adds the uses that fail, such as "too slow for etcd and a database log". If only one
 * fails, adds its figure. COUNT uses fail, at least one. */
static void
add_failed_uses(const struct diagnosis_findings *findings, int count, struct buffer *text)
{
    int added = 0;

    buffer_text(text, "too slow for ");
    for (enum storage_use use = 0; use < STORAGE_USES; use++) {
        const struct storage_need *need = &storage_needs[use];
        if (findings->uses[use].verdict != SLO_BROKEN)
            continue;

        if (added > 0)
            buffer_text(text, added + 1 < count ? ", " : " and ");
        buffer_text(text, need->phrase);
        added++;
        if (count == 1) {
            buffer_format(text, " (%s ", need->figure);
            units_add(text, need->is_rate ? UNITS_SIZE : UNITS_TIME,
                      findings->uses[use].value);
            buffer_text(text, need->is_rate ? "/s)" : ")");
        }
    }
}

/* Returns how many uses fail. */
static int
count_failed_uses(const struct diagnosis_findings *findings)
{
    int count = 0;
    for (enum storage_use use = 0; use < STORAGE_USES; use++)
        if (findings->uses[use].verdict == SLO_BROKEN)
            count++;
    return count;
}

/* Adds what to think of a target that is as fast as its class: whether anything looks
 * wrong, and for which uses it is too slow. */
static void
add_opinion(const struct diagnosis_findings *findings, struct buffer *text)
{
    int failed = count_failed_uses(findings);

    if (failed == 0) {
        buffer_text(text, "nothing looks wrong");
        return;
    }
    if (findings->class == CLASS_HARD_DISK)
        buffer_text(text, "nothing looks wrong for a hard disk, but it is ");
    add_failed_uses(findings, failed, text);
}

/* Adds the answer about a target that is as fast as its class. */
static void
add_fine_answer(const struct diagnosis *diagnosis, struct buffer *text)
{
    const struct diagnosis_facts *facts = &diagnosis->facts;
    const struct diagnosis_findings *findings = &diagnosis->findings;
    const struct storage_range *range = &storage_ranges[findings->class];
    int failed = count_failed_uses(findings);

    diagnosis_noun(facts, text);
    if (findings->class == CLASS_MEMORY) {
        buffer_text(text, " is memory, not a disk ");
        add_percentiles(facts, text);
        buffer_text(text, ".");
        return;
    }

    buffer_format(text,
                  findings->is_likeness ? " answers like %s "
                                        : " is %s and answers like one ",
                  range->name);
    add_percentiles(facts, text);
    buffer_text(text, "; ");

    if (findings->class == CLASS_FAR_SERVER) {
        if (failed > 0) {
            add_failed_uses(findings, failed, text);
            buffer_text(text, "; ");
        }
        buffer_text(text, "if the server is near, it is slow.");
        return;
    }

    add_opinion(findings, text);
    if (findings->is_limit_reached) {
        buffer_text(text, failed > 0 ? " within the cgroup limit "
                                     : " up to the cgroup limit ");
        add_limit_name(&facts->disk->limit, text);
    } else if (findings->is_disk_busy) {
        buffer_text(text, failed > 0 ? ", while " : ", although ");
        add_busy(facts, text);
    } else if (findings->is_disk_shared) {
        buffer_format(text, "%s other processes sent %.0f requests/s",
                      failed > 0 ? ", while" : ", although", facts->other_rate);
    }
    buffer_text(text, ".");
}

/* Adds why the class of a target is not known. */
static void
add_why_unknown(const struct diagnosis *diagnosis, struct buffer *text)
{
    const struct diagnosis_facts *facts = &diagnosis->facts;
    const struct os_disk *disk = facts->disk;

    switch (diagnosis->findings.cause) {
    case CAUSE_INTERRUPTED:
        buffer_text(text, "interrupted after ");
        add_time(text, facts->duration);
        return;
    case CAUSE_NO_READS:
        buffer_format(text, "only %" PRIu64 " %s, too few for p99", facts->paused.count,
                      units_plural(facts->paused.count, "read counts", "reads count"));
        return;
    case CAUSE_PAGE_CACHE:
        buffer_text(text, "the page cache answers, not the disk");
        return;
    case CAUSE_LARGE_READS:
        buffer_text(text, "what is typical is known for reads of 4 KiB, not of ");
        units_add(text, UNITS_SIZE, facts->request_size);
        return;
    case CAUSE_HOLES:
        buffer_format(text, "%.3g %% of ", facts->hole_percent);
        buffer_text(text,
                    facts->kind == OS_BLOCK ? "the loop device's file" : "the file");
        buffer_text(text, " are holes, which touch no device");
        return;
    case CAUSE_HIDDEN:
        if (facts->kind == OS_CHARACTER) {
            buffer_text(text, "a character device is no disk ");
            break;
        }
        buffer_format(text, "a file system of type %s does not say where its data is ",
                      facts->fstype);
        add_percentiles(facts, text);
        if (diagnosis->findings.slots > 0)
            buffer_format(text,
                          "; with more than about %" PRId64 " in flight, reads only wait",
                          diagnosis->findings.slots);
        return;
    case CAUSE_CONTRADICTION:
        if (facts->has_disk && disk->is_rotational == 1 && !disk->is_virtual)
            buffer_text(text, "the driver says hard disk, but a cache seems to answer ");
        else
            buffer_text(text,
                        "it is faster than its kind of storage, so a cache seems to "
                        "answer ");
        break;
    case CAUSE_BUSY:
        add_busy(facts, text);
        buffer_text(text, " ");
        break;
    default:
        buffer_text(text, "slower than an SSD, ");
        if (disk->is_rotational == 0)
            buffer_text(text, "but the driver says that nothing rotates ");
        else
            buffer_text(text, "faster than a hard disk ");
        break;
    }
    add_percentiles(facts, text);
}

void
diagnosis_answer(const struct diagnosis *diagnosis, struct buffer *text)
{
    bool is_character = diagnosis->facts.kind == OS_CHARACTER;

    switch (diagnosis->findings.state) {
    case DIAGNOSIS_FINE:
        add_fine_answer(diagnosis, text);
        break;
    case DIAGNOSIS_SLOW:
        add_slow_answer(diagnosis, text);
        break;
    case DIAGNOSIS_UNKNOWN:
        buffer_text(text, "Cannot tell: ");
        add_why_unknown(diagnosis, text);
        buffer_text(text, ".");
        break;
    case DIAGNOSIS_FAILED:
        buffer_format(text, "Failing: %s%s.", diagnosis->facts.failure,
                      is_character ? ", and a character device is no disk" : "");
        break;
    }
}

/* Returns true if a shell takes TEXT as one word, without quotes. */
static bool
is_plain_word(const char *text)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "0123456789/._-+:,@";
    return text[0] && text[0] != '-' && strspn(text, plain) == strlen(text);
}

/* Adds PATH as a word of a shell command. */
static void
add_word(struct buffer *text, const char *path)
{
    if (is_plain_word(path)) {
        buffer_text(text, path);
        return;
    }

    struct buffer quoted = {0};
    buffer_text(&quoted, "'");
    for (; *path; path++)
        if (*path == '\'')
            buffer_text(&quoted, "'\\''");
        else
            buffer_add(&quoted, path, 1);
    buffer_text(&quoted, "'");

    if (!quoted.failed)
        buffer_escaped(text, quoted.text);
    text->failed |= quoted.failed;
    buffer_free(&quoted);
}

/* Adds the command "ioping OPTIONS PATH" for the target. */
static void
add_run(const struct diagnosis *diagnosis, const char *options, struct buffer *text)
{
    buffer_format(text, "ioping %s ", options);
    add_word(text, diagnosis->facts.path);
}

/* Adds a command that shows how far the server of a file system is. */
static void
add_server_command(const struct diagnosis *diagnosis, struct buffer *text)
{
    const char *device = diagnosis->facts.device;
    const char *at = strchr(device, '@');
    const char *start = at ? at + 1 : device;
    char server[256];

    start += strspn(start, "/");
    snprintf(server, sizeof(server), "%.*s", (int)strcspn(start, ":/"), start);
    buffer_text(text, "ping ");
    add_word(text, server);
}

/* Adds the command "ioping OPTIONS FOLDER" for the folder that the target is, or is in.
 */
static void
add_run_in_folder(const struct diagnosis *diagnosis, const char *options,
                  struct buffer *text)
{
    const char *path = diagnosis->facts.path;
    const char *slash = strrchr(path, '/');
    struct buffer folder = {0};

    if (diagnosis->facts.kind == OS_DIRECTORY)
        buffer_text(&folder, path);
    else if (!slash)
        buffer_text(&folder, ".");
    else
        buffer_add(&folder, path, slash == path ? 1 : (size_t)(slash - path));

    buffer_format(text, "ioping %s ", options);
    if (!folder.failed)
        add_word(text, folder.text);
    text->failed |= folder.failed;
    buffer_free(&folder);
}

/* Adds a command that diagnoses another folder, which is usually on a disk. */
static void
add_other_folder(struct buffer *text)
{
    buffer_text(text, "ioping -diagnose /var/tmp");
}

/* Adds a command that measures where the page cache does not answer: the loop device
 * without a cache, the whole disk, or writes with flushes. */
static void
add_cache_command(const struct diagnosis *diagnosis, struct buffer *text)
{
    const struct diagnosis_facts *facts = &diagnosis->facts;
    bool is_loop = facts->has_disk && strncmp(facts->disk->stack, "loop:", 5) == 0;

    if (is_loop && facts->mode != IO_MODE_DIRECT) {
        buffer_text(text, "losetup --direct-io=on ");
        add_word(text, facts->kind == OS_BLOCK ? facts->path : facts->device);
    } else if (facts->has_disk && facts->kind != OS_BLOCK) {
        buffer_text(text, "ioping -diagnose ");
        add_word(text, facts->disk->path);
    } else if (facts->kind == OS_DIRECTORY || facts->kind == OS_FILE) {
        add_run_in_folder(diagnosis, "-W -q -c 1000 -i 10ms", text);
    } else {
        add_run(diagnosis, "-q -c 1000 -i 10ms", text);
    }
}

/* Adds a diagnosis that is long enough for p99. */
static void
add_longer_run(const struct diagnosis *diagnosis, struct buffer *text)
{
    const struct diagnosis_facts *facts = &diagnosis->facts;
    int64_t interval = facts->paused.average;
    char options[40];

    if (facts->paused.count == 0) {
        add_run(diagnosis, "-c 3", text);
        return;
    }
    if (interval < facts->pause)
        interval = facts->pause;
    int64_t needed = time_multiply(interval, ENOUGH_READS) / DIAGNOSIS_PAUSES_SHARE * 100;
    if (needed < facts->duration)
        needed = time_multiply(facts->duration, 2);
    if (needed <= DIAGNOSIS_TIME) {
        add_run(diagnosis, "-diagnose", text);
        return;
    }

    snprintf(options, sizeof(options), "-diagnose -w %" PRId64 "m",
             needed / (60 * SECOND) + 1);
    add_run(diagnosis, options, text);
}

/* Adds a command that shows where the time goes or, if this process may not see that,
 * when the target is slow. */
static void
add_watch_command(const struct diagnosis *diagnosis, struct buffer *text)
{
    if (diagnosis->facts.has_shares)
        add_run(diagnosis, "-breakdown -q -c 1000 -i 10ms", text);
    else
        add_run(diagnosis, "-q -w 10m -i 100ms -plot latency.svg", text);
}

/* Adds a command for a target with which nothing looks wrong: it may be wrong at times.
 */
static void
add_fine_advice(const struct diagnosis *diagnosis, struct buffer *text)
{
    const struct diagnosis_findings *findings = &diagnosis->findings;
    bool has_credit = diagnosis->facts.disk->is_virtual || findings->class == CLASS_CLOUD;

    if (findings->is_disk_shared)
        buffer_text(text, "iotop -o");
    else if (diagnosis->facts.was_interrupted)
        add_run(diagnosis, "-diagnose", text);
    else if (findings->class == CLASS_FAR_SERVER)
        add_server_command(diagnosis, text);
    else if (has_credit) /* burst credit may last for long */
        add_run(diagnosis, "-q -w 1h -i 100ms -plot latency.svg", text);
    else
        add_run(diagnosis, "-q -w 10m -i 100ms -plot latency.svg", text);
}

/* Adds a command for a target whose class is unknown. */
static void
add_unknown_advice(const struct diagnosis *diagnosis, struct buffer *text)
{
    const struct diagnosis_facts *facts = &diagnosis->facts;

    switch (diagnosis->findings.cause) {
    case CAUSE_INTERRUPTED:
    case CAUSE_LARGE_READS:
        add_run(diagnosis, "-diagnose", text);
        break;
    case CAUSE_NO_READS:
        add_longer_run(diagnosis, text);
        break;
    case CAUSE_PAGE_CACHE:
    case CAUSE_CONTRADICTION:
        add_cache_command(diagnosis, text);
        break;
    case CAUSE_HOLES:
        if (facts->kind == OS_BLOCK && facts->has_disk) {
            buffer_text(text, "ioping -diagnose ");
            add_word(text, facts->disk->path);
        } else {
            add_run_in_folder(diagnosis, "-diagnose", text);
        }
        break;
    case CAUSE_BUSY:
        buffer_text(text, "iotop -o");
        break;
    case CAUSE_HIDDEN:
        if (facts->kind == OS_CHARACTER)
            add_other_folder(text);
        else
            add_run(diagnosis, "-q -c 1000 -i 10ms -slo p99=10ms", text);
        break;
    default:
        add_watch_command(diagnosis, text);
        break;
    }
}

/* Adds a command for a slow target. */
static void
add_slow_advice(const struct diagnosis *diagnosis, struct buffer *text)
{
    switch (diagnosis->findings.cause) {
    case CAUSE_LIMIT:
        buffer_text(text, "cat ");
        add_word(text, diagnosis->facts.disk->limit.file);
        break;
    case CAUSE_OTHERS:
        buffer_text(text, "iotop -o");
        break;
    case CAUSE_PAUSES:
        add_run(diagnosis, "-sweep interval", text);
        break;
    case CAUSE_SYSTEM:
        add_run(diagnosis, "-awake -breakdown -q -c 1000 -i 10ms", text);
        break;
    case CAUSE_FLUSH:
        add_run(diagnosis, "-W -append -q -c 1000 -i 10ms", text);
        break;
    case CAUSE_SLOTS:
        add_run(diagnosis, "-sweep depth", text);
        break;
    default:
        if (diagnosis->findings.class == CLASS_FAR_SERVER)
            add_server_command(diagnosis, text);
        else
            add_watch_command(diagnosis, text);
        break;
    }
}

void
diagnosis_advice(const struct diagnosis *diagnosis, struct buffer *text)
{
    const struct diagnosis_findings *findings = &diagnosis->findings;

    switch (findings->state) {
    case DIAGNOSIS_FINE:
        if (findings->class == CLASS_MEMORY)
            add_other_folder(text);
        else
            add_fine_advice(diagnosis, text);
        break;
    case DIAGNOSIS_SLOW:
        add_slow_advice(diagnosis, text);
        break;
    case DIAGNOSIS_UNKNOWN:
        add_unknown_advice(diagnosis, text);
        break;
    case DIAGNOSIS_FAILED:
        if (diagnosis->facts.kind == OS_CHARACTER)
            add_other_folder(text);
        else
            add_run(diagnosis, "-E -c 100 -i 10ms", text);
        break;
    }
}

const char *
diagnosis_state_word(enum diagnosis_state state)
{
    static const char *const words[] = {[DIAGNOSIS_FINE] = "fine",
                                        [DIAGNOSIS_SLOW] = "slow",
                                        [DIAGNOSIS_UNKNOWN] = "unknown",
                                        [DIAGNOSIS_FAILED] = "failed"};
    return words[state];
}

const char *
diagnosis_cause_word(enum diagnosis_cause cause)
{
    static const char *const words[] = {
        [CAUSE_NONE] = "none",
        [CAUSE_LIMIT] = "limit",
        [CAUSE_OTHERS] = "others",
        [CAUSE_PAUSES] = "pauses",
        [CAUSE_QUEUE] = "queue",
        [CAUSE_STACK] = "stack",
        [CAUSE_DEVICE] = "device",
        [CAUSE_SYSTEM] = "system",
        [CAUSE_FLUSH] = "flush",
        [CAUSE_SLOTS] = "slots",
        [CAUSE_INTERRUPTED] = "interrupted",
        [CAUSE_NO_READS] = "no-reads",
        [CAUSE_PAGE_CACHE] = "page-cache",
        [CAUSE_HOLES] = "holes",
        [CAUSE_LARGE_READS] = "large-reads",
        [CAUSE_HIDDEN] = "hidden",
        [CAUSE_CONTRADICTION] = "contradiction",
        [CAUSE_BUSY] = "busy",
        [CAUSE_BETWEEN] = "between",
    };
    return words[cause];
}
