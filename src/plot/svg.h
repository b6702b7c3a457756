#ifndef PLOT_SVG_H
#define PLOT_SVG_H

#include "base/buffer.h"

/*
 * The elements of an SVG document (W3C, Scalable Vector Graphics 1.1), which functions
 * add to TEXT. Coordinates are pixels, written with one decimal at the most, 0 for one
 * beyond 10^8; classes are not escaped.
 */

/* The estimated width of a glyph, as a share of the font's size: that of a digit. */
#define SVG_GLYPH 0.65

/* Returns the width of TEXT at the most in a font of SIZE, pixels; characters from U+0800
 * on count twice. */
double svg_width(const char *text, double size);

/* Adds PLAIN as content or as an attribute's value: a byte that is not UTF-8, a control
 * character and whatever XML excludes become U+FFFD. */
void svg_escape(struct buffer *text, const char *plain);

/* Adds PLAIN, not escaped, if it is at most COLUMNS glyphs wide (3 at least), else as
 * much of its beginning and end, with an ellipsis between. */
void svg_shorten(struct buffer *text, const char *plain, int columns);

enum svg_anchor {
    SVG_START,
    SVG_MIDDLE,
    SVG_END,
    SVG_UPWARDS, /* the middle of one that is turned to be read from below */
};

/* Adds PLAIN, escaped, in a font of SIZE; its base line has the anchor at X, Y. */
void svg_text(struct buffer *text, double x, double y, enum svg_anchor anchor, int size,
              const char *class, const char *plain);

/* Adds and frees PLAIN in the same way; if that has failed, TEXT has too. */
void svg_buffer(struct buffer *text, double x, double y, enum svg_anchor anchor, int size,
                const char *class, struct buffer *plain);

/* Adds a rectangle whose upper left corner is X, Y. */
void svg_rect(struct buffer *text, const char *class, double x, double y, double width,
              double height);

/* Adds a circle around X, Y. */
void svg_circle(struct buffer *text, const char *class, double x, double y,
                double radius);

/* Begins a path, to which points and lines are added until svg_end. */
void svg_path(struct buffer *text, const char *class);

/* Moves to X, Y, COMMAND 'M', or draws a line to it, 'L'. */
void svg_point(struct buffer *text, char command, double x, double y);

/* Draws a line to another X alone, COMMAND 'H', or Y, 'V'. */
void svg_line(struct buffer *text, char command, double to);

/* Closes the outline: draws a line back to the latest 'M'. */
void svg_close(struct buffer *text);

/* Ends the path. */
void svg_end(struct buffer *text);

/* Adds a path from X, Y to another X, COMMAND 'H', or Y, 'V'. */
void svg_rule(struct buffer *text, const char *class, double x, double y, char command,
              double to);

#endif
