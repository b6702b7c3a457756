/* Marks, bands, bars and lines of plots lie where the measured values are. */
#include "looked.h"
#include "stats/comparison.h"

/* A plot of one target and of these latencies, one every so many ms, looked at. */
static void
begin_check(const int64_t *latencies, int count, int64_t every)
{
    struct plotted *plotted =
        plotted_make(&(struct plotted_case){SWEEP_NONE, 1, 0, PLOTTED_EQUAL});
    for (int i = 0; i < count; i++) {
        struct sample sample = {.start = PLOTTED_BEGAN + i * every * 1000000,
                                .latency = latencies[i],
                                .size = 4096,
                                .bytes = 4096,
                                .verdict = VERDICT_NONE};
        stats_record(plotted->stats, &sample);
        track_record(plotted->tracks, &sample);
    }
    look(plotted);
}

static double
middle_x(const char *class, int number)
{
    const struct xml_element *element = svg_check_find(&check, class, number);
    assert_non_null(element);
    struct svg_check_box box = svg_check_bounds(&check, element);
    return (box.left + box.right) / 2;
}

static double
middle_y(const char *class, int number)
{
    const struct xml_element *element = svg_check_find(&check, class, number);
    assert_non_null(element);
    struct svg_check_box box = svg_check_bounds(&check, element);
    return (box.top + box.bottom) / 2;
}

static void
assert_near(double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance))
        fail_msg("%g, not %g", a, b);
}

/* From the first to the second it is half as far up as from there to the third. */
TEST(marks_stand_where_time_and_latency_say)
{
    begin_check((int64_t[]){100000, 200000, 400000}, 3, 1000);
    assert_int_equal(svg_check_count(&check, "mark"), 3);
    double x[3], y[3];
    for (int i = 0; i < 3; i++) {
        x[i] = middle_x("mark", i);
        y[i] = middle_y("mark", i);
    }
    assert_true(x[1] - x[0] > 50 && y[0] - y[1] > 20);
    assert_near(x[2] - x[1], x[1] - x[0], 0.3);
    assert_near(y[1] - y[2], 2 * (y[0] - y[1]), 0.5);
}

/* Up to 10 times the smallest the axis is linear. */
TEST(latencies_that_differ_much_have_a_log_axis)
{
    static const struct {
        int64_t latencies[3];
        double share; /* of the second step up in the first */
    } cases[] = {
        {{100000, 1000000, 10000000}, 1},
        {{1000000, 2000000, 10000000}, 8},
        {{1000000, 2000000, 11000000}, 2.46}, /* log 5.5 / log 2 */
        {{1, 1000, 1000000}, 1},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        begin_check(cases[i].latencies, 3, 1000);
        double first = middle_y("mark", 0) - middle_y("mark", 1);
        double second = middle_y("mark", 1) - middle_y("mark", 2);
        assert_true(first > 1);
        assert_near(second / first, cases[i].share, 0.05 * cases[i].share);
    }
}

/* One of five requests in a row takes 100, one 300, and three take 200 us. */
TEST(a_band_reaches_from_the_shortest_to_the_longest)
{
    static int64_t latencies[5000];
    for (int i = 0; i < 5000; i++)
        latencies[i] = i % 5 == 0 ? 100000 : i % 5 == 1 ? 300000 : 200000;
    begin_check(latencies, 5000, 1);
    const struct xml_element *band = svg_check_find(&check, "band", 0);
    const struct xml_element *mean = svg_check_find(&check, "mean", 0);
    assert_true(band && mean);
    struct svg_check_box around = svg_check_bounds(&check, band);
    struct svg_check_box inside = svg_check_bounds(&check, mean);
    assert_true(inside.top > around.top && inside.bottom < around.bottom);
    assert_near((inside.top + inside.bottom) / 2, (around.top + around.bottom) / 2, 2);
    assert_near(middle_y("p50", 0), (around.top + around.bottom) / 2, 1);
    assert_near(middle_y("p99", 0), around.top, 1);
}

/* Every request is a mark, so a band would say less, and a bin with one slow request
 * would be a wide column. */
TEST(marks_have_no_band_and_no_mean)
{
    static const struct plotted_case cases[] = {{SWEEP_NONE, 1, 400, PLOTTED_DECADES},
                                                {SWEEP_NONE, 2, 190, PLOTTED_NARROW}};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        look_at(plotted_draw(&cases[i]));
        assert_true(svg_check_count(&check, "mark") >= 380);
        assert_int_equal(svg_check_count(&check, "band"), 0);
        assert_int_equal(svg_check_count(&check, "mean"), 0);
        assert_false(svg_check_shows(&check, "mean"));
    }
}

/* Counts the turns along X of the subpath that begins at POINTS. */
static int
count_turns(const struct svg_check_point *points, int count)
{
    int turns = 0, way = 1;
    for (int i = 1; i < count && !points[i].first; i++)
        if ((points[i].x - points[i - 1].x) * way < 0) {
            way = -way;
            turns++;
        }
    return turns;
}

/* Along its upper edge and back along the lower one, however few requests there are. */
TEST(a_band_goes_right_and_then_left)
{
    static const uint64_t counts[] = {401, 800, 2000, 9000};
    for (size_t i = 0; i < LENGTH(counts); i++) {
        struct plotted_case drawn = {SWEEP_NONE, 1, counts[i], PLOTTED_EXTREME};
        int count;
        look_at(plotted_draw(&drawn));
        const struct xml_element *band = svg_check_find(&check, "band", 0);
        assert_non_null(band);
        struct svg_check_point *points = svg_check_points(&check, band, &count);
        for (int k = 0; k < count; k++)
            if (points[k].first && count_turns(points + k, count - k) != 1)
                fail_msg("%d requests: %.300s", (int)counts[i],
                         xml_value(&check.xml, band, "d"));
        free(points);
    }
}

/* Adds the lengths of the bars near Y. */
static double
length_of_bars(double y, double around)
{
    const struct xml_element *bar;
    double length = 0;
    for (int i = 0; (bar = svg_check_find(&check, "bar", i)); i++) {
        struct svg_check_box box = svg_check_bounds(&check, bar);
        if (box.top < y + around && box.bottom > y - around)
            length += box.right - box.left;
    }
    return length;
}

/* 30 of one kind and 10 of another. */
TEST(bars_are_as_long_as_latencies_are_many)
{
    int64_t latencies[40];
    for (int i = 0; i < 40; i++)
        latencies[i] = i % 4 == 0 ? 400000 : 100000;
    begin_check(latencies, 40, 1000);
    double few = length_of_bars(middle_y("mark", 0), 10);
    double many = length_of_bars(middle_y("mark", 1), 10);
    assert_true(few > 20);
    assert_near(many, 3 * few, 2);
    assert_near(length_of_bars(0, 9999), few + many, 0.1);
    assert_ptr_equal(svg_check_panel(&check, svg_check_find(&check, "bar", 0)),
                     svg_check_find(&check, "plot", 1));
}

TEST(failures_and_missed_probes_are_told_and_shown_if_there_are_any)
{
    static const struct {
        enum plotted_kind kind;
        bool failed, missed;
    } cases[] = {{PLOTTED_NARROW, false, false},
                 {PLOTTED_FAILING, true, false},
                 {PLOTTED_MISSING, false, true},
                 {PLOTTED_LOST, true, false}};
    static const uint64_t requests[] = {100, 3000};
    for (size_t i = 0; i < 2 * LENGTH(cases); i++) {
        struct plotted_case drawn = {SWEEP_NONE, 2, requests[i % 2], cases[i / 2].kind};
        look_at(plotted_draw(&drawn));
        bool right = (svg_check_count(&check, "fail") > 0) == cases[i / 2].failed &&
                     svg_check_shows(&check, "failed") == cases[i / 2].failed &&
                     (svg_check_count(&check, "missed") > 0) == cases[i / 2].missed &&
                     svg_check_shows(&check, "missed") == cases[i / 2].missed;
        if (!right)
            fail_msg("%zu: %.3000s", i, looked.text);
    }
}

/* A screen reader gets the facts; the second target has failed once. */
TEST(the_description_has_the_facts_in_words)
{
    static const char *const facts[] = {"/mnt/disk0",      "/mnt/disk1", "3 requests",
                                        "max 400 \u00b5s", "2 requests", "1 failed"};
    struct plotted *plotted =
        plotted_make(&(struct plotted_case){SWEEP_NONE, 2, 0, PLOTTED_EQUAL});
    for (int i = 0; i < 6; i++) {
        struct sample sample = {.start = PLOTTED_BEGAN + i * 1000000LL,
                                .latency = 100000LL << i / 2,
                                .size = 4096,
                                .verdict = i == 3 ? VERDICT_ERROR : VERDICT_NONE};
        stats_record(&plotted->stats[i % 2], &sample);
        track_record(&plotted->tracks[i % 2], &sample);
    }
    look(plotted);
    assert_true(svg_check_says(&check, "title", "2 targets"));
    for (size_t i = 0; i < LENGTH(facts); i++)
        if (!svg_check_says(&check, "desc", facts[i]))
            fail_msg("%s: %.2000s", facts[i], looked.text);
}

TEST(without_a_request_that_counts_it_says_so)
{
    static const struct plotted_case cases[] = {
        {SWEEP_NONE, 1, 0, PLOTTED_EQUAL},   {SWEEP_NONE, 6, 30, PLOTTED_LOST},
        {SWEEP_SIZE, 1, 0, PLOTTED_EQUAL},   {SWEEP_SIZE, 2, 7, PLOTTED_LOST},
        {SWEEP_THREADS, 1, 7, PLOTTED_LOST}, {SWEEP_DEPTH, 6, 7, PLOTTED_LOST},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        look_at(plotted_draw(&cases[i]));
        assert_true(svg_check_shows(&check, "no request counted"));
        assert_int_equal(svg_check_count(&check, "mark"), 0);
    }
}

/* Every target has its points in each panel: size has two panels, the curve has one. */
TEST(every_step_is_a_labelled_point)
{
    static const struct {
        struct plotted_case drawn;
        int panels, points;
        const char *first, *last;
    } cases[] = {
        {{SWEEP_SIZE, 1, 18, PLOTTED_NARROW}, 2, 18, "KiB", "MiB"},
        {{SWEEP_SIZE, 2, 6, PLOTTED_FAILING}, 2, 8, "KiB", "iops"},
        {{SWEEP_THREADS, 1, 7, PLOTTED_DECADES}, 1, 7, "1", "64"},
        {{SWEEP_DEPTH, 1, 7, PLOTTED_DECADES}, 1, 7, "1", "64"},
        {{SWEEP_DEPTH, 2, 7, PLOTTED_FAILING}, 1, 10, "1", "64"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        look_at(plotted_draw(&cases[i].drawn));
        int panels = svg_check_count(&check, "plot");
        int marks = svg_check_count(&check, "mark");
        if (panels != cases[i].panels || marks < panels * cases[i].points ||
            marks % cases[i].points != 0 || !svg_check_shows(&check, cases[i].first) ||
            !svg_check_shows(&check, cases[i].last))
            fail_msg("%zu: %d panels, %d marks: %.4000s", i, panels, marks, looked.text);
    }
}

/* Returns the first line of CLASS of the target or operation with COLOUR. */
static struct svg_check_box
line_of(const char *class, const char *colour)
{
    const struct xml_element *line;
    for (int i = 0; (line = svg_check_find(&check, class, i)); i++)
        if (svg_check_has(&check, line, colour))
            return svg_check_bounds(&check, line);
    fail_msg("no %s of %s", class, colour);
    return (struct svg_check_box){0};
}

/* 200 reads of 100 us and 200 writes of 300 us in turn. */
TEST(reads_and_writes_have_colours_and_percentiles_of_their_own)
{
    struct plotted *plotted =
        plotted_make(&(struct plotted_case){SWEEP_NONE, 1, 0, PLOTTED_EQUAL});
    plotted->plan.workload.mix = plotted->stats->mix = mix_of("rw");
    for (int i = 0; i < 400; i++) {
        struct sample sample = {.start = PLOTTED_BEGAN + i * 1000000LL,
                                .latency = i % 2 ? 300000 : 100000,
                                .operation = i % 2 ? OPERATION_WRITE : OPERATION_READ,
                                .size = 4096,
                                .verdict = VERDICT_NONE};
        stats_record(plotted->stats, &sample);
        track_record(plotted->tracks, &sample);
    }
    look(plotted);
    double read = line_of("p50", "t0").top, write = line_of("p50", "t1").top;
    const struct xml_element *mark;
    int marks[2] = {0, 0};
    for (int i = 0; (mark = svg_check_find(&check, "mark", i)); i++) {
        bool is_write = svg_check_has(&check, mark, "t1");
        assert_near(middle_y("mark", i), is_write ? write : read, 0.3);
        marks[is_write]++;
    }
    assert_int_equal(marks[0], 200);
    assert_int_equal(marks[1], 200);
    assert_true(read - write > 100);
    assert_int_equal(svg_check_count(&check, "outline"), 2);
    assert_true(svg_check_shows(&check, "p99 300.3 \u00b5s") ||
                svg_check_shows(&check, "p99 300 \u00b5s"));
    assert_true(svg_check_shows(&check, "write p50 300"));
    assert_true(svg_check_shows(&check, "3.0x the 100"));
    assert_true(svg_check_shows(&check, "of read; p99: read 100"));
}

/* 500 requests of 90 to 110 us. */
TEST(the_answer_to_a_limit_has_its_figure)
{
    static const struct {
        const char *limit, *answer;
    } cases[] = {{"max=1ms", "max <= 1 ms: OK (1"},
                 {"min=1us", "min <= 1 \u00b5s: FAIL (9"},
                 {"p99.9=1ms", "p99.9 <= 1 ms: UNKNOWN"}};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct plotted *plotted =
            plotted_make(&(struct plotted_case){SWEEP_NONE, 1, 500, PLOTTED_NARROW});
        assert_null(slos_add(&plotted->plan.statistics.slos, cases[i].limit));
        look(plotted);
        if (!svg_check_shows(&check, cases[i].answer))
            fail_msg("%s: %.3000s", cases[i].limit, looked.text);
        bool has_figure =
            svg_check_shows(&check, " (1") || svg_check_shows(&check, " (9");
        assert_int_equal(has_figure, i < 2);
    }
}

/* Its percentiles are short lines at the right edge, in the colour of each target. */
TEST(two_targets_have_percentiles_at_the_right_edge)
{
    look_at(plotted_draw(&(struct plotted_case){SWEEP_NONE, 2, 3000, PLOTTED_NARROW}));
    for (int i = 0; i < 2; i++) {
        struct svg_check_box p50 = line_of("p50", i ? "t1" : "t0");
        assert_near(p50.right, check.panels[0].right, 0.1);
        assert_true(p50.right - p50.left < 30);
    }
    assert_int_equal(svg_check_count(&check, "p50"), 2);
    assert_int_equal(svg_check_count(&check, "band"), 0);
}

TEST(up_to_eight_targets_have_the_values_of_their_percentiles)
{
    look_at(plotted_draw(&(struct plotted_case){SWEEP_NONE, 8, 300, PLOTTED_NARROW}));
    assert_int_equal(svg_check_count(&check, "value"), 2 * 8);
}

/* The verdict and the change of the second row, which is the first target. */
TEST(the_verdict_of_a_comparison_is_in_large_text)
{
    static const struct {
        double low, high;
        const char *answer, *cell;
    } cases[] = {
        {28, 39, ">/mnt/disk1 is 28x to 39x faster than /mnt/disk0 (p50)<",
         ">28x to 39x<"},
        {1.1, 1.25, ">/mnt/disk1 is faster than /mnt/disk0: p50 -20 to -9.1 %<",
         ">+10 to +25 %<"},
        {0.9, 1.2, ">/mnt/disk1 and /mnt/disk0: no significant difference in p50<",
         ">may be noise<"},
        {0.5, 1.2, ">/mnt/disk1 and /mnt/disk0: not certain whether p50 differs<",
         ">may be noise<"},
        {0.9, 1.3, ">/mnt/disk1 and /mnt/disk0: not certain whether p50 differs<",
         ">may be noise<"},
        {0, 1.1, ">/mnt/disk1 and /mnt/disk0: not certain whether p50 differs<",
         ">may be noise<"},
        {0, INFINITY,
         ">/mnt/disk1 and /mnt/disk0: p50 unsure: too few independent requests "
         "(run longer)<",
         ">unknown<"},
        {3, INFINITY, ">/mnt/disk1 is at least 3.0x faster than /mnt/disk0 (p50)<",
         ">at least 3.0x<"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct plotted *plotted =
            plotted_make(&(struct plotted_case){SWEEP_NONE, 2, 500, PLOTTED_NARROW});
        struct comparison_row rows[2] = {
            {.name = "/mnt/disk1", .stats = &plotted->stats[1]},
            {.name = "/mnt/disk0",
             .stats = &plotted->stats[0],
             .figures = {{.count = 500,
                          .ratio = 1.15,
                          .bounds = {true, cases[i].low, cases[i].high}}}},
        };
        plotted->plot.rows = rows;
        look(plotted);
        if (!strstr(looked.text, cases[i].answer) || !strstr(looked.text, cases[i].cell))
            fail_msg("%zu: %.9000s", i, looked.text);
    }
}

/* The last run is disk1, and disk0 is the reference. */
TEST(a_change_of_recorded_runs_is_a_factor_above_one)
{
    static const struct {
        double low, high;
        const char *answer, *cell;
    } cases[] = {
        {0.06, 0.61, "1 against /mnt/disk0: p50 1.6x to 17x lower<",
         ">1.6x to 17x lower<"},
        {0, 0.5, "1 against /mnt/disk0: p50 at least 2.0x lower<",
         ">at least 2.0x lower<"},
        {1.5, 3, "1 against /mnt/disk0: p50 1.5x to 3.0x higher<", ">1.5x to 3.0x<"},
        {0.6, 0.8, "1 against /mnt/disk0: p50 -40 to -20 %<", ">-40 to -20 %<"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct plotted *plotted =
            plotted_make(&(struct plotted_case){SWEEP_NONE, 2, 500, PLOTTED_NARROW});
        struct comparison_row rows[2] = {
            {.name = "/mnt/disk0", .stats = &plotted->stats[0]},
            {.name = "/mnt/disk1",
             .stats = &plotted->stats[1],
             .figures = {{.count = 500,
                          .ratio = 0.7,
                          .bounds = {true, cases[i].low, cases[i].high}}}},
        };
        plotted->plan.mode = MODE_COMPARE;
        plotted->plot.rows = rows;
        look(plotted);
        if (!strstr(looked.text, cases[i].answer) || !strstr(looked.text, cases[i].cell))
            fail_msg("%zu: %.9000s", i, looked.text);
    }
}

/* Then its figures are all shown, in a smaller font. */
TEST(a_long_answer_is_not_shortened)
{
    static const char *const names[] = {"/mnt/a-name-of-32-columns-000000",
                                        "/mnt/a-name-of-32-columns-111111"};
    struct plotted *plotted =
        plotted_make(&(struct plotted_case){SWEEP_NONE, 2, 500, PLOTTED_NARROW});
    struct comparison_row rows[2] = {
        {.name = names[0], .stats = &plotted->stats[0]},
        {.name = names[1],
         .stats = &plotted->stats[1],
         .figures = {{.count = 500, .ratio = 30, .bounds = {true, 28, 39}}}},
    };
    plotted->plot.rows = rows;
    look(plotted);
    assert_contains(looked.text,
                    "font-size=\"12\">/mnt/a-name-of-32-columns-000000 is 28x "
                    "to 39x faster than /mnt/a-name-of-32-columns-111111 (p50)<");
}

TEST(more_than_eight_targets_have_a_row_each)
{
    look_at(plotted_draw(&(struct plotted_case){SWEEP_NONE, 9, 300, PLOTTED_NARROW}));
    assert_int_equal(svg_check_count(&check, "plot"), 1);
    assert_int_equal(svg_check_count(&check, "mark"), 18);
    for (int i = 0; i < 9; i++) {
        double left = svg_check_bounds(&check, svg_check_find(&check, "mean", i)).left;
        double right = svg_check_bounds(&check, svg_check_find(&check, "mean", i)).right;
        double p99 = middle_x("mark", 2 * i), p50 = middle_x("mark", 2 * i + 1);
        assert_true(left < p50 && p50 < p99 && p99 <= right + 0.1);
        assert_near(middle_y("mark", 2 * i), middle_y("mean", i), 0.1);
    }
}

/* Returns true if the boxes are equal, moved to the right by X and down by Y. */
static bool
is_moved(struct svg_check_box one, struct svg_check_box other, double x, double y)
{
    return fabs(other.left - one.left - x) < 0.15 &&
           fabs(other.right - one.right - x) < 0.15 &&
           fabs(other.top - one.top - y) < 0.15 &&
           fabs(other.bottom - one.bottom - y) < 0.15;
}

/* The last disk has four times the rates of the others. All panels have the same axes. */
TEST(more_than_eight_targets_of_a_sweep_have_a_panel_each)
{
    struct plotted *plotted =
        plotted_make(&(struct plotted_case){SWEEP_DEPTH, 10, 7, PLOTTED_DECADES});
    plotted->jobs[0].sweep.highest_index = 3;
    for (int i = 1; i < 10; i++)
        plotted->jobs[i].sweep = plotted->jobs[0].sweep;
    for (int i = 0; i < 7; i++)
        plotted->jobs[9].sweep.steps[i].iops *= 4;
    look(plotted);
    assert_int_equal(svg_check_count(&check, "plot"), 10);
    assert_int_equal(svg_check_count(&check, "p50"), 10);
    assert_int_equal(svg_check_count(&check, "p99"), 10);
    assert_int_equal(svg_check_count(&check, "knee"), 10);
    assert_int_equal(svg_check_count(&check, "mark"), 0);
    struct svg_check_box curves[10];
    for (int i = 0; i < 10; i++)
        curves[i] = svg_check_bounds(&check, svg_check_find(&check, "p50", i));
    const struct svg_check_box *panels = check.panels;
    assert_true(is_moved(curves[0], curves[1], panels[1].left - panels[0].left, 0));
    double first = curves[0].right - panels[0].left;
    double last = curves[9].right - panels[9].left;
    assert_near(last / first, 4, 0.05);
    assert_near(panels[4].left, panels[0].left, 0.1);
    assert_true(panels[4].top > panels[0].bottom);
    assert_true(svg_check_shows(&check, "/mnt/disk9"));
}

/* Depth 8 is the fourth of seven steps. */
TEST(the_answer_of_a_sweep_is_a_line_at_its_step)
{
    struct plotted *plotted =
        plotted_make(&(struct plotted_case){SWEEP_DEPTH, 1, 7, PLOTTED_DECADES});
    plotted->jobs[0].sweep.highest_index = 3;
    look(plotted);
    assert_int_equal(svg_check_count(&check, "knee"), 1);
    assert_int_equal(svg_check_count(&check, "limit"), 1);
    assert_true(svg_check_shows(&check, "depth 8 meets p99 <= 1 ms"));
    /* The maxima are drawn first, then p99, then p50: the steps rise in each. */
    assert_near(middle_x("knee", 0), middle_x("mark", 3), 0.1);
    assert_near(middle_x("knee", 0), middle_x("mark", 10), 0.1);
}

/* The first size with 90 % of the bandwidth of the largest. */
TEST(the_knee_of_a_sweep_of_sizes_is_marked)
{
    struct plotted *plotted =
        plotted_make(&(struct plotted_case){SWEEP_SIZE, 1, 8, PLOTTED_NARROW});
    for (int i = 0; i < 8; i++)
        plotted->jobs[0].sweep.steps[i].bps = i < 5 ? 1e8 * (i + 1) : 5.5e8;
    look(plotted);
    assert_true(svg_check_shows(&check, "8 KiB reaches 90 % of the highest bandwidth"));
    assert_near(middle_x("knee", 0), middle_x("mark", 2 * 8 + 4), 0.1);
    assert_int_equal(svg_check_count(&check, "plot"), 2);
}
