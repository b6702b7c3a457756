#include "stats/sample.h"

#include "base/error.h"

#include <stddef.h>

static const char *const words[] = {
    [VERDICT_WARMUP] = "warmup",     [VERDICT_TOO_FAST] = "too fast",
    [VERDICT_TOO_SLOW] = "too slow", [VERDICT_CACHED] = "cached",
    [VERDICT_STOPPED] = "stopped",   [VERDICT_SHORT] = "short",
    [VERDICT_FAST] = "fast",         [VERDICT_SLOW] = "slow",
    [VERDICT_NONE] = NULL,
};

const char *
sample_notice(const struct sample *sample, char *buffer)
{
    if (sample->verdict == VERDICT_ERROR)
        return error_name(sample->error, buffer);
    return words[sample->verdict];
}
