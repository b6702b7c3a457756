# Programs of test_distribution.c, see tests/support/commands.sh.
# shellcheck shell=sh disable=SC2154

a_slow_request_is_the_last_percentile() {
    for _ in 1 2 3 4 5; do
        faulty pread:12:300ms -J -q -C -a 0 -i 0 -c 20 -percentiles 95,95.1,99 data >o ||
            return
        told=$(jq -c '.[0].stat | .max as $max | [.max >= 300000000,
            (.percentiles | map(. >= 298e6 and . > $max * 0.995 and . <= $max))]' o)
        [ "$told" != '[true,[false,true,true]]' ] || break
    done
    echo "$told"
}

# Usage: compare_ranks OPTION: one of 12 requests, 100 ms apart, takes a second. With -corrected
# waits of 900 ms, 800 ms and so on are added to the 12 times, and likewise for any other long
# request but the last. A percentile must be the time at its rank, within 0.5 %. Prints whether
# the percentiles are those of the times alone, and whether they are those with the waits.
compare_ranks() {
    faulty pread:3:1000ms -J -C "$1" -a 0 -i 100ms -c 12 -percentiles 75,90 data >o &&
        jq -c 'def ranks($every): [.[].io | values | .time]
                | [(.[:-1][] | range(.; 0; -$every)), .[-1]] | sort | . as $times
                | [75, 90] | map($times[(. * ($times | length) / 100 | ceil) - 1]);
            [ranks(1e18), ranks(1e8)] as $both
            | .[-1].stat.percentiles | [."75", ."90"] as $told
            | $both | map([., $told] | transpose
            | map((.[1] - .[0] | fabs) <= ([1, .[0] * 0.005] | max)) | all)' o
}
corrected_percentiles_have_the_waits() {
    compare_ranks -L
    compare_ranks -corrected
}

# Usage: a_text_histogram_is_as_wide_as_the_terminal COLUMNS LOCALE: prints the width of a
# histogram on such a terminal, and the character of which its bars are made.
a_text_histogram_is_as_wide_as_the_terminal() {
    script -qec "stty cols $1; LC_ALL=$2 \"\$IOPING\" -q -i 0 -c 101 -histogram data" \
        /dev/null >o && tr -d '\r' <o | sed -n '/ above /,$p' >histogram &&
        LC_ALL=C.UTF-8 wc -L <histogram &&
        sed 1d histogram | LC_ALL=C grep -q -e '#' && echo '#'
    ! grep -q '█' histogram || echo '█'
}
