#include "source_text.h"

#include "support.h"

#include <glob.h>

#define TEXT_MAX (1 << 18) /* maximum bytes of a source, with a NUL at its end */

const char *
source_folder(void)
{
    const char *path = getenv("IOPING_SOURCE");
    return path ? path : ".";
}

int
source_visit(const char *pattern, void (*visit)(const char *path, char *text))
{
    static char text[TEXT_MAX];
    char path[1024];
    glob_t found;

    snprintf(path, sizeof(path), "%s/%s", source_folder(), pattern);
    assert_int_equal(glob(path, 0, NULL, &found), 0);

    for (size_t i = 0; i < found.gl_pathc; i++) {
        FILE *file = fopen(found.gl_pathv[i], "r");
        assert_non_null(file);
        size_t size = fread(text, 1, sizeof(text), file);
        fclose(file);
        assert_true(size < sizeof(text));
        text[size] = '\0';
        visit(found.gl_pathv[i] + strlen(source_folder()) + 1, text);
    }

    int count = (int)found.gl_pathc;
    globfree(&found);
    return count;
}

void
source_blank_comments(char *text)
{
    bool is_inside = false;
    for (char *at = text; *at; at++) {
        bool is_end = is_inside && at[0] == '*' && at[1] == '/';
        if (!is_inside && at[0] == '/' && at[1] == '*')
            is_inside = true;
        if (is_end) {
            at[0] = at[1] = ' ';
            is_inside = false;
        } else if (is_inside && *at != '\n') {
            *at = ' ';
        }
    }
}

void
source_blank_literals(char *text)
{
    for (char *at = text; *at; at++) {
        char quote = *at;
        if (quote != '"' && quote != '\'')
            continue;
        for (at++; *at != quote; at++) {
            assert_true(*at && *at != '\n');
            if (*at == '\\')
                *at++ = ' ';
            *at = ' ';
        }
    }
}
