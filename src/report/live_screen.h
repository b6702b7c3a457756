#ifndef REPORT_LIVE_SCREEN_H
#define REPORT_LIVE_SCREEN_H

#include "base/buffer.h"
#include "live_history.h"

#include <stdbool.h>
#include <stdint.h>

/* The text of the live screen (-live). Pure functions: they read no clock, and know no
 * terminal. */

/* The smallest screen, in columns and rows. */
#define LIVE_MIN_COLUMNS 40
#define LIVE_MIN_ROWS 10

/* How the heat map shows densities. */
enum live_shades {
    LIVE_CHARACTERS, /* as characters, without colours */
    LIVE_16_COLORS,
    LIVE_256_COLORS,
};

/* The screen. */
struct live_style {
    int columns, rows;
    enum live_shades shades;
    bool has_utf8; /* names may have characters beyond ASCII */
};

/* A row of the table. */
struct live_line {
    const char *name; /* the path of the target; with several operations, also their name;
                         escaped */
    struct live_figures figures;
};

/* The data that the screen shows. */
struct live_facts {
    const char *command; /* the command line, escaped */
    const char *phase;   /* the present phase (-load); "" without phases */
    const char *message; /* the newest message, escaped; "" if there is none */
    int target_count;
    int64_t elapsed; /* ns from the start of the run to the moment that is shown */
    bool is_paused, has_help;

    const struct live_line *lines; /* one for each row of the table */
    int line_count;
    /* index of the line that the heat map is about; at least 0 */
    int selected;
    const struct live_history *history; /* of the selected line */
    int scale;                          /* index of live_scales */
};

/*
 * Adds the screen to TEXT: exactly `rows` lines, each with a newline and at most
 * `columns` columns wide. Colours are escape sequences in a line; a line ends with the
 * default colours. If the screen is smaller than the minimum, its first line says so, and
 * all others are empty.
 */
void live_screen_add(struct buffer *text, const struct live_facts *facts,
                     const struct live_style *style);

/* live_map.c: adds the heat map of FACTS, HEIGHT lines with a latency axis, and a line
 * with a time axis. HEIGHT is at least 1. */
void live_map_add(struct buffer *text, const struct live_facts *facts,
                  const struct live_style *style, int height);

/* Returns the number of columns that a terminal needs for a character with this code
 * point: 2 for the wide characters of East Asia, 0 for an accent that is added to the
 * character before it, else 1. */
int live_screen_width(uint32_t code);

#endif
