/*
 * Reads XML with xmllint, which refuses a document that is not well-formed. xmllint also
 * prints the document in its canonical form (https://www.w3.org/TR/xml-c14n): UTF-8, no
 * declaration, no CDATA section, a start tag and an end tag for every element, one blank
 * before each attribute, and double quotes around each value. That form needs no general
 * parser. It is split in place: NUL bytes replace the markup after each name and text.
 */
#include "xml.h"

#include "support.h"

static void
refuse(struct xml *xml, const char *why)
{
    snprintf(xml->why, sizeof(xml->why), "%s", why);
}

/* Refuses markup in the original document that is absent from the canonical form. */
static void
refuse_hidden_markup(struct xml *xml, const char *bytes)
{
    for (const char *at = bytes; (at = strchr(at, '<')); at++)
        if (at[1] == '?' || (at[1] == '!' && at[2] != '-'))
            refuse(xml, "declaration, instruction or CDATA section");
}

/* Refuses the control characters that XML allows: DEL (0x7f) and C1 (U+0080 to U+009F).
 */
static void
refuse_control_characters(struct xml *xml)
{
    for (const unsigned char *at = (const unsigned char *)xml->texts; *at; at++)
        if (*at == 0x7f || (at[0] == 0xc2 && at[1] < 0xa0))
            refuse(xml, "control character");
}

/* Returns the character at *AT, or the one that the reference at *AT stands for. Moves
 * *AT past it. The canonical form has no references but those of the table. */
static char
decode_character(char **at)
{
    static const struct {
        const char *reference;
        char character;
    } references[] = {{"&lt;", '<'},   {"&gt;", '>'},   {"&amp;", '&'}, {"&quot;", '"'},
                      {"&#x9;", '\t'}, {"&#xA;", '\n'}, {"&#xD;", '\r'}};
    if (**at == '&') {
        for (size_t i = 0; i < LENGTH(references); i++) {
            size_t length = strlen(references[i].reference);
            if (strncmp(*at, references[i].reference, length) == 0) {
                *at += length;
                return references[i].character;
            }
        }
    }
    return *(*at)++;
}

/* Returns the text from *AT up to the character STOP or the end, decoded in place. Moves
 * *AT past STOP, or to the end if STOP is missing. */
static const char *
decode_text(char **at, char stop)
{
    char *text = *at;
    char *end = text;
    while (**at && **at != stop)
        *end++ = decode_character(at);
    if (**at)
        ++*at;
    *end = '\0';
    return text;
}

/* Returns ARRAY, enlarged if it has no room for another element of SIZE bytes. It has
 * COUNT elements, and is full whenever COUNT is 0 or a power of two. */
static void *
make_room(void *array, int count, size_t size)
{
    bool is_full = (count & (count - 1)) == 0;
    if (!is_full)
        return array;
    array = realloc(array, (count ? (size_t)count * 2 : 1) * size);
    assert_non_null(array);
    return array;
}

/* Adds the element at *AT, which points to the name in its start tag. Moves *AT past the
 * "<" of the next tag. PARENT is the index of the parent. */
static void
add_element(struct xml *xml, char **at, int parent)
{
    struct xml_element element = {
        .name = *at, .parent = parent, .first_attribute = xml->attribute_count};

    *at += strcspn(*at, " >");
    while (**at == ' ') {
        struct xml_attribute attribute;
        *(*at)++ = '\0';
        attribute.name = decode_text(at, '=');
        ++*at; /* the opening quote */
        attribute.value = decode_text(at, '"');
        xml->attributes =
            make_room(xml->attributes, xml->attribute_count, sizeof(*xml->attributes));
        xml->attributes[xml->attribute_count++] = attribute;
        element.attribute_count++;
    }

    *(*at)++ = '\0';
    element.text = decode_text(at, '<');
    xml->elements = make_room(xml->elements, xml->count, sizeof(*xml->elements));
    xml->elements[xml->count++] = element;
}

/* Splits the canonical form in place and adds its elements. */
static void
split_elements(struct xml *xml)
{
    char *at = xml->texts;
    int open = -1; /* index of the innermost element that has not been closed yet */
    decode_text(&at, '<');
    while (*at) {
        if (*at != '!' && *at != '/') {
            add_element(xml, &at, open);
            open = xml->count - 1;
            continue;
        }
        if (*at == '/') {
            open = xml->elements[open].parent;
            at = strchr(at, '>') + 1;
        } else {
            at = strstr(at, "-->") + 3;
        }
        const char *text = decode_text(&at, '<');
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
    refuse_hidden_markup(xml, bytes);
    refuse_control_characters(xml);
    if (xml->why[0] == '\0')
        split_elements(xml);
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
    for (int i = 0; i < element->attribute_count; i++) {
        const struct xml_attribute *attribute =
            &xml->attributes[element->first_attribute + i];
        if (strcmp(attribute->name, name) == 0)
            return attribute->value;
    }
    return NULL;
}
