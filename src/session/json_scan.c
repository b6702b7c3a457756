/*
 * Reads JSON (RFC 8259): an object at a time, strictly, and with limited nesting.
 */
#include "json_scan.h"

#include "base/units.h"

#include <stdio.h>
#include <string.h>

/* A text that is being read. */
struct json_scanner {
    const char *next_byte;
    const char *end;
    void (*visit)(void *context, const char *path, const struct json_item *item);
    void *context;
    int depth;            /* open objects and arrays */
    int array_depth;      /* open arrays */
    char path[JSON_PATH]; /* the keys of the open objects */
};

static const char not_json[] = "not JSON";

static const char *scan_value(struct json_scanner *scanner);

/* Moves past blanks. Returns the next byte, or NUL at the end. */
static char
skip_blanks(struct json_scanner *scanner)
{
    while (scanner->next_byte < scanner->end && *scanner->next_byte &&
           strchr(" \t\r\n", *scanner->next_byte))
        scanner->next_byte++;
    return scanner->next_byte < scanner->end ? *scanner->next_byte : '\0';
}

/* Returns the value of the hexadecimal digits from AT to END, of which there must be
 * COUNT, or -1. */
static int
read_hex(const char *at, const char *end, int count)
{
    int value = 0;
    if (end - at < count)
        return -1;

    for (int i = 0; i < count; i++) {
        char byte = at[i];
        int digit = 0;
        if (is_digit(byte))
            digit = byte - '0';
        else if (byte >= 'a' && byte <= 'f')
            digit = byte - 'a' + 10;
        else if (byte >= 'A' && byte <= 'F')
            digit = byte - 'A' + 10;
        else
            return -1;
        value = 16 * value + digit;
    }
    return value;
}

/* Reads a string, whose first quote is next. Returns false if it is not valid. */
static bool
scan_string(struct json_scanner *scanner, struct json_item *item)
{
    const char *at = scanner->next_byte + 1;
    const char *end = scanner->end;

    *item = (struct json_item){JSON_STRING, at, 0};
    while (at < end && *at != '"') {
        if ((unsigned char)*at < ' ')
            return false;
        if (*at == '\\') {
            at++;
            if (at == end || !*at || !strchr("\"\\/bfnrtu", *at))
                return false;
            if (*at == 'u' && read_hex(at + 1, end, 4) < 0)
                return false;
        }
        at++;
    }
    if (at == end)
        return false;

    item->length = (size_t)(at - item->text);
    scanner->next_byte = at + 1;
    return true;
}

/* Moves past decimal digits. Returns how many there are. */
static ptrdiff_t
skip_digits(struct json_scanner *scanner)
{
    const char *first = scanner->next_byte;
    while (scanner->next_byte < scanner->end && is_digit(*scanner->next_byte))
        scanner->next_byte++;
    return scanner->next_byte - first;
}

/* Moves past the next byte if it is one of BYTES. Returns whether it is. */
static bool
skip_byte(struct json_scanner *scanner, const char *bytes)
{
    if (scanner->next_byte == scanner->end || !*scanner->next_byte ||
        !strchr(bytes, *scanner->next_byte))
        return false;
    scanner->next_byte++;
    return true;
}

/* Reads a number. Returns false if it is not valid. */
static bool
scan_number(struct json_scanner *scanner, struct json_item *item)
{
    const char *first = scanner->next_byte;

    skip_byte(scanner, "-");
    bool has_zero = scanner->next_byte < scanner->end && *scanner->next_byte == '0';
    ptrdiff_t digit_count = skip_digits(scanner);
    if (digit_count == 0 || (has_zero && digit_count > 1))
        return false;
    if (skip_byte(scanner, ".") && skip_digits(scanner) == 0)
        return false;
    if (skip_byte(scanner, "eE")) {
        skip_byte(scanner, "+-");
        if (skip_digits(scanner) == 0)
            return false;
    }

    *item = (struct json_item){JSON_NUMBER, first, (size_t)(scanner->next_byte - first)};
    return true;
}

/* Reads true, false or null. Returns false if it is something else. */
static bool
scan_literal(struct json_scanner *scanner, struct json_item *item)
{
    static const char *const literals[] = {"true", "false", "null"};

    for (int i = 0; i < 3; i++) {
        size_t length = strlen(literals[i]);
        if ((size_t)(scanner->end - scanner->next_byte) < length ||
            memcmp(scanner->next_byte, literals[i], length) != 0)
            continue;
        *item = (struct json_item){JSON_LITERAL, scanner->next_byte, length};
        scanner->next_byte += length;
        return true;
    }
    return false;
}

/* Adds KEY to the path, as far as there is room. */
static void
append_key(struct json_scanner *scanner, const struct json_item *key)
{
    size_t length = strlen(scanner->path);
    size_t key_length = key->length < JSON_PATH ? key->length : JSON_PATH;
    const char *separator = length > 0 ? "." : "";

    snprintf(scanner->path + length, JSON_PATH - length, "%s%.*s", separator,
             (int)key_length, key->text);
}

/* Reads the members of an object, or the elements of an array, behind its BRACKET.
 * Returns NULL, or why it is refused. */
static const char *
scan_members(struct json_scanner *scanner, char bracket)
{
    size_t path_length = strlen(scanner->path);
    const char *closing = bracket == '{' ? "}" : "]";
    bool is_first = true;

    for (;;) {
        skip_blanks(scanner);
        if (is_first && skip_byte(scanner, closing))
            return NULL;
        is_first = false;

        if (bracket == '{') {
            struct json_item key;
            if (skip_blanks(scanner) != '"' || !scan_string(scanner, &key))
                return not_json;
            append_key(scanner, &key);
            skip_blanks(scanner);
            if (!skip_byte(scanner, ":"))
                return not_json;
        }

        const char *problem = scan_value(scanner);
        scanner->path[path_length] = '\0';
        if (problem)
            return problem;

        skip_blanks(scanner);
        if (skip_byte(scanner, closing))
            return NULL;
        if (!skip_byte(scanner, ","))
            return not_json;
    }
}

/* Reads an object or array, whose BRACKET is next. Returns NULL, or why it is refused. */
static const char *
scan_container(struct json_scanner *scanner, char bracket)
{
    if (scanner->depth == JSON_DEPTH)
        return "JSON that is nested too deeply";

    scanner->next_byte++;
    scanner->depth++;
    if (bracket == '[')
        scanner->array_depth++;

    const char *problem = scan_members(scanner, bracket);

    if (bracket == '[')
        scanner->array_depth--;
    scanner->depth--;
    return problem;
}

/* Reads a value, and visits it. Returns NULL, or why it is refused. The nesting is
 * limited by scan_container. */
// NOLINTNEXTLINE(misc-no-recursion)
static const char *
scan_value(struct json_scanner *scanner)
{
    struct json_item item = {JSON_OBJECT, "", 0};
    char byte = skip_blanks(scanner);
    bool is_container = byte == '{' || byte == '[';
    bool is_valid = is_container;

    if (byte == '"')
        is_valid = scan_string(scanner, &item);
    else if (byte == '-' || is_digit(byte))
        is_valid = scan_number(scanner, &item);
    else if (byte == '[')
        item.kind = JSON_ARRAY;
    else if (!is_container)
        is_valid = scan_literal(scanner, &item);
    if (!is_valid)
        return not_json;

    if (scanner->array_depth == 0)
        scanner->visit(scanner->context, scanner->path, &item);
    return is_container ? scan_container(scanner, byte) : NULL;
}

const char *
json_scan(const char *text, size_t length,
          void (*visit)(void *context, const char *path, const struct json_item *item),
          void *context)
{
    struct json_scanner scanner = {
        .next_byte = text, .end = text + length, .visit = visit, .context = context};
    if (skip_blanks(&scanner) != '{')
        return not_json;

    const char *problem = scan_value(&scanner);
    skip_blanks(&scanner);
    if (!problem && scanner.next_byte != scanner.end)
        problem = not_json;
    return problem;
}

/* Adds the character CODE to TEXT, in UTF-8. */
static void
add_utf8(struct buffer *text, int code)
{
    char bytes[4];
    int more = 0; /* bytes after the first */

    if (code >= 0x80)
        more = 1;
    if (code >= 0x800)
        more = 2;
    if (code >= 0x10000)
        more = 3;

    static const int marks[] = {0, 0xc0, 0xe0, 0xf0};
    bytes[0] = (char)(marks[more] | code >> 6 * more);
    for (int i = 1; i <= more; i++)
        bytes[i] = (char)(0x80 | (code >> 6 * (more - i) & 0x3f));
    buffer_add(text, bytes, (size_t)more + 1);
}

/* Reads the escape of a character, "uXXXX" at *AT, which may be followed by the escape of
 * the second half of a surrogate pair. Moves *AT behind it. Returns the character, or 0
 * if it is not valid. */
static int
read_unicode_escape(const char **at, const char *end)
{
    int code = read_hex(*at + 1, end, 4);
    *at += 5;
    if (code < 0xd800 || code > 0xdfff)
        return code;

    if (code > 0xdbff || end - *at < 6 || (*at)[0] != '\\' || (*at)[1] != 'u')
        return 0;
    int low = read_hex(*at + 2, end, 4);
    *at += 6;
    if (low < 0xdc00 || low > 0xdfff)
        return 0;
    return 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
}

bool
json_scan_string(struct buffer *text, const struct json_item *item)
{
    static const char escapes[] = "\"\\/bfnrt";
    static const char meanings[] = "\"\\/\b\f\n\r\t";
    const char *at = item->text;
    const char *end = at + item->length;

    while (at < end) {
        if (*at != '\\') {
            buffer_add(text, at++, 1);
            continue;
        }
        at++;
        if (*at == 'u') {
            int code = read_unicode_escape(&at, end);
            if (code <= 0)
                return false;
            add_utf8(text, code);
        } else {
            buffer_add(text, &meanings[strchr(escapes, *at) - escapes], 1);
            at++;
        }
    }
    return true;
}
