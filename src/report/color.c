#include "report/color.h"

#include "os/output.h"

#include <stdlib.h>

/* Select Graphic Rendition, ECMA-48 8.3.117: foreground colours, which all palettes
 * have, and back to the default. */
static const char *const starts[] = {
    [TONE_NONE] = "",
    [TONE_SLOW] = "\033[33m",   /* yellow */
    [TONE_FAILED] = "\033[31m", /* red */
    [TONE_CACHED] = "\033[35m", /* magenta */
};
static const char stop[] = "\033[0m";

static const enum color_tone tones[] = {
    [VERDICT_WARMUP] = TONE_NONE,   [VERDICT_TOO_FAST] = TONE_NONE,
    [VERDICT_TOO_SLOW] = TONE_NONE, [VERDICT_STOPPED] = TONE_NONE,
    [VERDICT_CACHED] = TONE_CACHED, [VERDICT_SHORT] = TONE_FAILED,
    [VERDICT_ERROR] = TONE_FAILED,  [VERDICT_NONE] = TONE_NONE,
    [VERDICT_FAST] = TONE_NONE,     [VERDICT_SLOW] = TONE_SLOW,
};

bool
color_wanted(enum color when, int stream)
{
    const char *without = getenv("NO_COLOR");
    if (when != COLOR_AUTO)
        return when == COLOR_ALWAYS;
    return !(without && without[0]) && os_stream_terminal(stream) && !os_terminal_dumb();
}

enum color_tone
color_of(enum verdict verdict)
{
    return tones[verdict];
}

void
color_add(struct buffer *text, bool on, enum color_tone tone, const char *word)
{
    bool colored = on && tone != TONE_NONE;
    buffer_text(text, colored ? starts[tone] : "");
    buffer_text(text, word);
    buffer_text(text, colored ? stop : "");
}
