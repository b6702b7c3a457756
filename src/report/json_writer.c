/*
 * The writer of JSON (RFC 8259). Its callers pass the values one after the other, and the
 * writer adds commas, newlines and indentation between them. quoted_add also writes the
 * labels of Prometheus metrics, where fewer escapes are allowed than in JSON.
 */
#include "base/buffer.h"
#include "writers.h"

#include <stdarg.h>
#include <stdio.h>

/* Adds the text in front of a value: a comma, unless the value is the first one of its
 * object or array; a newline and indentation, unless everything is in one line; and the
 * key NAME, unless NAME is NULL. */
static void
begin_value(struct json *json, const char *name)
{
    if (json->has_value)
        buffer_text(json->text, json->one_line ? ", " : ",");
    if (json->depth && !json->one_line)
        buffer_format(json->text, "\n%*s", json->depth * 2, "");
    if (name)
        buffer_format(json->text, "\"%s\": ", name);
    json->has_value = true;
}

void
json_open(struct json *json, const char *name, char bracket)
{
    begin_value(json, name);
    buffer_add(json->text, &bracket, 1);
    json->depth++;
    json->has_value = false;
}

void
json_close(struct json *json, char bracket)
{
    json->depth--;
    if (json->has_value && !json->one_line)
        buffer_format(json->text, "\n%*s", json->depth * 2, "");
    buffer_add(json->text, &bracket, 1);
    json->has_value = true;
}

void
json_value(struct json *json, const char *name, const char *format, ...)
{
    char value[128];
    va_list list;

    va_start(list, format);
    vsnprintf(value, sizeof(value), format, list);
    va_end(list);

    begin_value(json, name);
    buffer_text(json->text, value);
}

void
json_string(struct json *json, const char *name, const char *value)
{
    begin_value(json, name);
    quoted_add(json->text, value, true);
}

void
quoted_add(struct buffer *text, const char *value, bool full_escapes)
{
    struct escape_character character;

    buffer_text(text, "\"");

    while (escape_next(&value, &character)) {
        if (character.kind != ESCAPE_PLAIN && !full_escapes)
            buffer_text(text, character.code == '\n' ? "\\n" : ESCAPE_REPLACEMENT);
        else if (character.kind == ESCAPE_INVALID)
            buffer_text(text, "\\ufffd");
        else if (character.kind != ESCAPE_PLAIN)
            buffer_format(text, "\\u%04x", (unsigned)character.code);
        else if (character.code == '"' || character.code == '\\')
            buffer_format(text, "\\%c", *character.bytes);
        else
            buffer_add(text, character.bytes, character.length);
    }

    buffer_text(text, "\"");
}
