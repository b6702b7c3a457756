#ifndef REPORT_MESSAGES_H
#define REPORT_MESSAGES_H

#include "base/error.h"

#include <stdint.h>

struct job;
struct report;
struct reports;

/*
 * Messages on stderr while there are reports. They do not mix with the status line and
 * the live screen: the status line is erased before a message is written, and while the
 * live screen is open, messages are saved until it is hidden. Messages for a stderr that
 * is no terminal are always written at once.
 */

/* Writes or saves NOTES, and empties them. */
void messages_write_notes(struct reports *reports, struct notes *notes);

/* Lets the live screen begin with NOTE, a line that is on stderr, if the screen hides
 * it. */
void messages_early_note(struct reports *reports, const char *note);

/* Writes a note if the target of JOB could not be named. */
void messages_note_unnamed(struct reports *reports, const struct job *job);

/* Writes all waiting notes of REPORTS, and then a note for each printed output that has
 * failed. A failure that was noted by an earlier call is not noted again. */
void messages_note_failures(struct reports *reports);

/* Returns the name of the output of REPORT for messages. */
const char *messages_output_name(const struct report *report);

/* The functions `interim`, `hang` and `fail` of struct run_observer. SELF are the
 * reports. */
void messages_interim(void *self, const struct job *job);
void messages_hang(void *self, const struct job *job, uint64_t index, int64_t waited);
void messages_fail(void *self, const struct job *job);

/* Ends the line in which the terminal shows ^C, so that remarks start on a line of their
 * own. The status line needs no newline: erasing it removes the ^C too. The live screen
 * does not show ^C. */
void messages_leave_interrupted_line(const struct reports *reports);

#endif
