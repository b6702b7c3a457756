/* The similarity of words, and advice about a misspelled name of a figure. */
#include "spelling.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static int
smaller_of(int one, int other)
{
    return one < other ? one : other;
}

/*
 * The distance is that of F. J. Damerau (1964), computed with the table of R. A. Wagner
 * and M. J. Fischer (1974): row N, column I has the distance between the first N letters
 * of NAME and the first I letters of WORD. Each row needs only the two rows above it, so
 * only three rows are in memory: ROW, the row above it, and the row above that one.
 */
int
spelling_count_edits(const char *word, size_t length, const char *name)
{
    int two_above[SPELLING_MAX + 1] = {0};
    int above[SPELLING_MAX + 1];
    int row[SPELLING_MAX + 1];
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

/* Names of figures in other tools, and what the figures are called here. */
static const struct {
    const char *other_name, *name;
} figure_synonyms[] = {
    {"mean", "avg"},      {"average", "avg"}, {"median", "p50"}, {"throughput", "bps"},
    {"bandwidth", "bps"}, {"stddev", "mdev"}, {"p0", "min"},     {"p100", "max"},
};

/*
 * Returns the name in LIST, as spelling_suggest_figure describes it, with the smallest
 * edit distance to WORD, and stores the length of the name in LENGTH. The distance must
 * be at most a third of the letters, as for options. Returns NULL if there is no such
 * name.
 */
static const char *
find_nearest_figure(const char *word, const char *list, size_t *length)
{
    const char *nearest = NULL;
    int fewest_edits = SPELLING_MAX;

    for (const char *name = list; *name; name += strcspn(name, "\n") + 1) {
        size_t end = strcspn(name, "=\n");
        size_t longer = strlen(word) > end ? strlen(word) : end;
        if (end > SPELLING_MAX)
            continue;

        int edits = spelling_count_edits(name, end, word);
        if (edits < fewest_edits && 3 * edits <= (int)longer) {
            fewest_edits = edits;
            nearest = name;
            *length = end;
        }
    }
    return nearest;
}

bool
spelling_suggest_figure(const char *word, const char *list, char *advice, size_t size)
{
    char lower[SPELLING_MAX + 1] = "";
    size_t length = strlen(word);
    if (length > SPELLING_MAX)
        return false;

    for (size_t i = 0; i < length; i++)
        lower[i] = (char)tolower((unsigned char)word[i]);
    lower[length] = '\0';

    const char *name = NULL;
    for (size_t i = 0; i < sizeof(figure_synonyms) / sizeof(figure_synonyms[0]); i++)
        if (strcmp(lower, figure_synonyms[i].other_name) == 0) {
            name = figure_synonyms[i].name;
            length = strlen(name);
        }

    if (!name)
        name = find_nearest_figure(lower, list, &length);
    if (!name)
        return false;

    snprintf(advice, size, "did you mean %.*s?", (int)length, name);
    return true;
}
