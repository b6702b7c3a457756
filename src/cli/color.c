#include "cli/color.h"

#include <stddef.h>
#include <string.h>

static const char *const names[] = {
    [COLOR_AUTO] = "auto", [COLOR_ALWAYS] = "always", [COLOR_NEVER] = "never"};

const char *
color_parse(const char *text, enum color *color)
{
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strcmp(text, names[i]) != 0)
            continue;
        *color = (enum color)i;
        return NULL;
    }
    return "neither always, never nor auto";
}

void
color_list(struct buffer *text)
{
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        buffer_format(text, "%s\n", names[i]);
}
