/*
 * Parses the command line by the option table, with the rules of getopt_long_only(3).
 * A word with one dash may be a long option or a bundle of short options: "-size",
 * "-qc10". The parser decides in this order:
 *
 *   1. a single letter that is a short option:         that short option
 *   2. a long option, or a unique abbreviation of one: that long option
 *   3. an ambiguous abbreviation:                      an error that lists the options
 *   4. a plausible bundle of letters (is_bundle):      the short options of the bundle
 *   5. anything else:                                  an error, with advice (suggest.c)
 *
 * A word with two dashes is a long option or an error. The texts of -h and -v are at the
 * end of the file; "-h all" prints the table, row by row.
 */
#include "cli/cli.h"
#include "suggest.h"

#include <stdio.h>
#include <string.h>

struct parser {
    int argc, next; /* next: index of the word after the current one */
    char *const *argv;
    struct options *options;
    struct error *error;
    bool done; /* -h or -v was given: parsing stops */
};

/* Refuses SHOWN, an unknown option, with advice if there is any. Always returns -1. */
static int
refuse_unknown(struct parser *parser, const char *shown)
{
    char advice[96];
    const char *next = parser->next < parser->argc ? parser->argv[parser->next] : NULL;

    error_set(parser->error, EXIT_USAGE, NULL, "unrecognized option '%.100s'", shown);
    if (suggest_option(shown, next, advice, sizeof(advice)))
        error_advise(parser->error, advice);

    return -1;
}

/* Returns the option with the short option LETTER, or NULL if there is none. */
static const struct cli_option *
find_letter(char letter)
{
    for (int i = 0; i < OPTION_IDS; i++)
        if (letter &&
            (cli_options[i].letter == letter || cli_options[i].second_letter == letter))
            return &cli_options[i];
    return NULL;
}

/*
 * An abbreviation that was unique in ioping 1.3 must stay unique. So if it matches
 * exactly one option of ioping 1.3, that option is taken, and newer options are ignored.
 */
const struct cli_option *
cli_find(const char *name, size_t length)
{
    const struct cli_option *found = NULL;
    int matches = 0;
    int older = 0;

    for (int i = 0; length && i < OPTION_IDS; i++) {
        const struct cli_option *option = &cli_options[i];
        if (strncmp(option->name, name, length) != 0)
            continue;
        if (option->name[length] == '\0')
            return option;
        if (older == 0 || !option->not_in_1_3)
            found = option;
        matches++;
        older += !option->not_in_1_3;
    }

    return matches == 1 || older == 1 ? found : NULL;
}

/*
 * Refuses SHOWN, a word of the command line, if the first LENGTH characters of NAME, its
 * name without dashes, abbreviate several options. Returns 0, or -1 with an error.
 */
static int
check_ambiguous(struct parser *parser, const char *shown, const char *name, size_t length)
{
    char list[256] = "";
    for (int id = 0; length && id < OPTION_IDS; id++) {
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

/*
 * Stores OPTION, which messages call SHOWN, with its VALUE. If VALUE is NULL and the
 * option requires a value, the next word of the command line is the value. Returns 0, or
 * -1 with an error.
 */
static int
store(struct parser *parser, const struct cli_option *option, const char *shown,
      const char *value)
{
    if (!value && option->argument_kind == CLI_REQUIRED) {
        if (parser->next == parser->argc)
            return error_set(parser->error, EXIT_USAGE, NULL,
                             "option '%s' requires an argument", shown);
        value = parser->argv[parser->next++];
    }

    const char *wrong = option->set ? option->set(option, parser->options, value) : NULL;
    if (wrong) {
        char what[256];
        snprintf(what, sizeof(what), "%s '%s'", shown, value ? value : "");
        return error_set(parser->error, EXIT_USAGE, what, "%s", wrong);
    }

    if (parser->options->given[option->id] < UINT16_MAX)
        parser->options->given[option->id]++;
    parser->done = option->id == OPTION_HELP || option->id == OPTION_VERSION;
    return 0;
}

/* Parses LETTERS, a bundle of short options without its dash. The first option that takes
 * a value takes the rest of the bundle as the value, unless the rest is empty. */
static int
parse_letters(struct parser *parser, const char *letters)
{
    for (; *letters && !parser->done; letters++) {
        const struct cli_option *option = find_letter(*letters);
        char shown[3] = {'-', *letters, '\0'};
        if (!option)
            return refuse_unknown(parser, shown);

        bool takes = option->argument_kind != CLI_NONE && letters[1];
        if (store(parser, option, shown, takes ? letters + 1 : NULL) < 0)
            return -1;
        if (takes)
            break;
    }
    return 0;
}

/*
 * Returns true if WORD, without its dash, is plausible as a bundle of short options,
 * perhaps with a value at its end. Returns false if WORD is more likely a long option
 * that does not exist, so that the message is about that option. "-bs" is not a bundle,
 * because "s" cannot be the number that -b takes. "-helpp" is not a bundle, because its
 * spelling is too close to "-help".
 */
static bool
is_bundle(const char *word)
{
    char advice[96];
    for (const char *letter = word; *letter; letter++) {
        const struct cli_option *option = find_letter(*letter);
        bool ends = option && (option->id == OPTION_HELP || option->id == OPTION_VERSION);

        if (!option && letter == word)
            return false;
        if (!option || ends) /* whatever the letters after this one are */
            return !suggest_option(word, NULL, advice, sizeof(advice));
        if (option->argument_kind == CLI_ATTACHED || !letter[1])
            return true;
        if (option->argument_kind == CLI_REQUIRED)
            return strchr("0123456789./+-", letter[1]) != NULL;
    }
    return true;
}

/*
 * Returns true if the LENGTH letters at NAME are "read". This would be a unique
 * abbreviation of -read-write; the parser refuses it, because a user who writes -read
 * does not expect the program to write.
 */
static bool
is_read(const char *name, size_t length)
{
    return length == 4 && memcmp(name, "read", length) == 0;
}

/* Parses WORD, which starts with a dash, by the order at the top of this file. */
static int
parse_option(struct parser *parser, const char *word)
{
    char shown[64];
    bool two = word[1] == '-';
    const char *name = word + 1 + two;

    if (!two && name[1] == '\0' && find_letter(name[0]))
        return parse_letters(parser, name);

    size_t length = strcspn(name, "=");
    if (is_read(name, length))
        return refuse_unknown(parser, word);

    const struct cli_option *option = cli_find(name, length);
    if (option) {
        snprintf(shown, sizeof(shown), "-%s", option->name);
        if (!name[length])
            return store(parser, option, shown, NULL);
        if (option->argument_kind != CLI_NONE)
            return store(parser, option, shown, name + length + 1);
        return error_set(parser->error, EXIT_USAGE, NULL,
                         "option '%s' doesn't allow an argument", shown);
    }

    if (check_ambiguous(parser, word, name, length) < 0)
        return -1;
    if (two || !is_bundle(name))
        return refuse_unknown(parser, word);
    return parse_letters(parser, name);
}

int
cli_parse(int argc, char *const argv[], struct options *options, struct error *error)
{
    struct parser parser = {argc, 1, argv, options, error, false};
    bool only_targets = false;

    options_init(options);

    while (parser.next < argc && !parser.done) {
        const char *word = argv[parser.next++];
        bool dashed = !only_targets && word[0] == '-' && word[1] != '\0';
        if (dashed && strcmp(word, "--") == 0)
            only_targets = true;
        else if (dashed && parse_option(&parser, word) < 0)
            return -1;
        else if (!dashed && options->target_count == TARGETS_MOST)
            return error_set(error, EXIT_USAGE, NULL, "there can be at most %d targets",
                             TARGETS_MOST);
        else if (!dashed)
            options->targets[options->target_count++] = word;
    }

    options->help_all = options->given[OPTION_HELP] && parser.next < argc &&
                        strcmp(argv[parser.next], cli_option(OPTION_HELP)->argument) == 0;

    if (options->target_count == 0 && !parser.done && options->given[OPTION_COMPARE]) {
        error_set(error, EXIT_USAGE, "-compare", "no file is given");
        return error_advise(error, "record a run with -record FILE");
    }
    if (options->target_count == 0 && !parser.done)
        return error_set(error, EXIT_USAGE, NULL, "no destination specified");
    return 0;
}

bool
cli_has(int argc, char *const argv[], enum option_id id)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        const char *name = argv[i] + strspn(argv[i], "-");
        bool dashed = name == argv[i] + 1 || name == argv[i] + 2;
        const struct cli_option *option = cli_find(name, strcspn(name, "="));

        if (dashed && option && option->id == id)
            return true;
    }
    return false;
}

/*
 * Adds the line of OPTION in -h all, such as "  -c, --count <count>    stop after ...".
 */
static void
add_option(struct buffer *text, const struct cli_option *option)
{
    char left[64];
    char letter[] = "    ";
    const char *format = option->argument_kind == CLI_ATTACHED   ? "%s--%s[%s]"
                         : option->argument_kind == CLI_REQUIRED ? "%s--%s <%s>"
                         : option->argument                      ? "%s--%s [%s]"
                                                                 : "%s--%s%s";

    if (option->letter)
        snprintf(letter, sizeof(letter), "-%c, ", option->letter);
    snprintf(left, sizeof(left), format, letter, option->name,
             option->argument ? option->argument : "");

    buffer_format(text, "  %-28s %s\n", left, option->help);
}

/* The text of -h: the most needed options, the most needed first, on 24 lines of 80
 * columns, the size of the smallest usual terminal. */
static const char first_screen[] =
    "Usage: ioping [options] directory|file|device...\n"
    "Times single I/O requests, like ping. Only reads, unless -W or -G is given.\n"
    "\n"
    "  ioping .                          one read per second until Ctrl-C\n"
    "  ioping -R .                       random reads, back to back, for 3 seconds\n"
    "  ioping -q -c 500 -i 10ms A B      which of two disks is faster?\n"
    "  ioping -sweep rate -slo p99=1ms . how many requests/s with p99 under 1 ms?\n"
    "\n"
    "  -c, --count <n>          stop after n requests (until Ctrl-C)\n"
    "  -w, --work-time <time>   stop after this time\n"
    "  -i, --interval <time>    time from one request to the next (1s)\n"
    "  -R, --rapid              back to back for 3 s, summary only\n"
    "  -s, --size <size>        request size (4k; 256k with -L)\n"
    "  -S, --work-size <size>   part of the target to use (1m in a directory)\n"
    "  -L, --linear             sequential instead of random\n"
    "  -W, --write              write; -G: both; -WWW, -GWW DESTROY a file or device\n"
    "      --threads <n>        parallel workers; --depth <n>: queue depth of each\n"
    "  -q, --quiet              summary only; -J, --json: JSON (-JJ: one per line)\n"
    "      --slo <limit>        exit status 5 unless met: p99=10ms, iops=1k\n"
    "      --timeout <time>     give up on a request that takes longer\n"
    "      --sweep <what>       rising size, threads, depth, interval or rate\n"
    "      --plot <file.svg>    draw a chart\n"
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
        add_option(text, &cli_options[i]);
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
