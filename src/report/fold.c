/*
 * Breaks long lines of text for people at words, see fold.h.
 */
#include "fold.h"

#include "base/buffer.h"
#include "live_screen.h"

#include <string.h>

/* Returns the number of columns that LENGTH bytes at TEXT take. Escape sequences, which
 * are only colors here, take none. */
static int
visible_columns(const char *text, size_t length)
{
    const char *end = text + length;
    struct escape_character character;
    int columns = 0;
    bool is_in_color = false;

    while (text < end && escape_next(&text, &character)) {
        if (character.code == '\033')
            is_in_color = true;
        if (!is_in_color)
            columns += live_screen_width(character.code);
        if (character.code == 'm')
            is_in_color = false;
    }
    return columns;
}

/* Returns the length in bytes of the text in brackets at the start of TEXT, with
 * everything up to the next space; 0 if there are no brackets, or if the text is wider
 * than ROOM columns. */
static size_t
bracket_length(const char *text, int room)
{
    if (text[0] != '(')
        return 0;

    size_t length = strcspn(text, ")\n");
    length += strcspn(text + length, " \n");
    return visible_columns(text, length) <= room ? length : 0;
}

/*
 * Returns the length in bytes of the word at the start of TEXT, which a line break must
 * not tear. A number and its unit are one word, and so are an option and its value, and a
 * text in brackets if it fits into ROOM columns. A word of a command may have spaces in
 * quotes.
 */
static size_t
word_length(const char *text, int room, bool is_command)
{
    size_t length = is_command ? 0 : bracket_length(text, room);
    bool is_quoted = false;
    size_t start = 0; /* of the part after the last space */

    if (length > 0)
        return length;
    for (; text[length] && text[length] != '\n'; length++) {
        bool is_after_digit =
            length > 0 && text[length - 1] >= '0' && text[length - 1] <= '9';
        bool is_after_option = text[start] == '-';
        bool is_joined = is_quoted || is_after_option || (is_after_digit && !is_command);

        if (text[length] == ' ' && !is_joined)
            break;
        if (text[length] == ' ')
            start = length + 1;
        if (!is_command)
            continue;
        if (text[length] == '\'')
            is_quoted = !is_quoted;
        if (text[length] == '\\' && !is_quoted && text[length + 1])
            length++;
    }
    return length;
}

void
fold_lines(struct buffer *text, size_t start, int indent, bool is_command)
{
    const int width = FOLD_WIDTH - (is_command ? 2 : 0); /* columns for words */
    struct buffer copy = {0};
    int column = 0;

    if (text->failed || text->length == start)
        return;
    buffer_add(&copy, text->text + start, text->length - start);
    text->length = start;
    text->failed |= copy.failed;

    for (const char *rest = copy.text; rest && *rest;) {
        size_t gap = strspn(rest, " ");
        size_t length = word_length(rest + gap, width - indent, is_command);
        int columns = visible_columns(rest, gap + length);

        if (column > indent && column + columns > width) {
            buffer_format(text, "%s\n%*s", is_command ? " \\" : "", indent, "");
            rest += gap;
            columns -= (int)gap;
            gap = 0;
            column = indent;
        }
        buffer_add(text, rest, gap + length);
        column += columns;
        rest += gap + length;
        if (*rest == '\n') {
            buffer_text(text, "\n");
            column = 0;
            rest++;
        }
    }
    buffer_free(&copy);
}
