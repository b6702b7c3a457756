/*
 * The option table, at the end of the file: one row for each option. The parser, -h, the
 * plan, the shell completions and the test of the man page take all that they know about
 * an option from its row.
 *
 * The functions before the table are the setters. The row of an option names its setter.
 * The setter converts the value of the option, checks the value by itself, and stores it
 * in struct options. plan_make (plan/plan.h) checks how options fit together.
 */
#include "base/deadlines.h"
#include "cli/cli.h"
#include "spelling.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

void
options_init(struct options *options)
{
    *options = (struct options){
        .time_format = "%b %d %T",
        .warmup = 1,
        .interval = SECOND,
        .hang = DEADLINE_HANG,
        .timeout = INT64_MAX,
        .max_time = INT64_MAX,
        .size = 4096,
        .percentiles = percentiles_default,
        .buckets = buckets_default,
    };
}

/* Returns the field of OPTIONS in which the setter of OPTION stores the value. */
static void *
find_value_field(const struct cli_option *option, struct options *options)
{
    return (char *)options + option->offset;
}

/* Returns NULL if OPTION allows the value NUMBER, or the reason to refuse NUMBER. */
static const char *
check_number(const struct cli_option *option, int64_t number)
{
    if (number < option->min_value)
        return "must be more than 0";
    if (number > option->max_value)
        return option->too_large;
    return NULL;
}

/*
 * Stores in NUMBER the number that TEXT means as a value of OPTION. Returns NULL, or the
 * reason to refuse TEXT; NUMBER is unchanged then.
 */
static const char *
parse_number(const struct cli_option *option, const char *text, int64_t *number)
{
    int64_t value;
    const char *wrong = units_parse(option->units, text, &value);
    if (!wrong)
        wrong = check_number(option, value);
    if (!wrong)
        *number = value;

    return wrong;
}

static const char *
set_number(const struct cli_option *option, struct options *options, const char *value)
{
    return parse_number(option, value, find_value_field(option, options));
}

/* VALUE is NULL if -time is given without a format; the default format is used then. */
static const char *
set_text(const struct cli_option *option, struct options *options, const char *value)
{
    if (option->is_path && !*value)
        return "the name of the file is empty";
    if (value)
        *(const char **)find_value_field(option, options) = value;
    return NULL;
}

/* Endings of picture files other than SVG. The file of a plot must not have such an
 * ending, because viewers take the format of a file from its ending. */
static const char *const other_pictures[] = {".png",  ".jpg", ".jpeg", ".gif", ".pdf",
                                             ".webp", ".bmp", ".tif",  ".tiff"};

static const char *
set_plot(const struct cli_option *option, struct options *options, const char *value)
{
    const char *ending = strrchr(value, '.');
    for (size_t i = 0; i < sizeof(other_pictures) / sizeof(other_pictures[0]); i++)
        if (ending && strcasecmp(ending, other_pictures[i]) == 0)
            return "a plot is an SVG file; give it a name that ends in .svg";

    return set_text(option, options, value);
}

static const char *
set_percentiles(const struct cli_option *option, struct options *options,
                const char *value)
{
    (void)option;
    return percentiles_parse(value, &options->percentiles);
}

/* Returns WRONG, the reason why a list of figures was refused for SLOS; NULL if it was
 * not. If a name is unknown, but similar to one of the names that LIST_NAMES adds,
 * returns a reason that suggests the similar name. */
static const char *
advise_figure(struct slos *slos, const char *wrong,
              void (*list_names)(struct buffer *names))
{
    char advice[64];
    struct buffer names = {0};
    if (!wrong || !slos->unknown_name[0])
        return wrong;

    list_names(&names);
    if (!names.failed &&
        spelling_suggest_figure(slos->unknown_name, names.text, advice, sizeof(advice))) {
        snprintf(slos->refused, sizeof(slos->refused), "unknown figure '%s'; %s",
                 slos->unknown_name, advice);
        wrong = slos->refused;
    }
    buffer_free(&names);

    return wrong;
}

static const char *
add_limit(const struct cli_option *option, struct options *options, const char *value)
{
    struct slos *slos = find_value_field(option, options);
    return advise_figure(slos, slos_add(slos, value), slos_list);
}

static const char *
set_figures(const struct cli_option *option, struct options *options, const char *value)
{
    (void)option;
    struct slos *figures = &options->figures;
    if (is_digit(*value))
        return "expected figures such as p99,iops; -print-count and -print-interval take "
               "numbers";

    return advise_figure(figures, slos_parse_figures(figures, value), slos_list_figures);
}

static const char *
set_buckets(const struct cli_option *option, struct options *options, const char *value)
{
    (void)option;
    return buckets_parse(value, &options->buckets);
}

static const char *const colors[] = {
    [COLOR_AUTO] = "auto", [COLOR_ALWAYS] = "always", [COLOR_NEVER] = "never"};

static const char *
set_color(const struct cli_option *option, struct options *options, const char *value)
{
    (void)option;
    int i = COLOR_AUTO;
    while (i <= COLOR_NEVER && strcmp(value, colors[i]) != 0)
        i++;
    if (i > COLOR_NEVER)
        return "must be always, never or auto";

    options->color = (enum color)i;
    return NULL;
}

static const char *
set_no_color(const struct cli_option *option, struct options *options, const char *value)
{
    (void)option, (void)value;
    options->color = COLOR_NEVER;
    return NULL;
}

static void
list_colors(struct buffer *text)
{
    for (int i = COLOR_AUTO; i <= COLOR_NEVER; i++)
        buffer_format(text, "%s\n", colors[i]);
}

const struct sweep_words sweep_kinds[] = {
    [SWEEP_SIZE] = {"size", "size", "largest size"},
    [SWEEP_THREADS] = {"threads", "number of threads", "highest number of threads"},
    [SWEEP_DEPTH] = {"depth", "depth", "highest depth"},
    [SWEEP_INTERVAL] = {"interval", "interval", "longest interval"},
    [SWEEP_RATE] = {"rate", "rate", "highest rate"}};

/* By kind of sweep: the option that sets the same value in a plain run, such as -size for
 * -sweep size. The row of that option has the unit and the limits of the value. */
static const enum option_id sweep_options[] = {[SWEEP_SIZE] = OPTION_SIZE,
                                               [SWEEP_THREADS] = OPTION_THREADS,
                                               [SWEEP_DEPTH] = OPTION_DEPTH,
                                               [SWEEP_INTERVAL] = OPTION_INTERVAL,
                                               [SWEEP_RATE] = OPTION_RATE_LIMIT};

char *
sweep_format(enum sweep_kind kind, int64_t value, char *text)
{
    if (kind != SWEEP_THREADS && kind != SWEEP_DEPTH)
        return units_format(cli_option(sweep_options[kind])->units, value, text);

    snprintf(text, UNITS_TEXT, "%lld", (long long)value);
    return text;
}

int64_t
sweep_next(int64_t value, int64_t to)
{
    if (value >= to)
        return 0;
    return value > to / 2 ? to : value * 2;
}

/*
 * Reads TEXT, a range such as "4k..1m", into the ends of SWEEP. The row OPTION has the
 * unit and the limits of the values. Returns NULL, or the reason to refuse TEXT.
 */
static const char *
parse_range(const struct cli_option *option, const char *text, struct sweep *sweep)
{
    static const char *const examples[] = {
        [UNITS_COUNT] = "expected FROM..TO, such as 1..64",
        [UNITS_SIZE] = "expected FROM..TO, such as 4k..1m",
        [UNITS_TIME] = "expected FROM..TO, such as 1ms..1s"};
    const char *dots = strstr(text, "..");
    if (!dots || dots[2] == '.')
        return examples[option->units];

    char from[32];
    size_t length = (size_t)(dots - text);
    if (length >= sizeof(from))
        return "not a number";
    memcpy(from, text, length);
    from[length] = '\0';

    const char *wrong = units_parse(option->units, from, &sweep->from);
    if (!wrong)
        wrong = units_parse(option->units, dots + 2, &sweep->to);
    if (wrong)
        return wrong;

    if (sweep->from < 1)
        return "must be more than 0";
    if (sweep->to < sweep->from)
        return "the end is smaller than the start";
    if (sweep->kind == SWEEP_RATE && sweep->to > RATE_MAX)
        return "must be at most 10 M";

    return check_number(option, sweep->to);
}

/* VALUE is the name of a kind of sweep, perhaps with a range: "size", "size=4k..1m". */
static const char *
set_sweep(const struct cli_option *option, struct options *options, const char *value)
{
    (void)option;
    for (int kind = SWEEP_SIZE; kind <= SWEEP_LAST; kind++) {
        size_t length = strlen(sweep_kinds[kind].name);
        if (strncmp(value, sweep_kinds[kind].name, length) != 0)
            continue;

        options->sweep = (struct sweep){.kind = (enum sweep_kind)kind};
        if (value[length] == '\0')
            return NULL;
        if (value[length] == '=')
            return parse_range(cli_option(sweep_options[kind]), value + length + 1,
                               &options->sweep);
    }
    return "unknown sweep; use size, threads, depth, interval or rate";
}

/* The words of -load that have a number. */
static const struct {
    const char *name;
    enum option_id option; /* the number has the unit and the limits of this option */
    size_t offset;         /* where to store it: offset in struct background_options */
} load_numbers[] = {
    {"size=", OPTION_SIZE, offsetof(struct background_options, size)},
    {"depth=", OPTION_DEPTH, offsetof(struct background_options, depth)},
    {"threads=", OPTION_THREADS, offsetof(struct background_options, threads)},
    {"rate=", OPTION_RATE_LIMIT, offsetof(struct background_options, rate)},
    {"speed=", OPTION_SPEED_LIMIT, offsetof(struct background_options, speed)},
};

/*
 * Stores WORD, a word of -load that is neither the first nor path=, in BACKGROUND.
 * Returns NULL, or the reason to refuse WORD.
 */
static const char *
store_load_word(const char *word, struct background_options *background)
{
    bool linear = strcmp(word, "linear") == 0;
    bool random = strcmp(word, "random") == 0;
    if (linear || random) {
        if (background->linear || background->random)
            return "random or linear is given already";
        background->linear = linear;
        background->random = random;
        return NULL;
    }

    for (size_t i = 0; i < sizeof(load_numbers) / sizeof(load_numbers[0]); i++) {
        int64_t *number =
            (int64_t *)(void *)((char *)background + load_numbers[i].offset);
        size_t length = strlen(load_numbers[i].name);
        if (strncmp(word, load_numbers[i].name, length) != 0)
            continue;

        if (*number)
            return "given twice";

        const char *wrong =
            parse_number(cli_option(load_numbers[i].option), word + length, number);
        if (!wrong && background->rate && background->speed)
            wrong = "rate= and speed= cannot be combined";
        return wrong;
    }

    return "unknown word; use size=, depth=, threads=, rate=, speed=, random, linear or "
           "path=";
}

/*
 * Writes into TEXT, a buffer of SIZE bytes, the reason to refuse a value of -load whose
 * first word is unknown. The reason lists the words that name operations. Returns TEXT.
 */
static const char *
explain_first_word(char *text, size_t size)
{
    struct operation_mix mix;
    struct operation_mix next;
    size_t length = (size_t)snprintf(text, size, "the first word must be ");

    for (int i = 0; operation_mix_at(i, &mix); i++) {
        bool is_last = !operation_mix_at(i + 1, &next);
        const char *joint = is_last ? " or " : ", ";
        if (i == 0)
            joint = "";
        if (length < size)
            length += (size_t)snprintf(text + length, size - length, "%s%s", joint,
                                       operation_mix_word(&mix));
    }

    return text;
}

#define LOAD_WORD 64 /* size of a buffer for a word of -load, except path= */

/*
 * Copies the word at the start of TEXT, up to a comma or the end, into WORD, a buffer of
 * LOAD_WORD bytes. A word that is too long is cut. Returns NULL, or the reason to refuse
 * the word.
 */
static const char *
copy_load_word(const char *text, char *word)
{
    size_t length = strcspn(text, ",");
    snprintf(word, LOAD_WORD, "%.*s", (int)length, text);
    return length < LOAD_WORD ? NULL : "the word is too long";
}

const char *
background_parse(const char *text, struct background_options *background)
{
    char word[LOAD_WORD];
    char reason[96];
    *background = (struct background_options){0};

    const char *wrong = copy_load_word(text, word);
    if (!wrong && !operation_mix_find(word, &background->mix))
        wrong = explain_first_word(reason, sizeof(reason));

    const char *comma = strchr(text, ',');
    while (!wrong && comma) {
        const char *rest = comma + 1;
        wrong = copy_load_word(rest, word);
        if (strncmp(rest, "path=", 5) == 0) {
            background->path = rest + 5;
            wrong = *background->path ? NULL : "the path is empty";
            break;
        }
        if (!wrong)
            wrong = store_load_word(word, background);
        comma = strchr(rest, ',');
    }

    if (!wrong)
        return NULL;
    snprintf(background->refusal, sizeof(background->refusal), "%s: %s",
             *word ? word : "''", wrong);
    return background->refusal;
}

static void
list_operations(struct buffer *text)
{
    struct operation_mix mix;
    for (int i = 0; operation_mix_at(i, &mix); i++)
        buffer_format(text, "%s\n", operation_mix_word(&mix));
}

static const char *
set_load(const struct cli_option *option, struct options *options, const char *value)
{
    (void)option;
    return background_parse(value, &options->background);
}

static void
list_sweeps(struct buffer *text)
{
    for (int kind = SWEEP_SIZE; kind <= SWEEP_LAST; kind++)
        buffer_format(text, "%s\n", sweep_kinds[kind].name);
}

/* The headings of the groups in -h all. */
static const char requests[] = "requests";
static const char device[] = "way to the device";
static const char concurrency[] = "at the same time";
static const char pace[] = "pace and end";
static const char statistics[] = "statistics";
static const char output[] = "output";

/* The sets of modes that most rows have in their column `modes`. */
#define EVERYWHERE MODE_ANY
#define UNDIAGNOSED (EVERYWHERE & ~MODE_DIAGNOSE)
/* All modes that send requests, and in which the options say which requests. -diagnose
 * chooses most of them itself. */
#define MEASURED (UNDIAGNOSED & ~MODE_COMPARE)
#define UNSWEPT (MEASURED & ~MODE_SWEEP) /* MEASURED without the sweeps */

/* clang-format off */
/*
 * Each of the macros FLAG to PATH fills the columns of a row that describe the value of
 * the option. FIELD is the field of struct options that stores the value. FLAG is for an
 * option without a value.
 */
#define FLAG CLI_NONE
/* The value is a number from SMALLEST to LARGEST. KIND is its enum units_kind. WORD is
 * the placeholder for the value in -h. COUNT, SIZE and TIME are VALUE with KIND and WORD
 * filled in; TIME allows any time from 0 on. */
#define VALUE(kind, word, field, smallest, largest) CLI_REQUIRED, word, \
    .set = set_number, .offset = offsetof(struct options, field), .units = (kind), \
    .min_value = (smallest), .max_value = (largest)
#define COUNT(field, smallest, largest) \
    VALUE(UNITS_COUNT, "count", field, smallest, largest)
#define SIZE(field, smallest, largest) VALUE(UNITS_SIZE, "size", field, smallest, largest)
#define TIME(field) VALUE(UNITS_TIME, "time", field, 0, INT64_MAX)
/* The value is a limit as -slo takes it. The option may be given several times. */
#define LIMIT(field) CLI_REQUIRED, "limit", .set = add_limit, .accumulates = true, \
    .offset = offsetof(struct options, field), .not_in_1_3 = true, .list_values = slos_list
/* The value is the path of a file. */
#define PATH(field) CLI_REQUIRED, "file", .set = set_text, .is_path = true, \
    .offset = offsetof(struct options, field), .not_in_1_3 = true

const struct cli_option cli_options[] = {
    {OPTION_SIZE, 's', "size", requests, (MEASURED & ~MODE_SIZES) | MODE_DIAGNOSE,
     SIZE(size, 1, REQUEST_MAX),
     .too_large = "a request can have at most 2147479552 bytes",
     .synonyms = "bs block-size blocksize",
     .help = "request size (4k; 256k with -L)"},
    {OPTION_WORK_SIZE, 'S', "work-size", requests, MEASURED | MODE_DIAGNOSE,
     SIZE(work_size, 0, INT64_MAX),
     .help = "working set (1m in a directory, else all of it)"},
    {OPTION_WORK_OFFSET, 'o', "work-offset", requests, MEASURED | MODE_DIAGNOSE,
     SIZE(work_offset, 0, INT64_MAX),
     .help = "where the working set starts (0)"},
    {OPTION_LINEAR, 'L', "linear", requests, MEASURED, FLAG,
     .synonyms = "seq sequential",
     .help = "sequential offsets instead of random ones"},
    {OPTION_WRITE, 'W', "write", requests, MEASURED, FLAG, .accumulates = true,
     .workload = "write", .help = "write; -WWW DESTROYS data of a file or device"},
    {OPTION_READ_WRITE, 'G', "read-write", requests, MEASURED,
     FLAG, .accumulates = true, .workload = "rw",
     .help = "write and read in turn; destroys like -W"},
    {OPTION_ENTROPY, 'e', "entropy", requests, MEASURED | MODE_DIAGNOSE,
     VALUE(UNITS_COUNT, "seed", entropy, 0, INT64_MAX),
     .help = "seed of offsets and data (0: from the clock)"},
    {OPTION_KEEP, 'k', "keep", requests, MEASURED & ~MODE_PHASES, FLAG,
     .help = "keep and reuse the working file ioping.tmp"},
    {OPTION_APPEND, 0, "append", requests,
     MEASURED & ~(MODE_THREADS | MODE_DEPTHS | MODE_RATES), FLAG, .not_in_1_3 = true,
     .help = "with -W: write a log, each at the end of its file"},

    {OPTION_DIRECT, 'D', "direct", device, MEASURED | MODE_DIAGNOSE, FLAG,
     .help = "direct I/O only: fail where it is not possible"},
    {OPTION_CACHED, 'C', "cached", device, MEASURED, FLAG,
     .help = "use the page cache: nothing dropped or flushed"},
    {OPTION_SYNC, 'Y', "sync", device, MEASURED, FLAG, .help = "open with O_SYNC"},
    {OPTION_DSYNC, 'y', "dsync", device, MEASURED, FLAG, .help = "open with O_DSYNC"},
    {OPTION_NOWAIT, 'N', "nowait", device, MEASURED, FLAG,
     .help = "fail rather than wait: RWF_NOWAIT"},
    {OPTION_HIPRI, 'H', "hipri", device, MEASURED, FLAG,
     .help = "high priority: RWF_HIPRI, polled completion"},

    {OPTION_THREADS, 0, "threads", concurrency, MEASURED & ~MODE_THREADS,
     COUNT(threads, 1, THREADS_MAX), .not_in_1_3 = true, .too_large = "must be at most 1024",
     .synonyms = "numjobs jobs",
     .help = "workers side by side (1)"},
    {OPTION_DEPTH, 0, "depth", concurrency,
     MEASURED & ~(MODE_DEPTHS | MODE_INTERVALS), COUNT(depth, 1, DEPTH_MAX),
     .not_in_1_3 = true, .too_large = "must be at most 4096",
     .synonyms = "iodepth queue-depth qd",
     .help = "requests in flight per worker (1)"},
    {OPTION_ASYNC, 'A', "async", concurrency, MEASURED, FLAG, .engine = "POSIX AIO",
     .help = "the system's asynchronous I/O, as Linux AIO"},
    {OPTION_URING, 'U', "uring", concurrency, MEASURED,
     FLAG, .engine = "io_uring", .help = "io_uring"},
    {OPTION_SWEEP, 0, "sweep", concurrency, MEASURED & ~(MODE_PHASES | MODE_CHECK),
     CLI_REQUIRED, "what", .set = set_sweep, .not_in_1_3 = true, .list_values = list_sweeps,
     .help = "rising size, threads, depth, interval or rate"},
    /* -poisson works only with -sweep rate. This row accepts all sweeps, so that the
     * other sweeps are refused by plan/checks.c, whose message names -sweep rate. */
    {OPTION_POISSON, 0, "poisson", concurrency, MODE_SWEEP, FLAG, .not_in_1_3 = true,
     .help = "requests of -sweep rate are due at random"},
    {OPTION_LOAD, 0, "load", concurrency, MEASURED & ~(MODE_SWEEP | MODE_CHECK),
     CLI_REQUIRED, "what", .set = set_load, .not_in_1_3 = true, .list_values = list_operations,
     .synonyms = "background",
     .help = "latency idle and beside a load: write,depth=8"},

    {OPTION_COUNT, 'c', "count", pace, UNSWEPT, COUNT(count, 0, INT64_MAX),
     .help = "stop after <count> requests (0: never)"},
    {OPTION_INTERVAL, 'i', "interval", pace,
     UNSWEPT | MODE_SIZES | MODE_THREADS | MODE_DEPTHS, TIME(interval),
     .help = "time from one request to the next (1s)"},
    {OPTION_WORK_TIME, 'w', "work-time", pace, MEASURED | MODE_DIAGNOSE, TIME(work_time),
     .synonyms = "runtime duration time-limit deadline",
     .help = "stop after <time> (0: never; 3s with -R)"},
    {OPTION_BURST, 'b', "burst", pace, UNSWEPT, COUNT(burst, 0, INT64_MAX),
     .help = "<count> requests without delay, then wait (0)"},
    {OPTION_SPEED_LIMIT, 'l', "speed-limit", pace, UNSWEPT,
     SIZE(speed_limit, 1, INT64_MAX), .help = "at most <size> per second"},
    {OPTION_RATE_LIMIT, 'r', "rate-limit", pace, UNSWEPT, COUNT(rate_limit, 1, INT64_MAX),
     .help = "at most <count> requests per second"},
    {OPTION_RAPID, 'R', "rapid", pace, MEASURED & ~MODE_RATES, FLAG,
     .synonyms = "flood",
     .help = "back to back for 3 s, summary only"},
    {OPTION_IGNORE_ERROR, 'E', "ignore-error", pace, MEASURED | MODE_DIAGNOSE, FLAG, .not_in_1_3 = true,
     .help = "go on after a failed request"},
    {OPTION_AWAKE, 0, "awake", pace, MEASURED | MODE_DIAGNOSE, FLAG, .not_in_1_3 = true,
     .help = "keep processors from sleeping between requests"},
    {OPTION_HANG, 0, "hang", pace, MEASURED | MODE_DIAGNOSE, TIME(hang), .not_in_1_3 = true,
     .synonyms = "stuck",
     .help = "say when a request has no answer for <time> (5s)"},
    {OPTION_TIMEOUT, 0, "timeout", pace, MEASURED | MODE_DIAGNOSE,
     VALUE(UNITS_TIME, "time", timeout, 1, INT64_MAX), .not_in_1_3 = true,
     .help = "end when a request has no answer for <time>"},

    {OPTION_WARMUP, 'a', "warmup", statistics, MEASURED, COUNT(warmup, 0, INT64_MAX),
     .help = "leave the first <count> out of statistics (1)"},
    {OPTION_MIN_TIME, 't', "min-time", statistics, MEASURED, TIME(min_time),
     .help = "leave faster requests out of statistics (0)"},
    {OPTION_MAX_TIME, 'T', "max-time", statistics, MEASURED, TIME(max_time),
     .help = "leave slower requests out of statistics"},
    {OPTION_PERCENTILES, 0, "percentiles", statistics, UNDIAGNOSED, CLI_REQUIRED, "list",
     .set = set_percentiles, .not_in_1_3 = true, .list_values = percentiles_list,
     .help = "percentiles to show (50,90,99,99.9), or none"},
    {OPTION_HISTOGRAM, 0, "histogram", statistics, UNDIAGNOSED & ~MODE_SWEEP,
     FLAG, .not_in_1_3 = true, .help = "draw the distribution as text"},
    {OPTION_CORRECTED, 0, "corrected", statistics, UNSWEPT, FLAG, .not_in_1_3 = true,
     .synonyms = "coordinated-omission",
     .help = "percentiles with the waits of missed requests"},
    {OPTION_BREAKDOWN, 0, "breakdown", statistics, MEASURED & ~MODE_RATES,
     FLAG, .not_in_1_3 = true, .help = "time in submit, stack, queue, device, return"},
    {OPTION_SLO, 0, "slo", statistics, EVERYWHERE, LIMIT(slos),
     .synonyms = "crit critical limit fail-if",
     .help = "exit 5 unless met: p99=10ms, iops=1k, bps=9m"},

    {OPTION_QUIET, 'q', "quiet", output, UNDIAGNOSED, FLAG,
     .synonyms = "summary silent",
     .help = "summary only; with -p or -P not even that"},
    {OPTION_BATCH, 'B', "batch", output, UNDIAGNOSED & ~MODE_CHECK, FLAG,
     .help = "only a line of numbers at the end"},
    {OPTION_JSON, 'J', "json", output,
     EVERYWHERE & ~MODE_CHECK, FLAG, .accumulates = true, .synonyms = "export-json",
     .help = "print JSON; -JJ: a record per line"},
    {OPTION_INFLUX, 0, "influx", output, MEASURED & ~MODE_CHECK, FLAG, .not_in_1_3 = true,
     .help = "InfluxDB line protocol, every -P or 1s"},
    {OPTION_CSV, 0, "csv", output, UNDIAGNOSED & ~MODE_CHECK, FLAG, .not_in_1_3 = true,
     .synonyms = "export-csv",
     .help = "print CSV: a row for the run, or for each -P"},
    {OPTION_PRINT, 0, "print", output, UNDIAGNOSED & ~(MODE_SWEEP | MODE_CHECK),
     CLI_REQUIRED, "list", .set = set_figures, .not_in_1_3 = true,
     .list_values = slos_list_figures, .synonyms = "write-out",
     .help = "print these numbers only: p99,max,iops,bps"},
    {OPTION_PRINT_COUNT, 'p', "print-count", output, UNSWEPT & ~MODE_CHECK,
     COUNT(print_count, 0, INT64_MAX),
     .help = "a line of numbers after <count> requests"},
    {OPTION_PRINT_INTERVAL, 'P', "print-interval", output,
     UNSWEPT, TIME(print_interval), .help = "a line of numbers every <time>"},
    {OPTION_TIME, 'I', "time", output, MEASURED, CLI_ATTACHED, "format", .set = set_text,
     .offset = offsetof(struct options, time_format),
     .help = "time stamp before each request (strftime)"},
    {OPTION_DIAGNOSE, 0, "diagnose", output, MODE_RUN | MODE_DIAGNOSE, FLAG,
     .not_in_1_3 = true, .synonyms = "diagnostics diagnosis doctor",
     .help = "say what the disk is and what is wrong with it"},
    {OPTION_CHECK, 0, "check", output, UNSWEPT & ~MODE_PHASES, FLAG, .not_in_1_3 = true,
     .synonyms = "nagios",
     .help = "a line and a status for Nagios, Icinga, Zabbix"},
    {OPTION_WARN, 0, "warn", output, MODE_CHECK, LIMIT(warnings),
     .synonyms = "warning",
     .help = "with -check: WARNING unless met, like -slo"},
    {OPTION_OUTPUT, 0, "output", output, EVERYWHERE & ~MODE_CHECK, PATH(output),
     .help = "print to <file>, and a report on the screen"},
    {OPTION_RECORD, 0, "record", output, UNSWEPT & ~MODE_CHECK, PATH(record),
     .help = "a line per request in <file>, for -compare"},
    {OPTION_PROMETHEUS, 0, "prometheus", output, UNSWEPT, PATH(prometheus),
     .help = "keep metrics in <file>, every -P or 15s"},
    {OPTION_BUCKETS, 0, "buckets", output, UNSWEPT,
     CLI_REQUIRED, "list", .set = set_buckets, .not_in_1_3 = true,
     .help = "bounds of its histogram: 500us,1ms,2ms,5ms"},
    {OPTION_HDR, 0, "hdr", output, MEASURED, PATH(hdr),
     .help = "log histograms in <file>, every -P or 1s"},
    {OPTION_PLOT, 0, "plot", output, EVERYWHERE, CLI_REQUIRED, "file",
     .set = set_plot, .is_path = true, .offset = offsetof(struct options, plot), .not_in_1_3 = true,
     .synonyms = "chart graph svg",
     .help = "draw latencies or the sweep as SVG (-: to stdout)"},
    {OPTION_EVERY, 0, "every", output, UNSWEPT,
     VALUE(UNITS_TIME, "time", export_interval, 1, INT64_MAX),
     .not_in_1_3 = true,
     .help = "write these files every <time> instead"},
    {OPTION_COMPARE, 0, "compare", output, UNDIAGNOSED, FLAG, .not_in_1_3 = true,
     .help = "compare files of -record, -hdr and -J"},
    {OPTION_COLOR, 0, "color", output, EVERYWHERE, CLI_REQUIRED, "when", .set = set_color,
     .not_in_1_3 = true, .list_values = list_colors,
     .help = "colour verdicts: always, never, auto (auto)"},
    {OPTION_NO_COLOR, 0, "no-color", output, EVERYWHERE, FLAG, .set = set_no_color,
     .not_in_1_3 = true, .help = "the same as -color never"},
    {OPTION_NO_STATUS, 0, "no-status", output, EVERYWHERE, FLAG, .not_in_1_3 = true,
     .help = "no status line while a quiet run goes on"},
    {OPTION_LIVE, 0, "live", output, UNSWEPT & ~MODE_CHECK, FLAG, .not_in_1_3 = true,
     .synonyms = "top",
     .help = "a screen of figures and a heat map while it runs"},
    {OPTION_HELP, 'h', "help", output, EVERYWHERE, FLAG, .argument = "all",
     .help = "print the most needed options, or all, and exit"},
    {OPTION_VERSION, 'v', "version", output, EVERYWHERE, FLAG, .second_letter = 'V',
     .help = "print the version and exit"},
};
/* clang-format on */

_Static_assert(sizeof(cli_options) / sizeof(cli_options[0]) == OPTION_IDS,
               "one row for each option");

const struct cli_option *
cli_option(enum option_id id)
{
    const struct cli_option *option = cli_options;
    while (option->id != id)
        option++;
    return option;
}
