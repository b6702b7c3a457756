#ifndef PLOT_BROWSER_H
#define PLOT_BROWSER_H

/*
 * Plots in a browser: a page, its script, and the text that the script leaves. The script
 * finds what was added to the page, percent-encoded, in its array `plots`. A test program
 * that includes this needs the shell functions of test_browser.sh.
 */
#include "support.h"

#include "base/buffer.h"

/* Begins the page NAME in the scratch folder. page_end closes it. */
static inline FILE *
page_begin(const char *name)
{
    FILE *page = fopen(formatted("%s/%s", scratch(), name), "w");
    assert_non_null(page);
    fputs("<!doctype html><meta charset=\"utf-8\"><body><script>\nconst plots = [\n",
          page);
    return page;
}

/* Adds LENGTH bytes to the array `plots`. */
static inline void
page_add(FILE *page, const char *bytes, size_t length)
{
    fputc('"', page);
    for (size_t i = 0; i < length; i++)
        fprintf(page, "%%%02x", (unsigned char)bytes[i]);
    fputs("\",\n", page);
}

/* Adds the file NAME of tests/support/tools. */
static inline void
page_add_script(FILE *page, const char *name)
{
    char bytes[4096];
    const char *source = getenv("IOPING_SOURCE");
    FILE *file =
        fopen(formatted("%s/tests/support/tools/%s", source ? source : ".", name), "r");
    assert_non_null(file);
    for (size_t got; (got = fread(bytes, 1, sizeof(bytes), file)) > 0;)
        fwrite(bytes, 1, got, page);
    fclose(file);
}

/* Ends the page with the script NAME, after the functions of draw.js. */
static inline void
page_end(FILE *page, const char *name)
{
    fputs("];\n", page);
    page_add_script(page, "draw.js");
    page_add_script(page, name);
    fputs("</script></body>\n", page);
    assert_int_equal(fclose(page), 0);
}

/* Runs the browser that is installed, with ARGUMENTS. Skips the test if there is none. */
static inline struct result
browse(const char *arguments)
{
    char program[1024];
    struct result found = command("find_browser");
    snprintf(program, sizeof(program), "%.*s", (int)strcspn(found.out, "\n"), found.out);
    command_free(&found);
    if (program[0] == '\0')
        skip_because("needs the program chromium");
    return command_status(0, "browse '%s' %s", program, arguments);
}

/* Opens the page NAME in the browser, with OPTIONS. Returns what its script left. Fails
 * if the script did not come to its end, or found a problem. */
static inline struct result
page_open(const char *name, const char *options)
{
    struct result result = browse(formatted(
        "%s --virtual-time-budget=60000 --dump-dom \"file://$PWD/%s\"", options, name));
    assert_contains(result.out, "\nend\n");
    const char *problem = strstr(result.out, "\nproblem ");
    if (problem)
        fail_msg("%.4000s", problem);
    return result;
}

#endif
