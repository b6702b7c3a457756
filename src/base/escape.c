/*
 * Reads UTF-8 character by character, and escapes control characters. A byte that does
 * not start a well-formed character counts as one character, and reading goes on at the
 * next byte. So a loop over a text sees each byte exactly once, even if the text is
 * damaged.
 */
#include "base/buffer.h"

#include <stdio.h>
#include <string.h>

/*
 * The well-formed characters, as in RFC 3629, section 4. The first byte of a character
 * selects the row: it is from LEAD_MIN to LEAD_MAX. The second byte must be from
 * SECOND_MIN to SECOND_MAX, any further bytes from 0x80 to 0xbf. LENGTH is the length of
 * the character in bytes.
 */
static const struct {
    unsigned char lead_min, lead_max, second_min, second_max, length;
} utf8[] = {
    {0x01, 0x7f, 0, 0, 1},       {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
    {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
    {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
};

/*
 * Stores in CODE the code point of the character at BYTE, which is NUL-terminated.
 * Returns the length of the character in bytes, or 0 if the bytes are not well-formed
 * UTF-8.
 */
static size_t
decode_character(const unsigned char *byte, uint32_t *code)
{
    /* The bits of the first byte that belong to the code point, by length. */
    static const unsigned char lead_masks[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    size_t row = 0;
    size_t rows = sizeof(utf8) / sizeof(utf8[0]);
    while (row < rows && (byte[0] < utf8[row].lead_min || byte[0] > utf8[row].lead_max))
        row++;
    if (row == rows)
        return 0;

    size_t length = utf8[row].length;
    if (length > 1 && (byte[1] < utf8[row].second_min || byte[1] > utf8[row].second_max))
        return 0;

    *code = byte[0] & lead_masks[length];
    for (size_t i = 1; i < length; i++) {
        if ((byte[i] & 0xc0) != 0x80)
            return 0;
        *code = *code << 6 | (byte[i] & 0x3f);
    }

    return length;
}

static enum escape_kind
classify_code_point(uint32_t code)
{
    if (code < 0x20 || (code >= 0x7f && code < 0xa0))
        return ESCAPE_CONTROL;

    /* The characters with the Unicode property Bidi_Control: ALM, LRM, RLM, the
     * embeddings and overrides, and the isolates. */
    if (code == 0x61c || code == 0x200e || code == 0x200f ||
        (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069))
        return ESCAPE_BIDI;

    return ESCAPE_PLAIN;
}

bool
escape_next(const char **text, struct escape_character *character)
{
    const unsigned char *byte = (const unsigned char *)*text;
    *character = (struct escape_character){.bytes = *text};
    if (byte[0] == '\0')
        return false;

    character->length = decode_character(byte, &character->code);
    if (character->length > 0)
        character->kind = classify_code_point(character->code);
    else
        *character = (struct escape_character){*text, 1, byte[0], ESCAPE_INVALID};

    *text += character->length;
    return true;
}

int
escape_count(const char *text)
{
    struct escape_character character;
    int count = 0;

    while (escape_next(&text, &character))
        count++;

    return count;
}

/* Returns true if escape_control escapes CHARACTER. */
static bool
must_escape(const struct escape_character *character)
{
    /* A terminal that is not in UTF-8 mode obeys bytes below 0xa0 as C1 controls. */
    if (character->kind == ESCAPE_INVALID)
        return character->code < 0xa0;
    return character->kind != ESCAPE_PLAIN;
}

#define ESCAPED_BYTE 4 /* length of an escaped byte: a backslash and three digits */

/* Writes each byte of CHARACTER, escaped, and a NUL to OUT. */
static void
write_escaped(const struct escape_character *character, char *out)
{
    for (size_t i = 0; i < character->length; i++) {
        unsigned char byte = (unsigned char)character->bytes[i];
        snprintf(out + ESCAPED_BYTE * i, ESCAPED_BYTE + 1, "\\%03o", (unsigned)byte);
    }
}

size_t
escape_control(const char *text, char *out, size_t size)
{
    struct escape_character character;
    size_t used = 0;

    while (escape_next(&text, &character)) {
        bool escapes = must_escape(&character);
        size_t length = escapes ? ESCAPED_BYTE * character.length : character.length;
        if (used + length >= size)
            break;

        if (escapes)
            write_escaped(&character, out + used);
        else
            memcpy(out + used, character.bytes, character.length);
        used += length;
    }

    out[used] = '\0';
    return used;
}
