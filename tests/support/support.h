#ifndef SUPPORT_SUPPORT_H
#define SUPPORT_SUPPORT_H

/* The header of every test: cmocka, commands, conditions, file systems and texts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include <cmocka.h>

#include "command.h"
#include "mounts.h"
#include "needs.h"

/*
 * Copies TEXT with every number (decimals included) as "#" and without the units after
 * it and the verdicts "fast" and "slow", to compare lines whose values are not known.
 * Allocated.
 */
char *masked(const char *text);

/* Returns the process that does the work of a run that was started as PID: its child, or
 * PID itself where there is none. */
pid_t worker_of(pid_t pid);

/* Fails the test unless TEXT contains PART. */
void assert_contains(const char *text, const char *part);

/* Fails the test if TEXT contains PART. */
void assert_lacks(const char *text, const char *part);

/* Fails the test unless TEXT matches an extended regular expression. */
void assert_matches(const char *text, const char *expression);

#endif
