/* The rules for drawn texts. Each text is large enough to be read, lies inside the
 * picture, and overlaps neither another text nor an edge of a panel. */
#include "svg_rules.h"

#define TOUCH 0.5 /* units of the viewBox by which texts may overlap */

/* A drawn text and its place. */
struct label {
    const char *text;
    struct svg_check_box box;
};

/*
 * Estimates the width of TEXT, which is UTF-8, in em. A character counts 0.6, as in a
 * monospaced font. A wide East Asian character counts 1. Such a character is recognised
 * by its first byte, which covers roughly the wide blocks of
 * https://www.unicode.org/reports/tr11/.
 */
static double
estimate_width(const char *text)
{
    double width = 0;
    for (const unsigned char *at = (const unsigned char *)text; *at; at++) {
        bool is_continuation_byte = (*at & 0xc0) == 0x80;
        bool is_wide = (*at >= 0xe3 && *at <= 0xed) || *at >= 0xf0;
        if (is_continuation_byte)
            continue;
        width += is_wide ? 1 : 0.6;
    }
    return width;
}

/* Returns the attribute NAME of ELEMENT or of its nearest ancestor that has it. Returns
 * "" if no ancestor has it. */
static const char *
inherited_value(const struct svg_check *check, const struct xml_element *element,
                const char *name)
{
    const char *value = xml_value(&check->xml, element, name);
    while (!value && element->parent >= 0) {
        element = &check->xml.elements[element->parent];
        value = xml_value(&check->xml, element, name);
    }
    return value ? value : "";
}

/* Rotates a box by 90 degrees counterclockwise around X,Y. */
static struct svg_check_box
rotate_left(struct svg_check_box box, double x, double y)
{
    return (struct svg_check_box){x + (box.top - y), y - (box.right - x),
                                  x + (box.bottom - y), y - (box.left - x)};
}

static struct svg_check_box
box_of_text(struct svg_check *check, const struct xml_element *element)
{
    double size = atof(inherited_value(check, element, "font-size"));
    const char *anchor = inherited_value(check, element, "text-anchor");
    const char *transform = xml_value(&check->xml, element, "transform");
    double x = svg_check_number(check, element, "x");
    double y = svg_check_number(check, element, "y");
    double width = estimate_width(element->text) * size;
    double centre_x;
    double centre_y;

    double left = x;
    if (strcmp(anchor, "middle") == 0)
        left = x - width / 2;
    else if (strcmp(anchor, "end") == 0)
        left = x - width;
    struct svg_check_box box = {left, y - 0.8 * size, left + width, y + 0.2 * size};

    if (size < 6)
        svg_check_problem(check, "\"%.60s\" cannot be read", element->text);
    if (!transform)
        return box;
    if (sscanf(transform, "rotate(-90 %lf %lf)", &centre_x, &centre_y) != 2 ||
        centre_x != x || centre_y != y)
        svg_check_problem(check, "transform=\"%s\" of \"%.60s\"", transform,
                          element->text);
    return rotate_left(box, x, y);
}

static void
check_label(struct svg_check *check, const struct label *label)
{
    if (label->text[strspn(label->text, " ")] == '\0')
        svg_check_problem(check, "a text of nothing");
    if (!svg_rules_inside(label->box, check->picture, TOUCH))
        svg_check_problem(check, "\"%.60s\" leaves the picture: %g,%g to %g,%g",
                          label->text, label->box.left, label->box.top, label->box.right,
                          label->box.bottom);
    for (int i = 0; i < check->panel_count; i++)
        if (svg_rules_overlap(label->box, check->panels[i], TOUCH) &&
            !svg_rules_inside(label->box, check->panels[i], TOUCH))
            svg_check_problem(check, "\"%.60s\" lies over an edge of panel %d",
                              label->text, i);
}

void
svg_texts_check(struct svg_check *check)
{
    struct label *labels = calloc((size_t)check->xml.count, sizeof(*labels));
    int count = 0;
    assert_non_null(labels);
    for (int i = 0; i < check->xml.count; i++) {
        const struct xml_element *element = &check->xml.elements[i];
        if (!svg_rules_is(element, "text"))
            continue;
        struct label label = {element->text, box_of_text(check, element)};
        check_label(check, &label);
        for (int k = 0; k < count; k++)
            if (svg_rules_overlap(label.box, labels[k].box, TOUCH))
                svg_check_problem(check, "\"%.60s\" at %.0f,%.0f and \"%.60s\" overlap",
                                  labels[k].text, labels[k].box.left,
                                  labels[k].box.bottom, label.text);
        labels[count++] = label;
    }
    free(labels);
}
