#ifndef SUPPORT_XML_H
#define SUPPORT_XML_H

#include <stddef.h>

/*
 * Reads the subset of XML that the plots of the program use: elements with attributes,
 * text and comments, but no declarations, processing instructions or CDATA sections.
 */
struct xml_attribute {
    const char *name;
    const char *value; /* with its entity references decoded */
};

struct xml_element {
    const char *name;
    const char *text;    /* decoded text between the start tag and the next tag */
    int parent;          /* index of the parent in `elements`; -1: the root has none */
    int first_attribute; /* index in `attributes` */
    int attribute_count;
};

/* A document. Freed by xml_free. */
struct xml {
    struct xml_element *elements;     /* in the order of their start tags */
    int count;                        /* number of elements */
    struct xml_attribute *attributes; /* the attributes of all elements, in their order */
    int attribute_count;
    char *texts;    /* the memory that all names, values and texts point into */
    char why[1000]; /* the reason if xml_read failed; otherwise empty */
};

/*
 * Reads a document of LENGTH bytes, followed by a NUL, with xmllint of libxml2. Skips the
 * test if xmllint is missing. Returns 0, or -1 with the error and its place in `why`. The
 * caller calls xml_free in both cases.
 */
int xml_read(struct xml *xml, const char *bytes, size_t length);

/* Frees a document. */
void xml_free(struct xml *xml);

/* Returns the value of the attribute NAME of ELEMENT, or NULL if it is missing. The value
 * is valid until xml_free. */
const char *xml_value(const struct xml *xml, const struct xml_element *element,
                      const char *name);

#endif
