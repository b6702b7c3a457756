/*
 * Decodes the pages that trace_pipe_raw of tracefs delivers. The format is described in
 * the kernel's Documentation/trace/ring-buffer-design.rst and in events/header_event.
 * Each processor has a ring buffer of pages. A page and an event have these fields:
 *
 *     page:   time in ns | commit: length of the events | event | event | ...
 *     event:  kind (5 bits) | delta (27 bits) | second word, if any | data, if any
 *
 * The kind tells which fields an event has:
 *
 *     1..28   4 * kind bytes of data; no second word
 *     0       data; the second word is the length of the data and of itself
 *     29      padding: the end of the page, or a discarded event
 *     30      the second word has more bits of delta; no data
 *     31      second word and delta are an absolute time; no data
 *
 * The time of an event is the time of the event before it plus delta, in ns.
 */
#include "linux.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Fills FIELD from a line of TEXT such as
 *
 *     field:sector_t sector; offset:16; size:8; signed:0;
 *
 * NAME is the name of the field together with the characters before and after it, such as
 * " sector;". Returns false if TEXT has no such line.
 */
static bool
find_field(const char *text, const char *name, struct linux_trace_field *field)
{
    const char *found = strstr(text, name);
    const char *numbers = found ? strchr(found, ';') : NULL;
    return numbers &&
           sscanf(numbers, "; offset:%u; size:%u;", &field->offset, &field->size) == 2;
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
    bool known = find_field(text, " timestamp;", &page->stamp) &&
                 find_field(text, " commit;", &page->commit) &&
                 find_field(text, " data;", &page->data);
    return known ? 0 : -1;
}

/* Returns the number that FIELD has in the SIZE bytes at BYTES. Returns 0 if the field
 * does not end within these bytes, or if its size is not 2, 4 or 8 bytes. */
static uint64_t
load_number(const unsigned char *bytes, size_t size, struct linux_trace_field field)
{
    const unsigned char *start = bytes + field.offset;
    uint64_t eight;
    uint32_t four;
    uint16_t two;
    if (field.offset + (size_t)field.size > size)
        return 0;

    switch (field.size) {
    case sizeof(eight):
        memcpy(&eight, start, sizeof(eight));
        return eight;
    case sizeof(four):
        memcpy(&four, start, sizeof(four));
        return four;
    case sizeof(two):
        memcpy(&two, start, sizeof(two));
        return two;
    default:
        return 0;
    }
}

/* Bits of the commit field of a page. */
#define COMMIT_LENGTH ((1U << 27) - 1) /* length of the events, in bytes */
#define COMMIT_MISSED (1U << 31)       /* flag: events before this page are missing */
/* flag: the number of missing events is stored after the last event of the page */
#define COMMIT_MISSED_COUNT (1U << 30)

/* On a big-endian machine: the bits of the first word of an event that hold its delta. */
#define DELTA_MASK ((1U << 27) - 1)

uint64_t
linux_trace_begin(struct linux_trace_page *page, const unsigned char *bytes, size_t size)
{
    uint64_t commit = load_number(bytes, size, page->commit);
    size_t room = size > page->data.offset ? size - page->data.offset : 0;

    page->bytes = bytes + page->data.offset;
    page->size = (size_t)(commit & COMMIT_LENGTH);
    page->time = load_number(bytes, size, page->stamp);
    page->offset = 0;
    if (page->size > room)
        page->size = room;

    if (!(commit & COMMIT_MISSED))
        return 0;
    if (!(commit & COMMIT_MISSED_COUNT))
        return 1;

    struct linux_trace_field field = {(unsigned)page->size, page->commit.size};
    uint64_t missed = load_number(page->bytes, room, field);
    return missed ? missed : 1;
}

/* The kinds of events that have a second word, see the top of the file. Only LONG has
 * data. */
enum { LONG = 0, PADDING = 29, EXTEND = 30, STAMP = 31 };

/* Returns the length of an event of KIND, in bytes, without its first word. SECOND is its
 * second word, if it has one. */
static size_t
find_event_length(unsigned kind, uint32_t second)
{
    if (kind == LONG)
        return (second + 3) / 4 * 4;
    if (kind == PADDING)
        return second;
    if (kind >= EXTEND)
        return sizeof(second);
    return kind * sizeof(second);
}

/* Adds the delta of an event to the time of PAGE. A discarded event (PADDING) has a
 * delta, too. If this delta is 0, the kernel writes 1 instead, because padding with a
 * delta of 0 means the end of the page. So for padding, a delta of 1 is taken as 0. */
static void
advance_time(struct linux_trace_page *page, unsigned kind, uint32_t delta,
             uint32_t second)
{
    uint64_t long_delta = ((uint64_t)second << 27) + delta;
    if (kind == STAMP)
        page->time = long_delta;
    else if (kind == EXTEND)
        page->time += long_delta;
    else if (kind != PADDING || delta != 1)
        page->time += delta;
}

/*
 * Moves `offset` of PAGE to the end of its next event. Returns the data of that event,
 * and stores the length of the data in SIZE, or 0 if the event has no data. Returns NULL
 * at the end of the page.
 *
 * The first word of an event holds its kind and its delta. On a little-endian machine,
 * the kind is in the low bits; on a big-endian machine, it is in the high bits.
 */
static const unsigned char *
next_event(struct linux_trace_page *page, size_t *size)
{
    const uint16_t one = 1;
    bool is_little_endian = *(const unsigned char *)&one == 1;
    uint32_t word;
    uint32_t second = 0;
    size_t room = page->size - page->offset;
    const unsigned char *event = page->bytes + page->offset;
    if (room < sizeof(word))
        return NULL;

    memcpy(&word, event, sizeof(word));
    unsigned kind = is_little_endian ? word & 31 : word >> 27;
    uint32_t delta = is_little_endian ? word >> 5 : word & DELTA_MASK;

    bool has_second = kind == LONG || kind >= PADDING;
    if (has_second && room < sizeof(word) + sizeof(second))
        return NULL;
    if (has_second)
        memcpy(&second, event + sizeof(word), sizeof(second));

    size_t length = find_event_length(kind, second);
    if (kind == PADDING && delta == 0)
        return NULL;
    if ((kind == LONG && second < sizeof(second)) || length > room - sizeof(word))
        return NULL; /* the page is damaged: the length of the event is impossible */

    page->offset += sizeof(word) + length;
    advance_time(page, kind, delta, second);

    const unsigned char *data = event + sizeof(word);
    *size = kind >= PADDING ? 0 : length;
    if (kind == LONG) {
        data += sizeof(second);
        *size -= sizeof(second);
    }
    return data;
}

#define TEXT_ROOM 64 /* room for a text of an event, in bytes, with its NUL */

/* Copies the text that FIELD has in the SIZE bytes at BYTES to TEXT. Adds a NUL, because
 * the field may have none. If the field is too long or does not end within these bytes,
 * TEXT becomes empty. */
static void
load_text(const unsigned char *bytes, size_t size, struct linux_trace_field field,
          char text[TEXT_ROOM])
{
    bool fits = field.size < TEXT_ROOM && field.offset + (size_t)field.size <= size;
    size_t length = fits ? field.size : 0;
    memcpy(text, bytes + field.offset, length);
    text[length] = '\0';
}

/* Returns the number that os_trace_mark wrote into an event, or 0 if the event has none.
 * The text of the event ends with a NUL, or at the end of the event. */
static uint64_t
load_mark(const struct linux_trace_format *format, const unsigned char *data, size_t size)
{
    char text[TEXT_ROOM];
    unsigned long long mark = 0;
    struct linux_trace_field field = {.offset = format->text.offset};

    while (field.size < TEXT_ROOM - 1 && field.offset + (size_t)field.size < size)
        field.size++;
    load_text(data, size, field, text);
    return sscanf(text, LINUX_TRACE_MARK "%llu", &mark) == 1 ? mark : 0;
}

/*
 * Fills RECORD, except its time, from DATA, the SIZE bytes of data of an event.
 *
 * The field rwbs has letters as in blkparse(1). For a flush, F is the first letter. Then
 * comes the letter of the operation, such as R or W, and then other letters. The field
 * comm is the name of the thread. The name of an io_uring worker ends with the TID of the
 * thread that it serves.
 */
static void
fill_record(const struct linux_trace_format *format, const unsigned char *data,
            size_t size, struct os_trace_record *record)
{
    char rwbs[TEXT_ROOM];
    char comm[TEXT_ROOM];

    load_text(data, size, format->rwbs, rwbs);
    load_text(data, size, format->comm, comm);

    record->kind = format->kind;
    if (format->kind == OS_TRACE_REQUEST_REMAP)
        record->kind = OS_TRACE_REMAP;
    record->device = load_number(data, size, format->device);
    record->sector = load_number(data, size, format->sector);
    record->sector_count = load_number(data, size, format->sectors);
    record->old_device = load_number(data, size, format->old_device);
    record->old_sector = load_number(data, size, format->old_sector);

    record->thread = (int)load_number(data, size, format->thread);
    record->by_kernel = strncmp(comm, "kworker/", strlen("kworker/")) == 0;
    if (strncmp(comm, LINUX_TRACE_WORKER, strlen(LINUX_TRACE_WORKER)) == 0)
        record->thread = atoi(comm + strlen(LINUX_TRACE_WORKER));
    record->is_flush = rwbs[0] == 'F' && record->sector_count == 0;
    record->is_write = strchr(rwbs, 'W') != NULL;
    if (format->kind == OS_TRACE_MARK)
        record->sector = load_mark(format, data, size);
}

/* Returns the format of the event whose data are the SIZE bytes at DATA. Returns NULL if
 * the event has no data, or if none of the FORMATS has its type. */
static const struct linux_trace_format *
find_format(const struct linux_trace_format *formats, const unsigned char *data,
            size_t size)
{
    if (size == 0)
        return NULL;
    for (int i = 0; i < LINUX_TRACE_KINDS; i++)
        if (formats[i].id && load_number(data, size, formats[i].type) == formats[i].id)
            return &formats[i];
    return NULL;
}

int
linux_trace_next(struct linux_trace_page *page, const struct linux_trace_format *formats,
                 struct os_trace_record *records, int room)
{
    int count = 0;

    while (count < room) {
        size_t size;
        const unsigned char *data = next_event(page, &size);
        if (!data)
            break;
        const struct linux_trace_format *format = find_format(formats, data, size);
        if (!format)
            continue;

        fill_record(format, data, size, &records[count]);
        records[count].time = (int64_t)page->time;
        count++;
    }
    return count;
}
