/* The text of -load. */
#include "support.h"

#include "cli/options.h"

#define WORDS \
    "unknown word; use size=, depth=, threads=, rate=, speed=, random, linear or path="

static struct background_options
parsed(const char *text)
{
    struct background_options load;
    const char *wrong = background_parse(text, &load);
    if (wrong)
        fail_msg("%s: %s", text, wrong);
    return load;
}

TEST(the_first_word_is_what_it_does)
{
    static const char *const words[] = {"read", "write", "rw"};
    for (size_t i = 0; i < LENGTH(words); i++) {
        struct background_options background = parsed(words[i]);
        assert_string_equal(operation_mix_word(&background.mix), words[i]);
    }
}

TEST(what_is_not_given_is_left_open)
{
    struct background_options load = parsed("read");
    assert_int_equal(load.size, 0);
    assert_int_equal(load.depth, 0);
    assert_int_equal(load.threads, 0);
    assert_int_equal(load.rate, 0);
    assert_int_equal(load.speed, 0);
    assert_false(load.linear || load.random);
    assert_null(load.path);
}

TEST(words_come_in_any_order)
{
    static const char *const texts[] = {
        "write,size=1m,depth=8,threads=2,rate=1k,linear",
        "write,linear,rate=1000,threads=2,depth=8,size=1m"};
    for (size_t i = 0; i < LENGTH(texts); i++) {
        struct background_options load = parsed(texts[i]);
        assert_int_equal(load.size, 1 << 20);
        assert_int_equal(load.depth, 8);
        assert_int_equal(load.threads, 2);
        assert_int_equal(load.rate, 1000);
        assert_true(load.linear);
    }
    assert_int_equal(parsed("read,speed=10m").speed, 10 << 20);
    assert_true(parsed("read,random").random);
}

TEST(a_path_takes_the_rest)
{
    struct background_options load = parsed("read,depth=2,path=/a,b=c,depth=3");
    assert_string_equal(load.path, "/a,b=c,depth=3");
    assert_int_equal(load.depth, 2);
}

TEST(a_wrong_word_is_named)
{
    static const char *const cases[][2] = {
        {"", "'': the first word must be read, write or rw"},
        {"reads", "reads: the first word must be read, write or rw"},
        {"path=/a", "path=/a: the first word must be read, write or rw"},
        {"depth=2", "depth=2: the first word must be read, write or rw"},
        {"read,", "'': " WORDS},
        {"read,,depth=2", "'': " WORDS},
        {"read,write", "write: " WORDS},
        {"read,depth", "depth: " WORDS},
        {"read,=3", "=3: " WORDS},
        {"read,linear=1", "linear=1: " WORDS},
        {"read,Depth=2", "Depth=2: " WORDS},
        {"read,depth=", "depth=: not a count such as 10, 5k or 1M"},
        {"read,size=x", "size=x: not a size such as 4096, 4k or 1.5m"},
        {"read,depth=0", "depth=0: must be more than 0"},
        {"read,depth=4097", "depth=4097: must be at most 4096"},
        {"read,threads=1025", "threads=1025: must be at most 1024"},
        {"read,size=2g", "size=2g: a request can have at most 2147479552 bytes"},
        {"read,depth=2,depth=2", "depth=2: given twice"},
        {"read,rate=1,speed=1", "speed=1: rate= and speed= cannot be combined"},
        {"read,random,linear", "linear: random or linear is given already"},
        {"read,path=", "path=: the path is empty"},
        {"read,0123456789012345678901234567890123456789012345678901234567890123456789",
         "012345678901234567890123456789012345678901234567890123456789012: the word is "
         "too long"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct background_options load;
        const char *wrong = background_parse(cases[i][0], &load);
        if (!wrong)
            fail_msg("%s: accepted", cases[i][0]);
        assert_string_equal(wrong, cases[i][1]);
    }
}
