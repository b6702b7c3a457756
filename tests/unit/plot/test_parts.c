/* The parts of the time of requests in a plot: stacked shares from 0 to 100 %. */
#include "looked.h"

#include "base/time.h"

/* Of the parts: submit, queue, device, return and sync; of a stack, with stack second. */
static const char *const plain_colours[] = {"part0", "part2", "part3", "part4", "part5"};
static const char *const stack_colours[] = {"part0", "part1", "part2",
                                            "part3", "part4", "part5"};
static const char *const *colours = plain_colours;

static const enum part plain_parts[] = {PART_SUBMIT, PART_QUEUE, PART_DEVICE,
                                        PART_RETURN};

/* A plot of one target that is to have parts. */
static struct plotted *
make(void)
{
    struct plotted *plotted =
        plotted_make(&(struct plotted_case){SWEEP_NONE, 1, 0, PLOTTED_EQUAL});
    plotted->plan.statistics.has_breakdown = true;
    return plotted;
}

static void
record(struct plotted *plotted, int target, const struct sample *sample)
{
    stats_record(&plotted->stats[target], sample);
    breakdown_record(&plotted->stats[target].breakdown, sample);
    track_record(&plotted->tracks[target], sample);
    track_split(&plotted->tracks[target], sample);
}

/* Adds a request at AT, ms after the start, with these parts, us, and a flush of SYNC. */
static void
add(struct plotted *plotted, int at, const int *parts, int sync)
{
    struct sample sample = {.index = plotted->stats->requests + 1,
                            .start = PLOTTED_BEGAN + at * MS,
                            .size = 4096,
                            .bytes = 4096,
                            .sync = sync * US,
                            .latency = sync * US,
                            .verdict = VERDICT_NONE};
    sample.split.result = parts ? SPLIT_DONE : SPLIT_LOST;
    for (size_t i = 0; parts && i < LENGTH(plain_parts); i++) {
        sample.split.part[plain_parts[i]] = parts[i] * US;
        sample.latency += parts[i] * US;
    }
    colours = plain_colours;
    record(plotted, 0, &sample);
}

static void
assert_near(double a, double b)
{
    if (!(fabs(a - b) <= 0.25))
        fail_msg("%g, not %g", a, b);
}

/* How far up and down part NUMBER reaches between LEFT and RIGHT of its width, 0 to 1. */
static struct svg_check_box
reach(int number, double left, double right)
{
    const struct xml_element *part = svg_check_find(&check, "part", number);
    int count;
    assert_non_null(part);
    assert_true(svg_check_has(&check, part, colours[number]));
    struct svg_check_box whole = svg_check_bounds(&check, part);
    struct svg_check_box box = {whole.left + left * (whole.right - whole.left), INFINITY,
                                whole.left + right * (whole.right - whole.left),
                                -INFINITY};
    struct svg_check_point *points = svg_check_points(&check, part, &count);
    for (int i = 0; i < count; i++)
        if (points[i].x >= box.left - 0.2 && points[i].x <= box.right + 0.2) {
            box.top = fmin(box.top, points[i].y);
            box.bottom = fmax(box.bottom, points[i].y);
        }
    free(points);
    return box;
}

/* Fails unless the parts between LEFT and RIGHT lie on each other and SHARES of them are
 * their heights. Returns the upper end. */
static double
check_stack(double left, double right, const int *shares, int parts)
{
    double all = 0;
    for (int i = 0; i < parts; i++)
        all += shares[i];
    double bottom = reach(0, left, right).bottom;
    double top = reach(parts - 1, left, right).top, edge = bottom;
    assert_true(bottom - top > 20);
    for (int i = 0; i < parts; i++) {
        struct svg_check_box box = reach(i, left, right);
        assert_near(box.bottom, edge);
        edge -= (bottom - top) * shares[i] / all;
        assert_near(box.top, edge);
    }
    return top;
}

/* Requests of 100, later of 300 us, have the same shares. The stack fills the panel,
 * which is below the panel of latency. */
TEST(shares_add_up_to_all_of_the_time)
{
    static const int parts[] = {10, 40, 30, 20}, thrice[] = {30, 120, 90, 60};
    struct plotted *plotted = make();
    for (int i = 0; i < 1000; i++)
        add(plotted, i, i < 500 ? parts : thrice, 0);
    look(plotted);
    assert_int_equal(svg_check_count(&check, "part"), 4);
    assert_near(check_stack(0, 0.45, parts, 4), check_stack(0.55, 1, parts, 4));
    struct svg_check_box panel = check.panels[2];
    assert_near(reach(0, 0, 1).bottom, panel.bottom);
    assert_near(reach(3, 0, 1).top, panel.top);
    assert_true(panel.top > check.panels[0].bottom);
    assert_ptr_equal(svg_check_panel(&check, svg_check_find(&check, "part", 0)),
                     svg_check_find(&check, "plot", 2));
}

/* One is 1000 times as long as the others: latency has a log axis, shares never have. */
TEST(shares_are_linear_below_a_log_axis)
{
    static const int parts[] = {10, 20, 50, 20}, slow[] = {10, 99900, 70, 20};
    struct plotted *plotted = make();
    for (int i = 0; i < 20; i++)
        add(plotted, 1000 * i, i == 10 ? slow : parts, 0);
    look(plotted);
    assert_true(svg_check_shows(&check, "latency (log scale)"));
    assert_true(svg_check_shows(&check, "share of the time (%)"));
    check_stack(0, 0.4, parts, 4);
    struct svg_check_box queue = reach(1, 0.48, 0.56);
    assert_true(queue.bottom - queue.top >
                0.95 * (check.panels[2].bottom - check.panels[2].top));
}

/* At 100 requests from the beginning to the end, each has a column of its own. */
TEST(each_stretch_has_its_own_parts)
{
    static const int first[] = {20, 20, 140, 20}, second[] = {20, 140, 20, 20};
    struct plotted *plotted = make();
    for (int i = 0; i < 100; i++)
        add(plotted, 10 * i, i < 50 ? first : second, 0);
    look(plotted);
    check_stack(0, 0.45, first, 4);
    check_stack(0.55, 1, second, 4);
}

/* A request that waits in the queue for 300 ms, and 100 short ones after it. */
TEST(a_long_request_fills_the_stack_until_it_ends)
{
    static const int waits[] = {20, 299000, 140, 20}, shorts[] = {20, 20, 140, 20};
    struct plotted *plotted = make();
    add(plotted, 0, waits, 0);
    for (int i = 0; i < 100; i++)
        add(plotted, 300 + 3 * i, shorts, 0);
    look(plotted);
    check_stack(0.01, 0.4, waits, 4);
    check_stack(0.6, 1, shorts, 4);
    assert_true(svg_check_shows(&check, "queue took 94 % of the time of all requests "
                                        "together; of a typical request, device"));
}

TEST(flushes_are_the_last_part_of_writes)
{
    static const int parts[] = {10, 40, 30, 20}, all[] = {10, 40, 30, 20, 100};
    struct plotted *plotted = make();
    for (int i = 0; i < 1000; i++)
        add(plotted, i, parts, 100);
    look(plotted);
    assert_int_equal(svg_check_count(&check, "part"), 5);
    assert_int_equal(svg_check_count(&check, "k-part"), 5);
    check_stack(0, 1, all, 5);
    assert_true(svg_check_shows(&check, "sync"));
}

TEST(a_stack_has_its_part_above_submit)
{
    static const int parts[] = {10, 30, 20, 30, 10};
    struct plotted *plotted = make();
    for (uint64_t i = 0; i < 1000; i++) {
        struct sample sample = {.index = i + 1,
                                .start = PLOTTED_BEGAN + (int64_t)i * MS,
                                .size = 4096,
                                .bytes = 4096,
                                .latency = 100 * US,
                                .verdict = VERDICT_NONE,
                                .split = {.result = SPLIT_DONE, .is_stacked = true}};
        for (int part = 0; part < PARTS; part++)
            sample.split.part[part] = parts[part] * US;
        record(plotted, 0, &sample);
    }
    colours = stack_colours;
    look(plotted);
    assert_int_equal(svg_check_count(&check, "part"), PARTS);
    assert_int_equal(svg_check_count(&check, "k-part"), PARTS);
    check_stack(0, 1, parts, PARTS);
    assert_true(svg_check_says(
        &check, "desc",
        "on average submit 10 \u00b5s, stack 30 \u00b5s, queue 20 \u00b5s, "
        "device 30 \u00b5s, return 10 \u00b5s."));
}

/* They have no column, and change none: half of the others are as long as all of these.
 */
TEST(requests_that_were_not_split_have_no_part)
{
    static const int parts[] = {10, 40, 30, 20};
    struct plotted *plotted = make();
    int count, starts = 0;
    for (int i = 0; i < 300; i++)
        add(plotted, 10 * i, i >= 100 && i < 200 ? NULL : parts, 0);
    look(plotted);
    const struct xml_element *part = svg_check_find(&check, "part", 0);
    struct svg_check_point *points = svg_check_points(&check, part, &count);
    for (int i = 0; i < count; i++)
        starts += points[i].first;
    assert_int_equal(starts, 2);
    free(points);
}

TEST(the_legend_and_the_description_name_the_parts)
{
    static const char *const facts[] = {"with the shares of the parts of the time",
                                        "on average submit 10 \u00b5s, queue 40 \u00b5s, "
                                        "device 30 \u00b5s, return 20 \u00b5s."};
    static const int parts[] = {10, 40, 30, 20};
    struct plotted *plotted = make();
    for (int i = 0; i < 10; i++)
        add(plotted, i, parts, 0);
    look(plotted);
    for (size_t i = 0; i < LENGTH(plain_parts); i++) {
        const struct xml_element *key = svg_check_find(&check, "k-part", (int)(3 - i));
        assert_non_null(key);
        assert_true(svg_check_has(&check, key, colours[i]));
        assert_true(svg_check_shows(&check, part_name(plain_parts[i])));
    }
    assert_false(svg_check_shows(&check, "stack"));
    for (size_t i = 0; i < LENGTH(facts); i++)
        assert_true(svg_check_says(&check, "desc", facts[i]));
    assert_false(svg_check_shows(&check, "sync"));
}

/* The average of each part, and its share of the time. */
TEST(the_table_has_the_parts_in_the_order_of_the_stack)
{
    static const char *const texts[] = {">20 \u00b5s<",
                                        ">20.0 %<",
                                        ">30 \u00b5s<",
                                        ">30.0 %<",
                                        ">40 \u00b5s<",
                                        ">40.0 %<",
                                        ">queue took 40 % of the time<"};
    static const int parts[] = {10, 40, 30, 20};
    struct plotted *plotted = make();
    for (int i = 0; i < 100; i++)
        add(plotted, i, parts, 0);
    look(plotted);
    for (size_t i = 0; i < LENGTH(texts); i++)
        if (!strstr(looked.text, texts[i]))
            fail_msg("%s: %s", texts[i], looked.text);
    for (int i = 1; i < 4; i++) {
        struct svg_check_box below =
            svg_check_bounds(&check, svg_check_find(&check, "k-part", i - 1));
        struct svg_check_box above =
            svg_check_bounds(&check, svg_check_find(&check, "k-part", i));
        assert_true(above.bottom < below.top || below.bottom < above.top);
    }
}

/* Fails unless nothing of parts is drawn. */
static void
assert_bare(struct plotted *plotted)
{
    look(plotted);
    assert_int_equal(svg_check_count(&check, "part"), 0);
    assert_int_equal(svg_check_count(&check, "k-part"), 0);
    assert_false(svg_check_says(&check, "desc", "queue"));
    assert_false(svg_check_shows(&check, "share of the time"));
}

TEST(without_parts_of_one_target_none_are_drawn)
{
    static const int parts[] = {10, 40, 30, 20};
    struct plotted *plain = make(), *lost = make();
    add(plain, 0, parts, 0);
    plain->plan.statistics.has_breakdown = false;
    assert_bare(plain);
    add(lost, 0, NULL, 100);
    assert_bare(lost);
    struct plotted *two =
        plotted_make(&(struct plotted_case){SWEEP_NONE, 2, 5, PLOTTED_NARROW});
    two->plan.statistics.has_breakdown = true;
    add(two, 0, parts, 0);
    assert_bare(two);
}

/* Makes the requests of DRAWN anew, and splits them at the same places. */
static void
draw_split(const struct plotted_case *drawn, bool flushed)
{
    struct plotted *plotted = make();
    struct random random;
    int64_t start = PLOTTED_BEGAN;
    random_seed(&random, 7);
    plotted->stats->corrected_interval = drawn->kind == PLOTTED_MISSING ? MS : 0;
    for (uint64_t i = 1; i <= drawn->requests; i++) {
        struct sample sample = plotted_request(drawn->kind, i, &random);
        int64_t part = sample.latency / 8;
        sample.start = start;
        sample.sync = flushed ? sample.latency / 2 : 0;
        sample.split = (struct split){
            .result = SPLIT_DONE,
            .part = {[PART_SUBMIT] = part,
                     [PART_QUEUE] = part,
                     [PART_DEVICE] = part,
                     [PART_RETURN] = sample.latency - sample.sync - 3 * part}};
        start += plotted_pause(drawn->kind, &sample);
        if (sample_counts(&sample)) {
            record(plotted, 0, &sample);
            continue;
        }
        stats_record(plotted->stats, &sample);
        track_record(plotted->tracks, &sample);
    }
    look(plotted);
}

TEST(every_run_with_parts_makes_a_sound_plot)
{
    static const uint64_t requests[] = {0, 1, 2, 3, 40, 400, 401, 12000};
    for (int kind = 0; kind < PLOTTED_KINDS; kind++)
        for (size_t i = 0; i < 2 * LENGTH(requests); i++)
            draw_split(&(struct plotted_case){SWEEP_NONE, 1, requests[i / 2],
                                              (enum plotted_kind)kind},
                       i % 2);
}
