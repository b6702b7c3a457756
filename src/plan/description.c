#include "plan/description.h"

const char *
description_mode(enum mode mode)
{
    static const char *const modes[] = {
        [MODE_DIRECT] = "direct", [MODE_NOCACHE] = "nocache", [MODE_CACHED] = "cached"};
    return modes[mode];
}
