/* The language of the sources: comments say things plainly, a statement decides once. */
/* Marks: native */
#include "source_text.h"
#include "support.h"

#include <ctype.h>

/* Phrases that made comments hard to read, because they leave out a noun or turn the
 * sentence around. A phrase matches whole words. It may begin with a capital letter, but
 * names of parameters in capitals, such as WHAT, do not match. */
static const struct {
    const char *phrase;
    const char *instead;
    int max_count; /* in one comment: two chained "that of" are hard to follow, not one */
} phrases[] = {
    {"all the same", "anyway"},
    {"at the most", "at most"},
    {"but for", "except"},
    {"for want of", "because of missing"},
    {"in vain", "fails"},
    {"one of which", "the noun again"},
    {"one that", "the noun again", .max_count = 1},
    {"so long", "N ns long"},
    {"so many", "N"},
    {"so often", "N times"},
    {"that of", "the noun again", .max_count = 1},
    {"those of", "the noun again", .max_count = 1},
    {"under way", "in flight, or the noun"},
    {"what has", "the thing's name"},
    {"what is", "the thing's name"},
    {"what was", "the thing's name"},
};

/* Returns where PHRASE stands in TEXT as whole words, or NULL. */
static const char *
find_phrase(const char *text, const char *phrase)
{
    size_t length = strlen(phrase);
    for (const char *at = text; *at; at++) {
        bool is_begin = at == text || !isalnum((unsigned char)at[-1]);
        bool is_same = tolower((unsigned char)*at) == *phrase &&
                       strncmp(at + 1, phrase + 1, length - 1) == 0;
        if (is_begin && is_same && !isalnum((unsigned char)at[length]))
            return at;
    }
    return NULL;
}

/* Returns the number of times that PHRASE stands in TEXT. */
static int
count_phrase(const char *text, const char *phrase)
{
    int count = 0;
    while ((text = find_phrase(text, phrase))) {
        text += strlen(phrase);
        count++;
    }
    return count;
}

/* Copies the comment from BEGIN to END into TEXT, of SIZE bytes, as one line without
 * asterisks. */
static void
copy_comment(const char *begin, const char *end, char *text, size_t size)
{
    size_t length = 0;
    for (const char *at = begin; at < end && length + 1 < size; at++) {
        bool is_blank = isspace((unsigned char)*at) || *at == '*';
        if (!is_blank)
            text[length++] = *at;
        else if (length > 0 && text[length - 1] != ' ')
            text[length++] = ' ';
    }
    text[length] = '\0';
}

static int comment_count;

static void
check_comments(const char *path, char *text)
{
    char comment[8192];
    for (char *begin = text; (begin = strstr(begin, "/*"));) {
        const char *end = strstr(begin, "*/");
        assert_non_null(end);
        copy_comment(begin + 2, end, comment, sizeof(comment));
        comment_count++;
        for (size_t i = 0; i < LENGTH(phrases); i++)
            if (count_phrase(comment, phrases[i].phrase) > phrases[i].max_count)
                fail_msg("%s: write %s in place of \"%s\": %s", path, phrases[i].instead,
                         phrases[i].phrase, comment);
        begin = text + (end - text);
    }
}

TEST(comments_repeat_their_nouns)
{
    assert_non_null(find_phrase("The file is one that grows.", "one that"));
    assert_non_null(find_phrase("That of a plan", "that of"));
    assert_null(find_phrase("done that", "one that"));
    assert_null(find_phrase("so longer", "so long"));
    assert_null(find_phrase("unless WHAT is NULL", "what is"));
    assert_int_equal(count_phrase("that of one, and that of another", "that of"), 2);

    comment_count = 0;
    source_visit("src/*.c", check_comments);
    source_visit("src/*/*.[ch]", check_comments);
    source_visit("include/*/*.h", check_comments);
    assert_true(comment_count > 2000);
}

/* Returns the number of letters C between BEGIN and END. */
static int
count_letters(const char *begin, const char *end, char c)
{
    int count = 0;
    for (const char *at = begin; at < end; at++)
        if (*at == c)
            count++;
    return count;
}

/* Returns the end of the condition of the statement that starts at BEGIN, or BEGIN if it
 * has no condition. Its literals are blanked. */
static const char *
find_condition_end(const char *begin, const char *end)
{
    const char *word = begin + strspn(begin, " \n");
    if (strncmp(word, "else", 4) == 0)
        word += 4 + strspn(word + 4, " \n");
    if (strncmp(word, "if (", 4) != 0 && strncmp(word, "while (", 7) != 0)
        return begin;

    int depth = 0;
    for (const char *at = word; at < end; at++) {
        if (*at == '(')
            depth++;
        if (*at == ')' && --depth == 0)
            return at;
    }
    return end;
}

/* Returns what is wrong with the statement between BEGIN and END, or NULL. */
static const char *
judge_statement(const char *begin, const char *end)
{
    if (count_letters(begin, end, '?') > 1)
        return "decides more than once; use if, or a function";
    if (count_letters(begin, find_condition_end(begin, end), '?') > 0)
        return "has a ?: inside its condition";
    return NULL;
}

static int statement_count;

/* A statement ends with ";", "{" or "}" outside of parentheses. The rows of a table,
 * which end with "}", may decide more than once. */
static void
check_statements(const char *path, char *text)
{
    source_blank_comments(text);
    source_blank_literals(text);

    const char *begin = text;
    int depth = 0;
    for (const char *at = text; *at; at++) {
        if (*at == '(')
            depth++;
        if (*at == ')')
            depth--;
        if (depth > 0 || !strchr(";{}", *at))
            continue;
        const char *wrong = *at == '}' ? NULL : judge_statement(begin, at);
        if (wrong)
            fail_msg("%s: a statement %s: %.*s", path, wrong, (int)(at - begin), begin);
        statement_count++;
        begin = at + 1;
    }
}

static const char *
judge(const char *statement)
{
    return judge_statement(statement, statement + strlen(statement));
}

TEST(a_statement_decides_once)
{
    assert_null(judge("a = b ? c : d"));
    assert_non_null(judge("a = b ? c : d ? e : f"));
    assert_non_null(judge(" else if (a ? b : c) d = 1"));
    assert_null(judge("if (a) b = c ? d : e"));

    statement_count = 0;
    source_visit("src/*.c", check_statements);
    source_visit("src/*/*.[ch]", check_statements);
    source_visit("include/*/*.h", check_statements);
    assert_true(statement_count > 5000);
}
