#ifndef COMPLETIONS_H
#define COMPLETIONS_H

#include "cli/cli.h"

/* The completions of a shell, from the option table; each adds a whole file to TEXT. */
void completions_bash(struct buffer *text);
void completions_zsh(struct buffer *text);
void completions_fish(struct buffer *text);

/* Adds the values of OPTION's list to TEXT, with blanks between. */
void completions_values(const struct cli_option *option, struct buffer *text);

#endif
