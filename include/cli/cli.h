#ifndef CLI_CLI_H
#define CLI_CLI_H

#include "base/buffer.h"
#include "base/error.h"
#include "base/units.h"
#include "cli/options.h"

#include <stdbool.h>
#include <stddef.h>

/* Whether an option takes a value. */
enum cli_argument {
    CLI_NONE,
    CLI_REQUIRED, /* "-name value", "-name=value", "-xvalue" */
    CLI_ATTACHED, /* optional, and never the next word: "-name=value", "-xvalue" */
};

/*
 * One option: a row of the option table. The parser, the plan, -h, the shell completions
 * and the test of the man page take all that they know about an option from its row.
 */
struct cli_option {
    enum option_id id;
    char letter;       /* short option; 0 if there is none */
    const char *name;  /* long option, without dashes */
    const char *group; /* heading in -h all; the rows of a group are adjacent */
    /* Modes that accept the option: OR-ed enum cli_mode. Other modes refuse the option.
     * plan/checks.c has further rules about options that are given together. */
    int modes;
    enum cli_argument argument_kind;
    /* Placeholder for the value in -h, such as "count"; NULL if the option has no value.
     * In the row of -h itself: the word that may follow it ("all"). */
    const char *argument;
    const char *help; /* description in -h */

    /* Converts VALUE, checks it and stores it in OPTIONS. Returns NULL, or the reason to
     * refuse VALUE. The pointer is NULL if the option only needs to be counted. */
    const char *(*set)(const struct cli_option *option, struct options *options,
                       const char *value);
    size_t offset;         /* where SET stores the value: offset in struct options */
    enum units_kind units; /* kind of unit, if the value is a number */
    int64_t min_value, max_value; /* smallest and largest number that is allowed */
    const char *too_large;        /* message for a number above max_value */

    bool not_in_1_3; /* ioping 1.3 did not have the option */
    bool is_path;    /* the value is the path of a file */
    /* Each further use of the option adds to the first one, as in -W -W or
     * -slo A -slo B. */
    bool accumulates;
    char second_letter;   /* another short option, which -h does not show; 0 if none */
    const char *synonyms; /* names of the option in other tools, separated by spaces */
    /* The operations that the option selects, as a word for operation_mix_find; NULL if
     * it selects none. */
    const char *workload;
    /* The name of the I/O engine that the option selects, for messages on a system that
     * lacks this engine; NULL if the option selects none. */
    const char *engine;
    /* Adds the possible values to TEXT, one per line. If a line ends with "=", a number
     * must follow. The pointer is NULL if the values cannot be listed. */
    void (*list_values)(struct buffer *text);
};

/* The option table: OPTION_IDS rows, in the order of -h all. */
extern const struct cli_option cli_options[];

/* Returns the row of option ID. */
const struct cli_option *cli_option(enum option_id id);

/*
 * Parses a command line into OPTIONS, by the rules of getopt_long_only(3): short options
 * can be bundled; long options have one dash or two, and can be abbreviated; options and
 * targets can be mixed; after "--" all words are targets. Parsing stops at -h or -v, so
 * errors in later words are not found. Returns 0, or -1 with ERROR. OPTIONS points into
 * ARGV afterwards. Prints nothing and does not end the program.
 */
int cli_parse(int argc, char *const argv[], struct options *options, struct error *error);

/*
 * Returns true if a word of the command line, before any "--", is the long option ID or
 * an abbreviation of it. The word counts even if it is the value of another option: this
 * function does not parse, so it also works for a command line that cli_parse refuses.
 */
bool cli_has(int argc, char *const argv[], enum option_id id);

/*
 * Returns the option that the first LENGTH characters of NAME stand for: its long name
 * without dashes, or an abbreviation of it, by the rules of the parser. Returns NULL if
 * no option matches, or if the abbreviation is ambiguous.
 */
const struct cli_option *cli_find(const char *name, size_t length);

/* Adds the text of -h to TEXT: the options that are needed most, on one screen. */
void cli_usage(struct buffer *text);

/* Adds the text of "-h all" to TEXT: all options. */
void cli_usage_all(struct buffer *text);

/* Adds the text of -v, a line, to TEXT. */
void cli_version(struct buffer *text);

#endif
