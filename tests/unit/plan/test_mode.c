/* Which options mean something in which modes: all pairs, by hand. */
#include "planned.h"

/* Each puts the command line in a mode of its own, in the order of the cells below. The
 * depth of a sweep needs an engine that does not wait. */
static const char *const modes[] = {"",
                                    "-sweep size",
                                    "-sweep threads",
                                    "-async -sweep depth",
                                    "-sweep interval",
                                    "-sweep rate",
                                    "-load write -count 9",
                                    "-check",
                                    "-check -prometheus m",
                                    "-compare",
                                    "-diagnose",
                                    "-append -write",
                                    "-influx",
                                    "-async"};

/* +: accepted, x: refused together with another, n: refused without one that it needs. */
static const struct {
    const char *option, *cells;
} cases[] = {
    {"warmup 3", "+++++++++xx+++"},
    {"burst 5", "+xxxxx+++xx+++"},
    {"count 7", "+xxxxx+++xx+++"},
    {"entropy 7", "+++++++++x++++"},
    {"interval 0", "++++xx+++xx+++"},
    {"interval 1ns", "+xxxxx+++xx+++"},
    {"speed-limit 1m", "+xxxxx+++xx+++"},
    {"rate-limit 10", "+xxxxx+++xx+++"},
    {"min-time 1us", "+++++++++xx+++"},
    {"max-time 1", "+++++++++xx+++"},
    {"size 4k", "+x+++++++x++++"},
    {"work-size 16m", "+++++++++x++++"},
    {"work-offset 0", "+++++++++x++++"},
    {"work-offset 4k", "+++++++++x+x++"},
    {"work-time 5", "+++++++++x++++"},
    {"print-count 1", "+xxxxx+xxxx+++"},
    {"print-interval 1", "+xxxxx+x+xx+++"},
    {"async", "+++++++++xx+++"},
    {"uring", "+++x+++++xx++x"},
    {"threads 1", "++x++++++xx+++"},
    {"threads 2", "++x++++++xxx++"},
    {"depth 1", "+++xx++++xx+++"},
    {"depth 2 -async", "+++xx++++xxx++"},
    {"sweep size", "++++++xxxxx+++"},
    {"sweep threads", "++++++xxxxxx++"},
    {"sweep depth -async", "++++++xxxxxx++"},
    {"sweep interval", "++++++xxxxx+++"},
    {"sweep rate", "++++++xxxxxx++"},
    {"poisson", "nnnnn+xxxxxnnn"},
    {"load read -count 9", "+xxxxx+xxxx+++"},
    {"batch", "+++++++xx+x+++"},
    {"cached", "+++++++++xx+++"},
    {"direct", "+++++++++x++++"},
    {"ignore-error", "+++++++++x++++"},
    {"awake", "+++++++++x++++"},
    {"hang 3", "+++++++++x++++"},
    {"timeout 3", "+++++++++x++++"},
    {"read-write", "+++++++++xxx++"},
    {"hipri", "+++++++++xx+++"},
    {"nowait", "+++++++++xx+++"},
    {"time", "+++++++++xx+++"},
    {"json", "+++++++xx+++x+"},
    {"linear", "+++++++++xx+++"},
    {"rapid", "+++++x+++xx+++"},
    {"write", "+++++++++xx+++"},
    {"sync", "+++++++++xx+++"},
    {"dsync", "+++++++++xx+++"},
    {"keep", "++++++x++xxx++"},
    {"append", "nnxxnxnnnxx+nn"},
    {"append -write", "++xx+x+++xx+++"},
    {"quiet", "++++++++++x+++"},
    {"percentiles 50", "++++++++++x+++"},
    {"histogram", "+xxxxx++++x+++"},
    {"corrected", "+xxxxx+++xx+++"},
    {"breakdown", "+++++x+++xx+++"},
    {"slo max=1ms", "++++++++++++++"},
    {"prometheus p", "+xxxxx+++xx+++"},
    {"buckets 1ms", "nxxxxxnn+xxnnn"},
    {"hdr h", "+++++++++xx+++"},
    {"plot s", "++++++++++++++"},
    {"every 3", "nxxxxxnn+xxnnn"},
    {"every 3 -plot s", "+xxxxx+++xx+++"},
    {"compare", "+xxxxxxxx+xxxx"},
    {"output o", "+++++++xx+++++"},
    {"record r", "+xxxxx+xxxx+x+"},
    {"influx", "+++++++xxxx+++"},
    {"csv", "+++++++xx+x+x+"},
    {"print p50", "+xxxxx+xx+x+x+"},
    {"check", "+xxxxxx++xx+x+"},
    {"diagnose", "+xxxxxxxxx+xxx"},
    {"warn max=1ms", "nxxxxxx++xxnnn"},
    {"color never", "++++++++++++++"},
    {"no-color", "++++++++++++++"},
    {"no-status", "++++++++++++++"},
    {"live", "+xxxxx+xxxx+++"},
};

/* Returns whether the command line of PLAN has the option of that NAME. */
static bool
is_given(const struct plan *plan, const char *name)
{
    return plan->options->given[cli_find(name, strlen(name))->id] > 0;
}

/* The modes that leave out what else is given; of two the first is refused. */
static const char *const leaving[] = {"append",   "sweep", "load",
                                      "diagnose", "check", "compare"};

static size_t
leaving_index(const char *name)
{
    size_t i = 0;
    while (i < LENGTH(leaving) && strcmp(leaving[i], name) != 0)
        i++;
    return i;
}

/* Returns whether the refusal WHY of -NAME and -OTHER ends in advice that works: leave
 * out -NAME, or, if neither is more likely to be meant, one of them, or add an option. */
static bool
has_advice(const char *why, const char *name, const char *other)
{
    char leave_out[64], add[64];
    const char *advice = strrchr(why, ';');
    snprintf(leave_out, sizeof(leave_out), "; leave out -%s\n", name);
    snprintf(add, sizeof(add), "; add -output FILE for -%s\n", other);
    return advice && (strcmp(advice, leave_out) == 0 || strcmp(advice, add) == 0 ||
                      strcmp(advice, "; choose one of them\n") == 0);
}

/* Returns the cell of LINE, which ends in OPTION; 0 for another refusal. Refused is what
 * is in OPTION, unless that is a mode itself: then what goes against it, or of two modes
 * the first. */
static char
plan_cell(const char *line, const char *option)
{
    struct plan plan;
    struct error error;
    char text[ERROR_LINE], expected[ERROR_LINE], name[32], other[32];
    if (planned_try(line, &plan, &error) == 0)
        return '+';
    error_format(&error, text, sizeof(text));
    if (error.status != EXIT_USAGE || sscanf(text, "ioping: -%31[a-z-] ", name) != 1 ||
        !is_given(&plan, name))
        return 0;

    const char *why = text + strlen("ioping: - ") + strlen(name);
    size_t first = leaving_index(name);
    snprintf(expected, sizeof(expected), " -%s ", option);
    char *word = strstr(expected, name);
    bool is_in = word && word[-1] == '-' && word[strlen(name)] == ' ';
    snprintf(other, sizeof(other), "%.*s", (int)strcspn(option, " "), option);
    if (first == LENGTH(leaving) && !is_in && leaving_index(other) == LENGTH(leaving))
        return 0;
    if (sscanf(why, "and -%31[a-z-] cannot be combined: ", other) == 1) {
        bool ranked = first == LENGTH(leaving) || first < leaving_index(other);
        bool right = is_given(&plan, other) && strcmp(name, other) != 0 && ranked &&
                     has_advice(why, name, other);
        return right ? 'x' : 0;
    }
    return strncmp(why, "works only with -", 17) == 0 ? 'n' : 0;
}

TEST(each_option_means_something_in_these_modes)
{
    int wrong = 0;
    need_built_in(io_find_engine('A'));
    for (size_t i = 0; i < LENGTH(cases); i++) {
        assert_int_equal(strlen(cases[i].cells), LENGTH(modes));
        for (size_t k = 0; k < LENGTH(modes); k++) {
            char line[128];
            snprintf(line, sizeof(line), "%s -%s .", modes[k], cases[i].option);
            char cell = plan_cell(line, cases[i].option);
            if (cell == cases[i].cells[k])
                continue;
            print_error("ioping %s: %c, not %c\n", line, cell ? cell : '?',
                        cases[i].cells[k]);
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
}

/* -h and -v end the command line. */
TEST(no_option_is_left_out)
{
    bool seen[OPTION_IDS] = {[OPTION_HELP] = true, [OPTION_VERSION] = true};
    for (size_t i = 0; i < LENGTH(cases); i++)
        seen[cli_find(cases[i].option, strcspn(cases[i].option, " "))->id] = true;
    for (int id = 0; id < OPTION_IDS; id++)
        if (!seen[id])
            fail_msg("no cells for -%s", cli_option((enum option_id)id)->name);
}

/* An option without a meaning in a plain run has an explicit check that names the option
 * that it needs. */
TEST(an_option_that_a_plain_run_lacks_names_another)
{
    for (size_t i = 0; i < LENGTH(cases); i++) {
        const char *name = cases[i].option;
        if (!(cli_find(name, strcspn(name, " "))->modes & MODE_RUN))
            assert_int_equal(cases[i].cells[0], 'n');
    }
}

/* If several conflicts exist, the message names one of them, always the same one. */
TEST(the_first_of_several_conflicts_is_named)
{
    static const struct planned_row rows[] = {
        /* For an option that several others refuse. */
        {"-print-count 1 -compare -record r .",
         "ioping: -print-count and -compare cannot be combined: -compare reads recorded "
         "runs and measures nothing; leave out -print-count\n"},
        {"-batch -check -record r .",
         "ioping: -batch and -record cannot be combined: the file gets a line for each "
         "request, and the screen the usual report; leave out -batch\n"},
        {"-json -check -influx .", "ioping: -json and -check cannot be combined: -check "
                                   "prints one line and nothing else; leave out -json\n"},
        {"-record r -influx -sweep size .",
         "ioping: -record and -influx cannot be combined: each is a format of the "
         "results; choose one of them\n"},
        {"-qJ -csv .", "ioping: -J and -csv cannot be combined: each is a format of "
                       "the results; choose one of them\n"},
        {"-json -csv .", "ioping: -json and -csv cannot be combined: each is a format of "
                         "the results; choose one of them\n"},
        {"-csv -record r .", "ioping: -record and -csv cannot be combined: each is a "
                             "format of the results; choose one of them\n"},
        /* The period is refused only because of the format. */
        {"-csv -P 1s -record r .", "ioping: -record and -csv cannot be combined: each is "
                                   "a format of the results; choose one of them\n"},
        {"-p 9 -influx -record r .",
         "ioping: -record and -influx cannot be combined: each is a format of the "
         "results; choose one of them\n"},
        {"-P 1s -record r .",
         "ioping: -P and -record cannot be combined: the file gets a line for each "
         "request, and the screen the usual report; leave out -P\n"},
        {"-csv -influx .", "ioping: -csv and -influx cannot be combined: each is a "
                           "format of the results; choose one of them\n"},
        {"-print avg -csv .", "ioping: -print and -csv cannot be combined: both would "
                              "print to standard output; add -output FILE for -csv\n"},
        {"-JJ -print avg .", "ioping: -print and -J cannot be combined: both would "
                             "print to standard output; add -output FILE for -J\n"},
        {"-batch -print avg -influx .",
         "ioping: -print and -batch cannot be combined: both would print to standard "
         "output; add -output FILE for -batch\n"},
        {"-keep -append -load read -count 9 .",
         "ioping: -keep and -load cannot be combined: the load would use the same file "
         "ioping.tmp; leave out -keep\n"},
        {"-depth 2 -append -sweep interval .",
         "ioping: -depth and -sweep cannot be combined: a sweep sets how requests are "
         "sent, and prints a row for each step; leave out -depth\n"},
        /* For several options, each refused by another. */
        {"-histogram -count 9 -sweep size .",
         "ioping: -count and -sweep cannot be combined: -w says how long each step "
         "takes; leave out -count\n"},
        {"-append -buckets 1ms .", "ioping: -append works only with -write\n"},
        {"-every 3 -poisson .", "ioping: -poisson works only with -sweep rate\n"},
    };
    for (size_t i = 0; i < LENGTH(rows); i++)
        planned_refused(rows[i].line, rows[i].expected);
}

TEST(one_mode_is_chosen)
{
    static const enum cli_mode chosen[] = {
        MODE_RUN,      MODE_SIZES,  MODE_THREADS, MODE_DEPTHS, MODE_INTERVALS,
        MODE_RATES,    MODE_PHASES, MODE_CHECK,   MODE_CHECK,  MODE_COMPARE,
        MODE_DIAGNOSE, MODE_RUN,    MODE_RUN,     MODE_RUN};
    need_built_in(io_find_engine('A'));
    for (size_t i = 0; i < LENGTH(modes); i++) {
        char line[64];
        snprintf(line, sizeof(line), "%s .", modes[i]);
        assert_int_equal(planned(line).mode, chosen[i]);
    }
}

/* The last of several sweeps counts; of several conflicts one is named. */
TEST(modes_that_meet_are_refused_by_one_of_them)
{
    assert_int_equal(planned("-sweep rate -sweep size -size 4k -sweep threads .").mode,
                     MODE_THREADS);
    planned_refused("-sweep size -check -influx -load write a",
                    "ioping: -sweep and -check cannot be combined: each is a run of its "
                    "own; choose one of them\n");
    planned_refused("-append -depth 2 -sweep rate -compare a",
                    "ioping: -sweep and -compare cannot be combined: -compare reads "
                    "recorded runs and measures nothing; choose one of them\n");
}
