# Programs of test_lost.c, see tests/support/commands.sh.
# shellcheck shell=sh disable=SC2154

# Usage: sum NAME: prints the sum of a field in the Influx lines of the file o. Leaves out the
# lines for reads and writes together.
sum() {
    sed -n "/,operation=rw,/d; s/^ioping,.*[ ,]$1=\([0-9]*\)i[ ,].*/\1/p" o |
        awk '{ sum += $1 } END { print sum + 0 }'
}

# Usage: total NAME: prints a metric of the same run, the sum of all operations.
total() {
    sed -n "s/^ioping_$1[{].*[}] //p" x.prom | awk '{ sum += $1 } END { print sum + 0 }'
}

# Usage: periods_add_up OPTION...: prints "same" if all Influx lines together have as many
# missed, failed and counted requests as the metrics of the run, and some were missed.
periods_add_up() {
    "$IOPING" -hang 0 -influx -E -prometheus x.prom "$@" >o 2>e
    status=$?
    counts="$(sum missed) $(sum failed) $(sum count)"
    totals="$(total missed_requests_total) $(total failed_requests_total)"
    totals="$totals $(total request_duration_seconds_count)"
    [ "$counts" = "$totals" ] && [ "$(sum missed)" -gt 0 ] && echo same ||
        echo "missed, failed, counted: $counts; whole run: $totals"
    said >&2
    return "$status"
}

# Usage: sent_or_missed POINTS OPTION...: runs for POINTS intervals, and prints "all" if the
# sent and the missed requests are about POINTS together, and at least a tenth of them were
# missed.
sent_or_missed() {
    points=$1
    shift
    "$IOPING" -hang 0 -C -E -q -J "$@" >o 2>e
    status=$?
    jq -r --argjson points "$points" '.[0].load |
        if .missed >= $points / 10 and .count + .missed >= $points - 3
        and .count + .missed <= $points + 3 then "all" else . end' o
    said >&2
    return "$status"
}
