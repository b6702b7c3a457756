/* Compares texts for the tests, and waits for processes. */
#include "support.h"

#include <ctype.h>
#include <regex.h>

/* Returns the length of a unit, and of the blank before it, that TEXT begins with.
 * Returns 0 if TEXT does not begin with a unit. */
static size_t
unit_length(const char *text)
{
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "ns", "us", "ms",
                                        "min", "B",   "s",   "k",   "M",  "G"};
    if (*text != ' ')
        return 0;
    for (size_t i = 0; i < LENGTH(units); i++) {
        size_t length = strlen(units[i]);
        if (strncmp(text + 1, units[i], length) == 0 &&
            !isalpha((unsigned char)text[1 + length]))
            return 1 + length;
    }
    return 0;
}

char *
masked(const char *text)
{
    char *out = malloc(strlen(text) + 1);
    char *end = out;
    assert_non_null(out);
    while (*text) {
        if (isdigit((unsigned char)*text)) {
            while (isdigit((unsigned char)*text) ||
                   (*text == '.' && isdigit((unsigned char)text[1])))
                text++;
            text += unit_length(text);
            *end++ = '#';
        } else if (strncmp(text, " (fast)", 7) == 0 || strncmp(text, " (slow)", 7) == 0) {
            text += 7;
        } else {
            *end++ = *text++;
        }
    }
    *end = '\0';
    return out;
}

const char *
formatted(const char *format, ...)
{
    static char texts[2][2048];
    static int next;
    char *text = texts[next];
    va_list list;

    next = (next + 1) % 2;
    va_start(list, format);
    assert_in_range(vsnprintf(text, sizeof(texts[0]), format, list), 0,
                    sizeof(texts[0]) - 1);
    va_end(list);
    return text;
}

void
assert_contains(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("\"%s\" is not in: %s", part, text);
}

void
assert_lacks(const char *text, const char *part)
{
    if (strstr(text, part))
        fail_msg("\"%s\" is in: %s", part, text);
}

bool
text_matches(const char *text, const char *expression)
{
    regex_t regex;
    assert_int_equal(regcomp(&regex, expression, REG_EXTENDED | REG_NOSUB), 0);
    int status = regexec(&regex, text, 0, NULL, 0);
    regfree(&regex);
    return status == 0;
}

void
assert_matches(const char *text, const char *expression)
{
    if (!text_matches(text, expression))
        fail_msg("\"%s\" does not match: %s", expression, text);
}

void
note_crash(int status)
{
    static const int faults[] = {SIGILL, SIGTRAP, SIGABRT, SIGBUS,
                                 SIGFPE, SIGSEGV, SIGSYS};
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
        if (status == 128 + faults[i])
            printf("crashed: signal %d\n", faults[i]);
    }
}

void
assert_child_succeeds(pid_t child)
{
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFSIGNALED(status))
        note_crash(128 + WTERMSIG(status));
    assert_int_equal(status, 0);
}

pid_t
worker_of(pid_t pid)
{
    struct result result = command_status(0, "worker_of %ld", (long)pid);
    pid_t worker = (pid_t)strtol(result.out, NULL, 10);
    command_free(&result);
    return worker;
}
