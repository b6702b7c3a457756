#ifndef SUPPORT_PEER_H
#define SUPPORT_PEER_H

/* For tests that compare the program with the peer: the original ioping, version 1.3. */
#include "support.h"

/* The commands that run the peer and the tested program. */
#define PEER "/usr/bin/ioping"
#define OURS "$IOPING_RUNNER \"$IOPING\""

/* Skips the test if the peer is not installed, or its output cannot be compared here. */
static inline void
need_peer(void)
{
    const char *runner = getenv("IOPING_RUNNER");
    if (runner && runner[0])
        skip_because(
            "the comparison with ioping 1.3 takes too long under another program");
    struct result result = command(PEER " -v 2>&1; stat -f -c %%T .");
    bool found = strncmp(result.out, "ioping 1.3\n", 11) == 0;
    bool labels = !strstr(result.out, "btrfs");
    command_free(&result);
    if (!found)
        skip_because("needs ioping 1.3 as " PEER);
    if (!labels)
        skip_because("ioping 1.3 labels btrfs wrongly");
}

#endif
