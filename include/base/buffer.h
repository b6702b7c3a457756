#ifndef BASE_BUFFER_H
#define BASE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Text that grows. A failed allocation is remembered in `failed` and later
 * additions do nothing, so that callers check once, at the end.
 */
struct buffer {
    char *text; /* always ends with a NUL once something was added */
    size_t length, room;
    bool failed;
};

/* Adds LENGTH bytes. */
void buffer_add(struct buffer *buffer, const char *bytes, size_t length);

/* Adds a NUL-terminated text. */
void buffer_text(struct buffer *buffer, const char *text);

/* Adds text in printf form. */
void buffer_format(struct buffer *buffer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Adds a NUL-terminated text as escape_control (base/escape.h) shows it. */
void buffer_escaped(struct buffer *buffer, const char *text);

/* Empties it and keeps the memory. */
void buffer_clear(struct buffer *buffer);

/* Frees the memory; the buffer is empty and usable again. */
void buffer_free(struct buffer *buffer);

#endif
