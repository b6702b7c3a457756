/*
 * Decodes base64 (RFC 4648), and decompresses the content of a zlib stream (RFC 1950):
 *
 *   2 bytes of header, blocks of compressed data (RFC 1951), 4 bytes of checksum
 *
 * There are three types of block: stored bytes, data with the fixed Huffman codes, and
 * data whose Huffman codes are described at the beginning of the block. Bits are taken
 * from the lowest bit of each byte up. Data is a sequence of symbols:
 *
 *   0 to 255     a byte
 *   256          the end of the block
 *   257 to 285   a length. A distance follows. Copy as many bytes as the length says,
 *                from as far back as the distance says
 *
 * Some lengths and distances are followed by extra bits, which are added to them.
 */
#include "base/inflate.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define MAX_BITS 15 /* bits of the longest Huffman code */
#define LITERALS 288
#define DISTANCES 30
#define LENGTH_CODES 19 /* symbols of the code that describes the lengths of codes */
#define END_OF_BLOCK 256

static const char ends_early[] = "its zlib stream ends early";
static const char wrong_code[] = "its zlib stream has an invalid code";

/* A stream that is being decompressed. */
struct inflater {
    const unsigned char *next_byte;
    const unsigned char *end;
    uint32_t bits; /* bits that were taken from bytes, and not used yet */
    int bit_count; /* number of these bits */
    struct buffer *out;
    size_t max_size;
    const char *problem; /* why the stream is refused; NULL if there is no reason so far.
                          * After a problem all bits are 0. */
};

/* A Huffman code. Codes of equal length are successive numbers, in the order of their
 * symbols, and follow the codes that are shorter (RFC 1951, section 3.2.2). */
struct huffman_code {
    uint16_t length_counts[MAX_BITS + 1]; /* number of codes, by their length in bits */
    uint16_t symbols[LITERALS];           /* in the order of their codes */
};

/* Keeps the first problem. */
static void
refuse_stream(struct inflater *inflater, const char *problem)
{
    if (!inflater->problem)
        inflater->problem = problem;
}

/* Returns the next COUNT bits, at most 16, as a number whose lowest bit comes first. */
static unsigned
take_bits(struct inflater *inflater, int count)
{
    while (inflater->bit_count < count) {
        if (inflater->next_byte == inflater->end)
            refuse_stream(inflater, ends_early);
        if (inflater->problem)
            return 0;
        inflater->bits |= (uint32_t)*inflater->next_byte++ << inflater->bit_count;
        inflater->bit_count += 8;
    }

    unsigned taken = inflater->bits & ((1u << count) - 1);
    inflater->bits >>= count;
    inflater->bit_count -= count;
    return taken;
}

/* Adds SIZE BYTES to the content, unless it becomes too large. */
static void
add_bytes(struct inflater *inflater, const char *bytes, size_t size)
{
    struct buffer *out = inflater->out;

    if (size > inflater->max_size - out->length)
        refuse_stream(inflater, "it is too large when decompressed");
    else
        buffer_add(out, bytes, size);
}

/* Makes CODE from the lengths of the codes of COUNT symbols, in bits; 0 stands for a
 * symbol without a code. Refuses lengths for which there are not enough codes. */
static void
make_code(struct inflater *inflater, struct huffman_code *code, const uint8_t *lengths,
          int count)
{
    int next[MAX_BITS + 2] = {0}; /* by length: where its next symbol goes */
    int free_codes = 1;           /* codes of the present length that are not in use */

    memset(code, 0, sizeof(*code));
    for (int i = 0; i < count; i++)
        code->length_counts[lengths[i]]++;
    code->length_counts[0] = 0;

    for (int length = 1; length <= MAX_BITS; length++) {
        free_codes = 2 * free_codes - code->length_counts[length];
        if (free_codes < 0) {
            refuse_stream(inflater, wrong_code);
            return;
        }
        next[length + 1] = next[length] + code->length_counts[length];
    }

    for (int i = 0; i < count; i++)
        if (lengths[i])
            code->symbols[next[lengths[i]]++] = (uint16_t)i;
}

/* Returns the next symbol of CODE. `offset` is the distance of the bits so far from the
 * first code of their length. */
static int
take_symbol(struct inflater *inflater, const struct huffman_code *code)
{
    int offset = 0;
    int shorter_count = 0; /* codes that are shorter */

    for (int length = 1; length <= MAX_BITS; length++) {
        int length_count = code->length_counts[length];
        offset = 2 * offset + (int)take_bits(inflater, 1);
        if (inflater->problem)
            return END_OF_BLOCK;
        if (offset < length_count)
            return code->symbols[shorter_count + offset];
        offset -= length_count;
        shorter_count += length_count;
    }

    refuse_stream(inflater, wrong_code);
    return END_OF_BLOCK;
}

/* Copies LENGTH bytes that were added DISTANCE bytes ago. The bytes that are copied may
 * overlap the bytes that are added. */
static void
copy_back(struct inflater *inflater, int length, int distance)
{
    const struct buffer *out = inflater->out;

    if ((size_t)distance > out->length) {
        refuse_stream(inflater, "its zlib stream refers to bytes before its beginning");
        return;
    }

    for (int i = 0; i < length; i++) {
        if (inflater->problem || out->failed)
            return;
        char byte = out->text[out->length - (size_t)distance];
        add_bytes(inflater, &byte, 1);
    }
}

/* Takes the extra bits of the length SYMBOL (257 to 285). Returns the length. Four
 * successive symbols have equally many extra bits. */
static int
take_length(struct inflater *inflater, int symbol)
{
    int index = symbol - 257;
    if (index < 8)
        return index + 3;
    if (index == 28)
        return 258;

    int extra = index / 4 - 1;
    return ((4 + index % 4) << extra) + 3 + (int)take_bits(inflater, extra);
}

/* Takes the extra bits of the distance SYMBOL (0 to 29). Returns the distance. Two
 * successive symbols have equally many extra bits. */
static int
take_distance(struct inflater *inflater, int symbol)
{
    if (symbol < 4)
        return symbol + 1;

    int extra = symbol / 2 - 1;
    return ((2 + symbol % 2) << extra) + 1 + (int)take_bits(inflater, extra);
}

/* Adds the content of a block of symbols. */
static void
inflate_symbols(struct inflater *inflater, const struct huffman_code *literals,
                const struct huffman_code *distances)
{
    for (;;) {
        int symbol = take_symbol(inflater, literals);
        if (inflater->problem || inflater->out->failed || symbol == END_OF_BLOCK)
            return;

        if (symbol < END_OF_BLOCK) {
            add_bytes(inflater, &(char){(char)symbol}, 1);
            continue;
        }
        if (symbol > 285) {
            refuse_stream(inflater, wrong_code);
            return;
        }

        int length = take_length(inflater, symbol);
        int distance_symbol = take_symbol(inflater, distances);
        if (inflater->problem)
            return;
        int distance = take_distance(inflater, distance_symbol);
        if (!inflater->problem)
            copy_back(inflater, length, distance);
    }
}

/* Adds the content of a stored block: its size, all bits of the size inverted, and the
 * bytes themselves, which begin at the next whole byte. */
static void
inflate_stored(struct inflater *inflater)
{
    inflater->bits = 0;
    inflater->bit_count = 0;
    unsigned size = take_bits(inflater, 16);
    unsigned inverted = take_bits(inflater, 16);

    if (inflater->problem)
        return;
    if ((size ^ inverted) != 0xffff)
        refuse_stream(inflater, "the size of a block of its zlib stream is wrong");
    else if (size > (size_t)(inflater->end - inflater->next_byte))
        refuse_stream(inflater, ends_early);
    else if (size > 0)
        add_bytes(inflater, (const char *)inflater->next_byte, size);
    if (!inflater->problem)
        inflater->next_byte += size;
}

/* Adds the content of a block with the fixed codes (RFC 1951, section 3.2.6). */
static void
inflate_fixed(struct inflater *inflater)
{
    struct huffman_code literals;
    struct huffman_code distances;
    uint8_t lengths[LITERALS];

    memset(lengths, 8, 144);
    memset(lengths + 144, 9, 112);
    memset(lengths + 256, 7, 24);
    memset(lengths + 280, 8, 8);
    make_code(inflater, &literals, lengths, LITERALS);
    memset(lengths, 5, DISTANCES);
    make_code(inflater, &distances, lengths, DISTANCES);

    inflate_symbols(inflater, &literals, &distances);
}

/* Takes the lengths of COUNT codes, which are encoded with CODE. A symbol above 15 stands
 * for several equal lengths. */
static void
take_code_lengths(struct inflater *inflater, const struct huffman_code *code,
                  uint8_t *lengths, int count)
{
    int done = 0;

    while (done < count && !inflater->problem) {
        int symbol = take_symbol(inflater, code);
        int repeat = 1;
        uint8_t length = symbol < 16 ? (uint8_t)symbol : 0;

        if (symbol == 16) {
            repeat = 3 + (int)take_bits(inflater, 2);
            if (done > 0)
                length = lengths[done - 1];
            else
                refuse_stream(inflater, wrong_code);
        } else if (symbol == 17) {
            repeat = 3 + (int)take_bits(inflater, 3);
        } else if (symbol == 18) {
            repeat = 11 + (int)take_bits(inflater, 7);
        }

        if (repeat > count - done)
            refuse_stream(inflater, wrong_code);
        if (inflater->problem)
            return;
        memset(lengths + done, length, (size_t)repeat);
        done += repeat;
    }
}

/* Adds the content of a block that describes its own codes (RFC 1951, section 3.2.7). */
static void
inflate_dynamic(struct inflater *inflater)
{
    static const uint8_t order[LENGTH_CODES] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                                11, 4,  12, 3, 13, 2, 14, 1, 15};
    struct huffman_code literals;
    struct huffman_code distances;
    uint8_t lengths[LITERALS + 32] = {0};

    int literal_count = 257 + (int)take_bits(inflater, 5);
    int distance_count = 1 + (int)take_bits(inflater, 5);
    int length_count = 4 + (int)take_bits(inflater, 4);
    if (literal_count > 286 || distance_count > DISTANCES) {
        refuse_stream(inflater, wrong_code);
        return;
    }

    for (int i = 0; i < length_count; i++)
        lengths[order[i]] = (uint8_t)take_bits(inflater, 3);
    make_code(inflater, &literals, lengths, LENGTH_CODES);

    take_code_lengths(inflater, &literals, lengths, literal_count + distance_count);
    if (inflater->problem)
        return;
    make_code(inflater, &literals, lengths, literal_count);
    make_code(inflater, &distances, lengths + literal_count, distance_count);
    inflate_symbols(inflater, &literals, &distances);
}

/* Returns the Adler-32 checksum (RFC 1950, section 9) of the bytes in BUFFER. */
static uint32_t
find_checksum(const struct buffer *buffer)
{
    uint32_t a = 1;
    uint32_t b = 0;

    for (size_t i = 0; i < buffer->length; i++) {
        a = (a + (unsigned char)buffer->text[i]) % 65521;
        b = (b + a) % 65521;
    }
    return b << 16 | a;
}

/* Checks the end of the stream: the checksum of the content, in big-endian order. */
static void
check_end(struct inflater *inflater)
{
    const unsigned char *at = inflater->next_byte;
    ptrdiff_t size = inflater->end - at;

    if (size < 4) {
        refuse_stream(inflater, ends_early);
        return;
    }

    uint32_t checksum =
        (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
    if (checksum != find_checksum(inflater->out))
        refuse_stream(inflater, "the checksum of its zlib stream is wrong");
    if (size > 4)
        refuse_stream(inflater, "bytes follow its zlib stream");
}

const char *
zlib_inflate(struct buffer *out, const char *bytes, size_t size, size_t max_size)
{
    const unsigned char *at = (const unsigned char *)bytes;
    struct inflater inflater = {at, at + size, 0, 0, out, max_size, NULL};
    bool is_last = false;

    /* The header has the method (8, deflate), the size of the window, a flag that a
     * dictionary is needed, and check bits (RFC 1950, section 2.2). */
    if (size < 2)
        return ends_early;
    if ((at[0] & 15) != 8 || at[0] >> 4 > 7 || at[1] & 32 || (at[0] << 8 | at[1]) % 31)
        return "it has no zlib stream";
    inflater.next_byte += 2;

    while (!is_last && !inflater.problem && !out->failed) {
        is_last = take_bits(&inflater, 1) == 1;
        unsigned type = take_bits(&inflater, 2);
        if (inflater.problem)
            break;
        if (type == 0)
            inflate_stored(&inflater);
        else if (type == 1)
            inflate_fixed(&inflater);
        else if (type == 2)
            inflate_dynamic(&inflater);
        else
            refuse_stream(&inflater, wrong_code);
    }

    if (!inflater.problem && !out->failed)
        check_end(&inflater);
    return inflater.problem;
}

/* Returns the value of a digit of base64, 0 to 63, or -1 for any other character. */
static int
find_digit(char digit)
{
    if (digit >= 'A' && digit <= 'Z')
        return digit - 'A';
    if (digit >= 'a' && digit <= 'z')
        return digit - 'a' + 26;
    if (digit >= '0' && digit <= '9')
        return digit - '0' + 52;
    if (digit == '+')
        return 62;
    return digit == '/' ? 63 : -1;
}

const char *
base64_decode(struct buffer *out, const char *text, size_t length)
{
    size_t padding = 0;
    if (length % 4 != 0)
        return "its base64 is incomplete";

    while (padding < 2 && padding < length && text[length - 1 - padding] == '=')
        padding++;

    for (size_t i = 0; i < length; i += 4) {
        bool is_last = i + 4 == length;
        size_t digit_count = is_last ? 4 - padding : 4;
        uint32_t bits = 0;
        char bytes[3];

        for (size_t k = 0; k < digit_count; k++) {
            int digit = find_digit(text[i + k]);
            if (digit < 0)
                return "it has a character that is not base64";
            bits |= (uint32_t)digit << (18 - 6 * k);
        }
        for (size_t k = 0; k < 3; k++)
            bytes[k] = (char)(bits >> (16 - 8 * k));
        buffer_add(out, bytes, digit_count - 1);
    }
    return NULL;
}
