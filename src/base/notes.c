#include "base/notes.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void
notes_add(struct notes *notes, const char *what, const char *text, ...)
{
    if (notes->count == NOTES_MAX)
        return;
    char why[256];
    va_list list;
    va_start(list, text);
    vsnprintf(why, sizeof(why), text, list);
    va_end(list);
    struct error line;
    error_set(&line, EXIT_DONE, what, "%s", why);
    error_format(&line, notes->line[notes->count], sizeof(notes->line[0]));
    notes->count++;
}
