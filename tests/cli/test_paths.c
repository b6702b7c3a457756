/* Targets with unusual characters in their paths, and that a run leaves no files
 * behind. */
/* Marks: posix */
#include "support.h"

#include "base/buffer.h"

#define FIFTY "abcdefghijklmnopqrstuvwxyz-ABCDEFGHIJKLMNOPQRSTUVW"
#define LONGEST FIFTY FIFTY FIFTY FIFTY FIFTY "12345" /* 255 bytes */

/* A name, how it is shown, and what a JSON reader gets (NULL: the name). */
static const struct {
    const char *name, *shown, *json;
} names[] = {
    {"with space", "with space", NULL},
    {"  (two) ", "  (two) ", NULL},
    {"it's \"quoted\"", "it's \"quoted\"", NULL},
    {"back\\slash", "back\\slash", NULL},
    {"100%s%n", "100%s%n", NULL},
    {"line\nbreak\ttab\r", "line\\012break\\011tab\\015", NULL},
    {"\033[31mred\033[0m", "\\033[31mred\\033[0m", NULL},
    {"delete\177", "delete\\177", NULL},
    {"caf\303\251 \342\202\254 \360\237\222\276",
     "caf\303\251 \342\202\254 \360\237\222\276", NULL},
    {"bad \377\376 utf8", "bad \377\376 utf8", "bad \357\277\275\357\277\275 utf8"},
    {"cut \342\202", "cut \342\\202", "cut \357\277\275\357\277\275"},
    {"c1 \23331m", "c1 \\23331m", "c1 \357\277\27531m"},
    {"c1 \302\23331m", "c1 \\302\\23331m", NULL},
    {"safe\342\200\256gpj.\342\200\254x", "safe\\342\\200\\256gpj.\\342\\200\\254x",
     NULL},
    {"\330\234\342\201\247", "\\330\\234\\342\\201\\247", NULL},
    {"-dash", "-dash", NULL},
    {"$(touch x) `y` ;|&*?", "$(touch x) `y` ;|&*?", NULL},
    {LONGEST, LONGEST, NULL},
};

/* Makes directory NAME in scratch(), or a file of 64 KiB. */
static void
make_target(const char *name, bool directory)
{
    char path[8192];
    static char zeros[65536];
    snprintf(path, sizeof(path), "%s/%s", scratch(), name);
    if (directory) {
        assert_true(mkdir(path, 0755) == 0 || errno == EEXIST);
        return;
    }
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    memset(zeros, 'x', sizeof(zeros));
    assert_int_equal(fwrite(zeros, sizeof(zeros), 1, file), 1);
    assert_int_equal(fclose(file), 0);
}

/* NAME as one word of the shell. */
static const char *
quoted(const char *name)
{
    static char text[20000];
    char *end = text;
    *end++ = '\'';
    for (; *name; name++)
        end += sprintf(end, *name == '\'' ? "'\\'%c" : "%c", *name);
    strcpy(end, "'");
    return text;
}

static void
remove_target(const char *name)
{
    shell("rm -rf -- %s", quoted(name));
}

static void
assert_shown(const char *out, const char *shown)
{
    char line[2048];
    snprintf(line, sizeof(line), "4 KiB <<< %s (", shown);
    if (strncmp(out, line, strlen(line)) != 0)
        fail_msg("not \"%s\": %s", line, out);
    snprintf(line, sizeof(line), "\n--- %s (", shown);
    assert_contains(out, line);
}

static void
assert_no_control_characters(const char *text)
{
    struct escape_character character;
    while (escape_next(&text, &character))
        if (character.kind == ESCAPE_BIDI ||
            (character.kind == ESCAPE_CONTROL && character.code != '\n'))
            fail_msg("U+%04X before: %s", (unsigned)character.code, text);
}

TEST(people_see_control_characters_escaped)
{
    for (size_t i = 0; i < 2 * LENGTH(names); i++) {
        const char *name = names[i / 2].name;
        make_target(name, i % 2);
        struct result result =
            command_status(0, "ioping -C -c 2 -i 0 -- %s", quoted(name));
        assert_string_equal(result.err, "");
        assert_shown(result.out, names[i / 2].shown);
        assert_no_control_characters(result.out);
        command_free(&result);
        remove_target(name);
    }
}

TEST(json_gives_the_path_back)
{
    need_program("jq");
    for (size_t i = 0; i < LENGTH(names); i++) {
        const char *json = names[i].json ? names[i].json : names[i].name;
        make_target(names[i].name, false);
        expect(0, json, "",
               "ioping -C -J -c 2 -i 0 -- %s >o && jq -j '.[2].target.path' o",
               quoted(names[i].name));
        struct result result = command_status(0, "cat o");
        assert_no_control_characters(result.out);
        assert_lacks(result.out, "\377");
        assert_lacks(result.out, " \233");
        command_free(&result);
        remove_target(names[i].name);
    }
}

TEST(errors_show_control_characters_escaped)
{
    for (size_t i = 0; i < LENGTH(names); i++)
        expect(2, "",
               formatted("ioping: %s: No such file or directory; name a directory, file "
                         "or device that exists\n",
                         names[i].shown),
               "ioping -- %s", quoted(names[i].name));
}

/* Directories of 200 bytes and a last one, in all LENGTH bytes. */
static const char *
deep(size_t length)
{
    static char path[4096];
    size_t used = 0;
    while (used < length) {
        size_t left = length - used, step = left > 250 ? 200 : left;
        memset(path + used, 'd', step);
        used += step;
        if (used < length)
            path[used++] = '/';
    }
    path[used] = '\0';
    return path;
}

TEST(a_path_of_thousands_of_bytes_is_shown_whole)
{
    need_program("jq");
    const char *path = deep(4000);
    char *expected = malloc(8192);
    assert_non_null(expected);
    struct result result = command_status(
        0, "mkdir -p %s && ioping -C -c 2 -i 0 %s | cut -d' ' -f4 | uniq", path, path);
    snprintf(expected, 8192, "%s\n", path);
    assert_memory_equal(result.out, expected, strlen(expected));
    assert_string_equal(result.err, "");
    command_free(&result);
    expect(0, expected, NULL, "ioping -C -Jc 2 -i 0 %s | jq -r .[2].target.path", path);
    free(expected);
}

/* The name of the working file does not fit behind it any more. */
TEST(a_path_too_long_for_the_kept_file_is_refused)
{
    const char *path = deep(4089);
    expect(-1, "2\n0\n", "~^ioping: d{200}/[d/]+: .*(File n|Filen)ame too long[^\n]*\n$",
           "mkdir -p %s && ioping -k -c 2 -i 0 %s >o; echo $?; "
           "cd ddd*; find . -type f | wc -l",
           path, path);
}

/* However long the path is, the reason and the end of the line are there. */
TEST(lines_about_long_paths_keep_their_reason)
{
    need_direct_io();
    const char *path = deep(1200);
    expect(0, NULL,
           "~^ioping: d{200}[^\n]*: direct I/O [^\n]*: evicting the page cache before "
           "each request instead\n",
           "mkdir -p %s && head -c 8k /dev/zero >%s/f && ioping -c 2 -i 0 -s 513 %s/f >o",
           path, path, path);
    expect(2, NULL,
           "~^ioping: d{200}[^\n]*: No such file or directory; name a directory, file or "
           "device that exists\n$",
           "ioping %s/missing", path);
}

/* A target in the folder that make_tree makes, and the label that it gets. */
static const char *const ways[] = {
    "tree/dir",         "tree/dir/",          "tree/dir//", "./tree/../tree/dir",
    "tree/link-to-dir", "tree/link-to-dir/.", "tree/file",  "tree/link-to-file",
};

static int
make_tree(void **state)
{
    (void)state;
    signal(SIGHUP, SIG_DFL); /* as at a terminal, whatever started the tests */
    shell("mkdir -p tree/dir && head -c 65536 /dev/urandom >tree/file && ln -s dir "
          "tree/link-to-dir && ln -s file tree/link-to-file");
    return 0;
}

GROUP_SETUP(make_tree)

TEST(the_label_is_the_path_as_it_was_given)
{
    for (size_t i = 0; i < LENGTH(ways); i++) {
        struct result result = command_status(0, "ioping -C -c 2 -i 0 %s", ways[i]);
        assert_string_equal(result.err, "");
        assert_shown(result.out, ways[i]);
        command_free(&result);
        result =
            command_status(0, "ioping -C -c 2 -i 0 $PWD/%s | sed \"s|$PWD/||\"", ways[i]);
        assert_shown(result.out, ways[i]);
        command_free(&result);
    }
}

TEST(the_kept_file_is_made_behind_a_slash_or_a_link)
{
    static const char *const directories[] = {"tree/dir", "tree/dir/",
                                              "tree/link-to-dir"};
    for (size_t i = 0; i < LENGTH(directories); i++)
        expect(
            0, "tree:\ndir\nfile\nlink-to-dir\nlink-to-file\n\ntree/dir:\nioping.tmp\n",
            NULL,
            "ioping -k -B -c 2 -i 0 %s >o; ls -A tree tree/dir; rm tree/dir/ioping.tmp",
            directories[i]);
    expect(0, "ioping.tmp\n", NULL,
           "cd tree/dir && ioping -k -B -c 2 -i 0 . >../../o; ls -A; rm ioping.tmp");
}

TEST(nothing_is_left_after_a_run)
{
    static const char *const options[] = {
        "", "-W", "-G", "-C", "-R -w 0.1", "-L -S 2m", "-s 2m -S 1m", "-D -s 100"};
    for (size_t i = 0; i < LENGTH(options); i++) {
        struct result result = command(
            "mkdir -p clean; ioping -c 3 -i 0 %s clean >o 2>e; ls -A clean", options[i]);
        if (result.out[0])
            fail_msg("%s leaves %s", options[i], result.out);
        command_free(&result);
    }
}

TEST(nothing_is_left_however_the_run_is_ended)
{
    static const struct {
        const char *signal;
        int status;
    } cases[] = {{"INT", 0}, {"TERM", 143}, {"HUP", 129}, {"KILL", 137}};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct result result =
            command("nothing_is_left_however_the_run_is_ended %s", cases[i].signal);
        char expected[16];
        snprintf(expected, sizeof(expected), "%d\n", cases[i].status);
        if (strcmp(result.out, expected) != 0)
            fail_msg("%s: %s%s", cases[i].signal, result.out, result.err);
        command_free(&result);
    }
}
