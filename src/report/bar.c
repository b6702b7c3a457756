#include "bar.h"

void
bar_add(struct buffer *text, int jobs, int width, const char *rest, bool utf8)
{
    static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    int whole = jobs / bar_parts(utf8), job = jobs % bar_parts(utf8);
    for (int i = 0; i < whole; i++)
        buffer_text(text, utf8 ? "█" : "#");
    buffer_text(text, eighths[job]);
    for (int i = whole + (job > 0); i < width; i++)
        buffer_text(text, rest);
}
