# Programs of test_csv.c, see tests/support/commands.sh.
# shellcheck shell=sh disable=SC2154

# Usage: read_csv COMMAND FILE ARGUMENT...: see read_csv.py.
read_csv() { python3 "$tests/support/tools/read_csv.py" "$@"; }

# Usage: rows COLUMN...: prints these columns of each row of the file o.
rows() { read_csv rows o "$@"; }

# The paths have what must be quoted or escaped, and what looks like an escape.
paths_come_back_from_their_fields() {
    one=$(printf 'a,b "c"\n\r\tg\303\251\377 \\012')
    two=$(printf '\\\n\\1"')
    cp data "$one" && cp data "$two" && cp data plain || return
    ioping -csv -i 0 -c 2 plain "$one" "$two" >o || return
    read_csv paths o plain "$one" "$two"
}

# The lines of the requests are on the screen, and the row is in the file.
figures_are_those_of_the_requests() {
    for count in 1000 99; do
        ioping -csv -output o -C -i 0 -c "$count" data >lines || return
        read_csv requests o lines
    done
}

what_is_left_of_a_period_is_the_last_row() {
    ioping -csv -C -a 0 -i 0 -c 25 -p 10 data >o || return
    rows count
    ioping -csv -C -a 0 -i 0 -c 20 -p 10 data >o || return
    rows count
    ioping -csv -C -a 0 -i 0 -c 25 -P 0 data >o || return
    rows count
    ioping -csv -B -C -a 0 -i 0 -c 25 data >o || return
    rows count
}

# Usage: all_rows_together_have_all_requests OPTION...: prints "several" if several rows have
# requests, and the sum of their counts.
all_rows_together_have_all_requests() {
    ioping -csv -C -a 0 -i 1ms "$@" data >o || return
    rows count | awk '$1 > 0' | sed -n '2s/.*/several/p'
    rows count | awk '{ sum += $1 } END { print sum }'
}

# Each write has a flush, so there are as many flushes as writes.
operations_add_up() {
    ioping -csv -G -a 0 -i 0 -c 60 -p 9 d >o || return
    rows scope count | awk '{ sum[$1] += $2 }
        END { print sum["all"], sum["read"], sum["write"], sum["sync"] }' >sums
    echo 60 30 30 30 | cmp - sums && echo same
}

phases_have_a_row_each() {
    ioping -csv -C -a 0 -i 1ms -c 20 -load read,rate=100 data >o || return
    rows phase count
}

# On a busy machine a step may have too few requests. Then longer steps are tried.
steps_have_a_row_each() {
    for window in 50ms 500ms 5s; do
        ioping -csv -sweep threads=1..4 -w "$window" -slo max=1h data >o 2>e
        status=$?
        [ -s e ] || break
    done
    cat e >&2
    [ "$status" -eq 0 ] || return
    rows threads met
}

recorded_runs_have_a_row_each() {
    ioping -C -a 0 -i 0 -c 20 -record r data >/dev/null || return
    ioping -C -a 0 -i 0 -c 9 -record s data >/dev/null || return
    ioping -csv -compare r s r >o || return
    rows target scope count
    rows time failed missed | sed '/[^ ]/!d'
}

times_are_those_of_the_clock_and_rise() {
    before=$(date -u +%Y-%m-%dT%H:%M:%S)
    ioping -csv -C -i 1ms -c 50 -P 5ms data >o || return
    after=$(date -u +%Y-%m-%dT%H:%M:%S)
    rows time >stamps
    grep -vE '^[0-9]{4}(-[0-9]{2}){2}T([0-9]{2}:){2}[0-9]{2}\.[0-9]{6}Z$' stamps
    cut -c1-19 stamps | awk -v from="$before" -v to="$after" '$1 < from || $1 > to'
    LC_ALL=C sort stamps | cmp - stamps
    uniq -d stamps
}

# Prints how many different fractions of 20 ms the times of periods have, but for the last period
# of each target; then how many times the rows of whole runs have.
targets_share_the_times_of_periods() {
    ioping -csv -C -i 1ms -w 210ms -P 20ms data d >o || return
    rows target time >stamps
    for target in data d; do
        grep "^$target " stamps | sed '$d'
    done | sed 's/.*\.//; s/Z$//' | awk '{ print $1 % 20000 }' | sort -u | wc -l
    ioping -csv -C -i 0 -c 9 data d >o || return
    rows time | sort -u | wc -l
}

# The second request comes after one interval of 40 ms, and the third would be due at the end of
# the work time. So the run ends with the second request, in the middle of a period of 30 ms. If
# the machine stalls for an interval, there is only one request. Then all times become longer.
the_last_row_has_its_own_duration() {
    for factor in 1 4 16 64; do
        ioping -csv -C -a 0 -i $((40 * factor))ms -w $((80 * factor))ms \
            -P $((30 * factor))ms data >o || return
        rows count elapsed_ns >durations
        [ "$(awk '{ count += $1 } END { print count }' durations)" != 2 ] || break
    done
    awk -v interval=$((40000000 * factor)) '{ count += $1; sum += $2; last = $2 }
        END { print (count == 2 && sum >= interval && last < sum) ? "rest" : $0 }' durations
}

failures_are_counted() {
    faulty pread:3:5,pread:5:5 -csv -E -C -a 0 -i 0 -c 9 data >o 2>e
    echo $?
    rows count failed
}

# Prints how many lines there are.
nothing_else_is_printed() {
    for options in '' -q '-R -w 9' '-q -R -w 9' '-p 8' '-P 1h'; do
        # shellcheck disable=SC2086
        ioping -csv $options -C -c 9 -i 0 data >o || return
        wc -l <o
        sed '1{/^time,target,/d}; /,data,all,8,/d' o
    done
}

a_file_has_the_rows_and_the_screen_the_report() {
    ioping -csv -output o -C -c 9 -i 0 data >lines || return
    rows target scope count
    grep -o '^8 requests completed' lines
}

rows_come_one_by_one() {
    start_piped -csv -C -i 1ms -P 10ms data
    until_printed data,all
    until_lines_rise 3
    [ -e closed ] || echo open
    end INT
    echo $?
}
has_more_lines() { [ "$(wc -l <o)" -gt "$1" ]; }
until_lines_rise() { until_true has_more_lines "$1"; }

# Usage: what_a_signal_cuts_off_is_a_row_too SIGNAL: prints the status, and "same" if all rows
# together have as many requests as the metrics of the run.
what_a_signal_cuts_off_is_a_row_too() {
    start -csv -C -a 0 -r 1000 -p 50 -P 1h -prometheus x.prom data
    until_printed ,data,all,50,
    end "$1"
    echo $?
    rows count | awk '{ sum += $1 } END { print sum }' >sum
    sed -n 's/^ioping_request_duration_seconds_count.* //p' x.prom | cmp - sum && echo same
}
