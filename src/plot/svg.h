#ifndef PLOT_SVG_H
#define PLOT_SVG_H

#include "base/buffer.h"

/*
 * The elements of an SVG document (W3C, Scalable Vector Graphics 1.1) and the
 * one place where text is escaped for XML. Coordinates are pixels, written with
 * one decimal at the most; classes and ids are taken as they are.
 */

/* A glyph is taken to be so wide, as a share of the font's size: a digit is, nearly. */
#define SVG_GLYPH 0.65

/* How wide TEXT is at the most in a font of SIZE, pixels; from U+0800 on they count
 * twice. */
double svg_width(const char *text, double size);

/*
 * Adds TEXT for content or an attribute's value: what is not well-formed UTF-8, no
 * character of XML, or a control character becomes U+FFFD.
 */
void svg_escape(struct buffer *text, const char *plain);

/*
 * Adds PLAIN, not escaped, if it is at most COLUMNS glyphs wide (3 at least), else
 * its begin and its end with an ellipsis between, as wide as that.
 */
void svg_shorten(struct buffer *text, const char *plain, int columns);

/* Adds a number. */
void svg_number(struct buffer *text, double number);

enum svg_anchor { SVG_START, SVG_MIDDLE, SVG_END };

/* Where and how a text stands: X, Y is the anchor on its base line. */
struct svg_font {
    enum svg_anchor anchor;
    int size;
    const char *class;
    bool upwards; /* turned by 90 degrees, to be read from below */
};

void svg_text(struct buffer *text, double x, double y, const struct svg_font *font,
              const char *plain);

void svg_rect(struct buffer *text, const char *class, double x, double y, double width,
              double height);

void svg_circle(struct buffer *text, const char *class, double x, double y,
                double radius);

/* A path: begun, then any of the points, then ended. COMMAND is 'M' or 'L'. */
void svg_path(struct buffer *text, const char *class);
void svg_point(struct buffer *text, char command, double x, double y);
/* To X or Y alone, COMMAND 'H' or 'V'. */
void svg_line(struct buffer *text, char command, double to);
void svg_close(struct buffer *text); /* back to where it began */
void svg_end(struct buffer *text);

#endif
