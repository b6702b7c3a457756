#ifndef SESSION_JSON_SCAN_H
#define SESSION_JSON_SCAN_H

#include "base/buffer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The deepest nesting of objects and arrays that is accepted. */
#define JSON_DEPTH 16

enum json_kind {
    JSON_OBJECT,
    JSON_ARRAY,
    JSON_STRING,
    JSON_NUMBER,
    JSON_LITERAL, /* true, false or null */
};

/* A value in a JSON text. */
struct json_item {
    enum json_kind kind;
    const char *text; /* points into the JSON text; without the quotes of a string; empty
                         for an object or array */
    size_t length;
};

/* A member of an object is named by the keys of all objects that it is in, such as
 * "io.time". Keys that are longer than all keys of ioping are cut. */
#define JSON_PATH 64

/*
 * Checks that LENGTH bytes at TEXT are one JSON object (RFC 8259), and calls VISIT for
 * each value in it that is not in an array. PATH is the name of the member. A string that
 * is valid except for its encoding is accepted. Returns NULL, or why the text is refused;
 * some values have been visited then.
 */
const char *json_scan(const char *text, size_t length,
                      void (*visit)(void *context, const char *path,
                                    const struct json_item *item),
                      void *context);

/* Adds ITEM, a string of json_scan, to TEXT, with its escapes replaced. Returns false if
 * it has a NUL or half of a surrogate pair; TEXT is incomplete then. */
bool json_scan_string(struct buffer *text, const struct json_item *item);

#endif
