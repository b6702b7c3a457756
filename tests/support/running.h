#ifndef SUPPORT_RUNNING_H
#define SUPPORT_RUNNING_H

/*
 * Pieces of shell commands, for runs in the background that write to the files
 * o and e. The program itself, not the shell's function, so that $! is its number.
 */

/* Emptied before, so that no test waits for what the last one wrote. */
#define FRESH ": >o; : >e; "
#define START FRESH "$IOPING_RUNNER \"$IOPING\" "

/* With the faults of SCRIPT, see preload/faults.c. */
#define FAULTY(script) \
    "IOPING_SCRIPT=" script " LD_PRELOAD=\"$IOPING_FAULTS\" \"$IOPING\" "

/* Waits until PATTERN stands in FILE. */
#define UNTIL(pattern, file) "until grep -q '" pattern "' " file "; do sleep 0.02; done; "

/* Waits until the call of a "hold" has begun; and lets it go on. */
#define HELD "until test -e held; do sleep 0.02; done; "
#define RELEASE "rm held; "

/* Waits until $pid has handled the signals that it was sent, and its first thread waits
 * for more. */
#define HANDLED                                   \
    "until grep -q '^State:.S' /proc/$pid/status" \
    " && grep -q '^ShdPnd:.0*$' /proc/$pid/status; do sleep 0.02; done; "

/* A second interrupt, which must not come so soon that it is the same. */
#define INTERRUPT_TWICE "kill -INT $pid; " HANDLED "sleep 0.1; kill -INT $pid; "

/* The totals in file o, without what depends on how busy the machine is. */
#define TOTALS                                                               \
    "sed -nE 's/^([0-9]+ requests completed) .*/\\1/p; "                     \
    "s/^([0-9]+ failed, )?([0-9]+ missed, )?(generated [0-9]+ requests) .*/" \
    "\\1\\3/p' o; "

#endif
