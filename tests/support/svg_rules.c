/* The rules for elements, panels and data. A plot refers to no other document, has a
 * title and a description, and keeps its data inside its panels. */
#include "svg_rules.h"

#define ROUNDING 0.15 /* largest error of a coordinate, which has one decimal */
#define STROKE 0.6    /* half the width of a line */
#define EDGE 10.0     /* height of the marks on the edge of a panel */

/* Adds a problem if TEXT, found at WHERE, runs a script or refers to another document. */
static void
check_references(struct svg_check *check, const char *where, const char *text)
{
    static const char *const bad[] = {"@import", "javascript:", "data:", "://"};
    for (size_t i = 0; i < LENGTH(bad); i++)
        if (strstr(text, bad[i]))
            svg_check_problem(check, "%s has %s", where, bad[i]);
    for (const char *at = text; (at = strstr(at, "url(")); at += 4)
        if (at[4] != '#')
            svg_check_problem(check, "%s refers to %.40s", where, at);
}

/* Returns the first element whose id is the text ID of LENGTH bytes, or NULL. */
static const struct xml_element *
find_id(const struct svg_check *check, const char *id, size_t length)
{
    for (int i = 0; i < check->xml.count; i++) {
        const char *value = xml_value(&check->xml, &check->xml.elements[i], "id");
        if (value && strncmp(value, id, length) == 0 && value[length] == '\0')
            return &check->xml.elements[i];
    }
    return NULL;
}

static void
check_attribute(struct svg_check *check, const struct xml_element *element,
                const struct xml_attribute *attribute)
{
    const char *name = attribute->name;
    const char *value = attribute->value;
    if (strncmp(name, "on", 2) == 0) /* an event handler, such as onload */
        svg_check_problem(check, "<%s> has %s", element->name, name);
    if (strcmp(name, "id") == 0 && find_id(check, value, strlen(value)) != element)
        svg_check_problem(check, "id %s twice", value);
    if (strstr(name, "href") &&
        (value[0] != '#' || !find_id(check, value + 1, strlen(value + 1))))
        svg_check_problem(check, "<%s> refers to %s", element->name, value);
    if (strcmp(name, "transform") == 0 && !svg_rules_is(element, "text"))
        svg_check_problem(check, "<%s> is transformed", element->name);
    if (strncmp(name, "xmlns", 5) != 0)
        check_references(check, name, value);
    const char *local = strstr(value, "url(#");
    if (local && !find_id(check, local + 5, strcspn(local + 5, ")")))
        svg_check_problem(check, "%s=\"%s\" refers to nothing", name, value);
}

static void
check_elements(struct svg_check *check)
{
    static const char known[] = " svg title desc style defs g symbol clipPath pattern "
                                "rect circle line path use text ";
    for (int i = 0; i < check->xml.count; i++) {
        const struct xml_element *element = &check->xml.elements[i];
        char name[64];
        snprintf(name, sizeof(name), " %s ", element->name);
        if (!strstr(known, name))
            svg_check_problem(check, "<%s> in a picture", element->name);
        if (svg_rules_is(element, "style"))
            check_references(check, "style", element->text);
        for (int k = 0; k < element->attribute_count; k++)
            check_attribute(check, element,
                            &check->xml.attributes[element->first_attribute + k]);
    }
}

/* The root must have a title and a description for screen readers. They are its first two
 * children, and its attribute aria-labelledby refers to them. */
static void
check_accessible_names(struct svg_check *check, const struct xml_element *root)
{
    static const char *const names[] = {"title", "desc"};
    int last = check->xml.count - 1;
    const char *ids = xml_value(&check->xml, root, "aria-labelledby");
    const char *role = xml_value(&check->xml, root, "role");
    if (!role || strcmp(role, "img") != 0 || !ids)
        svg_check_problem(check, "no role=\"img\" with aria-labelledby");

    while (ids && *ids) {
        size_t length = strcspn(ids, " ");
        if (!find_id(check, ids, length))
            svg_check_problem(check, "aria-labelledby names nothing: %s", ids);
        ids += length;
        ids += strspn(ids, " ");
    }

    for (int i = 0; i < 2; i++) {
        const struct xml_element *element = &check->xml.elements[i < last ? i + 1 : 0];
        if (!svg_rules_is(element, names[i]) || element->parent != 0)
            svg_check_problem(check, "<%s> is not child %d", names[i], i + 1);
        else if (element->text[strspn(element->text, " \n")] == '\0')
            svg_check_problem(check, "<%s> says nothing", names[i]);
    }
}

static void
check_root(struct svg_check *check)
{
    const struct xml_element *root = &check->xml.elements[0];
    const char *xmlns = xml_value(&check->xml, root, "xmlns");
    const char *box = xml_value(&check->xml, root, "viewBox");
    char expected[64];
    if (!svg_rules_is(root, "svg") || !xmlns ||
        strcmp(xmlns, "http://www.w3.org/2000/svg") != 0)
        svg_check_problem(check, "the root is not an <svg>");
    check->picture = svg_rules_box(0, 0, svg_check_number(check, root, "width"),
                                   svg_check_number(check, root, "height"));
    snprintf(expected, sizeof(expected), "0 0 %g %g", check->picture.right,
             check->picture.bottom);
    if (!box || strcmp(box, expected) != 0)
        svg_check_problem(check, "viewBox %s, not %s", box ? box : "", expected);
    check_accessible_names(check, root);
}

/* Finds the panels, which must lie inside the picture and must not overlap. */
static void
check_panels(struct svg_check *check)
{
    int count = 0;
    for (;; count++) {
        const struct xml_element *panel = svg_check_find(check, "plot", count);
        if (!panel)
            break;
        struct svg_check_box box = svg_check_bounds(check, panel);
        if (count == SVG_CHECK_PANELS || !svg_rules_is(panel, "rect") ||
            !svg_rules_inside(box, check->picture, 0) || box.right - box.left < 20 ||
            box.bottom - box.top < 20) {
            svg_check_problem(check, "panel %d is not one", count);
            break;
        }
        for (int i = 0; i < count; i++)
            if (svg_rules_overlap(box, check->panels[i], 0))
                svg_check_problem(check, "panels %d and %d overlap", i, count);
        check->panels[count] = box;
    }
    check->panel_count = count;
}

/* A mark for a failed or missed request must stand on the lower edge of its panel. */
static void
check_is_on_edge(struct svg_check *check, const char *class, struct svg_check_box box,
                 struct svg_check_box panel)
{
    double x = (box.left + box.right) / 2;
    if (x < panel.left - ROUNDING || x > panel.right + ROUNDING ||
        box.bottom < panel.bottom - EDGE || box.top > panel.bottom + EDGE)
        svg_check_problem(check, "%s at %g,%g is not on the edge of its panel", class, x,
                          box.bottom);
}

/* An element with data must lie inside PANEL, the box of its panel. */
static void
check_is_in_panel(struct svg_check *check, const char *class,
                  const struct xml_element *element, struct svg_check_box panel)
{
    struct svg_check_box box = svg_check_bounds(check, element);
    double margin = STROKE;
    if (strcmp(class, "fail") == 0 || strcmp(class, "missed") == 0) {
        check_is_on_edge(check, class, box, panel);
        return;
    }
    /* A mark is allowed to leave the panel as long as its centre is inside. */
    if (svg_rules_is(element, "circle") || svg_rules_is(element, "use"))
        margin = ROUNDING + (box.right - box.left) / 2;
    if (!svg_rules_inside(box, panel, margin))
        svg_check_problem(check, "%s at %g,%g to %g,%g leaves its panel", class, box.left,
                          box.top, box.right, box.bottom);
}

/* Returns the class that says that ELEMENT shows data, or NULL if it shows no data. */
static const char *
data_class(const struct svg_check *check, const struct xml_element *element)
{
    static const char *const classes[] = {"mark", "fail", "missed", "bar",
                                          "band", "part", "mean",   "p50",
                                          "p99",  "max",  "outline"};
    if (!xml_value(&check->xml, element, "class") || svg_rules_is(element, "text"))
        return NULL;
    for (size_t i = 0; i < LENGTH(classes); i++)
        if (svg_check_has(check, element, classes[i]))
            return classes[i];
    return NULL;
}

static void
check_data(struct svg_check *check)
{
    int panel = -1;
    for (int i = 0; i < check->xml.count; i++) {
        const struct xml_element *element = &check->xml.elements[i];
        const char *class = data_class(check, element);
        if (svg_check_has(check, element, "plot"))
            panel++;
        if (class && panel < 0)
            svg_check_problem(check, "%s without a panel", class);
        else if (class && panel < check->panel_count)
            check_is_in_panel(check, class, element, check->panels[panel]);
    }
}

void
svg_rules_check(struct svg_check *check)
{
    check_root(check);
    check_elements(check);
    check_panels(check);
    check_data(check);
}
