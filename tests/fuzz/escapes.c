/*
 * Fuzzes the functions that escape control characters. The first byte of the input is the
 * size of the output, the rest is a text. The output must fit, contain no control
 * character, and be the beginning of the output that a sufficient size gives. Each
 * character must have the length and the code point that its bytes say.
 */
#include "fuzz.h"

#include "base/buffer.h"

/* Returns the escaped text in an allocation of exactly SIZE bytes, so that a sanitizer
 * sees each access beyond them. */
static char *
escape(const char *text, size_t size)
{
    char *out = malloc(size);
    MUST(out);
    size_t length = escape_control(text, out, size);
    MUST(length < size);
    MUST(strnlen(out, size) == length);
    MUST(fuzz_is_clean(out));
    return out;
}

static void
check_escapes(const char *text, size_t room)
{
    size_t sufficient = 4 * strlen(text) + 1;
    char *whole = escape(text, sufficient);
    char *again = escape(whole, strlen(whole) + 1);
    char *part = escape(text, room);
    MUST(strlen(whole) >= strlen(text));
    MUST(!fuzz_is_clean(text) || strcmp(whole, text) == 0);
    MUST(strcmp(again, whole) == 0);
    MUST(strncmp(part, whole, strlen(part)) == 0);
    MUST(strlen(whole) >= room || strcmp(part, whole) == 0);
    free(part);
    free(again);
    free(whole);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    char *text = fuzz_text(data + 1, size - 1);
    for (const char *at = text; at <= text + strlen(text); at++) {
        uint32_t code;
        size_t length = fuzz_character(at, &code);
        struct escape_character character;
        const char *next = at;
        MUST(escape_next(&next, &character) == (*at != '\0'));
        MUST(next == at + (length ? length : *at != '\0'));
        MUST(length == 0 || character.code == code);
        MUST((length == 0 && *at) == (character.kind == ESCAPE_INVALID));
    }
    check_escapes(text, data[0] + 1u);
    free(text);
    return 0;
}
