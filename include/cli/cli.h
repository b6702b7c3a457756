#ifndef CLI_CLI_H
#define CLI_CLI_H

#include "base/buffer.h"
#include "base/error.h"
#include "base/units.h"
#include "cli/options.h"

#include <stdbool.h>
#include <stddef.h>

#define CLI_NEEDS 3 /* options of which one may be needed, at most */

enum cli_argument { CLI_NONE, CLI_REQUIRED, CLI_ATTACHED };

/*
 * One option: all that the parser, -h, the man page's test and the shell completions know
 * of it.
 */
struct cli_option {
    enum option_id id;
    char letter; /* 0: none */
    const char *name;
    const char
        *group; /* title of its group in -h; the options of one follow each other */
    int modes;  /* in which it means something: a set of enum cli_mode */
    enum cli_argument argument_kind;
    const char *argument; /* name of the value in -h; NULL: none. Of -h itself the word
                           * that may follow */
    const char *help;     /* its line in -h */
    /* Stores VALUE; returns NULL or why it is refused. NULL: it has none. */
    const char *(*set)(const struct cli_option *option, struct options *options,
                       const char *value);
    size_t offset;                /* of a number or text: its offset in struct options */
    enum units_kind units;        /* of a number */
    int64_t min_value, max_value; /* of a number that is allowed */
    const char *too_large;        /* why a larger one is refused */
    int min_only_modes; /* more modes, in which the smallest number means something */
    int sets_modes;     /* modes that it puts the command line in, */
    int clears_modes;   /* and that it takes it out of, if others put it in */
    const char
        *conflict_reason; /* why others mean nothing in them, if that is not evident */
    const char *needs[CLI_NEEDS]; /* it belongs to one of these, with a word of theirs */
    bool not_in_1_3;              /* than ioping 1.3 */
    bool is_path;                 /* the value is the path of one */
    bool accumulates;             /* given again, it says more */
    char second_letter;   /* another letter for it, which -h does not show; 0: none */
    const char *synonyms; /* words of other tools for it, separated by spaces */
    const char *workload; /* operations that it selects, by their word; NULL: none */
    const char *engine;   /* it selects; its name where the system does not have it */
    /* Adds the values to choose from to TEXT, a line each; one that ends with "=" goes
     * on with a number. NULL: there is no such list. */
    void (*list)(struct buffer *text);
};

/* The option table: OPTION_IDS rows, in the order of -h all. */
extern const struct cli_option cli_options[];

/* Returns the row of an option. */
const struct cli_option *cli_option(enum option_id id);

/*
 * Parse a command line as getopt_long_only(3) would: short options bundle, long ones take
 * one dash or two and may be abbreviated, options may follow the target, "--" ends them.
 * Returns 0, or -1 with ERROR. -h and -v end the parsing, so nothing after them can be
 * refused. Texts in OPTIONS are those of ARGV. Pure: prints nothing, ends nothing.
 */
int cli_parse(int argc, char *const argv[], struct options *options, struct error *error);

/*
 * Returns whether a word of the command line, before a "--", looks like long option ID,
 * whatever stands before it and even if the rest, or a value of it, is wrong.
 */
bool cli_has(int argc, char *const argv[], enum option_id id);

/*
 * Returns the option that the first LENGTH characters of NAME, which has no dashes, name
 * or begin, as the parser takes them; NULL: none, or more than one.
 */
const struct cli_option *cli_find(const char *name, size_t length);

/* Add the usage, which -h prints on one screen, to TEXT; and that with all options, which
 * -h all prints. */
void cli_usage(struct buffer *text);
void cli_usage_all(struct buffer *text);

/* Add the line that -v prints to TEXT. */
void cli_version(struct buffer *text);

#endif
