# Programs of test_sweep_interval.c, see tests/support/commands.sh.
# shellcheck shell=sh disable=SC2154

# Usage: is_idle FILE: returns 0 if the medians of the records are those of a device that
# sleeps after 80 ms: long from an interval of 80 ms on, and short below it.
is_idle() {
    jq -e -s 'map(select(.stat)) | length == 5 and
        all((.stat.percentiles["50"] >= 1e7) == (.sweep.interval >= 8e7))' "$1" >/dev/null
}

# Usage: sweep_idle OPTION...: runs a sweep of intervals with its JSON in the file o. Repeats
# it if a busy machine delayed half of the requests of a step.
sweep_idle() {
    for _ in 1 2 3; do
        ioping -JJ -hang 0 -w 300ms -sweep interval=10ms..160ms -percentiles 50 "$@" \
            fs/f >o 2>e
        status=$?
        ! is_idle o || break
    done
    cat e >&2
}

# Usage: gaps: prints for each step the median time in ms between the begins of its reads in
# the server's log. Each step begins with a read that its record does not count.
gaps() {
    jq -r 'select(.load) | .load.count + 1' o >counts
    awk 'FNR == NR { count[++steps] = $1; all += $1; next }
        { begin[++reads] = $4 }
        END {
            at = reads - all
            for (i = 1; i <= steps; at += count[i++])
                for (k = at + 2; k <= at + count[i]; k++)
                    print i, (begin[k] - begin[k - 1]) / 1e6
        }' counts fs.log | sort -k1n -k2n | awk '
        { list[$1, ++n[$1]] = $2 }
        END { for (i = 1; i in n; i++) print list[i, int((n[i] + 1) / 2)] }'
}

each_interval_has_its_time_and_thirty_requests() {
    sweep_idle
    jq -c -s 'map([.sweep.interval / 1e6, .stat.count >= 30, .load.count == .stat.count,
        .load.iops <= 1e9 / .sweep.interval])' o
    jq -s -c 'map(.stat.percentiles["50"] >= 1e7)' o
    gaps | awk '{ expected = 10 * 2 ^ (NR - 1); printf "%d ",
        ($1 > expected * 0.8 && $1 < expected * 1.25) }'
    return "$status"
}

the_longest_that_keeps_a_limit_is_the_last_without_sleep() {
    sweep_idle -slo p50=8ms
    jq -c 'if .highest then .highest else [.sweep.interval / 1e6, .met] end' o
    return "$status"
}
