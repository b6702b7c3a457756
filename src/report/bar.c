#include "bar.h"

void
bar_add(struct buffer *text, int parts, int width, const char *rest, bool utf8)
{
    static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    int whole = parts / bar_parts(utf8), part = parts % bar_parts(utf8);
    for (int i = 0; i < whole; i++)
        buffer_text(text, utf8 ? "█" : "#");
    buffer_text(text, eighths[part]);
    for (int i = whole + (part > 0); i < width; i++)
        buffer_text(text, rest);
}
