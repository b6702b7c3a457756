# Programs of test_json.c, see tests/support/commands.sh.
# shellcheck shell=sh disable=SC2154

# Usage: kinds FILE: prints the keys of the records in FILE, which has a record in each line,
# and how many lines in a row have the same keys. Leaves out the keys that all records have.
kinds() {
    jq -R -r 'fromjson | del(.timestamp, .localtime, .target) | keys | join("+")' <"$1" |
        uniq -c | sed 's/^ *//'
}

# Usage: told [FILTER] <JSON: prints number and counts of each record. FILTER is the start of
# a jq filter that selects records.
told() {
    jq -c "${1-} [.io.request, .io.size, .stat.count, .load.count]" | tr '\n' ' '
    echo
}

# Usage: both_forms_have_the_same_records OPTION... TARGET: prints the records of a run with
# -J and of one with -JJ.
both_forms_have_the_same_records() {
    ioping -J -a 0 -i 0 "$@" | told '.[] |'
    ioping -JJ -a 0 -i 0 "$@" | told
}

each_line_is_a_record_of_its_own() {
    ioping -JJ -G -p 3 -c 6 -i 0 -a 0 -histogram d >o
    kinds o
    grep -c '^{"timestamp": [0-9.]*, .*}}$' o
    grep -vc '^{.*}$' o
    tail -c 1 o | od -An -c
}

# Usage: distribution EVERY: compares the histogram and the percentiles in o with the times of
# the counted requests. EVERY is the interval in ns for which waits were added to long
# requests. If no waits were added, it is larger than any time. No wait was added for the last
# request, because no request was due after it.
distribution() {
    jq -c --argjson every "$1" '
        ([.[].io | select(. and (.ignored | not)) | .time]
            | [(.[:-1][] | range(.; 0; -$every)), .[-1]]) as $times
        | .[-1].stat as $stat | ($stat.histogram | map(.le)) as $bounds
        | ($stat.histogram | [foreach .[] as $step (0; . + $step.count; [., $step.le])])
            as $sums
        | ($bounds == ($bounds | unique) and ($bounds | length) > 0),
        ($sums | map(. as [$sum, $le]
            | $sum == ($times | map(select(. <= $le)) | length)) | all),
        $sums[-1][0] == ($times | length),
        ($stat.percentiles | to_entries | length > 4 and (map(.value as $value
            | (.key | tonumber * ($times | length) / 100 | ceil) as $rank
            | ($sums | map(select(.[0] >= $rank))[0][1]) as $le
            | $value <= $le and $value > $le - ([1, $le / 128] | max)) | all)),
        ($stat.percentiles | to_entries | map(.value) == (map(.value) | sort)),
        $sums[-1][0] - $stat.count' o
}

# Usage: the_distribution_is_that_of_the_requests [OPTION...] TARGET
the_distribution_is_that_of_the_requests() {
    ioping -J -histogram -percentiles 0.5,10,50,75,99,99.5 -a 3 -c 203 -i 0 "$@" >o
    distribution 1e18
}

the_corrected_distribution_has_the_waits() {
    faulty pread:3:330ms -C -J -corrected -histogram -percentiles 10,20,50,75,90 -a 0 \
        -c 4 -i 40ms data >o
    distribution 40000000
    jq -c '.[-1].stat | .corrected, .percentiles."50" > 40000000' o
}

each_period_has_its_own_distribution() {
    ioping -J -q -C -histogram -corrected -percentiles 50 -a 0 -p 5 -c 13 -i 1h -b 20 \
        data | jq -c '.[] | .stat | [.count, (.histogram | map(.count) | add), .corrected,
            (.percentiles."50" | . > 0)]'
    ioping -J -q -C -a 0 -p 5 -c 10 -i 0 data | jq -c '.[].stat.percentiles | keys'
}

# Usage: parts <JSON: prints for each request whether its flush took a part of its time, or
# null if there was no flush.
parts() {
    jq -c '[.[].io | values
        | if has("sync") then .sync > 0 and .sync < .time else null end]'
}

the_flush_is_told_from_the_write() {
    faulty pwrite:2:5,pwrite:3:200ms,fdatasync:4:200ms -E -J -WWW -i 0 -c 4 -a 0 copy >o
    status=$?
    parts <o
    jq -c '[.[2].io | .time - .sync >= 200000000], [.[3].io | .sync >= 200000000]' o
    return "$status"
}

# Usage: failures_are_records FAULTS [OPTION...]: prints verdicts and counts of a run with
# FAULTS, for -J and for -JJ.
failures_are_records() {
    faults=$1
    shift
    faulty "$faults" -J -C -i 0 -a 0 "$@" data >o
    jq -c . o >array
    faulty "$faults" -JJ -C -i 0 -a 0 "$@" data >o
    status=$?
    jq -c -s . o >lines
    for form in array lines; do
        jq -c '[[.[].io | values | .notice],
            (.[-1] | [.stat.count, .load.count, .load.failed, .load.size])]' "$form"
    done
    return "$status"
}

a_line_is_whole_at_once() {
    start -JJ -a 0 -i 1h data
    until_printed '}}'
    wc -l <o
    kinds o
    end INT
    status=$?
    kinds o
    return "$status"
}

# Usage: stuck OPTION...: starts a run whose third request never ends, and waits for the
# message about it.
stuck() {
    start_faulty pread:3-:hang -C -i 0 -hang 100ms "$@" data
    until_said 'request 3 has had no answer'
}

an_interrupt_ends_the_lines_though_a_request_never_returns() {
    stuck -JJ
    end INT
    status=$?
    kinds o
    tail -1 o | jq -c '[.stat.count, .load.count, .load.failed]'
    return "$status"
}

# Usage: stuck_and_end_at_once OPTION: interrupts such a run twice.
stuck_and_end_at_once() {
    stuck "$1"
    end_at_once
}
a_second_interrupt_leaves_what_can_be_parsed() {
    retry 4 stuck_and_end_at_once "$1"
    status=$?
    jq -c 'def number: .io.request // .stat.count;
        if type == "array" then map(number) else number end' o
    return "$status"
}

# Usage: answer_behind_the_end FILE OPTION...: interrupts a run twice while its third request
# is held. The request ends after the array in FILE has been closed, but before the process
# ends.
answer_behind_the_end() {
    file=$1
    shift
    : >"$file"
    start_faulty pread:3:hold,setsid:1:500ms -C -i 0 "$@" data
    until_held
    worker=$(worker_of "$pid")
    interrupt_twice
    until_true grep -q ']$' "$file"
    release
    reap
    status=$?
    until_true is_released "$worker"
    return "$status"
}
nothing_follows_the_end_of_the_array() {
    retry 4 answer_behind_the_end "$@"
    status=$?
    jq -c 'map(.io.request // .stat.count)' "$1"
    return "$status"
}

the_slowest_request_is_one_that_counts() {
    filter=$(sed -n "/^To find the slowest/,/^\.Ed/s/^ *jq '\(.*\)'\$/\1/p" \
        "$IOPING_SOURCE/man/ioping-output.5")
    faulty pread:1:400ms,pread:5:100ms -C -J -c 8 -i 0 data >o
    jq "$filter" o | jq .request >told
    jq -r '.[].io | values | select(.request > 1) | "\(.time) \(.request)"' o |
        sort -n | tail -n 1 | cut -d' ' -f2 | cmp told - && echo same
}
