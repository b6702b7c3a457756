#ifndef BASE_BUFFER_H
#define BASE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* Add a NUL-terminated text as escape_control shows it. */
void buffer_escaped(struct buffer *buffer, const char *text);

/* Make it empty; its memory, and a failure, stay. */
void buffer_clear(struct buffer *buffer);

/* Free the memory; the buffer is empty and usable again. */
void buffer_free(struct buffer *buffer);

/*
 * Walks over UTF-8 (RFC 3629: no overlong forms, no surrogates, nothing above
 * U+10FFFF), for all that quote a text or align it: labels, JSON, XML, terminals.
 */

/* U+FFFD, which stands for what cannot be shown. */
#define ESCAPE_REPLACEMENT "\xef\xbf\xbd"

/* The effect of a character where it is shown. */
enum escape_kind {
    ESCAPE_PLAIN,   /* nothing but itself */
    ESCAPE_CONTROL, /* C0, DEL or C1: it may drive a terminal */
    ESCAPE_BIDI,    /* a bidirectional control: it reorders the text beside it */
    ESCAPE_INVALID, /* a byte that begins no well-formed character */
};

/* A byte that is not UTF-8 counts as a character of its own. */
struct escape_character {
    const char *bytes; /* in the text */
    size_t length;     /* 1 to 4 */
    uint32_t code;     /* the code point, or the byte that is not UTF-8 */
    enum escape_kind kind;
};

/*
 * Reads the character at *TEXT, which ends with a NUL, and moves *TEXT past it. Returns
 * false at the end of the text; CHARACTER has the length 0 then.
 */
bool escape_next(const char **text, struct escape_character *character);

/* The number of characters of TEXT: columns of a terminal, if none of them is wide. */
int escape_count(const char *text);

/*
 * Copies TEXT into OUT of SIZE bytes, above 0, with every byte of a control character
 * (C0, DEL, C1 as one byte or as UTF-8) and of a bidirectional control as a backslash and
 * three octal digits, the way the kernel writes them in its mount table, so that a path
 * cannot drive the terminal. Other bytes, UTF-8 or not, stay as they are. Text that does
 * not fit is cut before the character that does not. Returns the length written.
 */
size_t escape_control(const char *text, char *out, size_t size);

#endif
