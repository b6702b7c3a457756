#ifndef PLOT_LOOKED_H
#define PLOT_LOOKED_H

/* The plot that a test looks at, one at a time. A test program includes this once. */
#include "plotted.h"
#include "svg_check.h"

static struct buffer looked; /* its text */
static struct svg_check check;

/* Frees what is looked at. */
static inline int
look_away(void **state)
{
    (void)state;
    svg_check_end(&check);
    buffer_free(&looked);
    check = (struct svg_check){0};
    return 0;
}

FIXTURE(NULL, look_away)

/* Looks at TEXT, which is freed later; a problem fails the test. */
static inline void
look_at(struct buffer text)
{
    look_away(NULL);
    looked = text;
    svg_check_begin(&check, text.text, text.length);
    if (check.problems.text)
        fail_msg("%s", check.problems.text);
}

/* Looks at a plot, and frees what it was made of. */
static inline void
look(struct plotted *plotted)
{
    struct buffer text = {0};
    plot_format(&text, &plotted->plot);
    plotted_free(plotted);
    look_at(text);
}

#endif
