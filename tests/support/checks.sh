# shellcheck shell=sh disable=SC2154
# Named checks, counted; scripts read this file and set $work to a folder of their own. A
# check whose tool is missing is skipped; with CI=true that is a failure.

passed=0 failed=0 skipped=0
ok() {
    passed=$((passed + 1))
    printf 'ok       %s\n' "$1"
}
wrong() {
    failed=$((failed + 1))
    printf 'FAILED   %s\n' "$1${2:+: $2}"
}
skip() {
    [ "${CI:-}" != true ] || { wrong "$1" "$2"; return; }
    skipped=$((skipped + 1))
    printf 'skipped  %s: %s\n' "$1" "$2"
}

# Usage: check NAME COMMAND...: a failure shows the end of the command's output.
check() {
    title=$1
    shift
    if "$@" >"$work/said" 2>&1; then
        ok "$title"
    else
        wrong "$title" "status $?"
        tail -n 100 "$work/said" | sed 's/^/         /'
        return 1
    fi
}

# Usage: same NAME EXPECTED ACTUAL: fails also if EXPECTED is empty.
same() {
    if [ -n "$2" ] && [ "$2" = "$3" ]; then
        ok "$1: $2"
    else
        wrong "$1" "expected '$2', got '$3'"
    fi
}

# Usage: none NAME ACTUAL: fails unless ACTUAL is empty.
none() {
    if [ -z "$2" ]; then
        ok "no $1"
    else
        wrong "no $1" "$2"
    fi
}

# Usage: have NAME TOOL...: skips the check NAME for the first tool that is missing.
have() {
    title=$1
    shift
    for tool; do
        command -v "$tool" >/dev/null || { skip "$title" "no $tool here"; return 1; }
    done
}

# Usage: sum_up: prints the counts; ends with 1 if a check failed.
sum_up() {
    echo "$passed passed, $failed failed, $skipped skipped"
    [ $failed -eq 0 ]
}
