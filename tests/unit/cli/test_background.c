/* The text of -load. */
#include "support.h"

#include "cli/options.h"

#define WORDS "neither size=, depth=, threads=, rate=, speed=, random, linear nor path="

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
        {"", "'': neither read, write nor rw"},
        {"reads", "reads: neither read, write nor rw"},
        {"path=/a", "path=/a: neither read, write nor rw"},
        {"depth=2", "depth=2: neither read, write nor rw"},
        {"read,", "'': " WORDS},
        {"read,,depth=2", "'': " WORDS},
        {"read,write", "write: " WORDS},
        {"read,depth", "depth: " WORDS},
        {"read,=3", "=3: " WORDS},
        {"read,linear=1", "linear=1: " WORDS},
        {"read,Depth=2", "Depth=2: " WORDS},
        {"read,depth=",
         "depth=: not a number with an optional suffix da, k, M, G, T, P, E"},
        {"read,size=x", "size=x: not a size such as 4096, 4k, 1.5m, 8sector, 1page"},
        {"read,depth=0", "depth=0: must be more than 0"},
        {"read,depth=4097", "depth=4097: more than 4096"},
        {"read,threads=1025", "threads=1025: more than 1024"},
        {"read,size=2g",
         "size=2g: more than the system can do in one request (2147479552)"},
        {"read,depth=2,depth=2", "depth=2: given twice"},
        {"read,rate=1,speed=1", "speed=1: one of rate= and speed= is enough"},
        {"read,random,linear", "linear: given after random or linear"},
        {"read,path=", "path=: a target needs a name"},
        {"read,0123456789012345678901234567890123456789012345678901234567890123456789",
         "012345678901234567890123456789012345678901234567890123456789012: too long a "
         "word"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct background_options load;
        const char *wrong = background_parse(cases[i][0], &load);
        if (!wrong)
            fail_msg("%s: accepted", cases[i][0]);
        assert_string_equal(wrong, cases[i][1]);
    }
}
