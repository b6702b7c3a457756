#ifndef BASE_ESCAPE_H
#define BASE_ESCAPE_H

#include <stddef.h>

/*
 * Copies TEXT into OUT of SIZE bytes with every byte of a control character (C0,
 * DEL, C1 as one byte or as UTF-8) and of a bidirectional control as a backslash
 * and three octal digits, the way the kernel writes them in its mount table, so
 * that a path cannot drive the terminal. Other bytes, UTF-8 or not, stay as they are.
 * Text that does not fit is cut before the character that does not. Returns the length
 * written.
 */
size_t escape_control(const char *text, char *out, size_t size);

/*
 * Length in bytes of the well-formed UTF-8 character at TEXT (1 to 4;
 * RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF), or 0 if
 * there is none.
 */
size_t escape_utf8_length(const char *text);

/*
 * The code point of the bidirectional control at TEXT, UTF-8, which has what stands
 * beside it shown in another order than it is spelled; 0 if there is none.
 */
unsigned escape_bidi(const char *text);

#endif
