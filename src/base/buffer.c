/*
 * Buffers: texts that grow. When the memory of a buffer is full, the buffer allocates
 * twice what it needs. So a text is moved rarely, and adding a byte takes constant time
 * on average.
 */
#include "base/buffer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Makes room for MORE bytes and a NUL after the text. Returns false if there is not
 * enough memory, or if an earlier call failed.
 */
static bool
make_room(struct buffer *buffer, size_t more)
{
    size_t need = buffer->length + more + 1;
    if (buffer->failed || need <= buffer->room)
        return !buffer->failed;

    size_t room = need * 2;
    char *text = realloc(buffer->text, room);
    if (!text) {
        buffer->failed = true;
        return false;
    }

    buffer->text = text;
    buffer->room = room;
    return true;
}

void
buffer_add(struct buffer *buffer, const char *bytes, size_t length)
{
    if (!make_room(buffer, length))
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
    va_list again;
    va_start(list, format);
    va_copy(again, list);
    int length = vsnprintf(NULL, 0, format, list);
    va_end(list);

    if (length < 0)
        buffer->failed = true;
    else if (make_room(buffer, (size_t)length)) {
        vsnprintf(buffer->text + buffer->length, (size_t)length + 1, format, again);
        buffer->length += (size_t)length;
    }

    va_end(again);
}

void
buffer_escaped(struct buffer *buffer, const char *text)
{
    size_t room = strlen(text) * 4; /* a byte becomes at most a backslash and 3 digits */
    if (make_room(buffer, room))
        buffer->length += escape_control(text, buffer->text + buffer->length, room + 1);
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
