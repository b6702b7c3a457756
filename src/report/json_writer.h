#ifndef REPORT_JSON_WRITER_H
#define REPORT_JSON_WRITER_H

#include "base/buffer.h"

#include <stdbool.h>

/*
 * Writes JSON (RFC 8259), a value at a time: over lines, indented by two
 * spaces, as ioping 1.3 lays it out, or all in one line. NAME is the key in an
 * object, NULL in an array. Nothing needs escaping in a name.
 */
struct json {
    struct buffer *text;
    bool one_line;
    int depth;
    bool begun; /* what is open has a value already */
};

/* Opens an object ('{') or an array ('['), and closes what json_open opened. */
void json_open(struct json *json, const char *name, char bracket);
void json_close(struct json *json, char bracket);

/* Adds a value in printf form: a number, true, or one that is JSON already. */
void json_value(struct json *json, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Adds a string; a byte that is not UTF-8 becomes U+FFFD. */
void json_string(struct json *json, const char *name, const char *value);

#endif
