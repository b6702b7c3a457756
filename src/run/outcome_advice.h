#ifndef RUN_OUTCOME_ADVICE_H
#define RUN_OUTCOME_ADVICE_H

#include "run/outcome.h"

/* Returns the number of requests of TOTAL that do not count, without warm-up requests. */
uint64_t outcome_count_ignored(const struct stats *total);

/* Adds to TEXT what the user can do to make ANSWER certain: send N requests, run for a
 * certain time, or, if these are unknown, run longer. If there is no verdict yet, also
 * adds how many requests it takes for any verdict. If the run would have been long enough
 * without an interruption, adds that instead. */
void outcome_add_advice(struct buffer *text, const struct outcome *outcome,
                        const struct slo_answer *answer);

#endif
