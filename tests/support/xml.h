#ifndef SUPPORT_XML_H
#define SUPPORT_XML_H

#include <stddef.h>

/*
 * The elements of an XML document, as far as a plot of the program has them: attributes,
 * text and comments, no declarations, instructions and CDATA sections.
 */
struct xml_attribute {
    const char *name, *value; /* the value is decoded */
};

struct xml_element {
    const char *name;
    const char *text; /* after its start tag, decoded; the only text of an element */
    int parent;       /* its index, -1: none */
    int first, count; /* of its attributes */
};

/* A document: its elements in the order of their start tags. Freed by xml_free. */
struct xml {
    struct xml_element *elements;
    struct xml_attribute *attributes;
    int count, attribute_count;
    char *texts;    /* the memory of all names, values and texts */
    char why[1000]; /* the reason why xml_read has failed */
};

/*
 * Reads a document of LENGTH bytes, followed by a NUL, by xmllint (of libxml2); skips the
 * test where that is missing. Returns 0, or -1 with the error and its place in `why`.
 * Freed by xml_free in both cases.
 */
int xml_read(struct xml *xml, const char *bytes, size_t length);

/* Frees a document. */
void xml_free(struct xml *xml);

/* Returns the value of attribute NAME, or NULL; valid until xml_free. */
const char *xml_value(const struct xml *xml, const struct xml_element *element,
                      const char *name);

#endif
