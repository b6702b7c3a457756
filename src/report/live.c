/*
 * The live screen (-live). On every tick, the supervisor's thread does this:
 *
 *     add the new requests of all targets to their histories (live_history.c)
 *     if the terminal belongs to this process:
 *         show the screen, if it is not shown
 *         obey the keys that were pressed
 *         write the rest of the last frame, if the terminal has not taken all of it
 *         if it has: make a new frame (live_screen.c), and write the lines that differ
 *
 * Nothing here waits for the terminal. If the terminal takes no more, the rest of
 * the frame waits, and no new frames are made until it is written.
 */
#include "live.h"

#include "base/time.h"
#include "base/units.h"
#include "live_screen.h"
#include "os/output.h"
#include "os/screen.h"
#include "plan/plan.h"
#include "report/outputs.h"
#include "report/report.h"
#include "run/job.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STANDARD_ERROR 2
/* Time without a screen at the start of a run, in ns. In a short run, the screen would
 * only flash. */
#define QUIET_TIME (SECOND / 5)

/* What a byte from the keyboard can be a part of. */
enum key_state {
    KEY_PLAIN,    /* a key of its own */
    KEY_ESCAPE,   /* follows ESC */
    KEY_SEQUENCE, /* follows ESC [ or ESC O; a letter ends the sequence */
};

/* A row of the table: a target or, if operations are mixed, an operation of a target. */
struct live_row {
    int job; /* index of the target */
    enum scope scope;
    struct buffer name;
    struct live_history history;
};

struct live {
    const struct plan *plan;
    bool is_hidden;     /* live_hide was called */
    bool was_stopped;   /* the key q was pressed */
    bool needs_figures; /* figures must be gathered even while the screen is paused */
    bool needs_redraw;  /* a frame must be made even while the screen is paused */
    enum key_state key_state;
    struct buffer command;
    struct buffer messages; /* all messages, until they are written */
    char message[256];      /* the newest message, without its newline */

    struct live_facts facts;
    struct live_style style;
    struct live_row *rows; /* an array of facts.line_count rows */
    struct live_line *lines;
    struct histogram scratch; /* for live_history_figures */

    struct buffer frame;  /* the frame that is being made: its lines */
    struct buffer drawn;  /* the lines that were written last; empty: an empty screen */
    struct buffer output; /* bytes for the terminal */
    size_t written;       /* how many bytes of `output` the terminal has taken */
};

int
live_prepare(struct error *error)
{
    if (os_terminal_is_dumb())
        return error_set(error, EXIT_PREPARE, "-live",
                         "the terminal cannot move its cursor (TERM); leave out -live");
    if (os_screen_open() == 0)
        return 0;

    if (errno == ENOTSUP)
        return error_set(error, EXIT_PREPARE, "-live",
                         "not available on this system; leave out -live");
    return error_set(error, EXIT_PREPARE, "-live",
                     "there is no terminal to draw on: %s; leave out -live",
                     strerror(errno));
}

/* Returns how the heat map of a run of PLAN shows densities, by the environment:
 * https://no-color.org, and the names of terminals. */
static enum live_shades
choose_shades(const struct plan *plan)
{
    const char *no_color = getenv("NO_COLOR");
    const char *term = getenv("TERM");
    const char *color_term = getenv("COLORTERM");
    bool is_old = term && strncmp(term, "vt", 2) == 0;
    bool is_unwanted = (no_color && no_color[0]) || is_old;

    if (plan->options->color == COLOR_NEVER)
        return LIVE_CHARACTERS;
    if (plan->options->color == COLOR_AUTO && is_unwanted)
        return LIVE_CHARACTERS;
    if ((term && strstr(term, "256color")) || (color_term && color_term[0]))
        return LIVE_256_COLORS;
    return LIVE_16_COLORS;
}

/* Adds the words of the command line, without the directory of the program. */
static void
add_command_line(struct buffer *text, const struct options *options)
{
    for (int i = 0; i < options->word_count; i++) {
        const char *word = options->words[i];
        const char *slash = i == 0 ? strrchr(word, '/') : NULL;

        if (i > 0)
            buffer_text(text, " ");
        buffer_escaped(text, slash ? slash + 1 : word);
    }
}

/* Fills ROW, which has number INDEX. Each target of PLAN has PER_TARGET rows. */
static void
fill_row(struct live_row *row, const struct plan *plan, int index, int per_target)
{
    row->job = index / per_target;
    buffer_escaped(&row->name, plan->targets[row->job]);
    if (per_target > 1) {
        enum operation operation = plan->workload.mix.turns[index % per_target];
        row->scope = (enum scope)(SCOPE_OPERATION + (int)operation);
        buffer_format(&row->name, " %s", scope_name(row->scope));
    }
}

/* Makes all rows of the table. Returns false if memory is short. */
static bool
make_rows(struct live *live, int per_target)
{
    int count = live->plan->target_count * per_target;
    bool is_complete = true;

    live->rows = calloc((size_t)count, sizeof(*live->rows));
    live->lines = calloc((size_t)count, sizeof(*live->lines));
    if (!live->rows || !live->lines)
        return false;

    live->facts.line_count = count;
    for (int i = 0; i < count; i++) {
        struct live_row *row = &live->rows[i];

        fill_row(row, live->plan, i, per_target);
        live->lines[i].name = row->name.text;
        if (row->name.failed)
            is_complete = false;
    }

    return is_complete;
}

struct live *
live_open(const struct plan *plan)
{
    struct live *live = calloc(1, sizeof(*live));

    if (!live)
        return NULL;

    live->plan = plan;
    add_command_line(&live->command, plan->options);
    bool is_complete =
        make_rows(live, plan->workload.mix.extra_count + 1) && !live->command.failed;

    live->needs_figures = true;
    live->style.shades = choose_shades(plan);
    live->style.has_utf8 = os_locale_is_utf8();
    live->facts.command = live->command.text;
    live->facts.phase = "";
    live->facts.message = live->message;
    live->facts.target_count = plan->target_count;
    live->facts.lines = live->lines;
    if (!is_complete) {
        live_close(live);
        return NULL;
    }

    return live;
}

bool
live_is_open(const struct live *live)
{
    return live && !live->is_hidden;
}

void
live_show(struct live *live, const char *text)
{
    size_t length = strlen(text);
    const char *last = text;

    for (size_t i = 0; i + 1 < length; i++)
        if (text[i] == '\n')
            last = text + i + 1;

    snprintf(live->message, sizeof(live->message), "%.*s", (int)strcspn(last, "\n"),
             last);
    live->needs_redraw = true;
}

void
live_save(struct live *live, const char *text)
{
    buffer_text(&live->messages, text);
    live_show(live, text);
}

void
live_save_notes(struct live *live, struct notes *notes)
{
    for (int i = 0; i < notes->count; i++)
        live_save(live, notes->lines[i]);

    notes_clear(notes);
}

void
live_hide(struct live *live)
{
    if (!live_is_open(live))
        return;

    live->is_hidden = true;
    os_screen_hide();
    if (live->messages.length > 0)
        os_stream_write(STANDARD_ERROR, live->messages.text, live->messages.length);
}

void
live_close(struct live *live)
{
    if (!live)
        return;

    live_hide(live);
    for (int i = 0; i < live->facts.line_count; i++)
        buffer_free(&live->rows[i].name);
    free(live->rows);
    free(live->lines);
    buffer_free(&live->command);
    buffer_free(&live->messages);
    buffer_free(&live->frame);
    buffer_free(&live->drawn);
    buffer_free(&live->output);
    free(live);
}

/* Adds the new requests of JOBS to the histories, ELAPSED ns after the start of the
 * run. */
static void
update_histories(struct live *live, const struct job *jobs, int64_t elapsed)
{
    for (int i = 0; i < live->facts.line_count; i++) {
        struct live_row *row = &live->rows[i];
        live_history_add(&row->history, jobs[row->job].stats, row->scope, elapsed);
    }
}

/* Fills the figures of all rows at NOW (ns, monotonic), which is ELAPSED ns after the
 * start of the run. */
static void
gather_figures(struct live *live, const struct job *jobs, int64_t now, int64_t elapsed)
{
    for (int i = 0; i < live->facts.line_count; i++) {
        const struct live_row *row = &live->rows[i];
        const struct job *job = &jobs[row->job];
        struct live_figures *figures = &live->lines[i].figures;
        int64_t sent_at = job->in_flight.oldest_sent_at;

        live_history_figures(&row->history, job->stats, row->scope, &live->scratch,
                             figures);
        if (sent_at > 0)
            figures->oldest_age = now - sent_at;
    }

    live->facts.elapsed = elapsed;
    live->needs_figures = false;
}

/* Selects the row that is STEP rows below the present one, if there is one. */
static void
select_row(struct live *live, int step)
{
    int selected = live->facts.selected + step;

    if (selected >= 0 && selected < live->facts.line_count)
        live->facts.selected = selected;
}

/* Makes the time of a column of the map longer or shorter by STEP scales. */
static void
change_scale(struct live *live, int step)
{
    int scale = live->facts.scale + step;

    if (scale >= 0 && scale < LIVE_SCALES)
        live->facts.scale = scale;
}

/* Obeys the key of a plain character. */
static void
obey_character(struct live *live, char key)
{
    switch (key) {
    case 'q':
        if (!live->was_stopped)
            os_screen_interrupt();
        live->was_stopped = true;
        break;
    case 'p':
        live->facts.is_paused = !live->facts.is_paused;
        break;
    case 'r':
        for (int i = 0; i < live->facts.line_count; i++)
            live_history_reset(&live->rows[i].history);
        live->needs_figures = true;
        break;
    case '+':
    case '=':
        change_scale(live, 1);
        break;
    case '-':
        change_scale(live, -1);
        break;
    case '?':
        live->facts.has_help = !live->facts.has_help;
        break;
    default:
        return;
    }
    live->needs_redraw = true;
}

/* Obeys the key whose sequence ends with FINAL: A is up, B is down. */
static void
obey_sequence(struct live *live, char final)
{
    if (final == 'A')
        select_row(live, -1);
    if (final == 'B')
        select_row(live, 1);
    live->needs_redraw = true;
}

/* Obeys the next byte from the keyboard. An arrow sends ESC [ A or ESC O A, depending on
 * the mode of the terminal. */
static void
obey_byte(struct live *live, char byte)
{
    switch (live->key_state) {
    case KEY_PLAIN:
        if (byte == '\033')
            live->key_state = KEY_ESCAPE;
        else
            obey_character(live, byte);
        break;
    case KEY_ESCAPE:
        live->key_state = KEY_PLAIN;
        if (byte == '[' || byte == 'O')
            live->key_state = KEY_SEQUENCE;
        else
            obey_character(live, byte);
        break;
    case KEY_SEQUENCE:
        if (byte < '@')
            break;
        live->key_state = KEY_PLAIN;
        obey_sequence(live, byte);
        break;
    }
}

static void
obey_keys(struct live *live)
{
    char keys[64];
    size_t count = os_screen_read(keys, sizeof(keys));

    for (size_t i = 0; i < count; i++)
        obey_byte(live, keys[i]);
}

/* Writes as much of `output` as the terminal takes. Returns true if that is all. */
static bool
write_output(struct live *live)
{
    struct buffer *output = &live->output;

    while (live->written < output->length) {
        size_t taken =
            os_screen_write(output->text + live->written, output->length - live->written);
        if (taken == 0)
            return false;
        live->written += taken;
    }

    buffer_clear(output);
    live->written = 0;
    return true;
}

/* Returns the length of the line at TEXT, without its newline. */
static size_t
line_length(const char *text)
{
    return strcspn(text, "\n");
}

/* Adds the lines of the frame that differ from the lines that were written last. A line
 * is erased before its text, because to erase it afterwards would erase its last
 * character, too, if it is as wide as the screen. Sequences of ECMA-48: CUP (8.3.21)
 * moves the cursor, EL (8.3.41) erases the line. */
static void
add_changes(struct live *live)
{
    const char *new_line = live->frame.text;
    const char *old_line = live->drawn.length > 0 ? live->drawn.text : "";

    for (int row = 1; *new_line; row++) {
        size_t length = line_length(new_line);
        size_t old_length = line_length(old_line);
        bool is_same = length == old_length && memcmp(new_line, old_line, length) == 0;

        if (!is_same) {
            buffer_format(&live->output, "\033[%d;1H\033[K", row);
            buffer_add(&live->output, new_line, length);
        }

        new_line += length + 1;
        old_line += old_length;
        if (*old_line)
            old_line++;
    }
}

/* Makes a frame and adds the lines that have changed to `output`. */
static void
make_frame(struct live *live)
{
    struct buffer previous = live->drawn;

    live->facts.history = &live->rows[live->facts.selected].history;
    buffer_clear(&live->frame);
    live_screen_add(&live->frame, &live->facts, &live->style);
    if (live->frame.failed)
        return;

    add_changes(live);
    live->drawn = live->frame;
    live->frame = previous;
    live->needs_redraw = false;
}

/* Notes the size of the terminal. If it has changed, the next frame is a whole one. */
static void
follow_size(struct live *live)
{
    struct live_style *style = &live->style;
    int columns;
    int rows;

    os_screen_size(&columns, &rows);
    if (columns == style->columns && rows == style->rows)
        return;

    style->columns = columns;
    style->rows = rows;
    buffer_clear(&live->drawn);
    buffer_text(&live->output, "\033[2J");
    live->needs_redraw = true;
}

/* Shows the screen if it is not shown: at the start, and after a stop (Ctrl-Z). Returns
 * false if it cannot be shown now. */
static bool
show_screen(struct live *live)
{
    if (os_screen_is_shown())
        return true;

    buffer_clear(&live->drawn);
    buffer_clear(&live->output);
    live->written = 0;
    live->needs_redraw = true;
    os_screen_show();

    return os_screen_is_shown();
}

/* The tick function. */
static void
live_tick(struct report *report, const struct job *jobs, int count, int64_t now,
          bool last)
{
    struct live *live = report->live;
    int64_t elapsed = time_later(now - report->interval_began_at, 0);

    (void)count, (void)last;
    update_histories(live, jobs, elapsed);
    if (elapsed < QUIET_TIME || !live_is_open(live) || !os_screen_is_foreground())
        return;

    if (!show_screen(live))
        return;
    obey_keys(live);
    if (!write_output(live))
        return;

    follow_size(live);
    if (!live->facts.is_paused || live->needs_figures)
        gather_figures(live, jobs, now, elapsed);
    if (!live->facts.is_paused || live->needs_redraw)
        make_frame(live);
    write_output(live);
}

/* Stores which phase begins (-load). */
static void
store_phase_name(struct report *report, const struct job *job,
                 const struct run_part *part)
{
    (void)job;
    if (report->live)
        report->live->facts.phase = part->phase ? phase_label(part->phase) : "";
}

const struct report_format report_live = {.part = store_phase_name, .tick = live_tick};
