# Programs of test_influx.c, see tests/support/commands.sh.
# shellcheck shell=sh disable=SC2154

# Usage: fields NAME: prints the values of a field in the lines of the file o, without the
# suffix i.
fields() { sed -n "s/^[^ ].*[ ,]$1=\([0-9.]*\)i\{0,1\}[ ,].*/\1/p" o; }

# Usage: sum NAME: prints the sum of the values of a field.
sum() { fields "$1" | awk '{ sum += $1 } END { print sum + 0 }'; }

# Regular expressions for a line: the grammar of
# docs.influxdata.com/influxdb/v2/reference/syntax/line-protocol, with the tags and fields that
# ioping-output(5) lists.
tag_value='([^\\, =[:cntrl:]]|\\[, =]|\\[^\\, =[:cntrl:]])+'
float='[0-9]+(\.[0-9]+)?' integer='[0-9]+i'
tags="path=$tag_value(,(operation|mode|number|phase)=[a-z0-9]+)+"
part_tags="path=$tag_value(,(operation|mode|number|part|phase)=[a-z0-9_]+)+"
figure="(p[0-9.]+|min|avg|max|mdev|iops|bps)=$float,"
counts="count=$integer,failed=$integer,missed=$integer"

# Usage: breaks_the_grammar: prints the lines of o that do not match, or "nothing" if o is
# empty.
breaks_the_grammar() {
    LC_ALL=C grep -vE "^(ioping,$tags ($figure)*$counts|ioping_part,$part_tags ($figure)*\
count=$integer) [0-9]{19}\$" o
    [ -s o ] || echo nothing
}

# Usage: make_odd: makes a file whose name, $odd, has all characters that must be escaped in a
# tag.
make_odd() {
    odd=$(printf 'a,b c=d"e\\,f\\\ng\303\251\377 \134')
    cp data "$odd"
}

lines_keep_to_the_grammar() {
    make_odd
    ioping -influx -i 1ms -c 30 -P 7ms data "$odd" d >o || return
    breaks_the_grammar
    ioping -influx -G -i 1ms -c 30 -p 7 d >o || return
    breaks_the_grammar
    ioping -influx -i 1ms -c 30 -P 7ms -load read,rate=100 d >o 2>e || return
    breaks_the_grammar
    grep -o 'phase=[a-z]*' o | uniq
}

# Usage: metric NAME OPERATION: prints a count from the metrics of the same run.
metric() { sed -n "s/^ioping_$1_duration_seconds_count.*operation=\"$2\".* //p" x.prom; }

# Compares the sums of the counts in all lines with the metrics: of each operation, of both
# together, and of flushes.
what_is_apart_adds_up() {
    ioping -influx -G -a 0 -i 1ms -c 60 -P 9ms -prometheus x.prom d >o || return
    breaks_the_grammar
    name=',operation=([a-z]*),mode=[a-z]*(,part=([a-z]*))?'
    sed -E "s/.*$name.*[ ,]count=([0-9]*)i.*/\\1\\3 \\4/" o |
        awk '{ sum[$1] += $2 } END { for (name in sum) print name, sum[name] }' | sort >sums
    reads=$(metric request read) writes=$(metric request write)
    printf '%s\n' "read $reads" "rw $((reads + writes))" "rwsync $(metric sync write)" \
        "write $writes" | cmp - sums && [ "$reads" -gt 0 ] && [ "$writes" -gt 0 ] && echo same
}

# Compares the sums of all lines with the metrics: counts exactly, and times within 1 ns for
# each request.
parts_are_those_of_the_metrics() {
    ioping -influx -breakdown -i 1ms -c 60 -P 9ms -prometheus x.prom d >o || return
    breaks_the_grammar
    sed -E 's/^ioping_part.*,part=([a-z]*) .*avg=([0-9.]*),.*count=([0-9]*)i .*/\1 \3 \2/; t; d' o |
        awk '{ sum[$1] += $2; time[$1] += $2 * $3 }
            END { for (name in sum) printf "%s %d %.9f\n", name, sum[name], time[name] }' |
        sort >sums
    for part in device queue return submit; do
        of="ioping_request_part_seconds_[a-z]*{.*part=\"$part\"} "
        echo "$part $(sed -n "s/^$of//p" x.prom | xargs)"
    done | paste -d ' ' - sums | awk '
        { off = ($2 - $6) * 1e9 }
        { print $1, ($1 == $4), ($3 == $5 && $3 > 0), (off > -1 && off <= $3 + 1) }'
}

# Decodes the tag of a path and compares it with the path.
paths_come_back_from_their_tags() {
    make_odd
    ioping -influx -i 0 -c 1 "$odd" >o || return
    sed 's/^ioping,path=//; s/,operation=.*//; s/\\\([, =]\)/\1/g
        s/\\\([0-7][0-7][0-7]\)/\\0\1/g' o >tag
    [ "$(printf '%b' "$(cat tag)")" = "$odd" ] && echo same
}

# Usage: all_lines_together_have_all_requests OPTION...: prints "several" if several lines have
# requests, and the sum of their counts.
all_lines_together_have_all_requests() {
    ioping -influx -C -a 0 -i 1ms "$@" data >o || return
    fields count | awk '$1 > 0' | sed -n '2s/.*/several/p'
    sum count
}

what_is_left_of_a_period_is_the_last_line() {
    ioping -influx -C -a 0 -i 0 -c 25 -p 10 data >o || return
    fields count
    ioping -influx -C -a 0 -i 0 -c 20 -p 10 data >o || return
    fields count
    ioping -influx -C -a 0 -i 0 -c 25 -P 0 data >o || return
    fields count
    ioping -influx -B -C -a 0 -i 50ms -c 25 data >o || return
    fields count
}

# Usage: kept_counts: prints the count of requests in the metrics.
kept_counts() { sed -n 's/^ioping_request_duration_seconds_count.* //p' x.prom; }

# Usage: what_a_signal_cuts_off_is_a_line_too SIGNAL
what_a_signal_cuts_off_is_a_line_too() {
    start -influx -C -a 0 -r 1000 -p 50 -P 1h -prometheus x.prom data
    until_printed count=50i
    end "$1"
    echo $?
    [ "$(sum count)" = "$(kept_counts)" ] && echo same
}

# Compares the figures with the metrics of the same run: counts exactly, and the sum of times
# within 1 ns for each request.
figures_are_those_of_the_metrics() {
    ioping -influx -C -i 1ms -c 100 -P 9ms -prometheus x.prom data >o || return
    count=$(kept_counts)
    time=$(sed -n 's/^ioping_request_duration_seconds_sum.* //p' x.prom)
    [ "$(sum count)" = "$count" ] && echo "$count"
    fields count >counts
    fields avg | awk -v time="$time" '
        BEGIN { while ((getline count <"counts") > 0) if (count > 0) list[++n] = count }
        { sum += $1 * list[++at]; all += list[at] }
        END { off = (time - sum) * 1e9; print (off > -all && off < all + all) }'
}

# All times of a period with one request are the time of that request.
a_period_of_one_is_that_request() {
    ioping -influx -C -percentiles 1,50,99.9 -i 0 -c 10 -p 1 -s 8k data >o || return
    tr ',=' '  ' <o | awk '{
        for (i = 1; i < NF; i++)
            value[$i] = $(i + 1)
        same = value["p1"] == value["p50"] && value["p50"] == value["p99.9"] &&
            value["min"] == value["avg"] && value["avg"] == value["max"]
        rate = value["iops"] * value["avg"]
        bytes = value["bps"] / value["iops"]
        near = value["p50"] / value["avg"]
        print same, (value["min"] > 0), (value["mdev"] == 0), value["count"],
            (near == 1), (rate > 0.9999 && rate < 1.0001), (bytes > 8190 && bytes < 8194)
    }' | sort | uniq -c | tr -s ' '
}

has_idle_lines() { [ "$(grep -c ' count=0i,failed=0i,missed=0i ' o)" -ge "$1" ]; }

# While the run waits an hour for its second request, it prints lines without requests.
periods_without_a_request_have_counts() {
    start -influx -i 1h -P 10ms data
    until_true has_idle_lines 5
    end INT
    echo $?
}

lines_come_one_by_one() {
    start_piped -influx -i 1ms -P 10ms data
    until_printed count
    until_true has_more_lines 3
    [ -e closed ] || echo open
    end INT
    echo $?
}
has_more_lines() { [ "$(wc -l <o)" -gt "$1" ]; }

times_are_those_of_the_clock_and_rise() {
    before=$(date +%s)
    ioping -influx -i 1ms -c 50 -P 5ms data >o || return
    after=$(date +%s)
    sed 's/.* \([0-9]*\)[0-9]\{9\}$/\1/' o |
        awk -v from="$before" -v to="$after" '$1 < from || $1 > to'
    sed 's/.* //' o >stamps
    sort -n stamps | cmp - stamps
    uniq -d stamps
}

failures_are_counted() {
    faulty pread:3:5,pread:5:5 -influx -E -C -a 0 -i 0 -c 9 -P 1h data >o 2>e
    echo $?
    fields count
    fields failed
}

nothing_else_is_printed() {
    for options in '' -q -R '-q -R' '-p 3' '-P 1ms'; do
        # shellcheck disable=SC2086
        ioping -influx $options -c 9 -i 0 data >o || return
        [ -s o ] || echo nothing
        sed '/^ioping,/d' o
    done
}

# On a busy machine a step may have too few requests. Then longer steps are tried.
steps_have_lines_of_their_own() {
    for window in 50ms 500ms 5s; do
        ioping -influx -sweep threads=1..4 -w "$window" -slo max=1h data >o 2>e
        status=$?
        [ -s e ] || break
    done
    cat e >&2
    [ "$status" -eq 0 ] || return
    sed 's/.* \([a-z_]*=[0-9]*i\).*/\1/' o
    grep -c ',met=true ' o
}

two_targets_have_a_line_each() {
    ioping -influx -C -i 0 -c 20 -P 1h data d data >o || return
    sed 's/ .*//' o | sort
    sum count
}
