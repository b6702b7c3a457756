/*
 * The mount table /proc/self/mountinfo (proc(5)). A line has these fields:
 *
 *    0   1       2            3     4      5
 *    ID  parent  major:minor  root  place  options  [...]  -  type  source  options
 *
 * The fields after "-" belong to the file system, the others to the mount.
 */
#include "linux.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool
is_octal(const char *text)
{
    return text[0] >= '0' && text[0] <= '3' && text[1] >= '0' && text[1] <= '7' &&
           text[2] >= '0' && text[2] <= '7';
}

/* Decodes a field. Space, tab, newline and backslash are stored as a backslash and three
 * octal digits. */
static void
decode(const char *field, size_t length, char *out, size_t size)
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

/* Returns the field that comes COUNT fields after FIELD in a line that ends at END, NULL
 * if the line has no such field. */
static const char *
skip(const char *field, const char *end, int count)
{
    while (field && count-- > 0) {
        field = memchr(field, ' ', (size_t)(end - field));
        field = field ? field + 1 : NULL;
    }
    return field;
}

/*
 * Finds the first line of TABLE whose field PLACE, counted from 0, is TEXT, and that
 * names a file system. TEXT ends with a space. Returns the type in that line, which the
 * source and the options follow, and stores the END of the line. Returns NULL if no line
 * matches.
 */
static const char *
find_type(const char *table, int place, const char *text, const char **end)
{
    size_t length = strlen(text);

    *end = table;
    for (const char *line = table; *line; line = *end + (**end == '\n')) {
        *end = line + strcspn(line, "\n");
        const char *field = skip(line, *end, place);
        if (!field || strncmp(field, text, length) != 0)
            continue;
        while (field && strncmp(field, "- ", 2) != 0)
            field = skip(field, *end, 1);
        if (skip(field, *end, 2))
            return skip(field, *end, 1);
    }

    return NULL;
}

/* Copies the type and the source of the mount that find_type finds. Returns 0, or -1 if
 * it finds none. */
static int
find_mount(const char *table, int place, const char *text, struct os_mount *mount)
{
    const char *end;
    const char *type = find_type(table, place, text, &end);
    if (!type)
        return -1;
    const char *source = skip(type, end, 1);
    decode(type, (size_t)(source - 1 - type), mount->fstype, sizeof(mount->fstype));
    decode(source, strcspn(source, " \n"), mount->device, sizeof(mount->device));
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

    snprintf(text, sizeof(text), "%lld ", (long long)id);
    const char *end;
    const char *type = find_type(table, 0, text, &end);
    const char *field = skip(type, end, 2);
    char *options = field ? malloc((size_t)(end - field) + 1) : NULL;
    if (options)
        decode(field, (size_t)(end - field), options, (size_t)(end - field) + 1);

    return options;
}
