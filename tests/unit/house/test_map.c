/* The map of the sources, src/README.md, agrees with the files. */
/* Marks: native */
#include "support.h"

#include <dirent.h>

#define PATH 1100

static const char *
top(void)
{
    const char *path = getenv("IOPING_SOURCE");
    return path ? path : ".";
}

/* Reads the map; to be freed. */
static char *
read_map(void)
{
    char path[PATH];
    snprintf(path, sizeof(path), "%s/src/README.md", top());
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    char *text = calloc(1, 65536);
    assert_non_null(text);
    assert_in_range(fread(text, 1, 65535, file), 1000, 65534);
    fclose(file);
    return text;
}

/* Returns whether a word between backticks is a path: of one of these folders, or of a
 * file that stands at the top. */
static bool
is_path(const char *word)
{
    static const char *const starts[] = {"src/", "include/", "tests/", "man/",
                                         "Makefile"};
    for (size_t i = 0; i < LENGTH(starts); i++)
        if (strncmp(word, starts[i], strlen(starts[i])) == 0)
            return strpbrk(word, " *=") == NULL;
    return false;
}

/* Takes the next word between backticks from *TEXT; false after the last. */
static bool
next_word(const char **text, char *word, size_t size)
{
    const char *start = strchr(*text, '`');
    const char *end = start ? strchr(start + 1, '`') : NULL;
    if (!end)
        return false;
    snprintf(word, size, "%.*s", (int)(end - start - 1), start + 1);
    *text = end + 1;
    return true;
}

TEST(every_path_on_the_map_exists)
{
    char *map = read_map(), word[256], path[PATH];
    const char *at = map;
    struct stat info;
    int paths = 0;
    while (next_word(&at, word, sizeof(word))) {
        if (!is_path(word))
            continue;
        snprintf(path, sizeof(path), "%s/%s", top(), word);
        if (stat(path, &info) < 0)
            fail_msg("src/README.md names %s, which does not exist", word);
        paths++;
    }
    assert_true(paths > 40);
    free(map);
}

TEST(every_folder_of_the_source_is_on_the_map)
{
    char *map = read_map(), path[PATH], name[300];
    snprintf(path, sizeof(path), "%s/src", top());
    DIR *folder = opendir(path);
    assert_non_null(folder);
    int folders = 0;
    for (struct dirent *entry; (entry = readdir(folder));) {
        if (entry->d_name[0] == '.' || strchr(entry->d_name, '.'))
            continue;
        snprintf(name, sizeof(name), "`src/%s/`", entry->d_name);
        if (!strstr(map, name))
            fail_msg("src/README.md does not name %s", name);
        folders++;
    }
    closedir(folder);
    assert_true(folders >= 10);
    free(map);
}

/* Whoever opens the source for the first time reads it whole. */
TEST(it_is_one_page)
{
    char *map = read_map();
    int lines = 0;
    for (const char *at = map; *at; at++)
        lines += *at == '\n';
    assert_in_range(lines, 40, 150);
    free(map);
}
