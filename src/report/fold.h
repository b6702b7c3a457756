#ifndef REPORT_FOLD_H
#define REPORT_FOLD_H

#include <stdbool.h>
#include <stddef.h>

struct buffer;

#define FOLD_WIDTH 80 /* columns of a line, unless a single word is longer */

/*
 * Breaks each line of TEXT, from byte START on, that is wider than FOLD_WIDTH. The
 * further lines begin with INDENT spaces. A number and its unit stay together, and so do
 * an option and its value, and a text in brackets that fits into one line. If IS_COMMAND,
 * the line ends with a shell command: a backslash joins its lines, and text in quotes is
 * one word. Colors take no columns.
 */
void fold_lines(struct buffer *text, size_t start, int indent, bool is_command);

#endif
