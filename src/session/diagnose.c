/*
 * The work of a session for -diagnose, beside the runs of its parts: it lets the parts
 * that read share one target, asks the system about the disk, and at the end passes
 * everything that is known on to the diagnosis (report/diagnosis.h).
 */
#include "os/process.h"
#include "report/console.h"
#include "session_private.h"

#include <stdio.h>
#include <string.h>

/* Makes the requests of JOB small enough for its target. */
static void
fit_request_size(struct job *job)
{
    int64_t *size = &job->plan.workload.request_size;

    while (*size > job->target.work_size && *size > 4096)
        *size /= 2;
    job->active_plan.workload.request_size = *size;
}

/*
 * Moves the limits on flushes from JOB, the part of the flushes, which will not run, to
 * FIRST, the first part. There they have the answer UNKNOWN.
 */
static void
move_flush_limits(struct job *first, const struct job *job)
{
    const struct slos *from = &job->plan.statistics.slos;
    struct slos *to = &first->plan.statistics.slos;

    for (int i = 0; i < from->count; i++)
        to->list[to->count++] = from->list[i];
    first->outcome.why_no_flush = "flushes are measured in directories only";
    first->outcome.flush_remedy = "name a directory";
}

bool
session_borrow_target(struct session *session, int index)
{
    struct job *job = &session->jobs[index];
    const struct target *target = &session->jobs[0].target;

    if (index == PART_OF_FLUSHES) {
        if (target->kind == OS_DIRECTORY)
            return false;
        move_flush_limits(&session->jobs[0], job);
        job_free(job);
        session->job_count = session->target_count = PART_OF_FLUSHES;
        return true;
    }

    job->target = *target;
    job->target.opened_before = NULL;
    job->target.removed_path[0] = '\0';
    job->borrows_target = true;
    fit_request_size(job);
    return true;
}

void
session_find_disk(struct session *session)
{
    struct session_diagnosis *diagnosis = session->diagnosis;

    diagnosis->has_disk = os_disk_find(session->jobs[0].target.fd, &diagnosis->disk) == 0;
}

void
session_try_trace(struct session *session)
{
    struct run_task task = session->task;
    struct notes unused = {0};
    struct error error = {.status = 0};
    struct job *job = &session->jobs[0];
    char *refusal = session->diagnosis->result.refusal;

    task.count = 1;
    if (run_open_attribution(&task, &unused, &error) == 0) {
        session->task.attribution = task.attribution;
        return;
    }

    const char *gap = error.advice[0] ? "; " : "";
    bool is_about_target = strcmp(error.what, job->plan.path) == 0;
    snprintf(refusal, sizeof(session->diagnosis->result.refusal), "%s%s%s%s",
             is_about_target ? "the target " : "", error.why, gap, error.advice);
    job->plan.statistics.has_breakdown = false;
    job->active_plan.statistics.has_breakdown = false;
}

void
session_watch_disk(struct session *session, const struct job *job, bool begins)
{
    struct session_diagnosis *diagnosis = session->diagnosis;
    struct os_disk_activity now;

    if (!diagnosis || !diagnosis->has_disk || job->index != PART_OF_PAUSES)
        return;
    if (begins) {
        diagnosis->knows_activity =
            os_disk_activity(&diagnosis->disk, &diagnosis->before) == 0;
        return;
    }

    if (diagnosis->knows_activity && os_disk_activity(&diagnosis->disk, &now) == 0) {
        diagnosis->during.requests = now.requests - diagnosis->before.requests;
        diagnosis->during.busy_ns = now.busy_ns - diagnosis->before.busy_ns;
        diagnosis->during.request_ns = now.request_ns - diagnosis->before.request_ns;
    } else {
        diagnosis->knows_activity = false;
    }
}

/* A larger read may reach the disk as several requests, bytes. */
#define MAX_WHOLE_READ (64 << 10)

/* Returns true if each read of JOB is one request of the disk. */
static bool
are_reads_counted_by_disk(const struct job *job)
{
    return job->plan.workload.request_size <= MAX_WHOLE_READ &&
           job->target.description.mode != IO_MODE_CACHED;
}

/* Computes how busy the disk was during the paused reads, and how many requests others
 * have sent: all requests, without the reads. Both are unknown if the system has counted
 * no requests, although reads have reached the disk. It counts none of a RAM disk, and in
 * older systems none of an NVMe disk that several controllers may share. */
static void
find_others(const struct session_diagnosis *diagnosis, const struct job *job,
            struct diagnosis_facts *facts)
{
    const struct outcome *outcome = &job->outcome;

    facts->other_rate = -1;
    facts->disk_busy = -1;
    if (!diagnosis->knows_activity || outcome->duration <= 0 ||
        !are_reads_counted_by_disk(job))
        return;

    if (diagnosis->during.requests == 0 &&
        outcome->total.requests > outcome->total.from_memory)
        return;

    int64_t requests = diagnosis->during.requests - (int64_t)outcome->total.requests;
    int64_t busy = diagnosis->during.busy_ns;
    if (requests < 0)
        requests = 0;
    if (busy > diagnosis->during.request_ns) /* some kernels count too much */
        busy = diagnosis->during.request_ns;
    if (busy > outcome->duration)
        busy = outcome->duration;
    facts->other_rate = stats_rate((double)requests, outcome->duration);
    facts->disk_busy = (int)(100 * (double)busy / (double)outcome->duration);
}

/* If the part of the flushes was not reached, answers its limits: each is UNKNOWN.
 * Returns the exit status that these limits ask for. */
static int
answer_missing_flushes(struct session *session)
{
    struct job *job = &session->jobs[PART_OF_FLUSHES];
    struct outcome *outcome = &job->outcome;
    struct notes notes = {0};

    if (session->target_count <= PART_OF_FLUSHES || job->was_tried)
        return EXIT_DONE;

    outcome->why_no_flush = "-diagnose ended before it measured flushes";
    outcome->flush_remedy = "let it run to its end";
    outcome->limits_printed = session->jobs[0].outcome.limits_printed;
    outcome_explain(outcome, &notes);
    console_notes(&notes);
    return outcome_status(outcome);
}

int
session_diagnose(struct session *session)
{
    struct session_diagnosis *gathered = session->diagnosis;
    struct diagnosis *result = &gathered->result;

    result->facts.disk = &gathered->disk;
    result->facts.has_disk = gathered->has_disk;
    result->facts.was_interrupted = os_signals_stop_signal() != 0;
    find_others(gathered, &session->jobs[0], &result->facts);
    int limits_status = answer_missing_flushes(session);

    diagnosis_collect(result, session->jobs, session->job_count);
    diagnosis_judge(&result->facts, &result->findings);
    const struct run_record record = {.kind = RECORD_DIAGNOSIS, .diagnosis = result};
    session->observer.record(session->observer.self, &session->jobs[0], &record);

    return outcome_worse(diagnosis_status(&result->findings), limits_status);
}
