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

#include <stdio.h>
#include <string.h>

#define WORD_MAX 32 /* maximum letters of a word whose spelling is compared */

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

static int
smaller_of(int one, int other)
{
    return one < other ? one : other;
}

/*
 * Returns the edit distance between the LENGTH letters at WORD and NAME: the number of
 * letters to insert, delete, replace, or exchange with their neighbour, to turn WORD into
 * NAME. LENGTH must be at most WORD_MAX.
 *
 * The distance is that of F. J. Damerau (1964), computed with the table of R. A. Wagner
 * and M. J. Fischer (1974): row N, column I has the distance between the first N letters
 * of NAME and the first I letters of WORD. Each row needs only the two rows above it, so
 * only three rows are in memory: ROW, the row above it, and the row above that one.
 */
static int
count_edits(const char *word, size_t length, const char *name)
{
    int two_above[WORD_MAX + 1] = {0};
    int above[WORD_MAX + 1];
    int row[WORD_MAX + 1];
    for (size_t i = 0; i <= length; i++)
        above[i] = (int)i;

    for (size_t n = 0; name[n]; n++) {
        row[0] = (int)n + 1;
        for (size_t i = 1; i <= length; i++) {
            int replaced = above[i - 1] + (word[i - 1] == name[n] ? 0 : 1);
            int deleted = row[i - 1] + 1;
            int inserted = above[i] + 1;
            int fewest = smaller_of(replaced, smaller_of(deleted, inserted));

            bool is_exchanged =
                n > 0 && i > 1 && word[i - 1] == name[n - 1] && word[i - 2] == name[n];
            if (is_exchanged)
                fewest = smaller_of(fewest, two_above[i - 2] + 1);
            row[i] = fewest;
        }
        memcpy(two_above, above, sizeof(two_above));
        memcpy(above, row, sizeof(above));
    }
    return above[length];
}

/*
 * Returns the option whose long name has the smallest edit distance to the LENGTH letters
 * at WORD. If several have it, returns the first of them that begins with the same letter
 * as WORD, because the first letter is seldom wrong. A distance is too large if it is
 * more than a third of the letters of the longer of WORD and the name. Returns NULL if
 * all distances are too large, or if WORD is too short or too long to be judged.
 */
static const struct cli_option *
find_nearest(const char *word, size_t length)
{
    const struct cli_option *nearest = NULL;
    int fewest_edits = WORD_MAX;
    if (length < 3 || length > WORD_MAX)
        return NULL;

    for (int i = 0; i < OPTION_IDS; i++) {
        const struct cli_option *option = &cli_options[i];
        size_t longer = strlen(option->name);
        if (longer < length)
            longer = length;

        int edits = count_edits(word, length, option->name);
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
