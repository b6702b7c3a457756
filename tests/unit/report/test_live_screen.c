/* The text of the live screen, to the byte. */
#include "golden.h"

#include "base/time.h"
#include "report/live_screen.h"
#include "stats/stats.h"

static struct live_history history;
static struct stats stats;

static struct live_line lines[40] = {
    {"/srv/data",
     {.now = 81 * US,
      .recent_p50 = 80 * US,
      .recent_p99 = 120500,
      .recent_max = 1260 * US,
      .p50 = 80 * US,
      .p99 = 121300,
      .max = 12345678,
      .rate = 999.6,
      .requests = 12345}},
    {"/srv/a folder with a long name/and a file in it",
     {.now = 123456,
      .recent_p50 = -1,
      .recent_p99 = -1,
      .recent_max = 3 * SECOND,
      .p50 = 2 * MS,
      .p99 = -1,
      .max = 3 * SECOND,
      .rate = 0.34,
      .requests = 51,
      .failed = 2,
      .missed = 1234,
      .oldest_age = 12345 * MS}},
};

static struct live_facts
facts_of(int line_count)
{
    return (struct live_facts){
        .command = "ioping -live -i 1ms /srv/data",
        .phase = "",
        .message = "",
        .target_count = line_count,
        .elapsed = 179 * SECOND,
        .lines = lines,
        .line_count = line_count,
        .history = &history,
    };
}

static const struct live_style small = {.columns = 40, .rows = 12},
                               usual = {.columns = 80, .rows = 24},
                               large = {.columns = 200, .rows = 60};

/* The requests of three minutes: a second has many near 80 us and few up to 10 ms. */
static int
make_history(void **state)
{
    (void)state;
    for (int second = 0; second < 180; second++) {
        for (int i = 0; i < 200; i++) {
            int64_t latency = 80 * US + (i * 7919 % 200) * 100 + second * 50;
            if (i % 50 == 0)
                latency *= 1 + second % 12 * 10;
            struct sample sample = {.latency = latency, .verdict = VERDICT_NONE};
            stats_record(&stats, &sample);
        }
        live_history_add(&history, &stats, SCOPE_ALL, second * SECOND + MS);
    }
    return 0;
}

/* Returns the screen, allocated. Fails the test unless it has the size of STYLE. */
static char *
draw(const struct live_facts *facts, const struct live_style *style)
{
    struct buffer text = {0};
    int count = 0;
    live_screen_add(&text, facts, style);
    assert_false(text.failed);
    for (const char *at = text.text; *at; count++) {
        int width = 0;
        struct escape_character character;
        while (escape_next(&at, &character) && character.code != '\n') {
            if (character.code == '\033')
                at += strcspn(at, "m") + 1;
            else
                width += style->has_utf8 ? live_screen_width(character.code) : 1;
        }
        if (width > style->columns)
            fail_msg("line %d has %d columns:\n%s", count + 1, width, text.text);
    }
    assert_int_equal(count, style->rows);
    return text.text;
}

static void
check(const struct live_facts *facts, const struct live_style *style, const char *name)
{
    char *text = draw(facts, style);
    golden_compare(text, strlen(text), name);
    free(text);
}

GROUP_SETUP(make_history)

TEST(a_screen_of_one_target)
{
    struct live_facts facts = facts_of(1);
    check(&facts, &small, "live_small");
    check(&facts, &usual, "live_usual");
    check(&facts, &large, "live_large");
}

TEST(a_screen_of_two_targets)
{
    struct live_facts facts = facts_of(2);
    facts.selected = 1;
    facts.scale = 3;
    facts.is_paused = true;
    facts.phase = "under load";
    facts.message = "ioping: data: request 7 has had no answer for 5.00 s";
    check(&facts, &small, "live_two_small");
    check(&facts, &usual, "live_two_usual");
    check(&facts, &large, "live_two_large");
}

TEST(the_help_takes_the_place_of_the_map)
{
    struct live_facts facts = facts_of(1);
    struct live_style smallest = {.columns = LIVE_MIN_COLUMNS, .rows = LIVE_MIN_ROWS};
    facts.has_help = true;
    check(&facts, &smallest, "live_help");
    lines[2] = lines[1];
    for (int count = 2; count <= 3; count++) {
        facts = facts_of(count);
        facts.has_help = true;
        facts.message = "ioping: a message";
        facts.selected = 1;
        char *text = draw(&facts, &smallest);
        assert_contains(text, formatted("\n  2 of %d ", count));
        assert_contains(text, "\n> /srv");
        assert_contains(text, "\nq        end the run");
        assert_contains(text, "\n?        this help on or off\n");
        free(text);
    }
    char *text = draw(&facts, &usual);
    assert_contains(text, "\n?        this help on or off\n");
    assert_lacks(text, " per column");
    free(text);
}

TEST(shades_are_colours_where_there_are_colours)
{
    static const struct {
        enum live_shades shades;
        const char *golden;
    } cases[] = {{LIVE_16_COLORS, "live_16_colors"},
                 {LIVE_256_COLORS, "live_256_colors"}};
    struct live_facts facts = facts_of(1);
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct live_style style = small;
        style.shades = cases[i].shades;
        check(&facts, &style, cases[i].golden);
    }
}

/* The lowest line may begin at 0. Its label is near the label above it. */
TEST(the_latency_axis_is_labelled_evenly)
{
    static struct live_history wide;
    static struct stats requests;
    static const int64_t latencies[] = {28 * US, 10 * MS, 2500 * MS};
    struct live_facts facts = facts_of(1);
    struct live_style style = {.columns = LIVE_MIN_COLUMNS, .rows = LIVE_MIN_ROWS};
    for (size_t i = 0; i < LENGTH(latencies); i++)
        stats_record(&requests,
                     &(struct sample){.latency = latencies[i], .verdict = VERDICT_NONE});
    live_history_add(&wide, &requests, SCOPE_ALL, 179 * SECOND);
    facts.history = &wide;
    char *text = draw(&facts, &style);
    assert_matches(text, "\n  10 s [^\n]*@\n 10 ms [^\n]*@\n100 us [^\n]*@\n 10 us *\n");
    free(text);
}

/* Each line fits, and there is one for each row. */
TEST(every_size_is_filled)
{
    for (int rows = 1; rows <= 70; rows += rows < 16 ? 1 : 9)
        for (int columns = 1; columns <= 300; columns += columns < 120 ? 1 : 17)
            for (int count = 1; count <= 40; count += 13)
                for (int extra = 0; extra < 4; extra++) {
                    struct live_facts facts = facts_of(count);
                    struct live_style style = {.columns = columns, .rows = rows};
                    style.shades = (enum live_shades)(columns % 3);
                    facts.has_help = extra & 1;
                    facts.message = extra & 2 ? "ioping: a message" : "";
                    facts.selected = count - 1;
                    for (int i = 2; i < count; i++)
                        lines[i] = lines[1];
                    free(draw(&facts, &style));
                }
}

/* No number is cut, however narrow the screen is. */
TEST(a_small_screen_says_what_it_needs)
{
    static const struct {
        int columns, rows;
        const char *text;
    } cases[] = {
        {39, 9, "-live needs 40 x 10, this is 39 x 9\n\n\n\n\n\n\n\n\n"},
        {35, 2, "-live needs 40 x 10, this is 35 x 2\n\n"},
        {35, 12, "40x10 needed\n\n\n\n\n\n\n\n\n\n\n\n"},
        {30, 6, "40x10 needed\n\n\n\n\n\n"},
        {12, 1, "40x10 needed\n"},
        {11, 1, "40x10\n"},
        {5, 1, "40x10\n"},
        {4, 1, "\n"},
        {1, 2, "\n\n"},
        {200, 9, "-live needs 40 x 10, this is 200 x 9\n\n\n\n\n\n\n\n\n"},
    };

    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct live_facts facts = facts_of(1);
        struct live_style style = {.columns = cases[i].columns, .rows = cases[i].rows};
        char *text = draw(&facts, &style);
        assert_string_equal(text, cases[i].text);
        free(text);
    }
}

/* Also at the smallest size, the user sees that there are more targets, and finds them.
 */
TEST(targets_that_are_not_shown_are_announced)
{
    static const struct {
        int columns, rows, lines, selected, targets;
        bool has_message;
        const char *head, *keys;
    } cases[] = {
        {40, 10, 1, 0, 1, true, "\n  target ", "\nq p r + -  ? help\n"},
        {40, 10, 2, 1, 2, true, "\n  target ",
         "\nq p r + -  arrows target 2 of 2  ? help\n"},
        {40, 10, 3, 2, 3, true, "\n  2-3 of 3 ",
         "\nq p r + -  arrows target 3 of 3  ? help\n"},
        {40, 10, 40, 0, 20, true, "\n  1-2 of 40 ",
         "\nq p r + -  arrows row 1 of 40  ? help\n"},
        {40, 10, 40, 9, 40, true, "\n  9-10 of 40 ",
         "\nq p r + - ?  arrows target 10 of 40\n"},
        {40, 12, 8, 4, 8, true, "\n  4-6 of 8 ",
         "\nq p r + -  arrows target 5 of 8  ? help\n"},
        {120, 24, 40, 20, 40, false, "\n  targets 17-25 of 40 ",
         "\nq quit  p pause  r reset  + - scale  arrows target 21 of 40  ? help\n"},
        {120, 24, 40, 20, 10, false, "\n  rows 17-25 of 40 ",
         "\nq quit  p pause  r reset  + - scale  arrows row 21 of 40  ? help\n"},
    };
    struct live_line many[40];
    for (int i = 0; i < 40; i++) {
        many[i] = lines[i % 2];
        many[i].name = "a name that is rather long";
    }
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct live_facts facts = facts_of(cases[i].lines);
        struct live_style style = {.columns = cases[i].columns, .rows = cases[i].rows};
        facts.lines = many;
        facts.selected = cases[i].selected;
        facts.target_count = cases[i].targets;
        facts.message = cases[i].has_message ? "ioping: a message" : "";
        char *text = draw(&facts, &style);
        assert_contains(text, cases[i].head);
        assert_contains(text, cases[i].keys);
        free(text);
    }
}

TEST(the_selected_of_many_targets_is_shown)
{
    static const struct live_style sizes[] = {{.columns = 80, .rows = 24},
                                              {.columns = 40, .rows = 12},
                                              {.columns = 40, .rows = 10}};
    struct live_facts facts = facts_of(40);
    struct live_line many[40];
    char names[40][16];
    for (int i = 0; i < 40; i++) {
        many[i] = lines[i % 2];
        snprintf(names[i], sizeof(names[i]), "target-%02d", i);
        many[i].name = names[i];
    }
    facts.lines = many;
    for (int i = 0; i < 40 * (int)LENGTH(sizes); i++) {
        facts.selected = i / (int)LENGTH(sizes);
        char *text = draw(&facts, &sizes[i % (int)LENGTH(sizes)]);
        assert_contains(text, formatted("\n> %s ", names[facts.selected]));
        assert_contains(text, formatted("\n%s: 1 s per column", names[facts.selected]));
        free(text);
    }
}

/* A wide character needs two columns, which `draw` counts. */
TEST(names_are_shown_as_the_terminal_can)
{
    static const struct {
        const char *name;
        bool utf8;
        const char *shown;
    } cases[] = {
        {"/srv/d\xc3\xa4ta", true, "\n  /srv/d\xc3\xa4ta "},
        {"/srv/d\xc3\xa4ta", false, "\n  /srv/d?ta "},
        {"/srv/\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e", true,
         "\n  /srv/\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e "},
        {"/srv/\xff", true, "\n  /srv/? "},
        /* an accent of its own, as macOS stores names: 9 columns and a blank */
        {"/srv/da\xcc\x88ta", true, "\n  /srv/da\xcc\x88ta   "},
    };
    struct live_line saved = lines[0];
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct live_facts facts = facts_of(1);
        struct live_style style = usual;
        style.has_utf8 = cases[i].utf8;
        lines[0].name = cases[i].name;
        char *text = draw(&facts, &style);
        assert_contains(text, cases[i].shown);
        free(text);
    }
    lines[0] = saved;
}

/* The columns that are left out first say the least. */
TEST(a_narrow_table_keeps_what_matters)
{
    static const struct {
        int columns;
        const char *head;
    } cases[] = {
        {40, "      p50      p99      max\n"},
        {49, "      now      p50      p99      max\n"},
        {58, "      now  p99 10s      p50      p99      max\n"},
        {120, "      now  p50 10s  p99 10s  max 10s      p50      p99      max      "
              "rate  failed  missed   oldest\n"},
    };
    struct live_facts facts = facts_of(1);
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct live_style style = {.columns = cases[i].columns, .rows = 20};
        char *text = draw(&facts, &style);
        const char *line = strstr(text, "\n  target");
        assert_non_null(line);
        line += strlen("\n  target");
        line += strspn(line, " ");
        const char *expected = cases[i].head + strspn(cases[i].head, " ");
        if (strncmp(line, expected, strlen(expected)) != 0)
            fail_msg("%d: %s", cases[i].columns, line);
        free(text);
    }
}
