/*
 * JSON (RFC 8259): one array, an object per record, laid out line by line as
 * ioping 1.3 does, so that readers of lines find theirs.
 */
#include "report/report.h"

#include "base/escape.h"
#include "os/os.h"

#include <inttypes.h>
#include <time.h>

static const char *const modes[] = {
    [MODE_DIRECT] = "direct", [MODE_NOCACHE] = "nocache", [MODE_CACHED] = "cached"};

/* JSON is UTF-8; a byte that is not becomes U+FFFD, the replacement character. */
static void
add_string(struct buffer *text, const char *string)
{
    buffer_text(text, "\"");
    while (*string) {
        size_t length = escape_utf8_length(string);
        unsigned char byte = (unsigned char)*string;
        if (length == 0)
            buffer_text(text, "\\ufffd");
        else if (byte == '"' || byte == '\\')
            buffer_format(text, "\\%c", byte);
        else if (byte < 0x20 || byte == 0x7f)
            buffer_format(text, "\\u%04x", (unsigned)byte);
        else if (byte == 0xc2 && (unsigned char)string[1] < 0xa0) /* C1 */
            buffer_format(text, "\\u%04x", (unsigned)(unsigned char)string[1]);
        else
            buffer_add(text, string, length);
        string += length ? length : 1;
    }
    buffer_text(text, "\"");
}

static void
open_record(struct report *report)
{
    struct buffer *text = &report->text;
    char local_text[64];
    struct tm local;
    int64_t wall = report->wall();
    os_clock_local(wall, &local);
    strftime(local_text, sizeof(local_text), "%Y-%m-%dT%H:%M:%S%z", &local);
    buffer_format(text, "%s{\n  \"timestamp\": %" PRId64 ".%06" PRId64 ",\n",
                  report->records ? "," : "", wall / 1000000000,
                  wall % 1000000000 / 1000);
    buffer_format(
        text, "  \"localtime\": \"%s\",\n  \"target\": {\n    \"path\": ", local_text);
    add_string(text, report->target->path);
    buffer_text(text, ",\n    \"fstype\": ");
    add_string(text, report->target->fstype);
    buffer_text(text, ",\n    \"device\": ");
    add_string(text, report->target->device);
    buffer_format(text,
                  ",\n    \"device_size\": %" PRId64 ",\n    \"mode\": \"%s\"\n  },\n",
                  report->target->size, modes[report->target->mode]);
}

static void
json_begin(struct report *report)
{
    buffer_text(&report->text, "[");
}

static void
json_sample(struct report *report, const struct sample *sample)
{
    struct buffer *text = &report->text;
    char number[16];
    const char *notice = sample_notice(sample, number);
    open_record(report);
    buffer_format(text,
                  "  \"io\": {\n    \"request\": %" PRIu64
                  ",\n    \"operation\": \"%s\",\n"
                  "    \"offset\": %" PRId64 ",\n    \"size\": %" PRId64 ",\n"
                  "    \"time\": %" PRId64 ",\n    \"ignored\": %s",
                  sample->index, sample->operation == OPERATION_WRITE ? "write" : "read",
                  sample->offset, sample->bytes, sample->latency,
                  sample_counts(sample) ? "false" : "true");
    if (notice)
        buffer_format(text, ",\n    \"notice\": \"%s\"", notice);
    buffer_text(text, "\n  }\n}");
}

static void
json_stats(struct report *report, const struct stats *stats, int64_t time)
{
    struct buffer *text = &report->text;
    const struct moments *latency = &stats->latency;
    open_record(report);
    buffer_format(text,
                  "  \"stat\": {\n    \"count\": %" PRIu64 ",\n    \"size\": %" PRId64
                  ",\n"
                  "    \"time\": %" PRId64 ",\n    \"iops\": %.6f,\n    \"bps\": %.0f,\n",
                  latency->count, stats->bytes, latency->sum,
                  stats_rate((double)latency->count, latency->sum),
                  stats_rate((double)stats->bytes, latency->sum));
    buffer_format(text,
                  "    \"min\": %" PRId64 ",\n    \"avg\": %" PRId64
                  ",\n    \"max\": %" PRId64 ",\n    \"mdev\": %" PRId64 "\n  },\n",
                  latency->min, moments_average(latency), latency->max,
                  moments_deviation(latency));
    buffer_format(text,
                  "  \"load\": {\n    \"count\": %" PRIu64 ",\n    \"failed\": %" PRIu64
                  ",\n    \"missed\": %" PRIu64 ",\n"
                  "    \"size\": %" PRId64 ",\n    \"time\": %" PRId64 ",\n"
                  "    \"iops\": %.6f,\n    \"bps\": %.0f\n  }\n}",
                  stats->requests, stats->failed, stats->missed, stats->all_bytes, time,
                  stats_rate((double)stats->requests, time),
                  stats_rate((double)stats->all_bytes, time));
}

static void
json_end(struct report *report)
{
    buffer_text(&report->text, "]\n");
}

const struct report_format report_json = {
    .begin = json_begin,
    .sample = json_sample,
    .period = json_stats,
    .summary = json_stats,
    .end = json_end,
    .farewell = ']',
};
