/*
 * Advice about a word that is not an option, from the first of these that has any:
 * 1. hints for words of fio and other tools that need more, or less, than one option
 * here;
 * 2. the names in other tools of a single option, from the option table (synonyms);
 * 3. the option whose long name has the most similar spelling.
 */
#include "suggest.h"

#include "cli/cli.h"

#include <stdio.h>
#include <string.h>

#define LONGEST 32 /* letters: a longer word is not taken for a mistyped option */

/*
 * Hints for a word with a certain value, or with any value or none (NULL). The first row
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
is_name(const char *word, size_t length, const char *name)
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
        const char *wanted = hints[i].value;
        if (!is_name(word, length, hints[i].word))
            continue;

        if (!wanted || (value && strcmp(value, wanted) == 0))
            return hints[i].advice;
    }
    return NULL;
}

/* Returns the option whose name in other tools is the LENGTH letters at WORD, or NULL. */
static const struct cli_option *
find_synonym(const char *word, size_t length)
{
    for (int i = 0; i < OPTION_IDS; i++) {
        const char *synonym = cli_options[i].synonyms;
        while (synonym && *synonym) {
            size_t end = strcspn(synonym, " ");
            if (end == length && memcmp(word, synonym, length) == 0)
                return &cli_options[i];
            synonym += end + strspn(synonym + end, " ");
        }
    }
    return NULL;
}

static int
smaller(int one, int other)
{
    return one < other ? one : other;
}

/*
 * Returns the edit distance between the LENGTH letters at WORD and NAME: the number of
 * letters to insert, delete, replace, or exchange with their neighbour, to turn WORD into
 * NAME. LENGTH must be at most LONGEST.
 *
 * The distance is that of F. J. Damerau (1964), computed with the table of R. A. Wagner
 * and M. J. Fischer (1974): row N, column I has the distance between the first N letters
 * of NAME and the first I letters of WORD. Each row needs only the two rows above it, so
 * only three rows are in memory: `before`, `last` and `row`.
 */
static int
count_edits(const char *word, size_t length, const char *name)
{
    int before[LONGEST + 1] = {0};
    int last[LONGEST + 1];
    int row[LONGEST + 1];
    for (size_t i = 0; i <= length; i++)
        last[i] = (int)i;

    for (size_t n = 0; name[n]; n++) {
        row[0] = (int)n + 1;
        for (size_t i = 1; i <= length; i++) {
            int replaced = last[i - 1] + (word[i - 1] == name[n] ? 0 : 1);
            int fewest = smaller(replaced, smaller(row[i - 1], last[i]) + 1);
            bool exchanged =
                n > 0 && i > 1 && word[i - 1] == name[n - 1] && word[i - 2] == name[n];
            if (exchanged)
                fewest = smaller(fewest, before[i - 2] + 1);
            row[i] = fewest;
        }
        memcpy(before, last, sizeof(before));
        memcpy(last, row, sizeof(last));
    }
    return last[length];
}

/* Returns true if OPTION makes requests write. */
static bool
writes(const struct cli_option *option)
{
    return option->workload || option->id == OPTION_APPEND;
}

/*
 * Returns the option whose long name has the smallest edit distance to the LENGTH letters
 * at WORD. Returns NULL if each name needs more than one edit for three letters of the
 * longer of the two, or if WORD is too short or too long to be judged.
 */
static const struct cli_option *
find_nearest(const char *word, size_t length)
{
    const struct cli_option *nearest = NULL;
    int fewest = LONGEST;
    if (length < 3 || length > LONGEST)
        return NULL;

    for (int i = 0; i < OPTION_IDS; i++) {
        const struct cli_option *option = &cli_options[i];
        size_t longer = strlen(option->name);
        if (longer < length)
            longer = length;
        int edits = count_edits(word, length, option->name);
        if (edits >= fewest || 3 * edits > (int)longer)
            continue;
        fewest = edits;
        nearest = option;
    }
    return nearest;
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
    if (!option || (writes(option) && !strstr(name, "writ")))
        return false;
    snprintf(advice, size, "did you mean -%s?", option->name);
    return true;
}
