#ifndef SUPPORT_XML_CHECK_H
#define SUPPORT_XML_CHECK_H

#include <stddef.h>

/*
 * Reads the part of XML 1.0 (https://www.w3.org/TR/xml/) that a picture of ours needs:
 * elements, attributes, the five named and the numeric references, comments. What else
 * there is (declarations, instructions, CDATA) is refused as what is not well-formed is.
 */
struct xml_attribute {
    const char *name, *value; /* the value is decoded */
};

struct xml_element {
    const char *name;
    const char *text; /* right after its start tag, decoded; no other may follow it */
    int parent;       /* index of it, -1: none */
    int first, count; /* of its attributes */
};

/* A document: its elements in the order of their start tags. Freed by xml_free. */
struct xml {
    struct xml_element *elements;
    struct xml_attribute *attributes;
    int count, attribute_count;
    char *texts; /* all of them are in here */
    char why[160];
};

/* Reads LENGTH bytes. Returns 0, or -1 and says in `why` what is wrong where. */
int xml_parse(struct xml *xml, const char *bytes, size_t length);

void xml_free(struct xml *xml);

/* The value of an element's attribute, NULL if it has none. */
const char *xml_value(const struct xml *xml, const struct xml_element *element,
                      const char *name);

#endif
