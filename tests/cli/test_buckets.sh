# Programs of test_buckets.c, see tests/support/commands.sh.
# shellcheck shell=sh disable=SC2154

metric=ioping_request_duration_seconds_bucket

# Usage: keep OPTION...: makes a run with its metrics in x.prom, and writes the times of all
# requests in ns to the file all. Most requests take at least a millisecond. Requests that take
# over a second do not count.
keep() {
    faulty 'pread:1-/2:1ms,pread:2-/4:2ms,pread:4-/8:5ms' \
        -C -q -a 0 -T 1s -i 0 -c 400 -p 1 -prometheus x.prom "$@" data >o || return
    cut -d ' ' -f 2 o | sort -n >all
}

# Usage: compare_counts PERCENT: compares the count of each bucket with the number of times up
# to its bound, and prints wrong buckets. A bucket may leave out times that are at most
# PERCENT below its bound. The last line is the number of buckets.
compare_counts() {
    sed -n "s/^$metric{.*le=\"\([0-9].*\)\"} /\1 /p" x.prom >counts
    awk -v percent="$1" '
        BEGIN { while ((getline time <"all") > 0) list[++n] = time }
        {
            bound = sprintf("%.0f", $1 * 1e9) + 0
            most = least = 0
            for (i = 1; i <= n; i++) {
                most += list[i] <= bound
                least += list[i] <= bound * (1 - percent / 100)
            }
            if ($2 > most || $2 < least)
                print $1, $2, least, most
        }
        END { print NR }' counts
}

default_counts_are_exact() {
    keep || return
    compare_counts 0
}

counts_of_other_bounds_have_nothing_slower() {
    keep -buckets 110us,150us,333us,777us,1ms,1234567ns,5ms,5.2ms,10ms,1 || return
    compare_counts 0.79
}

# Usage: expect QUANTILE: prints a test for promtool. The quantile that Prometheus computes
# from the buckets must be between 0.7062 and 1.4161 times the true one. A bucket is that
# wide.
expect() {
    time=$(awk -v quantile="$1" '
        { list[NR] = $1 }
        END { at = quantile * NR; at += at > int(at); print list[int(at)] }' all)
    awk -v quantile="$1" -v time="$time" -v metric="$metric" 'BEGIN {
        printf "      - expr: \"count(histogram_quantile(%s, %s) > %.9f < %.9f)\"\n",
            quantile, metric, time * 0.7062e-9, time * 1.4161e-9
        print "        exp_samples: [{labels: \"{}\", value: 1}]"
    }'
}

prometheus_is_never_more_wrong_than_a_bucket_is_wide() {
    keep || return
    {
        printf 'tests:\n  - interval: 1m\n    input_series:\n'
        sed -n "s/^\($metric.*\) \([0-9]*\)\$/      - {series: '\1', values: '\2'}/p" x.prom
        printf '    promql_expr_test:\n'
        for quantile in 0.5 0.9 0.99; do
            expect "$quantile"
        done
    } >quantiles.yml
    grep -c '{series:' quantiles.yml
    promtool test rules quantiles.yml >said 2>&1 && grep -o SUCCESS said || cat said
}

metrics_with_such_bounds_are_sound() {
    ioping -q -i 0 -c 9 -W -buckets 1ns,500us,0.005,1,3599.123456789 -prometheus x.prom d \
        >o || return
    sed -n 's/.*duration_seconds_bucket{.*\(le=".*"\)} .*/\1/p' x.prom
    promtool check metrics <x.prom
}
