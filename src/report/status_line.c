#include "status_line.h"

#include "bar.h"
#include "base/units.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define SECOND 1000000000LL
#define TENTH (SECOND / 10)

#define GAP 2 /* columns between two parts */
#define BAR_MOST 20
#define BAR_LEAST 5
#define BAR_TINY 3 /* if it is alone with its percents */
#define BAR_ENDS 3 /* columns: its brackets and a space */

/* In the order in which they stand. */
enum part {
    PART_STEP,
    PART_PROGRESS,
    PART_REQUESTS,
    PART_P50,
    PART_P99,
    PART_MAX,
    PART_FAILED,
    PART_LEFT,
    PARTS
};

/* And that in which they go where there is no room. */
static const enum part leaving[] = {PART_MAX,      PART_P99,    PART_P50, PART_LEFT,
                                    PART_REQUESTS, PART_FAILED, PART_STEP};

/* ASCII only, so that bytes are columns; an empty one is not there. The bar is apart. */
struct parts {
    char text[PARTS][96];
};

static void
make_step(const struct status_facts *facts, char *text, size_t size)
{
    const struct status_place *place = &facts->place;
    char target[32] = "", value[UNITS_TEXT];
    if (facts->swept == SWEEP_NONE || place->count == 0)
        return;
    if (facts->targets > 1)
        snprintf(target, sizeof(target), "target %d/%d  ", place->target + 1,
                 facts->targets);
    if (facts->swept == SWEEP_SIZE)
        units_format(UNITS_SIZE, place->value, value);
    else
        snprintf(value, sizeof(value), "%" PRId64, place->value);
    snprintf(text, size, "%s%s %s (%d/%d)", target, sweep_name(facts->swept), value,
             place->number + 1, place->count);
}

/* No finer than a person can follow: down to a multiple of FINE below LIMIT, of a second
 * from there on. */
static void
make_time(char *text, size_t size, int64_t time, int64_t fine, int64_t limit,
          const char *after)
{
    char shown[UNITS_TEXT];
    time -= time % (time < limit ? fine : SECOND);
    snprintf(text, size, "%s%s", time ? units_format(UNITS_TIME, time, shown) : "0 s",
             after);
}

/* How many of COUNT are done; a share such as 0.29 may be a little less than it is. */
static int
done_of(double share, int count)
{
    return (int)(share * count + 1e-9);
}

/* How much is done, which is less than all until it is; or how long it has gone on. */
static void
make_progress(const struct status_facts *facts, char *text, size_t size)
{
    if (facts->share >= 0)
        snprintf(text, size, "%3d%%", done_of(facts->share, 100));
    else
        make_time(text, size, facts->elapsed, TENTH, SECOND, "");
}

static void
make_count(char *text, size_t size, uint64_t count, const char *what)
{
    char shown[UNITS_TEXT];
    snprintf(text, size, "%s %s", units_format(UNITS_COUNT, (int64_t)count, shown), what);
}

static void
make_latency(char *text, size_t size, const char *name, int64_t time)
{
    char shown[UNITS_TEXT];
    snprintf(text, size, "%s %s", name,
             time >= 0 ? units_format(UNITS_TIME, time, shown) : "-");
}

static void
make_parts(const struct status_facts *facts, struct parts *parts)
{
    size_t size = sizeof(parts->text[0]);
    memset(parts, 0, sizeof(*parts));
    make_step(facts, parts->text[PART_STEP], size);
    make_progress(facts, parts->text[PART_PROGRESS], size);
    make_count(parts->text[PART_REQUESTS], size, facts->requests, "requests");
    make_latency(parts->text[PART_P50], size, facts->corrected ? "corrected p50" : "p50",
                 facts->p50);
    make_latency(parts->text[PART_P99], size, facts->corrected ? "corrected p99" : "p99",
                 facts->p99);
    make_latency(parts->text[PART_MAX], size, "max", facts->max);
    if (facts->failed)
        make_count(parts->text[PART_FAILED], size, facts->failed, "failed");
    if (facts->left >= 0)
        make_time(parts->text[PART_LEFT], size, facts->left, TENTH, 60 * SECOND, " left");
}

static int
width_of(const struct parts *parts)
{
    int width = -GAP;
    for (int i = 0; i < PARTS; i++)
        if (parts->text[i][0])
            width += GAP + (int)strlen(parts->text[i]);
    return width;
}

/* Drops what WIDTH columns have no room for beside a bar of LEAST. */
static void
fit_parts(struct parts *parts, int width, int least)
{
    int count = (int)(sizeof(leaving) / sizeof(leaving[0]));
    for (int i = 0; i < count && width_of(parts) + least > width; i++)
        parts->text[leaving[i]][0] = '\0';
}

/* Full when all is done, not before. */
static void
add_bar(struct buffer *text, double share, int width, bool utf8)
{
    buffer_text(text, "[");
    bar_add(text, done_of(share, width * bar_parts(utf8)), width, utf8 ? " " : "-", utf8);
    buffer_text(text, "] ");
}

void
status_format(struct buffer *text, const struct status_facts *facts, int columns,
              bool utf8)
{
    struct parts parts;
    int width = columns - 1;
    int least = facts->share >= 0 ? BAR_LEAST + BAR_ENDS : 0;
    make_parts(facts, &parts);
    if (width_of(&parts) + least > width)
        make_count(parts.text[PART_REQUESTS], sizeof(parts.text[0]), facts->requests,
                   "req");
    fit_parts(&parts, width, least);
    int bar = width - width_of(&parts) - BAR_ENDS;
    if (width_of(&parts) > width)
        return; /* half of a number would be another one */
    bar = bar < BAR_MOST ? bar : BAR_MOST;
    const char *gap = "";
    for (int i = 0; i < PARTS; i++) {
        if (!parts.text[i][0])
            continue;
        buffer_text(text, gap);
        if (i == PART_PROGRESS && least && bar >= BAR_TINY)
            add_bar(text, facts->share, bar, utf8);
        buffer_text(text, parts.text[i]);
        gap = "  ";
    }
}
