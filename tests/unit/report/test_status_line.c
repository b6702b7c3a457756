/* The fields of the status line, and how they fit. */
#include "support.h"

#include "base/time.h"
#include "report/status.h"

/* The facts of the contract's example of a line. */
static struct status_facts
example(void)
{
    return (struct status_facts){.target_count = 1,
                                 .share = 0.3125,
                                 .elapsed_ns = 5600 * MS,
                                 .remaining_ns = 12345678901,
                                 .requests = 1261,
                                 .failed = 2,
                                 .p50 = {240700},
                                 .p99 = {1440 * US},
                                 .max_latency = 3200 * US};
}

/* Counts the columns of TEXT: its characters, none of which is wide. */
static int
columns_of(const char *text)
{
    int columns = 0;
    for (; *text; text++)
        columns += (*text & 0xc0) != 0x80;
    return columns;
}

static void
check_line(const struct status_facts *facts, int columns, bool utf8, const char *expected)
{
    struct buffer text = {0};
    buffer_text(&text, "");
    status_format(&text, facts, columns, utf8, false);
    if (strcmp(text.text, expected) != 0)
        fail_msg("%d columns:\n%s\nnot\n%s", columns, text.text, expected);
    buffer_free(&text);
}

TEST(a_narrow_terminal_shows_what_matters_most)
{
    static const struct {
        int columns;
        const char *ascii, *utf8;
    } cases[] = {
        {200,
         "[######--------------]  31%  1.26 k requests  p50 240.7 us  p99 1.44 ms  "
         "max 3.20 ms  2 failed  12.3 s left",
         "[██████▎             ]  31%  1.26 k requests  p50 240.7 us  p99 1.44 ms  "
         "max 3.20 ms  2 failed  12.3 s left"},
        {80,
         "[###-------]  31%  1.26 k req  p50 240.7 us  p99 1.44 ms  2 failed  12.3 s "
         "left",
         "[███▏      ]  31%  1.26 k req  p50 240.7 us  p99 1.44 ms  2 failed  12.3 s "
         "left"},
        {79,
         "[##-------]  31%  1.26 k req  p50 240.7 us  p99 1.44 ms  2 failed  12.3 s left",
         "[██▊      ]  31%  1.26 k req  p50 240.7 us  p99 1.44 ms  2 failed  12.3 s "
         "left"},
        {60, "[#####------------]  31%  1.26 k req  2 failed  12.3 s left",
         "[█████▎           ]  31%  1.26 k req  2 failed  12.3 s left"},
        {40, "[###-------]  31%  1.26 k req  2 failed",
         "[███▏      ]  31%  1.26 k req  2 failed"},
        {39, "[##-------]  31%  1.26 k req  2 failed",
         "[██▊      ]  31%  1.26 k req  2 failed"},
        {20, "[###---------]  31%", "[███▊        ]  31%"},
        {11, "[---]  31%", "[▉  ]  31%"},
        {10, " 31%", " 31%"},
        {5, " 31%", " 31%"},
        {4, "", ""},
        {1, "", ""},
        {0, "", ""},
    };
    struct status_facts facts = example();
    for (size_t i = 0; i < LENGTH(cases); i++) {
        check_line(&facts, cases[i].columns, false, cases[i].ascii);
        check_line(&facts, cases[i].columns, true, cases[i].utf8);
    }
}

/* Sweeps, ends that are not known, and values at the ends of their ranges. */
TEST(no_line_reaches_the_last_column)
{
    struct status_facts cases[5];
    for (size_t i = 0; i < LENGTH(cases); i++)
        cases[i] = example();
    cases[1].share = cases[1].remaining_ns = -1;
    cases[2].sweep_kind = SWEEP_SIZE;
    cases[2].place = (struct status_place){.index = 6, .count = 19, .value = 1572864};
    cases[3].sweep_kind = SWEEP_THREADS;
    cases[3].target_count = 12;
    cases[3].place = (struct status_place){.target = 9, .index = 9, .count = 11};
    cases[4].requests = cases[4].failed = INT64_MAX;
    cases[4].p50[0] = cases[4].p99[0] = cases[4].max_latency = cases[4].remaining_ns =
        INT64_MAX;
    cases[4].share = 1;
    for (size_t i = 0; i < LENGTH(cases) * 2; i++)
        for (int columns = 0; columns <= 250; columns++) {
            struct buffer text = {0};
            buffer_text(&text, "");
            status_format(&text, &cases[i / 2], columns, i % 2, false);
            if (columns_of(text.text) >= (columns > 1 ? columns : 1))
                fail_msg("%d columns: %s", columns, text.text);
            buffer_free(&text);
        }
}

#define REST "  999.9 k requests  p50 -  p99 -  max -"

/* The bar has 20 columns of eight eighths. */
TEST(the_bar_is_full_when_all_is_done)
{
    static const struct {
        double share;
        const char *ascii, *utf8;
    } cases[] = {
        {0, "[--------------------]   0%", "[                    ]   0%"},
        {0.00624, "[--------------------]   0%", "[                    ]   0%"},
        {0.00625, "[--------------------]   0%", "[▏                   ]   0%"},
        {0.29, "[#####---------------]  29%", "[█████▊              ]  29%"},
        {0.5, "[##########----------]  50%", "[██████████          ]  50%"},
        {0.57, "[###########---------]  57%", "[███████████▍        ]  57%"},
        {0.999999, "[###################-]  99%", "[███████████████████▉]  99%"},
        {1, "[####################] 100%", "[████████████████████] 100%"},
    };
    char ascii[128], utf8[256];
    struct status_facts facts = {
        .requests = 999900, .p50 = {-1}, .p99 = {-1}, .max_latency = -1};
    facts.remaining_ns = -1;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        facts.share = cases[i].share;
        snprintf(ascii, sizeof(ascii), "%s" REST, cases[i].ascii);
        snprintf(utf8, sizeof(utf8), "%s" REST, cases[i].utf8);
        check_line(&facts, 100, false, ascii);
        check_line(&facts, 100, true, utf8);
    }
}

TEST(what_is_not_known_is_a_dash_or_left_out)
{
    struct status_facts facts = example();
    facts.p99[0] = facts.remaining_ns = -1;
    facts.failed = 0;
    check_line(&facts, 100, false,
               "[######--------------]  31%  1.26 k requests  p50 240.7 us  p99 -  "
               "max 3.20 ms");
    facts.requests = 0;
    facts.p50[0] = facts.max_latency = -1;
    check_line(&facts, 100, false,
               "[######--------------]  31%  0 requests  p50 -  p99 -  max -");
    facts.share = -1;
    check_line(&facts, 100, false, "5 s  0 requests  p50 -  p99 -  max -");
    check_line(&facts, 7, false, "5 s");
    check_line(&facts, 4, false, "5 s");
    check_line(&facts, 3, false, "");
}

/* A stall is seen at once, and on a narrow terminal when nearly all else is gone. */
TEST(a_request_that_is_waited_for_has_its_age)
{
    struct status_facts facts = example();
    facts.failed = 0;
    facts.oldest_age_ns = SECOND;
    check_line(&facts, 100, false,
               "[######--------------]  31%  1.26 k requests  p50 240.7 us  p99 1.44 ms  "
               "max 3.20 ms  12.3 s left");
    facts.oldest_age_ns = 2999 * MS;
    check_line(&facts, 110, false,
               "[#####-----------]  31%  1.26 k requests  p50 240.7 us  p99 1.44 ms  "
               "max 3.20 ms  waiting 2.90 s  12.3 s left");
    check_line(&facts, 30, false, "[#-----]  31%  waiting 2.90 s");
}

TEST(a_run_without_an_end_says_how_to_stop_it)
{
    struct status_facts facts = example();
    facts.share = facts.remaining_ns = -1;
    facts.failed = 0;
    facts.is_endless = true;
    facts.requests = 1;
    check_line(&facts, 100, false,
               "5 s  1 request  p50 240.7 us  p99 1.44 ms  max 3.20 ms  Ctrl-C to stop");
}

TEST(failures_are_red)
{
    const struct status_facts facts = example();
    struct buffer text = {0};
    status_format(&text, &facts, 200, false, true);
    assert_non_null(strstr(text.text, "  \033[31m2 failed\033[0m  12.3 s left"));
    buffer_free(&text);
}

TEST(corrected_percentiles_are_called_so)
{
    struct status_facts facts = example();
    facts.is_corrected = true;
    facts.share = facts.remaining_ns = -1;
    check_line(&facts, 100, false,
               "5 s  1.26 k requests  corrected p50 240.7 us  corrected p99 1.44 ms  "
               "max 3.20 ms  2 failed");
}

/* Those of writes are dropped with those of reads, in the room of any terminal. */
TEST(reads_and_writes_have_percentiles_of_their_own)
{
    struct status_facts facts = example();
    facts.extra_count = 1;
    facts.scope[0] = SCOPE_OPERATION + (enum scope)OPERATION_READ;
    facts.scope[1] = SCOPE_OPERATION + (enum scope)OPERATION_WRITE;
    facts.failed = 0;
    facts.p50[1] = 1560 * US;
    facts.p99[1] = -1;
    check_line(&facts, 120, false,
               "[###-------]  31%  1.26 k requests  p50 read 240.7 us write 1.56 ms  "
               "p99 read 1.44 ms write -  max 3.20 ms  12.3 s left");
    check_line(&facts, 80, false,
               "[####----------]  31%  1.26 k req  p50 read 240.7 us write 1.56 ms  12.3 "
               "s left");
    facts.is_corrected = true;
    facts.share = facts.remaining_ns = -1;
    check_line(&facts, 120, false,
               "5 s  1.26 k requests  corrected p50 read 240.7 us write 1.56 ms  "
               "corrected p99 read 1.44 ms write -  max 3.20 ms");
}

TEST(times_are_no_finer_than_one_can_follow)
{
    static const struct {
        int64_t time;
        const char *elapsed, *left;
    } cases[] = {
        {0, "0 s", "0 s left"},
        {99999999, "0 s", "0 s left"},
        {250 * MS, "200 ms", "200 ms left"},
        {999 * MS, "900 ms", "900 ms left"},
        {1990 * MS, "1 s", "1.90 s left"},
        {12399 * MS, "12 s", "12.3 s left"},
        {59990 * MS, "59 s", "59.9 s left"},
        {75900 * MS, "1.25 min", "1.25 min left"},
        {7200 * SECOND, "2 hour", "2 hour left"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        char line[128];
        struct status_facts facts = {
            .share = -1, .p50 = {-1}, .p99 = {-1}, .max_latency = -1};
        facts.elapsed_ns = facts.remaining_ns = cases[i].time;
        snprintf(line, sizeof(line), "%s  0 requests  p50 -  p99 -  max -  %s",
                 cases[i].elapsed, cases[i].left);
        check_line(&facts, 100, false, line);
    }
}

TEST(a_sweep_says_where_it_is)
{
    static const struct {
        enum sweep_kind kind;
        int target, targets, index, count;
        int64_t value;
        const char *line;
    } cases[] = {
        {SWEEP_DEPTH, 0, 1, 3, 7, 8, "depth 8 (4/7)  [##########----------]  50%"},
        {SWEEP_THREADS, 0, 1, 0, 1, 1024,
         "threads 1024 (1/1)  [##########----------]  50%"},
        {SWEEP_SIZE, 0, 1, 11, 12, 1572864,
         "size 1.50 MiB (12/12)  [##########----------]  50%"},
        {SWEEP_DEPTH, 1, 3, 1, 2, 2,
         "target 2/3  depth 2 (2/2)  [##########----------]  50%"},
        {SWEEP_DEPTH, 0, 1, 0, 0, 0, "[##########----------]  50%"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        char line[128];
        struct status_facts facts = {
            .p50 = {-1}, .p99 = {-1}, .max_latency = -1, .remaining_ns = -1};
        facts.share = 0.5;
        facts.sweep_kind = cases[i].kind;
        facts.target_count = cases[i].targets;
        facts.place = (struct status_place){cases[i].target, cases[i].index,
                                            cases[i].count, cases[i].value, 0};
        snprintf(line, sizeof(line), "%s  0 requests  p50 -  p99 -  max -",
                 cases[i].line);
        check_line(&facts, 120, false, line);
    }
}

/* The step goes last: how far all is matters more. */
TEST(a_sweep_fits_a_narrow_terminal)
{
    struct status_facts facts = example();
    facts.sweep_kind = SWEEP_DEPTH;
    facts.place = (struct status_place){.index = 3, .count = 7, .value = 8};
    check_line(&facts, 40, false, "depth 8 (4/7)  [##-----]  31%  2 failed");
    check_line(&facts, 30, false, "depth 8 (4/7)  [##-----]  31%");
    check_line(&facts, 20, false, "[###---------]  31%");
    check_line(&facts, 10, false, " 31%");
}
