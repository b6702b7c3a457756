/* What is said at the end of a run, and the exit status. */
#include "support.h"

#include "plan/outcome.h"

#include <errno.h>

static void
check_status(const struct outcome *outcome, int expected)
{
    assert_int_equal(outcome_status(outcome), expected);
}

/* The notes on OUTCOME are these lines, NULL for none. */
static void
check_notes(const struct outcome *outcome, const char *first, const char *second)
{
    const char *const lines[] = {first, second};
    struct notes notes = {0};
    outcome_explain(outcome, &notes);
    for (int i = 0; i < 2 && lines[i]; i++) {
        assert_true(notes.count > i);
        assert_string_equal(notes.line[i], lines[i]);
    }
    assert_int_equal(notes.count, (first != NULL) + (second != NULL));
}

static void
a_good_run_says_nothing(void **state)
{
    (void)state;
    struct outcome outcome = {.total = {.requests = 10, .latency = {.count = 9}}};
    check_notes(&outcome, NULL, NULL);
    check_status(&outcome, 0);
}

static void
a_failed_request_is_named(void **state)
{
    (void)state;
    struct outcome outcome = {
        .total = {.requests = 7, .failed = 1, .latency = {.count = 5}},
        .failed = {.index = 7, .verdict = VERDICT_ERROR, .error = EIO, .size = 4096},
    };
    check_notes(&outcome, "ioping: request 7 failed: EIO (Input/output error)\n", NULL);
    check_status(&outcome, 3);
}

static void
a_short_request_is_a_failure(void **state)
{
    (void)state;
    struct outcome outcome = {
        .total = {.requests = 3, .failed = 1, .latency = {.count = 1}},
        .failed = {.index = 3, .verdict = VERDICT_SHORT, .bytes = 512, .size = 4096},
    };
    check_notes(&outcome, "ioping: request 3 failed: short (512 of 4096 bytes)\n", NULL);
    check_status(&outcome, 3);
}

static void
a_first_request_that_fails_is_all_there_is_to_say(void **state)
{
    (void)state;
    struct outcome outcome = {
        .total = {.requests = 1, .failed = 1},
        .failed = {.index = 1, .verdict = VERDICT_ERROR, .error = ENOSPC},
    };
    check_notes(&outcome, "ioping: request 1 failed: ENOSPC (No space left on device)\n",
                NULL);
    check_status(&outcome, 3);
}

static void
requests_that_would_have_waited_are_no_failure(void **state)
{
    (void)state;
    struct outcome outcome = {
        .total = {.requests = 10, .failed = 4, .latency = {.count = 5}},
    };
    check_notes(&outcome, NULL, NULL);
    check_status(&outcome, 0);
}

static void
lost_output_makes_the_run_fail(void **state)
{
    (void)state;
    struct outcome outcome = {
        .total = {.requests = 10, .latency = {.count = 9}},
        .output_error = ENOSPC,
    };
    check_notes(&outcome, "ioping: standard output: No space left on device\n", NULL);
    check_status(&outcome, 3);
}

static void
output_lost_before_anything_counted_is_all_there_is_to_say(void **state)
{
    (void)state;
    struct outcome outcome = {.total = {.requests = 1}, .output_error = ENOSPC};
    check_notes(&outcome, "ioping: standard output: No space left on device\n", NULL);
    check_status(&outcome, 3);
}

static void
requests_from_the_page_cache_are_counted_and_advised_upon(void **state)
{
    (void)state;
    struct outcome outcome = {
        .total = {.requests = 100, .cached = 12, .latency = {.count = 87}},
    };
    check_notes(&outcome,
                "ioping: 12 of 100 requests were answered by the page cache, not the "
                "device; use -D (direct I/O) or -W (writes)\n",
                NULL);
    check_status(&outcome, 0);
}

static void
all_from_the_page_cache_leaves_nothing_to_count(void **state)
{
    (void)state;
    struct outcome outcome = {.total = {.requests = 2, .cached = 2}};
    check_notes(&outcome,
                "ioping: 2 of 2 requests were answered by the page cache, not the "
                "device; use -D (direct I/O) or -W (writes)\n",
                "ioping: no request counted of 2\n");
    check_status(&outcome, 0);
}

static void
all_warm_up_names_the_option(void **state)
{
    (void)state;
    struct outcome outcome = {.total = {.requests = 1}};
    check_notes(&outcome,
                "ioping: no request counted: all were warm-up; use -warmup 0 to count "
                "them\n",
                NULL);
    check_status(&outcome, 0);
}

static void
limits_that_leave_nothing_are_not_called_warm_up(void **state)
{
    (void)state;
    struct outcome outcome = {.total = {.requests = 5, .too_fast = 4}};
    check_notes(&outcome, "ioping: no request counted of 5\n", NULL);
    outcome = (struct outcome){.total = {.requests = 6, .too_slow = 5}};
    check_notes(&outcome, "ioping: no request counted of 6\n", NULL);
    check_status(&outcome, 0);
}

static void
a_run_that_sent_nothing_says_so(void **state)
{
    (void)state;
    struct outcome outcome = {0};
    check_notes(&outcome, "ioping: no request was sent\n", NULL);
    check_status(&outcome, 0);
}

static void
a_failure_and_lost_output_are_both_told(void **state)
{
    (void)state;
    struct outcome outcome = {
        .total = {.requests = 4, .failed = 1, .latency = {.count = 2}},
        .failed = {.index = 4, .verdict = VERDICT_ERROR, .error = EIO},
        .output_error = EPIPE,
    };
    check_notes(&outcome, "ioping: request 4 failed: EIO (Input/output error)\n",
                "ioping: standard output: Broken pipe\n");
    check_status(&outcome, 3);
}

static void
a_request_without_an_answer_is_a_failure(void **state)
{
    (void)state;
    struct outcome outcome = {
        .total = {.requests = 1},
        .waiting = 8300000000,
    };
    check_notes(&outcome, "ioping: 1 request still waiting after 8.30 s\n", NULL);
    check_status(&outcome, 3);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_good_run_says_nothing),
        cmocka_unit_test(a_failed_request_is_named),
        cmocka_unit_test(a_short_request_is_a_failure),
        cmocka_unit_test(a_first_request_that_fails_is_all_there_is_to_say),
        cmocka_unit_test(requests_that_would_have_waited_are_no_failure),
        cmocka_unit_test(lost_output_makes_the_run_fail),
        cmocka_unit_test(output_lost_before_anything_counted_is_all_there_is_to_say),
        cmocka_unit_test(requests_from_the_page_cache_are_counted_and_advised_upon),
        cmocka_unit_test(all_from_the_page_cache_leaves_nothing_to_count),
        cmocka_unit_test(all_warm_up_names_the_option),
        cmocka_unit_test(limits_that_leave_nothing_are_not_called_warm_up),
        cmocka_unit_test(a_run_that_sent_nothing_says_so),
        cmocka_unit_test(a_failure_and_lost_output_are_both_told),
        cmocka_unit_test(a_request_without_an_answer_is_a_failure),
    };
    return cmocka_run_group_tests_name("outcome", tests, NULL, NULL);
}
