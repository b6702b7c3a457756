#ifndef REPORT_COLOR_H
#define REPORT_COLOR_H

#include "base/buffer.h"
#include "cli/color.h"
#include "stats/sample.h"

#include <stdbool.h>

/* What a colour says. */
enum color_tone { TONE_NONE, TONE_SLOW, TONE_FAILED, TONE_CACHED };

/*
 * Whether what goes to a stream is coloured: if it is left open, on a terminal that can
 * do it, and unless the environment has NO_COLOR (https://no-color.org).
 */
bool color_wanted(enum color when, int stream);

/* What is said of a request with this verdict. */
enum color_tone color_of(enum verdict verdict);

/* Adds WORD to TEXT, in the colour of TONE if ON; without one it is just added. */
void color_add(struct buffer *text, bool on, enum color_tone tone, const char *word);

#endif
