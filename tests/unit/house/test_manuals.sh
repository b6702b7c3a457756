# Programs of test_manuals.c, see tests/support/commands.sh.
# shellcheck shell=sh

# Usage: page NAME: prints a manual page as a pager of 80 columns shows it.
page() {
    mandoc -T ascii -O width=80 "$IOPING_SOURCE/man/$1" | sed "s/.$(printf '\b')//g"
}

ioping_1_is_short() {
    page ioping.1 >text
    [ "$(wc -l <text)" -le 600 ] || wc -l text
}

ioping_1_has_its_sections_in_order() {
    page ioping.1 | grep '^[A-Z][A-Z ]*$' >sections
    printf '%s\n' NAME SYNOPSIS DESCRIPTION EXAMPLES OPTIONS OUTPUT LIMITS SWEEPS COMPARING \
        SAFETY SIGNALS 'EXIT STATUS' ENVIRONMENT FILES COMPATIBILITY 'SEE ALSO' |
        diff - sections
}

# Usage: options_section: prints the section OPTIONS of ioping(1).
options_section() {
    page ioping.1 | sed -n '/^OPTIONS/,/^OUTPUT/p'
}

# A user searches in the pager for "^ *-depth" or "^ *-s, -size".
a_search_for_an_option_finds_its_definition_first() {
    page ioping.1 >text
    "$IOPING" -h all | sed -nE 's/^  +(-(.), |)--([a-z-]+).*/\2 \3/p' >options
    [ "$(wc -l <options)" -gt 50 ] || wc -l options
    while read -r letter name; do
        [ -n "$name" ] || { name=$letter; letter=''; }
        head="     ${letter:+-$letter, }-$name"
        # A format is attached to its option.
        [ "$letter" != I ] || head="     -I[format], -time[format]"
        first=$(grep -E -m 1 "^ *(-$letter(\[[a-z]*\])?, )?-$name\>" text)
        case $first in
        "$head" | "$head "*) ;;
        *) echo "-$name: found first: $first" ;;
        esac
    done <options
}

# The first line of an option is indented by 5 columns, and its text by more.
an_option_has_at_most_six_lines() {
    options_section | awk '
        /^     -[^ ]/ { option = $0; count = 0; found++ }
        /^   [^ ]/ { option = "" }
        option && /[^ ]/ && ++count == 7 { print "more than 6 lines:" option }
        END { if (found < 50) print found " options" }'
}

# Includes the members of objects that have no name themselves, such as objects in an array.
every_member_of_json_is_described() {
    page ioping-output.5 | sed -n '/^   Members/,/^[A-Z]/p' | tr -cs 'a-z0-9_\n' '\n' |
        sort -u >words
    command jq -r '.. | objects | .properties? | objects | keys[]' \
        "$IOPING_SOURCE/man/ioping.schema.json" | sort -u >members
    [ "$(wc -l <members)" -gt 50 ] || wc -l members
    comm -13 words members
}

# If a page says "see LIMITS", it has a section with that name.
a_name_of_another_section_is_a_section() {
    for name in ioping.1 ioping-output.5 ioping-statistics.7; do
        page "$name" >text
        sed -n 's/^\.Sx \(.*[^ .,:;]\) *[.,:;]*$/\1/p; s/.* Sx \([A-Z].*[^ .,:;]\) *[.,:;]*$/\1/p' \
            "$IOPING_SOURCE/man/$name" | tr ',' '\n' | sed 's/^ *//; s/ *$//' |
            while read -r section; do
                grep -qxE " {0,3}$section" text || echo "$name: no section $section"
            done
    done
}

# Usage: search WORD ANSWER: prints "answered" if ANSWER is near the first or second line of
# ioping(1) that contains WORD, where a pager would show it. WORD is in lower case and also
# finds capitals.
search() {
    page ioping.1 >text
    grep -n -i -m 2 -e "$1" text | cut -d: -f1 | while read -r line; do
        sed -n "$((line - 2)),$((line + 3))p" text | tr -s '\n ' '  ' | grep -qF "$2" || continue
        echo answered
    done | head -n 1
}
