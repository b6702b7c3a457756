/* Runs with several targets at once. */
/* Marks: 28s races */
#include "running.h"
#include "support.h"

#define TIME "[0-9.]+ (ns|us|ms|s)"

/* The statistics in the output. */
#define STATISTICS(name) "\n--- " name " \\([^\n]*\\)( #[12])? ioping statistics ---\n"
/* A busy machine may have missed some. */
#define SUMMARY(name, completed, generated)                                              \
    STATISTICS(name)                                                                     \
    completed " requests completed in [^\n]*\n([0-9.k ]+ missed, )?generated " generated \
              " requests in [^\n]*\nmin/avg/max/mdev = [^\n]*\n"
#define TITLE "\n--- comparison ---\n"
#define HEAD "target +requests +p50 +change +p99 +change +max +avg +iops"
#define CHANGE "(-|[+-][0-9.]+ .|[0-9.]+x)( \\((~|[?]|[^ ()]*\\.\\.[^ ()]*)\\))?"
#define ROW(name, count)                                                               \
    name " +" count " +" TIME " +" CHANGE " +(-|" TIME ") +" CHANGE "( +" TIME "){2} " \
         "+[0-9.]+( [kM])?"
/* What comes after rows of which little is known. */
#define LEGEND                                                                    \
    "(~ may be noise: too few requests to be sure of a difference \\(95 .\\)\n)?" \
    "[?] unsure: too few independent requests \\(run longer\\)\n"

GROUP_SHELL(
    "head -c 1048576 /dev/urandom >data && cp data copy && cp data third && mkdir "
    "a b 'with space' 'new\nline' && sync data copy third")

/* Numbered on their own, and all of them before the first summary. */
TEST(each_has_its_lines_and_the_summaries_are_in_the_order_given)
{
    static const char *const orders[][2] = {{"a", "b"}, {"b", "a"}};
    for (size_t i = 0; i < LENGTH(orders); i++) {
        char expected[1024];
        const char *first = orders[i][0], *second = orders[i][1];
        struct result result = command_status(
            0, "each_has_its_lines_and_the_summaries_are_in_the_order_given %s %s", first,
            second);
        snprintf(expected, sizeof(expected),
                 "^1 2 3 1 2 3 6\n" SUMMARY("%s", "2", "3") SUMMARY("%s", "2", "3") //
                 TITLE HEAD "\n" ROW("%s", "2") "\n" ROW("%s", "2") "\n" LEGEND "$",
                 first, second, first, second);
        assert_matches(result.out, expected);
        assert_string_equal(result.err, "a:\n\nb:\n");
        command_free(&result);
    }
}

TEST(one_target_is_compared_with_nothing)
{
    struct result result = command_status(0, "ioping -c 3 -i 0 a");
    assert_contains(result.out, "\n--- a (");
    assert_lacks(result.out, "comparison");
    command_free(&result);
}

/* The slower is named first. Each of its requests takes 30 ms at least. */
TEST(the_faster_is_first_in_the_comparison)
{
    need_faults();
    struct result result = command_status(0, "the_faster_is_first_in_the_comparison");
    assert_matches(result.out, "^" HEAD "\n" ROW("data", "79") "\n" ROW("copy", "79") //
                   "\n([~?] [^\n]*\n)*$");
    assert_matches(result.out, "\ndata +79 +" TIME " +- +- +- +" TIME);
    assert_matches(result.out, "\ncopy +79 +([3-9][0-9.]+ ms|[0-9]{3} ms|[0-9.]+ s) +"
                               "([+][0-9.]+ .|[0-9.]+x) \\([^ ()]+\\.\\.[^ ()]+\\) ");
    command_free(&result);
}

/* Each request of two takes 20 ms, and of one 80: however these are named, the two that
 * do not differ stay in their order. A busy machine may make them differ, and tries
 * again. */
TEST(equal_ones_are_not_ranked)
{
    static const char *const orders[][2] = {{"third data copy", "data copy third"},
                                            {"copy third data", "copy data third"}};
    need_faults();
    for (size_t i = 0; i < LENGTH(orders); i++)
        expect(0, formatted("%s (~) bounds\n", orders[i][1]), NULL,
               "equal_ones_are_not_ranked %s '%s'", orders[i][0], orders[i][1]);
}

/* The waits that correction adds are not among the requests. */
TEST(nothing_is_known_of_corrected_ones)
{
    struct result result = command_status(0, "nothing_is_known_of_corrected_ones");
    assert_matches(result.out, "^" HEAD "\n" ROW("copy", "149") "\n" ROW("data", "149") //
                   "\n[?] unsure: [^\n]*\n$");
    assert_matches(result.out, "\ndata [^\n]* \\([?]\\) [^\n]* \\([?]\\) ");
    command_free(&result);
}

/* Twenty a second each: with one pace for both there would be ten. Never too many; where
 * a busy machine did too few it is tried again. */
TEST(paces_hold_for_each)
{
    static const char *const options[] = {"-i 50ms", "-r 20", "-l 80k"};
    need_program("jq");
    for (size_t i = 0; i < LENGTH(options); i++)
        expect(0, "right right\n", NULL, "paces_hold_for_each %s", options[i]);
}

static const struct expected runs[] = {
    /* Each of the first's takes 30 ms, so that the other is through long before. */
    {"counts_hold_for_each", "faults jq", 0, "[[\"data\",6,7],[\"copy\",6,7]]\ntrue\n",
     NULL,
     "faulty pread@data/:1-:30ms -C -q -J -i 0 -c 7 data copy | jq -c "
     "'map([.target.path, .stat.count, .load.count]), .[0].load.time >= 210000000'"},
    /* A grid of its own for each; all requests are in one of its lines. */
    {"raw_lines_of_a_time_have_it_too", "", 0, "1 copy 1 data \n"},
    {"json_of_periods_names_the_target", "jq", 0,
     "6\n[\"copy\",\"data\"]\n[[\"copy\",2],[\"copy\",2],[\"data\",2],[\"data\",2]]\n",
     NULL,
     "ioping -J -q -p 2 -a 0 -c 4 -i 0 copy data | jq -c 'length, (.[-2:] | "
     "map(.target.path)), (.[:-2] | map([.target.path, .stat.count]) | sort)'"},
    {"json_of_sweeps_is_one_array", "jq", 0,
     "[[\"copy\",1],[\"copy\",2],[\"data\",1],[\"data\",2]]\n"},
    {"an_interrupt_leaves_valid_json", "jq", 0, "[4,[[\"data\",1],[\"copy\",1]]]\n"},
    {"all_that_hang_are_named", "faults", 3, "4\n",
     "~^ioping: copy: 1 request still waiting after [0-9.]+ m?s\nioping: data: 1 "
     "request still waiting after [0-9.]+ m?s\n$"},
    {"final_raw_lines_are_in_the_order_given", "", 0, "data copy third third data copy ",
     NULL,
     "{ ioping -B -c 2 -i 0 data copy third; ioping -B -c 2 -i 0 "
     "third data copy; } | cut -d' ' -f11- | tr '\\n' ' '"},
    /* The first request of one hangs, so it is not the last version. */
    {"the_file_of_metrics_has_all_before_the_first_request", "faults", 3,
     "data  0\ncopy  0\n"},
    /* The steps of one and then those of the other. Steps in which a busy machine did
     * nothing are tried again. */
    {"sweeps_are_one_after_another_and_their_tables_together", "", 0,
     "\n--- data ioping statistics ---\nhead\n1 KiB\n2 KiB\n4 KiB\n"
     "\n--- copy ioping statistics ---\nhead\n1 KiB\n2 KiB\n4 KiB\n",
     ""},
    {"raw_lines_of_sweeps_have_the_target_in_the_end", "", 0,
     "1 data\n2 data\n1 with space\n2 with space\n"},
};

EXPECT_EACH(runs)

/* The first of COUNT numbers, and what stands after the tenth; how often. */
#define COLUMNS "sed -E 's/^([0-9]+)( [0-9]+){9}/\\1/' o | sort | uniq -c | tr -s ' '"

TEST(raw_lines_have_the_target_in_the_end)
{
    static const struct {
        const char *arguments, *lines;
    } cases[] = {
        {"-B data copy", " 1 3 copy\n 1 3 data\n"},
        {"-q -p 1 data copy", " 3 1 copy\n 3 1 data\n"},
        {"-q -P 1h -B data copy", " 1 3 copy\n 1 3 data\n"},
        {"-B 'with space' 'new\nline'", " 1 3 new\\012line\n 1 3 with space\n"},
        {"-q -p 3 data 'with space'", " 1 3 data\n 1 3 with space\n"},
        {"-B data data", " 1 3 data\n 1 3 data#2\n"},
        {"-B data", " 1 3\n"},
        {"-q -p 1 'with space'", " 3 1\n"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct result result = command_status(
            0, "ioping -a 0 -c 3 -i 0 %s >o && " COLUMNS, cases[i].arguments);
        if (strcmp(result.out, cases[i].lines) != 0)
            fail_msg("%s: %s", cases[i].arguments, result.out);
        command_free(&result);
    }
}

/* The label of a target has a number if another target has the same path. */
TEST(targets_with_the_same_path_are_numbered)
{
    static const struct variant cases[] = {
        {"grep -c ' #1: request='", 0, "3\n"},
        {"grep -c ' #2: request='", 0, "3\n"},
        {"grep -c '^--- data .* #[12] ioping statistics ---$'", 0, "2\n"},
        {"sed -n 's/^data \\(#[12]\\) .*/\\1/p' | sort", 0, "#1\n#2\n"},
        {"sed -n 's/^copy *[0-9].*/copy/p'", 0, "copy\n"},
    };
    expect_variants(cases, LENGTH(cases), "ioping -a 0 -c 3 -i 0 data copy data | %s");
}

TEST(json_has_the_records_of_all)
{
    static const char *const options[] = {"-J", "-JJ"};
    need_program("jq");
    for (size_t i = 0; i < LENGTH(options); i++)
        expect(0,
               "8\n[[\"copy\",3,3],[\"data\",3,3]]\n[[\"copy\",[1,2,3]],[\"data\",[1,2,3]"
               "]]\n[\"copy\",\"copy\"]\n",
               "", "json_has_the_records_of_all %s", options[i]);
}

TEST(the_file_of_metrics_has_all)
{
    static const struct variant cases[] = {
        {"data copy", 0, "data  3\ncopy  3\ndata  2\ncopy  2\ndata  1\ncopy  1\n"},
        {"data data copy data", 0,
         "data  3\ndata 2 3\ncopy  3\ndata 3 3\n"
         "data  2\ndata 2 2\ncopy  2\ndata 3 2\n"
         "data  1\ndata 2 1\ncopy  1\ndata 3 1\n"},
    };
    expect_variants(cases, LENGTH(cases), "the_file_of_metrics_has_all %s");
}

#define MISSING \
    "No such file or directory; name a directory, file or device that exists\n"

/* A read would fail and end with another status. Nothing is made or left anywhere. */
TEST(one_bad_target_ends_it_before_any_request)
{
    static const struct variant cases[] = {
        {"-c 3 missing data a", 2, "", "ioping: missing: " MISSING},
        {"-c 3 data missing a", 2, "", "ioping: missing: " MISSING},
        {"-c 3 a data missing", 2, "", "ioping: missing: " MISSING},
        {"-c 3 -W a b missing", 2, "", "ioping: missing: " MISSING},
        {"-c 3 -k a missing", 2, "", "ioping: missing: " MISSING},
        {"-c 3 -B data missing", 2, "", "ioping: missing: " MISSING},
        {"-c 3 -J data missing", 2, "", "ioping: missing: " MISSING},
        {"-c 3 -prometheus c/x.prom data missing", 2, "", "ioping: missing: " MISSING},
        {"-sweep size data missing", 2, "", "ioping: missing: " MISSING},
        {"-c 3 data fifo", 2, "",
         "ioping: fifo: unsupported destination; name a directory, file or device\n"},
        {"-c 3 -s 64k data small", 2, "",
         "ioping: small: request size is too big for this target: the target has 16 KiB, "
         "but a request needs 64 KiB; use a smaller -s, or a larger target\n"},
    };
    need_faults();
    shell("mkdir -p c; mkfifo fifo; head -c 16k data >small");
    expect_variants(cases, LENGTH(cases),
                    "faulty pread:1-:5 -C %s; s=$?; find a b c -type f; exit $s");
}

/* Both of the same file, and of a directory in which each makes one. */
TEST(the_same_target_twice_is_two)
{
    static const char *const names[] = {"data", "a"};
    for (size_t i = 0; i < LENGTH(names); i++) {
        char expected[1024];
        const char *name = names[i];
        struct result result = command_status(0,
                                              "ioping -hang 0 -c 3 -i 0 %s %s >o; s=$?; "
                                              "grep -c request= o; tail -n +7 o; exit $s",
                                              name, name);
        snprintf(expected, sizeof(expected),
                 "^6\n" SUMMARY("%s", "2", "3") SUMMARY("%s", "2", "3") //
                 TITLE HEAD "\n" ROW("%s #1", "2") "\n" ROW("%s #2", "2") "\n" LEGEND "$",
                 name, name, name, name);
        assert_matches(result.out, expected);
        assert_string_equal(result.err, "");
        command_free(&result);
    }
}

/* One takes 50 ms, whatever the machine does, and the least of nine does not. */
TEST(a_limit_that_one_breaks_names_it_and_is_in_the_comparison)
{
    need_faults();
    struct result result =
        command_status(5, "a_limit_that_one_breaks_names_it_and_is_in_the_comparison");
    assert_matches(result.err, "^ioping: copy: min < 40 ms: FAIL \\([0-9.]+ m?s\\)\n$");
    assert_matches(result.out, "^" HEAD "   slo\n");
    assert_matches(result.out, "\n" ROW("data", "9") "    OK\n");
    assert_matches(result.out, "\n" ROW("third", "9") "    OK\n");
    assert_matches(result.out, "\n" ROW("copy", "9") "  FAIL\n");
    command_free(&result);
}

TEST(limits_that_all_keep_change_nothing_but_the_comparison)
{
    expect(0,
           "~^" ROW("(data|copy)", "3") " +OK\n" //
           ROW("(data|copy)", "3") " +OK\n" LEGEND "$",
           "", "limits_that_all_keep_change_nothing_but_the_comparison");
}

TEST(a_limit_that_is_not_known_of_one_names_it)
{
    need_faults();
    struct result result = command_status(
        3,
        "faulty pread@copy/:2:5 -C -q -i 0 -c 4 -slo max=1h data copy | tail -2; exit 3");
    assert_matches(result.out, "^" ROW("data", "3") " +OK\ncopy +0( +-){7} +UNKNOWN\n$");
    assert_contains(result.err, "ioping: copy: max < 1 hour: UNKNOWN: 0 requests count");
    assert_lacks(result.err, "ioping: data");
    command_free(&result);
}

TEST(an_interrupt_prints_all_summaries_and_the_comparison)
{
    for (size_t i = 0; i < LENGTH(endings); i++) {
        expect(endings[i].died,
               "~^" SUMMARY("data", "[0-9]+", "[0-9]+") //
               SUMMARY("copy", "[0-9]+", "[0-9]+")      //
               SUMMARY("third", "[0-9]+", "[0-9]+")     //
               TITLE HEAD "\n(" ROW("[a-z]+", "[0-9]+") "\n){3}" LEGEND "$",
               "", "an_interrupt_prints_all_summaries_and_the_comparison %s",
               endings[i].name);
    }
}

/* The messages about requests that a busy machine holds up. */
#define SLOW_OTHERS                                                     \
    "(ioping: (data|third): (request [0-9]+ has had no answer for|not " \
    "ready after) [0-9.]+ m?s\n)*"

TEST(one_that_hangs_does_not_hold_up_the_others)
{
    static const char *const orders[] = {"copy data third", "data copy third",
                                         "data third copy"};
    need_faults();
    for (size_t i = 0; i < LENGTH(orders); i++) {
        struct result result =
            command_status(3, "one_that_hangs_does_not_hold_up_the_others %s", orders[i]);
        assert_matches(result.out, "^--- copy [^\n]*\n1 requests completed in [^\n]*\n"
                                   "generated 3 requests in [^\n]*\n"
                                   "min/avg/max/mdev = [^\n]*\n" ROW("copy", "1") "\n" //
                       ROW("data", "4") "\n" ROW("third", "4") "\n4\n$");
        assert_matches(result.err,
                       "^" SLOW_OTHERS "(ioping: copy: [^\n]*\n|" SLOW_OTHERS ")+"
                       "ioping: copy: 1 request still waiting after [0-9.]+ m?s\n$");
        assert_contains(result.err, "ioping: copy: request 3 has had no answer for ");
        command_free(&result);
    }
}

/* The second request of one target fails at once, before those of the others. */
TEST(one_that_fails_does_not_end_the_others)
{
    static const struct {
        const char *options, *generated;
    } cases[] = {{"", "2"}, {"-E", "5"}};
    need_faults();
    for (size_t i = 0; i < LENGTH(cases); i++)
        expect(3,
               formatted("~^" SUMMARY("data", "4", "5") STATISTICS(
                             "copy") "[^\n]*\ngenerated %s requests "
                                     "[^\n]*\nmin[^\n]*\n" SUMMARY("third", "4", "5")
                                         TITLE,
                         cases[i].generated),
               "ioping: copy: request 2 failed: EIO (Input/output error)\n",
               "one_that_fails_does_not_end_the_others %s", cases[i].options);
}

TEST(lost_output_ends_all)
{
    static const char *const options[] = {"", "-q -c 3", "-B -c 3", "-J"};
    for (size_t i = 0; i < LENGTH(options); i++)
        expect(3, NULL, "~(^|\n)ioping: standard output: No space left on device\n$",
               "ioping -hang 0 -C -i 1ms %s data copy >/dev/full", options[i]);
}

/* The slowest and the fastest change places with each try. */
TEST(devices_are_in_the_right_order_with_the_right_ratios)
{
    need_faults();
    struct result result = command("attach_disks");
    if (result.status == 99)
        skip_because("needs three loop devices");
    command_free(&result);
    expect(0, "2 8 32 1 1 1 1 1 1 1 1 1\n", "",
           "devices_are_in_the_right_order_with_the_right_ratios");
}
