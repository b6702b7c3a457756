/*
 * Judges the facts of -diagnose: the class of the target, whether it is slow for its
 * class, why, and what it suits. Nothing here reads a file or prints.
 *
 * The rule for classes: a class is claimed only if two independent things agree, the
 * words of the system about the device, and the measurements. If the system does not say
 * which kind of device it is (a virtual disk, or a disk behind a USB bridge), the
 * measurements only suggest a class (is_likeness). If both contradict each other, no
 * class is claimed.
 */
#include "report/diagnosis.h"

#include "base/error.h"
#include "base/time.h"
#include "plan/parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* With fewer reads, nothing is said about them. */
#define MIN_READS 10
/* The ranges of classes are for reads of at most this size, bytes. */
#define MAX_JUDGED_SIZE (16 << 10)
/* If a larger share of the reads touched no device, percent, nothing is said about it. */
#define MAX_UNTOUCHED 10
/* A step of the sweep with fewer requests is not compared with another one. */
#define MIN_STEP_REQUESTS 30

/* More than N requests in flight only wait if no step of the sweep reaches SLOTS_GAIN
 * times the rate of N, although at least the last SLOTS_STEPS steps had more in flight.
 */
#define SLOTS_GAIN 1.33
#define SLOTS_STEPS 2
/* Above this rate, the processor may be what limits a sweep. */
#define SLOTS_MAX_RATE 50000

/* A limit is reached if the highest rate is between these shares of it. Control groups
 * allow short bursts, so the rate may be above the limit. */
#define LIMIT_REACHED 0.6
#define LIMIT_BURST 1.4
/* Bursts pass a limit at once, and the reads after them wait. If the tail is this many
 * times as long as the median, it shows the wait. */
#define LIMIT_TAIL 10

/* Other processes keep a disk busy if they send at least this many requests per second,
 * and at least half as many as ioping, and the disk works at least this share of the
 * time, percent. */
#define OTHERS_RATE 30
#define OTHERS_BUSY 50
/* This many requests of others per second are mentioned even if nothing looks wrong. */
#define OTHERS_MENTIONED 1000

/* Pauses are to blame if reads after a pause take this many times as long as reads back
 * to back, and at least this time longer. */
#define PAUSES_RATIO 3
#define PAUSES_LONGER (200 * US)

/* If nothing is known about a device, a shorter median after pauses is not called slow.
 */
#define HIDDEN_SLOW (2 * MS)

/* A part is to blame if it takes at least this share of the time, percent. */
#define BLAMED_SHARE 50

/* A flush is slow only if it takes at least this many times as long as a read. */
#define FLUSH_RATIO 5

/* Fills TIMES from LATENCIES of STATS. */
static struct diagnosis_times
collect_times(const struct stats *stats, enum scope scope)
{
    const struct latencies latencies = latencies_of(stats, scope);
    const struct moments *moments = latencies.moments;

    return (struct diagnosis_times){
        .count = moments->count,
        .average = moments->count > 0 ? moments_average(moments) : -1,
        .p50 = latencies_known_percentile(&latencies, &percentiles_common.list[0]),
        .p99 = latencies_known_percentile(&latencies, &percentiles_common.list[1]),
        .max = moments->count > 0 ? moments->max : -1,
    };
}

/* Stores the share of each part of the time of the paused reads. */
static void
collect_shares(struct diagnosis_facts *facts, const struct stats *stats)
{
    const struct breakdown *breakdown = &stats->breakdown;
    uint64_t split = breakdown_count(breakdown);

    if (split == 0 || breakdown->total_time <= 0 || split < stats->latency.count / 2)
        return;

    facts->has_shares = true;
    for (enum part part = 0; part < PARTS; part++)
        facts->shares[part] =
            (int)lround(100 * (double)breakdown->parts[part].moments.sum /
                        (double)breakdown->total_time);
}

/* Stores why the first request of JOBS that failed has failed. */
static void
collect_failure(struct diagnosis *diagnosis, const struct job *jobs, int count)
{
    diagnosis->facts.failure = diagnosis->failure;
    for (int i = 0; i < count; i++) {
        const struct outcome *outcome = &jobs[i].outcome;
        if (!outcome->failed_sample.index && !outcome->waiting_age)
            continue;

        if (outcome->failed_sample.index)
            outcome_failure_text(&outcome->failed_sample, diagnosis->failure);
        else
            snprintf(diagnosis->failure, sizeof(diagnosis->failure),
                     "a request has had no answer");
        return;
    }
}

void
diagnosis_collect(struct diagnosis *diagnosis, const struct job *jobs, int count)
{
    struct diagnosis_facts *facts = &diagnosis->facts;
    const struct job *first = &jobs[PART_OF_PAUSES];
    const struct job *stream = &jobs[PART_OF_STREAM];
    const struct stats *flushes =
        count > PART_OF_FLUSHES ? &jobs[PART_OF_FLUSHES].outcome.total : NULL;
    static const struct diagnosis_times none = {0, -1, -1, -1, -1};

    facts->path = first->plan.path;
    facts->fstype = first->target.description.fstype;
    facts->device = first->target.description.device;
    facts->kind = first->target.kind;
    facts->mode = first->target.description.mode;
    facts->is_in_memory = first->target.is_in_memory;
    facts->request_size = first->plan.workload.request_size;
    facts->pause = first->plan.pace.interval;
    facts->trace_refusal = diagnosis->refusal;
    collect_failure(diagnosis, jobs, count);

    facts->cached = first->outcome.total.cached;
    facts->from_memory = first->outcome.total.from_memory;
    facts->hole_percent = first->outcome.hole_percent;
    facts->hides_holes = first->target.hole_percent < 0;
    if (first->target.hole_percent > 0)
        facts->hole_percent += first->target.hole_percent;
    facts->paused = collect_times(&first->outcome.total, SCOPE_ALL);
    collect_shares(facts, &first->outcome.total);

    facts->depths = &jobs[PART_OF_DEPTHS].sweep;
    facts->has_swept = stream->was_tried; /* a part begins when the one before ended */
    for (int i = 0; i < count; i++)
        facts->duration += jobs[i].outcome.duration;
    facts->uses_threads = jobs[PART_OF_DEPTHS].plan.sweep.kind == SWEEP_THREADS;

    facts->stream = collect_times(&stream->outcome.total, SCOPE_ALL);
    facts->stream_size = stream->plan.workload.request_size;
    facts->stream_bps = stats_bps(&stream->outcome.total);

    facts->commit = flushes ? collect_times(flushes, SCOPE_ALL) : none;
    facts->flush = flushes ? collect_times(flushes, SCOPE_SYNC) : none;
    facts->flushes_ignored = flushes && (flushes->flushes_ignored ||
                                         jobs[PART_OF_FLUSHES].target.flushes_ignored);
}

bool
diagnosis_is_served(const struct diagnosis_facts *facts)
{
    static const char *const types[] = {
        "nfs",        "nfs4",           "cifs", "smb3",        "ceph",
        "fuse.sshfs", "fuse.glusterfs", "afs",  "fuse.rclone", "fuse.s3fs"};
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        if (strcmp(facts->fstype, types[i]) == 0)
            return true;
    return false;
}

/* The maker of a virtual machine does not show that its disk is a volume: many clouds
 * have local disks, too. The model of the disk does show it. */
bool
diagnosis_is_cloud(const struct diagnosis_facts *facts)
{
    static const char *const models[] = {"Amazon Elastic Block Store",
                                         "Google PersistentDisk",
                                         "nvme_card-pd",
                                         "MSFT NVMe Accelerator",
                                         "Alibaba Cloud Elastic Block Storage",
                                         "ORACLE BlockVolume",
                                         "DO Volume",
                                         "HC Volume"};

    if (facts->has_disk)
        for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++)
            if (strncmp(facts->disk->model, models[i], strlen(models[i])) == 0)
                return true;
    return false;
}

/* Returns true if P50 is typical of CLASS. */
static bool
has_typical_median(enum storage_class class, int64_t p50)
{
    return p50 >= storage_ranges[class].p50_from && p50 <= storage_ranges[class].p50_to;
}

/*
 * Returns the class that the system says the disk is; CLASS_UNKNOWN if it does not say
 * so. A virtual disk may claim anything about itself. USB bridges often call an SSD or a
 * stick rotational.
 */
static enum storage_class
find_declared_class(const struct diagnosis_facts *facts)
{
    const struct os_disk *disk = facts->disk;
    bool is_ata = strcmp(disk->transport, "ata") == 0;
    bool is_scsi = strcmp(disk->transport, "scsi") == 0;

    if (!facts->has_disk || disk->disk_count > 1)
        return CLASS_UNKNOWN;
    if (diagnosis_is_cloud(facts))
        return CLASS_CLOUD;
    if (disk->is_virtual)
        return CLASS_UNKNOWN;
    if (strcmp(disk->transport, "nvme") == 0)
        return CLASS_NVME;
    if ((is_ata || is_scsi) && disk->is_rotational == 1)
        return CLASS_HARD_DISK;
    if (is_ata && disk->is_rotational == 0)
        return CLASS_SATA_SSD;
    if (is_scsi && disk->is_rotational == 0)
        return CLASS_SSD;
    return CLASS_UNKNOWN;
}

/* Returns the class that the median P50 suggests for a disk whose class the system does
 * not tell. A disk that is said not to rotate is no hard disk, whoever says so. */
static enum storage_class
find_similar_class(const struct os_disk *disk, int64_t p50)
{
    /* Between the two, an SSD could be slow or a hard disk fast. */
    const int64_t hard_disk_from = 2 * storage_ranges[CLASS_HARD_DISK].p50_from;

    if (has_typical_median(CLASS_SSD, p50))
        return CLASS_SSD;
    if (disk->is_rotational != 0 && p50 >= hard_disk_from &&
        p50 <= storage_ranges[CLASS_HARD_DISK].p50_to)
        return CLASS_HARD_DISK;
    return CLASS_UNKNOWN;
}

/* Returns the first step of the sweep, with one read in flight; NULL if there is none. */
static const struct job_step *
first_step(const struct diagnosis_facts *facts)
{
    const struct job_sweep *sweep = facts->depths;
    bool exists = sweep->count > 0 && sweep->steps[0].value == 1;
    return exists && sweep->steps[0].requests > 0 ? &sweep->steps[0] : NULL;
}

/* Returns true if reads after a pause take much longer than reads back to back. */
static bool
is_slow_after_pauses(const struct diagnosis_facts *facts)
{
    const struct job_step *first = first_step(facts);
    int64_t paused = facts->paused.p50;
    return first && first->requests >= MIN_STEP_REQUESTS && first->p50 > 0 &&
           paused > PAUSES_RATIO * first->p50 && paused - first->p50 > PAUSES_LONGER;
}

/* Returns true if other processes keep the disk busy. */
static bool
is_busy_for_others(const struct diagnosis_facts *facts)
{
    double own_rate = facts->pause > 0 ? (double)SECOND / (double)facts->pause : 0;
    return facts->other_rate >= OTHERS_RATE && facts->other_rate >= own_rate / 2 &&
           facts->disk_busy >= OTHERS_BUSY;
}

/* Sets the state of FINDINGS for a target whose class is not known, because of CAUSE. */
static void
set_unknown(struct diagnosis_findings *findings, enum diagnosis_cause cause)
{
    findings->state = DIAGNOSIS_UNKNOWN;
    findings->class = CLASS_UNKNOWN;
    findings->cause = cause;
}

/* Compares the paused reads with the range of the class of FINDINGS. */
static void
compare_with_class(const struct diagnosis_facts *facts,
                   struct diagnosis_findings *findings)
{
    const struct storage_range *range = &storage_ranges[findings->class];

    findings->state = DIAGNOSIS_FINE;
    if (facts->paused.p50 > range->p50_to) {
        findings->state = DIAGNOSIS_SLOW;
    } else if (facts->paused.p99 > range->p99_to) {
        findings->state = DIAGNOSIS_SLOW;
        findings->slow_tail = true;
    }
}

/* Judges a target on a disk. */
static void
judge_disk(const struct diagnosis_facts *facts, struct diagnosis_findings *findings)
{
    int64_t p50 = facts->paused.p50;
    enum storage_class declared = find_declared_class(facts);

    if (declared != CLASS_UNKNOWN) {
        findings->class = declared;
        if (p50 < storage_ranges[declared].p50_from)
            set_unknown(findings, CAUSE_CONTRADICTION);
        else
            compare_with_class(facts, findings);
        return;
    }

    /* If reads back to back are much faster than reads after a pause, they show the
     * device itself. */
    int64_t similar_p50 = is_slow_after_pauses(facts) ? first_step(facts)->p50 : p50;
    findings->is_likeness = true;
    findings->class = find_similar_class(facts->disk, similar_p50);
    if (findings->class != CLASS_SSD && is_busy_for_others(facts)) {
        set_unknown(findings, CAUSE_BUSY);
    } else if (findings->class != CLASS_UNKNOWN) {
        compare_with_class(facts, findings);
    } else if (p50 > storage_ranges[CLASS_HARD_DISK].p50_to) {
        findings->state = DIAGNOSIS_SLOW;
        findings->class = CLASS_HARD_DISK;
    } else if (p50 < storage_ranges[CLASS_SSD].p50_from) {
        set_unknown(findings, CAUSE_CONTRADICTION);
    } else {
        set_unknown(findings, CAUSE_BETWEEN);
    }
}

/* Judges a file system on a server. */
static void
judge_served(const struct diagnosis_facts *facts, struct diagnosis_findings *findings)
{
    int64_t p50 = facts->paused.p50;

    findings->is_likeness = true;
    findings->class = CLASS_NEAR_SERVER;
    if (p50 > storage_ranges[CLASS_NEAR_SERVER].p50_to)
        findings->class = CLASS_FAR_SERVER;
    if (p50 < storage_ranges[CLASS_NEAR_SERVER].p50_from)
        set_unknown(findings, CAUSE_CONTRADICTION);
    else
        compare_with_class(facts, findings);
}

/* Returns true if too many reads came from memory instead of a device. */
static bool
is_from_page_cache(const struct diagnosis_facts *facts)
{
    bool has_only_cached = facts->paused.count == 0 && facts->cached > 0;
    return has_only_cached ||
           100 * facts->from_memory > MAX_UNTOUCHED * facts->paused.count;
}

/* Returns true if the target keeps its data in memory. */
static bool
is_memory(const struct diagnosis_facts *facts)
{
    return facts->is_in_memory ||
           (facts->has_disk && strcmp(facts->disk->transport, "memory") == 0);
}

/* Returns true if too much of the file are holes, whose reads touch no device. */
static bool
has_holes(const struct diagnosis_facts *facts)
{
    return facts->hole_percent > MAX_UNTOUCHED && !is_memory(facts);
}

/* Returns why nothing can be said about the class of the target, whatever the times of
 * its reads are; CAUSE_NONE if something can be said. */
static enum diagnosis_cause
find_obstacle(const struct diagnosis_facts *facts)
{
    bool has_class = diagnosis_is_served(facts) || facts->has_disk;
    bool is_cached = facts->mode == IO_MODE_CACHED && facts->kind != OS_CHARACTER;
    bool ended_early = facts->was_interrupted && !facts->has_swept;
    const struct {
        bool holds;
        enum diagnosis_cause cause;
    } obstacles[] = {
        {is_from_page_cache(facts), CAUSE_PAGE_CACHE},
        {ended_early && !is_memory(facts), CAUSE_INTERRUPTED},
        {facts->paused.count < MIN_READS, CAUSE_NO_READS},
        {is_cached && !is_memory(facts), CAUSE_PAGE_CACHE},
        {has_holes(facts), CAUSE_HOLES},
        {facts->request_size > MAX_JUDGED_SIZE && !is_memory(facts), CAUSE_LARGE_READS},
        {!has_class && !is_memory(facts), CAUSE_HIDDEN},
    };

    for (size_t i = 0; i < sizeof(obstacles) / sizeof(obstacles[0]); i++)
        if (obstacles[i].holds)
            return obstacles[i].cause;
    return CAUSE_NONE;
}

/* Finds the class and the state of the target. */
static void
judge_class(const struct diagnosis_facts *facts, struct diagnosis_findings *findings)
{
    enum diagnosis_cause obstacle = find_obstacle(facts);

    if (facts->failure[0])
        findings->state = DIAGNOSIS_FAILED;
    else if (obstacle != CAUSE_NONE)
        set_unknown(findings, obstacle);
    else if (is_memory(facts))
        findings->class = CLASS_MEMORY;
    else if (diagnosis_is_served(facts))
        judge_served(facts, findings);
    else
        judge_disk(facts, findings);
}

/* Finds the knee of the sweep. */
static void
find_knee(const struct diagnosis_facts *facts, struct diagnosis_findings *findings)
{
    const struct job_sweep *sweep = facts->depths;
    const struct job_step *first = first_step(facts);
    if (!first || first->p99 < 0)
        return;

    for (int i = 0; i < sweep->count; i++) {
        const struct job_step *step = &sweep->steps[i];
        if (step->p99 < 0)
            continue;
        findings->is_knee_reached = step->p99 > 2 * first->p99;
        if (!findings->is_knee_reached)
            findings->knee = step;
    }
}

/* Returns the highest rate of the sweep, in requests per second. */
static double
highest_rate(const struct job_sweep *sweep)
{
    double highest = 0;
    for (int i = 0; i < sweep->count; i++)
        highest = fmax(highest, sweep->steps[i].iops);
    return highest;
}

/* Finds with how many requests in flight the rate of the target stops rising. */
static void
find_slots(const struct diagnosis_facts *facts, struct diagnosis_findings *findings)
{
    const struct job_sweep *sweep = facts->depths;
    double highest = highest_rate(sweep);
    if (highest > SLOTS_MAX_RATE || is_busy_for_others(facts))
        return;

    for (int i = 0; i + SLOTS_STEPS < sweep->count && !findings->slots; i++) {
        const struct job_step *step = &sweep->steps[i];
        if (step->requests >= MIN_STEP_REQUESTS && highest < SLOTS_GAIN * step->iops)
            findings->slots = step->value;
    }
}

/* Returns true if RATE has reached LIMIT. A limit of 0 is none. */
static bool
has_reached(double rate, int64_t limit)
{
    return limit > 0 && rate >= LIMIT_REACHED * (double)limit &&
           rate <= LIMIT_BURST * (double)limit;
}

int64_t
diagnosis_tail(const struct diagnosis_facts *facts)
{
    return facts->paused.p99 >= 0 ? facts->paused.p99 : facts->paused.max;
}

/* Finds out whether the limit of a control group stops the reads. */
static void
judge_limit(const struct diagnosis_facts *facts, struct diagnosis_findings *findings)
{
    const struct os_disk_limit *limit = &facts->disk->limit;
    double bps = 0;

    if (!facts->has_disk || !limit->group[0] || findings->cause == CAUSE_INTERRUPTED)
        return;
    for (int i = 0; i < facts->depths->count; i++)
        bps = fmax(bps, facts->depths->steps[i].bps);
    bps = fmax(bps, facts->stream_bps);
    findings->is_limit_reached =
        has_reached(highest_rate(facts->depths), limit->requests_per_s) ||
        has_reached(bps, limit->bytes_per_s);
    if (!findings->is_limit_reached || facts->pause <= 0 ||
        findings->state == DIAGNOSIS_FAILED)
        return;

    /* If even the reads with pauses want more than the limit allows, they show the limit
     * and not the disk. */
    double wanted_rate = (double)SECOND / (double)facts->pause;
    double wanted_bps = wanted_rate * (double)facts->request_size;
    bool has_wanted_more =
        (limit->requests_per_s > 0 && wanted_rate > (double)limit->requests_per_s) ||
        (limit->bytes_per_s > 0 && wanted_bps > (double)limit->bytes_per_s);
    if (has_wanted_more) {
        findings->slow_tail = diagnosis_tail(facts) > LIMIT_TAIL * facts->paused.p50;
        findings->state = DIAGNOSIS_SLOW;
        findings->class = CLASS_UNKNOWN;
    }
}

/* Returns why the reads of a slow target are slow. */
static enum diagnosis_cause
find_cause(const struct diagnosis_facts *facts, const struct diagnosis_findings *findings)
{
    static const enum diagnosis_cause blamed[PARTS] = {[PART_SUBMIT] = CAUSE_SYSTEM,
                                                       [PART_STACK] = CAUSE_STACK,
                                                       [PART_QUEUE] = CAUSE_QUEUE,
                                                       [PART_DEVICE] = CAUSE_DEVICE,
                                                       [PART_RETURN] = CAUSE_SYSTEM};

    if (findings->is_limit_reached)
        return CAUSE_LIMIT;
    if (is_busy_for_others(facts))
        return CAUSE_OTHERS;
    if (!findings->slow_tail && is_slow_after_pauses(facts))
        return CAUSE_PAUSES;
    if (facts->has_shares)
        for (enum part part = 0; part < PARTS; part++)
            if (facts->shares[part] >= BLAMED_SHARE)
                return blamed[part];
    return CAUSE_NONE;
}

/* Returns true if only few reads in flight raise the rate of the target. This says
 * something about a disk only. The maker of a virtual disk or a volume may limit its rate
 * to any number, and then it looks the same. */
static bool
has_few_slots(const struct diagnosis_findings *findings)
{
    return findings->slots > 0 && !findings->is_likeness && !findings->is_limit_reached &&
           findings->slots < storage_ranges[findings->class].expected_slots;
}

/* Looks for slowness that the reads with pauses do not show: slow flushes, or few
 * requests at a time. Also looks for it if the class of the target is hidden. */
static void
find_other_slowness(const struct diagnosis_facts *facts,
                    struct diagnosis_findings *findings)
{
    const struct storage_range *range = &storage_ranges[findings->class];
    bool is_hidden =
        findings->state == DIAGNOSIS_UNKNOWN &&
        (findings->cause == CAUSE_HIDDEN || findings->cause == CAUSE_BETWEEN);
    bool is_open = findings->state == DIAGNOSIS_FINE || is_hidden;

    if (!is_open || findings->class == CLASS_MEMORY)
        return;
    if (facts->flush.count >= MIN_READS && facts->flush.p50 > range->flush_to &&
        facts->flush.p50 > FLUSH_RATIO * facts->paused.p50) {
        findings->state = DIAGNOSIS_SLOW;
        findings->cause = CAUSE_FLUSH;
    } else if (is_hidden && facts->paused.p50 > HIDDEN_SLOW &&
               is_slow_after_pauses(facts)) {
        findings->state = DIAGNOSIS_SLOW;
        findings->cause = CAUSE_PAUSES;
    } else if (has_few_slots(findings)) {
        findings->state = DIAGNOSIS_SLOW;
        findings->cause = CAUSE_SLOTS;
    }
}

/* Withdraws the finding that nothing looks wrong if p99 is unknown: the slowest reads are
 * not known then. A slow median or flush is a finding even without p99. */
static void
require_tail(const struct diagnosis_facts *facts, struct diagnosis_findings *findings)
{
    bool is_fine = findings->state == DIAGNOSIS_FINE;
    if (is_fine && findings->class != CLASS_MEMORY && facts->paused.p99 < 0)
        set_unknown(findings, CAUSE_NO_READS);
}

/* Returns the figure of USE in FACTS; -1 if it is not known. */
static int64_t
find_use_value(const struct diagnosis_facts *facts, enum storage_use use)
{
    switch (use) {
    case USE_ETCD:
        return facts->flush.p99;
    case USE_DATABASE:
        return facts->commit.count >= MIN_READS ? facts->commit.average : -1;
    case USE_DESKTOP:
        return facts->paused.p99;
    case USE_STREAMING:
        return facts->stream.count >= MIN_READS ? (int64_t)facts->stream_bps : -1;
    case STORAGE_USES:
        break;
    }
    return -1;
}

/* Returns why nothing can be said about USE, although there may be a figure; NULL if
 * something can be said. */
static const char *
find_use_doubt(const struct diagnosis_facts *facts,
               const struct diagnosis_findings *findings, enum storage_use use)
{
    bool is_of_flushes = use == USE_ETCD || use == USE_DATABASE;

    if (findings->state == DIAGNOSIS_FAILED)
        return "requests failed";
    if (findings->class == CLASS_MEMORY)
        return is_of_flushes ? "memory is lost when the machine stops"
                             : "memory is no disk";
    if (is_of_flushes && facts->kind != OS_DIRECTORY)
        return "flushes are measured in directories only";
    if (is_of_flushes && facts->flushes_ignored)
        return "no flush reaches the device";
    if (facts->kind == OS_CHARACTER)
        return "a character device is no disk";
    if (has_holes(facts))
        return "reads of holes touch no device";
    if (facts->mode == IO_MODE_CACHED || is_from_page_cache(facts))
        return "the page cache answered";
    return NULL;
}

/* Finds out whether the target suits USE. */
static struct use_finding
judge_use(const struct diagnosis_facts *facts, const struct diagnosis_findings *findings,
          enum storage_use use)
{
    const struct storage_need *need = &storage_needs[use];
    struct use_finding finding = {.verdict = SLO_UNKNOWN,
                                  .value = find_use_value(facts, use),
                                  .why_unknown = find_use_doubt(facts, findings, use)};
    if (finding.why_unknown)
        return finding;
    if (finding.value < 0) {
        finding.why_unknown =
            facts->was_interrupted ? "the run was interrupted" : "too few requests";
        return finding;
    }

    bool is_met =
        need->is_rate ? finding.value >= need->limit : finding.value < need->limit;
    finding.verdict = is_met ? SLO_MET : SLO_BROKEN;
    return finding;
}

void
diagnosis_judge(const struct diagnosis_facts *facts, struct diagnosis_findings *findings)
{
    *findings = (struct diagnosis_findings){.state = DIAGNOSIS_FINE};
    findings->is_disk_busy = is_busy_for_others(facts);
    findings->is_disk_shared =
        findings->is_disk_busy || facts->other_rate >= OTHERS_MENTIONED;

    judge_class(facts, findings);
    find_knee(facts, findings);
    find_slots(facts, findings);
    judge_limit(facts, findings);
    if (findings->state == DIAGNOSIS_SLOW)
        findings->cause = find_cause(facts, findings);
    find_other_slowness(facts, findings);
    require_tail(facts, findings);

    for (enum storage_use use = 0; use < STORAGE_USES; use++)
        findings->uses[use] = judge_use(facts, findings, use);
}

int
diagnosis_status(const struct diagnosis_findings *findings)
{
    return findings->state == DIAGNOSIS_SLOW ? EXIT_LIMIT : EXIT_DONE;
}
