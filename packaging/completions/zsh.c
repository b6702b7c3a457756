/*
 * For _arguments: a list of the names that exclude each other, the names, the help, and
 * what the value is called and may be. Zsh would take -co for -c with a value, or for two
 * letters, so letters have no value attached, and bundles are told by what they are.
 */
#include "completions.h"

#include <string.h>

/* All that an option is called, each with its mark behind it. */
static void
add_names(struct buffer *text, const struct cli_option *option, const char *between,
          const char *letter_mark, const char *long_mark)
{
    if (option->letter)
        buffer_format(text, "-%c%s%s", option->letter, letter_mark, between);
    buffer_format(text, "-%s%s%s--%s%s", option->name, long_mark, between, option->name,
                  long_mark);
}

/* What can stand beside it: not itself again, unless that says more. */
static void
add_exclusions(struct buffer *text, const struct cli_option *option)
{
    if (option->id == OPTION_HELP || option->id == OPTION_VERSION) {
        buffer_text(text, "'(- *)'");
    } else if (option->accumulates) {
        buffer_text(text, "'*'");
    } else {
        buffer_text(text, "'(");
        add_names(text, option, " ", "", "");
        buffer_text(text, ")'");
    }
}

/* What _arguments would take for its own, and the quote that the shell would. */
static void
add_help(struct buffer *text, const char *help)
{
    for (; *help; help++) {
        if (*help == '\'')
            buffer_text(text, "'\\''");
        else
            buffer_format(text, "%s%c", strchr("\\[]:", *help) ? "\\" : "", *help);
    }
}

static void
add_value(struct buffer *text, const struct cli_option *option)
{
    if (option->argument_kind == CLI_NONE)
        return;
    buffer_format(text, "%s:%s:", option->argument_kind == CLI_ATTACHED ? ":" : "",
                  option->argument);
    if (!option->list_values) {
        buffer_text(text, option->is_path ? "_files" : " ");
        return;
    }
    struct buffer values = {0};
    completions_values(option, &values);
    if (strchr(values.text, '=')) /* no blank behind it */
        buffer_format(text, "compadd -S \"\" - %s", values.text);
    else
        buffer_format(text, "(%s)", values.text);
    buffer_free(&values);
}

static void
add_option(struct buffer *text, const struct cli_option *option)
{
    static const char *const marks[][2] = {
        [CLI_NONE] = {"", ""}, [CLI_REQUIRED] = {"", "="}, [CLI_ATTACHED] = {"-", "=-"}};
    const char *const *mark = marks[option->argument_kind];
    buffer_text(text, "    ");
    add_exclusions(text, option);
    buffer_text(text, "{");
    add_names(text, option, ",", mark[0], mark[1]);
    buffer_text(text, "}'[");
    add_help(text, option->help);
    buffer_text(text, "]");
    add_value(text, option);
    buffer_text(text, "' \\\n");
}

/* Adds the letters of options that take no value, or of those that need one. */
static void
add_letters(struct buffer *text, enum cli_argument takes)
{
    for (int i = 0; i < OPTION_IDS; i++)
        if (cli_options[i].letter && cli_options[i].argument_kind == takes)
            buffer_format(text, "%c", cli_options[i].letter);
}

void
completions_zsh(struct buffer *text)
{
    buffer_text(text, "#compdef ioping\n"
                      "# Completions of ioping(1) for zsh, made from its option table.\n"
                      "\n"
                      "# Letters may be bundled; then the last one may need a value.\n"
                      "local -a stack\n"
                      "local flags='");
    add_letters(text, CLI_NONE);
    buffer_text(text, "' last='");
    add_letters(text, CLI_REQUIRED);
    buffer_text(text, "'\n"
                      "[[ $words[CURRENT] = -[$flags](#c2,) ||\n"
                      "    $words[CURRENT-1] = -[$flags]##[$last] ]] && stack=(-s)\n"
                      "\n"
                      "# Without what it does by default, where -- begins -no-status.\n"
                      "_arguments $stack -S -M 'r:|=*' : \\\n");
    for (int i = 0; i < OPTION_IDS; i++)
        add_option(text, &cli_options[i]);
    buffer_text(text, "    '*:target:_files'\n");
}
