/* A fault of one of several requests in flight must not affect the others. */
/* Marks: 21s races posix */
#include "running.h"
#include "support.h"

/* An engine by its option, and its requests' name in scripts of faults. */
static const struct engine {
    const char *option, *name;
    void (*need)(void);
} engines[] = {{"-A", "aio", need_linux_aio}, {"-U", "uring", need_uring}};

static const struct engine *
need_engine(void **state)
{
    const struct engine *engine = *state;
    need("faults jq");
    engine->need();
    return engine;
}

GROUP_SETUP(make_files)

/* What is expected of each engine; the name is that of the shell. */
static const struct behaviour {
    const char *name;
    int status;
    const char *out, *err;
} behaviours[] = {
    {"a_failure_in_a_full_queue_ends_the_run", 3,
     "[1,[[5,0,true]],true,true,true,true]\n",
     "ioping: request 5 failed: EIO (Input/output error)\n"},
    {"failures_that_are_ignored_leave_the_others_alone", 3,
     "[3,\"EIO\",0]\n[7,\"EIO\",0]\n[9,\"short\",2048]\n[10,\"short\",0]\n[11,"
     "\"EIO\",0]\n[15,\"EIO\",0]\n[10,40960,16,6,43008]\n",
     "~^ioping: request [0-9]+ failed: [^\n]*\n$"},
    /* EAGAIN is what -N asks for. */
    {"a_request_that_would_wait_fails_alone", 0,
     "3 6 9 6 requests completed\ngenerated 9 requests\n", NULL},
    /* The lines are in the order of the ends, whatever the others take. */
    {"a_slow_request_is_told_at_its_end", 0, "[true,true,true,true,12,true]\n", NULL},
    /* The points pass while it is under way, and a request is sent at each. */
    {"a_stall_does_not_silence_the_grid", 3,
     "~^1 3 4 5 6 7 8 7 requests completed\ngenerated 8 requests\n$",
     "~^ioping: 1 request still waiting after [0-9.]+ m?s\n$"},
    {"a_hung_request_does_not_hold_the_others", 3, "0\n1\n1\n",
     "~" SLOW "(ioping: request [0-9]+ has had no answer for [0-9.]+ "
     "m?s\n)+ioping: 1 request still waiting after [0-9.]+ m?s\n$"},
    {"a_queue_that_hangs_is_left_as_a_whole", 3, "[5,[0,1,2,3,4],4,8,0]\n",
     "~" SLOW "(ioping: request [0-9]+ has had no answer for [0-9.]+ "
     "m?s\n)+ioping: 4 requests still waiting after [0-9.]+ m?s\n$"},
    {"a_second_interrupt_does_not_wait", 4, "", NULL},
    {"statistics_and_periods_come_while_all_hang", 3, "4 requests\n4\n", NULL},
    /* The flush is in the same slot after the write, and part of its time. */
    {"each_write_is_flushed_and_timed_with_it", 0, "[12,true,true]\n8 9\n", NULL},
    {"a_flush_that_fails_is_a_write_that_failed", 3,
     "[3,[0,0,0],[true,true,true],9,3,12]\n", NULL},
    {"failures_are_counted_over_all_workers", 3,
     "10\n60 requests completed\ngenerated 70 requests\n",
     "~ioping: 10 of 70 requests failed\n"},
    {"one_hung_request_of_each_worker_is_named", 3,
     "6 requests completed\ngenerated 12 requests\n",
     "~^ioping: 6 requests still waiting after [0-9.]+ m?s\n$"},
    {"a_depth_sweep_by_slow_requests", 0, "[[1,2,4],true,true]\n", NULL},
};

static void
behave(const struct behaviour *row, const struct engine *engine)
{
    need("faults jq");
    engine->need();
    expect(row->status, row->out, row->err, "%s %s %s", row->name, engine->name,
           engine->option);
}

TEST_EACH(with_aio, behaviours)
{
    behave(*state, &engines[0]);
}

TEST_EACH(with_uring, behaviours)
{
    behave(*state, &engines[1]);
}

/* All four are taken from the first point on, for 400 ms. */
TEST_EACH(points_are_missed_while_no_slot_is_free, engines)
{
    const struct engine *engine = need_engine(state);
    expect(0, "[8,true,0]\n", NULL,
           "faulty %s:1-4:400ms -JJ -q -a 0 -i 25ms -b 4 -c 8 -depth 4 %s "
           "data | jq -c '[.load.count, .load.missed >= 15, .load.failed]'",
           engine->name, engine->option);
}

/* A run that is stopped waits for the requests under way and counts them. */
TEST_EACH(an_interrupt_waits_for_what_is_under_way, engines)
{
    const struct engine *engine = need_engine(state);
    struct result result =
        command_status(0, "an_interrupt_waits_for_what_is_under_way %s %s", engine->name,
                       engine->option);
    int completed, generated;
    assert_int_equal(sscanf(result.out, "%d requests completed\ngenerated %d requests\n",
                            &completed, &generated),
                     2);
    assert_int_equal(completed, generated);
    assert_true(completed >= 5);
    command_free(&result);
}

#define NO_AIO "ioping: Linux AIO is not available here: "
#define NO_URING "ioping: io_uring is not available here: "

TEST(a_queue_that_cannot_be_set_up_is_refused)
{
    static const struct {
        const char *script, *arguments, *line;
    } cases[] = {
        {"io_setup:1:11", "-A",
         NO_AIO "Resource temporarily unavailable; raise fs.aio-max-nr, or use -U\n"},
        {"io_setup:1:12", "-A", NO_AIO "Cannot allocate memory; use -U instead\n"},
        {"io_setup:1:38", "-A -depth 4",
         NO_AIO "Function not implemented; use -U instead\n"},
        {"io_setup:3:11", "-A -threads 4",
         NO_AIO "Resource temporarily unavailable; raise fs.aio-max-nr, or use -U\n"},
        {"io_uring_setup:1-:12", "-U",
         NO_URING "Cannot allocate memory; use -A instead\n"},
        {"io_uring_setup:1-:1", "-U",
         NO_URING "Operation not permitted; use -A instead\n"},
        {"io_uring_setup:1-:38", "-U -depth 4",
         NO_URING "Function not implemented; use -A instead\n"},
        {"io_uring_setup:3-:24", "-U -threads 4",
         NO_URING "Too many open files; allow more open files (ulimit -n)\n"},
    };
    static const char *const targets[] = {"data", "-W d"};
    need_built_in(io_find_engine('U'));
    need_faults();
    for (size_t i = 0; i < LENGTH(cases) * LENGTH(targets); i++) {
        const char *line = cases[i / 2].line;
        expect(2, "", line, "faulty %s -i 0 -c 9 %s %s; s=$?; ls -A d; exit $s",
               cases[i / 2].script, cases[i / 2].arguments, targets[i % 2]);
    }
}

/* Calls that the kernel does not know, has no room for while a request is under way, or
 * interrupts. */
TEST(calls_that_fail_in_passing_are_not_noticed)
{
    static const char *const cases[][2] = {
        {"io_uring_setup:1:22", "-U -depth 4"},
        {"io_uring_setup:1-2:22", "-U -depth 4"},
        {"io_uring_setup:1-3:22", "-U -depth 4"},
        {"io_uring_register@files:1-:1", "-U -depth 4"},
        {"io_uring_register@files:1-:22", "-U -depth 4 -threads 2"},
        {"io_uring_register@buffers:1-:12", "-U -depth 4"},
        {"io_uring_register@buffers:1-:12,io_uring_register@files:1-:22,"
         "io_uring_setup:1-3:22",
         "-U -depth 4"},
        {"io_uring_enter:2-/2:4", "-U -depth 4"},
        {"io_uring_enter:2-/3:4", "-U -depth 1"},
        {"io_uring_enter:3:11,uring:1:900ms", "-U -depth 4"},
        {"io_uring_enter:3:16,uring:1:900ms", "-U -depth 4"},
        {"io_uring_enter:1-/2:short", "-U -depth 16"},
        {"io_getevents:1-/2:4", "-A -depth 4"},
        {"io_getevents:2-/3:4", "-A -depth 1"},
        {"io_submit:1-/2:short", "-A -depth 16"},
        {"io_submit:2-/3:4", "-A -depth 4"},
        {"io_destroy:1:22", "-A"},
    };
    int noticed = 0;
    need_built_in(io_find_engine('U'));
    need_faults();
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct result result =
            command("faulty %s -B -a 0 -i 0 -c 60 %s data | cut -d' ' -f1,9", cases[i][0],
                    cases[i][1]);
        if (strcmp(result.out, "60 60\n") != 0 || result.err[0]) {
            print_error("%s %s: %s%s", cases[i][0], cases[i][1], result.out, result.err);
            noticed++;
        }
        command_free(&result);
    }
    assert_int_equal(noticed, 0);
}

/* Then none of those under way will be told of any more. */
TEST(a_queue_that_breaks_fails_what_is_under_way)
{
    static const char *const cases[][2] = {{"io_uring_enter:5-:5", "-U"},
                                           {"io_getevents:5-:5", "-A"}};
    need_built_in(io_find_engine('U'));
    need("faults jq");
    for (size_t i = 0; i < LENGTH(cases); i++)
        expect(3, "[true,true,true]\n",
               "~^ioping: request [0-9]+ failed: EIO \\(Input/output error\\)\n$",
               "a_queue_that_breaks_fails_what_is_under_way %s %s", cases[i][0],
               cases[i][1]);
}
