/*
 * The bytes of a trace (the kernel's Documentation/trace/ring-buffer-design.rst and
 * events/header_event). The ring of a processor consists of pages:
 *
 *    page:   stamp (time, ns) | commit (bytes of events) | event | event | ...
 *    event:  kind (5 bits) | delta (27 bits) | [second word] | data
 *              kind 1..28   data of 4 * kind bytes
 *              kind 0       second word: length of data, including the second word
 *              kind 29      padding: end of the page, or a discarded event
 *              kind 30      the second word has more bits of delta; no data
 *              kind 31      the same bits are an absolute time; no data
 *
 * The time of an event is the time of the event before plus delta, in ns.
 */
#include "linux.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Finds a field in a line such as "field:sector_t sector; offset:16; size:8; signed:0;".
 * NAME is the name in that line with the space before it and the character after it. */
static bool
find_field(const char *text, const char *name, struct linux_trace_field *field)
{
    const char *found = strstr(text, name);
    found = found ? strchr(found, ';') : NULL;
    return found &&
           sscanf(found, "; offset:%u; size:%u;", &field->offset, &field->size) == 2;
}

int
linux_trace_format(const char *text, enum os_trace_kind kind,
                   struct linux_trace_format *format)
{
    const char *id = strstr(text, "ID:");

    *format = (struct linux_trace_format){.kind = kind};
    bool known = id && sscanf(id, "ID: %u", &format->id) == 1 &&
                 find_field(text, " common_type;", &format->type) &&
                 find_field(text, " common_pid;", &format->thread);
    if (kind == OS_TRACE_MARK)
        return known && find_field(text, " buf[", &format->text) ? 0 : -1;

    known = known && find_field(text, " dev;", &format->device) &&
            find_field(text, " sector;", &format->sector) &&
            find_field(text, " nr_sector;", &format->sectors) &&
            find_field(text, " rwbs[", &format->rwbs);
    if (known && kind == OS_TRACE_QUEUE)
        known = find_field(text, " comm[", &format->comm);
    if (known && (kind == OS_TRACE_REMAP || kind == OS_TRACE_REQUEST_REMAP))
        known = find_field(text, " old_dev;", &format->old_device) &&
                find_field(text, " old_sector;", &format->old_sector);

    return known ? 0 : -1;
}

int
linux_trace_header(const char *text, struct linux_trace_page *page)
{
    *page = (struct linux_trace_page){0};
    return find_field(text, " timestamp;", &page->stamp) &&
                   find_field(text, " commit;", &page->commit) &&
                   find_field(text, " data;", &page->data)
               ? 0
               : -1;
}

/* Returns the unsigned field of the data at BYTES, 0 if the field does not end within
 * SIZE bytes. */
static uint64_t
load(const unsigned char *bytes, size_t size, struct linux_trace_field field)
{
    const unsigned char *at = bytes + field.offset;
    uint64_t eight = 0;
    uint32_t four = 0;
    uint16_t two = 0;
    if (field.offset + (size_t)field.size > size)
        return 0;

    memcpy(&eight, at, field.size == sizeof(eight) ? sizeof(eight) : 0);
    memcpy(&four, at, field.size == sizeof(four) ? sizeof(four) : 0);
    memcpy(&two, at, field.size == sizeof(two) ? sizeof(two) : 0);

    return eight | four | two;
}

/* Bits of the commit word. MISSED: events before this page are missing; MISSED_STORED:
 * the word behind the last event has their number. */
#define COUNT_MASK ((1U << 27) - 1)
#define MISSED (1U << 31)
#define MISSED_STORED (1U << 30)

uint64_t
linux_trace_begin(struct linux_trace_page *page, const unsigned char *bytes, size_t size)
{
    uint64_t commit = load(bytes, size, page->commit);
    size_t room = size > page->data.offset ? size - page->data.offset : 0;

    page->bytes = bytes + page->data.offset;
    page->size = (size_t)(commit & COUNT_MASK);
    page->time = load(bytes, size, page->stamp);
    page->offset = 0;
    if (page->size > room)
        page->size = room;

    if (!(commit & MISSED))
        return 0;
    struct linux_trace_field count = {(unsigned)page->size, page->commit.size};
    uint64_t missed = commit & MISSED_STORED ? load(page->bytes, room, count) : 0;

    return missed ? missed : 1;
}

/* Kinds of events that are no records, see the top of the file. */
enum { PADDING = 29, EXTEND = 30, STAMP = 31 };

/*
 * Moves PAGE behind its next event. Returns the data of that event, and stores its SIZE,
 * 0 for an event without data. Returns NULL at the end of the page. The kind is in the
 * low bits of the first word on little-endian machines and in the high bits on big-endian
 * ones.
 */
static const unsigned char *
next_event(struct linux_trace_page *page, size_t *size)
{
    const uint16_t one = 1;
    uint32_t word;
    uint32_t more = 0;
    size_t left = page->size - page->offset;
    const unsigned char *event = page->bytes + page->offset;
    if (left < sizeof(word))
        return NULL;

    memcpy(&word, event, sizeof(word));
    bool little = *(const unsigned char *)&one == 1;
    unsigned kind = little ? word & 31 : word >> 27;
    uint32_t delta = little ? word >> 5 : word & COUNT_MASK;

    bool is_long = kind == 0 || kind >= PADDING;
    if (is_long && left < 2 * sizeof(word))
        return NULL;
    if (is_long)
        memcpy(&more, event + sizeof(word), sizeof(more));

    size_t length = kind >= EXTEND    ? sizeof(word)
                    : kind == 0       ? (more + 3) / 4 * 4
                    : kind == PADDING ? more
                                      : kind * sizeof(word);
    bool ends = (kind == PADDING && delta == 0) || (kind == 0 && more < sizeof(word)) ||
                length > left - sizeof(word);
    if (ends)
        return NULL;

    uint64_t time = ((uint64_t)more << 27) + delta;
    page->offset += sizeof(word) + length;
    if (kind == STAMP)
        page->time = time;
    else if (kind == EXTEND)
        page->time += time;
    /* A discarded event counts its delta, except 1: the kernel writes 1 in place of 0. */
    else if (kind != PADDING || delta != 1)
        page->time += delta;

    *size = kind >= PADDING ? 0 : kind == 0 ? length - sizeof(word) : length;

    return event + (kind == 0 ? 2 : 1) * sizeof(word);
}

#define TEXT_ROOM 64

/* Copies a text field, which may lack its NUL. TEXT is empty if the field is
 * not whole. */
static void
load_text(const unsigned char *bytes, size_t size, struct linux_trace_field field,
          char text[TEXT_ROOM])
{
    bool whole = field.size < TEXT_ROOM && field.offset + (size_t)field.size <= size;
    size_t length = whole ? field.size : 0;
    memcpy(text, bytes + field.offset, length);
    text[length] = '\0';
}

/*
 * Fills RECORD from an event. The letters of rwbs are as in blkparse(1): F first for a
 * flush, then the operation, then others. The name of an io_uring worker ends with the
 * TID of the thread that it serves. The text of a mark ends with a NUL or with the event.
 */
static void
fill_record(const struct linux_trace_format *format, const unsigned char *data,
            size_t size, struct os_trace_record *record)
{
    char rwbs[TEXT_ROOM];
    char comm[TEXT_ROOM];
    char text[TEXT_ROOM];
    unsigned long long mark = 0;

    load_text(data, size, format->rwbs, rwbs);
    load_text(data, size, format->comm, comm);

    record->kind = format->kind;
    if (format->kind == OS_TRACE_REQUEST_REMAP)
        record->kind = OS_TRACE_REMAP;
    record->device = load(data, size, format->device);
    record->sector = load(data, size, format->sector);
    record->sector_count = load(data, size, format->sectors);
    record->old_device = load(data, size, format->old_device);
    record->old_sector = load(data, size, format->old_sector);

    record->thread = (int)load(data, size, format->thread);
    record->by_kernel = strncmp(comm, "kworker/", strlen("kworker/")) == 0;
    if (strncmp(comm, LINUX_TRACE_WORKER, strlen(LINUX_TRACE_WORKER)) == 0)
        record->thread = atoi(comm + strlen(LINUX_TRACE_WORKER));
    record->is_flush = rwbs[0] == 'F' && record->sector_count == 0;
    record->is_write = strchr(rwbs, 'W') != NULL;
    if (format->kind != OS_TRACE_MARK)
        return;

    struct linux_trace_field rest = {.offset = format->text.offset};
    while (rest.size < TEXT_ROOM - 1 && rest.offset + (size_t)rest.size < size)
        rest.size++;
    load_text(data, size, rest, text);
    record->sector = sscanf(text, LINUX_TRACE_MARK "%llu", &mark) == 1 ? mark : 0;
}

int
linux_trace_next(struct linux_trace_page *page, const struct linux_trace_format *formats,
                 struct os_trace_record *records, int room)
{
    int count = 0;
    size_t size;
    const unsigned char *data;

    while (count < room && (data = next_event(page, &size)))
        for (int i = 0; i < LINUX_TRACE_KINDS && size > 0; i++)
            if (formats[i].id && load(data, size, formats[i].type) == formats[i].id) {
                fill_record(&formats[i], data, size, &records[count]);
                records[count++].time = (int64_t)page->time;
                break;
            }
    return count;
}
