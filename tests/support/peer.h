#ifndef SUPPORT_PEER_H
#define SUPPORT_PEER_H

/* The peer, ioping 1.3, for tests that compare the program with it. */
#include "support.h"

/* The command words of both. */
#define PEER "/usr/bin/ioping"
#define OURS "$IOPING_RUNNER \"$IOPING\""

/* Skips the test unless the peer is installed and can be compared with. */
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
