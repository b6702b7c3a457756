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
    char letter;       /* short option; 0 if none */
    const char *name;  /* long option, without dashes */
    const char *group; /* heading of its group in -h all; a group's rows are adjacent */
    int modes;         /* modes in which the option has a meaning: OR-ed enum cli_mode;
                        * plan/checks.c has further conditions */
    enum cli_argument argument_kind;
    const char *argument; /* placeholder in -h, such as "count", or NULL; for -h itself,
                           * the optional word ("all") */
    const char *help;     /* its description in -h */
    /* Converts VALUE and stores it in OPTIONS. Returns NULL, or the reason to refuse the
     * value. NULL for an option that needs only to be counted. */
    const char *(*set)(const struct cli_option *option, struct options *options,
                       const char *value);
    size_t offset;         /* offset in struct options of the value that SET stores */
    enum units_kind units; /* of a number */
    int64_t min_value, max_value; /* smallest and largest number allowed */
    const char *too_large;        /* message for a number above max_value */

    bool not_in_1_3;      /* the option is newer than ioping 1.3 */
    bool is_path;         /* the value is the path of a file */
    bool accumulates;     /* giving the option again adds to it: -W -W, -slo A -slo B */
    char second_letter;   /* another short option, which -h does not show; 0 if none */
    const char *synonyms; /* names of the option in other tools, with spaces between */
    const char *workload; /* operations that the option selects, as the word of
                           * operation_mix_find; NULL if none */
    const char *engine; /* name of the I/O engine that the option selects, used on systems
                         * without this engine; NULL if it selects none */
    /* Adds the possible values to TEXT, one per line. A number must follow a value that
     * ends with "=". NULL if the values cannot be listed. */
    void (*list)(struct buffer *text);
};

/* The option table: OPTION_IDS rows, in the order of -h all. */
extern const struct cli_option cli_options[];

/* Returns the row of option ID. */
const struct cli_option *cli_option(enum option_id id);

/*
 * Parses a command line into OPTIONS, by the rules of getopt_long_only(3): short options
 * can be bundled; long options have one dash or two, and can be abbreviated; options and
 * targets can be mixed; after "--" all words are targets. Parsing stops after -h or -v,
 * so an error behind them is not found. Returns 0, or -1 with ERROR. OPTIONS points into
 * ARGV. Prints nothing and does not end the program.
 */
int cli_parse(int argc, char *const argv[], struct options *options, struct error *error);

/*
 * Returns true if a word of the command line, before any "--", looks like the long option
 * ID or an abbreviation of it. Does not check the rest of the command line, so it also
 * works for a command line that cli_parse refuses.
 */
bool cli_has(int argc, char *const argv[], enum option_id id);

/*
 * Returns the option whose long name is the first LENGTH characters of NAME, or begins
 * with them: the same option that the parser would take. NAME must not have leading
 * dashes. Returns NULL if no option matches, or if the abbreviation is ambiguous.
 */
const struct cli_option *cli_find(const char *name, size_t length);

/* Adds the text of -h to TEXT: the most needed options, on one screen. */
void cli_usage(struct buffer *text);

/* Adds the text of "-h all" to TEXT: all options. */
void cli_usage_all(struct buffer *text);

/* Adds the line of -v to TEXT. */
void cli_version(struct buffer *text);

#endif
