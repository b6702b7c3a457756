/* Names of fields and structs: a name states a role, and has one meaning. */
/* Marks: native */
#include "source_text.h"
#include "support.h"

#include <ctype.h>

#define STRUCTS_MAX 600
#define FUNCTIONS_MAX 4000

/* These words say nothing about a field by themselves: the same word meant up to seven
 * different things. As a part of a name, such as first_version, each of them is fine. */
static const char *const generic[] = {
    "all",   "at",    "because", "begun", "beyond", "counted", "does",  "ends",
    "every", "first", "goes",    "left",  "lifts",  "made",    "more",  "most",
    "over",  "own",   "rest",    "shape", "stays",  "taken",   "times", "whole",
};

/* A struct that a source or a header defines. */
struct definition {
    char name[64];
    char path[256];
};

static struct definition definitions[STRUCTS_MAX];
static int definition_count;

static bool
is_generic(const char *name, size_t length)
{
    for (size_t i = 0; i < LENGTH(generic); i++)
        if (strlen(generic[i]) == length && memcmp(generic[i], name, length) == 0)
            return true;
    return false;
}

/* Returns the bracket that closes the one at OPEN. */
static const char *
find_close(const char *open)
{
    int depth = 0;
    for (const char *at = open; *at; at++) {
        depth += *at == '{';
        depth -= *at == '}';
        if (depth == 0)
            return at;
    }
    fail_msg("a bracket is not closed: %.40s", open);
    return NULL;
}

/* Fails if a field or variable between BEGIN and END, the body of a struct in PATH, has a
 * generic name. A field's name stands before ";", ",", "[" or, in a pointer to a
 * function, ")(".
 */
static void
check_fields(const char *path, const char *begin, const char *end)
{
    for (const char *at = begin; at < end;) {
        if (!isalpha((unsigned char)*at) && *at != '_') {
            at++;
            continue;
        }
        const char *name = at;
        while (isalnum((unsigned char)*at) || *at == '_')
            at++;
        size_t length = (size_t)(at - name);
        const char *next = at + strspn(at, " \n");
        bool is_field = strchr(";,[=", *next) || strncmp(next, ")(", 2) == 0;
        if (is_field && is_generic(name, length))
            fail_msg("%s: the field \"%.*s\" needs a name that states its role", path,
                     (int)length, name);
    }
}

static void
note_definition(const char *path, const char *name, size_t length)
{
    assert_true(definition_count < STRUCTS_MAX);
    struct definition *definition = &definitions[definition_count++];
    snprintf(definition->name, sizeof(definition->name), "%.*s", (int)length, name);
    snprintf(definition->path, sizeof(definition->path), "%s", path);
}

/* Checks every struct that the source TEXT of PATH defines. */
static void
check_structs(const char *path, const char *text)
{
    for (const char *at = text; (at = strstr(at, "struct ")); at += 7) {
        const char *name = at + 7;
        size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz_0123456789");
        const char *open = name + length + strspn(name + length, " \n");
        if (*open != '{')
            continue;
        if (length > 0)
            note_definition(path, name, length);
        check_fields(path, open + 1, find_close(open));
    }
}

/* Fails if a variable of file scope in the source TEXT of PATH has a generic name. Its
 * definition begins a line with "static". */
static void
check_variables(const char *path, const char *text)
{
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, "static ", 7) != 0)
            continue;
        size_t length = strcspn(line, ";={(\n");
        if (line[length] == ';' || line[length] == '=')
            check_fields(path, line, line + length + 1);
    }
}

static void
check_file(const char *path, char *text)
{
    source_blank_comments(text);
    check_structs(path, text);
    check_variables(path, text);
}

/* Each engine of src/io has a struct io_queue, and each system its locks and threads: one
 * of them is in a program. */
static bool
is_one_of_several(const char *name)
{
    return strcmp(name, "io_queue") == 0 || strncmp(name, "os_", 3) == 0;
}

TEST(no_field_or_variable_has_a_generic_name)
{
    assert_true(is_generic("left", 4));
    assert_false(is_generic("lefts", 5));
    definition_count = 0;
    assert_true(source_visit("src/*/*.[ch]", check_file) > 100);
    assert_true(source_visit("include/*/*.h", check_file) > 20);
    assert_true(definition_count > 100);
}

TEST(no_two_structs_have_one_name)
{
    assert_true(definition_count > 100); /* the test before has read them */
    for (int i = 0; i < definition_count; i++)
        for (int k = 0; k < i; k++)
            if (strcmp(definitions[i].name, definitions[k].name) == 0 &&
                !is_one_of_several(definitions[i].name))
                fail_msg("struct %s is in %s and in %s", definitions[i].name,
                         definitions[k].path, definitions[i].path);
}

/* Static functions of all sources but those that are variants for one system. */
static struct definition functions[FUNCTIONS_MAX];
static int function_count;

/* A definition of a static function has the name at the front of the line after
 * "static TYPE". */
static void
note_functions(const char *path, char *text)
{
    source_blank_comments(text);
    for (char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        size_t length = strspn(line, "abcdefghijklmnopqrstuvwxyz_0123456789");
        if (length == 0 || line[length] != '(')
            continue;

        char *before = line - 1;
        while (before > text && before[-1] != '\n')
            before--;
        if (strncmp(before, "static ", 7) != 0)
            continue;
        assert_true(function_count < FUNCTIONS_MAX);
        struct definition *function = &functions[function_count++];
        snprintf(function->name, sizeof(function->name), "%.*s", (int)length, line);
        snprintf(function->path, sizeof(function->path), "%s", path);
    }
}

/* Some static functions of Windows, and of systems that lack a feature, have the same
 * name and purpose as a function of another system. */
static bool
is_system_variant(const char *path)
{
    return strstr(path, "/windows_") || strstr(path, "/fallback.c");
}

TEST(no_two_static_functions_have_one_name)
{
    function_count = 0;
    source_visit("src/*/*.c", note_functions);
    assert_true(function_count > 1000);

    for (int i = 0; i < function_count; i++)
        for (int k = 0; k < i; k++)
            if (strcmp(functions[i].name, functions[k].name) == 0 &&
                !is_system_variant(functions[i].path) &&
                !is_system_variant(functions[k].path))
                fail_msg("%s() is in %s and in %s", functions[i].name, functions[k].path,
                         functions[i].path);
}
