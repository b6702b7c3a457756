#ifndef SUPPORT_XML_H
#define SUPPORT_XML_H

#include <stddef.h>

/*
 * The elements of a document of XML, as far as a picture of ours needs it: with
 * attributes, text and comments, without declarations, instructions and CDATA sections.
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
    char why[1000];
};

/*
 * Reads a document of LENGTH bytes, with a NUL behind, by xmllint (of libxml2); the test
 * is skipped where that is missing. Returns 0, or -1 and says in `why` what is wrong
 * where.
 */
int xml_read(struct xml *xml, const char *bytes, size_t length);

void xml_free(struct xml *xml);

/* The value of an element's attribute, NULL if it has none. */
const char *xml_value(const struct xml *xml, const struct xml_element *element,
                      const char *name);

#endif
