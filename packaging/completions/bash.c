/* Bash has no table of options, so it gets one; ioping.bash, which follows it, reads it.
 */
#include "completions.h"

#include <string.h>

/* The shortest beginning of NAME that stands for it. */
static int
least_length(const char *name)
{
    size_t length = 1;
    while (!cli_find(name, length) || strcmp(cli_find(name, length)->name, name) != 0)
        length++;
    return (int)length;
}

static void
add_rows(struct buffer *text)
{
    buffer_text(
        text, "# A row for each option: its letter, the shortest beginning of its name\n"
              "# that will do, and its name, with a \"=\" if a value has to follow.\n"
              "# Which words are letters only, too.\n"
              "_ioping_table()\n{\n    rows='");
    for (int i = 0; i < OPTION_IDS; i++) {
        const struct cli_option *option = &cli_options[i];
        buffer_format(text, "\n        %c:%.*s:%s%s",
                      option->letter ? option->letter : '-', least_length(option->name),
                      option->name, option->name,
                      option->argument_kind == CLI_REQUIRED ? "=" : "");
    }
    buffer_text(text, "'\n");
}

/* Flags, and behind them perhaps a letter with a value. */
static void
add_bundle(struct buffer *text)
{
    buffer_text(text, "    bundle='^-[");
    for (int flags = 1; flags >= 0; flags--) {
        for (int i = 0; i < OPTION_IDS; i++)
            if (cli_options[i].letter &&
                (!flags || cli_options[i].argument_kind == CLI_NONE))
                buffer_format(text, "%c", cli_options[i].letter);
        buffer_text(text, flags ? "]*[" : "]$'\n}\n\n");
    }
}

static void
add_values(struct buffer *text)
{
    buffer_text(text,
                "# Sets values to what that of option $1 may be, and file if it is one.\n"
                "_ioping_values()\n{\n    case $1 in\n");
    for (int i = 0; i < OPTION_IDS; i++) {
        const struct cli_option *option = &cli_options[i];
        if (option->is_path)
            buffer_format(text, "    %s=) file=yes ;;\n", option->name);
        if (!option->list_values)
            continue;
        buffer_format(text, "    %s=) values='", option->name);
        completions_values(option, text);
        buffer_text(text, "' ;;\n");
    }
    buffer_text(text, "    esac\n}\n\n");
}

void
completions_bash(struct buffer *text)
{
    buffer_text(text,
                "# Completions of ioping(1) for bash, made from its option table.\n\n");
    add_rows(text);
    add_bundle(text);
    add_values(text);
}
