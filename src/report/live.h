#ifndef REPORT_LIVE_H
#define REPORT_LIVE_H

#include "base/error.h"

#include <stdbool.h>

struct plan;

/*
 * The live screen (-live): fills the terminal while a run goes on. The supervisor's
 * thread draws it on ticks, and reads the keys then.
 *
 * While the screen is open, nothing else may write to the terminal. Messages are saved,
 * and the newest one is on the screen. live_hide writes all of them to stderr.
 */
struct live;

#define LIVE_INTERVAL (100 * MS) /* time from one tick to the next, in ns */

/* Opens the terminal for the screen. Called before the process splits in two. Returns 0,
 * or -1 with ERROR. */
int live_prepare(struct error *error);

/* Makes the screen of a run of PLAN. Nothing is drawn yet. Returns NULL if memory is
 * short: the run then has no screen. The caller frees the screen with live_close. */
struct live *live_open(const struct plan *plan);

/* Returns true from live_open until live_hide. LIVE may be NULL. */
bool live_is_open(const struct live *live);

/* Makes the last line of TEXT, a message of whole lines, the message on the screen, until
 * another message replaces it. */
void live_show(struct live *live, const char *text);

/* Shows TEXT, as live_show does, and saves it until the screen is hidden. */
void live_save(struct live *live, const char *text);

/* Saves NOTES, as live_save does, and empties them. */
void live_save_notes(struct live *live, struct notes *notes);

/* Restores the terminal, and writes the messages that were saved to stderr. Does nothing
 * if that was done already. LIVE may be NULL. */
void live_hide(struct live *live);

/* Does what live_hide does, and frees LIVE, which may be NULL. */
void live_close(struct live *live);

#endif
