/* The search for the highest rate, on devices that are made up. */
#include "support.h"

#include "run/search.h"

#define MOST 10000000
#define STEPS 64

/* The rates that were tried, and which were met. */
static struct tried {
    int64_t rates[STEPS];
    bool met[STEPS];
    int count;
} tried;

/* Searches from FROM on a device that can do up to CAPACITY requests per second, but for
 * the step with this number, from 1, in which something else is in the way. */
static struct search
search(int64_t from, int64_t to, double capacity, int disturbed)
{
    struct search search;
    tried.count = 0;
    search_start(&search, from, to);
    while (search.next_rate) {
        assert_false(search.given_up);
        assert_in_range(tried.count, 0, STEPS - 1);
        assert_in_range(search.next_rate, 1, to);
        bool met = (double)search.next_rate <= capacity && tried.count + 1 != disturbed;
        tried.rates[tried.count] = search.next_rate;
        tried.met[tried.count++] = met;
        search_note(&search, met, false);
    }
    return search;
}

TEST(rates_double_then_close_in)
{
    static const int64_t rates[] = {100,  200,  400,  800,  1600, 3200,
                                    2400, 2000, 2200, 2300, 2250, 2300};
    struct search found = search(100, MOST, 2260, 0);
    assert_int_equal(found.highest_met, 2250);
    assert_int_equal(found.lowest_failed, 2300);
    assert_int_equal(tried.count, LENGTH(rates));
    assert_memory_equal(tried.rates, rates, sizeof(rates));
}

TEST(the_highest_rate_is_found_whatever_it_is)
{
    for (double capacity = 41; capacity < 9e6; capacity *= 1.013)
        for (int64_t from = 1; from <= 30; from += 29) {
            struct search found = search(from, MOST, capacity, 0);
            double met = (double)found.highest_met;
            if (met > capacity || met < capacity * 0.965)
                fail_msg("found %.0f of %.1f", met, capacity);
            assert_in_range(tried.count, 1, 36);
        }
}

/* Of rates that are whole numbers, where those are far apart. */
TEST(low_rates_are_found_as_well)
{
    for (int capacity = 1; capacity <= 40; capacity++) {
        struct search found = search(1, MOST, capacity, 0);
        assert_in_range(found.highest_met, capacity - (capacity + 39) / 40, capacity);
    }
}

TEST(a_highest_rate_to_try_that_is_kept_is_the_answer)
{
    static const int64_t rates[] = {100, 200, 400, 500};
    struct search found = search(100, 500, 1e6, 0);
    assert_int_equal(found.highest_met, 500);
    assert_int_equal(found.lowest_failed, 0);
    assert_int_equal(tried.count, 4);
    assert_memory_equal(tried.rates, rates, sizeof(rates));
    found = search(300, 300, 1e6, 0);
    assert_int_equal(found.highest_met, 300);
    assert_int_equal(tried.count, 1);
}

/* It is tried once more, and lower rates are not: the user said from where on. */
TEST(a_first_rate_that_fails_ends_it)
{
    struct search found = search(100, MOST, 99, 0);
    assert_int_equal(found.highest_met, 0);
    assert_int_equal(tried.count, 2);
    assert_int_equal(tried.rates[1], 100);
}

/* Whichever step it is. */
TEST(one_step_that_is_disturbed_does_not_change_what_is_found)
{
    struct search calm = search(100, MOST, 47123, 0);
    int count = tried.count;
    for (int disturbed = 1; disturbed <= count; disturbed++) {
        struct search found = search(100, MOST, 47123, disturbed);
        assert_in_range(found.highest_met, calm.highest_met * 0.975, 47123);
    }
}

TEST(rates_are_rounded_down_to_significant_digits)
{
    static const struct {
        double rate;
        int digits;
        int64_t rounded;
    } cases[] = {{0, 2, 1},         {0.2, 2, 1},           {1.4, 2, 1},
                 {5.5, 3, 5},       {12.6, 2, 12},         {127, 2, 120},
                 {124.9, 2, 120},   {999.6, 3, 999},       {47999.2, 3, 47900},
                 {48000, 3, 48000}, {9.996e6, 3, 9990000}, {799.9999999999, 3, 800}};
    for (size_t i = 0; i < LENGTH(cases); i++)
        assert_int_equal(search_round(cases[i].rate, cases[i].digits), cases[i].rounded);
}

static bool
was_tried(int64_t rate)
{
    for (int i = 0; i < tried.count; i++)
        if (tried.rates[i] == rate)
            return true;
    return false;
}

/* Each rate fails at first and is met the second time. */
TEST(a_target_that_is_never_steady_ends_the_search)
{
    struct search search;
    tried.count = 0;
    search_start(&search, 1, MOST * 1000LL);
    while (search.next_rate) {
        bool met = was_tried(search.next_rate);
        assert_true(met || tried.count < STEPS);
        if (!met)
            tried.rates[tried.count++] = search.next_rate;
        search_note(&search, met, false);
    }
    assert_true(search.given_up);
    assert_int_equal(search.rate_count, SEARCH_RATES);
    assert_int_equal(tried.count, SEARCH_RATES);
    assert_true(search.highest_met > 0);
}

/* It needs no second try, but one that a lower rate was met after has it. */
TEST(a_rate_that_fails_hopelessly_is_tried_once)
{
    struct search search;
    search_start(&search, 1000, MOST);
    search_note(&search, false, true);
    assert_int_equal(search.next_rate, 0);
    search_start(&search, 1000, MOST);
    search_note(&search, true, false);
    search_note(&search, false, true);
    assert_int_equal(search.next_rate, 1500);
    search_note(&search, true, false);
    for (int i = 0; i < STEPS && search.next_rate < 2000; i++)
        search_note(&search, true, false);
    assert_int_equal(search.next_rate, 2000);
}
