/* Rules for the sources that the compiler does not check. */
/* Marks: native */
#include "source_text.h"
#include "support.h"

#include <ctype.h>
#include <glob.h>
#include <strings.h>

/* Folders from the ground up. */
static const struct {
    const char *folder;
    int floor;
} house[] = {
    {"base", 0}, {"os", 1},   {"io", 2},      {"stats", 3},
    {"cli", 4},  {"plan", 5}, {"target", 6},  {"trace", 7},
    {"run", 8},  {"plot", 9}, {"report", 10}, {"session", 11},
};

static int
floor_of(const char *folder)
{
    for (size_t i = 0; i < LENGTH(house); i++)
        if (strcmp(house[i].folder, folder) == 0)
            return house[i].floor;
    return -1;
}

/* Statistics know operations by their table, but no system. */
static bool
may_include(const char *from, const char *to)
{
    if (strcmp(from, "stats") == 0 && strcmp(to, "os") == 0)
        return false;
    int upper = floor_of(from), lower = floor_of(to);
    return upper >= 0 && lower >= 0 && (lower < upper || strcmp(from, to) == 0);
}

struct line {
    const char *path; /* below the top */
    const char *folder;
    const char *text;
    int number;
};

static void
visit_file(const char *path, void (*visit)(const struct line *line))
{
    char text[1024], folder[64] = "";
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    path += strlen(source_folder()) + 1;
    sscanf(path, "%*[^/]/%63[^/]/", folder);
    struct line line = {path, folder, text, 1};
    for (; fgets(text, sizeof(text), file); line.number++)
        visit(&line);
    fclose(file);
}

/* Calls VISIT for each line of each file that PATTERN finds below the top;
 * returns how many files. */
static int
visit_lines(const char *pattern, void (*visit)(const struct line *line))
{
    char whole[1100];
    glob_t found;
    snprintf(whole, sizeof(whole), "%s/%s", source_folder(), pattern);
    if (glob(whole, 0, NULL, &found) != 0)
        return 0;
    for (size_t i = 0; i < found.gl_pathc; i++)
        visit_file(found.gl_pathv[i], visit);
    int files = (int)found.gl_pathc;
    globfree(&found);
    return files;
}

TEST(a_floor_sees_itself_and_those_below)
{
    assert_true(may_include("report", "run"));
    assert_true(may_include("run", "plan"));
    assert_true(may_include("plan", "cli"));
    assert_true(may_include("cli", "base"));
    assert_true(may_include("stats", "stats"));
    assert_false(may_include("run", "report"));
    assert_false(may_include("io", "cli"));
    assert_false(may_include("stats", "os"));
    assert_false(may_include("base", "stats"));
    assert_false(may_include("base", "elsewhere"));
}

static int includes;

static void
check_include(const struct line *line)
{
    char name[128], folder[64], rest[64];
    if (sscanf(line->text, " # include \"%127[^\"]\"", name) != 1)
        return;
    includes++;
    if (sscanf(name, "%63[^/]/%63s", folder, rest) != 2)
        snprintf(folder, sizeof(folder), "%s", line->folder); /* beside it */
    if (!may_include(line->folder, folder))
        fail_msg("%s:%d includes %s", line->path, line->number, name);
}

TEST(no_file_includes_from_above_or_beside)
{
    includes = 0;
    int sources = visit_lines("src/*/*.[ch]", check_include);
    int headers = visit_lines("include/*/*.h", check_include);
    assert_true(sources > 20 && headers > 20 && includes > 80);
}

static void
ignore_line(const struct line *line)
{
    (void)line;
}

TEST(every_file_stands_in_a_folder)
{
    assert_int_equal(visit_lines("src/*.[ch]", ignore_line), 1);
    assert_int_equal(visit_lines("src/main.c", ignore_line), 1);
    assert_int_equal(visit_lines("include/*.h", ignore_line), 0);
    assert_int_equal(visit_lines("src/*/*/*", ignore_line), 0);
    assert_int_equal(visit_lines("include/*/*/*", ignore_line), 0);
}

static int lines;

static void
count_line(const struct line *line)
{
    lines = line->number;
}

TEST(the_main_file_is_a_table_of_contents)
{
    lines = 0;
    visit_lines("src/main.c", count_line);
    assert_in_range(lines, 20, 80);
}

static const char *
compiler(void)
{
    const char *name = getenv("CC");
    return name && name[0] ? name : "cc";
}

TEST(every_header_compiles_alone)
{
    char pattern[1100], command_line[2400];
    glob_t found;
    snprintf(pattern, sizeof(pattern), "%s --version >/dev/null 2>&1", compiler());
    if (system(pattern) != 0)
        skip_because("no C compiler");
    snprintf(pattern, sizeof(pattern), "%s/include/*/*.h", source_folder());
    assert_int_equal(glob(pattern, 0, NULL, &found), 0);
    assert_true(found.gl_pathc > 20);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        snprintf(command_line, sizeof(command_line),
                 "%s -std=c11 -D_GNU_SOURCE -Wall -Werror "
                 "-I'%s/include' -fsyntax-only -x c '%s'",
                 compiler(), source_folder(), found.gl_pathv[i]);
        if (system(command_line) != 0)
            fail_msg("%s does not compile alone", found.gl_pathv[i]);
    }
    globfree(&found);
}

/* Returns true if TEXT asks the preprocessor for a system. */
static bool
asks_for_system(const char *text)
{
    static const char *const names[] = {
        "linux",       "__APPLE__", "__MACH__",    "_WIN32",     "_WIN64",    "__CYGWIN",
        "__MINGW",     "__FreeBSD", "__OpenBSD__", "__NetBSD__", "DragonFly", "__sun",
        "__ANDROID__", "__unix",    "BSD",         "TARGET_OS",  "__GLIBC__", "_MSC_VER",
    };
    char word[32];
    if (sscanf(text, " # %31[a-z]", word) != 1 ||
        (strncmp(word, "if", 2) != 0 && strncmp(word, "elif", 4) != 0))
        return false;
    for (size_t i = 0; i < LENGTH(names); i++)
        if (strstr(text, names[i]))
            return true;
    return false;
}

static void
check_condition(const struct line *line)
{
    if (strncmp(line->path, "src/os/", 7) == 0 || strncmp(line->path, "src/io/", 7) == 0)
        return;
    if (asks_for_system(line->text))
        fail_msg("%s:%d: %s", line->path, line->number, line->text);
}

TEST(systems_differ_below_the_engines_only)
{
    assert_true(asks_for_system("#ifdef __linux__\n"));
    assert_true(asks_for_system("# if defined(__APPLE__) || X\n"));
    assert_true(asks_for_system("#elif defined _WIN32\n"));
    assert_true(asks_for_system("#ifndef __FreeBSD__\n"));
    assert_false(asks_for_system("#ifndef OS_OS_H\n"));
    assert_false(asks_for_system("#include <linux/fs.h>\n"));
    assert_true(visit_lines("src/*.c", check_condition) == 1);
    assert_true(visit_lines("src/*/*.[ch]", check_condition) > 20);
    assert_true(visit_lines("include/*/*.h", check_condition) > 20);
}

/* A handler may touch nothing else but what is atomic; between threads it is of no use.
 */
static void
check_volatile(const struct line *line)
{
    if (strstr(line->text, "volatile ") && !strstr(line->text, "volatile sig_atomic_t "))
        fail_msg("%s:%d: %s", line->path, line->number, line->text);
}

TEST(what_is_volatile_is_for_handlers)
{
    assert_true(visit_lines("src/*/*.[ch]", check_volatile) > 20);
    assert_true(visit_lines("include/*/*.h", check_volatile) > 20);
}

/* The names of OS_HAS_... that a system defines, and those that a file asks for. */
struct names {
    char text[64][64];
    int count;
};

static struct names defined, asked;

static void
add_name(struct names *names, const char *name)
{
    for (int i = 0; i < names->count; i++)
        if (strcmp(names->text[i], name) == 0)
            return;
    assert_true(names->count < (int)LENGTH(names->text));
    snprintf(names->text[names->count++], sizeof(names->text[0]), "%s", name);
}

static void
collect_names(const struct line *line)
{
    char name[64];
    bool is_table = strcmp(line->path, "src/os/has.h") == 0;
    for (const char *at = line->text; (at = strstr(at, "OS_HAS_")); at++)
        if (line->text[0] == '#' && sscanf(at, "%63[A-Z_]", name) == 1 &&
            strcmp(name, "OS_HAS_H") != 0)
            add_name(is_table ? &defined : &asked, name);
}

static void
assert_names_in(const struct names *some, const struct names *all, const char *problem)
{
    for (int i = 0; i < some->count; i++) {
        bool found = false;
        for (int j = 0; j < all->count; j++)
            found |= strcmp(some->text[i], all->text[j]) == 0;
        if (!found)
            fail_msg("%s %s", some->text[i], problem);
    }
}

/* A name that is misspelt would have two functions in one library, or none. */
TEST(what_systems_have_is_what_files_ask_for)
{
    defined.count = asked.count = 0;
    assert_true(visit_lines("src/os/*.[ch]", collect_names) > 20);
    assert_true(defined.count > 10);
    assert_names_in(&defined, &asked, "is asked for nowhere");
    assert_names_in(&asked, &defined, "is defined for no system");
}

/* Two files that call each other cannot be read one after the other. */
TEST(no_files_call_each_other_in_a_circle)
{
    need_program("nm");
    need_native("nm reads the objects of this machine");
    struct result result = command("no_circle_of_files");
    assert_string_equal(result.err, "");
    assert_int_equal(result.status, 0);
    assert_true(atoi(result.out) > 100);
    command_free(&result);
}

/* A limit is a question about the thought in a file, which is read from top to bottom: it
 * is not there to cut with. */
static void
check_length(const struct line *line)
{
    size_t length = strlen(line->path);
    int most = line->path[length - 1] == 'h' ? 260 : 750;
    if (line->number > most)
        fail_msg("%s has more than %d lines", line->path, most);
}

TEST(no_file_is_too_long_to_read)
{
    assert_true(visit_lines("src/*/*.[ch]", check_length) > 20);
    assert_true(visit_lines("include/*/*.h", check_length) > 20);
}

/* Words that meant several things, or were our own for what the field has a word for. */
static const struct {
    const char *word, *instead;
} words[] = {
    {"kept", "recorded (a run), keep (the working file), met (a limit), saved"},
    {"int number", "code (of an errno), index, ordinal"},
    {"places", "slots (of a queue)"},
    {"splitter", "attribution"},
    {"matcher", "attribution"},
    {"told", "notified"},
    {"news", "notification"},
    {"introduced", "begin notified, header written"},
    {"mute", "silenced"},
    {"consent", "destroy_confirmed"},
    {"last word", "final line"},
    {"last words", "final lines"},
    {"seat", "worker_thread"},
    {"crew", "worker_group"},
    {"baton", "handoff"},
    {"attend", "supervise"},
    {"sight", "snapshot"},
};

/* Returns whether TEXT has WORD, whole or as a part of a name, but not in a string: what
 * is printed has its own words. */
static bool
has_word(const char *text, const char *word)
{
    size_t length = strlen(word);
    bool quoted = false;
    for (const char *at = text; *at; at++) {
        quoted ^= *at == '"' && (at == text || at[-1] != '\\');
        if (!quoted && strncasecmp(at, word, length) == 0 && !isalnum(at[length]) &&
            (at == text || !isalnum(at[-1])))
            return true;
    }
    return false;
}

static void
check_words(const struct line *line)
{
    for (size_t i = 0; i < LENGTH(words); i++)
        if (has_word(line->text, words[i].word))
            fail_msg("%s:%d has \"%s\", which is called: %s", line->path, line->number,
                     words[i].word, words[i].instead);
}

TEST(each_word_has_one_meaning)
{
    assert_true(has_word("struct kept *kept;\n", "kept"));
    assert_true(has_word("/* Kept runs */\n", "kept"));
    assert_true(has_word("    bool is_kept_by[2];\n", "kept"));
    assert_true(has_word("    \"{\", kept, \"\\\"\"\n", "kept"));
    assert_false(has_word("    text(\"kept\");\n", "kept"));
    assert_false(has_word("    text(\"\\\"kept\\\"\");\n", "kept"));
    assert_false(has_word("int keptness;\n", "kept"));
    assert_true(has_word("name(int number)\n", "int number"));
    assert_false(has_word("uint64_t number;\n", "int number"));
    assert_int_equal(visit_lines("src/*.c", check_words), 1);
    assert_true(visit_lines("src/*/*.[ch]", check_words) > 20);
    assert_true(visit_lines("include/*/*.h", check_words) > 20);
}

/* The figures that the house keeps to. */
TEST(it_stays_as_small_as_it_was_planned)
{
    int files = visit_lines("src/*.c", ignore_line) +
                visit_lines("src/*/*.[ch]", ignore_line) +
                visit_lines("include/*/*.h", ignore_line);
    assert_in_range(files, 60, 260);
    struct result result = command_status(0, "longest_chain");
    assert_in_range(atoi(result.out), 3, 8);
    command_free(&result);
}
