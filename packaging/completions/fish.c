/* To fish, "old-style" options are long ones with one dash. */
#include "completions.h"

#include <string.h>

static void
add_value(struct buffer *text, const struct cli_option *option)
{
    if (option->argument_kind != CLI_REQUIRED)
        return;
    buffer_text(text, option->is_path ? " -rF" : " -x");
    if (!option->list_values)
        return;
    buffer_text(text, " -a '");
    completions_values(option, text);
    buffer_text(text, "'");
}

static void
add_rest(struct buffer *text, const struct cli_option *option)
{
    add_value(text, option);
    buffer_text(text, " -d '");
    for (const char *from = option->help; *from; from++)
        buffer_format(text, "%s%c", strchr("\\'", *from) ? "\\" : "", *from);
    buffer_text(text, "'\n");
}

static void
add_option(struct buffer *text, const struct cli_option *option)
{
    if (option->letter) {
        buffer_format(text, "complete -c ioping -n __ioping_flags -s %c", option->letter);
        add_rest(text, option);
    }
    buffer_format(text, "complete -c ioping -o %s -l %s", option->name, option->name);
    add_rest(text, option);
}

/* Letters behind which a value may be attached. */
static void
add_letters(struct buffer *text)
{
    for (int i = 0; i < OPTION_IDS; i++)
        if (cli_options[i].letter && cli_options[i].argument_kind != CLI_NONE)
            buffer_format(text, "%c", cli_options[i].letter);
}

void
completions_fish(struct buffer *text)
{
    buffer_text(
        text,
        "# Completions of ioping(1) for fish, made from its option table.\n"
        "\n"
        "# Whether letters may go on: else fish takes -co for -c with a value, and\n"
        "# offers no -count.\n"
        "function __ioping_flags\n"
        "    not string match -qr -- '^-[^-]*[");
    add_letters(text);
    buffer_text(text, "]' (commandline -ct)\nend\n\n");
    for (int i = 0; i < OPTION_IDS; i++)
        add_option(text, &cli_options[i]);
}
