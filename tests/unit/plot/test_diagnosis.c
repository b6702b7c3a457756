/* The four panels of a diagnosis: the figures in the picture are those of the parts, and
 * a part that was not measured has its reason. */
/* Marks: native */
#include "diagnosed.h"
#include "looked.h"

#include "plot/diagnosis.h"

/* Looks at the plot of DIAGNOSED, which is freed. */
static void
look_at_diagnosis(struct diagnosed *diagnosed)
{
    look_at(diagnosed_draw(diagnosed));
}

/* Makes a plot whose parts all have figures: idle reads of 100 us, and some of 400 us;
 * flushes of 1 ms, and some of 20 ms; 1000 sequential reads per second. */
static struct diagnosed *
make_measured(void)
{
    struct diagnosed *diagnosed = diagnosed_make();

    for (int i = 0; i < 300; i++)
        diagnosed_record(diagnosed, PART_OF_PAUSES, i * 10 * MS,
                         i % 20 == 7 ? 400000 : 100000, 0);
    diagnosed_step(diagnosed, 1, 10100, 90000, 200000);
    diagnosed_step(diagnosed, 2, 19200, 95000, 210000);
    diagnosed_step(diagnosed, 4, 37300, 100000, 300000);
    diagnosed_step(diagnosed, 8, 40400, 190000, 1200000);
    for (int i = 0; i < 2000; i++)
        diagnosed_record(diagnosed, PART_OF_STREAM, i * MS, MS, 0);
    for (int i = 0; i < 200; i++) {
        int64_t sync = i % 10 == 3 ? 20 * MS : MS;
        diagnosed_record(diagnosed, PART_OF_FLUSHES, i * 30 * MS, sync + 50000, sync);
    }
    diagnosed->result.knee = 4;
    return diagnosed;
}

/* Returns the box of element NUMBER of CLASS. */
static struct svg_check_box
find_box(const char *class, int number)
{
    const struct xml_element *element = svg_check_find(&check, class, number);
    if (!element)
        fail_msg("no element %d of class %s", number, class);
    return svg_check_bounds(&check, element);
}

/* Returns the y of the horizontal line NUMBER of CLASS. */
static double
find_line_y(const char *class, int number)
{
    struct svg_check_box box = find_box(class, number);
    assert_true(box.bottom - box.top < 0.2);
    return (box.top + box.bottom) / 2;
}

/* Returns the y of the tick of panel NUMBER whose text is TEXT. The base line of the text
 * is 4 pixels lower. */
static double
find_tick_y(int number, const char *text)
{
    struct svg_check_box panel = check.panels[number];

    for (int i = 0; i < check.xml.count; i++) {
        struct xml_element *element = &check.xml.elements[i];
        if (strcmp(element->name, "text") != 0 || strcmp(element->text, text) != 0)
            continue;
        double x = svg_check_number(&check, element, "x");
        double y = svg_check_number(&check, element, "y") - 4;
        if (x < panel.left && x > panel.left - 10 && y > panel.top - 1 &&
            y < panel.bottom + 1)
            return y;
    }
    fail_msg("panel %d has no tick %s", number, text);
    return 0;
}

/* A tick: its text, and its value in us. */
struct tick {
    const char *text;
    double value;
};

static const struct tick at_50us = {"50 \u00b5s", 50};
static const struct tick at_1ms = {"1 ms", 1000};
static const struct tick at_2ms = {"2 ms", 2000};
static const struct tick at_10ms = {"10 ms", 10000};
static const struct tick at_20ms = {"20 ms", 20000};

/* Fails unless Y of panel NUMBER stands for VALUE, in us, on a log axis that has the
 * ticks LOW and HIGH. */
static void
assert_log_value(int number, double y, double value, const struct tick *low,
                 const struct tick *high)
{
    double low_y = find_tick_y(number, low->text);
    double high_y = find_tick_y(number, high->text);
    double share = (low_y - y) / (low_y - high_y);
    double found = low->value * pow(high->value / low->value, share);

    if (fabs(found / value - 1) > 0.03)
        fail_msg("panel %d: %g us at y %g, not %g us", number, found, y, value);
}

TEST(each_part_has_a_panel_with_its_title_and_what_it_decides)
{
    look_at_diagnosis(make_measured());
    assert_int_equal(check.panel_count, 5); /* the sweep has two halves */
    assert_true(svg_check_shows(&check, "This disk is a brick."));
    assert_true(svg_check_shows(&check, "Idle: one read of 4 KiB every 10 ms"));
    assert_true(svg_check_shows(&check, "Load: reads of 4 KiB, more and more at a time"));
    assert_true(svg_check_shows(&check, "Sequential: reads of 256 KiB, back to back"));
    assert_true(svg_check_shows(&check, "Flush: after each write of 4 KiB"));
    assert_int_equal(svg_check_count(&check, "verdict"), 4);
    assert_true(svg_check_shows(&check, "desktop OK"));
    assert_true(svg_check_shows(&check, "etcd OK"));
    assert_true(svg_check_shows(&check, "database log UNKNOWN"));
    assert_int_equal(svg_check_count(&check, "bad"), 1);
    assert_string_equal(svg_check_find(&check, "bad", 0)->text, "streaming FAIL");
}

TEST(the_description_has_the_same_figures)
{
    look_at_diagnosis(make_measured());
    assert_true(svg_check_says(&check, "title", "ioping -diagnose /mnt/disk (ext4"));
    assert_true(svg_check_says(&check, "desc",
                               "Diagnosis of a disk: This disk is a brick. Idle: one "
                               "read of 4 KiB every 10 ms: 300 requests counted, p50 "));
    assert_true(svg_check_says(
        &check, "desc",
        "depth 4: 37.3 k iops, 145.7 MiB/s, p50 100 \u00b5s, p99 300 \u00b5s, max "));
    assert_true(svg_check_says(&check, "desc", "; knee at 4."));
    assert_true(svg_check_says(&check, "desc",
                               "back to back: 2 k requests counted, 250 MiB/s; "
                               "streaming FAIL."));
    assert_true(svg_check_says(&check, "desc", ": 200 requests counted, p50 "));
    assert_true(
        svg_check_says(&check, "desc", ", max 20 ms; etcd OK, database log UNKNOWN."));
}

/* The lines of percentiles lie where the ticks say. */
TEST(the_lines_of_the_idle_reads_are_their_percentiles)
{
    look_at_diagnosis(make_measured());
    assert_int_equal(svg_check_count(&check, "mark") - 8, 300);
    assert_true(svg_check_shows(&check, "max 400 \u00b5s"));
    double low = find_tick_y(0, "100");
    double high = find_tick_y(0, "400");
    double per_us = (low - high) / 300;
    double expected[] = {100, 100, 400, 400};
    const char *classes[] = {"p50", "p90", "p99", "max"};
    for (size_t i = 0; i < LENGTH(classes); i++) {
        double found = 100 + (low - find_line_y(classes[i], 0)) / per_us;
        if (fabs(found - expected[i]) > 10)
            fail_msg("%s: %g, not %g", classes[i], found, expected[i]);
    }
}

TEST(the_curves_of_the_sweep_are_its_steps)
{
    look_at_diagnosis(make_measured());
    static const double p99[] = {200, 210, 300, 1200};
    assert_int_equal(svg_check_count(&check, "open"), 4);
    double last_x = 0;
    for (int i = 0; i < 4; i++) {
        struct svg_check_box box = find_box("open", i);
        double x = (box.left + box.right) / 2;
        if (i > 1)
            assert_true(
                fabs(x - last_x - (find_box("open", 1).left - find_box("open", 0).left)) <
                0.3);
        last_x = x;
        assert_log_value(1, (box.top + box.bottom) / 2, p99[i], &at_50us, &at_2ms);
    }
}

TEST(the_bars_of_the_sweep_have_the_rates)
{
    look_at_diagnosis(make_measured());
    static const double rates[] = {10.1, 19.2, 37.3, 40.4};
    double full = find_box("bar", 3).bottom - find_box("bar", 3).top;
    for (int i = 0; i < 4; i++) {
        struct svg_check_box bar = find_box("bar", i);
        assert_true(fabs((bar.bottom - bar.top) / full - rates[i] / rates[3]) < 0.01);
        assert_true(svg_check_shows(&check, formatted("%.1f k", rates[i])));
    }
    assert_int_equal(svg_check_count(&check, "number"), 4);
}

TEST(the_knee_is_marked_at_its_depth)
{
    look_at_diagnosis(make_measured());
    struct svg_check_box knee = find_box("knee", 0);
    struct svg_check_box mark = find_box("open", 2);
    assert_true(fabs(knee.left - (mark.left + mark.right) / 2) < 0.2);
    assert_true(svg_check_shows(&check, "knee: 4"));

    struct diagnosed *diagnosed = make_measured();
    diagnosed->result.knee = 0;
    look_at_diagnosis(diagnosed);
    assert_int_equal(svg_check_count(&check, "knee"), 0);
    assert_false(svg_check_shows(&check, "knee"));
}

/* The requests of the step that still runs are in the stats, but there is no curve. */
TEST(steps_without_requests_are_no_figures)
{
    struct diagnosed *diagnosed = diagnosed_make();
    diagnosed_step(diagnosed, 1, 0, -1, -1);
    diagnosed->jobs[PART_OF_DEPTHS].sweep.steps[0].requests = 0;
    diagnosed_record(diagnosed, PART_OF_DEPTHS, 0, MS, 0);
    assert_string_equal(plot_why_missing(&diagnosed->plot, PART_OF_DEPTHS),
                        "no request counted");
    look_at_diagnosis(diagnosed);
    assert_int_equal(check.panel_count, 4); /* the sweep has no two halves */
}

/* 1000 reads of 256 KiB per second are 250 MiB/s. In the second half of the time only
 * half as many begin. */
TEST(the_bandwidth_is_drawn_over_time)
{
    struct diagnosed *diagnosed = make_measured();
    for (int i = 0; i < 1000; i++)
        diagnosed_record(diagnosed, PART_OF_STREAM, 2 * SECOND + i * 2 * MS, MS, 0);
    look_at_diagnosis(diagnosed);

    int count = 0;
    const struct xml_element *line = svg_check_find(&check, "outline", 0);
    assert_non_null(line);
    struct svg_check_point *points = svg_check_points(&check, line, &count);
    double zero = find_tick_y(3, "0");
    double full = find_tick_y(3, "200");
    struct svg_check_box panel = check.panels[3];
    assert_true(count > 40);
    for (int i = 0; i < count; i++) {
        double share = (points[i].x - panel.left) / (panel.right - panel.left);
        double speed = 200 * (zero - points[i].y) / (zero - full);
        bool is_near_change = fabs(share - 0.5) < 0.03;
        double expected = share < 0.5 ? 250 : 125;
        if (!is_near_change && fabs(speed - expected) > 12)
            fail_msg("%g MiB/s at %g of the time", speed, share);
    }
    free(points);
}

TEST(the_limit_of_streaming_is_in_its_panel)
{
    look_at_diagnosis(make_measured());
    double zero = find_tick_y(3, "0");
    double full = find_tick_y(3, "200");
    double speed = 200 * (zero - find_line_y("limit", 0)) / (zero - full);
    assert_true(fabs(speed - 16000000 / 1048576.0) < 1);
    assert_true(svg_check_shows(&check, "15.3 MiB/s"));
}

TEST(the_limit_of_etcd_is_among_the_flushes)
{
    look_at_diagnosis(make_measured());
    assert_log_value(4, find_line_y("limit", 1), 10000, &at_1ms, &at_20ms);
    assert_log_value(4, find_line_y("p50", 2), 1000, &at_1ms, &at_20ms);
    assert_log_value(4, find_line_y("p99", 2), 20000, &at_1ms, &at_20ms);
    assert_true(svg_check_shows(&check, "etcd 10 ms"));
}

/* All flushes are far below the limit. */
TEST(the_limit_of_etcd_is_always_shown)
{
    struct diagnosed *diagnosed = diagnosed_make();
    for (int i = 0; i < 200; i++)
        diagnosed_record(diagnosed, PART_OF_FLUSHES, i * MS, 5000, 900);
    look_at_diagnosis(diagnosed);
    assert_int_equal(svg_check_count(&check, "limit"), 1);
    assert_log_value(3, find_line_y("limit", 0), 10000, &at_1ms, &at_10ms);
}

/* Each panel has the reason of its part, and no data. */
TEST(a_part_that_was_not_measured_has_the_reason)
{
    static const char *const reasons[PLAN_PARTS] = {
        "interrupted before", "a request failed", "too few requests",
        "measured in directories only"};
    for (int count = PART_OF_FLUSHES; count <= PLAN_PARTS; count++) {
        struct diagnosed *diagnosed = diagnosed_make();
        diagnosed->plot.count = count;
        memcpy(diagnosed->result.missing, reasons, sizeof(reasons));
        look_at_diagnosis(diagnosed);
        assert_int_equal(check.panel_count, 4);
        for (int part = 0; part < PLAN_PARTS; part++) {
            assert_true(svg_check_shows(&check, reasons[part]));
            assert_true(svg_check_says(&check, "desc", reasons[part]));
        }
        assert_int_equal(svg_check_count(&check, "limit"), 0);
        assert_int_equal(svg_check_count(&check, "grid"), 0);
    }
}

TEST(a_part_that_was_measured_needs_no_reason)
{
    struct diagnosed *diagnosed = make_measured();
    for (int part = 0; part < PLAN_PARTS; part++)
        diagnosed->result.missing[part] = "a reason";
    look_at_diagnosis(diagnosed);
    assert_false(svg_check_shows(&check, "a reason"));
}

TEST(before_its_end_a_diagnosis_has_no_verdicts)
{
    struct diagnosed *diagnosed = make_measured();
    diagnosed->result.answer = NULL;
    look_at_diagnosis(diagnosed);
    assert_int_equal(svg_check_count(&check, "verdict"), 0);
    assert_true(svg_check_shows(&check, "The diagnosis is not complete yet."));
}

TEST(failed_reads_are_shown)
{
    struct diagnosed *diagnosed = make_measured();
    diagnosed_fail(diagnosed, PART_OF_PAUSES, SECOND);
    look_at_diagnosis(diagnosed);
    assert_int_equal(svg_check_count(&check, "fail"), 1);
    assert_true(svg_check_shows(&check, "failed"));
    assert_true(svg_check_says(&check, "desc", "300 requests counted, 1 failed, p50 "));
}

/* Only the unit after a number has another letter. */
TEST(microseconds_are_written_as_in_other_plots)
{
    struct diagnosed *diagnosed = diagnosed_make();
    diagnosed->result.answer = "A (p50 5 us, p99 7 us); try ioping 5 usr /a us/5 us/f.";
    look_at_diagnosis(diagnosed);
    assert_true(svg_check_shows(
        &check, "A (p50 5 \u00b5s, p99 7 \u00b5s); try ioping 5 usr /a us/5 us/f."));
}

/* No word is lost between the lines of an answer. */
TEST(a_long_answer_has_several_lines)
{
    static const char answer[] =
        "Cannot tell: a file system of type fuse.something does not say where its data "
        "is (p50 16.2 ms, p99 17.0 ms); with more than about 4 in flight, reads only "
        "wait; try ioping -q -c 1000 -i 10ms /mnt/f.";
    char shown[sizeof(answer) + 8] = "";
    struct diagnosed *diagnosed = diagnosed_make();
    diagnosed->result.answer = answer;
    look_at_diagnosis(diagnosed);
    int count = svg_check_count(&check, "answer");
    assert_in_range(count, 2, 3);
    for (int i = 0; i < count; i++)
        snprintf(shown + strlen(shown), sizeof(shown) - strlen(shown), "%s%s",
                 i > 0 ? " " : "", svg_check_find(&check, "answer", i)->text);
    assert_string_equal(shown, answer);
}

TEST(random_diagnoses_make_sound_plots)
{
    for (uint64_t seed = 0; seed < 60; seed++) {
        struct buffer text = diagnosed_draw(diagnosed_seeded(seed));
        struct svg_check found = {0};
        svg_check_begin(&found, text.text, text.length);
        if (found.problems.text)
            fail_msg("seed %d: %s", (int)seed, found.problems.text);
        svg_check_end(&found);
        buffer_free(&text);
    }
}
