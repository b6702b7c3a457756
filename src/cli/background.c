/*
 * The text of -load: what the load does, then its words, in any order, each once.
 */
#include "base/buffer.h"
#include "cli/cli.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define WORD 64 /* room for any word but a path */

/* The words with a number, which is one that the option may have. */
static const struct {
    const char *name;
    enum option_id option;
    size_t at; /* its offset in struct background_options */
} numbers[] = {
    {"size=", OPTION_SIZE, offsetof(struct background_options, size)},
    {"depth=", OPTION_DEPTH, offsetof(struct background_options, depth)},
    {"threads=", OPTION_THREADS, offsetof(struct background_options, threads)},
    {"rate=", OPTION_RATE_LIMIT, offsetof(struct background_options, rate)},
    {"speed=", OPTION_SPEED_LIMIT, offsetof(struct background_options, speed)},
};

/* Takes WORD, which is no path. Returns NULL, or why it is refused. */
static const char *
take_word(const char *word, struct background_options *background)
{
    bool linear = strcmp(word, "linear") == 0, random = strcmp(word, "random") == 0;
    if (linear || random) {
        if (background->linear || background->random)
            return "given after random or linear";
        background->linear = linear;
        background->random = random;
        return NULL;
    }
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        int64_t *number = (int64_t *)(void *)((char *)background + numbers[i].at);
        size_t length = strlen(numbers[i].name);
        if (strncmp(word, numbers[i].name, length) != 0)
            continue;
        if (*number)
            return "given twice";
        const char *wrong =
            cli_number(cli_option(numbers[i].option), word + length, number);
        if (!wrong && background->rate && background->speed)
            wrong = "one of rate= and speed= is enough";
        return wrong;
    }
    return "neither size=, depth=, threads=, rate=, speed=, random, linear nor path=";
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
