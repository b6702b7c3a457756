# Programs of test_print.c, see tests/support/commands.sh.
# shellcheck shell=sh disable=SC2154

# As a script would do it.
a_script_takes_a_percentile_as_a_number() {
    p99=$(ioping -q -c 200 -i 0 -print p99 data) || return
    case $p99 in
    '' | *[!0-9]*) echo "$p99" ;;
    *) echo integer ;;
    esac
    [ "$p99" -lt 1000000000 ] && echo less
}

# The second field of a raw line is the time of the only request. Percentiles are in the middle
# of a bin of the histogram, which is at most 1/128 of the value wide.
values_are_those_of_the_raw_lines() {
    list=count,min,avg,max,p50,p90,p99
    ioping -C -i 0 -c 200 -record raw -print $list data >values || return
    cut -d' ' -f2 raw | sort -n | awk '
        function rank(share) { return int(NR * share + 0.999999) }
        { time[NR] = $1; sum += $1 }
        END { print NR, time[1], int(sum / NR), time[NR], time[rank(0.5)], time[rank(0.9)],
            time[rank(0.99)] }' >expected
    paste -d ' ' values expected | awk '
        function near(value, other) { return value > other * 0.995 && value < other * 1.005 }
        { print $1, ($2 == $9 && $3 == $10 && $4 == $11) ? "same" : $0
            print "p50", near($5, $12) ? "near" : $0
            print "p90", near($6, $13) ? "near" : $0
            print "p99", near($7, $14) ? "near" : $0 }'
    ioping -compare -print $list raw | cmp - values && echo 199 same
}

# JSON goes to a file, and the values of the same run to standard output.
values_are_those_of_json() {
    ioping -J -output o -C -i 1ms -c 200 -print p50,p99,min,avg,max,mdev,iops,bps,count,missed \
        data >values || return
    jq -r '.[-1] | [.stat.percentiles["50"], .stat.percentiles["99"], .stat.min, .stat.avg,
        .stat.max, .stat.mdev, (.stat.iops | round), .stat.bps, .stat.count, .load.missed] |
        join(" ")' <o | cmp - values && echo same
}

each_target_has_a_line_in_order() {
    ioping -C -i 0 -c 10 -print count data d data
}

operations_have_values_of_their_own() {
    ioping -G -a 0 -i 0 -c 60 -print read-count,write-count,sync-count,count d || return
    ioping -G -a 0 -i 0 -c 60 -print read-max,write-max,max d |
        awk '{ print ($3 == ($1 > $2 ? $1 : $2)) ? "same" : $0 }'
}

phases_have_values_of_their_own() {
    ioping -C -a 0 -i 1ms -c 100 -load read,rate=100 -print idle-p90,loaded-p90,recovered-p90 \
        data >o || return
    grep -cE '^[0-9]+ [0-9]+ [0-9]+$' o | sed 's/^1$/3 integers/'
}

without_a_phase_a_value_is_of_all_phases() {
    list=count,idle-count,loaded-count,recovered-count,max,idle-max,loaded-max,recovered-max
    ioping -C -i 1ms -c 20 -warmup 0 -load read,rate=100 -print "$list" data >o || return
    awk '{ print $2 + $3 + $4
        max = $6 > $7 ? $6 : $7
        max = max > $8 ? max : $8
        print ($1 == $2 + $3 + $4 && $5 == max) ? "same" : $0 }' o
}

# The time at the device is a part of the time of a request.
parts_have_values_of_their_own() {
    ioping -breakdown -a 0 -i 1ms -c 60 -print device-avg,avg d >o || return
    awk '{ print ($1 > 0 && $1 < $2) ? "less" : $0 }' o
}

lines_of_periods_come_one_by_one() {
    start_piped -print count -C -a 0 -i 1ms -p 50 data
    until_printed 50
    until_true has_more_lines 2
    [ -e closed ] || echo open
    end INT
    echo $?
    head -n 3 o
}
# The second request is due after an hour, or the run waits for it until the signal.
an_interruption_is_the_reason_of_an_unknown_value() {
    start -print p99 -C -c 1000 -i 1h -a 0 data
    until_idle
    end INT
    status=$?
    cat o
    cat e >&2
    return "$status"
}

has_more_lines() { [ "$(wc -l <o)" -gt "$1" ]; }

nothing_else_is_printed() {
    for options in '' -q '-R -w 9' -histogram '-I -b 3'; do
        # shellcheck disable=SC2086
        ioping $options -C -c 9 -i 0 -print count data || return
    done
}

# Usage: an_interrupt_does_not_lose_the_values SIGNAL: prints the status, and "same" if the
# value is the count of the metrics.
an_interrupt_does_not_lose_the_values() {
    rm -f x.prom
    start -print count -C -a 0 -r 1000 -prometheus x.prom -every 10ms data
    until_true has_metrics
    end "$1"
    echo $?
    sed -n 's/^ioping_request_duration_seconds_count.* //p' x.prom | cmp - o && echo same
}
has_metrics() { grep -q '^ioping_request_duration_seconds_count.* [1-9]' x.prom 2>/dev/null; }
