#include "target/description.h"

#include "base/units.h"

const char *
description_mode(enum mode mode)
{
    static const char *const modes[] = {
        [MODE_DIRECT] = "direct", [MODE_NOCACHE] = "nocache", [MODE_CACHED] = "cached"};
    return modes[mode];
}

void
description_label(const struct description *description, struct buffer *text)
{
    buffer_format(text, "%s (%s %s ", description->path, description->fstype,
                  description->device);
    units_add(text, UNITS_SIZE, description->size);
    buffer_text(text, ")");
}
