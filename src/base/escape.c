#include "base/escape.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* RFC 3629, section 4: the allowed second byte depends on the first. */
static const struct {
    unsigned char first, last, low, high, length;
} utf8[] = {
    {0x01, 0x7f, 0, 0, 1},       {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
    {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
    {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
};

size_t
escape_utf8_length(const char *text)
{
    const unsigned char *byte = (const unsigned char *)text;
    for (size_t i = 0; i < sizeof(utf8) / sizeof(utf8[0]); i++) {
        if (byte[0] < utf8[i].first || byte[0] > utf8[i].last)
            continue;
        if (utf8[i].length > 1 && (byte[1] < utf8[i].low || byte[1] > utf8[i].high))
            return 0;
        for (size_t k = 2; k < utf8[i].length; k++)
            if ((byte[k] & 0xc0) != 0x80)
                return 0;
        return utf8[i].length;
    }
    return 0;
}

/* Unicode's Bidi_Control: ALM, LRM and RLM, embeddings and overrides, isolates. */
unsigned
escape_bidi(const char *text)
{
    const unsigned char *byte = (const unsigned char *)text;
    if (byte[0] == 0xd8 && byte[1] == 0x9c)
        return 0x61c;
    if (byte[0] != 0xe2 || (byte[1] != 0x80 && byte[1] != 0x81) || byte[2] >> 6 != 2)
        return 0;
    unsigned code = 0x2000U | (byte[1] & 0x3fU) << 6 | (byte[2] & 0x3fU);
    bool is_mark = code == 0x200e || code == 0x200f;
    bool is_embedding = code >= 0x202a && code <= 0x202e;
    bool is_isolate = code >= 0x2066 && code <= 0x2069;
    return is_mark || is_embedding || is_isolate ? code : 0;
}

static bool
is_control(const unsigned char *byte, size_t length)
{
    if (length > 1 && escape_bidi((const char *)byte))
        return true;
    if (length == 2)
        return byte[0] == 0xc2 && byte[1] < 0xa0;
    return byte[0] < 0x20 || byte[0] == 0x7f ||
           (length == 0 && byte[0] >= 0x80 && byte[0] < 0xa0);
}

size_t
escape_control(const char *text, char *out, size_t size)
{
    size_t used = 0;
    while (*text) {
        char piece[3 * 4 + 1];
        size_t length = escape_utf8_length(text), wide = 0;
        size_t step = length ? length : 1;
        if (is_control((const unsigned char *)text, length)) {
            for (size_t i = 0; i < step; i++, wide += 4)
                snprintf(piece + wide, 5, "\\%03o", (unsigned)(unsigned char)text[i]);
        } else {
            memcpy(piece, text, step);
            wide = step;
        }
        if (used + wide >= size)
            break;
        memcpy(out + used, piece, wide);
        used += wide;
        text += step;
    }
    out[used] = '\0';
    return used;
}
