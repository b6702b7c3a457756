#ifndef PLOT_SVG_H
#define PLOT_SVG_H

#include "base/buffer.h"

/*
 * Functions that add the elements of an SVG document (W3C, Scalable Vector Graphics 1.1)
 * to TEXT. Coordinates and lengths are in pixels, y grows downwards, and numbers are
 * written with at most one decimal; a number of 10^8 or more is written as 0. CLASS is
 * the class attribute of the element, and is not escaped. If memory runs out,
 * TEXT->failed becomes true.
 */

/* The estimated width of a character, as a fraction of the font size. It is about the
 * width of a digit in a wide font, so for most texts the estimate is too high. */
#define SVG_GLYPH 0.65

/* Returns an estimate of the width of TEXT in pixels, in a font of SIZE pixels. For most
 * texts, the estimate is too high. Characters from U+0800 on count as two, because some
 * of their scripts have wide glyphs. */
double svg_width(const char *text, double size);

/*
 * Adds PLAIN, escaped so that it can be the content of an element or the value of an
 * attribute. Bytes that are not UTF-8, control characters, and characters that XML does
 * not allow become U+FFFD.
 */
void svg_escape(struct buffer *text, const char *plain);

/*
 * Adds PLAIN, not escaped. If PLAIN is wider than COLUMNS characters, an ellipsis
 * replaces its middle. Characters from U+0800 on count as two. COLUMNS must be at least
 * 3.
 */
void svg_shorten(struct buffer *text, const char *plain, int columns);

/* Which point of a text is at the position X, Y: the start, middle or end of its base
 * line. */
enum svg_anchor {
    SVG_START,
    SVG_MIDDLE,
    SVG_END,
};

/* Adds the text PLAIN, escaped, in a font of SIZE pixels. The point ANCHOR of the text is
 * at X, Y. */
void svg_text(struct buffer *text, double x, double y, enum svg_anchor anchor, int size,
              const char *class, const char *plain);

/*
 * Adds the text in PLAIN, as svg_text does, and frees PLAIN. If PLAIN->failed is true,
 * adds no text, and sets TEXT->failed.
 */
void svg_buffer(struct buffer *text, double x, double y, enum svg_anchor anchor, int size,
                const char *class, struct buffer *plain);

/* Adds a rectangle whose upper left corner is X, Y. */
void svg_rect(struct buffer *text, const char *class, double x, double y, double width,
              double height);

/* Adds a circle with the centre X, Y. */
void svg_circle(struct buffer *text, const char *class, double x, double y,
                double radius);

/* Begins a path. svg_point, svg_line and svg_close add to the path; svg_end ends it. */
void svg_path(struct buffer *text, const char *class);

/* Continues the path: moves to X, Y without drawing (COMMAND 'M'), or draws a line to X,
 * Y (COMMAND 'L'). */
void svg_point(struct buffer *text, char command, double x, double y);

/* Continues the path: draws a horizontal line to x = TO (COMMAND 'H'), or a vertical line
 * to y = TO (COMMAND 'V'). */
void svg_line(struct buffer *text, char command, double to);

/* Continues the path: draws a line back to the point of the last 'M', so that the path is
 * a closed outline. */
void svg_close(struct buffer *text);

/* Ends the path. */
void svg_end(struct buffer *text);

/* Adds a path with a single line: a horizontal line from X, Y to x = TO (COMMAND 'H'), or
 * a vertical line from X, Y to y = TO (COMMAND 'V'). */
void svg_rule(struct buffer *text, const char *class, double x, double y, char command,
              double to);

#endif
