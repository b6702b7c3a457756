/* Finds the elements of a plot and reads their numbers, paths and boxes. The rules that
 * plots must follow are in svg_rules.c and svg_texts.c. */
#include "svg_check.h"

#include "svg_rules.h"

#include <ctype.h>
#include <math.h>

#define MAX_BYTES 200000 /* a larger document is a problem */

bool
svg_check_has(const struct svg_check *check, const struct xml_element *element,
              const char *class)
{
    const char *list = xml_value(&check->xml, element, "class");
    size_t length = strlen(class);
    if (!list)
        return false;
    while (*list) {
        if (strncmp(list, class, length) == 0 && (list[length] == ' ' || !list[length]))
            return true;
        list += strcspn(list, " ");
        if (*list == ' ')
            list++;
    }
    return false;
}

bool
svg_rules_is(const struct xml_element *element, const char *name)
{
    return strcmp(element->name, name) == 0;
}

const struct xml_element *
svg_check_find(const struct svg_check *check, const char *class, int number)
{
    int found = 0;
    for (int i = 0; i < check->xml.count; i++) {
        if (!svg_check_has(check, &check->xml.elements[i], class))
            continue;
        if (found == number)
            return &check->xml.elements[i];
        found++;
    }
    return NULL;
}

int
svg_check_count(const struct svg_check *check, const char *class)
{
    int count = 0;
    for (int i = 0; i < check->xml.count; i++)
        if (svg_check_has(check, &check->xml.elements[i], class))
            count++;
    return count;
}

static bool
any_text_has(const struct svg_check *check, const char *name, const char *part)
{
    for (int i = 0; i < check->xml.count; i++)
        if (svg_rules_is(&check->xml.elements[i], name) &&
            strstr(check->xml.elements[i].text, part))
            return true;
    return false;
}

bool
svg_check_shows(const struct svg_check *check, const char *part)
{
    return any_text_has(check, "text", part);
}

bool
svg_check_says(const struct svg_check *check, const char *name, const char *part)
{
    return any_text_has(check, name, part);
}

/* Reads a decimal number and moves *AT past it. Returns NAN, and leaves *AT, if there is
 * no plain decimal number. */
static double
read_decimal(const char **at)
{
    size_t length = strspn(*at, "-0123456789.");
    char *end;
    double value = strtod(*at, &end);
    if (length == 0 || end != *at + length || !isdigit((unsigned char)end[-1]))
        return NAN;
    *at = end;
    return value;
}

double
svg_check_number(struct svg_check *check, const struct xml_element *element,
                 const char *name)
{
    const char *text = xml_value(&check->xml, element, name);
    if (!text)
        return 0;
    const char *end = text;
    double value = read_decimal(&end);
    if (!isnan(value) && *end == '\0')
        return value;
    svg_check_problem(check, "<%s %s=\"%s\"> is no number", element->name, name, text);
    return 0;
}

/* Reads one command of a path and moves *AT past it. *LETTER is the command before, and
 * becomes this one: a point without a letter repeats the command. NOW is the point
 * before, and becomes the new point. Returns false for a command that ioping never draws.
 */
static bool
read_command(const char **at, char *letter, struct svg_check_point *now)
{
    *at += strspn(*at, " ");
    now->first = **at == 'M';
    if (isalpha((unsigned char)**at))
        *letter = *(*at)++;
    if (!strchr("MLHVZ", *letter) || *letter == '\0')
        return false;
    if (*letter == 'Z')
        return true;
    *at += strspn(*at, " ");
    if (*letter != 'V')
        now->x = read_decimal(at);
    if (*letter == 'M' || *letter == 'L')
        *at += strspn(*at, " ,");
    if (*letter != 'H')
        now->y = read_decimal(at);
    return !isnan(now->x) && !isnan(now->y);
}

struct svg_check_point *
svg_check_points(struct svg_check *check, const struct xml_element *path, int *count)
{
    const char *text = xml_value(&check->xml, path, "d");
    const char *at = text ? text : "";
    struct svg_check_point *points = calloc(strlen(at) + 1, sizeof(*points));
    struct svg_check_point now = {0};
    char letter = '\0';

    assert_non_null(points);
    *count = 0;
    while (at[strspn(at, " ")]) {
        const char *before = at;
        if (!read_command(&at, &letter, &now) || at == before ||
            (*count == 0 && letter != 'M')) {
            svg_check_problem(check, "path cannot be read: %.40s", before);
            break;
        }
        if (letter != 'Z')
            points[(*count)++] = now;
    }
    if (*count == 0)
        svg_check_problem(check, "path without a point: d=\"%.40s\"", text ? text : "");
    return points;
}

static struct svg_check_box
box_of_path(struct svg_check *check, const struct xml_element *path)
{
    int count;
    struct svg_check_point *points = svg_check_points(check, path, &count);
    struct svg_check_box box = {points[0].x, points[0].y, points[0].x, points[0].y};
    for (int i = 1; i < count; i++) {
        box.left = fmin(box.left, points[i].x);
        box.right = fmax(box.right, points[i].x);
        box.top = fmin(box.top, points[i].y);
        box.bottom = fmax(box.bottom, points[i].y);
    }
    free(points);
    return box;
}

struct svg_check_box
svg_rules_box(double x, double y, double width, double height)
{
    return (struct svg_check_box){x, y, x + width, y + height};
}

struct svg_check_box
svg_check_bounds(struct svg_check *check, const struct xml_element *element)
{
#define NUMBER(name) svg_check_number(check, element, name)
    if (svg_rules_is(element, "path"))
        return box_of_path(check, element);
    if (svg_rules_is(element, "circle"))
        return svg_rules_box(NUMBER("cx") - NUMBER("r"), NUMBER("cy") - NUMBER("r"),
                             2 * NUMBER("r"), 2 * NUMBER("r"));
    if (svg_rules_is(element, "line"))
        return (struct svg_check_box){
            fmin(NUMBER("x1"), NUMBER("x2")), fmin(NUMBER("y1"), NUMBER("y2")),
            fmax(NUMBER("x1"), NUMBER("x2")), fmax(NUMBER("y1"), NUMBER("y2"))};
    if (svg_rules_is(element, "rect"))
        return svg_rules_box(NUMBER("x"), NUMBER("y"), NUMBER("width"), NUMBER("height"));
    return svg_rules_box(NUMBER("x"), NUMBER("y"), 0, 0);
#undef NUMBER
}

const struct xml_element *
svg_check_panel(const struct svg_check *check, const struct xml_element *element)
{
    for (ptrdiff_t i = element - check->xml.elements; i >= 0; i--)
        if (svg_check_has(check, &check->xml.elements[i], "plot"))
            return &check->xml.elements[i];
    return NULL;
}

bool
svg_rules_inside(struct svg_check_box inner, struct svg_check_box outer, double margin)
{
    return inner.left >= outer.left - margin && inner.right <= outer.right + margin &&
           inner.top >= outer.top - margin && inner.bottom <= outer.bottom + margin;
}

bool
svg_rules_overlap(struct svg_check_box a, struct svg_check_box b, double tolerance)
{
    return fmin(a.right, b.right) - fmax(a.left, b.left) > tolerance &&
           fmin(a.bottom, b.bottom) - fmax(a.top, b.top) > tolerance;
}

void
svg_check_begin(struct svg_check *check, const char *bytes, size_t length)
{
    *check = (struct svg_check){0};
    if (length >= MAX_BYTES)
        svg_check_problem(check, "%zu bytes", length);
    if (xml_read(&check->xml, bytes, length) < 0) {
        svg_check_problem(check, "%s", check->xml.why);
        xml_free(&check->xml);
        return;
    }
    svg_rules_check(check);
    svg_texts_check(check);
}

void
svg_check_end(struct svg_check *check)
{
    xml_free(&check->xml);
    buffer_free(&check->problems);
}
