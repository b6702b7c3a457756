#ifndef BASE_BUFFER_H
#define BASE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Text that grows. All zero is empty. A failed allocation is remembered in `failed` and
 * later additions do nothing, so that callers check once, at the end.
 */
struct buffer {
    char *text; /* ends with a NUL once something was added; NULL before */
    size_t length, room;
    bool failed;
};

/* Add LENGTH bytes, NUL among them or not. */
void buffer_add(struct buffer *buffer, const char *bytes, size_t length);

/* Add a NUL-terminated text. */
void buffer_text(struct buffer *buffer, const char *text);

/* Add text in printf form. */
void buffer_format(struct buffer *buffer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Add a NUL-terminated text as escape_control (base/escape.h) shows it. */
void buffer_escaped(struct buffer *buffer, const char *text);

/* Make it empty; its memory, and a failure, stay. */
void buffer_clear(struct buffer *buffer);

/* Free the memory; the buffer is empty and usable again. */
void buffer_free(struct buffer *buffer);

#endif
