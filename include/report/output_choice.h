#ifndef REPORT_OUTPUT_CHOICE_H
#define REPORT_OUTPUT_CHOICE_H

struct error;
struct options;
struct plan;

/* Chooses the outputs that OPTIONS ask for, and stores them in PLAN. All other members of
 * PLAN must be set already. Returns 0. Returns -1 with ERROR if two outputs have the same
 * file, if the file of an output is a target, or if options of outputs cannot be
 * combined. */
int outputs_choose(const struct options *options, struct plan *plan, struct error *error);

#endif
