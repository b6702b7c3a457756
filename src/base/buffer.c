/*
 * Buffers: texts that grow. When the memory of a buffer is full, the buffer allocates
 * twice as much as it needs. So the text is rarely moved, and adding a byte takes
 * constant time on average.
 */
#include "base/buffer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Makes sure that LENGTH more bytes and a NUL fit after the text. Returns false if there
 * is not enough memory, or if an earlier call failed.
 */
static bool
reserve(struct buffer *buffer, size_t length)
{
    size_t needed = buffer->length + length + 1;
    if (buffer->failed)
        return false;
    if (needed <= buffer->capacity)
        return true;

    size_t capacity = needed * 2;
    char *text = realloc(buffer->text, capacity);
    if (!text) {
        buffer->failed = true;
        return false;
    }

    buffer->text = text;
    buffer->capacity = capacity;
    return true;
}

void
buffer_add(struct buffer *buffer, const char *bytes, size_t length)
{
    if (!reserve(buffer, length))
        return;

    memcpy(buffer->text + buffer->length, bytes, length);
    buffer->length += length;
    buffer->text[buffer->length] = '\0';
}

void
buffer_text(struct buffer *buffer, const char *text)
{
    buffer_add(buffer, text, strlen(text));
}

void
buffer_format(struct buffer *buffer, const char *format, ...)
{
    va_list list;
    va_list second_list;
    va_start(list, format);
    va_copy(second_list, list);
    int length = vsnprintf(NULL, 0, format, list);
    va_end(list);

    if (length < 0)
        buffer->failed = true;
    else if (reserve(buffer, (size_t)length)) {
        vsnprintf(buffer->text + buffer->length, (size_t)length + 1, format, second_list);
        buffer->length += (size_t)length;
    }

    va_end(second_list);
}

void
buffer_escaped(struct buffer *buffer, const char *text)
{
    /* A byte becomes at most a backslash and three digits. */
    size_t longest = strlen(text) * 4;
    if (!reserve(buffer, longest))
        return;

    char *end = buffer->text + buffer->length;
    buffer->length += escape_control(text, end, longest + 1);
}

void
buffer_octal(struct buffer *buffer, const struct escape_character *character)
{
    for (size_t i = 0; i < character->length; i++)
        buffer_format(buffer, "\\%03o", (unsigned)(unsigned char)character->bytes[i]);
}

void
buffer_clear(struct buffer *buffer)
{
    buffer->length = 0;
    if (buffer->text)
        buffer->text[0] = '\0';
}

void
buffer_free(struct buffer *buffer)
{
    free(buffer->text);
    *buffer = (struct buffer){0};
}
