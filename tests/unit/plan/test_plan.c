/* Plans of command lines: defaults and conflicts are resolved. */
#include "planned.h"

#include "os/os.h"

TEST(nothing_given_is_a_read_each_second)
{
    struct plan plan = planned("/tmp");
    assert_string_equal(plan.path, "/tmp");
    assert_string_equal(operation_mix_word(&plan.workload.mix), "read");
    assert_int_equal(plan.workload.destroy_confirmed, 0);
    assert_false(plan.workload.linear);
    assert_true(plan.workload.seed == SEED);
    assert_int_equal(plan.workload.request_size, 4096);
    assert_int_equal(plan.workload.work_size, 0);
    assert_int_equal(plan.workload.scratch_size, 1048576);
    assert_int_equal(plan.workload.work_offset, 0);
    assert_int_equal(plan.pace.interval, 1000000000);
    assert_int_equal(plan.end.hang, 5000000000);
    assert_int_equal(plan.pace.burst, 1);
    assert_true(plan.end.max_requests == UINT64_MAX);
    assert_true(plan.end.work_time == INT64_MAX);
}

TEST(nothing_given_is_told_to_a_human)
{
    struct plan plan = planned(".");
    assert_false(plan.end.ignore_error);
    assert_false(plan.io.needs_direct);
    assert_false(plan.io.uses_cache);
    assert_false(plan.workload.keeps_file);
    assert_int_equal(plan.io.open_flags, 0);
    assert_int_equal(plan.io.rw_flags, 0);
    assert_int_equal(plan.statistics.limits.warmup, 1);
    assert_int_equal(plan.statistics.limits.fastest, 0);
    assert_true(plan.statistics.limits.slowest == INT64_MAX);
    assert_int_equal(format_of(&plan), FORMAT_HUMAN);
    assert_true(plan.output.any_requests);
    assert_true(plan.output.any_summary);
    assert_null(plan.output.time_format);
    assert_int_equal(plan.output.burst, 0);
    assert_int_equal(plan.output.print_count, 0);
    assert_int_equal(plan.output.print_interval, 0);
}

/* The option that gives the longest interval, for the user to know. */
TEST(the_pace_names_its_option)
{
    static const struct {
        const char *line, *given_by;
    } cases[] = {{".", "-i"},
                 {"-i 1ms .", "-i"},
                 {"-i 0 .", NULL},
                 {"-R .", NULL},
                 {"-r 10 .", "-r"},
                 {"-l 1m .", "-l"},
                 {"-r 10 -l 4k .", "-l"},
                 {"-r 1 -l 4m .", "-r"},
                 {"-i 2 -r 10 .", "-i"},
                 {"-i 1ms -l 1m .", "-l"}};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct plan plan = planned(cases[i].line);
        if (cases[i].given_by)
            assert_string_equal(plan.pace.given_by, cases[i].given_by);
        else
            assert_null(plan.pace.given_by);
    }
}

TEST(values_are_taken_over)
{
    struct plan plan =
        planned("-a 3 -c 11 -o 12k -S 5m -s 8k -t 1ms -T 2ms -w 7 -i 9us .");
    assert_int_equal(plan.statistics.limits.warmup, 3);
    assert_int_equal(plan.statistics.limits.fastest, 1000000);
    assert_int_equal(plan.statistics.limits.slowest, 2000000);
    assert_int_equal(plan.end.max_requests, 11);
    assert_int_equal(plan.workload.work_offset, 12288);
    assert_int_equal(plan.workload.work_size, 5242880);
    assert_int_equal(plan.workload.scratch_size, 5242880);
    assert_int_equal(plan.workload.request_size, 8192);
    assert_int_equal(plan.end.work_time, 7000000000);
    assert_int_equal(plan.pace.interval, 9000);
}

TEST(each_write_option_is_a_consent)
{
    static const struct {
        const char *line;
        const char *load;
        int consent;
    } cases[] = {
        {"-W .", "write", 1}, {"-WW .", "write", 2}, {"-WWW .", "write", 3},
        {"-G .", "rw", 1},    {"-GW .", "rw", 2},    {"-WWG .", "rw", 3},
        {"-GGG .", "rw", 3},  {"-D .", "read", 0},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct plan plan = planned(cases[i].line);
        const char *does = operation_mix_word(&plan.workload.mix);
        if (strcmp(does, cases[i].load) != 0 ||
            plan.workload.destroy_confirmed != cases[i].consent)
            fail_msg("ioping %s: %s, %d", cases[i].line, does,
                     plan.workload.destroy_confirmed);
    }
}

TEST(flags_reach_the_device)
{
    static const struct {
        const char *line;
        unsigned open_flags;
        int rw_flags;
        bool direct, cached, keep, ignore_error;
    } cases[] = {
        {"-Y .", OS_OPEN_SYNC, 0, false, false, false, false},
        {"-y .", OS_OPEN_DSYNC, 0, false, false, false, false},
        {"-Yy .", OS_OPEN_SYNC | OS_OPEN_DSYNC, 0, false, false, false, false},
        {"-H .", 0, OS_RW_HIPRI, false, false, false, false},
        {"-N .", 0, OS_RW_NOWAIT, false, false, false, false},
        {"-HN .", 0, OS_RW_HIPRI | OS_RW_NOWAIT, false, false, false, false},
        {"-D .", 0, 0, true, false, false, false},
        {"-C .", 0, 0, false, true, false, false},
        {"-k .", 0, 0, false, false, true, false},
        {"-E .", 0, 0, false, false, false, true},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct plan plan = planned(cases[i].line);
        if (plan.io.open_flags != cases[i].open_flags ||
            plan.io.rw_flags != cases[i].rw_flags ||
            plan.io.needs_direct != cases[i].direct ||
            plan.io.uses_cache != cases[i].cached ||
            plan.workload.keeps_file != cases[i].keep ||
            plan.end.ignore_error != cases[i].ignore_error)
            fail_msg("ioping %s", cases[i].line);
    }
}

TEST(output_options_combine)
{
    static const struct {
        const char *line;
        enum format format;
        bool requests, summary;
    } cases[] = {
        {"-q .", FORMAT_HUMAN, false, true},
        {"-B .", FORMAT_RAW, false, true},
        {"-J .", FORMAT_JSON, true, true},
        {"-p 1 .", FORMAT_HUMAN, true, true},
        {"-P 1 .", FORMAT_HUMAN, true, true},
        {"-q -p 1 .", FORMAT_HUMAN, false, false},
        {"-q -P 1 .", FORMAT_HUMAN, false, false},
        {"-q -p 0 .", FORMAT_HUMAN, false, true},
        {"-q -p 1 -P 1 .", FORMAT_HUMAN, false, false},
        {"-B -p 1 .", FORMAT_RAW, false, true},
        {"-qB -P 1 .", FORMAT_RAW, false, true},
        {"-R -p 100 .", FORMAT_HUMAN, false, false},
        {"-RB .", FORMAT_RAW, false, true},
        {"-Jq .", FORMAT_JSON, false, true},
        {"-Jq -p 1 .", FORMAT_JSON, false, true},
        {"-JB .", FORMAT_JSON, false, true},
        {"-JR .", FORMAT_JSON, false, true},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct plan plan = planned(cases[i].line);
        const struct plan_output *output = &plan.output;
        if (format_of(&plan) != cases[i].format ||
            output->any_requests != cases[i].requests ||
            output->any_summary != cases[i].summary)
            fail_msg("ioping %s: %d %d %d", cases[i].line, (int)format_of(&plan),
                     output->any_requests, output->any_summary);
    }
    struct plan_output output = planned("-p 12 -P 1.5 .").output;
    assert_int_equal(output.print_count, 12);
    assert_int_equal(output.print_interval, 1500000000);
}

TEST(time_stamps_only_when_asked_for)
{
    assert_null(planned("-q .").output.time_format);
    assert_string_equal(planned("-I .").output.time_format, "%b %d %T");
    assert_string_equal(planned("-I%s .").output.time_format, "%s");
}

TEST(the_distribution_is_told_as_asked_for)
{
    struct plan plan = planned(".");
    assert_int_equal(plan.output.percentiles.count, 4);
    assert_false(plan.output.percentiles.is_given);
    assert_int_equal(plan.options->given[OPTION_HISTOGRAM], 0);
    assert_int_equal(plan.statistics.corrected_interval, 0);
    assert_int_equal(plan.statistics.slos.count, 0);
    plan = planned("-percentiles 99.9,50 -histogram -slo p99=10ms -slo iops=5 .");
    assert_int_equal(plan.output.percentiles.count, 2);
    assert_true(plan.output.percentiles.is_given);
    assert_string_equal(plan.output.percentiles.list[0].name, "99.9");
    assert_int_equal(plan.output.percentiles.list[1].billionths, 500000000);
    assert_int_equal(plan.options->given[OPTION_HISTOGRAM], 1);
    assert_int_equal(plan.statistics.slos.count, 2);
    assert_int_equal(plan.statistics.slos.list[0].limit, 10000000);
    assert_int_equal(plan.statistics.slos.list[1].metric, SLO_IOPS);
    plan = planned("-percentiles none .");
    assert_int_equal(plan.output.percentiles.count, 0);
    assert_true(plan.output.percentiles.is_given);
}

/* Both are made at the same interval unless the files have their own. */
TEST(metrics_are_exported_beside_raw_lines)
{
    struct plan plan = planned("-P 7s .");
    assert_null(output_of(&plan, FORMAT_PROMETHEUS).kind);
    assert_int_equal(plan.output.print_interval, 7000000000);
    plan = planned("-prometheus a.prom .");
    assert_string_equal(output_of(&plan, FORMAT_PROMETHEUS).path, "a.prom");
    assert_int_equal(output_of(&plan, FORMAT_PROMETHEUS).tick_interval, 15000000000);
    assert_int_equal(plan.output.print_interval, 0);
    plan = planned("-P 7s -prometheus a.prom -p 3 .");
    assert_int_equal(output_of(&plan, FORMAT_PROMETHEUS).tick_interval, 7000000000);
    assert_int_equal(plan.output.print_interval, 7000000000);
    assert_int_equal(plan.output.print_count, 3);
    assert_false(planned("-q -P 7s -prometheus a.prom .").output.any_summary);
}

TEST(exported_files_have_an_interval_of_their_own)
{
    static const struct {
        const char *line;
        int64_t print, metrics, log, plot;
    } cases[] = {
        {"-every 3s -prometheus a -hdr b -plot c .", 0, 3, 3, 3},
        {"-every 3s -P 7s -prometheus a -hdr b -plot c .", 7, 3, 3, 3},
        {"-P 7s -prometheus a -hdr b -plot c .", 7, 7, 7, 10},
        {"-P 0 -prometheus a -hdr b -plot c .", 0, 15, 1, 10},
        {"-every 3s -plot c .", 0, 0, 0, 3},
        {"-every 3s -P 7s -check -hdr b .", 0, 0, 3, 0},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct plan plan = planned(cases[i].line);
        const struct plan_output *output = &plan.output;
        if (output->print_interval != cases[i].print * SECOND ||
            output_of(&plan, FORMAT_PROMETHEUS).tick_interval !=
                cases[i].metrics * SECOND ||
            output_of(&plan, FORMAT_HDR).tick_interval != cases[i].log * SECOND ||
            output_of(&plan, FORMAT_PLOT).tick_interval != cases[i].plot * SECOND)
            fail_msg("ioping %s", cases[i].line);
    }
    planned_refused("-every 3s -P 1 .",
                    "ioping: -every works only with -prometheus or -hdr or -plot\n");
}

/* A second is short enough for a course, and a line for each step all there is to it. */
TEST(a_log_has_a_line_every_second_or_interval_or_step)
{
    struct plan plan = planned("-hdr a.hlog .");
    assert_string_equal(output_of(&plan, FORMAT_HDR).path, "a.hlog");
    assert_int_equal(output_of(&plan, FORMAT_HDR).tick_interval, 1000000000);
    plan = planned("-P 7s -hdr a.hlog -prometheus a.prom .");
    assert_int_equal(output_of(&plan, FORMAT_HDR).tick_interval, 7000000000);
    assert_int_equal(output_of(&plan, FORMAT_PROMETHEUS).tick_interval, 7000000000);
    assert_int_equal(plan.output.print_interval, 7000000000);
    plan = planned("-hdr a.hlog -prometheus a.prom .");
    assert_int_equal(output_of(&plan, FORMAT_HDR).tick_interval, 1000000000);
    assert_int_equal(output_of(&plan, FORMAT_PROMETHEUS).tick_interval, 15000000000);
    plan = planned("-sweep size -hdr a.hlog .");
    assert_int_equal(output_of(&plan, FORMAT_HDR).tick_interval, 0);
}

TEST(bounds_without_metrics_are_refused)
{
    struct plan plan = planned("-prometheus a.prom -buckets 1ms,5ms .");
    assert_int_equal(plan.output.buckets->count, 2);
    assert_int_equal(plan.output.buckets->list[1], 5000000);
    plan = planned("-prometheus a.prom .");
    assert_int_equal(plan.output.buckets->count, 41);
    planned_refused("-buckets 1ms,5ms .",
                    "ioping: -buckets works only with -prometheus\n");
}

/* Whatever else is given: a period is a second unless it is said. */
TEST(the_line_protocol_is_of_periods_alone)
{
    static const struct {
        const char *line;
        int64_t interval, count;
        bool rest;
    } cases[] = {
        {"-influx .", 1000000000, 0, true},
        {"-influx -q .", 1000000000, 0, true},
        {"-influx -R .", 1000000000, 0, true},
        {"-influx -P 7s .", 7000000000, 0, true},
        {"-influx -p 7 .", 0, 7, true},
        {"-influx -B .", 0, 0, true},
        {"-influx -B -P 7s .", 7000000000, 0, true},
        {"-influx -p 7 -P 7s .", 7000000000, 7, true},
        {"-influx -P 0 .", 0, 0, true},
        {"-influx -prometheus a.prom .", 1000000000, 0, true},
        {"-influx -P 7s -prometheus a.prom .", 7000000000, 0, true},
        {"-influx -load read -c 1 .", 1000000000, 0, true},
        {"-influx -sweep size .", 0, 0, false},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct plan plan = planned(cases[i].line);
        const struct plan_output *output = &plan.output;
        if (format_of(&plan) != FORMAT_INFLUX || output->any_requests ||
            output->any_summary || output->print_interval != cases[i].interval ||
            output->print_count != cases[i].count ||
            output->emit_partial_period != cases[i].rest)
            fail_msg("ioping %s", cases[i].line);
    }
    assert_false(planned("-P 7s .").output.emit_partial_period);
}

/* No row for the whole run stands among those of periods, whatever else is given. */
TEST(rows_are_of_periods_or_of_the_run)
{
    static const struct {
        const char *line;
        int64_t interval, count;
        bool periods, summary;
    } cases[] = {
        {"-csv .", 0, 0, false, true},
        {"-csv -q .", 0, 0, false, true},
        {"-csv -B .", 0, 0, false, true},
        {"-csv -P 0 .", 0, 0, false, true},
        {"-csv -P 7s .", 7000000000, 0, true, false},
        {"-csv -P 7s -q .", 7000000000, 0, true, false},
        {"-csv -B -p 7 .", 0, 7, true, false},
        {"-csv -p 7 -P 7s .", 7000000000, 7, true, false},
        {"-csv -load read -c 1 .", 0, 0, false, true},
        {"-csv -load read -c 1 -P 7s .", 7000000000, 0, true, false},
        {"-csv -sweep size .", 0, 0, false, true},
        {"-csv -compare a .", 0, 0, false, true},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct plan plan = planned(cases[i].line);
        const struct plan_output *output = &plan.output;
        if (format_of(&plan) != FORMAT_CSV || output->any_requests ||
            output->any_summary != cases[i].summary ||
            output->any_periods != cases[i].periods ||
            output->print_interval != cases[i].interval ||
            output->print_count != cases[i].count ||
            output->emit_partial_period != cases[i].periods)
            fail_msg("ioping %s", cases[i].line);
    }
}

/* One line for the run, or one for each period; nothing for a request. */
TEST(values_are_of_periods_or_of_the_run)
{
    static const struct {
        const char *line;
        bool periods;
    } cases[] = {
        {"-print p99 .", false},
        {"-q -print p99 .", false},
        {"-print p99 a b", false},
        {"-print p99 -P 0 a b", false},
        {"-print p99 -P 1 .", true},
        {"-print p99 -p 99 -q .", true},
        {"-print p90 -load read -c 9 .", false},
        {"-print idle-p50,p90 -load read -c 9 .", false},
        {"-print p90 -load read -c 9 -P 1 .", true},
        {"-print p99 -compare a b", false},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct plan plan = planned(cases[i].line);
        const struct plan_output *output = &plan.output;
        if (format_of(&plan) != FORMAT_PRINT || output->stream_count != 1 ||
            output->any_requests || output->any_periods != cases[i].periods ||
            output->any_summary == cases[i].periods || output->emit_partial_period)
            fail_msg("ioping %s", cases[i].line);
    }
}

TEST(the_last_list_of_values_counts)
{
    struct plan plan = planned("-print p99,avg,max -print iops .");
    assert_int_equal(plan.output.figures->count, 1);
    assert_int_equal(plan.output.figures->list[0].metric, SLO_IOPS);
}

TEST(a_status_line_is_for_runs_that_print_nothing_per_request)
{
    static const struct {
        const char *line;
        bool status;
    } cases[] = {
        {".", false},           {"-q .", true},
        {"-R .", true},         {"-B .", true},
        {"-J .", false},        {"-J -q .", true},
        {"-q -p 1 .", false},   {"-B -p 1 .", false},
        {"-q -P 1 .", true},    {"-sweep size .", true},
        {"-q a b", true},       {"-no-status -q .", false},
        {"-csv .", true},       {"-csv -p 1 .", false},
        {"-print avg .", true}, {"-live .", false},
        {"-live -q .", false},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct plan plan = planned(cases[i].line);
        if (!output_of(&plan, FORMAT_STATUS).kind == cases[i].status)
            fail_msg("ioping %s", cases[i].line);
    }
}

/* The first does what it would do alone. */
TEST(each_target_has_a_plan_of_its_own)
{
    struct plan plan = planned("-e 7 -c 3 a b a"), one[3];
    assert_int_equal(plan.target_count, 3);
    for (int i = 0; i < 3; i++) {
        plan_target(&plan, i, &one[i]);
        assert_int_equal(one[i].end.max_requests, 3);
    }
    assert_string_equal(one[0].path, "a");
    assert_string_equal(one[1].path, "b");
    assert_string_equal(one[2].path, "a");
    assert_int_equal(one[0].workload.seed, 7);
    assert_true(one[1].workload.seed != 7 && one[2].workload.seed != 7 &&
                one[1].workload.seed != one[2].workload.seed);
}

TEST(the_plot_is_where_it_was_asked_for)
{
    struct plan plan = planned(".");
    assert_null(output_of(&plan, FORMAT_PLOT).kind);
    plan = planned("-plot a.svg .");
    assert_string_equal(output_of(&plan, FORMAT_PLOT).path, "a.svg");
    plan = planned("-sweep size -plot a.svg .");
    assert_string_equal(output_of(&plan, FORMAT_PLOT).path, "a.svg");
}

TEST(a_log_is_written_from_its_beginning_whatever_else_is_said)
{
    static const char *const lines[] = {"-W -append .", "-append -Wo 0 .",
                                        "-W -append -depth 1 -threads 1 -U .",
                                        "-W -append -sweep size=4k..64k ."};
    for (size_t i = 0; i < LENGTH(lines); i++) {
        struct plan plan = planned(lines[i]);
        assert_true(plan.workload.is_log && plan.workload.linear);
        assert_string_equal(operation_mix_word(&plan.workload.mix), "write");
        assert_int_equal(plan.workload.request_size, 4096);
        assert_int_equal(plan.workload.scratch_size, 67108864);
    }
    assert_false(planned("-W .").workload.is_log);
    assert_int_equal(planned("-W -append -L .").workload.request_size, 262144);
    assert_int_equal(planned("-W -append -S 22m -s 2300 .").workload.scratch_size,
                     23068672);
}

static const struct planned_row plans[] = {
    /* Zero count and zero time have no limit. */
    {"-c 0 .", "max_requests=umax"},
    {"-w 0 .", "work_time=max"},
    {"-R -w 0 .", "work_time=max"},
    /* What is under way at the end has as long as hang says. */
    {".", "grace=5000000000"},
    {"-hang 2 .", "grace=2000000000"},
    {"-hang 0 .", "grace=5000000000"},
    {"-hang 5ms .", "grace=750000000"},
    /* A timeout or the end of the work time bounds the opening. */
    {".", "timeout=max open_timeout=max"},
    {"-R .", "open_timeout=max"},
    {"-timeout 2 .", "timeout=2000000000"},
    {"-timeout 2 -w 60 .", "open_timeout=2000000000"},
    {"-w 3 -hang 2 .", "open_timeout=5000000000"},
    {"-w 3 -hang 0 .", "open_timeout=8000000000"},
    /* Rapid changes only what is not given. */
    {"-R .", "interval=0 work_time=3000000000 scratch_size=67108864 any_requests=0 "
             "any_summary=1"},
    {"-i 1 -R .", "interval=1000000000 work_time=3000000000 scratch_size=67108864 "
                  "any_requests=0 any_summary=1"},
    {"-R -i 5ms .", "interval=5000000 work_time=3000000000 scratch_size=67108864 "
                    "any_requests=0 any_summary=1"},
    {"-R -w 10 .", "interval=0 work_time=10000000000 scratch_size=67108864 "
                   "any_requests=0 any_summary=1"},
    {"-R -S 1m .",
     "interval=0 work_time=3000000000 scratch_size=1048576 any_requests=0 any_summary=1"},
    {"-R -c 5 .", "interval=0 work_time=3000000000 scratch_size=67108864 any_requests=0 "
                  "any_summary=1"},
    {"-R .", "work_size=0"},
    {"-R -S 1m .", "work_size=1048576"},
    {"-R -c 5 .", "max_requests=5"},
    /* Linear requests are 256k unless given. */
    {"-L .", "linear=1 request_size=262144"},
    {"-L -s 4k .", "request_size=4096"},
    {"-s 1m -L .", "request_size=1048576"},
    {"-RL .", "request_size=262144"},
    {"-R .", "request_size=4096"},
    /* The default working set holds a request. */
    {"-s 1m .", "scratch_size=1048576"},
    {"-s 2m .", "scratch_size=2097152 work_size=0"},
    {"-R -s 64m .", "scratch_size=67108864"},
    {"-R -s 65m .", "scratch_size=68157440"},
    {"-S 0 .", "scratch_size=1048576"},
    {"-R -S 0 .", "scratch_size=67108864"},
    {"-s 2m -S 1m .", "scratch_size=1048576"},
    /* Limits become the larger interval. */
    {"-r 10 .", "interval=100000000"},
    {"-r 3 .", "interval=333333334"},
    {"-r 10 -i 0 .", "interval=100000000"},
    {"-r 10 -i 10ms .", "interval=100000000"},
    {"-i 1 -r 10 .", "interval=1000000000"},
    {"-r 10 -b 5 .", "interval=500000000"},
    {"-l 1m .", "interval=3906250"},
    {"-l 1m -s 8k .", "interval=7812500"},
    {"-l 1m -b 10 .", "interval=39062500"},
    {"-l 1m -L .", "interval=250000000"},
    {"-l 1m -i 1 .", "interval=1000000000"},
    {"-l 1m -i 1us .", "interval=3906250"},
    {"-l 1m -r 10 .", "interval=100000000"},
    {"-r 10 -l 4k .", "interval=1000000000"},
    {"-r 10 -l 4k -i 2 .", "interval=2000000000"},
    {"-R -r 100 .", "interval=10000000"},
    {"-R -l 4m .", "interval=976563"},
    {"-b 5 .", "interval=1000000000"},
    {"-r 1 -b 9223372036854775807 .", "interval=max"},
    {"-l 1 -b 9223372036854775807 .", "interval=max"},
    /* Only an interval of ones own makes requests due. */
    {".", "from_limit=0"},
    {"-i 1ms .", "from_limit=0"},
    {"-i 0 .", "from_limit=0"},
    {"-r 10 .", "from_limit=1"},
    {"-l 1k .", "from_limit=1"},
    {"-i 1s -r 10 .", "from_limit=0"},
    {"-i 1ms -r 10 .", "from_limit=1"},
    {"-i 1 -r 1 .", "from_limit=0"},
    /* A burst of zero is one request. */
    {"-b 0 .", "pace.burst=1 output.burst=0"},
    {"-b 7 .", "pace.burst=7 output.burst=7"},
    /* A seed of zero is the one offered. */
    {"-e 0 .", "seed=seed"},
    {"-e 1 .", "seed=1"},
    {"-e 9223372036854775807 .", "seed=max"},
    /* Corrections are for the interval that is kept. */
    {"-corrected .", "corrected_interval=1000000000"},
    {"-corrected -i 100ms .", "corrected_interval=100000000"},
    {"-corrected -R -i 5ms .", "corrected_interval=5000000"},
    {"-i 2 -r 50 -corrected .", "corrected_interval=2000000000"},
    /* Limits of operations that are not mixed are refused. */
    {"-G -slo read-p99=1ms -slo write-max=1s .", "slos.count=2"},
    /* Limits of flushes without any are refused. */
    {"-W -slo sync-p99=1ms .", "slos.count=1"},
    {"-G -Y -slo sync-p99=1ms .", "slos.count=1"},
    /* A series is kept where it tells how certain something is. Where targets are
       compared, or a percentile is limited, of requests of one kind; all targets together
       have room for as many as four. */
    {".", "series_capacity=0"},
    {"-slo max=1ms .", "series_capacity=0"},
    {"-slo iops=1 .", "series_capacity=0"},
    {"-slo max=1ms -slo p99=1ms .", "series_capacity=32768"},
    {"a b", "series_capacity=32768"},
    {"a b c d", "series_capacity=32768"},
    {"a b c d e", "series_capacity=26214"},
    {"a b c d e f g h", "series_capacity=16384"},
    {"-sweep size a b", "series_capacity=0"},
    {"-sweep rate -slo p99=1ms a", "series_capacity=0"},
    {"-load write -c 100 -slo p99=1ms .", "series_capacity=0"},
};

TEST(options_become_a_plan)
{
    for (size_t i = 0; i < LENGTH(plans); i++)
        planned_has(plans[i].line, plans[i].expected);
}

static const struct planned_row refusals[] = {
    /* Limits of parts without a breakdown are refused. */
    {"-slo p99=1ms -slo device-p99=1ms .",
     "ioping: -slo: device-p99 needs -breakdown; add it, or leave out the prefix to "
     "measure the whole time\n"},
    {"-slo submit-max=1s .", "ioping: -slo: submit-max needs -breakdown; add it, or "
                             "leave out the prefix to measure the whole time\n"},
    /* Limits of operations that are not mixed are refused. */
    {"-slo read-p99=1ms .",
     "ioping: -slo: read-p99 needs -G; leave out the prefix to measure all requests\n"},
    {"-W -slo write-max=1s .",
     "ioping: -slo: write-max needs -G; leave out the prefix to measure all requests\n"},
    /* Limits of flushes without any are refused. */
    {"-slo sync-p99=1ms .",
     "ioping: -slo: sync-p99 needs writes, which are flushed; add -W or -G, or leave out "
     "the prefix to measure the whole time\n"},
    {"-C -slo sync-p99=1ms .",
     "ioping: -slo: sync-p99 needs writes, which are flushed; add -W or -G, or leave out "
     "the prefix to measure the whole time\n"},
    {"-W -C -slo sync-p99=1ms .",
     "ioping: -slo: sync-p99 needs flushes, which -C turns off; leave out -C, or leave "
     "out the prefix to measure the whole time\n"},
    {"-G -CD -slo sync-p99=1ms .",
     "ioping: -slo: sync-p99 needs flushes, which -C turns off; leave out -C, or leave "
     "out the prefix to measure the whole time\n"},
    /* Values that the run does not measure are refused. */
    {"-print p99,device-p99 .",
     "ioping: -print: device-p99 needs -breakdown; add it, or leave out the prefix to "
     "measure the whole time\n"},
    {"-W -print write-count .", "ioping: -print: write-count needs -G; leave out the "
                                "prefix to measure all requests\n"},
    {"-print idle-p99 .", "ioping: -print: idle-p99 needs -load; add it, or leave out "
                          "the prefix to measure the whole run\n"},
    {"-print sync-p99 .",
     "ioping: -print: sync-p99 needs writes, which are flushed; add -W or -G, or leave "
     "out the prefix to measure the whole time\n"},
    /* Periods of several targets or of other phases are refused. */
    {"-print p99 -P 1 a b", "ioping: -print: lines of periods do not name their target; "
                            "name one target, or use -csv\n"},
    {"-print p50,loaded-p50 -p 9 -load read -c 9 .",
     "ioping: -print: loaded-p50 is a figure of a whole phase; leave out -p and -P, or "
     "use -csv\n"},
    /* Corrections without an interval are refused. */
    {"-corrected -i 0 .", "ioping: -corrected: needs an interval; give one with -i\n"},
    {"-R -corrected -q .", "ioping: -corrected: needs an interval; give one with -i\n"},
    /* Exported files have names of their own. */
    {"-hdr a -plot a .",
     "ioping: -hdr: a is also the file of -plot; name another file\n"},
    {"-prometheus a -hdr a .",
     "ioping: -hdr: a is also the file of -prometheus; name another file\n"},
    {"-plot b -prometheus b -hdr a .",
     "ioping: -plot: b is also the file of -prometheus; name another file\n"},
    /* What a log does not have is refused. */
    {"-append .", "ioping: -append works only with -write\n"},
    {"-G -append .", "ioping: -G and -append cannot be combined: a log begins empty, and "
                     "each write waits "
                     "for the one before; leave out -G\n"},
};

TEST(what_cannot_be_planned_is_refused)
{
    for (size_t i = 0; i < LENGTH(refusals); i++)
        planned_refused(refusals[i].line, refusals[i].expected);
}

/* With -G a worker writes first, then writes and reads take turns. p85 needs 6 values. */
TEST(the_requests_of_an_operation_are_counted)
{
    static const char *const enough[] = {
        "-a 0 -G -c 11 -slo write-p85=1s .",
        "-a 0 -G -c 12 -slo read-p85=1s .",
        "-a 1 -G -c 13 -slo sync-p85=1s .",
        "-a 1 -G -c 12 -slo read-p85=1s .",
        "-a 0 -G -c 3 -load read -slo write-p85=1s .",
        "-a 0 -G -c 4 -load read -slo read-p85=1s .",
        "-a 9 -G -c 6 -load read -slo write-p85=1s .",
        "-a 9 -G -c 11 -load read -slo loaded-write-p85=1s .",
        "-a 0 -W -c 6 -slo sync-p85=1s .",
        "-a 9 -c 3 -load read -slo p85=1s .",
        "-G -slo write-p85=1s .",
        /* Each of 4 threads may write once more than it reads, or the reverse. */
        "-a 0 -G -c 8 -threads 4 -slo write-p85=1s .",
        "-a 0 -G -c 8 -threads 4 -slo read-p85=1s .",
        "-a 0 -G -c 6 -threads 9 -slo write-p85=1s .",
        "-a 0 -c 6 -threads 9 -slo p85=1s .",
        "-a 0 -G -c 9E -load read -slo write-p99.9=1s .",
    };
    for (size_t i = 0; i < LENGTH(enough); i++)
        planned(enough[i]);
}

static const struct planned_row too_few[] = {
    {"-a 0 -G -c 10 -slo write-p85=1s .",
     "ioping: -slo: write-p85 needs 6 writes that count, but -c 10 gives at most 5; use "
     "-c 12\n"},
    {"-a 0 -G -c 11 -slo read-p85=1s .",
     "ioping: -slo: read-p85 needs 6 reads that count, but -c 11 gives at most 5; use -c "
     "12\n"},
    {"-a 1 -G -c 12 -slo sync-p85=1s .",
     "ioping: -slo: sync-p85 needs 6 flushes that count, but -c 12 gives at most 5; use "
     "-c 13\n"},
    {"-a 1 -G -c 1 -slo write-p50=1s .",
     "ioping: -slo: write-p50 needs 1 write that counts, but -c 1 gives at most 0; use "
     "-c 3\n"},
    {"-a 0 -G -c 3 -load read -slo read-p85=1s .",
     "ioping: -slo: read-p85 needs 6 reads that count, but -c 3 gives at most 3; use -c "
     "4\n"},
    {"-a 9 -G -c 5 -load read -slo read-p85=1s .",
     "ioping: -slo: read-p85 needs 6 reads that count, but -c 5 gives at most 4; use -c "
     "13\n"},
    {"-a 0 -G -c 10 -load read -slo loaded-write-p85=1s .",
     "ioping: -slo: loaded-write-p85 needs 6 writes that count, but -c 10 gives at most "
     "5; use -c 12\n"},
    {"-a 9 -c 2 -load read -slo p85=1s .",
     "ioping: -slo: p85 needs 6 requests that count, but -c 2 gives at most 4; use -c "
     "11\n"},
    /* The count that is advised is enough even if each thread stops after a write. */
    {"-a 0 -G -c 7 -threads 4 -slo read-p85=1s .",
     "ioping: -slo: read-p85 needs 6 reads that count, but -c 7 gives at most 5; use -c "
     "16\n"},
};

TEST(too_few_requests_of_an_operation_are_refused)
{
    for (size_t i = 0; i < LENGTH(too_few); i++)
        planned_refused(too_few[i].line, too_few[i].expected);
}
