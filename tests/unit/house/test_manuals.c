/* The manual pages as a pager of 80 columns shows them. */
/* Marks: native */
#include "support.h"

static const struct expected lines[] = {
    {"ioping_1_is_short", "mandoc", 0, ""},
    {"ioping_1_has_its_sections_in_order", "mandoc", 0, ""},
    {"a_search_for_an_option_finds_its_definition_first", "mandoc", 0, ""},
    {"an_option_has_at_most_six_lines", "mandoc", 0, ""},
    {"every_member_of_json_is_described", "mandoc jq", 0, ""},
    {"a_name_of_another_section_is_a_section", "mandoc", 0, ""},
};

EXPECT_EACH(lines)

/* What a newcomer types into the pager, and the text that answers it. It stands at
 * the first or second line that is found, or within three lines of it. */
static const struct {
    const char *word, *answer;
} searches[] = {
    {"limit", "see LIMITS"},
    {"exit status", "see LIMITS"},
    {"schema", "ioping.schema.json is its schema"},
    {"compare", "see COMPARING"},
    {"sweep", "see SWEEPS"},
    {"prometheus", "see FILES below for a systemd service"},
    {"systemd", "FILES"},
    {"grafana", "FILES"},
    {"-breakdown", "Split each latency into the parts"},
    {"-timeout", "has no answer after this time"},
    {"-load", "see Under load"},
    {"plug-in", "one line, and end with status 0 to 3"},
};

TEST(a_search_finds_the_answer_at_once)
{
    need_program("mandoc");
    for (size_t i = 0; i < LENGTH(searches); i++)
        expect(0, "answered\n", "", "search '%s' '%s'", searches[i].word,
               searches[i].answer);
}
