/*
 * The text of the live screen, from top to bottom:
 *
 *   ioping -live -i 1ms data                           1.26 k requests  0:00:12
 *   target        now p50 10s p99 10s ...     p50     p99     max     rate failed
 *   data        81 us   80 us  120 us ...   80 us  121 us 1.26 ms 1.00 k/s
 *   data: latency over time, 1 s per column
 *    200 us                                    the heat map (live_map.c)
 *    100 us
 *              -30 s          -15 s      now
 *   the newest message, if there is one
 *   q quit  p pause  r reset  + - scale  arrows target 1 of 3  ? help
 *
 * If the table has no room for all targets, its head says which of them it shows.
 */
#include "live_screen.h"

#include "base/time.h"
#include "base/units.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The columns of the table, in their order on the screen. */
enum column {
    COLUMN_NOW,
    COLUMN_RECENT_P50,
    COLUMN_RECENT_P99,
    COLUMN_RECENT_MAX,
    COLUMN_P50,
    COLUMN_P99,
    COLUMN_MAX,
    COLUMN_RATE,
    COLUMN_FAILED,
    COLUMN_MISSED,
    COLUMN_OLDEST,
    COLUMNS
};

static const struct {
    const char *head;
    int width;
} table[COLUMNS] = {
    [COLUMN_NOW] = {"now", 8},
    [COLUMN_RECENT_P50] = {"p50 10s", 8},
    [COLUMN_RECENT_P99] = {"p99 10s", 8},
    [COLUMN_RECENT_MAX] = {"max 10s", 8},
    [COLUMN_P50] = {"p50", 8},
    [COLUMN_P99] = {"p99", 8},
    [COLUMN_MAX] = {"max", 8},
    [COLUMN_RATE] = {"rate", 9},
    [COLUMN_FAILED] = {"failed", 7},
    [COLUMN_MISSED] = {"missed", 7},
    [COLUMN_OLDEST] = {"oldest", 8},
};

/* The order in which columns are left out on a narrow screen: the least important column
 * first. A column without any figure is left out before all others. */
static const enum column dropped[COLUMNS] = {
    COLUMN_RECENT_P50, COLUMN_RECENT_MAX, COLUMN_MISSED, COLUMN_RATE,
    COLUMN_RECENT_P99, COLUMN_NOW,        COLUMN_MAX,    COLUMN_FAILED,
    COLUMN_OLDEST,     COLUMN_P99,        COLUMN_P50,
};

#define MIN_NAME_WIDTH 10 /* columns of the name of a target */
#define MARK_WIDTH 2      /* columns of the mark of the selected line */
#define SHOWN_AGE SECOND  /* the age of a request in flight is shown from here, ns */
#define FIXED_LINES 5     /* lines without the table, the map and the message */
#define HEAD_GAP 2        /* columns between the command line and the progress */
#define WIDE_COLUMNS 60   /* from this width on, there is room for more words */
#define CELL_SIZE UNITS_TEXT

#define HELP_LINES 6
static const char *const help[HELP_LINES] = {
    "q        end the run, as Ctrl-C does",   "p        pause the screen, not the run",
    "r        reset: count from now on",      "+ -      time of a column of the map",
    "up down  the target that the map shows", "?        this help on or off",
};

int
live_screen_width(uint32_t code)
{
    bool is_accent = code >= 0x300 && code <= 0x36f;
    bool is_east_asian = code >= 0x1100 && (code <= 0x115f || code >= 0x2e80);

    if (is_accent)
        return 0;
    return is_east_asian ? 2 : 1;
}

/* Returns the number of columns of TEXT on a screen of STYLE. Without UTF-8, each
 * character is shown in one column. */
static int
text_width(const char *text, const struct live_style *style)
{
    struct escape_character character;
    int width = 0;

    while (escape_next(&text, &character))
        width += style->has_utf8 ? live_screen_width(character.code) : 1;

    return width;
}

/* Adds CHARACTER, or "?" if the screen cannot show it. */
static void
add_character(struct buffer *text, const struct escape_character *character,
              const struct live_style *style)
{
    bool is_ascii = character->length == 1 && character->kind == ESCAPE_PLAIN;

    if (is_ascii || (style->has_utf8 && character->kind == ESCAPE_PLAIN))
        buffer_add(text, character->bytes, character->length);
    else
        buffer_text(text, "?");
}

/* Adds WORDS, WIDTH columns wide, padded with blanks. If WORDS are wider, "..." replaces
 * their middle or, if WIDTH is tiny, their end. */
static void
add_fitted(struct buffer *text, const char *words, int width,
           const struct live_style *style)
{
    struct escape_character character;
    int full_width = text_width(words, style);
    int gap = width < 8 ? 0 : 3;
    bool is_cut = full_width > width;
    int head_width = is_cut ? (width - gap) / 2 : width; /* columns before the gap */
    int tail_width = width - gap - head_width;           /* columns after the gap */
    int column = 0; /* column of WORDS, if they were shown in full */
    int used = 0;

    if (is_cut && gap == 0)
        head_width = width;

    while (escape_next(&words, &character)) {
        int next = column + (style->has_utf8 ? live_screen_width(character.code) : 1);
        bool is_head = next <= head_width;
        bool is_tail = is_cut && gap && column >= full_width - tail_width;

        if (is_tail && used < head_width + gap)
            for (; used < head_width + gap; used++)
                buffer_text(text, used < head_width ? " " : ".");
        if (is_head || is_tail) {
            add_character(text, &character, style);
            used += next - column;
        }
        column = next;
    }

    buffer_format(text, "%*s", width > used ? width - used : 0, "");
}

/* Adds WORDS as a line of its own. */
static void
add_words(struct buffer *text, const char *words, const struct live_style *style)
{
    int width = text_width(words, style);

    add_fitted(text, words, width < style->columns ? width : style->columns, style);
    buffer_text(text, "\n");
}

/* Writes TIME into CELL; "-" if it is unknown. */
static void
time_cell(int64_t time, char *cell)
{
    if (time < 0)
        snprintf(cell, CELL_SIZE, "-");
    else
        units_format(UNITS_TIME, time, cell);
}

/* Writes COUNT into CELL; nothing if it is 0. */
static void
count_cell(uint64_t count, char *cell)
{
    if (count > 0)
        units_format(UNITS_COUNT, (int64_t)count, cell);
}

/* Writes RATE, requests per second, into CELL. */
static void
rate_cell(double rate, char *cell)
{
    char number[UNITS_TEXT];

    if (rate < 10)
        snprintf(number, sizeof(number), "%.1f", rate);
    else
        units_format(UNITS_COUNT, (int64_t)(rate + 0.5), number);
    snprintf(cell, CELL_SIZE, "%.16s/s", number);
}

/* Writes the cell of FIGURES in COLUMN, which is empty if there is nothing to tell. */
static void
make_cell(const struct live_figures *figures, enum column column, char *cell)
{
    cell[0] = '\0';
    switch (column) {
    case COLUMN_NOW:
        time_cell(figures->now, cell);
        break;
    case COLUMN_RECENT_P50:
        time_cell(figures->recent_p50, cell);
        break;
    case COLUMN_RECENT_P99:
        time_cell(figures->recent_p99, cell);
        break;
    case COLUMN_RECENT_MAX:
        time_cell(figures->recent_max, cell);
        break;
    case COLUMN_P50:
        time_cell(figures->p50, cell);
        break;
    case COLUMN_P99:
        time_cell(figures->p99, cell);
        break;
    case COLUMN_MAX:
        time_cell(figures->max, cell);
        break;
    case COLUMN_RATE:
        rate_cell(figures->rate, cell);
        break;
    case COLUMN_FAILED:
        count_cell(figures->failed, cell);
        break;
    case COLUMN_MISSED:
        count_cell(figures->missed, cell);
        break;
    case COLUMN_OLDEST:
        if (figures->oldest_age >= SHOWN_AGE)
            time_cell(figures->oldest_age / SECOND * SECOND, cell);
        break;
    case COLUMNS:
        break;
    }
}

/* Returns true if no line has a figure in COLUMN. */
static bool
is_column_empty(const struct live_facts *facts, enum column column)
{
    char cell[CELL_SIZE];

    for (int i = 0; i < facts->line_count; i++) {
        make_cell(&facts->lines[i].figures, column, cell);
        if (cell[0])
            return false;
    }

    return true;
}

/* Chooses the columns that are shown, so that the name gets at least MIN_NAME_WIDTH.
 * Returns the width of the name, which is not larger than the longest name and HEAD, the
 * text above the names, need. */
static int
choose_columns(const struct live_facts *facts, const struct live_style *style,
               const char *head, bool shown[COLUMNS])
{
    int name_width = style->columns - MARK_WIDTH;

    for (int i = 0; i < COLUMNS; i++) {
        shown[i] = true;
        name_width -= table[i].width + 1;
    }

    for (int i = 0; i < COLUMNS; i++) {
        enum column column = dropped[i];
        if (name_width >= MIN_NAME_WIDTH || !is_column_empty(facts, column))
            continue;
        shown[column] = false;
        name_width += table[column].width + 1;
    }
    for (int i = 0; i < COLUMNS && name_width < MIN_NAME_WIDTH; i++) {
        enum column column = dropped[i];
        if (!shown[column])
            continue;
        shown[column] = false;
        name_width += table[column].width + 1;
    }

    int longest_name = (int)strlen(head);
    if (longest_name < MIN_NAME_WIDTH)
        longest_name = MIN_NAME_WIDTH;
    for (int i = 0; i < facts->line_count; i++) {
        int width = text_width(facts->lines[i].name, style);
        longest_name = width > longest_name ? width : longest_name;
    }

    return name_width < longest_name ? name_width : longest_name;
}

/* Adds the progress of the run, for the right end of the first line. */
static void
add_progress(struct buffer *text, const struct live_facts *facts,
             const struct live_style *style)
{
    int64_t seconds = facts->elapsed / SECOND;
    bool is_wide = style->columns >= WIDE_COLUMNS;
    uint64_t requests = 0;

    for (int i = 0; i < facts->line_count; i++)
        requests += facts->lines[i].figures.requests;

    if (facts->is_paused)
        buffer_text(text, "PAUSED  ");
    if (is_wide && facts->phase[0])
        buffer_format(text, "%s  ", facts->phase);
    if (is_wide && facts->target_count > 1)
        buffer_format(text, "%d targets  ", facts->target_count);

    units_add(text, UNITS_COUNT, (int64_t)requests);
    if (is_wide)
        buffer_format(text, " %s", units_plural(requests, "request", "requests"));
    else
        buffer_text(text, " req");
    buffer_format(text, "  %" PRId64 ":%02d:%02d", seconds / 3600,
                  (int)(seconds / 60 % 60), (int)(seconds % 60));
}

/* Adds the first line: the command line, and the progress on the right. */
static void
add_head(struct buffer *text, const struct live_facts *facts,
         const struct live_style *style)
{
    struct buffer progress = {0};

    add_progress(&progress, facts, style);
    int width = (int)progress.length + HEAD_GAP;
    if (width > style->columns)
        width = style->columns;

    add_fitted(text, facts->command, style->columns - width, style);
    if (progress.failed)
        text->failed = true;
    else
        buffer_format(text, "%*s%.*s\n", HEAD_GAP, "", width - HEAD_GAP, progress.text);
    buffer_free(&progress);
}

/* Returns how many lines the table has on a screen of STYLE. The map gets at least half
 * of the room, and the help gets all of its lines. */
static int
table_lines(const struct live_facts *facts, const struct live_style *style)
{
    int room = (style->rows - FIXED_LINES) / 2;
    int room_beside_help = style->rows - HELP_LINES - 3;

    if (facts->has_help && room_beside_help < room)
        room = room_beside_help;

    return facts->line_count < room ? facts->line_count : room;
}

/* Returns what a line of the table is: a target or, if a target has several lines, a
 * row. */
static const char *
line_word(const struct live_facts *facts)
{
    return facts->line_count == facts->target_count ? "target" : "row";
}

#define RANGE_SIZE 64

/* Writes what the COUNT lines from number FIRST are into RANGE: "target" if these are all
 * lines, else for example "targets 4-6 of 8". */
static void
describe_range(const struct live_facts *facts, int first, int count, char *range)
{
    const char *word = line_word(facts);

    if (count == facts->line_count)
        snprintf(range, RANGE_SIZE, "target");
    else if (count == 1)
        snprintf(range, RANGE_SIZE, "%s %d of %d", word, first + 1, facts->line_count);
    else
        snprintf(range, RANGE_SIZE, "%ss %d-%d of %d", word, first + 1, first + count,
                 facts->line_count);
}

/* Adds the table: its head, and COUNT lines. If there are more, those around the selected
 * line are shown, and the head says which these are. */
static void
add_table(struct buffer *text, const struct live_facts *facts,
          const struct live_style *style, int count)
{
    bool shown[COLUMNS];
    char cell[CELL_SIZE];
    char range[RANGE_SIZE];
    int first = facts->selected - count / 2;

    if (first > facts->line_count - count)
        first = facts->line_count - count;
    if (first < 0)
        first = 0;
    describe_range(facts, first, count, range);

    /* Where there is little room, the numbers say enough. */
    const char *head = range;
    int name_width = choose_columns(facts, style, head, shown);
    if ((int)strlen(head) > name_width)
        head = strchr(head, ' ') + 1;

    buffer_format(text, "%*s", MARK_WIDTH, "");
    add_fitted(text, head, name_width, style);
    for (int i = 0; i < COLUMNS; i++)
        if (shown[i])
            buffer_format(text, " %*s", table[i].width, table[i].head);
    buffer_text(text, "\n");

    for (int k = first; k < first + count; k++) {
        const struct live_line *line = &facts->lines[k];
        bool is_marked = k == facts->selected && facts->line_count > 1;

        buffer_text(text, is_marked ? "> " : "  ");
        add_fitted(text, line->name, name_width, style);
        for (int i = 0; i < COLUMNS; i++) {
            if (!shown[i])
                continue;
            make_cell(&line->figures, (enum column)i, cell);
            buffer_format(text, " %*s", table[i].width, cell);
        }
        buffer_text(text, "\n");
    }
}

/* Adds the help in place of the map: COUNT lines. */
static void
add_help(struct buffer *text, const struct live_style *style, int count)
{
    for (int i = 0; i < count; i++)
        add_words(text, i < HELP_LINES ? help[i] : "", style);
}

/* Adds the line above the map. */
static void
add_caption(struct buffer *text, const struct live_facts *facts,
            const struct live_style *style)
{
    char scale[48];
    char time[UNITS_TEXT];
    const char *name = facts->lines[facts->selected].name;

    int width =
        snprintf(scale, sizeof(scale), ": %s per column",
                 units_format(UNITS_TIME, live_scales[facts->scale] * SECOND, time));
    int name_width = text_width(name, style);
    if (name_width > style->columns - width)
        name_width = style->columns - width;

    add_fitted(text, name, name_width, style);
    buffer_format(text, "%s\n", scale);
}

/* Adds the last line: the keys and, if there are several lines, which one is selected. A
 * narrow screen has fewer words. */
static void
add_keys(struct buffer *text, const struct live_facts *facts,
         const struct live_style *style)
{
    char selected[48] = "";
    char keys[128];

    if (facts->line_count > 1)
        snprintf(selected, sizeof(selected), "  arrows %s %d of %d", line_word(facts),
                 facts->selected + 1, facts->line_count);

    int width = snprintf(keys, sizeof(keys),
                         "q quit  p pause  r reset  + - scale%s  ? help", selected);
    if (width > style->columns)
        width = snprintf(keys, sizeof(keys), "q p r + -%s  ? help", selected);
    if (width > style->columns)
        snprintf(keys, sizeof(keys), "q p r + - ?%s", selected);
    add_words(text, keys, style);
}

/* Adds the screen if it is too small for anything else. A cut number would be wrong, so a
 * narrow screen has fewer words, or none. */
static void
add_too_small(struct buffer *text, const struct live_style *style)
{
    char words[64];

    int width = snprintf(words, sizeof(words), "-live needs %d x %d, this is %d x %d",
                         LIVE_MIN_COLUMNS, LIVE_MIN_ROWS, style->columns, style->rows);
    if (width > style->columns)
        width = snprintf(words, sizeof(words), "%dx%d needed", LIVE_MIN_COLUMNS,
                         LIVE_MIN_ROWS);
    if (width > style->columns)
        width = snprintf(words, sizeof(words), "%dx%d", LIVE_MIN_COLUMNS, LIVE_MIN_ROWS);
    if (width > style->columns)
        words[0] = '\0';
    buffer_format(text, "%s\n", words);
    for (int i = 1; i < style->rows; i++)
        buffer_text(text, "\n");
}

void
live_screen_add(struct buffer *text, const struct live_facts *facts,
                const struct live_style *style)
{
    /* The help may need the line of the message. */
    bool has_message = facts->message[0] != '\0' && !facts->has_help;

    if (style->columns < LIVE_MIN_COLUMNS || style->rows < LIVE_MIN_ROWS) {
        add_too_small(text, style);
        return;
    }

    int table_count = table_lines(facts, style);
    int height = style->rows - FIXED_LINES - table_count - (has_message ? 1 : 0);

    add_head(text, facts, style);
    add_table(text, facts, style, table_count);
    if (facts->has_help) {
        add_help(text, style, height + 2);
    } else {
        add_caption(text, facts, style);
        live_map_add(text, facts, style, height);
    }
    if (has_message)
        add_words(text, facts->message, style);

    add_keys(text, facts, style);
}
