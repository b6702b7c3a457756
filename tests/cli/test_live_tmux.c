/* The live screen (-live) in a terminal of tmux, at several sizes. */
/* Marks: 15s native */
#include "support.h"

/* The figures that 80 columns have room for. */
#define USUAL "p50 ok\np99 ok\n(p99 10s ok\n)?max ok\n"

GROUP_SETUP(make_files)

/* Beside the oldest request, 40 columns have no room for the maximum. On a slow machine,
 * the requests are older than 10 s before all sizes are compared. */
TEST(figures_agree_with_the_json_of_the_run)
{
    need_program("tmux");
    need_program("jq");
    need_faults();
    expect(0,
           "~^80x24 299\n" USUAL "40x12 299\np50 ok\np99 ok\n"
           "200x60 299\np50 ok\n(p50 10s ok\n)?p99 ok\n(p99 10s ok\n)?max ok\n(max 10s "
           "ok\n)?"
           "80x24 299\n" USUAL "status 0\n$",
           NULL, "figures_agree_with_the_json_of_the_run");
}

TEST(without_an_alternate_screen_it_is_cleared)
{
    need_program("tmux");
    expect(0, "\n--- data\n0\n", NULL, "without_an_alternate_screen_it_is_cleared");
}
