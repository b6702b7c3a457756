# Programs of test_sweep_limits.c, see tests/support/commands.sh.
# shellcheck shell=sh disable=SC2154

# Usage: sweep_limited LINE OPTION...: runs a sweep and returns its status. Repeats it if a
# busy machine delayed requests, so that the last line does not match LINE.
sweep_limited() {
    line=$1
    shift
    for _ in 1 2 3 4 5; do
        ioping -hang 0 -w 1 "$@" fs/f >o 2>e
        status=$?
        ! tail -1 o | grep -q -e "$line" || break
    done
    cat e >&2
    return "$status"
}

# Usage: rows LINE OPTION...: prints the value of each step with its last column, and the
# lines after the table.
rows() {
    sweep_limited "$@"
    awk 'NR > 3 && /^ / { print $1, $NF } /^[a-z]/' o |
        sed 's/ *$//; s/ (.*//'
    return "$status"
}

# Usage: records LINE OPTION...: prints for each step its verdict and whether that agrees with
# its median, and the last record.
records() {
    sweep_limited "$@"
    jq -s -c 'map(select(.stat)) | map([.sweep[], .met, (.stat.percentiles["50"] <= 1.5e8) == .met])' o
    jq -c 'select(.highest) | .highest, keys' o
    return "$status"
}

# Usage: interrupted_sweep OPTION...: interrupts a sweep when it has printed a step.
interrupted_sweep() {
    start -U -sweep depth=1..64 "$@" fs/f
    until_true has_step
    end INT
    status=$?
    cat e >&2
    return "$status"
}
has_step() { grep -qE '^ +[0-9]|"sweep"' o; }

# Usage: text_answer: prints the last line, in which the value of the last row becomes LAST.
text_answer() {
    last=$(awk 'NR > 3 && /^ / { last = $1 } END { print last }' o)
    tail -1 o | sed "s/at least $last /at least LAST /; s/ (.*)//"
}

# Usage: json_answer: prints the answer, in which the value of the last step becomes LAST.
json_answer() {
    jq -s -c '(map(select(.sweep)) | last.sweep.depth) as $last | last.highest |
        if .depth == $last then .depth = "LAST" else . end' o
}
