/*
 * The text of -load: what the load does, then its words, in any order, each once.
 */
#include "base/buffer.h"
#include "base/units.h"
#include "cli/options.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define WORD 64 /* room for any word but a path */

/* The words with a number. */
static const struct {
    const char *name;
    size_t at; /* its offset in struct background_options */
    enum units_kind units;
    int64_t most;
    const char *beyond;
} numbers[] = {
    {"size", offsetof(struct background_options, size), UNITS_SIZE, REQUEST_MOST,
     "more than the system can do in one request (2147479552)"},
    {"depth", offsetof(struct background_options, depth), UNITS_COUNT, DEPTH_MOST,
     "more than 4096"},
    {"threads", offsetof(struct background_options, threads), UNITS_COUNT, THREADS_MOST,
     "more than 1024"},
    {"rate", offsetof(struct background_options, rate), UNITS_COUNT, INT64_MAX, NULL},
    {"speed", offsetof(struct background_options, speed), UNITS_SIZE, INT64_MAX, NULL},
};

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static const char twice[] = "given twice";

/* Stores the number that VALUE, the text after NAME and an equals sign, says. Returns
 * NULL, or why it is refused. */
static const char *
take_number(const char *name, const char *value, struct background_options *background)
{
    for (size_t i = 0; i < LENGTH(numbers); i++) {
        int64_t *number = (int64_t *)(void *)((char *)background + numbers[i].at);
        if (strcmp(name, numbers[i].name) != 0)
            continue;
        if (*number)
            return twice;
        const char *wrong = units_parse(numbers[i].units, value, number);
        if (wrong)
            return wrong;
        if (*number < 1)
            return "must be more than 0";
        return *number > numbers[i].most ? numbers[i].beyond : NULL;
    }
    return "neither size=, depth=, threads=, rate=, speed=, random, linear nor path=";
}

/* Takes WORD, which is no path. Returns NULL, or why it is refused. */
static const char *
take_word(const char *word, struct background_options *background)
{
    char name[WORD];
    bool linear = strcmp(word, "linear") == 0, random = strcmp(word, "random") == 0;
    if (linear || random) {
        if (background->linear || background->random)
            return "given after random or linear";
        background->linear = linear;
        background->random = random;
        return NULL;
    }
    size_t length = strcspn(word, "=");
    memcpy(name, word, length);
    name[length] = '\0';
    const char *wrong =
        take_number(word[length] ? name : "", word + length + 1, background);
    if (!wrong && background->rate && background->speed)
        wrong = "one of rate= and speed= is enough";
    return wrong;
}

/* Returns WRONG about WORD. */
static const char *
refuse(struct background_options *background, const char *word, const char *wrong)
{
    snprintf(background->refused, sizeof(background->refused), "%s: %s",
             *word ? word : "''", wrong);
    return background->refused;
}

/* Says that WORD names no operation. */
static const char *
refuse_operation(struct background_options *background, const char *word)
{
    struct operation_mix mix, next;
    char names[96] = "neither ";
    for (int i = 0; operation_mix_at(i, &mix); i++) {
        size_t length = strlen(names);
        const char *joint = i == 0 ? "" : operation_mix_at(i + 1, &next) ? ", " : " nor ";
        snprintf(names + length, sizeof(names) - length, "%s%s", joint,
                 operation_mix_word(&mix));
    }
    return refuse(background, word, names);
}

const char *
background_parse(const char *text, struct background_options *background)
{
    *background = (struct background_options){0};
    for (bool first = true;; first = false) {
        char word[WORD];
        size_t length = strcspn(text, ",");
        if (!first && strncmp(text, "path=", 5) == 0) {
            background->path = text + 5;
            return *background->path
                       ? NULL
                       : refuse(background, "path=", "a target needs a name");
        }
        snprintf(word, sizeof(word), "%.*s", (int)length, text);
        const char *wrong = length >= sizeof(word) ? "too long a word"
                            : first                ? NULL
                                                   : take_word(word, background);
        if (first && !wrong && !operation_mix_find(word, &background->mix))
            return refuse_operation(background, word);
        if (wrong)
            return refuse(background, word, wrong);
        if (text[length] == '\0')
            return NULL;
        text += length + 1;
    }
}

void
background_list(struct buffer *text)
{
    struct operation_mix mix;
    for (int i = 0; operation_mix_at(i, &mix); i++)
        buffer_format(text, "%s\n", operation_mix_word(&mix));
}
