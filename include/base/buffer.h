#ifndef BASE_BUFFER_H
#define BASE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A text that grows. A zeroed struct is an empty buffer. If an allocation fails, `failed`
 * becomes true and later additions do nothing, so callers need to check `failed` only
 * once, when the text is complete.
 */
struct buffer {
    char *text;      /* NUL-terminated; NULL until something is added */
    size_t length;   /* length of the text in bytes, without the final NUL */
    size_t capacity; /* bytes allocated for the text and the final NUL */
    bool failed;     /* an allocation or a conversion failed: the text is incomplete */
};

/* Adds LENGTH bytes, which may include NUL bytes. */
void buffer_add(struct buffer *buffer, const char *bytes, size_t length);

/* Adds a NUL-terminated text. */
void buffer_text(struct buffer *buffer, const char *text);

/* Adds text that is formatted as by printf(3). */
void buffer_format(struct buffer *buffer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Adds a NUL-terminated text, escaped as escape_control does it. */
void buffer_escaped(struct buffer *buffer, const char *text);

/* Makes the buffer empty. The memory stays allocated, and `failed` stays as it is. */
void buffer_clear(struct buffer *buffer);

/* Frees the memory and clears `failed`. The buffer is empty and can be used again. */
void buffer_free(struct buffer *buffer);

/*
 * The functions below read text as UTF-8 (RFC 3629). Overlong forms, surrogates and code
 * points above U+10FFFF are invalid. The functions are for code that quotes or aligns
 * text: in labels, JSON and XML, and on terminals.
 */

/* U+FFFD, the replacement character, shown for a character that cannot be shown. */
#define ESCAPE_REPLACEMENT "\xef\xbf\xbd"

/* What a character does to a terminal that shows it. */
enum escape_kind {
    ESCAPE_PLAIN,   /* the terminal shows the character, and does nothing else */
    ESCAPE_CONTROL, /* C0, DEL or C1: the terminal may obey it as a command */
    ESCAPE_BIDI,    /* a bidirectional control: reorders the text beside it */
    ESCAPE_INVALID, /* a byte that does not start a well-formed character */
};

/* One character of a text. A byte that is not valid UTF-8 counts as one character. */
struct escape_character {
    const char *bytes; /* points into the text */
    size_t length;     /* in bytes, 1 to 4 */
    uint32_t code;     /* code point; for an invalid byte, its value */
    enum escape_kind kind;
};

/*
 * Stores in CHARACTER the character at *TEXT, which is NUL-terminated, and moves *TEXT
 * past the character. At the end of the text, returns false and stores a character of
 * length 0.
 */
bool escape_next(const char **text, struct escape_character *character);

/* Adds CHARACTER, escaped: a backslash and three octal digits for each of its bytes. */
void buffer_octal(struct buffer *buffer, const struct escape_character *character);

/*
 * Returns the number of characters of TEXT, which is NUL-terminated. A terminal needs one
 * column for each of them, except for wide characters (as in Chinese) and characters that
 * combine with their neighbours.
 */
int escape_count(const char *text);

/*
 * Copies TEXT into OUT, a buffer of SIZE bytes (SIZE > 0), and escapes the characters
 * that a terminal might obey, so that a hostile file name cannot control the terminal.
 * These are the control characters (C0, DEL, and C1 both as one byte and as UTF-8) and
 * the bidirectional controls. Each of their bytes becomes a backslash and three octal
 * digits, as in the kernel's mount table (/proc/mounts). All other bytes are copied
 * unchanged, even if they are not valid UTF-8. If OUT is too small, TEXT is cut between
 * two characters. Returns the number of bytes written, without the final NUL.
 */
size_t escape_control(const char *text, char *out, size_t size);

#endif
