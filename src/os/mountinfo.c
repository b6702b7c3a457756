/*
 * Reads the mount table /proc/self/mountinfo (proc(5)). Each line has these fields:
 *
 *    0   1       2            3     4      5
 *    ID  parent  major:minor  root  place  options  [...]  -  type  source  options
 *
 * [...] is any number of fields. The fields after "-" belong to the file system, the
 * others to the mount.
 */
#include "linux.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns true if TEXT begins with three octal digits that make a byte. */
static bool
is_octal(const char *text)
{
    return text[0] >= '0' && text[0] <= '3' && text[1] >= '0' && text[1] <= '7' &&
           text[2] >= '0' && text[2] <= '7';
}

/* Copies the FIELD of LENGTH bytes to OUT, and decodes it: the table has a backslash and
 * three octal digits in place of a space, tab, newline or backslash. OUT has SIZE bytes,
 * NUL included; a longer text is cut off. */
static void
decode_field(const char *field, size_t length, char *out, size_t size)
{
    size_t used = 0;
    for (size_t i = 0; i < length && used + 1 < size; i++) {
        if (field[i] == '\\' && i + 3 < length && is_octal(field + i + 1)) {
            out[used++] = (char)((field[i + 1] - '0') * 64 + (field[i + 2] - '0') * 8 +
                                 (field[i + 3] - '0'));
            i += 3;
        } else {
            out[used++] = field[i];
        }
    }
    out[used] = '\0';
}

/* Returns the field that comes COUNT fields after FIELD in a line that ends at END.
 * Returns NULL if FIELD is NULL or the line has no such field. */
static const char *
skip_fields(const char *field, const char *end, int count)
{
    for (int i = 0; field && i < count; i++) {
        const char *space = memchr(field, ' ', (size_t)(end - field));
        field = space ? space + 1 : NULL;
    }
    return field;
}

/* Finds the first line of TABLE whose field with number INDEX, from 0, is TEXT. TEXT
 * includes the space after the field. Skips lines without a type or a source. Returns the
 * field "type" of the line; the source and the options follow it. Stores the end of the
 * line in END. Returns NULL if there is no such line. */
static const char *
find_type(const char *table, int index, const char *text, const char **end)
{
    size_t length = strlen(text);

    *end = table;
    for (const char *line = table; *line; line = *end + (**end == '\n')) {
        *end = line + strcspn(line, "\n");
        const char *field = skip_fields(line, *end, index);
        if (!field || strncmp(field, text, length) != 0)
            continue;
        while (field && strncmp(field, "- ", 2) != 0)
            field = skip_fields(field, *end, 1);
        bool has_source = skip_fields(field, *end, 2) != NULL;
        if (has_source)
            return skip_fields(field, *end, 1);
    }

    return NULL;
}

/* Finds the line of TABLE whose field with number INDEX, from 0, is TEXT. Stores the type
 * and the source of its file system in MOUNT. TEXT includes the space after the field.
 * Returns 0, or -1 if there is no such line. */
static int
find_mount(const char *table, int index, const char *text, struct os_mount *mount)
{
    const char *end;
    const char *type = find_type(table, index, text, &end);
    if (!type)
        return -1;
    const char *source = skip_fields(type, end, 1);
    decode_field(type, (size_t)(source - 1 - type), mount->fstype, sizeof(mount->fstype));
    decode_field(source, strcspn(source, " \n"), mount->device, sizeof(mount->device));
    return 0;
}

int
mountinfo_find(const char *table, int64_t id, struct os_mount *mount)
{
    char text[32];
    snprintf(text, sizeof(text), "%lld ", (long long)id);
    return find_mount(table, 0, text, mount);
}

int
mountinfo_find_device(const char *table, unsigned major, unsigned minor,
                      struct os_mount *mount)
{
    char text[32];
    snprintf(text, sizeof(text), "%u:%u ", major, minor);
    return find_mount(table, 2, text, mount);
}

char *
mountinfo_options(const char *table, int64_t id)
{
    char text[32];
    const char *end;

    snprintf(text, sizeof(text), "%lld ", (long long)id);
    const char *type = find_type(table, 0, text, &end);
    const char *field = skip_fields(type, end, 2);
    if (!field)
        return NULL;

    size_t length = (size_t)(end - field);
    char *options = malloc(length + 1);
    if (options)
        decode_field(field, length, options, length + 1);
    return options;
}
