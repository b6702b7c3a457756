/*
 * The mount table as /proc/self/mountinfo has it (proc(5)): lines of the mount's number,
 * its parent's, the device, the root, the place, options, and after " - " the type, the
 * source and the options of the file system.
 */
#include "linux.h"

#include "base/units.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool
is_octal(const char *text)
{
    return text[0] >= '0' && text[0] <= '3' && text[1] >= '0' && text[1] <= '7' &&
           text[2] >= '0' && text[2] <= '7';
}

/* Space, tab, newline and backslash are written as a backslash and three octal digits. */
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

/* The fields after the separator " - ": type, source, options; NULL: there are none. */
static const char *
find_source(const char *line, size_t length)
{
    const char *end = line + length, *field = line;
    do {
        field = memchr(field, ' ', (size_t)(end - field));
        if (!field || end - field < 4)
            return NULL;
    } while (memcmp(field++, " - ", 3) != 0);
    return field + 2;
}

/* The line of a mount, LENGTH bytes without its end; NULL: there is none. */
static const char *
find_line(const char *table, int64_t id, size_t *length)
{
    for (const char *line = table; *line;) {
        char *after;
        *length = strcspn(line, "\n");
        bool begins = is_digit(*line);
        if (begins && strtoll(line, &after, 10) == id && *after == ' ')
            return line;
        line += *length + (line[*length] == '\n');
    }
    return NULL;
}

/* The type and the source of a mount. */
static int
read_source(const char *line, size_t length, struct os_mount *mount)
{
    const char *field = find_source(line, length);
    const char *type_end = field ? strchr(field, ' ') : NULL;
    if (!type_end || type_end >= line + length)
        return -1;
    const char *source = type_end + 1;
    size_t size = strcspn(source, " \n");
    decode(field, (size_t)(type_end - field), mount->fstype, sizeof(mount->fstype));
    decode(source, size, mount->device, sizeof(mount->device));
    return 0;
}

int
mountinfo_find(const char *table, int64_t id, struct os_mount *mount)
{
    size_t length;
    const char *line = find_line(table, id, &length);
    return line ? read_source(line, length, mount) : -1;
}

char *
mountinfo_options(const char *table, int64_t id)
{
    size_t length;
    const char *line = find_line(table, id, &length);
    const char *field = line ? find_source(line, length) : NULL;
    for (int skipped = 0; field && skipped < 2; skipped++) {
        field = memchr(field, ' ', (size_t)(line + length - field));
        field = field ? field + 1 : NULL;
    }
    if (!field)
        return NULL;
    size_t size = (size_t)(line + length - field);
    char *options = malloc(size + 1);
    if (options)
        decode(field, size, options, size + 1);
    return options;
}

/* Compares the third field, which follows the numbers of the mount and its parent. */
static bool
is_on_device(const char *line, const char *device)
{
    for (int field = 0; field < 2; field++) {
        line += strcspn(line, " \n");
        if (*line++ != ' ')
            return false;
    }
    return strncmp(line, device, strlen(device)) == 0;
}

int
mountinfo_find_device(const char *table, unsigned major, unsigned minor,
                      struct os_mount *mount)
{
    char device[32];
    snprintf(device, sizeof(device), "%u:%u ", major, minor);
    for (const char *line = table; *line;) {
        size_t length = strcspn(line, "\n");
        if (is_on_device(line, device) && read_source(line, length, mount) == 0)
            return 0;
        line += length + (line[length] == '\n');
    }
    return -1;
}
