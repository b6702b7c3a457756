#ifndef FUZZ_FUZZ_H
#define FUZZ_FUZZ_H

/* Functions that all fuzzers use. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Tries one input. In unit/house/test_corpus it is called fuzz_NAME, after its fuzzer. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Aborts unless CONDITION holds. */
#define MUST(condition) \
    ((condition) ? (void)0 : fuzz_broken(__FILE__, __LINE__, #condition))

static inline void
fuzz_broken(const char *file, int line, const char *condition)
{
    fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, condition);
    abort();
}

/* Returns the bytes up to a NUL, or all, as a text in its own allocation, so that a
 * sanitizer sees each read beyond its end. */
static inline char *
fuzz_text(const uint8_t *data, size_t size)
{
    size_t length = strnlen((const char *)data, size);
    char *text = malloc(length + 1);
    MUST(text);
    memcpy(text, data, length);
    text[length] = '\0';
    return text;
}

/* Returns the length of the UTF-8 character at TEXT and sets CODE to its code point.
 * Returns 0 if there is no valid character. */
static inline size_t
fuzz_character(const char *text, uint32_t *code)
{
    static const uint32_t least[] = {1, 0, 0x80, 0x800, 0x10000};
    const unsigned char *byte = (const unsigned char *)text;
    size_t ones = 0;
    while (byte[0] & 0x80 >> ones)
        ones++;
    if (ones == 1 || ones > 4)
        return 0;
    *code = byte[0] & 0x7fu >> ones;
    for (size_t i = 1; i < ones; i++) {
        if (byte[i] >> 6 != 2)
            return 0;
        *code = *code << 6 | (byte[i] & 0x3f);
    }
    bool surrogate = *code >= 0xd800 && *code <= 0xdfff;
    if (*code < least[ones] || *code > 0x10ffff || surrogate)
        return 0;
    return ones ? ones : 1;
}

/* Returns true if TEXT contains no control character (C0, DEL, or C1 as one byte or as
 * UTF-8) and no character that changes the direction of text. */
static inline bool
fuzz_is_clean(const char *text)
{
    while (*text) {
        uint32_t code;
        size_t length = fuzz_character(text, &code);
        if (length == 0)
            code = (unsigned char)*text;
        if (code < 0x20 || (code >= 0x7f && code < 0xa0))
            return false;
        if (code == 0x61c || code == 0x200e || code == 0x200f ||
            (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069))
            return false;
        text += length ? length : 1;
    }
    return true;
}

#endif
