/* The texts of -h and -v; -h is the option table, row by row. */
#include "cli/cli.h"

#include <stdio.h>

/* Add a line, such as "  -c, -count <count>           stop after ...". */
static void
add_option(struct buffer *text, const struct cli_option *option)
{
    char left[64], letter[] = "    ";
    const char *format = option->takes == CLI_ATTACHED   ? "%s-%s[%s]"
                         : option->takes == CLI_REQUIRED ? "%s-%s <%s>"
                                                         : "%s-%s%s";
    if (option->letter)
        snprintf(letter, sizeof(letter), "-%c, ", option->letter);
    snprintf(left, sizeof(left), format, letter, option->name,
             option->argument ? option->argument : "");
    buffer_format(text, "  %-28s %s\n", left, option->help);
}

void
cli_usage(struct buffer *text)
{
    buffer_text(text, "Usage: ioping [options] directory|file|device...\n"
                      "       ioping -h | -v\n");
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
              "See ioping(1) for the output, field by field.\n");
}

void
cli_version(struct buffer *text)
{
    buffer_text(text, "ioping " IOPING_VERSION "\n");
}
