#ifndef CLI_COLOR_H
#define CLI_COLOR_H

#include "base/buffer.h"

/* When words are coloured: if a terminal shows them, or whoever reads them. */
enum color { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

/* Reads "always", "never" or "auto". Returns NULL, or why it is refused; then COLOR is
 * untouched. */
const char *color_parse(const char *text, enum color *color);

/* Adds these words to TEXT, a line each. */
void color_list(struct buffer *text);

#endif
