/* The command line as getopt_long_only(3) reads it. */
#include "support.h"

#include "cli/cli.h"

#define WORDS 32

/*
 * Parses LINE, whose words are parted by single spaces; the texts that OPTIONS
 * points to live until the next call.
 */
static int
parse(const char *line, struct options *options, struct error *error)
{
    static char copy[256];
    char *argv[WORDS] = {"ioping"};
    int argc = 1;
    snprintf(copy, sizeof(copy), "%s", line);
    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " ")) {
        assert_true(argc < WORDS - 1);
        argv[argc++] = word;
    }
    memset(error, 0, sizeof(*error));
    return cli_parse(argc, argv, options, error);
}

static struct options
accepted(const char *line)
{
    struct options options;
    struct error error;
    if (parse(line, &options, &error) < 0)
        fail_msg("ioping %s: %s", line, error.why);
    return options;
}

static void
check_refused(const char *line, const char *expected)
{
    struct options options;
    struct error error;
    char text[1200];
    if (parse(line, &options, &error) != -1)
        fail_msg("ioping %s: accepted", line);
    error_format(&error, text, sizeof(text));
    assert_string_equal(text, expected);
    assert_int_equal(error.status, 1);
}

/* The table of the contract once more, so that no row can change unseen. */
#define AT(field) offsetof(struct options, field)
static const struct row {
    enum option_id id;
    char letter;
    const char *name;
    const char *value; /* NULL: takes none */
    size_t at;
} rows[] = {
    {OPTION_WARMUP, 'a', "warmup", "7", AT(warmup)},
    {OPTION_BURST, 'b', "burst", "7", AT(burst)},
    {OPTION_COUNT, 'c', "count", "7", AT(count)},
    {OPTION_ENTROPY, 'e', "entropy", "7", AT(entropy)},
    {OPTION_INTERVAL, 'i', "interval", "7ns", AT(interval)},
    {OPTION_SPEED_LIMIT, 'l', "speed-limit", "7b", AT(speed_limit)},
    {OPTION_RATE_LIMIT, 'r', "rate-limit", "7", AT(rate_limit)},
    {OPTION_MIN_TIME, 't', "min-time", "7ns", AT(min_time)},
    {OPTION_MAX_TIME, 'T', "max-time", "7ns", AT(max_time)},
    {OPTION_SIZE, 's', "size", "7b", AT(size)},
    {OPTION_WORK_SIZE, 'S', "work-size", "7b", AT(work_size)},
    {OPTION_WORK_OFFSET, 'o', "work-offset", "7b", AT(work_offset)},
    {OPTION_WORK_TIME, 'w', "work-time", "7ns", AT(work_time)},
    {OPTION_PRINT_COUNT, 'p', "print-count", "7", AT(print_count)},
    {OPTION_PRINT_INTERVAL, 'P', "print-interval", "7ns", AT(print_interval)},
    {OPTION_ASYNC, 'A', "async", NULL, 0},
    {OPTION_URING, 'U', "uring", NULL, 0},
    {OPTION_THREADS, 0, "threads", "7", AT(threads)},
    {OPTION_DEPTH, 0, "depth", "7", AT(depth)},
    {OPTION_SWEEP, 0, "sweep", "size=7..7", AT(sweep.from)},
    {OPTION_LOAD, 0, "load", "read,depth=7", AT(background.depth)},
    {OPTION_BATCH, 'B', "batch", NULL, 0},
    {OPTION_CACHED, 'C', "cached", NULL, 0},
    {OPTION_DIRECT, 'D', "direct", NULL, 0},
    {OPTION_IGNORE_ERROR, 'E', "ignore-error", NULL, 0},
    {OPTION_AWAKE, 0, "awake", NULL, 0},
    {OPTION_POISSON, 0, "poisson", NULL, 0},
    {OPTION_HANG, 0, "hang", "7ns", AT(hang)},
    {OPTION_TIMEOUT, 0, "timeout", "7ns", AT(timeout)},
    {OPTION_READ_WRITE, 'G', "read-write", NULL, 0},
    {OPTION_HIPRI, 'H', "hipri", NULL, 0},
    {OPTION_NOWAIT, 'N', "nowait", NULL, 0},
    {OPTION_TIME, 'I', "time", NULL, 0},
    {OPTION_JSON, 'J', "json", NULL, 0},
    {OPTION_LINEAR, 'L', "linear", NULL, 0},
    {OPTION_RAPID, 'R', "rapid", NULL, 0},
    {OPTION_WRITE, 'W', "write", NULL, 0},
    {OPTION_SYNC, 'Y', "sync", NULL, 0},
    {OPTION_DSYNC, 'y', "dsync", NULL, 0},
    {OPTION_KEEP, 'k', "keep", NULL, 0},
    {OPTION_APPEND, 0, "append", NULL, 0},
    {OPTION_QUIET, 'q', "quiet", NULL, 0},
    {OPTION_PERCENTILES, 0, "percentiles", "50", 0},
    {OPTION_HISTOGRAM, 0, "histogram", NULL, 0},
    {OPTION_CORRECTED, 0, "corrected", NULL, 0},
    {OPTION_BREAKDOWN, 0, "breakdown", NULL, 0},
    {OPTION_SLO, 0, "slo", "max=7ns", AT(slos.list[0].limit)},
    {OPTION_PROMETHEUS, 0, "prometheus", "7", 0},
    {OPTION_PLOT, 0, "plot", "7", 0},
    {OPTION_COMPARE, 0, "compare", NULL, 0},
    {OPTION_OUTPUT, 0, "output", "7", 0},
    {OPTION_RECORD, 0, "record", "7", 0},
    {OPTION_WARN, 0, "warn", "max=7ns", AT(warnings.list[0].limit)},
    {OPTION_CHECK, 0, "check", NULL, 0},
    {OPTION_DIAGNOSE, 0, "diagnose", NULL, 0},
    {OPTION_BUCKETS, 0, "buckets", "7ns", AT(buckets.list[0])},
    {OPTION_INFLUX, 0, "influx", NULL, 0},
    {OPTION_CSV, 0, "csv", NULL, 0},
    {OPTION_PRINT, 0, "print", "max", 0},
    {OPTION_HDR, 0, "hdr", "7", 0},
    {OPTION_EVERY, 0, "every", "7ns", AT(export_interval)},
    {OPTION_COLOR, 0, "color", "never", 0},
    {OPTION_NO_COLOR, 0, "no-color", NULL, 0},
    {OPTION_NO_STATUS, 0, "no-status", NULL, 0},
    {OPTION_LIVE, 0, "live", NULL, 0},
    {OPTION_HELP, 'h', "help", NULL, 0},
    {OPTION_VERSION, 'v', "version", NULL, 0},
};

/* LINE gives the option of ROW once, its value 7, and nothing else. */
static void
check_row(const struct row *row, const char *line)
{
    struct options options = accepted(line);
    for (int id = 0; id < OPTION_IDS; id++)
        if (options.given[id] != (id == (int)row->id))
            fail_msg("ioping %s: option %d given %d times", line, id, options.given[id]);
    int64_t number = 7;
    if (row->value && row->at)
        memcpy(&number, (const char *)&options + row->at, sizeof(number));
    if (number != 7)
        fail_msg("ioping %s: %lld", line, (long long)number);
}

/* All ways to write an option, "%s" its letter or name, then its value. */
static void
check_ways(const struct row *row, const char *option, const char *const *ways, int count)
{
    for (int i = 0; i < count; i++) {
        const char *value = row->value ? row->value : "";
        char line[64];
        snprintf(line, sizeof(line), ways[i], option, value);
        check_row(row, line);
    }
}

TEST(every_option_by_letter)
{
    static const char *const ways[] = {"-%s %s .", "-%s%s ."};
    assert_int_equal(LENGTH(rows), OPTION_IDS);
    for (size_t i = 0; i < LENGTH(rows); i++) {
        const char letter[] = {rows[i].letter, '\0'};
        assert_int_equal(cli_option(rows[i].id)->letter, rows[i].letter);
        if (rows[i].letter)
            check_ways(&rows[i], letter, ways, rows[i].value ? 2 : 1);
    }
}

TEST(every_option_by_name)
{
    static const char *const ways[] = {"-%s %s .", "--%s %s .", "-%s=%s .", "--%s=%s ."};
    for (size_t i = 0; i < LENGTH(rows); i++) {
        assert_string_equal(cli_option(rows[i].id)->name, rows[i].name);
        check_ways(&rows[i], rows[i].name, ways, rows[i].value ? 4 : 2);
    }
}

TEST(nothing_given_leaves_the_defaults)
{
    struct options options = accepted("/tmp");
    assert_string_equal(options.targets[0], "/tmp");
    assert_string_equal(options.time_format, "%b %d %T");
    assert_int_equal(options.warmup, 1);
    assert_int_equal(options.interval, 1000000000);
    assert_int_equal(options.hang, 5000000000);
    assert_true(options.timeout == INT64_MAX);
    assert_int_equal(options.size, 4096);
    assert_true(options.max_time == INT64_MAX);
    assert_int_equal(options.burst, 0);
    assert_int_equal(options.count, 0);
    assert_int_equal(options.entropy, 0);
    assert_int_equal(options.rate_limit, 0);
    assert_int_equal(options.speed_limit, 0);
    assert_int_equal(options.print_count, 0);
    assert_int_equal(options.print_interval, 0);
    assert_int_equal(options.min_time, 0);
    assert_int_equal(options.work_time, 0);
    assert_int_equal(options.work_size, 0);
    assert_int_equal(options.work_offset, 0);
    assert_int_equal(options.threads, 0);
    assert_int_equal(options.depth, 0);
    assert_int_equal(options.sweep.kind, SWEEP_NONE);
    for (int id = 0; id < OPTION_IDS; id++)
        assert_int_equal(options.given[id], 0);
}

TEST(a_count_in_every_notation)
{
    static const char *const lines[] = {
        "-c 10 .",      "-c10 .",     "-count 10 .", "--count 10 .", "-count=10 .",
        "--count=10 .", "-cou 10 .",  "--co=10 .",   "-co=10 .",     ". -c 10",
        ". -count 10",  "-qc10 .",    "-qc 10 .",    "-BDLc 10 .",   "-BDL -c 10 .",
        "-qAc 10 .",    ". -c 10 -q", "-c 10 -- .",  "-c 5 -c 10 .", "-c 0.01k .",
        "-c 20/2 .",
    };
    for (size_t i = 0; i < LENGTH(lines); i++) {
        struct options options = accepted(lines[i]);
        if (options.count != 10 || strcmp(options.targets[0], ".") != 0)
            fail_msg("ioping %s: %lld", lines[i], (long long)options.count);
    }
}

TEST(flags_bundle)
{
    struct options options = accepted("-RLB -qs1M /dev/sda1 -Ck");
    static const enum option_id flags[] = {OPTION_RAPID, OPTION_LINEAR, OPTION_BATCH,
                                           OPTION_QUIET, OPTION_SIZE,   OPTION_CACHED,
                                           OPTION_KEEP};
    int given = 0;
    for (int id = 0; id < OPTION_IDS; id++)
        given += options.given[id];
    assert_int_equal(given, LENGTH(flags));
    for (size_t i = 0; i < LENGTH(flags); i++)
        assert_int_equal(options.given[flags[i]], 1);
    assert_int_equal(options.size, 1048576);
    assert_string_equal(options.targets[0], "/dev/sda1");
}

TEST(repeated_options_are_counted_and_the_last_value_wins)
{
    assert_int_equal(accepted("-WWW .").given[OPTION_WRITE], 3);
    assert_int_equal(accepted("-W -write . --wri").given[OPTION_WRITE], 3);
    assert_int_equal(accepted("-WGW .").given[OPTION_WRITE], 2);
    struct options options = accepted("-i 1 -i 2 -interval 3 .");
    assert_int_equal(options.given[OPTION_INTERVAL], 3);
    assert_int_equal(options.interval, 3000000000);
    options = accepted("-sweep size=4k..8k -sweep depth .");
    assert_int_equal(options.sweep.kind, SWEEP_DEPTH);
    assert_int_equal(options.sweep.from, 0);
    assert_int_equal(options.sweep.to, 0);
}

TEST(a_single_letter_is_never_an_abbreviation)
{
    struct options options =
        accepted("-i 2 -s 8k -w 3 -r 4 -l 5k -p 6 -t 7 -b 8 . -e 9 -c 1");
    assert_int_equal(options.interval, 2000000000);
    assert_int_equal(options.size, 8192);
    assert_int_equal(options.work_time, 3000000000);
    assert_int_equal(options.rate_limit, 4);
    assert_int_equal(options.speed_limit, 5120);
    assert_int_equal(options.print_count, 6);
    assert_int_equal(options.min_time, 7000000000);
    assert_int_equal(options.burst, 8);
    assert_int_equal(options.entropy, 9);
    assert_int_equal(options.count, 1);
}

TEST(unique_beginnings_of_names)
{
    static const struct {
        const char *line;
        enum option_id id;
    } cases[] = {
        {"-print-c 5 .", OPTION_PRINT_COUNT},
        {"-print-i 5 .", OPTION_PRINT_INTERVAL},
        {"-as .", OPTION_ASYNC},
        {"-u .", OPTION_URING},
        {"-th 5 .", OPTION_THREADS},
        {"-de=5 .", OPTION_DEPTH},
        {"-sw size .", OPTION_SWEEP},
        {"-ba .", OPTION_BATCH},
        {"-di .", OPTION_DIRECT},
        {"-ds .", OPTION_DSYNC},
        {"-ig .", OPTION_IGNORE_ERROR},
        {"-in 5 .", OPTION_INTERVAL},
        {"-i=5 .", OPTION_INTERVAL}, /* as in 1.3, which had no -ignore-error */
        {"-j .", OPTION_JSON},
        {"-li .", OPTION_LINEAR},
        {"-n .", OPTION_NOWAIT},
        {"-rap .", OPTION_RAPID},
        {"-rat 5 .", OPTION_RATE_LIMIT},
        {"-rea .", OPTION_READ_WRITE},
        {"-si 5 .", OPTION_SIZE},
        {"-sp 5 .", OPTION_SPEED_LIMIT},
        {"-sy .", OPTION_SYNC},
        {"-work-o 5 .", OPTION_WORK_OFFSET},
        {"-work-s=5 .", OPTION_WORK_SIZE},
        {"-work-t=5 .", OPTION_WORK_TIME},
        {"--k .", OPTION_KEEP},
        {"--t .", OPTION_TIME},
        {"-ch .", OPTION_CHECK},
        {"-di .", OPTION_DIRECT}, /* as in 1.3, which had no -diagnose */
        {"-dia .", OPTION_DIAGNOSE},
        {"-wa 1 .", OPTION_WARMUP}, /* as in 1.3, which had no -warn */
        {"-warn p99=1s .", OPTION_WARN},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct options options = accepted(cases[i].line);
        if (options.given[cases[i].id] != 1)
            fail_msg("ioping %s", cases[i].line);
        assert_string_equal(options.targets[0], ".");
    }
}

TEST(ambiguous_beginnings_list_the_possibilities)
{
    check_refused("-m 1 .",
                  "ioping: option '-m' is ambiguous; possibilities: '-min-time' "
                  "'-max-time'\n");
    check_refused("-prin 1 .",
                  "ioping: option '-prin' is ambiguous; possibilities: '-print-count' "
                  "'-print-interval' '-print'\n");
    check_refused("--c 1 .",
                  "ioping: option '--c' is ambiguous; possibilities: '-count' "
                  "'-cached' '-corrected' '-compare' '-csv' '-check' '-color'\n");
    check_refused("-s=4k .",
                  "ioping: option '-s=4k' is ambiguous; possibilities: '-speed-limit' "
                  "'-size' '-sweep' '-sync' '-slo'\n");
    check_refused("--=5 .", "ioping: unrecognized option '--=5'\n");
    check_refused("-wo 1 .",
                  "ioping: option '-wo' is ambiguous; possibilities: '-work-size' "
                  "'-work-offset' '-work-time'\n");
}

TEST(unknown_options_are_refused)
{
    check_refused("-z .", "ioping: unrecognized option '-z'\n");
    check_refused("-qzc 10 .", "ioping: unrecognized option '-z'\n");
    check_refused("-urings .",
                  "ioping: unrecognized option '-urings'; did you mean -uring?\n");
    check_refused("-s1o .", "ioping: -s '1o': not a size such as 4096, 4k or 1.5m\n");
    check_refused("-zebra .", "ioping: unrecognized option '-zebra'\n");
    check_refused("--zebra=1 .", "ioping: unrecognized option '--zebra=1'\n");
    check_refused("--W .", "ioping: unrecognized option '--W'\n");
    check_refused("--q9 .", "ioping: unrecognized option '--q9'\n");
    check_refused(". -q --\033", "ioping: unrecognized option '--\\033'\n");
}

/* Whatever its letters would be, -v too. */
TEST(the_nearest_long_option_is_named)
{
    static const char *const cases[][2] = {
        {"-plott", "-plot"},
        {"-iodepth", "-depth"},
        {"-cuont", "-count"},
        {"-verison", "-version"},
        {"-quite", "-quiet"},
        {"-threads8", "-threads"},
        {"--counts=9", "-count"},
        {"-sise=4k", "-size"},
        {"-helpp", "-help"},
        {"-percentage", "-percentiles"},
        {"-rapids", "-rapid"},
        {"-sloo=p99=1ms", "-slo"},
        {"-jsn", "-json"},
        {"--plt", "-plot"},
        /* Of two that are as near, the one with the same first letter. */
        {"-seep", "-sweep"},
        {"-heep", "-help"},
        {"-aync", "-async"},
        {"-lvie", "-live"},
        {"-daignose", "-diagnose"},
        {"--quite", "-quiet"},
        {"-compair", "-compare"},
        {"-print-cout", "-print-count"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        char line[64], message[128];
        snprintf(line, sizeof(line), "-q %s 5 .", cases[i][0]);
        snprintf(message, sizeof(message),
                 "ioping: unrecognized option '%s'; did you mean %s?\n", cases[i][0],
                 cases[i][1]);
        check_refused(line, message);
    }
    check_refused("-latency .", "ioping: unrecognized option '-latency'\n");
    check_refused("-white .", "ioping: unrecognized option '-white'\n");
    check_refused("-apend .", "ioping: unrecognized option '-apend'\n");
    /* As getopt_long_only takes them. */
    accepted("-vfoo .");
    accepted("-qRLB .");
    accepted("-Iodepth .");
    accepted("-kqBDc10 .");
}

/* One letter too few, too many, or exchanged with the next. Options that make requests
 * write are not suggested for a word that does not say so. */
TEST(each_long_option_is_suggested_for_a_misspelling)
{
    for (int i = 0; i < OPTION_IDS; i++) {
        const char *name = cli_options[i].name;
        char words[3][40], message[256];
        size_t half = strlen(name) / 2;
        if (strlen(name) < 4 || strstr(name, "writ") || strcmp(name, "append") == 0)
            continue;

        snprintf(words[0], sizeof(words[0]), "--%.*s%s", (int)half, name,
                 name + half + 1);
        snprintf(words[1], sizeof(words[1]), "--%.*sx%s", (int)half, name, name + half);
        snprintf(words[2], sizeof(words[2]), "--%.*s%c%c%s", (int)half - 1, name,
                 name[half], name[half - 1], name + half + 1);
        for (size_t k = 0; k < LENGTH(words); k++) {
            if (strcmp(words[k] + 2, name) == 0)
                continue;
            snprintf(message, sizeof(message),
                     "ioping: unrecognized option '%s'; did you mean -%s?\n", words[k],
                     name);
            check_refused(words[k], message);
        }
    }
}

TEST(words_of_other_tools_are_understood)
{
    static const char *const cases[][2] = {
        {"-bs 4k", "'-bs'; did you mean -size?"},
        {"--block-size=4k", "'--block-size=4k'; did you mean -size?"},
        {"-blocksize 4k", "'-blocksize'; did you mean -size?"},
        {"-iodepth 8", "'-iodepth'; did you mean -depth?"},
        {"-queue-depth 8", "'-queue-depth'; did you mean -depth?"},
        {"-numjobs 8", "'-numjobs'; did you mean -threads?"},
        {"--jobs=8", "'--jobs=8'; did you mean -threads?"},
        {"-runtime 3", "'-runtime'; did you mean -work-time?"},
        {"-duration 3", "'-duration'; did you mean -work-time?"},
        {"-time-limit 3", "'-time-limit'; did you mean -work-time?"},
        {"-seq", "'-seq'; did you mean -linear?"},
        {"-sequential", "'-sequential'; did you mean -linear?"},
        {"-crit p99=1ms", "'-crit'; did you mean -slo?"},
        {"-critical p99=1ms", "'-critical'; did you mean -slo?"},
        {"-limit p99=1ms", "'-limit'; did you mean -slo?"},
        {"-fail-if p99=1ms", "'-fail-if'; did you mean -slo?"},
        {"-warning p99=1ms", "'-warning'; did you mean -warn?"},
        {"-coordinated-omission", "'-coordinated-omission'; did you mean -corrected?"},
        {"-stuck 1s", "'-stuck'; did you mean -hang?"},
        {"-flood", "'-flood'; did you mean -rapid?"},
        {"-chart x.svg", "'-chart'; did you mean -plot?"},
        {"-graph x.svg", "'-graph'; did you mean -plot?"},
        {"-svg x.svg", "'-svg'; did you mean -plot?"},
        {"-export-json x", "'-export-json'; did you mean -json?"},
        {"-ioengine io_uring", "'-ioengine'; did you mean -uring?"},
        {"--ioengine=libaio", "'--ioengine=libaio'; did you mean -async?"},
        {"-ioengine", "'-ioengine'; did you mean -uring or -async?"},
        {"-rw randread", "'-rw'; random reads need no option"},
        {"--rw=randwrite", "'--rw=randwrite'; did you mean -write?"},
        {"-rw rw", "'-rw'; did you mean -read-write -linear?"},
        {"-rw", "'-rw'; random reads need no option; -linear makes them sequential"},
        {"-randread", "'-randread'; random reads need no option"},
        {"-iops", "'-iops'"},
        {"-write-out p99", "'-write-out'; did you mean -print?"},
        {"-export-csv x", "'-export-csv'; did you mean -csv?"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        char line[64], message[160];
        snprintf(line, sizeof(line), "%s .", cases[i][0]);
        snprintf(message, sizeof(message), "ioping: unrecognized option %s\n",
                 cases[i][1]);
        check_refused(line, message);
    }
}

/* ioping 1.3 took -print for an ambiguous abbreviation, and named these options. */
TEST(a_number_to_print_is_refused_with_the_options_that_take_one)
{
    static const char *const values[] = {"1", "99", "5s", "0.5"};
    for (size_t i = 0; i < LENGTH(values); i++) {
        char line[64], message[160];
        snprintf(line, sizeof(line), "-print %s .", values[i]);
        snprintf(message, sizeof(message),
                 "ioping: -print '%s': expected figures such as p99,iops; -print-count "
                 "and -print-interval take numbers\n",
                 values[i]);
        check_refused(line, message);
    }
}

/* Its only completion is -read-write, which writes. */
TEST(read_alone_is_refused)
{
    static const char advice[] = "; ioping only reads unless -write or -read-write is "
                                 "given\n";
    static const char *const words[] = {"-read", "--read", "-read=1"};
    for (size_t i = 0; i < LENGTH(words); i++) {
        char line[64], message[160];
        snprintf(line, sizeof(line), "%s .", words[i]);
        snprintf(message, sizeof(message), "ioping: unrecognized option '%s'%s", words[i],
                 advice);
        check_refused(line, message);
    }
    assert_int_equal(accepted("-read-w .").given[OPTION_READ_WRITE], 1);
}

TEST(a_missing_value_is_refused)
{
    check_refused(". -c", "ioping: option '-c' requires an argument; give -c <count>\n");
    check_refused(". -qc", "ioping: option '-c' requires an argument; give -c <count>\n");
    check_refused(". -count",
                  "ioping: option '-count' requires an argument; give -count <count>\n");
    check_refused(
        ". --work-t",
        "ioping: option '-work-time' requires an argument; give -work-time <time>\n");
}

TEST(a_value_where_none_belongs_is_refused)
{
    check_refused("--quiet=3 .",
                  "ioping: option '-quiet' doesn't allow an argument; leave out '=3'\n");
    check_refused("-dir= .",
                  "ioping: option '-direct' doesn't allow an argument; leave out '='\n");
    check_refused("-q3 .", "ioping: unrecognized option '-3'\n");
}

TEST(a_refused_value_is_named_with_its_option)
{
#define COUNT ": not a count such as 10, 5k or 1M\n"
#define SIZE ": not a size such as 4096, 4k or 1.5m\n"
#define TIME ": not a time such as 10ms, 0.5s or 2min\n"
#define ZERO ": must be more than 0\n"
#define SMALL ": too small: it would be rounded to 0\n"
#define RANGE ": out of range\n"
#define LARGE ": a request can have at most 2147479552 bytes\n"
    static const struct {
        const char *line, *message;
    } cases[] = {
        {"-c abc .", "ioping: -c 'abc'" COUNT},
        {"-c1x .", "ioping: -c '1x'" COUNT},
        {"-qc.x .", "ioping: -c '.x'" COUNT},
        {"--count=abc .", "ioping: -count 'abc'" COUNT},
        {"-co abc .", "ioping: -count 'abc'" COUNT},
        {"-count= .", "ioping: -count ''" COUNT},
        {"-c -1 .", "ioping: -c '-1'" COUNT},
        {"-c nan .", "ioping: -c 'nan'" COUNT},
        {"-c 1e3 .", "ioping: -c '1e3'" COUNT},
        {"-c 10x .", "ioping: -c '10x'" COUNT},
        {"-c 1/0 .", "ioping: -c '1/0': division by zero\n"},
        {"-c 0.5 .", "ioping: -c '0.5'" SMALL},
        {"-c 10E .", "ioping: -c '10E'" RANGE},
        {"-c 9223372036854775808 .", "ioping: -c '9223372036854775808'" RANGE},
        {"-c \x1b[2J .", "ioping: -c '\\033[2J'" COUNT},
        {"-a k .", "ioping: -a 'k'" COUNT},
        {"-b x .", "ioping: -b 'x'" COUNT},
        {"-e seed .", "ioping: -e 'seed'" COUNT},
        {"-p 0.1 .", "ioping: -p '0.1'" SMALL},
        {"-r 0 .", "ioping: -r '0'" ZERO},
        {"-r inf .", "ioping: -r 'inf'" COUNT},
        {"-l 0 .", "ioping: -l '0'" ZERO},
        {"-l 0.5 .", "ioping: -l '0.5'" SMALL},
        {"-l 1s .", "ioping: -l '1s'" SIZE},
        {"-s 0 .", "ioping: -s '0'" ZERO},
        {"-s 0k .", "ioping: -s '0k'" ZERO},
        {"-s 0x10 .", "ioping: -s '0x10'" SIZE},
        {"-s 2147479553 .", "ioping: -s '2147479553'" LARGE},
        {"-s 2g .", "ioping: -s '2g'" LARGE},
        {"-s 8e .", "ioping: -s '8e'" RANGE},
        {"-S big .", "ioping: -S 'big'" SIZE},
        {"-o -4k .", "ioping: -o '-4k'" SIZE},
        {"-i abc .", "ioping: -i 'abc'" TIME},
        {"-i 1k .", "ioping: -i '1k'" TIME},
        {"-t 0.5ns .", "ioping: -t '0.5ns'" SMALL},
        {"-T +1 .", "ioping: -T '+1'" TIME},
        {"-w 1/2/4 .", "ioping: -w '1/2/4'" TIME},
        {"-P 9223372037 .", "ioping: -P '9223372037'" RANGE},
        {"-threads 0 .", "ioping: -threads '0'" ZERO},
        {"-threads 0.5 .", "ioping: -threads '0.5'" SMALL},
        {"-threads 1025 .", "ioping: -threads '1025': must be at most 1024\n"},
        {"-threads -1 .", "ioping: -threads '-1'" COUNT},
        {"-threads= .", "ioping: -threads ''" COUNT},
        {"-depth 0 .", "ioping: -depth '0'" ZERO},
        {"-depth 4097 .", "ioping: -depth '4097': must be at most 4096\n"},
        {"-depth 1e3 .", "ioping: -depth '1e3'" COUNT},
        {"-sw cpus .", "ioping: -sweep 'cpus': unknown sweep; use size, threads, depth, "
                       "interval or rate\n"},
        {"-sweep depth=2..1 .",
         "ioping: -sweep 'depth=2..1': the end is smaller than the start\n"},
        {"-plot x.PNG .", "ioping: -plot 'x.PNG': a plot is an SVG file; give it a name "
                          "that ends in .svg\n"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++)
        check_refused(cases[i].line, cases[i].message);
}

TEST(the_largest_values_are_accepted)
{
    assert_int_equal(accepted("-s 2147479552 .").size, 2147479552);
    assert_true(accepted("-c 9223372036854775807 .").count == INT64_MAX);
    assert_true(accepted("-c 9E .").count == 9000000000000000000);
    assert_true(accepted("-S 9223372036854775807 .").work_size == INT64_MAX);
    assert_int_equal(accepted("-threads 1024 .").threads, 1024);
    assert_int_equal(accepted("-depth 4096 .").depth, 4096);
}

TEST(a_time_format_is_attached_or_absent)
{
    static const struct {
        const char *line, *format;
    } cases[] = {
        {"-I .", "%b %d %T"},    {"-I%T .", "%T"},     {"-qI%T .", "%T"},
        {"-time .", "%b %d %T"}, {"-time=%T .", "%T"}, {"--time=%s .", "%s"},
        {"-ti=%s .", "%s"},      {"-I%T -I .", "%T"},  {"-I=%T .", "=%T"},
        {"-time= .", ""},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct options options = accepted(cases[i].line);
        assert_string_equal(options.time_format, cases[i].format);
        assert_string_equal(options.targets[0], ".");
        assert_true(options.given[OPTION_TIME] > 0);
    }
    assert_string_equal(accepted("-I %T").targets[0], "%T");
}

TEST(two_dashes_end_the_options)
{
    assert_string_equal(accepted("-- -q").targets[0], "-q");
    assert_int_equal(accepted("-- -q").given[OPTION_QUIET], 0);
    assert_string_equal(accepted("-q -- --").targets[0], "--");
    assert_string_equal(accepted("-p 1 . --").targets[0], ".");
}

TEST(a_lone_dash_is_a_target)
{
    assert_string_equal(accepted("-q - -C").targets[0], "-");
}

TEST(targets_stay_in_their_order)
{
    struct options options = accepted("b -q a -- -c b");
    static const char *const expected[] = {"b", "a", "-c", "b"};
    assert_int_equal(options.target_count, LENGTH(expected));
    for (size_t i = 0; i < LENGTH(expected); i++)
        assert_string_equal(options.targets[i], expected[i]);
}

TEST(there_are_at_most_64_targets)
{
    char *argv[67] = {"ioping"};
    static struct options options;
    struct error error;
    for (int i = 1; i < 66; i++)
        argv[i] = "a";
    assert_int_equal(cli_parse(65, argv, &options, &error), 0);
    assert_int_equal(options.target_count, 64);
    assert_int_equal(cli_parse(66, argv, &options, &error), -1);
    assert_string_equal(error.why, "there can be at most 64 targets");
    assert_int_equal(error.status, EXIT_USAGE);
}

TEST(there_is_at_least_one_target)
{
    check_refused("-q -c 1", "ioping: no destination specified; name a directory, file "
                             "or device, as in: ioping .\n");
    check_refused("--", "ioping: no destination specified; name a directory, file or "
                        "device, as in: ioping .\n");
}

TEST(help_and_version_end_the_parsing)
{
    static const struct {
        const char *line;
        enum option_id id;
    } cases[] = {
        {"-h", OPTION_HELP},           {"-v", OPTION_VERSION},
        {"-help", OPTION_HELP},        {"--version", OPTION_VERSION},
        {"-V", OPTION_VERSION},        {"-qV", OPTION_VERSION},
        {"-hz", OPTION_HELP},          {"-qhc", OPTION_HELP},
        {"-v -c abc", OPTION_VERSION}, {"-c 1 . -h --zebra", OPTION_HELP},
        {"-h a b", OPTION_HELP},       {"--vers -h", OPTION_VERSION},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct options options = accepted(cases[i].line);
        assert_int_equal(options.given[OPTION_HELP], cases[i].id == OPTION_HELP);
        assert_int_equal(options.given[OPTION_VERSION], cases[i].id == OPTION_VERSION);
    }
    check_refused("-c abc -h", "ioping: -c 'abc'" COUNT);
    check_refused("--help=all",
                  "ioping: option '-help' doesn't allow an argument; leave out '=all'\n");
    check_refused("-z -h", "ioping: unrecognized option '-z'\n");
}

TEST(all_behind_help_asks_for_all_options)
{
    static const struct {
        const char *line;
        bool all;
    } cases[] = {
        {"-h all", true},  {"-help all", true},     {"--he all", true},
        {"-h", false},     {"-c 1 d -h all", true}, {"-h ALL", false},
        {"-h al", false},  {"-h -q all", false},    {"-h slo", false},
        {"-v all", false}, {"-q all", false},
    };
    for (size_t i = 0; i < LENGTH(cases); i++)
        if (accepted(cases[i].line).help_all != cases[i].all)
            fail_msg("%s: not %d", cases[i].line, cases[i].all);
}

TEST(a_long_option_is_seen_on_a_line_that_is_wrong)
{
    static const struct {
        const char *words[4];
        bool there;
    } cases[] = {
        {{"-check"}, true},
        {{"-nonsense", "a", "--check"}, true},
        {{"-c", "abc", "-che"}, true},
        {{"-c", "check", "a", "---check"}, false},
        {{"--", "-check"}, false},
        {{"-c", "-", "", "--"}, false},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        char *argv[5] = {(char[]){"ioping"}};
        int argc = 1;
        for (; argc < 5 && cases[i].words[argc - 1]; argc++)
            argv[argc] = (char *)(uintptr_t)cases[i].words[argc - 1];
        if (cli_has(argc, argv, OPTION_CHECK) != cases[i].there)
            fail_msg("ioping %s ...", cases[i].words[0]);
    }
}
