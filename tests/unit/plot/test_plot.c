/* The texts of a plot and its size. test_geometry.c tests its geometry. */
#include "mix.h"
#include "support.h"

#include "base/random.h"
#include "base/time.h"
#include "cli/options.h"
#include "plot/plot.h"
#include "run/job.h"

#define TARGETS 64
#define STEPS 23
#define MOST 200000

/* All of a plot; too large for the stack. */
static struct {
    struct plan plan;
    struct plot plot;
    struct job jobs[TARGETS];
    struct stats stats[TARGETS];
    struct track tracks[TARGETS];
    char names[TARGETS][4096];
    struct buffer text;
} scene;

static int
clear_scene(void **state)
{
    (void)state;
    buffer_free(&scene.text);
    memset(&scene, 0, sizeof(scene));
    return 0;
}

static void
begin(int count)
{
    clear_scene(NULL);
    scene.plan = (struct plan){.workload.request_size = 4096,
                               .io.threads = 1,
                               .io.depth = 1,
                               .pace.burst = 1,
                               .pace.interval = SECOND};
    scene.plot = (struct plot){.plan = &scene.plan,
                               .jobs = scene.jobs,
                               .count = count,
                               .host = "db1",
                               .made_at = 1795934126 * SECOND};
    for (int i = 0; i < count; i++) {
        snprintf(scene.names[i], sizeof(scene.names[i]), "/mnt/%d", i);
        scene.jobs[i].target.description =
            (struct description){.path = scene.names[i],
                                 .fstype = "ext4",
                                 .device = "/dev/vda1",
                                 .size = 42198053683, /* 39.3 GiB */
                                 .mode = IO_MODE_DIRECT};
        scene.jobs[i].stats = &scene.stats[i];
        scene.jobs[i].track = &scene.tracks[i];
        track_start(&scene.tracks[i], SECOND, 0);
    }
}

static void
record(int target, int64_t offset, int64_t latency, enum verdict verdict, uint64_t missed)
{
    struct sample sample = {.start = SECOND + offset,
                            .latency = latency,
                            .size = 4096,
                            .bytes = 4096,
                            .verdict = verdict,
                            .missed = missed};
    stats_record(&scene.stats[target], &sample);
    track_record(&scene.tracks[target], &sample);
}

static const char *
draw(void)
{
    buffer_clear(&scene.text);
    plot_format(&scene.text, &scene.plot);
    assert_false(scene.text.failed);
    return scene.text.text;
}

static int
count_of(const char *text, const char *part)
{
    int count = 0;
    for (; (text = strstr(text, part)); text++)
        count++;
    return count;
}

/* Three steps: 1, 2, 4 with 1000, 2000, 3000 requests a second. */
static void
begin_sweep(enum sweep_kind kind)
{
    begin(1);
    scene.plan.sweep.kind = kind;
    for (int i = 0; i < 3; i++)
        scene.jobs[0].sweep.steps[i] = (struct job_step){.value = 1 << i,
                                                         .requests = 100,
                                                         .iops = 1000 * (i + 1),
                                                         .bps = 4096000 * (i + 1),
                                                         .p50 = 100000 << i,
                                                         .p99 = 200000 << i,
                                                         .max = 300000 << i};
    scene.jobs[0].sweep.count = 3;
}

FIXTURE(NULL, clear_scene)

TEST(a_plot_begins_with_a_line_that_tells_it_from_other_files)
{
    begin(1);
    const char *text = draw();
    assert_memory_equal(
        text, "<!-- ioping -->\n<svg xmlns=\"http://www.w3.org/2000/svg\" ", 56);
    assert_string_equal(text + scene.text.length - 7, "</svg>\n");
    assert_contains(text, "role=\"img\" aria-labelledby=\"ioping-title ioping-desc\">\n"
                          "<title id=\"ioping-title\">");
}

TEST(title_and_description_say_all_in_words)
{
    begin(1);
    for (int i = 0; i < 4; i++)
        record(0, i * SECOND, 200000, VERDICT_NONE, 0);
    record(0, 4 * SECOND, 0, VERDICT_ERROR, 2);
    const char *text = draw();
    assert_contains(text, "<title id=\"ioping-title\">ioping /mnt/0 (ext4 /dev/vda1 39.3 "
                          "GiB)</title>\n<desc id=\"ioping-desc\">Latency over time, and "
                          "how it is distributed: random reads of 4 KiB, direct, every "
                          "1 s; 4 requests counted, 1 failed, 2 missed. /mnt/0 (ext4 "
                          "/dev/vda1 39.3 GiB): 4 requests counted, 1 failed, 2 missed, "
                          "p50 200 \u00b5s, max 200 \u00b5s. Made on db1, "
                          "2026-11-29T06:35:26Z, ioping " IOPING_VERSION "</desc>");
}

TEST(several_targets_are_all_described)
{
    begin(3);
    record(0, 0, 100, VERDICT_NONE, 0);
    record(2, 0, 300, VERDICT_NONE, 0);
    const char *text = draw();
    assert_contains(text, ">ioping: 3 targets</title>");
    assert_contains(text, "/mnt/0 (ext4 /dev/vda1 39.3 GiB): 1 request counted, p50 100 "
                          "ns, max 100 ns. /mnt/1 (ext4 /dev/vda1 39.3 GiB): "
                          "0 requests counted. /mnt/2 (");
}

TEST(the_steps_of_a_sweep_are_described)
{
    begin_sweep(SWEEP_DEPTH);
    scene.plan.io.engine_name = "io_uring";
    scene.plan.pace.interval = 0;
    scene.jobs[0].sweep.steps[1].requests = 0;
    const char *text = draw();
    assert_contains(
        text,
        ">Latency against IOPS, at rising queue depth: random reads of "
        "4 KiB, direct, at rising depth (io_uring); 200 requests "
        "counted. up to 3 k requests per second at depth 4, p99 800 \u00b5s. "
        "/mnt/0 (ext4 /dev/vda1 39.3 GiB): depth 1: 1 k "
        "iops, 3.91 MiB/s, p50 100 \u00b5s, p99 200 \u00b5s, max 300 \u00b5s; depth 4: "
        "3 k iops, 11.7 MiB/s, p50 400 \u00b5s, p99 800 \u00b5s, max 1.20 ms."
        " Made on ");
}

/* The rate that was answered, which need not be the highest of all steps. */
TEST(a_sweep_of_rates_has_its_answer_in_large_text)
{
    begin_sweep(SWEEP_RATE);
    assert_null(slos_add(&scene.plan.statistics.slos, "p99=500us"));
    scene.jobs[0].sweep.steps[1].answered_rate = 1990;
    scene.jobs[0].sweep.highest_index = 1;
    const char *text = draw();
    assert_contains(text, "font-size=\"15\">1.99 k requests per second, the highest rate "
                          "that meets p99 &lt;= 500 \u00b5s<");
    assert_int_equal(count_of(text, "class=\"knee"), 1);
    scene.jobs[0].sweep.highest_index = -1;
    text = draw();
    assert_contains(text, ">no step meets p99 &lt;= 500 \u00b5s<");
    assert_int_equal(count_of(text, "class=\"knee"), 0);
}

TEST(the_answer_of_a_sweep_says_if_it_is_a_lower_bound)
{
    begin_sweep(SWEEP_RATE);
    struct job_sweep *sweep = &scene.jobs[0].sweep;
    sweep->steps[2].answered_rate = 3990;
    sweep->highest_index = 2;
    sweep->is_lower_bound = true;
    assert_contains(draw(),
                    "\">at least 3.99 k requests per second, the highest rate; no "
                    "higher one was measured<");
    begin_sweep(SWEEP_DEPTH);
    assert_null(slos_add(&scene.plan.statistics.slos, "p99=500us"));
    sweep->highest_index = 1;
    assert_int_equal(count_of(draw(), ">highest that meets the limit<"), 1);
    sweep->is_lower_bound = true;
    sweep->was_interrupted = true;
    const char *text = draw();
    assert_contains(text, "\">interrupted; so far at least depth 2 meets p99 &lt;= 500 "
                          "\u00b5s, ");
    assert_int_equal(count_of(text, ">highest measured that meets the limit<"), 1);
    begin_sweep(SWEEP_SIZE);
    sweep->was_interrupted = true;
    assert_contains(draw(), "\">interrupted; so far ");
}

/* Also if the plot has a limit, whose own note is left out beside an answer. */
TEST(the_answer_keeps_the_number_of_failed_requests)
{
    begin_sweep(SWEEP_RATE);
    assert_null(slos_add(&scene.plan.statistics.slos, "p99=500us"));
    scene.jobs[0].sweep.highest_index = 1;
    assert_int_equal(count_of(draw(), " failed</text>"), 0);
    scene.jobs[0].sweep.steps[2].failed = 3;
    assert_contains(draw(), "; 3 failed</text>");
}

/* The rates are on the axis, so only the steps beside the answer have labels. */
TEST(steps_of_rates_that_broke_the_limit_are_grey)
{
    begin_sweep(SWEEP_RATE);
    assert_null(slos_add(&scene.plan.statistics.slos, "p99=500us"));
    for (int i = 0; i < 8; i++)
        scene.jobs[0].sweep.steps[i] =
            (struct job_step){.value = 1000 * (i + 1),
                              .requests = 100,
                              .iops = 1000 * (i + 1),
                              .bps = 4096000 * (i + 1),
                              .p50 = 100000,
                              .p99 = 100000 * (i + 1),
                              .max = 900000,
                              .verdict = i < 5 ? SLO_MET : SLO_BROKEN};
    scene.jobs[0].sweep.count = 8;
    scene.jobs[0].sweep.highest_index = 4;
    scene.jobs[0].sweep.steps[4].answered_rate = 4990;
    const char *text = draw();
    assert_contains(text, ">4.99 k</text>");
    assert_int_equal(count_of(text, " past t0\""), 3 * 3);
    assert_int_equal(count_of(text, "<circle class=\"ring"), 0);
    assert_contains(text, ">4 k</text>");
    assert_contains(text, ">6 k</text>");
    assert_contains(text, ">limit broken<");
    assert_contains(text, ">offered requests per second<");
}

/* The command line is quoted for a shell, escaped for XML and shortened; the description
 * has all of it. */
TEST(the_origin_has_host_date_version_and_command_line)
{
    char *words[64] = {"/usr/bin/ioping", "-slo", "p99<1ms", "it's", ""};
    static struct options options;
    options = (struct options){.word_count = 5, .words = words};
    begin(1);
    scene.plan.options = &options;
    assert_contains(draw(),
                    ">db1, 2026-11-29T06:35:26Z, ioping " IOPING_VERSION
                    ": ioping -slo &#39;p99&lt;1ms&#39; &#39;it&#39;\\&#39;&#39;s&#39; "
                    "&#39;&#39;</text>");
    for (int i = 5; i < 64; i++)
        words[i] = "word";
    options.word_count = 64;
    const char *text = draw();
    assert_int_equal(count_of(text, "\xe2\x80\xa6"), 1);
    assert_true(count_of(text, "word") > 59);
}

TEST(dates_are_those_of_the_calendar)
{
    static const struct {
        int64_t seconds;
        const char *date;
    } cases[] = {
        {0, "1970-01-01T00:00:00Z"},          {951782399, "2000-02-28T23:59:59Z"},
        {951782400, "2000-02-29T00:00:00Z"},  {1709251200, "2024-03-01T00:00:00Z"},
        {1735689599, "2024-12-31T23:59:59Z"}, {4107542400, "2100-03-01T00:00:00Z"}};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        begin(1);
        scene.plot.made_at = cases[i].seconds * SECOND;
        assert_contains(draw(), cases[i].date);
    }
}

/* The curve ends where the steps have too few requests, and without any it is no curve.
 */
TEST(unknown_percentiles_of_steps_are_not_drawn)
{
    begin_sweep(SWEEP_DEPTH);
    int all = count_of(draw(), "<circle");
    scene.jobs[0].sweep.steps[2].p99 = -1;
    const char *text = draw();
    assert_int_equal(count_of(text, "<circle"), all - 1);
    assert_contains(text, "p50 400 \u00b5s, max 1.20 ms. Made on");
    assert_contains(text, ">p99<");
    scene.jobs[0].sweep.steps[0].p99 = scene.jobs[0].sweep.steps[1].p99 = -1;
    assert_int_equal(count_of(draw(), ">p99<"), 0);
}

TEST(the_subtitle_says_what_was_sent)
{
    const struct {
        struct plan plan;
        enum io_mode mode;
        const char *line;
    } cases[] = {
        {{.workload.request_size = 4096},
         IO_MODE_DIRECT,
         ">random reads of 4 KiB, direct<"},
        {{.workload.request_size = 262144,
          .workload.linear = true,
          .workload.mix = mix_of("write"),
          .pace.interval = 1},
         IO_MODE_NOCACHE,
         ">sequential writes of 256 KiB, nocache, every 1 ns<"},
        {{.workload.request_size = 512,
          .workload.mix = mix_of("rw"),
          .pace.interval = 2 * SECOND,
          .pace.burst = 3,
          .io.threads = 4},
         IO_MODE_CACHED,
         ">random writes and reads in turn of 512 B, cached, 3 every 2 s, 4 threads<"},
        {{.workload.request_size = 512, .io.depth = 32, .io.engine_name = "io_uring"},
         IO_MODE_DIRECT,
         ">random reads of 512 B, direct, depth 32 (io_uring)<"},
        {{.workload.request_size = 512,
          .io.threads = 2,
          .io.depth = 8,
          .io.engine_name = "Linux AIO"},
         IO_MODE_DIRECT,
         ">random reads of 512 B, direct, 2 threads, depth 8 (Linux AIO)<"},
        {{.sweep.kind = SWEEP_SIZE},
         IO_MODE_DIRECT,
         ">random reads of rising size, direct<"},
        {{.workload.request_size = 512, .sweep.kind = SWEEP_THREADS},
         IO_MODE_DIRECT,
         ">random reads of 512 B, direct, by more and more threads<"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        begin(1);
        scene.plan = cases[i].plan;
        scene.jobs[0].target.description.mode = cases[i].mode;
        assert_contains(draw(), cases[i].line);
    }
}

TEST(targets_of_different_modes_have_none_in_common)
{
    begin(2);
    scene.jobs[1].target.description.mode = IO_MODE_CACHED;
    assert_contains(draw(), ">random reads of 4 KiB, every 1 s<");
}

TEST(corrected_percentiles_are_said_to_be)
{
    begin(1);
    scene.plan.statistics.corrected_interval = scene.stats[0].corrected_interval = 100000;
    record(0, 0, 1000000, VERDICT_NONE, 9);
    assert_contains(draw(), ">1 request counted, 9 missed; corrected for requests "
                            "that were not sent<");
}

/* Ten of 1 and one so much longer. */
TEST(the_latency_axis_is_logarithmic_beyond_ten_times)
{
    static const struct {
        int64_t longest;
        const char *title;
    } cases[] = {{10000, ">latency (\u00b5s)<"}, {10001, ">latency (log scale)<"}};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        begin(1);
        for (int k = 0; k < 10; k++)
            record(0, k * SECOND, 1000, VERDICT_NONE, 0);
        record(0, 10 * SECOND, cases[i].longest, VERDICT_NONE, 0);
        const char *text = draw();
        assert_contains(text, cases[i].title);
        assert_int_equal(count_of(text, ">latency"), 1);
    }
}

TEST(few_requests_are_marks_and_many_are_not)
{
    static const struct {
        int targets, requests; /* of each */
        int marks;
    } cases[] = {{1, 1, 1},   {1, 3, 3},     {1, 400, 400},
                 {1, 401, 0}, {2, 200, 400}, {2, 201, 0}};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        begin(cases[i].targets);
        for (int k = 0; k < cases[i].requests; k++)
            for (int target = 0; target < cases[i].targets; target++)
                record(target, k * SECOND, 1000, VERDICT_NONE, 0);
        const char *text = draw();
        assert_int_equal(count_of(text, "<circle class=\"mark"), cases[i].marks);
        assert_int_equal(count_of(text, ">request<"), cases[i].marks > 0);
        assert_int_equal(count_of(text, "<path class=\"mean"),
                         cases[i].marks ? 0 : cases[i].targets);
    }
}

TEST(the_legend_has_failures_only_if_there_are_any)
{
    begin(1);
    record(0, 0, 100, VERDICT_NONE, 0);
    assert_lacks(draw(), ">failed<");
    assert_lacks(draw(), ">due but not sent<");
    record(0, 0, 100, VERDICT_ERROR, 0);
    assert_contains(draw(), ">failed<");
    assert_contains(draw(), "class=\"fail ");
    assert_lacks(draw(), ">due but not sent<");
    record(0, 0, 100, VERDICT_NONE, 1);
    assert_contains(draw(), ">due but not sent<");
    assert_contains(draw(), "class=\"missed ");
}

TEST(the_legend_has_a_row_of_numbers_for_each_target)
{
    begin(2);
    for (int i = 0; i < 1500; i++)
        record(1, i * SECOND, 200000, VERDICT_NONE, 0);
    const char *text = draw();
    assert_int_equal(count_of(text, ">-</text>"), 3); /* of the target without any */
    assert_int_equal(count_of(text, ">200 \u00b5s</text>"), 3);
    assert_int_equal(count_of(text, ">p50 200 \u00b5s</text>"), 1);
    assert_contains(text, ">1.50 k</text>");
    assert_contains(text, ">/mnt/1 (ext4 /dev/vda1 39.3 GiB)</text>");
}

/* Of two targets with 30 reads of 200 us and 30 writes of 1 ms, of which the last failed:
 * rows below each other, swatches beside those of the targets alone. */
TEST(each_operation_has_a_row_of_numbers)
{
    begin(2);
    scene.plan.workload.mix = mix_of("rw");
    scene.stats[0].mix = scene.stats[1].mix = mix_of("rw");
    for (int i = 0; i < 120; i++) {
        struct sample sample = {.start = (1 + i) * SECOND,
                                .latency = i % 4 < 2 ? 200 * US : MS,
                                .operation = i % 4 < 2 ? OPERATION_READ : OPERATION_WRITE,
                                .verdict = i < 118 ? VERDICT_NONE : VERDICT_ERROR};
        stats_record(&scene.stats[i % 2], &sample);
        track_record(&scene.tracks[i % 2], &sample);
    }
    const char *text = draw();
    assert_int_equal(count_of(text, ">read</text>"), 2);
    assert_int_equal(count_of(text, ">write</text>"), 2);
    assert_int_equal(count_of(text, ">59</text>"), 2);
    assert_int_equal(count_of(text, ">30</text>"), 2);
    assert_int_equal(count_of(text, ">29</text>"), 2);
    assert_int_equal(count_of(text, ">200 \u00b5s</text>"),
                     2 * 2); /* p50 and max of reads */
    assert_contains(text,
                    "/mnt/1 (ext4 /dev/vda1 39.3 GiB): 59 requests counted, 1 failed, "
                    "p50 200.2 \u00b5s, max 1 ms; read: 30 requests counted, p50 "
                    "200 \u00b5s, max 200 \u00b5s; write: 29 requests counted, 1 "
                    "failed, p50 1 ms, max 1 ms.");
    scene.plan.workload.mix = mix_of("read");
    scene.stats[0].mix = scene.stats[1].mix = mix_of("read");
    assert_int_equal(count_of(draw(), ">read</text>"), 0);
}

TEST(nothing_to_draw_is_said_once)
{
    static const enum sweep_kind kinds[] = {SWEEP_NONE, SWEEP_THREADS, SWEEP_DEPTH};
    for (size_t i = 0; i < LENGTH(kinds); i++) {
        begin(1);
        scene.plan.sweep.kind = kinds[i];
        assert_int_equal(count_of(draw(), ">no request counted</text>"), 1);
        if (kinds[i] == SWEEP_NONE)
            record(0, 0, 100, VERDICT_ERROR, 0);
        assert_int_equal(count_of(draw(), ">no request counted</text>"), 1);
    }
    begin_sweep(SWEEP_DEPTH);
    for (int i = 0; i < 3; i++)
        scene.jobs[0].sweep.steps[i].requests = 0;
    assert_int_equal(count_of(draw(), ">no request counted</text>"), 1);
}

TEST(a_sweep_of_sizes_has_two_panels)
{
    begin_sweep(SWEEP_SIZE);
    const char *text = draw();
    assert_int_equal(count_of(text, "class=\"plot\""), 2);
    assert_int_equal(count_of(text, ">request size (log scale)<"), 2);
    assert_contains(text, ">latency (\u00b5s)<");
    assert_contains(text, ">bandwidth (log scale)<");
    assert_int_equal(count_of(text, "<circle class=\"mark"), 9);
    scene.jobs[0].sweep.steps[1].requests = 0;
    assert_int_equal(count_of(draw(), "<circle class=\"mark"), 6);
}

TEST(the_steps_of_a_saturation_curve_are_labelled_once)
{
    static const struct {
        enum sweep_kind kind;
        const char *legend;
    } cases[] = {{SWEEP_THREADS, ">numbers: threads<"},
                 {SWEEP_DEPTH, ">numbers: depth<"}};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        begin_sweep(cases[i].kind);
        scene.jobs[0].sweep.steps[2].value = 4096;
        const char *text = draw();
        assert_contains(text, cases[i].legend);
        assert_int_equal(count_of(text, ">4096</text>"), 1);
        assert_int_equal(count_of(text, "<circle class=\"mark"), 9);
        assert_contains(text, ">requests per second<");
    }
}

/* 4096 bytes of what must be escaped, and no UTF-8. */
TEST(any_name_is_shortened_and_escaped)
{
    static const char *const pieces[] = {"<&\"'>", "\x01\n\x7f", "\xff\xc3", "a"};
    for (size_t i = 0; i < LENGTH(pieces); i++) {
        begin(1);
        scene.names[0][0] = '\0';
        while (strlen(scene.names[0]) + 8 < sizeof(scene.names[0]))
            strcat(scene.names[0], pieces[i]);
        const char *text = draw();
        assert_int_equal(count_of(text, "\xe2\x80\xa6"), 1); /* in the heading */
        for (const char *at = text; *at; at++)
            assert_true((unsigned char)*at >= ' ' || *at == '\n');
        assert_int_equal(count_of(text, "\xff"), 0);
        assert_true(scene.text.length < 60000);
    }
}

/* Fails unless the plot of all targets is small, and that of the largest number of
 * targets that are drawn in full. */
static void
assert_small(void)
{
    static const int counts[] = {TARGETS, 8};
    for (size_t i = 0; i < LENGTH(counts); i++) {
        scene.plot.count = counts[i];
        draw();
        assert_in_range(scene.text.length, 30000, MOST);
    }
}

TEST(the_largest_plot_is_small_enough)
{
    struct random random;
    begin(TARGETS);
    random_seed(&random, 1);
    for (int i = 0; i < TARGETS; i++) {
        memset(scene.names[i], '&', 4095);
        for (int k = 0; k < 20000; k++) { /* as many as fill all columns */
            double share = (double)random_below(&random, 1000000) / 1e6;
            record(i, k * SECOND, (int64_t)pow(10, 12.55 * share),
                   k % 2 ? VERDICT_NONE : VERDICT_ERROR, 1);
        }
    }
    assert_small();
    for (int kind = SWEEP_SIZE; kind <= SWEEP_LAST; kind++) {
        scene.plan.sweep.kind = (enum sweep_kind)kind;
        for (int i = 0; i < STEPS; i++)
            scene.jobs[0].sweep.steps[i] = (struct job_step){.value = 512LL << i,
                                                             .requests = 1,
                                                             .iops = 1e6 / (i + 1),
                                                             .bps = 1e9 * i + 1,
                                                             .p50 = 123456LL << i,
                                                             .p99 = 234567LL << i,
                                                             .max = 345678LL << i};
        for (int i = 0; i < TARGETS; i++) {
            memcpy(scene.jobs[i].sweep.steps, scene.jobs[0].sweep.steps,
                   sizeof(scene.jobs[0].sweep.steps));
            scene.jobs[i].sweep.count = kind == SWEEP_SIZE ? STEPS : 13;
        }
        assert_small();
    }
}

/* A limit on the rate or on a part of the time is no line. */
TEST(limits_on_times_are_lines_and_steps_that_broke_them_have_rings)
{
    begin_sweep(SWEEP_DEPTH);
    assert_int_equal(count_of(draw(), "<circle class=\"ring"), 0);
    assert_null(slos_add(&scene.plan.statistics.slos, "p99=500us"));
    assert_null(slos_add(&scene.plan.statistics.slos, "iops=1k"));
    assert_null(slos_add(&scene.plan.statistics.slos, "device-max=1ms"));
    scene.jobs[0].sweep.steps[2].verdict = SLO_BROKEN;
    const char *text = draw();
    assert_int_equal(count_of(text, "<path class=\"limit\""), 1);
    assert_int_equal(count_of(text, "<circle class=\"ring\""), 1);
    assert_contains(text, ">limit<");
    assert_contains(text, ">limit broken<");
    assert_contains(text, "; 300 requests counted; limit p99 &lt;= 500 \u00b5s, ");
    assert_contains(text, "max 1.20 ms, limit broken.");
    begin_sweep(SWEEP_SIZE);
    assert_null(slos_add(&scene.plan.statistics.slos, "p99=500us"));
    scene.jobs[0].sweep.steps[2].verdict = SLO_BROKEN;
    text = draw();
    assert_int_equal(count_of(text, "<path class=\"limit"), 1);
    assert_int_equal(count_of(text, "<circle class=\"ring\""), 1);
    assert_contains(text, ">limit broken<");
}

/* The steps have p50, p99 and a maximum, each on a curve of its own. */
TEST(a_ring_is_on_the_figure_of_the_limit)
{
    static const struct {
        const char *limits[2];
        int rings;
    } cases[] = {
        {{"p50=1us"}, 1}, {{"p99=1us"}, 1}, {{"max=1us"}, 1}, {{"p99=1us", "max=1us"}, 2},
        {{"avg=1us"}, 1}, {{"iops=1M"}, 1},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        begin_sweep(SWEEP_DEPTH);
        for (int k = 0; k < 2 && cases[i].limits[k]; k++)
            assert_null(slos_add(&scene.plan.statistics.slos, cases[i].limits[k]));
        scene.jobs[0].sweep.steps[2].verdict = SLO_BROKEN;
        assert_int_equal(count_of(draw(), "<circle class=\"ring\""), cases[i].rings);
    }
}

TEST(latency_is_drawn_over_the_interval)
{
    begin_sweep(SWEEP_INTERVAL);
    scene.plan.pace.interval = 0;
    for (int i = 0; i < 3; i++)
        scene.jobs[0].sweep.steps[i].value *= MS;
    const char *text = draw();
    assert_contains(text, ">interval (log scale)<");
    assert_contains(text, ">1 ms</text>");
    assert_contains(text, ">2 ms</text>");
    assert_contains(text, ">random reads of 4 KiB, direct, at rising intervals<");
    assert_contains(text, ">Latency against the interval between requests: ");
    assert_contains(text, " interval 4 ms: 3 k iops, ");
    assert_contains(text,
                    "font-size=\"15\">at an interval of 4 ms, p50 is 4.0x as long as "
                    "at 1 ms: 400 \u00b5s against 100 \u00b5s<");
    assert_int_equal(count_of(text, ">numbers: "), 0);
    assert_int_equal(count_of(text, "<circle class=\"mark"), 9);
}
