#ifndef SUPPORT_MIX_H
#define SUPPORT_MIX_H

#include "io/operations.h"

/* Returns the mix of operations that WORD names, or a mix of reads only if WORD is
 * unknown.
 */
static inline struct operation_mix
mix_of(const char *word)
{
    struct operation_mix mix = {0};
    return operation_mix_find(word, &mix) ? mix : (struct operation_mix){0};
}

#endif
