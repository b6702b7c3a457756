/* tests/vm/run: how it judges a virtual machine. A script takes the place of qemu. */
/* Marks: apart native */
#include "support.h"

static int
make_machine(void **state)
{
    (void)state;
    shell("make_machine");
    return 0;
}

GROUP_SETUP(make_machine)

TEST(checks_are_counted)
{
    expect(
        0,
        "--- boot\nok       one\nskipped  two: no moon\nok       three\n"
        "all scenarios ended\n2 passed, 0 failed, 1 skipped\n",
        "",
        "run_guest 'printf \"%%s\\n\" \"--- boot\" \"ok       one\" "
        "\"skipped  two: no moon\" \"ok       three\" \"all scenarios ended\" >$said'");
}

TEST(a_check_that_failed_fails_the_run)
{
    expect(1, "~\n1 passed, 1 failed, 0 skipped\n$", "",
           "run_guest 'printf \"%%s\\n\" \"ok       one\" \"FAILED   two: why\" "
           "\"all scenarios ended\" >$said'");
}

TEST(a_guest_that_stops_early_fails_the_run)
{
    expect(
        1,
        "~\nFAILED   guest: it stopped before the end, qemu's status is 5; the end of "
        "what its kernel said:\n         Kernel panic\n1 passed, 1 failed, 0 skipped\n$",
        "",
        "run_guest 'echo \"ok       one\" >$said; echo Kernel panic >$console; exit 5'");
}

TEST(a_guest_that_hangs_fails_the_run)
{
    expect(
        1,
        "~\nFAILED   guest: it did not end within 1 s; the end of what its kernel "
        "said:\n         it booted\n1 passed, 1 failed, 0 skipped\n$",
        "",
        "VM_SECONDS=1 run_guest 'echo \"ok       one\" >$said; echo it booted >$console; "
        "exec sleep 1000'");
}

TEST(a_guest_ends_with_its_run)
{
    expect(-1, "143\n", NULL, "stop_a_run");
}

TEST(without_qemu_it_is_skipped)
{
    expect(0,
           "skipped  vm: there is no no-such-qemu here\n0 passed, 0 failed, 1 skipped\n",
           "", "FAKE_QEMU=no-such-qemu run_guest :");
}

TEST(a_scenario_that_is_none_is_refused)
{
    expect(1, "", "tests/vm/run: there is no scenario 'boots' in tests/vm\n",
           "run_guest : boots");
}

TEST(nothing_is_left_of_a_run)
{
    expect(0, "", "", "find build/tests/vm -mindepth 1");
}
