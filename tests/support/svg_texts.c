/* The rules of drawn texts: each is large enough, lies in the picture, and overlaps no
 * other text and no edge of a panel. */
#include "svg_rules.h"

#define TOUCH 0.5 /* units by which texts may overlap */

struct label {
    const char *text;
    struct svg_check_box box;
};

/*
 * Estimates a width in em: 0.6 for a character, as in a monospaced font; 1 for a wide one
 * of East Asia (roughly the blocks of https://www.unicode.org/reports/tr11/).
 */
static double
estimate_width(const char *text)
{
    double width = 0;
    for (const unsigned char *at = (const unsigned char *)text; *at; at++) {
        bool wide = (*at >= 0xe3 && *at <= 0xed) || *at >= 0xf0;
        width += (*at & 0xc0) == 0x80 ? 0 : wide ? 1 : 0.6;
    }
    return width;
}

/* Returns the attribute of the element or of its nearest ancestor that has it, or "". */
static const char *
inherited(const struct svg_check *check, const struct xml_element *element,
          const char *name)
{
    for (;;) {
        const char *value = xml_value(&check->xml, element, name);
        if (value || element->parent < 0)
            return value ? value : "";
        element = &check->xml.elements[element->parent];
    }
}

/* Turns a box by a quarter to the left around X,Y. */
static struct svg_check_box
turn(struct svg_check_box box, double x, double y)
{
    return (struct svg_check_box){x + (box.top - y), y - (box.right - x),
                                  x + (box.bottom - y), y - (box.left - x)};
}

static struct svg_check_box
box_of_text(struct svg_check *check, const struct xml_element *element)
{
    double size = atof(inherited(check, element, "font-size"));
    const char *anchor = inherited(check, element, "text-anchor");
    const char *transform = xml_value(&check->xml, element, "transform");
    double x = svg_check_number(check, element, "x"), turned_x;
    double y = svg_check_number(check, element, "y"), turned_y;
    double width = estimate_width(element->text) * size;
    double left = strcmp(anchor, "middle") == 0 ? x - width / 2
                  : strcmp(anchor, "end") == 0  ? x - width
                                                : x;
    struct svg_check_box box = {left, y - 0.8 * size, left + width, y + 0.2 * size};
    if (size < 6)
        svg_check_problem(check, "\"%.60s\" cannot be read", element->text);
    if (!transform)
        return box;
    if (sscanf(transform, "rotate(-90 %lf %lf)", &turned_x, &turned_y) != 2 ||
        turned_x != x || turned_y != y)
        svg_check_problem(check, "transform=\"%s\" of \"%.60s\"", transform,
                          element->text);
    return turn(box, x, y);
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
