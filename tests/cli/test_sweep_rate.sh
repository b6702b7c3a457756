# Programs of test_sweep_rate.c, see tests/support/commands.sh.
# shellcheck shell=sh disable=SC2154

# Usage: served STEPS LOG: prints for each step how many of its counted requests the server
# answered per second, by its log. A line of the file STEPS has two numbers: the requests of
# the step that do not count, which come first, and those that count. The last lines of the
# log are those of the steps. The server answers in the order of the requests. The first line
# printed has the number of other reads.
served() {
    awk 'NR == FNR { before[NR] = $1; counted[NR] = $2; all += $1 + $2; steps = NR; next }
        { begin[FNR] = $4; end[FNR] = $5; lines = FNR }
        END {
            at = lines - all
            print "unknown", at
            for (step = 1; step <= steps; step++) {
                at += before[step]
                first = end[at + 1]
                at += counted[step]
                print "step", (counted[step] - 1) * 1e9 / (end[at] - first)
            }
        }' "$1" "$2"
}

# Usage: search_rates OPTION...: repeats the search if a busy machine kept it below the rate
# of the server. The reads of the last search are in the log after line $begun.
search_rates() {
    for _ in 1 2 3 4 5; do
        begun=$(wc -l <fs.log)
        ioping -hang 0 -w 1 -JJ "$@" fs/f >o 2>e
        highest=$(jq -s 'map(select(.highest))[0].highest.rate // 0' o)
        [ "$highest" -lt 95 ] || break
    done
    cat e >&2
}

# Usage: knee OPTION...: searches for the highest rate, and checks the result by the log. The
# first tenth of a step does not count, in whole intervals. A busy machine may hold up the
# first answer of a step, which the log does not show. It may also keep a step from its rate;
# then the log has too low a rate as well. A rate counts as achieved if less than one request
# of it was late, so the result may be that much higher than the server's rate. The result is
# the rate of the last step that was achieved; the next step above it has little more.
knee() {
    search_rates "$@"
    jq -r 'select(.stat) | .sweep.rate as $rate | (1e9 / $rate | ceil) as $every
        | ([1e9 / $every | ceil, 30] | max) as $count
        | ($count * $every / 10 | floor) as $settle
        | "\(($settle + $every - 1) / $every | floor) \(.load.count)"' o >steps
    tail -n "+$((begun + 1))" fs.log | sort -n -k5 >sorted
    served steps sorted >rates
    # Few reads examine the file before.
    awk '$1 == "unknown" { print ($2 >= 0 && $2 < 8 ? "all" : $2) }' rates
    grep '^step' rates | cut -d' ' -f2 | jq -s . >list
    jq -s -c --slurpfile served list '
        (map(select(.stat)) | to_entries | map({rate: .value.sweep.rate, kept: .value.met,
            achieved: .value.load.iops, served: $served[0][.key]})) as $steps
        | map(select(.highest))[0].highest.rate as $highest
        | ($steps | group_by(.rate) | map(last)) as $last
        | ($last | map(.kept) | index(false)) as $broken
        | [($steps | all(.achieved <= .rate)),
         ($steps | all(.achieved <= .served * 1.05 and .achieved >= .served * 0.8)),
         ($steps | all(.kept == (.achieved >= 0.95 * .rate))),
         ($highest >= 95 and $highest <= 101),
         ($last[$broken - 1] | $highest <= .achieved + 0.5 and $highest >= .achieved - 1),
         $last[$broken].rate <= 1.03 * $last[$broken - 1].rate]
        | if all then . else ., $steps[], $highest end' o
}

# Usage: stall OPTION...: runs 500 requests per second for three seconds. About 150 before
# that do not count. One read hangs for a second, and all others wait for it. A queue has room
# for twice as many requests as become due in that second. Prints whether the latencies
# contain that wait.
stall() {
    ioping -hang 0 -w 3 -sweep rate=500..500 -JJ \
        -percentiles 50,70,80,90,99 "$@" fs/f >o 2>e
    cat e >&2
    jq -c 'select(.stat) | .stat as $s | $s.percentiles as $p
        | [$s.count == 1500, .load.missed == 0, $s.max >= 9.5e8, $p["99"] >= 9.3e8,
           $p["90"] >= 6.5e8, $p["80"] >= 3.5e8, $s.avg >= 1.5e8]
        | if all then . else ., $s end' o | head -1
}

# Usage: beyond RATE: asks for a rate that the server cannot quite reach. The highest rate
# must be the achieved one. Repeats the run if a busy machine did not even reach 95 %.
beyond() {
    for _ in 1 2 3 4 5; do
        ioping -hang 0 -w 5 -sweep "rate=$1..$1" -JJ fs/f >o 2>e
        ! grep -q '"highest": {"rate"' o || break
    done
    cat e >&2
    jq -s -c '(map(select(.stat)) | last.load.iops) as $achieved | map(select(.highest))[0]
        | [.highest.rate <= $achieved + 0.5, .highest.rate >= 0.9 * $achieved]' o
}

# Usage: engine_of FORBIDDEN: prints the engine that the plot names if these system calls are
# forbidden. Leaves out messages about steps without requests, which appear only on a busy
# machine.
engine_of() {
    "$IOPING_FORBID" 1 "$1" "$IOPING" -sweep rate=500..1k -w 50ms -plot rate.svg data \
        data >o 2>e || return
    sed '/-sweep: no request completed in the step /d' e >&2
    grep -oE '(depth|threads|[0-9]+ threads)[^,;<]*' rate.svg | head -1
}

# Usage: depth_without FORBIDDEN OPTION... TARGET: makes a run while these system calls are
# forbidden.
depth_without() {
    forbidden=$1
    shift
    "$IOPING_FORBID" 1 "$forbidden" "$IOPING" "$@"
}

# Usage: load_without FORBIDDEN: makes a run with a load of queue depth 2 while these system
# calls are forbidden.
load_without() {
    "$IOPING_FORBID" 1 "$1" "$IOPING" -c 2 -i 1ms -B -load read,depth=2,rate=100 data
}
