/* The parts of a request by the times of its block requests, which are made up. */
#include "support.h"

#include "base/random.h"
#include "stats/breakdown.h"

#define MOST 8

/* From START 1000 to 2000; an interval that is all 0 ends the list. */
static const struct {
    const char *what;
    int64_t queued;
    struct breakdown_interval intervals[MOST];
    int64_t submit, queue, device, back;
} cases[] = {
    {"one", 1100, {{1300, 1700}}, 100, 200, 400, 300},
    {"side by side", 1100, {{1300, 1700}, {1300, 1700}}, 100, 200, 400, 300},
    {"overlapping", 1100, {{1300, 1700}, {1600, 1800}}, 100, 200, 500, 200},
    {"within another", 1100, {{1300, 1900}, {1400, 1500}}, 100, 200, 600, 100},
    {"out of order", 1100, {{1600, 1800}, {1300, 1700}}, 100, 200, 500, 200},
    {"with a gap", 1100, {{1200, 1300}, {1800, 1900}}, 100, 600, 200, 100},
    {"the long one first",
     1000,
     {{1000, 1600}, {1100, 1200}, {1700, 1750}},
     0,
     100,
     650,
     250},
    {"touching", 1100, {{1200, 1300}, {1300, 1400}}, 100, 100, 200, 600},
    {"no time at the device", 1100, {{1200, 1200}}, 100, 100, 0, 800},
    {"uneven",
     1010,
     {{1020, 1021}, {1022, 1023}, {1500, 1999}, {1021, 1030}, {1990, 1995}},
     10,
     480,
     509,
     1},
    {"queued before it begins", 900, {{950, 1700}}, 0, 0, 700, 300},
    {"complete after its end", 1100, {{1300, 2100}}, 100, 200, 700, 0},
    {"all before it begins", 900, {{950, 960}}, 0, 0, 0, 1000},
    {"all after its end", 2100, {{2200, 2300}}, 1000, 0, 0, 0},
    {"issued after its end", 1100, {{2200, 2300}}, 100, 900, 0, 0},
};

TEST(each_moment_is_in_one_part)
{
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct breakdown_interval intervals[MOST];
        int64_t part[PARTS];
        int count = 0;
        while (count < MOST && cases[i].intervals[count].completed_at)
            count++;
        memcpy(intervals, cases[i].intervals, sizeof(intervals));
        breakdown_divide(1000, 2000, cases[i].queued, intervals, count, part);
        if (part[PART_SUBMIT] != cases[i].submit || part[PART_QUEUE] != cases[i].queue ||
            part[PART_DEVICE] != cases[i].device || part[PART_RETURN] != cases[i].back)
            fail_msg("%s: %d %d %d %d", cases[i].what, (int)part[PART_SUBMIT],
                     (int)part[PART_QUEUE], (int)part[PART_DEVICE],
                     (int)part[PART_RETURN]);
    }
}

/* From START 1000 to 2000, with the top device from 1100 to 1900. */
static const struct {
    const char *what;
    struct breakdown_interval intervals[MOST]; /* issued, left, queued */
    int64_t stack, queue, device;
} stacks[] = {
    {"nothing below", {{0, 0, 0}}, 800, 0, 0},
    {"one", {{1300, 1700, 1200}}, 300, 100, 400},
    {"two legs", {{1300, 1700, 1200}, {1350, 1800, 1250}}, 200, 100, 500},
    {"a leg that is queued beside one at its device",
     {{1300, 1700, 1200}, {1750, 1800, 1210}},
     200,
     150,
     450},
    {"legs one after the other", {{1200, 1300, 1150}, {1600, 1700, 1500}}, 450, 150, 200},
    {"requeued", {{1200, 1300, 1150}, {1600, 1700, 1300}}, 250, 350, 200},
    {"a leg that ends after the top", {{1300, 1950, 1200}}, 100, 100, 600},
    {"a leg that never ends", {{1300, INT64_MAX, 1200}}, 100, 100, 600},
    {"a leg that is never issued", {{INT64_MAX, INT64_MAX, 1200}}, 100, 700, 0},
    {"a leg that begins before the top", {{1050, 1200, 1020}}, 700, 0, 100},
};

TEST(each_moment_of_a_stack_is_in_one_part)
{
    for (size_t i = 0; i < LENGTH(stacks); i++) {
        struct breakdown_interval intervals[MOST];
        int64_t part[PARTS];
        int count = 0;
        while (count < MOST && stacks[i].intervals[count].completed_at)
            count++;
        memcpy(intervals, stacks[i].intervals, sizeof(intervals));
        breakdown_divide_stack(1000, 2000, 1100, 1900, intervals, count, part);
        assert_int_equal(part[PART_SUBMIT], 100);
        assert_int_equal(part[PART_RETURN], 100);
        if (part[PART_STACK] != stacks[i].stack || part[PART_QUEUE] != stacks[i].queue ||
            part[PART_DEVICE] != stacks[i].device)
            fail_msg("%s: %d %d %d", stacks[i].what, (int)part[PART_STACK],
                     (int)part[PART_QUEUE], (int)part[PART_DEVICE]);
    }
}

/* Counts moments one by one. */
TEST(random_stacks_are_divided_as_moments_are_counted)
{
    struct random random;
    random_seed(&random, 25);
    for (int round = 0; round < 2000; round++) {
        struct breakdown_interval intervals[MOST];
        int64_t part[PARTS], expected[PARTS] = {0};
        int64_t queued = (int64_t)random_below(&random, 100);
        int64_t complete = queued + (int64_t)random_below(&random, 250);
        int count = (int)random_below(&random, MOST);
        for (int i = 0; i < count; i++) {
            int64_t since = (int64_t)random_below(&random, 300);
            int64_t issued = since + (int64_t)random_below(&random, 50);
            int64_t left = issued + (int64_t)random_below(&random, 100);
            intervals[i] = (struct breakdown_interval){issued, left, since};
        }
        for (int64_t at = 0; at < 300; at++) {
            enum part of = at < queued     ? PART_SUBMIT
                           : at < complete ? PART_STACK
                                           : PART_RETURN;
            for (int i = 0; i < count && of != PART_SUBMIT && of != PART_RETURN; i++) {
                if (at >= intervals[i].issued_at && at < intervals[i].completed_at)
                    of = PART_DEVICE;
                else if (at >= intervals[i].queued_at && at < intervals[i].issued_at &&
                         of == PART_STACK)
                    of = PART_QUEUE;
            }
            expected[of]++;
        }
        breakdown_divide_stack(0, 300, queued, complete, intervals, count, part);
        assert_memory_equal(part, expected, sizeof(part));
    }
}

/* Counts moments one by one. */
TEST(random_intervals_are_divided_as_moments_are_counted)
{
    struct random random;
    random_seed(&random, 24);
    for (int round = 0; round < 2000; round++) {
        struct breakdown_interval intervals[MOST];
        int64_t part[PARTS], expected[PARTS] = {0}, last = 0;
        int64_t queued = (int64_t)random_below(&random, 100);
        int count = 1 + (int)random_below(&random, MOST);
        for (int i = 0; i < count; i++) {
            int64_t issued = queued + (int64_t)random_below(&random, 200);
            int64_t left = issued + (int64_t)random_below(&random, 100);
            intervals[i] = (struct breakdown_interval){issued, left};
            last = left > last ? left : last;
        }
        for (int64_t at = 0; at < 300; at++) {
            enum part of = at < queued ? PART_SUBMIT
                           : at < last ? PART_QUEUE
                                       : PART_RETURN;
            for (int i = 0; i < count; i++)
                if (at >= intervals[i].issued_at && at < intervals[i].completed_at)
                    of = PART_DEVICE;
            expected[of]++;
        }
        breakdown_divide(0, 300, queued, intervals, count, part);
        assert_memory_equal(part, expected, sizeof(part));
    }
}
