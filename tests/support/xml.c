/*
 * Reads XML by xmllint, which refuses a document that is not well-formed and writes it in
 * canonical form (https://www.w3.org/TR/xml-c14n): UTF-8, no declaration and no CDATA
 * section, a start and an end tag for every element, one blank before each attribute,
 * double quotes around its value. That form needs no parser and is split in its place.
 */
#include "xml.h"

#include "support.h"

static void
refuse(struct xml *xml, const char *why)
{
    snprintf(xml->why, sizeof(xml->why), "%s", why);
}

/* Refuses markup that the canonical form no longer shows. */
static void
check_source(struct xml *xml, const char *bytes)
{
    for (const char *at = bytes; (at = strchr(at, '<')); at++)
        if (at[1] == '?' || (at[1] == '!' && at[2] != '-'))
            refuse(xml, "declaration, instruction or CDATA section");
}

/* Refuses the control characters that XML allows: DEL and C1. */
static void
check_characters(struct xml *xml)
{
    for (const unsigned char *at = (const unsigned char *)xml->texts; *at; at++)
        if (*at == 0x7f || (at[0] == 0xc2 && at[1] < 0xa0))
            refuse(xml, "control character");
}

/* Decodes the character or reference at *AT, which is moved behind it; the canonical form
 * has no other references. */
static char
take_character(char **at)
{
    static const struct {
        const char *reference;
        char character;
    } references[] = {{"&lt;", '<'},   {"&gt;", '>'},   {"&amp;", '&'}, {"&quot;", '"'},
                      {"&#x9;", '\t'}, {"&#xA;", '\n'}, {"&#xD;", '\r'}};
    for (size_t i = 0; **at == '&' && i < sizeof(references) / sizeof(references[0]); i++)
        if (strncmp(*at, references[i].reference, strlen(references[i].reference)) == 0) {
            *at += strlen(references[i].reference);
            return references[i].character;
        }
    return *(*at)++;
}

/* Decodes the text from *AT to STOP in its place; *AT is moved behind STOP, or to the
 * end. */
static const char *
take_text(char **at, char stop)
{
    char *text = *at, *end = text;
    while (**at && **at != stop)
        *end++ = take_character(at);
    *at += **at != '\0';
    *end = '\0';
    return text;
}

/* Grows an array whenever COUNT of it is a power of two. */
static void *
grow(void *array, int count, size_t size)
{
    if (count & (count - 1))
        return array;
    array = realloc(array, (count ? (size_t)count * 2 : 1) * size);
    assert_non_null(array);
    return array;
}

/* Adds the element whose start tag follows "<", with the text after it. */
static void
take_element(struct xml *xml, char **at, int parent)
{
    struct xml_element element = {
        .name = *at, .parent = parent, .first = xml->attribute_count};
    *at += strcspn(*at, " >");
    for (bool more = **at == ' '; more; more = **at == ' ') {
        struct xml_attribute attribute;
        *(*at)++ = '\0';
        attribute.name = take_text(at, '=');
        ++*at;
        attribute.value = take_text(at, '"');
        xml->attributes =
            grow(xml->attributes, xml->attribute_count, sizeof(*xml->attributes));
        xml->attributes[xml->attribute_count++] = attribute;
        element.count++;
    }
    *(*at)++ = '\0';
    element.text = take_text(at, '<');
    xml->elements = grow(xml->elements, xml->count, sizeof(*xml->elements));
    xml->elements[xml->count++] = element;
}

/* Splits the canonical form in its place. */
static void
take_elements(struct xml *xml)
{
    char *at = xml->texts;
    int open = -1;
    take_text(&at, '<');
    while (*at) {
        if (*at != '!' && *at != '/') {
            take_element(xml, &at, open);
            open = xml->count - 1;
            continue;
        }
        if (*at == '/')
            open = xml->elements[open].parent;
        at = *at == '/' ? strchr(at, '>') + 1 : strstr(at, "-->") + 3;
        const char *text = take_text(&at, '<');
        if (text[strspn(text, " \t\r\n")] != '\0')
            refuse(xml, "text between elements");
    }
}

int
xml_read(struct xml *xml, const char *bytes, size_t length)
{
    char path[1100];
    *xml = (struct xml){0};
    snprintf(path, sizeof(path), "%s/document.xml", scratch());
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
    struct result result = command("xmllint --nonet --c14n document.xml");
    if (result.status == 127)
        skip_because("needs the program xmllint");
    xml->texts = result.out;
    refuse(xml, result.status != 0 && !result.err[0] ? "not read" : result.err);
    check_source(xml, bytes);
    check_characters(xml);
    if (xml->why[0] == '\0')
        take_elements(xml);
    free(result.err);
    return xml->why[0] == '\0' ? 0 : -1;
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
