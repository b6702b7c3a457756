/*
 * Prints the completions for a shell, which know the options from the same table as
 * the parser. It runs where ioping is built, whatever that is built for.
 */
#include "completions.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *shell;
    void (*add)(struct buffer *text);
} shells[] = {
    {"bash", completions_bash},
    {"zsh", completions_zsh},
    {"fish", completions_fish},
};

void
completions_values(const struct cli_option *option, struct buffer *text)
{
    struct buffer list = {0};
    const char *between = "";
    option->list_values(&list);
    for (char *value = strtok(list.text, "\n"); value; value = strtok(NULL, "\n")) {
        buffer_format(text, "%s%s", between, value);
        between = " ";
    }
    text->failed |= list.failed;
    buffer_free(&list);
}

/* Whether all of TEXT could be made and written. */
static bool
print(const struct buffer *text)
{
    return !text->failed && fputs(text->text, stdout) >= 0 && fflush(stdout) == 0;
}

int
main(int argc, char **argv)
{
    struct buffer text = {0};
    for (size_t i = 0; argc == 2 && i < sizeof(shells) / sizeof(shells[0]); i++)
        if (strcmp(argv[1], shells[i].shell) == 0)
            shells[i].add(&text);
    bool known = text.length > 0, printed = known && print(&text);
    buffer_free(&text);
    if (!known)
        fputs("Usage: completions bash|zsh|fish\n", stderr);
    else if (!printed)
        perror("completions");
    return printed ? 0 : 1;
}
