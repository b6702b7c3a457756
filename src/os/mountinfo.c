#include "mountinfo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool
is_octal(const char *text)
{
    return text[0] >= '0' && text[0] <= '3' && text[1] >= '0' && text[1] <= '7' &&
           text[2] >= '0' && text[2] <= '7';
}

/* Space, tab, newline and backslash stand as a backslash and three octal digits. */
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

/* The fields after the separator " - ": type, source, options. */
static int
read_source(const char *line, size_t length, struct os_mount *mount)
{
    const char *end = line + length, *field = line;
    do {
        field = memchr(field, ' ', (size_t)(end - field));
        if (!field || end - field < 4)
            return -1;
    } while (memcmp(field++, " - ", 3) != 0);
    field += 2;
    const char *type_end = memchr(field, ' ', (size_t)(end - field));
    if (!type_end)
        return -1;
    const char *source = type_end + 1;
    const char *source_end = memchr(source, ' ', (size_t)(end - source));
    if (!source_end)
        source_end = end;
    decode(field, (size_t)(type_end - field), mount->fstype, sizeof(mount->fstype));
    decode(source, (size_t)(source_end - source), mount->device, sizeof(mount->device));
    return 0;
}

static const char *
next_line(const char *line)
{
    line += strcspn(line, "\n");
    return line + (*line == '\n');
}

int
mountinfo_find(const char *table, int64_t id, struct os_mount *mount)
{
    for (const char *line = table; *line; line = next_line(line)) {
        char *after;
        bool begins = *line >= '0' && *line <= '9';
        if (begins && strtoll(line, &after, 10) == id && *after == ' ')
            return read_source(line, strcspn(line, "\n"), mount);
    }
    return -1;
}

/* The third field, after the numbers of the mount and of that which it is on. */
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
    for (const char *line = table; *line; line = next_line(line))
        if (is_on_device(line, device) &&
            read_source(line, strcspn(line, "\n"), mount) == 0)
            return 0;
    return -1;
}
