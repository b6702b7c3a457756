/*
 * Fuzzes the reader of recorded runs. The first byte of the input is a block size, the
 * rest is a file of raw lines or JSON, or a log of histograms. The result must be the
 * same if the file is read as a whole and if it is read in blocks of that size. A raw
 * line counts as at most one request, and sums stay in bounds.
 */
#include "fuzz.h"

#include "run/job.h"
#include "session/recorded_runs.h"

/* The results after the whole file has been read. */
struct end {
    struct error error;
    uint64_t lines, count, requests;
    int64_t sum, time;
    int rows;
};

static void
check_row(const struct job *job, struct end *end)
{
    const struct stats *total = &job->outcome.total;
    MUST(total->requests >= total->latency.count);
    MUST(total->latency.sum >= 0 && job->outcome.duration >= 0 && total->bytes >= 0);
    MUST(total->latencies.count == total->latency.count);
    MUST(job->target.description.path && job->target.description.path[0]);
    end->count += total->latency.count;
    end->requests ^= total->requests;
    end->sum ^= total->latency.sum;
    end->time ^= job->outcome.duration;
}

static struct end
read_all(const struct plan *plan, const uint8_t *data, size_t size, size_t block)
{
    struct end end = {.rows = 0};
    struct recorded_runs runs;
    int status = recorded_runs_open(&runs, plan, &end.error);
    MUST(status == 0);
    recorded_runs_begin(&runs, "gp2");
    for (size_t at = 0; status == 0 && at < size; at += block) {
        size_t length = size - at < block ? size - at : block;
        char *copy = malloc(length);
        MUST(copy);
        memcpy(copy, data + at, length);
        status = recorded_runs_add(&runs, copy, length, &end.error);
        free(copy);
    }
    if (status == 0)
        status = recorded_runs_end(&runs, &end.error);
    MUST(status == 0 || (end.error.status == EXIT_PREPARE && end.error.why[0]));
    end.lines = runs.line_number;
    if (status == 0)
        recorded_runs_finish(&runs);
    end.rows = status == 0 ? runs.row_count : 0;
    for (int i = 0; i < end.rows; i++)
        check_row(&runs.jobs[i], &end);
    if (runs.format == RECORDED_RAW)
        MUST(end.count <= end.lines);
    if (runs.format != RECORDED_JSON)
        MUST((uint64_t)end.rows <= end.lines);
    recorded_runs_close(&runs);
    return end;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct options options;
    struct plan plan = {.options = &options, .target_count = 1};
    if (size == 0)
        return 0;
    options_init(&options);
    struct end whole = read_all(&plan, data + 1, size - 1, size);
    struct end parts = read_all(&plan, data + 1, size - 1, (size_t)data[0] + 1);
    MUST(strcmp(whole.error.why, parts.error.why) == 0);
    MUST(whole.lines == parts.lines && whole.rows == parts.rows);
    MUST(whole.count == parts.count && whole.requests == parts.requests);
    MUST(whole.sum == parts.sum && whole.time == parts.time);
    return 0;
}
