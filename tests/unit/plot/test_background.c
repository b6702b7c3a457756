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
    assert_false(svg_check_shows(&check, "under load"));
    look(make(PHASE_NONE));
    assert_false(svg_check_shows(&check, "idle"));
}
