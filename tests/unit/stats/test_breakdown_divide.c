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
        while (count < MOST && cases[i].intervals[count].left)
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
                if (at >= intervals[i].issued && at < intervals[i].left)
                    of = PART_DEVICE;
            expected[of]++;
        }
        breakdown_divide(0, 300, queued, intervals, count, part);
        assert_memory_equal(part, expected, sizeof(part));
    }
}
