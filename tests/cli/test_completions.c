/* Completions of shells: each shell itself completes the lines. */
/* Marks: native */
#include "cli/cli.h"
#include "support.h"

#define QUERIES_MAX 256
#define MADE "\"$(dirname \"$IOPING\")\"/completions"

/* A line and the offers for its last word; the word itself if there are none. */
struct query {
    char line[96];
    char *offered;
};

static const struct shell {
    const char *name, *ask;
    bool letters;   /* offers letters and both kinds of names for a dash */
    bool exclusive; /* nothing for what comes after -h or -v */
} shells[] = {
    {"bash", "ask-bash insert-completions " MADE "/ioping.bash", false, false},
    {"zsh", "ask-zsh " MADE, true, true},
    {"fish", "ask-fish " MADE "/ioping.fish", true, false},
};
enum { BASH, ZSH, FISH };

static struct query queries[QUERIES_MAX];
static int count;

static int
forget(void **state)
{
    (void)state;
    for (int i = 0; i < count; i++)
        free(queries[i].offered);
    memset(queries, 0, sizeof(queries));
    count = 0;
    return 0;
}

__attribute__((format(printf, 1, 2))) static void
add_line(const char *format, ...)
{
    va_list list;
    assert_true(count < QUERIES_MAX);
    va_start(list, format);
    vsnprintf(queries[count++].line, sizeof(queries[0].line), format, list);
    va_end(list);
}

/* From where the last word of a line begins, without blanks at its end. */
static char *
last_word(const char *line, const char *answer)
{
    const char *last = strrchr(line, ' ');
    size_t before = (size_t)(last - line) + 1;
    if (strncmp(answer, line, before) == 0)
        answer += before;
    char *word = strdup(answer[0] ? answer : last + 1);
    assert_non_null(word);
    for (size_t end = strlen(word); end && word[end - 1] == ' '; end--)
        word[end - 1] = '\0';
    return word;
}

/* Asks for all lines, with an ASK that begins with a script's name. */
static void
ask(const char *how)
{
    char path[1100];
    snprintf(path, sizeof(path), "%s/lines", scratch());
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (int i = 0; i < count; i++)
        fprintf(file, "%s\n", queries[i].line);
    fclose(file);
    struct result result = command_status(
        0, "export LC_ALL=C.UTF-8; \"$IOPING_SOURCE\"/tests/support/shells/%s <lines",
        how);
    char *answer = result.out;
    for (int i = 0; i < count; i++) {
        size_t length = strcspn(answer, "\n");
        if (answer[length] != '\n')
            fail_msg("no answer to '%s': %s%s", queries[i].line, result.out, result.err);
        answer[length] = '\0';
        queries[i].offered = last_word(queries[i].line, answer);
        answer += length + 1;
    }
    assert_string_equal(answer, "");
    command_free(&result);
}

/* Counts WORD among the words of TEXT, with or without a "=" at its end. */
static int
count_word(const char *text, const char *word)
{
    size_t length = strlen(word);
    int found = 0;
    for (const char *at = text; (at = strstr(at, word)); at += length) {
        bool begins = at == text || at[-1] == ' ';
        const char *end = at + length + (at[length] == '=');
        found += begins && (*end == '\0' || *end == ' ');
    }
    return found;
}

static void
check_word(const struct query *query, const char *word)
{
    if (!count_word(query->offered, word))
        fail_msg("'%s' does not offer %s: %s", query->line, word, query->offered);
}

/* Returns true if WORD is an option with its dashes. */
static bool
is_option(const char *word)
{
    size_t dashes = strspn(word, "-"), length = strcspn(word + dashes, "=");
    for (int i = 0; i < OPTION_IDS; i++) {
        const struct cli_option *option = &cli_options[i];
        bool named = strlen(option->name) == length &&
                     memcmp(option->name, word + dashes, length) == 0;
        bool letter = length == 1 && dashes == 1 && word[1] == option->letter;
        if (dashes <= 2 && (named || letter))
            return true;
    }
    return false;
}

static void
check_options_only(const struct query *query)
{
    char *words = strdup(query->offered);
    assert_non_null(words);
    for (char *word = strtok(words, " "); word; word = strtok(NULL, " "))
        if (!is_option(word))
            fail_msg("'%s' offers %s", query->line, word);
    free(words);
}

/* Makes files in the scratch folder, where no other name begins like theirs. No value of
 * an option is similar to "xy", for which fish would offer the value. */
GROUP_SHELL("touch file xylo; mkdir folder share")
FIXTURE(NULL, forget)

/* Both with one dash and with two. */
TEST_EACH(each_option_is_offered_and_no_other, shells)
{
    const struct shell *shell = *state;
    need_program(shell->name);
    add_line("ioping -");
    add_line("ioping --");
    ask(shell->ask);
    for (int i = 0; i < OPTION_IDS; i++) {
        char names[2][64], letter[3] = {'-', cli_options[i].letter, '\0'};
        for (int kind = 0; kind < 2; kind++) {
            snprintf(names[kind], sizeof(names[kind]), "-%s%s", kind ? "-" : "",
                     cli_options[i].name);
            check_word(&queries[kind], names[kind]);
        }
        if (shell->letters && cli_options[i].letter)
            check_word(&queries[0], letter);
        assert_int_equal(count_word(queries[1].offered, names[0]), 0);
    }
    check_options_only(&queries[0]);
    check_options_only(&queries[1]);
}

/* A name of which nothing else begins is completed from all but its last letter. */
TEST_EACH(each_name_is_completed, shells)
{
    const struct shell *shell = *state;
    need_program(shell->name);
    for (int i = 0; i < OPTION_IDS; i++) {
        const char *name = cli_options[i].name;
        add_line("ioping -%.*s", (int)strlen(name) - 1, name);
        add_line("ioping --%.*s", (int)strlen(name) - 1, name);
    }
    ask(shell->ask);
    for (int i = 0; i < 2 * OPTION_IDS; i++) {
        char name[64];
        snprintf(name, sizeof(name), "-%s%s", i % 2 ? "-" : "", cli_options[i / 2].name);
        check_word(&queries[i], name);
        check_options_only(&queries[i]);
    }
}

/* The beginning of a file's name is completed if the option takes a file. */
static void
check_file(const struct shell *shell, const struct cli_option *option,
           const struct query *query)
{
    bool alone =
        shell->exclusive && (option->id == OPTION_HELP || option->id == OPTION_VERSION);
    bool file = option->argument_kind == CLI_REQUIRED ? option->is_path : !alone;
    if (strcmp(query->offered, file ? "xylo" : "xy") != 0)
        fail_msg("%s: '%s' offers %s", shell->name, query->line, query->offered);
}

TEST_EACH(files_are_offered_where_they_fit, shells)
{
    const struct shell *shell = *state;
    need_program(shell->name);
    for (int i = 0; i < OPTION_IDS; i++) {
        add_line("ioping -%s xy", cli_options[i].name);
        add_line("ioping --%s xy", cli_options[i].name);
        add_line("ioping -%c xy", cli_options[i].letter ? cli_options[i].letter : 'q');
    }
    ask(shell->ask);
    for (int i = 0; i < OPTION_IDS; i++)
        for (int k = 0; k < (cli_options[i].letter ? 3 : 2); k++)
            check_file(shell, &cli_options[i], &queries[3 * i + k]);
}

/* All values that there is a list of, and no other. */
TEST_EACH(values_are_offered_where_there_is_a_list, shells)
{
    const struct shell *shell = *state;
    int asked = 0;
    need_program(shell->name);
    for (int i = 0; i < OPTION_IDS; i++)
        if (cli_options[i].list_values)
            add_line("ioping -%s ", cli_options[i].name);
    assert_int_equal(count, 7);
    ask(shell->ask);
    for (int i = 0; i < OPTION_IDS; i++) {
        struct buffer list = {0};
        size_t length = 0;
        if (!cli_options[i].list_values)
            continue;
        cli_options[i].list_values(&list);
        for (char *word = strtok(list.text, "\n"); word; word = strtok(NULL, "\n")) {
            check_word(&queries[asked], word);
            length += strlen(word) + 1;
        }
        assert_int_equal(strlen(queries[asked++].offered) + 1, length);
        buffer_free(&list);
    }
}

/* Lines, and what is to be offered. */
static void
check_lines(const char *how, const char *const (*lines)[2], size_t length)
{
    for (size_t i = 0; i < length; i++)
        add_line("%s", lines[i][0]);
    ask(how);
    for (size_t i = 0; i < length; i++)
        if (strcmp(queries[i].offered, lines[i][1]) != 0)
            fail_msg("'%s' offers '%s', not '%s'", lines[i][0], queries[i].offered,
                     lines[i][1]);
}

TEST(bash_reads_a_line_as_the_program_does)
{
    static const char *const lines[][2] = {
        {"ioping fi", "file"},
        {"ioping -c 10 fi", "file"},
        {"ioping -c10 fi", "file"},
        {"ioping -qRc fi", "fi"},
        {"ioping -qRc 10 fi", "file"},
        {"ioping -c -q fi", "file"},
        {"ioping -c -- -qui", "-quiet"},
        {"ioping -- -qui", "-qui"},
        {"ioping -- fi", "file"},
        {"ioping -print-c fi", "fi"},
        {"ioping --prom fi", "file"},
        {"ioping -hi fi", "file"},
        {"ioping -color=never fi", "file"},
        {"ioping -color = fi", "file"},
        {"ioping -I%T:%M=x fi", "file"},
        {"ioping file -qui", "-quiet"},
        {"ioping a:b=c -colo al", "always"},
        {"ioping  -colo   al", "always"},
        {"ioping \xc3\xbc 'a b' -color al", "always"},
    };
    need_program("bash");
    check_lines(shells[BASH].ask, lines, LENGTH(lines));
}

TEST(bash_goes_on_behind_an_equals_sign)
{
    static const char *const lines[][2] = {
        {"ioping -color=al", "-color=always"},
        {"ioping --color=ne", "--color=never"},
        {"ioping --col=au", "--col=auto"},
        {"ioping -color=x", "-color=x"},
        {"ioping -color=", "-color=always auto never"},
        {"ioping -slo=io", "-slo=iops="},
        {"ioping -slo=p99.", "-slo=p99.9="},
        {"ioping -slo=p99=", "-slo=p99="},
        {"ioping -plot=fi", "-plot=file"},
        {"ioping --count=fi", "--count=fi"},
        {"ioping --quiet=fi", "--quiet=fi"},
        {"ioping -percentiles=50,", "-percentiles=50,90,99,99.9"},
    };
    need_program("bash");
    check_lines(shells[BASH].ask, lines, LENGTH(lines));
}

TEST(bash_completes_bundles_of_letters)
{
    static const char *const lines[][2] = {
        {"ioping -RLB", "-RLB"},
        {"ioping -qRc", "-qRc"},
        {"ioping -a", "-a -append -async -awake"},
        {"ioping -W", "-W"},
        {"ioping -hi", "-hipri -histogram"},
        {"ioping -x", "-x"},
        {"ioping -qx", "-qx"},
        {"ioping -c1", "-c1"},
    };
    need_program("bash");
    check_lines(shells[BASH].ask, lines, LENGTH(lines));
}

/* A blank behind what is complete, nothing behind what goes on. */
TEST(the_tab_key_ends_a_word_in_bash)
{
    need_program("bash");
    expect(0,
           "ioping -color ;ioping -color=always ;ioping -slo iops=;ioping folder/;ioping "
           "file ;ioping -qR ;",
           NULL,
           "printf 'ioping %%s\\n' -colo -color=al '-slo io' fo fi -qR | "
           "\"$IOPING_SOURCE\"/tests/support/shells/ask-bash complete " //
           MADE "/ioping.bash | tr '\\n' ';'");
}

TEST(bash_may_take_an_equals_sign_for_a_letter)
{
    static const char *const lines[][2] = {
        {"ioping --color=al", "--color=always"},
        {"ioping -slo=io", "-slo=iops="},
        {"ioping --count=fi", "--count=fi"},
    };
    need_program("bash");
    struct result result =
        command_status(0, "cp " MADE "/ioping.bash .; "
                          "echo \"COMP_WORDBREAKS=' '; source ./ioping.bash\" >whole");
    check_lines("ask-bash insert-completions whole", lines, LENGTH(lines));
    command_free(&result);
}

/* bash loads the file by its name from the folder where it is installed. */
TEST(bash_completion_finds_the_installed_file)
{
    static const char *const lines[][2] = {{"ioping -colo al", "always"}};
    static const char package[] = "/usr/share/bash-completion/bash_completion";
    need_program("bash");
    if (access(package, R_OK) < 0)
        skip_because("needs the package bash-completion");
    struct result result =
        command_status(0,
                       "to=share/bash-completion/completions; mkdir -p $to; "
                       "cp " MADE "/ioping.bash $to/ioping; "
                       "echo 'XDG_DATA_DIRS=$PWD/share; HOME=$PWD; source %s' >package",
                       package);
    check_lines("ask-bash insert-completions package", lines, LENGTH(lines));
    command_free(&result);
}

/* fish looks for completions of programs only that are in PATH. */
TEST(fish_finds_the_installed_file)
{
    need_program("fish");
    expect(0, "always\tcolour verdicts: always, never, auto (auto)\n", NULL,
           "to=share/fish/vendor_completions.d; mkdir -p $to bin; "
           "cp " MADE "/ioping.fish $to; ln -sf \"$IOPING\" bin/ioping; "
           "export HOME=$PWD XDG_DATA_DIRS=$PWD/share PATH=$PWD/bin:$PATH; "
           "fish -c 'complete -C \"ioping -color al\"'");
}

TEST(fish_tells_letters_from_names)
{
    static const char *const lines[][2] = {
        {"ioping -c", "-cached -check -color -compare -corrected -count -csv"},
        {"ioping -hi", "-hipri -histogram"},
        {"ioping -c10", "-c10"},
        {"ioping -RLc fi", "fi"},
        {"ioping -color=al", "-color=always"},
        {"ioping -slo=io", "-slo=iops="},
        {"ioping -plot=fi", "-plot=file"},
        {"ioping -c 10 fi", "file"},
        {"ioping -- -qui", "-qui"},
    };
    need_program("fish");
    check_lines(shells[FISH].ask, lines, LENGTH(lines));
}

TEST(zsh_tells_letters_from_names)
{
    static const char *const lines[][2] = {
        {"ioping -ca", "-cached"},        {"ioping -c10", "-c10"},
        {"ioping -RLc fi", "fi"},         {"ioping -c 10 fi", "file"},
        {"ioping -I%T fi", "file"},       {"ioping -color=al", "-color=always"},
        {"ioping -slo=io", "-slo=iops="}, {"ioping -plot=fi", "-plot=file"},
        {"ioping -- -qui", "-qui"},
    };
    need_program("zsh");
    check_lines(shells[ZSH].ask, lines, LENGTH(lines));
}

/* Once is enough, unless more of it says more. */
TEST(zsh_offers_nothing_again_that_says_no_more)
{
    static const char *const lines[][2] = {
        {"ioping -c 10 -coun", "-coun"},       {"ioping --count=10 -coun", "-coun"},
        {"ioping -count 10 --coun", "--coun"}, {"ioping -write -writ", "-write"},
        {"ioping -slo p99=1s -sl", "-slo="},   {"ioping -help -quie", "-quie"},
    };
    need_program("zsh");
    check_lines(shells[ZSH].ask, lines, LENGTH(lines));
}
