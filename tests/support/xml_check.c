/* By recursive descent, without the recursion: the open element knows its parent. */
#include "xml_check.h"

#include "base/escape.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    struct xml *xml;
    const char *begin, *at;
    char *room; /* for the next decoded text: none is longer than its source */
    int open;   /* the element whose end is awaited, -1: none */
};

static int
refuse(const struct reader *reader, const char *why)
{
    snprintf(reader->xml->why, sizeof(reader->xml->why), "%s at byte %td: %.40s", why,
             reader->at - reader->begin, reader->at);
    return -1;
}

static uint32_t
decode(const char *text, size_t length)
{
    static const unsigned char masks[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    uint32_t code = (unsigned char)text[0] & masks[length];
    for (size_t i = 1; i < length; i++)
        code = code << 6 | ((unsigned char)text[i] & 0x3f);
    return code;
}

/* Those of XML without the controls that it puts up with, DEL and C1. */
static int
is_character(uint32_t code)
{
    if (code < 0x20)
        return code == '\t' || code == '\n' || code == '\r';
    return (code < 0x7f || code > 0x9f) && (code < 0xd800 || code > 0xdfff) &&
           code != 0xfffe && code != 0xffff && code <= 0x10ffff;
}

static int
check_characters(struct reader *reader, const char *end)
{
    while (reader->at < end) {
        size_t length = escape_utf8_length(reader->at);
        if (length == 0)
            return refuse(reader, "not UTF-8");
        if (!is_character(decode(reader->at, length)))
            return refuse(reader, "control character");
        reader->at += length;
    }
    reader->at = reader->begin;
    return 0;
}

static int
starts(const struct reader *reader, const char *text)
{
    return strncmp(reader->at, text, strlen(text)) == 0;
}

static void
skip_space(struct reader *reader)
{
    while (*reader->at && strchr(" \t\r\n", *reader->at))
        reader->at++;
}

static void
put_code(struct reader *reader, uint32_t code)
{
    static const unsigned char leads[] = {0, 0, 0xc0, 0xe0, 0xf0};
    int length = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (int i = length - 1; i > 0; i--, code >>= 6)
        reader->room[i] = (char)(0x80 | (code & 0x3f));
    reader->room[0] = (char)(leads[length] | code);
    reader->room += length;
}

/* At "&#". */
static int
read_number(struct reader *reader)
{
    int base = reader->at[2] == 'x' ? 16 : 10;
    const char *digits = reader->at + (base == 16 ? 3 : 2);
    char *end;
    unsigned long code = strtoul(digits, &end, base);
    if (!isxdigit((unsigned char)*digits) || *end != ';' || code > 0x10ffff ||
        !is_character((uint32_t)code))
        return refuse(reader, "bad character reference");
    put_code(reader, (uint32_t)code);
    reader->at = end + 1;
    return 0;
}

static int
read_reference(struct reader *reader)
{
    static const struct {
        const char *name;
        char character;
    } names[] = {
        {"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&apos;", '\''}};
    if (reader->at[1] == '#')
        return read_number(reader);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (!starts(reader, names[i].name))
            continue;
        *reader->room++ = names[i].character;
        reader->at += strlen(names[i].name);
        return 0;
    }
    return refuse(reader, "unknown entity");
}

/* Up to one of STOPS, decoded into TEXT. */
static int
read_text(struct reader *reader, const char *stops, const char **text)
{
    *text = reader->room;
    while (*reader->at && !strchr(stops, *reader->at)) {
        if (starts(reader, "]]>"))
            return refuse(reader, "the end of a CDATA section");
        if (*reader->at != '&')
            *reader->room++ = *reader->at++;
        else if (read_reference(reader) < 0)
            return -1;
    }
    *reader->room++ = '\0';
    return 0;
}

static int
read_name(struct reader *reader, const char **name)
{
    *name = reader->room;
    if (!isalpha((unsigned char)*reader->at) && *reader->at != '_')
        return refuse(reader, "no name");
    while (isalnum((unsigned char)*reader->at) ||
           (*reader->at && strchr("_:.-", *reader->at)))
        *reader->room++ = *reader->at++;
    *reader->room++ = '\0';
    return 0;
}

/* Grows an array whenever COUNT of it is a power of two. */
static void *
grow(void *array, int count, size_t size)
{
    if (count & (count - 1))
        return array;
    array = realloc(array, (count ? (size_t)count * 2 : 1) * size);
    if (!array)
        abort();
    return array;
}

static int
read_attribute(struct reader *reader, struct xml_element *element)
{
    struct xml *xml = reader->xml;
    struct xml_attribute attribute;
    if (read_name(reader, &attribute.name) < 0)
        return -1;
    if (xml_value(xml, element, attribute.name))
        return refuse(reader, "attribute given twice");
    if (!starts(reader, "=\"") && !starts(reader, "='"))
        return refuse(reader, "attribute without a quoted value");
    const char stops[] = {reader->at[1], '<', '\0'};
    reader->at += 2;
    if (read_text(reader, stops, &attribute.value) < 0)
        return -1;
    if (*reader->at != stops[0])
        return refuse(reader, "attribute without its end");
    reader->at++;
    xml->attributes =
        grow(xml->attributes, xml->attribute_count, sizeof(*xml->attributes));
    xml->attributes[xml->attribute_count++] = attribute;
    element->count++;
    return 0;
}

/* Of a start tag; the space before each is needed. */
static int
read_attributes(struct reader *reader, struct xml_element *element)
{
    for (;;) {
        const char *before = reader->at;
        skip_space(reader);
        if (starts(reader, ">") || starts(reader, "/>"))
            return 0;
        if (reader->at == before)
            return refuse(reader, "no space before an attribute");
        if (read_attribute(reader, element) < 0)
            return -1;
    }
}

static int
read_start(struct reader *reader)
{
    struct xml *xml = reader->xml;
    if (xml->count > 0 && reader->open < 0)
        return refuse(reader, "a second root");
    struct xml_element element = {
        .text = "", .parent = reader->open, .first = xml->attribute_count};
    reader->at++;
    if (read_name(reader, &element.name) < 0 || read_attributes(reader, &element) < 0)
        return -1;
    int empty = *reader->at == '/';
    reader->at += empty ? 2 : 1;
    if (!empty && read_text(reader, "<", &element.text) < 0)
        return -1;
    xml->elements = grow(xml->elements, xml->count, sizeof(*xml->elements));
    xml->elements[xml->count] = element;
    reader->open = empty ? reader->open : xml->count;
    xml->count++;
    return 0;
}

static int
read_end(struct reader *reader)
{
    const char *name;
    reader->at += 2;
    if (read_name(reader, &name) < 0)
        return -1;
    skip_space(reader);
    if (reader->open < 0 || strcmp(name, reader->xml->elements[reader->open].name) != 0 ||
        *reader->at != '>')
        return refuse(reader, "an end tag that ends nothing");
    reader->open = reader->xml->elements[reader->open].parent;
    reader->at++;
    return 0;
}

static int
read_comment(struct reader *reader)
{
    const char *end = strstr(reader->at + 4, "--");
    if (!end || end[2] != '>')
        return refuse(reader, "comment without an end, or with two hyphens");
    reader->at = end + 3;
    return 0;
}

static int
read_markup(struct reader *reader)
{
    if (starts(reader, "<!--"))
        return read_comment(reader);
    if (starts(reader, "</"))
        return read_end(reader);
    if (*reader->at == '<')
        return read_start(reader);
    return refuse(reader, "text between elements");
}

int
xml_parse(struct xml *xml, const char *bytes, size_t length)
{
    *xml = (struct xml){.texts = malloc(2 * length + 1)};
    if (!xml->texts)
        abort();
    struct reader reader = {
        .xml = xml, .begin = bytes, .at = bytes, .room = xml->texts, .open = -1};
    if (check_characters(&reader, bytes + length) < 0)
        return -1;
    for (skip_space(&reader); reader.at < bytes + length; skip_space(&reader))
        if (read_markup(&reader) < 0)
            return -1;
    if (xml->count == 0 || reader.open >= 0)
        return refuse(&reader, "an element without its end");
    return 0;
}

void
xml_free(struct xml *xml)
{
    free(xml->elements);
    free(xml->attributes);
    free(xml->texts);
    *xml = (struct xml){0};
}

const char *
xml_value(const struct xml *xml, const struct xml_element *element, const char *name)
{
    for (int i = 0; i < element->count; i++) {
        const struct xml_attribute *attribute = &xml->attributes[element->first + i];
        if (strcmp(attribute->name, name) == 0)
            return attribute->value;
    }
    return NULL;
}
