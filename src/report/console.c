/*
 * Messages on stderr, texts such as the usage on stdout, and the colours of a terminal.
 *
 * Every message is written at once by os_stream_write, which gives up if nobody reads the
 * message and the time for output is over. These functions do not erase the status line.
 * While there is one, call status_notes (status.c) instead of console_notes.
 */
#include "report/console.h"

#include "os/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define STANDARD_OUTPUT 1
#define STANDARD_ERROR 2

void
console_notes(struct notes *notes)
{
    for (int i = 0; i < notes->count; i++)
        os_stream_write(STANDARD_ERROR, notes->lines[i], strlen(notes->lines[i]));

    notes_clear(notes);
}

int
console_error(const struct error *error)
{
    char line[ERROR_LINE];
    struct buffer text = {0};
    int length = error_format(error, line, sizeof(line));

    buffer_add(&text, line, (size_t)length);
    if (error->status == EXIT_USAGE)
        buffer_text(&text, "Try 'ioping -h' for help.\n");

    if (!text.failed)
        os_stream_write(STANDARD_ERROR, text.text, text.length);

    buffer_free(&text);
    return error->status;
}

int
console_text(void (*make_text)(struct buffer *text), int status)
{
    struct buffer text = {0};
    struct error error;
    int code = 0; /* the errno of the failure; 0 if there was none */

    make_text(&text);
    if (text.failed)
        code = ENOMEM;
    else if (os_stream_write(STANDARD_OUTPUT, text.text, text.length) < 0)
        code = errno;

    if (code) {
        error_set(&error, EXIT_RUNTIME, "standard output", "%s", strerror(code));
        status = console_error(&error);
    }

    buffer_free(&text);
    return status;
}

bool
color_wanted(enum color when, int stream)
{
    const char *no_color = getenv("NO_COLOR");

    if (when != COLOR_AUTO)
        return when == COLOR_ALWAYS;
    if (no_color && no_color[0])
        return false;

    return os_stream_is_terminal(stream) && !os_terminal_is_dumb();
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
    if (color)
        buffer_format(text, "%s%s\033[0m", color, word);
    else
        buffer_text(text, word);
}
