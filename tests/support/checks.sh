# shellcheck shell=sh disable=SC2154
# Named checks, counted; to be read by scripts. $work is a folder of theirs. What
# cannot be had here is skipped; with CI=true that is a failure.

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

# Usage: check NAME COMMAND...: the end of what it says is shown if it fails.
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

# Usage: same NAME EXPECTED ACTUAL: nothing is not what anybody expects.
same() {
    if [ -n "$2" ] && [ "$2" = "$3" ]; then
        ok "$1: $2"
    else
        wrong "$1" "expected '$2', got '$3'"
    fi
}

# Usage: none NAME ACTUAL
none() {
    if [ -z "$2" ]; then
        ok "no $1"
    else
        wrong "no $1" "$2"
    fi
}

# Usage: have NAME TOOL...: skips the check NAME for the first tool that is not there.
have() {
    title=$1
    shift
    for tool; do
        command -v "$tool" >/dev/null || { skip "$title" "no $tool here"; return 1; }
    done
}

# Usage: sum_up: the last line, and the status of it all.
sum_up() {
    echo "$passed passed, $failed failed, $skipped skipped"
    [ $failed -eq 0 ]
}
