#include "report/console.h"

#include "base/units.h"
#include "cli/cli.h"
#include "os/output.h"

#include <errno.h>
#include <string.h>

void
console_notes(struct notes *notes)
{
    for (int i = 0; i < notes->count; i++)
        os_stream_write(2, notes->line[i], strlen(notes->line[i]));
    notes->count = 0;
}

void
console_slow(const char *path, int64_t waited)
{
    struct notes notes = {0};
    char text[UNITS_TEXT];
    notes_add(&notes, path, "not ready after %s", units_format(UNITS_TIME, waited, text));
    console_notes(&notes);
}

int
console_error(const struct error *error)
{
    char line[ERROR_LINE];
    struct buffer text = {0};
    buffer_add(&text, line, (size_t)error_format(error, line, sizeof(line)));
    if (error->usage)
        cli_usage(&text);
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
