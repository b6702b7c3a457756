/* Plans of command lines: defaults and conflicts are resolved. */
#include "planned.h"

#include "os/os.h"

TEST(nothing_given_is_a_read_each_second)
{
    struct plan plan = planned("/tmp");
    assert_string_equal(plan.path, "/tmp");
    assert_int_equal(plan.workload.load, LOAD_READ);
    assert_int_equal(plan.workload.destroy_confirmed, 0);
    assert_false(plan.workload.linear);
    assert_true(plan.workload.seed == SEED);
    assert_int_equal(plan.workload.request_size, 4096);
    assert_int_equal(plan.workload.work_size, 0);
    assert_int_equal(plan.workload.scratch_size, 1048576);
    assert_int_equal(plan.workload.work_offset, 0);
    assert_int_equal(plan.pace.interval, 1000000000);
    assert_int_equal(plan.ends.hang, 5000000000);
    assert_int_equal(plan.pace.burst, 1);
    assert_true(plan.ends.count == UINT64_MAX);
    assert_true(plan.ends.work_time == INT64_MAX);
}

TEST(nothing_given_is_told_to_a_human)
{
    struct plan plan = planned(".");
    assert_false(plan.ends.ignore_error);
    assert_false(plan.io.direct);
    assert_false(plan.io.cached);
    assert_false(plan.workload.keep);
    assert_int_equal(plan.io.open_flags, 0);
    assert_int_equal(plan.io.rw_flags, 0);
    assert_int_equal(plan.statistics.limits.warmup, 1);
    assert_int_equal(plan.statistics.limits.fastest, 0);
    assert_true(plan.statistics.limits.slowest == INT64_MAX);
    assert_int_equal(format_of(&plan), FORMAT_HUMAN);
    assert_true(plan.output.requests);
    assert_true(plan.output.summary);
    assert_null(plan.output.time_format);
    assert_int_equal(plan.output.burst, 0);
    assert_int_equal(plan.output.print_count, 0);
    assert_int_equal(plan.output.print_interval, 0);
}

TEST(values_are_taken_over)
{
    struct plan plan =
        planned("-a 3 -c 11 -o 12k -S 5m -s 8k -t 1ms -T 2ms -w 7 -i 9us .");
    assert_int_equal(plan.statistics.limits.warmup, 3);
    assert_int_equal(plan.statistics.limits.fastest, 1000000);
    assert_int_equal(plan.statistics.limits.slowest, 2000000);
    assert_int_equal(plan.ends.count, 11);
    assert_int_equal(plan.workload.work_offset, 12288);
    assert_int_equal(plan.workload.work_size, 5242880);
    assert_int_equal(plan.workload.scratch_size, 5242880);
    assert_int_equal(plan.workload.request_size, 8192);
    assert_int_equal(plan.ends.work_time, 7000000000);
    assert_int_equal(plan.pace.interval, 9000);
}

TEST(zero_count_and_zero_time_have_no_limit)
{
    assert_true(planned("-c 0 .").ends.count == UINT64_MAX);
    assert_true(planned("-w 0 .").ends.work_time == INT64_MAX);
    assert_true(planned("-R -w 0 .").ends.work_time == INT64_MAX);
}

TEST(what_is_under_way_at_the_end_has_as_long_as_hang_says)
{
    assert_int_equal(planned(".").ends.grace, 5000000000);
    assert_int_equal(planned("-hang 2 .").ends.grace, 2000000000);
    assert_int_equal(planned("-hang 0 .").ends.grace, 5000000000);
    assert_int_equal(planned("-hang 5ms .").ends.grace, 750000000);
}

TEST(a_timeout_or_the_end_of_the_work_time_bounds_the_opening)
{
    assert_true(planned(".").ends.timeout == INT64_MAX);
    assert_true(planned(".").ends.patience == INT64_MAX);
    assert_true(planned("-R .").ends.patience == INT64_MAX);
    assert_int_equal(planned("-timeout 2 .").ends.timeout, 2000000000);
    assert_int_equal(planned("-timeout 2 -w 60 .").ends.patience, 2000000000);
    assert_int_equal(planned("-w 3 -hang 2 .").ends.patience, 5000000000);
    assert_int_equal(planned("-w 3 -hang 0 .").ends.patience, 8000000000);
}

TEST(rapid_changes_only_what_is_not_given)
{
    static const struct {
        const char *line;
        int64_t interval, work_time, scratch_size;
    } cases[] = {
        {"-R .", 0, 3000000000, 67108864},
        {"-i 1 -R .", 1000000000, 3000000000, 67108864},
        {"-R -i 5ms .", 5000000, 3000000000, 67108864},
        {"-R -w 10 .", 0, 10000000000, 67108864},
        {"-R -S 1m .", 0, 3000000000, 1048576},
        {"-R -c 5 .", 0, 3000000000, 67108864},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct plan plan = planned(cases[i].line);
        assert_int_equal(plan.pace.interval, cases[i].interval);
        assert_int_equal(plan.ends.work_time, cases[i].work_time);
        assert_int_equal(plan.workload.scratch_size, cases[i].scratch_size);
        assert_false(plan.output.requests);
        assert_true(plan.output.summary);
    }
    assert_int_equal(planned("-R .").workload.work_size, 0);
    assert_int_equal(planned("-R -S 1m .").workload.work_size, 1048576);
    assert_int_equal(planned("-R -c 5 .").ends.count, 5);
}

TEST(linear_requests_are_256k_unless_given)
{
    assert_true(planned("-L .").workload.linear);
    assert_int_equal(planned("-L .").workload.request_size, 262144);
    assert_int_equal(planned("-L -s 4k .").workload.request_size, 4096);
    assert_int_equal(planned("-s 1m -L .").workload.request_size, 1048576);
    assert_int_equal(planned("-RL .").workload.request_size, 262144);
    assert_int_equal(planned("-R .").workload.request_size, 4096);
}

TEST(the_default_working_set_holds_a_request)
{
    assert_int_equal(planned("-s 1m .").workload.scratch_size, 1048576);
    assert_int_equal(planned("-s 2m .").workload.scratch_size, 2097152);
    assert_int_equal(planned("-s 2m .").workload.work_size, 0);
    assert_int_equal(planned("-R -s 64m .").workload.scratch_size, 67108864);
    assert_int_equal(planned("-R -s 65m .").workload.scratch_size, 68157440);
    assert_int_equal(planned("-S 0 .").workload.scratch_size, 1048576);
    assert_int_equal(planned("-R -S 0 .").workload.scratch_size, 67108864);
    assert_int_equal(planned("-s 2m -S 1m .").workload.scratch_size, 1048576);
}

TEST(limits_become_the_larger_interval)
{
    static const struct {
        const char *line;
        int64_t interval;
    } cases[] = {
        {"-r 10 .", 100000000},
        {"-r 3 .", 333333333},
        {"-r 10 -i 0 .", 100000000},
        {"-r 10 -i 10ms .", 100000000},
        {"-i 1 -r 10 .", 1000000000},
        {"-r 10 -b 5 .", 500000000},
        {"-l 1m .", 3906250},
        {"-l 1m -s 8k .", 7812500},
        {"-l 1m -b 10 .", 39062500},
        {"-l 1m -L .", 250000000},
        {"-l 1m -i 1 .", 1000000000},
        {"-l 1m -i 1us .", 3906250},
        {"-l 1m -r 10 .", 100000000},
        {"-r 10 -l 4k .", 1000000000},
        {"-r 10 -l 4k -i 2 .", 2000000000},
        {"-R -r 100 .", 10000000},
        {"-R -l 4m .", 976562},
        {"-b 5 .", 1000000000},
        {"-r 1 -b 9223372036854775807 .", INT64_MAX},
        {"-l 1 -b 9223372036854775807 .", INT64_MAX},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        int64_t interval = planned(cases[i].line).pace.interval;
        if (interval != cases[i].interval)
            fail_msg("ioping %s: %lld", cases[i].line, (long long)interval);
    }
}

TEST(only_an_interval_of_ones_own_makes_requests_due)
{
    static const struct {
        const char *line;
        bool limited;
    } cases[] = {{".", false},
                 {"-i 1ms .", false},
                 {"-i 0 .", false},
                 {"-r 10 .", true},
                 {"-l 1k .", true},
                 {"-i 1s -r 10 .", false},
                 {"-i 1ms -r 10 .", true},
                 {"-i 1 -r 1 .", false}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        if (planned(cases[i].line).pace.limited != cases[i].limited)
            fail_msg("ioping %s", cases[i].line);
}

TEST(a_burst_of_zero_is_one_request)
{
    struct plan plan = planned("-b 0 .");
    assert_int_equal(plan.pace.burst, 1);
    assert_int_equal(plan.output.burst, 0);
    plan = planned("-b 7 .");
    assert_int_equal(plan.pace.burst, 7);
    assert_int_equal(plan.output.burst, 7);
}

TEST(each_write_option_is_a_consent)
{
    static const struct {
        const char *line;
        enum plan_load load;
        int consent;
    } cases[] = {
        {"-W .", LOAD_WRITE, 1},        {"-WW .", LOAD_WRITE, 2},
        {"-WWW .", LOAD_WRITE, 3},      {"-G .", LOAD_READ_WRITE, 1},
        {"-GW .", LOAD_READ_WRITE, 2},  {"-WWG .", LOAD_READ_WRITE, 3},
        {"-GGG .", LOAD_READ_WRITE, 3}, {"-D .", LOAD_READ, 0},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct plan plan = planned(cases[i].line);
        if (plan.workload.load != cases[i].load ||
            plan.workload.destroy_confirmed != cases[i].consent)
            fail_msg("ioping %s: %d, %d", cases[i].line, (int)plan.workload.load,
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
            plan.io.rw_flags != cases[i].rw_flags || plan.io.direct != cases[i].direct ||
            plan.io.cached != cases[i].cached || plan.workload.keep != cases[i].keep ||
            plan.ends.ignore_error != cases[i].ignore_error)
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
            output->requests != cases[i].requests || output->summary != cases[i].summary)
            fail_msg("ioping %s: %d %d %d", cases[i].line, (int)format_of(&plan),
                     output->requests, output->summary);
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

TEST(a_seed_of_zero_is_the_one_offered)
{
    assert_true(planned("-e 0 .").workload.seed == SEED);
    assert_int_equal(planned("-e 1 .").workload.seed, 1);
    assert_true(planned("-e 9223372036854775807 .").workload.seed == INT64_MAX);
}

TEST(the_distribution_is_told_as_asked_for)
{
    struct plan plan = planned(".");
    assert_int_equal(plan.output.percentiles.count, 4);
    assert_false(plan.output.percentiles.given);
    assert_int_equal(plan.options->given[OPTION_HISTOGRAM], 0);
    assert_int_equal(plan.statistics.corrected, 0);
    assert_int_equal(plan.statistics.slos.count, 0);
    plan = planned("-percentiles 99.9,50 -histogram -slo p99=10ms -slo iops=5 .");
    assert_int_equal(plan.output.percentiles.count, 2);
    assert_true(plan.output.percentiles.given);
    assert_string_equal(plan.output.percentiles.list[0].name, "99.9");
    assert_int_equal(plan.output.percentiles.list[1].billionths, 500000000);
    assert_int_equal(plan.options->given[OPTION_HISTOGRAM], 1);
    assert_int_equal(plan.statistics.slos.count, 2);
    assert_int_equal(plan.statistics.slos.list[0].limit, 10000000);
    assert_int_equal(plan.statistics.slos.list[1].metric, SLO_IOPS);
    plan = planned("-percentiles none .");
    assert_int_equal(plan.output.percentiles.count, 0);
    assert_true(plan.output.percentiles.given);
}

TEST(corrections_are_for_the_interval_that_is_kept)
{
    static const struct {
        const char *line;
        int64_t every;
    } cases[] = {
        {"-corrected .", 1000000000},
        {"-corrected -i 100ms .", 100000000},
        {"-corrected -R -i 5ms .", 5000000},
        {"-i 2 -r 50 -corrected .", 2000000000},
    };
    for (size_t i = 0; i < LENGTH(cases); i++)
        assert_int_equal(planned(cases[i].line).statistics.corrected, cases[i].every);
}

TEST(limits_of_parts_without_a_breakdown_are_refused)
{
    planned_refused("-slo p99=1ms -slo device-p99=1ms .",
                    "ioping: -slo: device-p99 needs -breakdown; add -breakdown, or limit "
                    "the whole time\n");
    planned_refused("-slo submit-max=1 .",
                    "ioping: -slo: submit-max needs -breakdown; add -breakdown, or limit "
                    "the whole time\n");
}

TEST(limits_of_operations_that_are_not_mixed_are_refused)
{
    planned_refused("-slo read-p99=1ms .", "ioping: -slo: read-p99 needs -G; add -G, or "
                                           "limit all requests\n");
    planned_refused("-W -slo write-max=1 .", "ioping: -slo: write-max needs -G; add -G, "
                                             "or limit all requests\n");
    assert_int_equal(
        planned("-G -slo read-p99=1ms -slo write-max=1 .").statistics.slos.count, 2);
}

TEST(limits_of_flushes_without_any_are_refused)
{
    static const char none[] = "ioping: -slo: sync-p99 needs writes, which are flushed; "
                               "add -W or -G, or limit the whole time\n",
                      cached[] = "ioping: -slo: sync-p99 needs flushes, and -C does "
                                 "without; leave out -C, or limit the whole time\n";
    planned_refused("-slo sync-p99=1ms .", none);
    planned_refused("-C -slo sync-p99=1ms .", none);
    planned_refused("-W -C -slo sync-p99=1ms .", cached);
    planned_refused("-G -CD -slo sync-p99=1ms .", cached);
    assert_int_equal(planned("-W -slo sync-p99=1ms .").statistics.slos.count, 1);
    assert_int_equal(planned("-G -Y -slo sync-p99=1ms .").statistics.slos.count, 1);
}

TEST(corrections_without_an_interval_are_refused)
{
    planned_refused("-corrected -i 0 .",
                    "ioping: -corrected: without an interval no request is ever due; "
                    "give one with -i\n");
    planned_refused("-R -corrected -q .",
                    "ioping: -corrected: without an interval no request is ever due; "
                    "give one with -i\n");
}

/* Both are made at the same interval unless the files have their own. */
TEST(metrics_are_exported_beside_raw_lines)
{
    struct plan plan = planned("-P 7s .");
    assert_null(output_of(&plan, FORMAT_PROMETHEUS).kind);
    assert_int_equal(plan.output.print_interval, 7000000000);
    plan = planned("-prometheus a.prom .");
    assert_string_equal(output_of(&plan, FORMAT_PROMETHEUS).path, "a.prom");
    assert_int_equal(output_of(&plan, FORMAT_PROMETHEUS).every, 15000000000);
    assert_int_equal(plan.output.print_interval, 0);
    plan = planned("-P 7s -prometheus a.prom -p 3 .");
    assert_int_equal(output_of(&plan, FORMAT_PROMETHEUS).every, 7000000000);
    assert_int_equal(plan.output.print_interval, 7000000000);
    assert_int_equal(plan.output.print_count, 3);
    assert_false(planned("-q -P 7s -prometheus a.prom .").output.summary);
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
            output_of(&plan, FORMAT_PROMETHEUS).every != cases[i].metrics * SECOND ||
            output_of(&plan, FORMAT_HDR).every != cases[i].log * SECOND ||
            output_of(&plan, FORMAT_PLOT).every != cases[i].plot * SECOND)
            fail_msg("ioping %s", cases[i].line);
    }
    planned_refused("-every 3s -P 1 .",
                    "ioping: -every: needs -prometheus or -hdr or -plot; add it, or "
                    "leave this out\n");
    planned_refused("-every 3s -sweep size -plot c .",
                    "ioping: -every: cannot be done together with -sweep; "
                    "leave out one of them\n");
}

/* A second is short enough for a course, and a line for each step all there is to it. */
TEST(a_log_has_a_line_every_second_or_interval_or_step)
{
    struct plan plan = planned("-hdr a.hlog .");
    assert_string_equal(output_of(&plan, FORMAT_HDR).path, "a.hlog");
    assert_int_equal(output_of(&plan, FORMAT_HDR).every, 1000000000);
    plan = planned("-P 7s -hdr a.hlog -prometheus a.prom .");
    assert_int_equal(output_of(&plan, FORMAT_HDR).every, 7000000000);
    assert_int_equal(output_of(&plan, FORMAT_PROMETHEUS).every, 7000000000);
    assert_int_equal(plan.output.print_interval, 7000000000);
    plan = planned("-hdr a.hlog -prometheus a.prom .");
    assert_int_equal(output_of(&plan, FORMAT_HDR).every, 1000000000);
    assert_int_equal(output_of(&plan, FORMAT_PROMETHEUS).every, 15000000000);
    plan = planned("-sweep size -hdr a.hlog .");
    assert_int_equal(output_of(&plan, FORMAT_HDR).every, 0);
}

TEST(exported_files_have_names_of_their_own)
{
    planned_refused("-hdr a -plot a .",
                    "ioping: -hdr: a is the file of -plot too; name another file\n");
    planned_refused(
        "-prometheus a -hdr a .",
        "ioping: -hdr: a is the file of -prometheus too; name another file\n");
    planned_refused(
        "-plot b -prometheus b -hdr a .",
        "ioping: -plot: b is the file of -prometheus too; name another file\n");
}

TEST(bounds_without_metrics_are_refused)
{
    struct plan plan = planned("-prometheus a.prom -buckets 1ms,5ms .");
    assert_int_equal(plan.output.buckets->count, 2);
    assert_int_equal(plan.output.buckets->list[1], 5000000);
    plan = planned("-prometheus a.prom .");
    assert_int_equal(plan.output.buckets->count, 41);
    planned_refused("-buckets 1ms,5ms .",
                    "ioping: -buckets: needs -prometheus; add it, or leave this "
                    "out\n");
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
        if (format_of(&plan) != FORMAT_INFLUX || output->requests || output->summary ||
            output->print_interval != cases[i].interval ||
            output->print_count != cases[i].count || output->rest != cases[i].rest)
            fail_msg("ioping %s", cases[i].line);
    }
    assert_false(planned("-P 7s .").output.rest);
    planned_refused("-influx -J .",
                    "ioping: -json: cannot be done together with -influx; "
                    "leave out one of them\n");
}

TEST(a_status_line_is_for_runs_that_print_nothing_per_request)
{
    static const struct {
        const char *line;
        bool status;
    } cases[] = {
        {".", false},         {"-q .", true},
        {"-R .", true},       {"-B .", true},
        {"-J .", false},      {"-J -q .", true},
        {"-q -p 1 .", false}, {"-B -p 1 .", false},
        {"-q -P 1 .", true},  {"-sweep size .", true},
        {"-q a b", true},     {"-no-status -q .", false},
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
        assert_int_equal(one[i].ends.count, 3);
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
        assert_true(plan.workload.append && plan.workload.linear);
        assert_int_equal(plan.workload.load, LOAD_WRITE);
        assert_int_equal(plan.workload.request_size, 4096);
        assert_int_equal(plan.workload.scratch_size, 67108864);
    }
    assert_false(planned("-W .").workload.append);
    assert_int_equal(planned("-W -append -L .").workload.request_size, 262144);
    assert_int_equal(planned("-W -append -S 22m -s 2300 .").workload.scratch_size,
                     23068672);
}

#define APPEND                                                                          \
    ": cannot be done together with -append: a log begins empty, and each write waits " \
    "for the one before; leave out one of them\n"
#define SWEEP                                                                 \
    "ioping: -append: cannot be done together with -sweep; leave out one of " \
    "them\n"

TEST(what_a_log_does_not_have_is_refused)
{
    planned_refused("-append .",
                    "ioping: -append: needs -write; add it, or leave this out\n");
    planned_refused("-G -append .", "ioping: -read-write" APPEND);
    planned_refused("-WG -append .", "ioping: -read-write" APPEND);
    planned_refused("-Wk -append .", "ioping: -keep" APPEND);
    planned_refused("-W -append -o 4k .", "ioping: -work-offset" APPEND);
    planned_refused("-W -append -threads 2 .", "ioping: -threads" APPEND);
    planned_refused("-W -append -depth 2 .", "ioping: -depth" APPEND);
    planned_refused("-WU -append -depth 2 .", "ioping: -depth" APPEND);
    planned_refused("-W -append -sweep threads .", SWEEP);
    planned_refused("-WU -append -sweep depth .", SWEEP);
}

/* Where targets are compared, or a percentile is limited, of requests of one kind; all
 * targets together have room for as many as four. */
TEST(a_series_is_kept_where_it_tells_how_certain_something_is)
{
    static const struct {
        const char *line;
        int series;
    } cases[] = {
        {".", 0},
        {"-slo max=1ms .", 0},
        {"-slo iops=1 .", 0},
        {"-slo max=1ms -slo p99=1ms .", 32768},
        {"a b", 32768},
        {"a b c d", 32768},
        {"a b c d e", 26214},
        {"a b c d e f g h", 16384},
        {"-sweep size a b", 0},
        {"-sweep rate -slo p99=1ms a", 0},
        {"-load write -c 100 -slo p99=1ms .", 0},
    };
    for (size_t i = 0; i < LENGTH(cases); i++)
        assert_int_equal(planned(cases[i].line).statistics.series, cases[i].series);
}
