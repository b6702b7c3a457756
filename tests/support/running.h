#ifndef SUPPORT_RUNNING_H
#define SUPPORT_RUNNING_H

/*
 * Pieces of shell commands, for runs in the background that write to the files
 * o and e. The program itself, not the shell's function, so that $! is its number.
 */

/* Emptied before, so that no test waits for what the last one wrote. */
#define FRESH ": >o; : >e; rm -f held; "
/* Nothing is said of requests that a busy machine holds up, unless -hang comes later. */
#define START FRESH "$IOPING_RUNNER \"$IOPING\" -hang 0 "

/* The same with the faults of SCRIPT, see preload/faults.c. */
#define FAULTY(script) \
    "IOPING_SCRIPT=" script " LD_PRELOAD=\"$IOPING_FAULTS\" \"$IOPING\" -hang 0 "

/* Waits until PATTERN stands in FILE. */
#define UNTIL(pattern, file) "until grep -q '" pattern "' " file "; do sleep 0.02; done; "

/* Waits until the call of a "hold" has begun; and lets it go on. */
#define HELD "until test -e held; do sleep 0.02; done; "
#define RELEASE "rm held; "

/* Waits until COUNT requests have their line in file o. */
#define LINES(count) "until [ $(grep -c request= o) = " count " ]; do sleep 0.02; done; "

/*
 * The numbers of the requests that file e has words of and file o has no line for: if the
 * others all have theirs, those that hang. Which number a call has that hangs nobody
 * knows where several workers make them.
 */
#define NAMED                                                                  \
    "named() { sed -n 's/^ioping: request \\([0-9]*\\) has had .*/\\1/p' e | " \
    "sort -nu | while read -r n; do grep -q \"request=$n \" o || echo $n; done; }\n"
#define UNTIL_NAMED(count) \
    "until [ $(named | wc -l) -ge " count " ]; do sleep 0.02; done; "

/* Waits until all threads of $pid wait for something, at some looks in a row: one that
 * waits for a processor does not. */
#define IDLE                                                                  \
    "n=0; while [ $n -lt 5 ]; do n=$((n + 1)); cat /proc/$pid/task/*/status " \
    "2>/dev/null | grep '^State:' | grep -qv '^State:.S' && n=0; sleep 0.02; done; "

/* What must come within some time, after which the program gives up: where a busy machine
 * was late it is tried again, unless the status is this one. */
#define TRY "for try in 1 2 3 4 5; do "
#define AGAIN_UNLESS(status) "[ \"$s\" != " status " ] || break; done; "

/* Waits until $pid has handled the signals that it was sent, and its first thread waits
 * for more; or until it has ended. */
#define HANDLED                                                 \
    "while grep -q -e '^State:.[^SZ]' -e '^ShdPnd:.*[1-9a-f]' " \
    "/proc/$pid/status 2>/dev/null; do sleep 0.02; done; "

/* The signals that end a run, and the status that the shell has for a program that does
 * so: SIGINT leaves it what it was, the others are what the program dies by. */
static const struct ending {
    const char *name;
    int died; /* 0: not by the signal */
} endings[] = {{"INT", 0}, {"TERM", 143}, {"HUP", 129}};

/* Waits for $pid, of which the shell would say that it was terminated. */
#define REAP "wait $pid 2>/dev/null; "

/* A second interrupt, which must not come so soon that it is the same. */
#define INTERRUPT_TWICE \
    "kill -INT $pid; " HANDLED "sleep 0.1; kill -INT $pid 2>/dev/null; "

/* What a slow machine may add under -hang, before a regular expression for the rest. */
#define SLOW "^(ioping: [a-z0-9]+: not ready after [0-9.]+ m?s\n)*"

/* The totals in file o. */
#define TOTALS                                           \
    "sed -nE 's/^([0-9]+ requests completed) .*/\\1/p; " \
    "s/^(generated [0-9]+ requests) .*/\\1/p' o; "

/* The line of a run whose summary is not on a terminal, if points of the grid passed. */
#define MISSED "ioping: [0-9]+ requests? w(as|ere) missed: due, and not sent\n"

/* File e, without that, which depends on how busy the machine is. */
#define SAID "sed '/^ioping: .*[0-9] requests* w[a-z]* missed: /d' e"
#define SAY SAID " >&2; "

#endif
