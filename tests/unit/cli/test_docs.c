/* The help, the manual pages, README, the tour and the offered values agree with the
 * table of options. */
#include "support.h"

#include "cli/cli.h"

#include <ctype.h>
#include <regex.h>

static const char *const man_pages[] = {
    "man/ioping.1",
    "man/ioping-output.5",
    "man/ioping-statistics.7",
};

#define NAME "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-"

static char *
read_source(const char *name)
{
    char path[1024];
    const char *top = getenv("IOPING_SOURCE");
    snprintf(path, sizeof(path), "%s/%s", top ? top : ".", name);
    FILE *file = fopen(path, "rb");
    if (!file)
        fail_msg("%s is missing", name);
    char *text = calloc(1, 1 << 20);
    assert_non_null(text);
    size_t size = fread(text, 1, (1 << 20) - 1, file);
    fclose(file);
    assert_in_range(size, 1, (1 << 20) - 2);
    return text;
}

static int
count(const char *text, const char *part)
{
    int found = 0;
    for (; (text = strstr(text, part)); text += strlen(part))
        found++;
    return found;
}

TEST(the_help_has_each_option_once)
{
    struct buffer text = {0};
    cli_usage_all(&text);
    assert_false(text.failed);
    for (int i = 0; i < OPTION_IDS; i++) {
        const struct cli_option *option = &cli_options[i];
        char head[64], line[128], letter[] = "    ";
        const char *open = option->argument_kind == CLI_ATTACHED   ? "["
                           : option->argument_kind == CLI_REQUIRED ? " <"
                           : option->argument                      ? " ["
                                                                   : "";
        const char *close = option->argument_kind == CLI_REQUIRED ? ">"
                            : option->argument                    ? "]"
                                                                  : "";
        if (option->letter)
            snprintf(letter, sizeof(letter), "-%c, ", option->letter);
        snprintf(head, sizeof(head), "%s--%s%s%s%s", letter, option->name, open,
                 option->argument ? option->argument : "", close);
        snprintf(line, sizeof(line), "\n  %-28s %s\n", head, option->help);
        if (count(text.text, line) != 1)
            fail_msg("not there once:%s", line);
    }
    assert_int_equal(count(text.text, "\n  -") + count(text.text, "\n      --"),
                     OPTION_IDS);
    buffer_free(&text);
}

TEST(the_help_has_each_group_once)
{
    struct buffer text = {0};
    cli_usage_all(&text);
    for (int i = 0; i < OPTION_IDS; i++) {
        char title[64];
        snprintf(title, sizeof(title), "\n\n%s:\n", cli_options[i].group);
        if (count(text.text, title) != 1)
            fail_msg("not there once:%s", title);
    }
    buffer_free(&text);
}

TEST(the_table_has_each_option_once)
{
    for (int i = 0; i < OPTION_IDS; i++)
        for (int k = 0; k < i; k++)
            assert_int_not_equal(cli_options[i].id, cli_options[k].id);
}

static void
check_terminal(void (*add)(struct buffer *text), int lines)
{
    struct buffer text = {0};
    add(&text);
    assert_in_range(count(text.text, "\n"), 1, lines);
    for (const char *line = text.text; *line; line += strcspn(line, "\n") + 1)
        if (strcspn(line, "\n") > 80)
            fail_msg("too long: %.100s", line);
    assert_int_equal(strncmp(text.text, "Usage: ioping [options] ", 24), 0);
    assert_int_equal(text.text[text.length - 1], '\n');
    buffer_free(&text);
}

TEST(the_help_fits_a_terminal)
{
    check_terminal(cli_usage, 24);
    check_terminal(cli_usage_all, 100);
}

/* Returns the option with this LETTER; NULL if no option has it. */
static const struct cli_option *
find_letter(char letter)
{
    for (int i = 0; i < OPTION_IDS; i++)
        if (cli_options[i].letter == letter)
            return &cli_options[i];
    return NULL;
}

/* Fails unless the option "--NAME" that begins at NAME, "-L, " before it or not, is one
 * of the table. */
static void
check_named(const char *screen, const char *name)
{
    char own[64];
    snprintf(own, sizeof(own), "%.*s", (int)strspn(name, NAME), name);
    const struct cli_option *option = cli_find(own, strlen(own));
    if (!option || strcmp(option->name, own) != 0)
        fail_msg("no such option: --%s", own);
    if (name - screen >= 6 && memcmp(name - 4, ", --", 4) == 0)
        assert_ptr_equal(option, find_letter(name[-5]));
}

/* It names options of the table alone, and says where the others are. */
TEST(the_first_screen_has_options_that_there_are)
{
    struct buffer text = {0};
    int named = 0;
    cli_usage(&text);
    for (const char *at = text.text; (at = strstr(at, "--")); at += 2, named++)
        check_named(text.text, at + 2);
    assert_int_equal(named, 17 + 2); /* --depth and --compare within lines of others */
    for (const char *at = text.text; (at = strstr(at, " -")); at += 2)
        if (at[2] != '-' && !find_letter(at[2]))
            check_named(text.text, at + 2);
    const char *last = strstr(text.text, "\n\nAll options: ");
    assert_non_null(last);
    assert_int_equal(count(last + 2, "\n"), 1);
    assert_non_null(strstr(last, "ioping -h all"));
    assert_non_null(strstr(last, "man ioping"));
    buffer_free(&text);
}

TEST(the_version_is_one_line)
{
    struct buffer text = {0};
    cli_version(&text);
    assert_string_equal(text.text, "ioping 2.0.0\n");
    buffer_free(&text);
}

/* Returns true if LINE has a macro with WORD as its first argument. */
static bool
has_macro(const char *line, const char *macro, const char *word, size_t length)
{
    char part[64];
    int size = snprintf(part, sizeof(part), " %s %.*s", macro, (int)length, word);
    for (; (line = strstr(line, part)); line++)
        if (strspn(line + size, NAME) == 0)
            return true;
    return false;
}

static bool
describes(const char *line, const struct cli_option *option)
{
    return (!option->letter || has_macro(line, "Fl", &option->letter, 1)) &&
           has_macro(line, "Fl", option->name, strlen(option->name)) &&
           (!option->argument ||
            has_macro(line, "Ar", option->argument, strlen(option->argument)));
}

TEST(the_man_page_has_each_operation)
{
    char *page = read_source(man_pages[0]), row[128];
    struct operation_mix mix;
    for (int i = 0; operation_mix_at(i, &mix); i++) {
        snprintf(row, sizeof(row), "\n.It Cm %s Ta %s Ta %s\n", operation_mix_word(&mix),
                 mix.extra_count ? "\\&" : operations[mix.turns[0]].arrow,
                 operation_mix_noun(&mix));
        if (count(page, row) != 1)
            fail_msg("not there once:%s", row);
    }
    free(page);
}

/* Returns the section OPTIONS of PAGE, which ends there then. */
static char *
cut_options(char *page)
{
    char *start = strstr(page, "\n.Sh OPTIONS\n");
    assert_non_null(start);
    char *end = strstr(start + 1, "\n.Sh ");
    assert_non_null(end);
    *end = '\0';
    return start;
}

/* Returns whether LINE is the head of the subsection of GROUP, whatever its capitals. */
static bool
is_head_of(const char *line, const char *group)
{
    if (!line || strncmp(line, ".Ss ", 4) != 0)
        return false;
    line += 4;
    line += strncmp(line, "\\&", 2) == 0 ? 2 : 0;
    return tolower((unsigned char)line[0]) == group[0] &&
           strcmp(line + 1, group + 1) == 0;
}

TEST(the_man_page_describes_every_option_in_the_order_of_the_help)
{
    char *page = read_source(man_pages[0]);
    const char *group = NULL, *head = NULL;
    int described = 0;
    for (char *line = strtok(cut_options(page), "\n"); line; line = strtok(NULL, "\n")) {
        if (strncmp(line, ".Ss ", 4) == 0)
            head = line;
        if (strncmp(line, ".It Fl ", 7) != 0)
            continue;
        if (described == OPTION_IDS)
            fail_msg("after the last option: %s", line);
        const struct cli_option *option = &cli_options[described++];
        if (!describes(line, option))
            fail_msg("not all of -%s: %s", option->name, line);
        if (option->group != group && !is_head_of(head, option->group))
            fail_msg("-%s stands under \"%s\"", option->name, head ? head : "OPTIONS");
        group = option->group;
    }
    assert_int_equal(described, OPTION_IDS);
    free(page);
}

static bool
is_option(const char *name, size_t length)
{
    for (int i = 0; i < OPTION_IDS; i++)
        if ((length == 1 && *name == cli_options[i].letter) ||
            (strlen(cli_options[i].name) == length &&
             memcmp(cli_options[i].name, name, length) == 0))
            return true;
    return false;
}

/* Fails if an item of the man page NAME has an option that there is not. Returns how many
 * options its items have. */
static int
check_items(const char *name)
{
    char *page = read_source(name);
    int found = 0;
    for (char *line = strtok(page, "\n"); line; line = strtok(NULL, "\n")) {
        if (strncmp(line, ".It Fl ", 7) != 0)
            continue;
        for (char *at = line; (at = strstr(at, " Fl ")); found++) {
            at += 4;
            if (!is_option(at, strspn(at, NAME)))
                fail_msg("%s: no such option: %s", name, line);
        }
    }
    free(page);
    return found;
}

TEST(the_man_pages_describe_nothing_else)
{
    assert_true(check_items(man_pages[0]) >= OPTION_IDS);
    for (size_t i = 1; i < LENGTH(man_pages); i++)
        check_items(man_pages[i]);
}

/* Cuts the next example, "$ ioping ...", out of *PAGE, which goes on behind it. A line
 * that ends in "\e", a backslash, goes on in the next. Returns NULL after the last. */
static char *
cut_example(char **page)
{
    char *example = strstr(*page, "$ ioping ");
    if (!example)
        return NULL;
    char *end = example + strcspn(example, "\n");
    while (end - example > 2 && memcmp(end - 2, "\\e", 2) == 0) {
        memset(end - 2, ' ', 3);
        end += strcspn(end, "\n");
    }
    *page = end + (*end == '\n');
    *end = '\0';
    return example;
}

/* Splits an EXAMPLE at spaces, up to what the shell does with the output. Returns how
 * many WORDS there are. */
static int
split_example(char *example, char *words[], int size)
{
    int count = 0;
    for (char *word = strtok(example, " "); word; word = strtok(NULL, " ")) {
        if (strchr("|>#", word[0]))
            break;
        assert_true(count < size - 1);
        if (word[0] != '$')
            words[count++] = word;
    }
    words[count] = NULL;
    return count;
}

/* Fails if an example of the man page NAME is refused. Returns how many there are. */
static int
check_examples(const char *name)
{
    char *page = read_source(name), *at = page, *example;
    int found = 0;
    for (; (example = cut_example(&at)); found++) {
        char *words[64];
        struct options options;
        struct error error = {0};
        int count = split_example(example, words, LENGTH(words));
        if (cli_parse(count, words, &options, &error) != 0)
            fail_msg("%s: example %d: %s: %s", name, found + 1, error.what, error.why);
    }
    free(page);
    return found;
}

TEST(the_examples_of_the_documents_are_taken)
{
    assert_true(check_examples("man/TOUR.md") >= 30);
    assert_int_equal(check_examples("man/ioping.1"), 11);
    assert_true(check_examples("man/ioping-output.5") >= 6);
    assert_true(check_examples("man/ioping-statistics.7") >= 1);
}

/* Where a version number stands after a name that is about this program. */
static char *
find_version(char *text, size_t *length)
{
    static const char expression[] = "(ioping|version|[.]nm)[ -]v?([0-9]+[.][0-9.]*)";
    regex_t regex;
    regmatch_t match[3];
    assert_int_equal(regcomp(&regex, expression, REG_EXTENDED | REG_ICASE), 0);
    int status = regexec(&regex, text, 3, match, 0);
    regfree(&regex);
    if (status != 0)
        return NULL;
    *length = (size_t)(match[2].rm_eo - match[2].rm_so);
    while (text[match[2].rm_so + (regoff_t)*length - 1] == '.')
        --*length;
    return text + match[2].rm_so;
}

static int
check_versions(const char *name)
{
    char *text = read_source(name), *at = text;
    size_t length;
    int ours = 0;
    for (; (at = find_version(at, &length)); at += length) {
        bool own = length == 5 && memcmp(at, "2.0.0", 5) == 0;
        bool major = length == 1 && *at == '2';
        bool peer = length == 3 && memcmp(at, "1.3", 3) == 0;
        if (!own && !major && !peer)
            fail_msg("%s: version %.*s", name, (int)length, at);
        ours += own;
    }
    free(text);
    return ours;
}

TEST(the_documents_know_no_other_version)
{
    assert_true(check_versions("README.md") > 0);
    assert_true(check_versions("man/BUILDING.md") > 0);
    check_versions("man/DIFFERENCES.md");
    check_versions("man/PLATFORMS.md");
    check_versions("man/TOUR.md");
    for (size_t i = 0; i < LENGTH(man_pages); i++)
        check_versions(man_pages[i]);
}

/* Check that the files exist that FOLDER/NAME links to, and count its links. Addresses of
   other sites are not looked up. */
static int
check_links(const char *folder, const char *name)
{
    char path[1024];
    const char *top = getenv("IOPING_SOURCE");
    snprintf(path, sizeof(path), "%s%s", folder, name);
    char *text = read_source(path);
    int links = 0;
    for (const char *at = text; (at = strstr(at, "](")); links++) {
        at += 2;
        if (strncmp(at, "https://", 8) == 0)
            continue;
        int length = (int)strcspn(at, "#)\n");
        snprintf(path, sizeof(path), "%s/%s%.*s", top ? top : ".", folder, length, at);
        if (length > 0 && access(path, R_OK) < 0)
            fail_msg("%s links to %.*s, which is missing", name, length, at);
    }
    free(text);
    return links;
}

TEST(the_documents_link_to_files_that_are_there)
{
    assert_true(check_links("", "README.md") > 5);
    assert_true(check_links("man/", "BUILDING.md") > 0);
    check_links("man/", "DIFFERENCES.md");
    check_links("man/", "PLATFORMS.md");
    assert_true(check_links("man/", "TOUR.md") > 3);
}

/* Browsers show a picture of a README only if it has no script and fetches nothing. */
TEST(the_animated_picture_is_whole_in_itself)
{
    static const char *const refused[] = {"<script", "@import", "@font-face", "url(",
                                          "href",    "<image",  "onload"};
    char *text = read_source("man/examples/terminal.svg");
    assert_in_range(strlen(text), 1, 200000);
    assert_int_equal(count(text, "://"), 1); /* the name of the language SVG */
    for (size_t i = 0; i < LENGTH(refused); i++) {
        if (strstr(text, refused[i]))
            fail_msg("terminal.svg has %s", refused[i]);
    }

    assert_int_equal(count(text, "prefers-color-scheme:dark"), 1);
    assert_int_equal(count(text, "prefers-reduced-motion:reduce"), 1);
    assert_true(count(text, "@keyframes") > 20);
    assert_true(count(text, "request=2 time=") > 0);
    assert_true(count(text, ">--- comparison") > 0);
    free(text);
}

/* A visitor reads it in two minutes. Details belong to the tour and to the other pages.
 */
TEST(the_readme_is_short)
{
    char *text = read_source("README.md");
    assert_in_range(count(text, "\n"), 1, 180);
    free(text);
}

/* An offer that ends in "=" must go on with a number. */
static void
check_values_taken(const struct cli_option *option)
{
    struct buffer list = {0};
    char value[64];
    option->list_values(&list);
    assert_false(list.failed);
    assert_int_equal(list.text[list.length - 1], '\n');
    for (char *word = strtok(list.text, "\n"); word; word = strtok(NULL, "\n")) {
        struct options options = {0};
        bool open = word[strlen(word) - 1] == '=';
        snprintf(value, sizeof(value), "%s%s", word, open ? "1" : "");
        const char *wrong = option->set(option, &options, value);
        if (wrong && open) { /* a time, which needs a unit */
            snprintf(value, sizeof(value), "%s1s", word);
            wrong = option->set(option, &options, value);
        }
        if (wrong)
            fail_msg("-%s %s: %s", option->name, value, wrong);
    }
    buffer_free(&list);
}

TEST(every_value_that_is_offered_is_taken)
{
    int lists = 0;
    for (int i = 0; i < OPTION_IDS; i++) {
        if (!cli_options[i].list_values)
            continue;
        check_values_taken(&cli_options[i]);
        lists++;
    }
    assert_int_equal(lists, 7);
}
