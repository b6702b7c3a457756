/* Runs the fuzzers on every input of their corpora, without fuzzing. */
#include "support.h"

#include <glob.h>

#define INPUT_MAX 4096
#define CORPUS_MAX (60 << 10)

typedef int fuzz_function(const uint8_t *data, size_t size);

/* The harnesses of tests/fuzz, one file each. */
fuzz_function fuzz_escapes, fuzz_recorded_runs, fuzz_mounts, fuzz_options, fuzz_values,
    fuzz_zlib;

static const char *input;

/* A harness aborts on a condition that it has printed. */
static void
blame_input(int number)
{
    (void)number;
    fail_msg("broken by %s", input);
}

/* Tries one file; returns its size. */
static size_t
try_file(fuzz_function *harness)
{
    FILE *file = fopen(input, "rb");
    assert_non_null(file);
    uint8_t *data = malloc(INPUT_MAX);
    assert_non_null(data);
    size_t size = fread(data, 1, INPUT_MAX, file);
    assert_int_equal(fgetc(file), EOF);
    fclose(file);
    assert_int_equal(harness(data, size), 0);
    free(data);
    return size;
}

static void
try_corpus(const char *name, fuzz_function *harness)
{
    char pattern[1100];
    const char *top = getenv("IOPING_SOURCE");
    glob_t found;
    size_t sum = 0;
    snprintf(pattern, sizeof(pattern), "%s/tests/fuzz/corpus/%s/*", top ? top : ".",
             name);
    assert_int_equal(glob(pattern, 0, NULL, &found), 0);
    assert_true(found.gl_pathc > 20);
    signal(SIGABRT, blame_input);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        input = found.gl_pathv[i];
        sum += try_file(harness);
    }
    signal(SIGABRT, SIG_DFL);
    globfree(&found);
    assert_in_range(sum, 1, CORPUS_MAX);
}

static const struct corpus {
    const char *name;
    fuzz_function *harness;
} corpora[] = {
    {"options", fuzz_options},
    {"values", fuzz_values},
    {"mounts", fuzz_mounts},
    {"escapes", fuzz_escapes},
    {"recorded_runs", fuzz_recorded_runs},
    {"zlib", fuzz_zlib},
};

TEST_EACH(no_input_breaks_its_reader, corpora)
{
    const struct corpus *corpus = *state;
    try_corpus(corpus->name, corpus->harness);
}
