/*
 * Parses the command line by the option table, with the rules of getopt_long_only(3). A
 * word with one dash may be a long option, as "-size", or a bundle of short options, as
 * "-qc10". The parser takes the first interpretation in this list that fits:
 *
 *   1. a single letter that is a short option:         that short option
 *   2. a long option, or a unique abbreviation of one: that long option
 *   3. an ambiguous abbreviation:                      an error that lists the options
 *   4. a plausible bundle of letters (is_bundle):      the short options of the bundle
 *   5. anything else:                                  an error, with advice (suggest.c)
 *
 * A word with two dashes is a long option or an error. The texts of -h and -v are at the
 * end of the file. "-h all" prints the option table row by row.
 */
#include "cli/cli.h"
#include "suggest.h"

#include <stdio.h>
#include <string.h>

/* The state of cli_parse. */
struct parser {
    int argc;
    char *const *argv;
    int next_index; /* index in ARGV of the word after the current one */
    struct options *options;
    struct error *error;
    const struct cli_option *file_option; /* the last option whose value is a file */
    const char *file;                     /* the value of `file_option` */
    bool is_done;                         /* -h or -v was given, so parsing stops */
};

/*
 * Refuses an unknown option, with advice if there is any (suggest.c). SHOWN is the option
 * with its dashes, as the message quotes it. Always returns -1.
 */
static int
refuse_unknown(struct parser *parser, const char *shown)
{
    char advice[96];
    const char *next = NULL;
    if (parser->next_index < parser->argc)
        next = parser->argv[parser->next_index];

    error_set(parser->error, EXIT_USAGE, NULL, "unrecognized option '%.100s'", shown);
    if (suggest_option(shown, next, advice, sizeof(advice)))
        error_advise(parser->error, advice);

    return -1;
}

/* Returns the option with the short option LETTER, or NULL if there is none. */
static const struct cli_option *
find_letter(char letter)
{
    if (letter == '\0')
        return NULL;

    for (int i = 0; i < OPTION_IDS; i++)
        if (cli_options[i].letter == letter || cli_options[i].second_letter == letter)
            return &cli_options[i];
    return NULL;
}

/*
 * An abbreviation that was unique in ioping 1.3 must stay unique. So if it matches
 * exactly one option of ioping 1.3, the function returns that option and ignores newer
 * options.
 */
const struct cli_option *
cli_find(const char *name, size_t length)
{
    const struct cli_option *found = NULL;
    int match_count = 0;
    int old_match_count = 0; /* number of matching options that ioping 1.3 had */

    if (length == 0)
        return NULL;

    for (int i = 0; i < OPTION_IDS; i++) {
        const struct cli_option *option = &cli_options[i];
        if (strncmp(option->name, name, length) != 0)
            continue;
        if (option->name[length] == '\0')
            return option;

        match_count++;
        if (!option->not_in_1_3)
            old_match_count++;
        if (!option->not_in_1_3 || old_match_count == 0)
            found = option;
    }

    return match_count == 1 || old_match_count == 1 ? found : NULL;
}

/*
 * Refuses SHOWN, a word of the command line, if the first LENGTH characters of NAME are
 * an abbreviation of several options. NAME is the part of SHOWN after the dashes. Returns
 * 0, or -1 with an error.
 */
static int
check_ambiguous(struct parser *parser, const char *shown, const char *name, size_t length)
{
    char list[256] = "";

    if (length == 0)
        return 0;

    for (int id = 0; id < OPTION_IDS; id++) {
        const char *other = cli_option((enum option_id)id)->name;
        size_t used = strlen(list);
        if (strncmp(other, name, length) == 0)
            snprintf(list + used, sizeof(list) - used, " '-%s'", other);
    }

    if (!*list)
        return 0;
    return error_set(parser->error, EXIT_USAGE, NULL,
                     "option '%.100s' is ambiguous; possibilities:%s", shown, list);
}

/* Returns true if WORD is exactly an option, such as "-q", "-quiet" or "--quiet". */
static bool
is_exact_option(const char *word)
{
    const char *name = word + strspn(word, "-");
    size_t dashes = (size_t)(name - word);
    if (dashes == 1 && name[0] && !name[1])
        return find_letter(name[0]) != NULL;
    if (dashes < 1 || dashes > 2)
        return false;

    const struct cli_option *option = cli_find(name, strlen(name));
    return option && strcmp(option->name, name) == 0;
}

/*
 * Takes the next word of the command line as the value of OPTION, whose name is SHOWN in
 * messages. Returns the value, or NULL with an error: there is no further word, or the
 * value must be the path of a file but is an option. The user would not want to give a
 * file the name of an option.
 */
static const char *
take_value(struct parser *parser, const struct cli_option *option, const char *shown)
{
    char advice[128];

    if (parser->next_index == parser->argc) {
        error_set(parser->error, EXIT_USAGE, NULL, "option '%s' requires an argument",
                  shown);
        snprintf(advice, sizeof(advice), "give %s <%s>", shown, option->argument);
        error_advise(parser->error, advice);
        return NULL;
    }

    const char *value = parser->argv[parser->next_index++];
    if (option->is_path && is_exact_option(value)) {
        error_set(parser->error, EXIT_USAGE, shown, "needs a file, but %s is an option",
                  value);
        snprintf(advice, sizeof(advice), "to write a file of that name, give ./%s",
                 value);
        error_advise(parser->error, advice);
        return NULL;
    }

    if (option->is_path) {
        parser->file_option = option;
        parser->file = value;
    }
    return value;
}

/*
 * Refuses VALUE of OPTION because of REASON. SHOWN is the name of the option. If VALUE is
 * a path where a number must be, the user has left out the number. Always returns -1.
 */
static int
refuse_value(struct parser *parser, const struct cli_option *option, const char *shown,
             const char *value, const char *reason)
{
    char what[256];
    char advice[96];
    bool is_number = option->max_value > 0;
    bool is_fraction = value[0] == '/' && is_digit(value[1]); /* such as "/4" */
    bool is_path = value[0] == '/' || strcmp(value, ".") == 0 || strcmp(value, "..") == 0;

    snprintf(what, sizeof(what), "%s '%s'", shown, value);
    error_set(parser->error, EXIT_USAGE, what, "%s", reason);
    if (!is_number || !is_path || is_fraction)
        return -1;

    snprintf(advice, sizeof(advice), "put the %s before the target", option->argument);
    return error_advise(parser->error, advice);
}

/*
 * Stores OPTION with its VALUE in the options, and counts it as given. If VALUE is NULL
 * and the option requires a value, the next word of the command line is the value.
 * SHOWN is the name of the option in messages. Returns 0, or -1 with an error.
 */
static int
store_option(struct parser *parser, const struct cli_option *option, const char *shown,
             const char *value)
{
    if (!value && option->argument_kind == CLI_REQUIRED) {
        value = take_value(parser, option, shown);
        if (!value)
            return -1;
    }

    const char *wrong = option->set ? option->set(option, parser->options, value) : NULL;
    if (wrong)
        return refuse_value(parser, option, shown, value ? value : "", wrong);

    bool has_letter = strlen(shown) == 2;
    parser->options->letters[option->id] = '\0';
    if (has_letter)
        parser->options->letters[option->id] = shown[1];
    if (parser->options->given[option->id] < UINT16_MAX)
        parser->options->given[option->id]++;
    parser->is_done = option->id == OPTION_HELP || option->id == OPTION_VERSION;
    return 0;
}

/*
 * Parses LETTERS, a bundle of short options without its dash. The first option that takes
 * a value takes the rest of the bundle as its value, unless the rest is empty. Returns 0,
 * or -1 with an error.
 */
static int
parse_letters(struct parser *parser, const char *letters)
{
    for (; *letters && !parser->is_done; letters++) {
        const struct cli_option *option = find_letter(*letters);
        char shown[3] = {'-', *letters, '\0'};
        if (!option)
            return refuse_unknown(parser, shown);

        if (option->argument_kind != CLI_NONE && letters[1])
            return store_option(parser, option, shown, letters + 1);
        if (store_option(parser, option, shown, NULL) < 0)
            return -1;
    }
    return 0;
}

/*
 * Returns true if WORD, without its dash, looks like a bundle of short options, perhaps
 * with a value at its end. Returns false if WORD looks more like a misspelled long
 * option, so that the message is about a long option. Examples: "-bs" is not a bundle,
 * because -b needs a number and "s" is none. "-helpp" is not a bundle, because its
 * spelling is too similar to "-help".
 */
static bool
is_bundle(const char *word)
{
    char advice[96];
    if (!find_letter(word[0]))
        return false;

    for (const char *letter = word; *letter; letter++) {
        const struct cli_option *option = find_letter(*letter);

        /* The parser stops at -h, -v or an unknown letter, so the letters behind it do
         * not show whether WORD is a bundle. WORD counts as a bundle unless there is
         * advice about the whole word as a long option. */
        if (!option || option->id == OPTION_HELP || option->id == OPTION_VERSION)
            return !suggest_option(word, NULL, advice, sizeof(advice));

        if (option->argument_kind == CLI_ATTACHED || !letter[1])
            return true;
        if (option->argument_kind == CLI_REQUIRED)
            return strchr("0123456789./+-", letter[1]) != NULL;
    }
    return true;
}

/*
 * Returns true if the LENGTH letters at NAME are "read". The parser refuses this unique
 * abbreviation of -read-write, because a user who gives -read does not expect the program
 * to write.
 */
static bool
is_read(const char *name, size_t length)
{
    return length == 4 && memcmp(name, "read", length) == 0;
}

/*
 * Refuses the value of an option that has none. SHOWN is the name of the option, and
 * ARGUMENT the value with its "=". Always returns -1.
 */
static int
refuse_argument(struct parser *parser, const char *shown, const char *argument)
{
    char advice[96];

    error_set(parser->error, EXIT_USAGE, NULL, "option '%s' doesn't allow an argument",
              shown);
    snprintf(advice, sizeof(advice), "leave out '%.64s'", argument);
    return error_advise(parser->error, advice);
}

/*
 * Parses WORD, which starts with a dash, in the order at the top of this file. Returns 0,
 * or -1 with an error.
 */
static int
parse_option(struct parser *parser, const char *word)
{
    char shown[64];
    bool has_two_dashes = word[1] == '-';
    const char *name = has_two_dashes ? word + 2 : word + 1;

    if (!has_two_dashes && name[1] == '\0' && find_letter(name[0]))
        return parse_letters(parser, name);

    size_t length = strcspn(name, "=");
    if (is_read(name, length))
        return refuse_unknown(parser, word);

    const struct cli_option *option = cli_find(name, length);
    if (option) {
        snprintf(shown, sizeof(shown), "-%s", option->name);
        if (!name[length])
            return store_option(parser, option, shown, NULL);
        if (option->argument_kind != CLI_NONE)
            return store_option(parser, option, shown, name + length + 1);
        return refuse_argument(parser, shown, name + length);
    }

    if (check_ambiguous(parser, word, name, length) < 0)
        return -1;
    if (has_two_dashes || !is_bundle(name))
        return refuse_unknown(parser, word);
    return parse_letters(parser, name);
}

/*
 * Checks that the command line has a target. Returns 0, or -1 with an error. If a word is
 * the file of an option, as in "ioping -record .", the user may have meant it as the
 * target.
 */
static int
check_targets(const struct parser *parser)
{
    const struct options *options = parser->options;
    struct error *error = parser->error;
    char advice[200];

    if (options->target_count > 0)
        return 0;

    if (options->given[OPTION_COMPARE]) {
        error_set(error, EXIT_USAGE, "-compare", "no file is given");
        return error_advise(error, "record a run with -record FILE");
    }

    error_set(error, EXIT_USAGE, NULL, "no destination specified");
    if (!parser->file_option)
        return error_advise(error, "name a directory, file or device, as in: ioping .");

    snprintf(advice, sizeof(advice),
             "%.96s is the file of -%s, so name a directory, file or device as well",
             parser->file, parser->file_option->name);
    return error_advise(error, advice);
}

int
cli_parse(int argc, char *const argv[], struct options *options, struct error *error)
{
    struct parser parser = {
        .argc = argc, .argv = argv, .next_index = 1, .options = options, .error = error};
    bool only_targets = false; /* "--" was given */

    options_init(options);
    options->word_count = argc;
    options->words = argv;

    while (parser.next_index < argc && !parser.is_done) {
        const char *word = argv[parser.next_index++];
        bool is_option = !only_targets && word[0] == '-' && word[1] != '\0';

        if (is_option && strcmp(word, "--") == 0) {
            only_targets = true;
        } else if (is_option) {
            if (parse_option(&parser, word) < 0)
                return -1;
        } else {
            if (options->target_count == TARGETS_MAX)
                return error_set(error, EXIT_USAGE, NULL,
                                 "there can be at most %d targets", TARGETS_MAX);
            options->targets[options->target_count++] = word;
        }
    }

    const char *next = parser.next_index < argc ? argv[parser.next_index] : "";
    options->help_all = options->given[OPTION_HELP] &&
                        strcmp(next, cli_option(OPTION_HELP)->argument) == 0;

    return parser.is_done ? 0 : check_targets(&parser);
}

bool
cli_has(int argc, char *const argv[], enum option_id id)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        size_t dashes = strspn(argv[i], "-");
        if (dashes < 1 || dashes > 2)
            continue;

        const char *name = argv[i] + dashes;
        const struct cli_option *option = cli_find(name, strcspn(name, "="));
        if (option && option->id == id)
            return true;
    }
    return false;
}

/*
 * Adds the line of OPTION in -h all, such as "  -c, --count <count>    stop after ...".
 */
static void
add_help_line(struct buffer *text, const struct cli_option *option)
{
    char letter[] = "    ";
    char placeholder[24] = "";
    char names[64];

    if (option->letter)
        snprintf(letter, sizeof(letter), "-%c, ", option->letter);

    if (option->argument_kind == CLI_ATTACHED)
        snprintf(placeholder, sizeof(placeholder), "[%s]", option->argument);
    else if (option->argument_kind == CLI_REQUIRED)
        snprintf(placeholder, sizeof(placeholder), " <%s>", option->argument);
    else if (option->argument)
        snprintf(placeholder, sizeof(placeholder), " [%s]", option->argument);

    snprintf(names, sizeof(names), "%s--%s%s", letter, option->name, placeholder);
    buffer_format(text, "  %-28s %s\n", names, option->help);
}

/* The text of -h: the options that are needed most, in this order. It fits on 24 lines of
 * 80 columns, the size of the smallest usual terminal. */
static const char first_screen[] =
    "Usage: ioping [options] directory|file|device...\n"
    "Times single I/O requests, like ping. Only reads, unless -W or -G is given.\n"
    "\n"
    "  ioping .                          one read per second until Ctrl-C\n"
    "  ioping -diagnose .                what is this disk, is anything wrong?\n"
    "  ioping -q -c 500 -i 10ms A B      which of two disks is faster?\n"
    "  ioping -sweep rate -slo p99=1ms . how many requests/s with p99 under 1 ms?\n"
    "\n"
    "  -c, --count <n>          stop after n requests (until Ctrl-C)\n"
    "  -w, --work-time <time>   stop after this time\n"
    "  -i, --interval <time>    time from one request to the next (1s)\n"
    "  -R, --rapid              back to back for 3 s, one summary; -L: sequential\n"
    "  -s, --size <size>        request size (4k; 256k with -L)\n"
    "  -S, --work-size <size>   part of the target to use (1m in a directory)\n"
    "  -W, --write              write; -G: both; -WWW, -GWW DESTROY a file or device\n"
    "      --threads <n>        parallel workers; --depth <n>: queue depth of each\n"
    "      --sweep <what>       rising size, threads, depth, interval or rate\n"
    "      --slo <limit>        exit status 5 unless met: p99=10ms, iops=1k\n"
    "  -q, --quiet              summary only; -J, --json: JSON (-JJ: one per line)\n"
    "      --print <list>       numbers for scripts: p99,iops; --csv: rows of CSV\n"
    "      --live               a full-screen view; --plot <file.svg>: a chart\n"
    "      --record <file>      keep a run in a file; --compare A B: compare two\n"
    "\n"
    "All options: ioping -h all. The manual, with examples: man ioping.\n";

void
cli_usage(struct buffer *text)
{
    buffer_text(text, first_screen);
}

void
cli_usage_all(struct buffer *text)
{
    buffer_text(text, "Usage: ioping [options] directory|file|device...\n"
                      "       ioping -compare [options] file...\n"
                      "       ioping -h [all] | -v\n");

    const char *group = NULL;
    for (int i = 0; i < OPTION_IDS; i++) {
        if (cli_options[i].group != group)
            buffer_format(text, "\n%s:\n", cli_options[i].group);
        group = cli_options[i].group;
        add_help_line(text, &cli_options[i]);
    }

    buffer_text(
        text, "\nTimes: ns us ms s min hour, none = s. Sizes: B k m g t p e (powers of\n"
              "1024), sector, page. Counts: da k M G T P E. Also 0.5, 1/100, /4.\n"
              "See ioping-output(5) for the output, field by field.\n");
}

void
cli_version(struct buffer *text)
{
    buffer_text(text, "ioping " IOPING_VERSION "\n");
}
