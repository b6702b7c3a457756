# Programs of test_threads.c, see tests/support/commands.sh.
# shellcheck shell=sh disable=SC2154

# Usage: numbers_are_those_of_the_run [OPTION...]
numbers_are_those_of_the_run() {
    ioping -threads 4 -a 5 -c 40 -i 0 "$@" data >o || return
    sed -nE 's/.*: request=([0-9]+) time.*/\1/p' o | sort -n >numbers
    seq 40 | cmp - numbers
    sed -nE 's/.*: request=([0-9]+) .*\(warmup\)$/\1/p' o | sort -n | tr '\n' ' '
    totals
    ioping -J -threads 4 -a 5 -c 40 -i 0 "$@" data |
        jq -c '[.[] | .io | select(.)] | [(map(.request) | sort == [range(1; 41)]),
            (map(select(.ignored) | .request) | sort),
            (map(select(.notice == "warmup")) | length)]'
}

# Usage: sums_are_those_of_all_records [OPTION...]
sums_are_those_of_all_records() {
    ioping -J -histogram -threads 4 -c 60 -i 0 "$@" -G -S 1m d >o || return
    jq -c '[.[] | .io | select(.) | select(.ignored | not)] as $io | .[-1].stat as $s
        | [$s.count, $s.size == ($io | map(.size) | add),
        $s.time == ($io | map(.time) | add), $s.min == ($io | map(.time) | min),
        $s.max == ($io | map(.time) | max), ($s.histogram | map(.count) | add),
        .[-1].load.count, ($s.iops >= .[-1].load.iops * 59 / 60 * 0.999
        and $s.iops <= $s.count * 1e9 / $s.max * 1.001)]' o
    ls -A d
}

# Usage: five_each [OPTION...]: runs with bursts of five requests. The pause after a burst is
# longer than the run, so each worker sends one burst.
five_each() { ioping -J -e 7 -b 5 -i 1h "$@" data; }

# Usage: offsets_of_fifteen [OPTION...]
offsets_of_fifteen() {
    five_each -threads 3 -c 15 "$@" | jq -c '[.[] | .io | select(.) | .offset] | sort'
}

one_of_three_has_the_offsets_of_one() {
    five_each -c 5 >one
    five_each -threads 3 -c 15 >three
    jq -s -c 'map([.[] | .io | select(.) | .offset]) | [(.[0] | length), (.[1] | length),
        (.[0] - .[1]), (.[1] | unique | length)]' one three
}

# Usage: the_interval_and_the_end_are_those_of_each [OPTION...]
the_interval_and_the_end_are_those_of_each() {
    ioping -B -C -i 400ms -w 1100ms -threads 3 "$@" data 2>e |
        awk '{ print ($9 <= 9), ($9 >= 3) }'
    ioping -B -C -a 0 -i 30ms -c 9 -threads 3 "$@" data 2>e |
        awk '{ print $1, $9, ($10 >= 60e6) }'
}

# Usage: has_three_periods: returns 0 if the run has printed three periods.
has_three_periods() { [ "$(grep -c '"load"' o)" -ge 3 ]; }
periods_add_up() {
    start -JJ -threads 3 -i 1ms "$@" data
    until_true has_three_periods
    end INT
    jq -s -c '.[:-1] | [foreach .[] as $r (
            {io: [], done: null};
            if .done then {io: [], done: null} else . end
            | if $r.io then .io += [$r.io] else .done = $r end;
            select(.done)
            | [.done.load.count == (.io | length),
            .done.stat.count == (.io | map(select(.ignored | not)) | length),
            .done.stat.time == ([.io[] | select(.ignored | not) | .time] | add // 0)]
            | all)] | [length >= 3, all]' o
}

# Usage: raw_lines_after_so_many_requests_of_all [OPTION...]
raw_lines_after_so_many_requests_of_all() {
    ioping -q -p 5 -c 51 -i 0 -threads 3 "$@" data >o || return
    cut -d' ' -f1 o | tr '\n' ' '
    awk '{ n += $9 } END { print n == 50 || n == 51 }' o
}

# Usage: a_signal_wakes_all_that_sleep SIGNAL [OPTION...]
a_signal_wakes_all_that_sleep() {
    signal=$1
    shift
    start -a 0 -i 1h -threads 5 "$@" data
    until_lines 5
    end "$signal"
    status=$?
    cat e >&2
    totals
    return "$status"
}

# Usage: interim_statistics_are_of_all [OPTION...]
interim_statistics_are_of_all() {
    start -a 0 -i 1h -threads 4 "$@" data
    until_lines 4
    kill -USR1 "$pid"
    until_said requests
    end INT
    cat e
}

a_failure_of_one_ends_them_all() {
    faulty pread:20:5,pread:1-:2ms -C -J -a 0 -i 0 -threads 4 data >o
    status=$?
    jq -c '.[-1].load as $l | [$l.failed, $l.count >= 20,
        (map(.io.notice // 0) | index("EIO") >= 16), .[-1].stat.count == $l.count - 1]' o
    return "$status"
}

failures_that_are_ignored_are_counted() {
    faulty pread:4-/4:5 -C -E -a 0 -c 80 -i 0 -threads 3 data >o
    status=$?
    grep -c EIO o
    totals
    return "$status"
}

one_that_hangs_does_not_hold_the_others() {
    start_faulty pread:5:hang -C -a 0 -i 10ms -c 40 -hang 100ms -threads 3 data
    until_lines 39
    until_named 1
    end INT
    status=$?
    named | wc -l
    grep -c '^39 requests completed' o
    grep -c '^generated 40 requests' o
    said >&2
    return "$status"
}

all_that_hang_are_told_of() {
    start_faulty pread:4-:hang -C -a 0 -i 20ms -hang 100ms -threads 3 data
    until_lines 3
    until_named 3
    end INT
    status=$?
    said | tail -1
    { named; sed -n 's/.*: request=\([0-9]*\) .*/\1/p' o; } | sort -n | tr '\n' ' '
    totals
    return "$status"
}

# Runs with at most 5 threads, as a user that nobody else is, because the limit counts all
# threads of a user.
# Usage: too_few_threads_are_refused_before_the_first_request [OPTION...] TARGET
too_few_threads_are_refused_before_the_first_request() {
    cp -f "$IOPING" prober
    chmod 755 prober
    cp data copy
    chmod 644 data
    chmod 666 copy
    mkdir -p own
    user=$((60000 + $$ % 4000))
    chown "$user" own
    for _ in 1 2; do
        setpriv --reuid="$user" --regid="$user" --clear-groups prlimit --nproc=5 \
            timeout -k 1 60 ./prober -hang 0 -threads 9 -c 20 -i 0 "$@" 2>e
        status=$?
    done
    ls -A own
    cmp data copy
    cat e >&2
    return "$status"
}

corrected_percentiles_are_those_of_all() {
    faulty pread:1-3:650ms -C -JJ -q -a 0 -corrected -percentiles 60 -i 200ms -c 12 \
        -threads 3 data | jq -c '[.stat.corrected, .stat.count, .load.missed >= 9,
            .stat.percentiles["60"] > 150000000]'
}

# Usage: a_stuck_worker_misses_its_points [OPTION...]: one read takes a second, in which the
# other worker sends the remaining requests. The server's log tells how many requests of the
# stuck worker became due between the begins of that read and of the last one. Prints whether
# most of them count as missed.
a_stuck_worker_misses_its_points() {
    ioping -J -J -q -i 10ms -c 150 -threads 2 -corrected "$@" fs/f >o 2>e || return
    sort -n -k 4 fs.log >sorted
    from=$(awk '$5 - $4 > 1e9 { print $4; exit }' sorted)
    due=$(tail -n 1 sorted | awk -v from="$from" '{ print int(($4 - from) / 1e7) }')
    jq -c --argjson due "$due" '[$due > 20, .load.missed >= 0.8 * $due,
        .stat.percentiles["99"] > 3e8]' o
}
