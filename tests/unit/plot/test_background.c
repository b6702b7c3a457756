/* The time of a load in a plot, and the figures of its phases. */
#include "looked.h"
#include "mix.h"

#include "base/time.h"

static struct job load;          /* too large for a stack */
static struct job_phases phases; /* likewise */

/* Makes a plot of 100 ms, of which the load has had those from 30 on; it ended at 60 ms,
 * or has not ended. Freed by plotted_free. */
static struct plotted *
make(enum phase current)
{
    struct plotted *plotted =
        plotted_make(&(struct plotted_case){SWEEP_NONE, 1, 500, PLOTTED_NARROW});
    struct job *job = plotted->jobs;
    memset(&load, 0, sizeof(load));
    memset(&phases, 0, sizeof(phases));
    phases.current = current;
    phases.background = &load;
    job->phases = &phases;
    load.plan = (struct plan){.mode = MODE_BACKGROUND,
                              .workload.mix = mix_of("write"),
                              .workload.request_size = 8192,
                              .io.depth = 1};
    load.group.begin_at = PLOTTED_BEGAN + 30 * MS;
    load.outcome.ended_at = PLOTTED_BEGAN + 60 * MS;
    load.has_ended = current > PHASE_LOADED;
    for (enum phase phase = PHASE_IDLE; phase < current; phase++) {
        phases.list[phase].has_ended = true;
        stats_merge(&phases.list[phase].stats, job->stats);
    }
    return plotted;
}

/* Fails unless the load is shaded from FROM to TO, in shares of the panel's width. */
static void
assert_shaded(double from, double to)
{
    assert_int_equal(svg_check_count(&check, "load"), 1);
    struct svg_check_box box =
        svg_check_bounds(&check, svg_check_find(&check, "load", 0));
    double left = check.panels[0].left, width = check.panels[0].right - left;
    double begins = (box.left - left) / width, ends = (box.right - left) / width;
    assert_true(begins > from - 0.02 && begins < from + 0.02);
    assert_true(ends > to - 0.02 && ends < to + 0.02);
    assert_true(svg_check_shows(&check, "under load: write 8 KiB"));
}

TEST(the_time_of_a_load_is_shaded)
{
    look(make(PHASE_RECOVERED));
    assert_shaded(0.3, 0.6);
    assert_true(svg_check_shows(&check, "recovered"));
    assert_true(svg_check_says(&check, "desc", "; idle: 500 requests counted"));
}

TEST(a_load_that_goes_on_is_shaded_up_to_the_end)
{
    look(make(PHASE_LOADED));
    assert_shaded(0.3, 1);
    assert_false(svg_check_shows(&check, "recovered"));
}

TEST(nothing_is_shaded_before)
{
    look(make(PHASE_IDLE));
    assert_int_equal(svg_check_count(&check, "load"), 0);
    assert_true(svg_check_shows(&check, "idle"));
    assert_false(svg_check_shows(&check, "recovered"));
    look(make(PHASE_NONE));
    assert_false(svg_check_shows(&check, "idle"));
}

/* Returns the line of CLASS of the phase NUMBER in the time panel, in shares of its
 * width.
 */
static struct svg_check_box
line_over_time(const char *class, int number)
{
    const struct xml_element *line = svg_check_find(&check, class, number);
    assert_non_null(line);
    assert_ptr_equal(svg_check_panel(&check, line), svg_check_find(&check, "plot", 0));
    struct svg_check_box box = svg_check_bounds(&check, line);
    double left = check.panels[0].left, width = check.panels[0].right - left;
    box.left = (box.left - left) / width;
    box.right = (box.right - left) / width;
    return box;
}

static void
assert_between(double from, double to, struct svg_check_box box)
{
    if (fabs(box.left - from) > 0.02 || fabs(box.right - to) > 0.02)
        fail_msg("%g to %g, not %g to %g", box.left, box.right, from, to);
}

/* Of 4 s, the load has those from 1 s to 3 s; in the first of them it settles. */
TEST(each_phase_has_its_percentiles_and_limit_over_its_time)
{
    struct plotted *plotted = make(PHASE_RECOVERED);
    struct job *job = plotted->jobs;
    memset(plotted->tracks, 0, sizeof(*plotted->tracks));
    track_start(plotted->tracks, PLOTTED_BEGAN, 0);
    memset(&phases.list, 0, sizeof(phases.list));
    memset(plotted->stats, 0, sizeof(*plotted->stats));
    for (int i = 0; i < 1000; i++) {
        enum phase phase = i < 250   ? PHASE_IDLE
                           : i < 750 ? PHASE_LOADED
                                     : PHASE_RECOVERED;
        struct sample sample = {.start = PLOTTED_BEGAN + i * 4 * MS,
                                .latency = phase == PHASE_LOADED ? 3 * MS : MS,
                                .size = 4096,
                                .verdict = VERDICT_NONE};
        if (i >= 250 && i < 500)
            continue;
        stats_record(plotted->stats, &sample);
        stats_record(&phases.list[phase].stats, &sample);
        track_record(plotted->tracks, &sample);
    }
    for (enum phase phase = PHASE_IDLE; phase < PHASES; phase++)
        phases.list[phase].has_ended = true;
    load.group.begin_at = PLOTTED_BEGAN + SECOND;
    load.outcome.ended_at = PLOTTED_BEGAN + 3 * SECOND;
    assert_null(slos_add(&plotted->plan.statistics.slos, "loaded-p99=2ms"));
    job->plan = plotted->plan;
    look(plotted);
    assert_shaded(0.25, 0.75);
    assert_between(0, 0.25, line_over_time("p50", 0));
    assert_between(0.5, 0.75, line_over_time("p50", 1));
    assert_between(0.75, 1, line_over_time("p50", 2));
    assert_between(0.5, 0.75, line_over_time("limit", 0));
    assert_true(line_over_time("p50", 1).top < line_over_time("limit", 0).top);
    assert_true(line_over_time("p50", 0).top > line_over_time("limit", 0).top);
    assert_true(svg_check_shows(&check, "settling"));
    assert_true(svg_check_shows(&check, "p99: idle 1"));
    assert_true(svg_check_shows(&check, "under load p99 <= 2 ms: FAIL"));
    assert_int_equal(svg_check_count(&check, "plot"), 4);
}
