/* The search for the highest rate of a server that serves a known number of reads at
 * once, each in a known time, compared with the server's log. Also the times of
 * requests that wait for one that hangs. */
/* Marks: 50s native */
#include "support.h"

/* Each way to have many under way, with the need for it. */
static const struct {
    const char *options;
    void (*need)(void);
} engines[] = {
    {"-threads 64", NULL},
    {"-U", need_uring},
    {"-A -threads 2", need_linux_aio},
};

GROUP_SETUP(make_files)

/* Four at a time of 40 ms: 100 per second. */
TEST(the_highest_rate_is_that_of_the_server)
{
    need_program("jq");
    for (size_t i = 0; i < LENGTH(engines); i++) {
        if (engines[i].need)
            engines[i].need();
        serve("delay_us=40000,slots=4");
        expect(0, "all\n[true,true,true,true,true,true]\n", "",
               "knee -sweep rate=90..110 %s", engines[i].options);
    }
}

/* About 500 are late, evenly up to one second: of 1500 a third. */
TEST(times_count_from_when_requests_were_due)
{
    need_program("jq");
    for (size_t i = 0; i < LENGTH(engines); i++) {
        if (engines[i].need)
            engines[i].need();
        serve("slots=1,hang_at=400,hang_s=1");
        expect(0, "[true,true,true,true,true,true,true]\n", "", "stall %s",
               engines[i].options);
    }
}

/* 101 a second are due, 100 can be answered: forty at a time, each of which takes so long
 * that what a busy machine adds matters little. */
TEST(the_highest_rate_is_at_most_what_was_achieved)
{
    need("uring jq");
    serve("delay_us=400000,slots=40");
    expect(0, "[true,true]\n", NULL, "beyond 101");
}

#define MISSING(what, engine)                                                   \
    "ioping: " what                                                             \
    ": io_uring is not available here (Operation not permitted); using " engine \
    " instead\n"

/* Where a container forbids what comes first; said once, of two targets. */
TEST(the_first_engine_that_is_allowed_is_taken)
{
    static const char *const cases[][3] = {
        {"mincore", "depth 1024 (io_uring)\n", ""},
        {"io_uring_setup", "depth 1024 (Linux AIO)\n", MISSING("-sweep", "Linux AIO")},
        {"io_uring_setup,io_setup", "64 threads\n", MISSING("-sweep", "64 threads")},
    };
    need("uring linux_aio");
    for (size_t i = 0; i < LENGTH(cases); i++)
        expect(0, cases[i][1], cases[i][2], "engine_of %s", cases[i][0]);
}

/* The same for -depth and -sweep depth, where nothing is left but to refuse. */
TEST(a_depth_chooses_its_engine)
{
#define NONE                                                                          \
    ": io_uring is not available here: Operation not permitted; use -threads, which " \
    "needs none\n"
    static const struct variant variants[] = {
        {"mincore -depth 2", 0, NULL, "ioping: -depth: using io_uring\n"},
        {"mincore -sweep depth=1..2", 0, NULL, "ioping: -sweep depth: using io_uring\n"},
        {"mincore -depth 2 -A", 0, NULL, ""},
        {"mincore -depth 1", 0, NULL, ""},
        {"io_uring_setup -depth 2", 0, NULL, MISSING("-depth", "Linux AIO")},
        {"io_uring_setup -depth 2 data", 0, NULL, MISSING("-depth", "Linux AIO")},
        {"io_uring_setup -sweep depth=1..2", 0, NULL,
         MISSING("-sweep depth", "Linux AIO")},
        {"io_uring_setup,io_setup -depth 2", 2, "", "ioping: -depth" NONE},
        {"io_uring_setup,io_setup -sweep depth=1..2", 2, "", "ioping: -sweep depth" NONE},
    };
    need("uring linux_aio");
    expect_variants(variants, LENGTH(variants), "depth_without %s -q -a 0 -w 500ms data");
}

TEST(so_it_is_for_a_load_with_many_at_a_time)
{
    need_uring();
    expect(0, NULL, MISSING("-load", "2 threads"),
           "load_without io_uring_setup,io_setup");
}
