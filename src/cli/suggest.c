/*
 * Advice about a word of the command line that is not an option. The first of these
 * sources that has advice is used:
 * 1. hints about words of fio and other tools: such a hint may depend on the value of the
 *    word, name several options, or say that no option is needed;
 * 2. the names that an option has in other tools (`synonyms` in the option table);
 * 3. the option whose long name has the most similar spelling.
 */
#include "suggest.h"

#include "cli/cli.h"
#include "spelling.h"

#include <stdio.h>
#include <string.h>

/*
 * Hints for a word with a certain value, as in "-rw=read" or "-rw read". A row whose
 * value is NULL matches the word with any value and also without a value. The first row
 * that matches is used.
 */
static const struct {
    const char *word, *value, *advice;
} hints[] = {
    {"read", NULL, "ioping only reads unless -write or -read-write is given"},
    {"random", NULL, "offsets are random unless -linear is given"},
    {"randread", NULL, "random reads need no option"},
    {"randwrite", NULL, "did you mean -write?"},
    {"randrw", NULL, "did you mean -read-write?"},
    {"rw", "randread", "random reads need no option"},
    {"rw", "read", "did you mean -linear?"},
    {"rw", "randwrite", "did you mean -write?"},
    {"rw", "write", "did you mean -write -linear?"},
    {"rw", "randrw", "did you mean -read-write?"},
    {"rw", "rw", "did you mean -read-write -linear?"},
    {"rw", "readwrite", "did you mean -read-write -linear?"},
    {"rw", NULL, "random reads need no option; -linear makes them sequential"},
    {"ioengine", "io_uring", "did you mean -uring?"},
    {"ioengine", "libaio", "did you mean -async?"},
    {"ioengine", "posixaio", "did you mean -async?"},
    {"ioengine", NULL, "did you mean -uring or -async?"},
    {"verbose", NULL, "each request has a line unless -quiet is given"},
};

/* Returns true if the LENGTH letters at WORD are NAME. */
static bool
is_word(const char *word, size_t length, const char *name)
{
    return strlen(name) == length && memcmp(word, name, length) == 0;
}

/*
 * Returns the hint for the LENGTH letters at WORD with VALUE, which may be NULL. Returns
 * NULL if there is no hint.
 */
static const char *
find_hint(const char *word, size_t length, const char *value)
{
    for (size_t i = 0; i < sizeof(hints) / sizeof(hints[0]); i++) {
        const char *hint_value = hints[i].value;
        if (!is_word(word, length, hints[i].word))
            continue;

        if (!hint_value || (value && strcmp(value, hint_value) == 0))
            return hints[i].advice;
    }
    return NULL;
}

/* Returns true if the LENGTH letters at WORD are one of the words in LIST. */
static bool
is_listed_word(const char *word, size_t length, const char *list)
{
    const char *start = list;

    while (*start) {
        size_t end = strcspn(start, " ");
        if (end == length && memcmp(word, start, length) == 0)
            return true;
        start += end;
        start += strspn(start, " ");
    }
    return false;
}

/*
 * Returns the option that other tools call by the LENGTH letters at WORD, or NULL if
 * there is no such option.
 */
static const struct cli_option *
find_synonym(const char *word, size_t length)
{
    for (int i = 0; i < OPTION_IDS; i++) {
        const char *synonyms = cli_options[i].synonyms;
        if (synonyms && is_listed_word(word, length, synonyms))
            return &cli_options[i];
    }
    return NULL;
}

/*
 * Returns the option whose long name has the smallest edit distance to the LENGTH letters
 * at WORD. If several are equally near, returns the first of them that begins with the
 * same letter as WORD, because the first letter is seldom wrong. A distance is too large
 * if it is more than a third of the letters of the longer of WORD and the name. Returns
 * NULL if all distances are too large, or if WORD is too short or too long to be judged.
 */
static const struct cli_option *
find_nearest(const char *word, size_t length)
{
    const struct cli_option *nearest = NULL;
    int fewest_edits = SPELLING_MAX;
    if (length < 3 || length > SPELLING_MAX)
        return NULL;

    for (int i = 0; i < OPTION_IDS; i++) {
        const struct cli_option *option = &cli_options[i];
        size_t longer = strlen(option->name);
        if (longer < length)
            longer = length;

        int edits = spelling_count_edits(word, length, option->name);
        bool is_nearer = edits < fewest_edits;
        if (nearest && edits == fewest_edits)
            is_nearer = option->name[0] == word[0] && nearest->name[0] != word[0];
        if (is_nearer && 3 * edits <= (int)longer) {
            fewest_edits = edits;
            nearest = option;
        }
    }
    return nearest;
}

/* Returns true if OPTION makes requests write, which may destroy data. */
static bool
is_about_writing(const struct cli_option *option)
{
    return option->workload || option->id == OPTION_APPEND;
}

bool
suggest_option(const char *word, const char *next, char *advice, size_t size)
{
    const char *name = word + strspn(word, "-");
    size_t length = strcspn(name, "=");
    const char *value = name[length] ? name + length + 1 : next;

    advice[0] = '\0';
    const char *hint = find_hint(name, length, value);
    if (hint) {
        snprintf(advice, size, "%s", hint);
        return true;
    }

    const struct cli_option *option = find_synonym(name, length);
    if (!option)
        option = find_nearest(name, length);
    if (!option)
        return false;
    if (is_about_writing(option) && !strstr(name, "writ"))
        return false;

    snprintf(advice, size, "did you mean -%s?", option->name);
    return true;
}
