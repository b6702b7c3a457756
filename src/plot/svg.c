/*
 * Writes SVG elements. The program does not know the fonts of the viewer, so it cannot
 * measure a text. It estimates the width of a text from the number of characters.
 */
#include "svg.h"

#include <math.h>
#include <string.h>

#define ELLIPSIS "\xe2\x80\xa6" /* the character U+2026, in UTF-8 */

/* Returns how many columns CHARACTER may take: 2 if it may be wide, else 1. All wide
 * characters have at least three bytes in UTF-8. */
static int
character_columns(const struct escape_character *character)
{
    return character->length >= 3 ? 2 : 1;
}

/* Returns the largest number of columns that PLAIN, a text that is not escaped, may take.
 * A column has the width of a narrow character. */
static int
count_columns(const char *plain)
{
    struct escape_character character;
    int columns = 0;

    while (escape_next(&plain, &character))
        columns += character_columns(&character);

    return columns;
}

double
svg_width(const char *text, double size)
{
    return SVG_GLYPH * size * count_columns(text);
}

void
svg_escape(struct buffer *text, const char *plain)
{
    static const char special[] = "<>&\"'";
    static const char *const entities[] = {"&lt;", "&gt;", "&amp;", "&quot;", "&#39;"};
    struct escape_character character;

    while (escape_next(&plain, &character)) {
        const char *found =
            character.length == 1 ? strchr(special, *character.bytes) : NULL;

        /* XML 1.0, section 2.2, forbids U+FFFE, U+FFFF and most C0 control characters,
         * and discourages DEL and C1. It allows bidirectional controls. They are replaced
         * too, because they would change the order in which a reader sees the characters
         * of a name. */
        if (character.kind != ESCAPE_PLAIN || character.code == 0xfffe ||
            character.code == 0xffff)
            buffer_text(text, ESCAPE_REPLACEMENT);
        else if (found)
            buffer_text(text, entities[found - special]);
        else
            buffer_add(text, character.bytes, character.length);
    }
}

void
svg_shorten(struct buffer *text, const char *plain, int columns)
{
    struct escape_character character;
    int plain_columns = count_columns(plain);
    int head_columns = 0; /* columns of the text before the ellipsis */
    int max_head_columns = (columns - 2) / 2;

    if (plain_columns <= columns) {
        buffer_text(text, plain);
        return;
    }

    const char *rest = plain;
    while (escape_next(&rest, &character) &&
           head_columns + character_columns(&character) <= max_head_columns)
        head_columns += character_columns(&character);

    rest = character.bytes; /* the first character that does not fit */
    buffer_add(text, plain, (size_t)(rest - plain));
    buffer_text(text, ELLIPSIS);

    /* Two columns are reserved for the ellipsis, because it takes three bytes. */
    int rest_columns = plain_columns - head_columns;
    int max_tail_columns = columns - 2 - head_columns;
    while (rest_columns > max_tail_columns) {
        escape_next(&rest, &character);
        rest_columns -= character_columns(&character);
    }

    buffer_text(text, rest);
}

/* The printf format of a number that round_to_tenths returned. A number below 10^8 with
 * one decimal has at most 9 digits, so no digit is lost. */
#define NUMBER "%.10g"

/* Returns NUMBER rounded to one decimal. Returns 0 if NUMBER is not between -10^8 and
 * 10^8. */
static double
round_to_tenths(double number)
{
    bool is_in_range = number > -1e8 && number < 1e8;
    if (!is_in_range)
        return 0;

    /* Adding 0.0 turns -0 into 0. */
    return floor(number * 10 + 0.5) / 10 + 0.0;
}

void
svg_text(struct buffer *text, double x, double y, enum svg_anchor anchor, int size,
         const char *class, const char *plain)
{
    static const char *const anchors[] = {"", "middle", "end"};

    buffer_format(text,
                  "<text class=\"%s\" x=\"" NUMBER "\" y=\"" NUMBER "\" font-size=\"%d\"",
                  class, round_to_tenths(x), round_to_tenths(y), size);
    if (anchor != SVG_START)
        buffer_format(text, " text-anchor=\"%s\"", anchors[anchor]);

    buffer_text(text, ">");
    svg_escape(text, plain);
    buffer_text(text, "</text>\n");
}

void
svg_buffer(struct buffer *text, double x, double y, enum svg_anchor anchor, int size,
           const char *class, struct buffer *plain)
{
    text->failed |= plain->failed;
    if (!plain->failed)
        svg_text(text, x, y, anchor, size, class, plain->text);
    buffer_free(plain);
}

void
svg_rect(struct buffer *text, const char *class, double x, double y, double width,
         double height)
{
    buffer_format(text, "<rect class=\"%s\" x=\"" NUMBER "\" y=\"" NUMBER "\"", class,
                  round_to_tenths(x), round_to_tenths(y));
    buffer_format(text, " width=\"" NUMBER "\" height=\"" NUMBER "\"/>\n",
                  round_to_tenths(width), round_to_tenths(height));
}

void
svg_circle(struct buffer *text, const char *class, double x, double y, double radius)
{
    buffer_format(text,
                  "<circle class=\"%s\" cx=\"" NUMBER "\" cy=\"" NUMBER "\" r=\"" NUMBER
                  "\"/>\n",
                  class, round_to_tenths(x), round_to_tenths(y), round_to_tenths(radius));
}

void
svg_path(struct buffer *text, const char *class)
{
    buffer_format(text, "<path class=\"%s\" d=\"", class);
}

void
svg_point(struct buffer *text, char command, double x, double y)
{
    buffer_format(text, "%c" NUMBER "," NUMBER, command, round_to_tenths(x),
                  round_to_tenths(y));
}

void
svg_line(struct buffer *text, char command, double to)
{
    buffer_format(text, "%c" NUMBER, command, round_to_tenths(to));
}

void
svg_close(struct buffer *text)
{
    buffer_text(text, "Z");
}

void
svg_end(struct buffer *text)
{
    buffer_text(text, "\"/>\n");
}

void
svg_rule(struct buffer *text, const char *class, double x, double y, char command,
         double to)
{
    svg_path(text, class);
    svg_point(text, 'M', x, y);
    svg_line(text, command, to);
    svg_end(text);
}
