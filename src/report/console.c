/*
 * Messages on stderr, texts such as the usage on stdout, and the colours of a terminal.
 *
 * Every message is written at once by os_stream_write, which gives up if nobody reads the
 * message and the time for output is over. Functions of the status line, which must be
 * erased before anything else is written to the terminal, stand in status.c
 * (status_notes).
 */
#include "report/console.h"

#include "os/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void
console_notes(struct notes *notes)
{
    for (int i = 0; i < notes->count; i++)
        os_stream_write(2, notes->line[i], strlen(notes->line[i]));

    notes_clear(notes);
}

int
console_error(const struct error *error)
{
    char line[ERROR_LINE];
    struct buffer text = {0};

    buffer_add(&text, line, (size_t)error_format(error, line, sizeof(line)));

    if (error->status == EXIT_USAGE)
        buffer_text(&text, "Try 'ioping -h' for help.\n");
    if (!text.failed)
        os_stream_write(2, text.text, text.length);

    buffer_free(&text);
    return error->status;
}

int
console_text(void (*write_text)(struct buffer *text), int status)
{
    struct buffer text = {0};
    struct error error;

    write_text(&text);
    if (text.failed || os_stream_write(1, text.text, text.length) < 0) {
        error_set(&error, EXIT_RUNTIME, "standard output", "%s",
                  strerror(text.failed ? ENOMEM : errno));
        status = console_error(&error);
    }

    buffer_free(&text);
    return status;
}

bool
color_wanted(enum color when, int stream)
{
    const char *without = getenv("NO_COLOR");

    if (when != COLOR_AUTO)
        return when == COLOR_ALWAYS;
    return !(without && without[0]) && os_stream_terminal(stream) && !os_terminal_dumb();
}

const char *
color_of(enum verdict verdict)
{
    static const char *const colors[] = {
        [VERDICT_CACHED] = COLOR_CACHED, [VERDICT_SHORT] = COLOR_FAILED,
        [VERDICT_ERROR] = COLOR_FAILED,  [VERDICT_TIMEOUT] = COLOR_FAILED,
        [VERDICT_SLOW] = COLOR_SLOW,
    };

    return colors[verdict];
}

void
color_add(struct buffer *text, const char *color, const char *word)
{
    buffer_format(text, "%s%s%s", color ? color : "", word, color ? "\033[0m" : "");
}
