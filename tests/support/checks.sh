# shellcheck shell=sh disable=SC2154
# Functions for scripts that make named checks and count them. A script reads this file and
# sets $work to a folder for its own files. A check is skipped if a tool that it needs is
# missing. With CI=true in the environment such a check fails instead.

passed=0 failed=0 skipped=0

# Usage: ok NAME: counts and prints a check that passed.
ok() {
    passed=$((passed + 1))
    printf 'ok       %s\n' "$1"
}

# Usage: wrong NAME [REASON]: counts and prints a check that failed.
wrong() {
    failed=$((failed + 1))
    printf 'FAILED   %s\n' "$1${2:+: $2}"
}

# Usage: skip NAME REASON: counts and prints a check that was skipped. With CI=true it failed.
skip() {
    [ "${CI:-}" != true ] || { wrong "$1" "$2"; return; }
    skipped=$((skipped + 1))
    printf 'skipped  %s: %s\n' "$1" "$2"
}

# Usage: check NAME COMMAND...: a check that passes if the command succeeds. If it fails, the
# end of the command's output is printed, and 1 returned.
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

# Usage: same NAME EXPECTED ACTUAL: a check that passes if both texts are equal and not empty.
same() {
    if [ -n "$2" ] && [ "$2" = "$3" ]; then
        ok "$1: $2"
    else
        wrong "$1" "expected '$2', got '$3'"
    fi
}

# Usage: none NAME ACTUAL: a check that passes if ACTUAL, a list of NAME, is empty.
none() {
    if [ -z "$2" ]; then
        ok "no $1"
    else
        wrong "no $1" "$2"
    fi
}

# Usage: have NAME TOOL...: returns 0 if all tools are installed. Otherwise it skips the check
# NAME, because of the first missing tool, and returns 1.
have() {
    title=$1
    shift
    for tool; do
        command -v "$tool" >/dev/null || { skip "$title" "no $tool here"; return 1; }
    done
}

# Usage: sum_up: prints the counts. Returns 1 if a check failed.
sum_up() {
    echo "$passed passed, $failed failed, $skipped skipped"
    [ $failed -eq 0 ]
}
