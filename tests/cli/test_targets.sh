# Programs of test_targets.c, see tests/support/commands.sh.
# shellcheck shell=sh disable=SC2154

# Usage: each_has_its_lines_and_the_summaries_are_in_the_order_given FIRST SECOND
each_has_its_lines_and_the_summaries_are_in_the_order_given() {
    ioping -hang 0 -c 3 -i 0 "$1" "$2" >o
    status=$?
    for target in a b; do
        sed -n "s/^4 KiB <<< $target (.*): request=\([0-9]*\) time=.*/\1/p" o | tr '\n' ' '
    done
    head -6 o | grep -c request=
    tail -n +7 o
    ls -A a b >&2
    return "$status"
}

# Usage: table: prints the comparison, from its head to the end of the output.
table() { sed -n '/^target /,$p' o; }

# Usage: names: prints the names of the rows in one line.
names() { table | awk 'NR > 1 && !/^[~?] / { print $1 }' | xargs; }

the_faster_is_first_in_the_comparison() {
    for _ in 1 2 3 4 5; do
        faulty pread@copy/:1-:30ms -C -q -i 0 -c 80 copy data >o
        [ "$(names)" != 'data copy' ] || table | grep -q '([?])' || break
    done
    table
}

# Usage: equal_ones_are_not_ranked TARGET TARGET TARGET ORDER
equal_ones_are_not_ranked() {
    for _ in 1 2 3 4 5; do
        faulty pread@data/:1-:10ms,pread@copy/:1-:10ms,pread@third/:1-:40ms -C -q -i 0 \
            -c 120 "$1" "$2" "$3" >o || return
        found="$(names) $(table | awk 'NR > 2 && NF > 12 && !/^[~?]/ { print $7 }' | xargs)"
        case $found in
        "$4 (~) (+"*) break ;;
        esac
    done
    echo "$found" | sed 's/(+[0-9.]*\.\.+[0-9.]*)/bounds/'
}

nothing_is_known_of_corrected_ones() {
    ioping -hang 0 -C -q -i 1ms -c 150 -corrected copy data >o || return
    table
}

limits_that_all_keep_change_nothing_but_the_comparison() {
    ioping -hang 0 -q -i 0 -c 4 -slo max=1h data copy >o
    status=$?
    table | sed 1d
    return "$status"
}

# Usage: paces_hold_for_each OPTION...
paces_hold_for_each() {
    for _ in 1 2 3 4 5; do
        ioping -C -q -J -w 1s "$@" data copy >o
        counts=$(jq -r 'map(if .load.count > 20 then "many" elif .load.count > 10
            then "right" else "few" end) | join(" ")' o)
        case $counts in
        *many* | 'right right') break ;;
        esac
    done
    echo "$counts"
}

raw_lines_of_a_time_have_it_too() {
    for _ in 1 2 3 4 5; do
        ioping -C -q -P 50ms -w 500ms -i 10ms data copy >o
        counts=$(cut -d' ' -f11- o | sort | uniq -c | awk '{ print ($1 > 2), $2 }' |
            tr '\n' ' ')
        [ "$counts" != '1 copy 1 data ' ] || break
    done
    awk 'NF != 11' o
    echo "$counts"
}

# Usage: json_has_the_records_of_all OPTION
json_has_the_records_of_all() {
    ioping -hang 0 "$1" -c 3 -i 0 -a 0 copy data >o
    status=$?
    jq -s -c 'flatten | length, (.[-2:] | map([.target.path, .stat.count, .load.count])),
        (map(select(.io)) | group_by(.target.path)
        | map([.[0].target.path, map(.io.request)])), (.[-2:] | map(.change.reference))' o
    return "$status"
}

# Usage: values NAME: prints the values of a metric in x.prom with their targets and numbers,
# if any.
values() {
    sed -nE "s/^ioping_$1"'\{.*target="([a-z]*)".*mode="[a-z]*"(,number="([0-9]*)")?\} (.*)/\1 \3 \4/p' \
        x.prom
}

# Usage: the_file_of_metrics_has_all TARGET...
the_file_of_metrics_has_all() {
    rm -f x.prom
    ioping -q -c 3 -i 0 -prometheus x.prom "$@" >o || return
    values requests_total
    values request_duration_seconds_count
    values build_info
    grep '^#' x.prom | sort | uniq -d
    grep -v '^#' x.prom | sed 's/ [^ ]*$//' | sort | uniq -d
}

the_file_of_metrics_has_all_before_the_first_request() {
    rm -f x.prom
    start_faulty pread:1-:hang -C -i 0 -hang 10ms -prometheus x.prom data copy
    until_said 'data: request 1 has had no answer'
    values requests_total
    end INT
}

# Usage: sweep OPTION...: runs a sweep. On a busy machine a step may have no request. Then
# longer steps are tried.
sweep() {
    for window in 40ms 500ms 5s; do
        ioping -hang 0 -C -w "$window" "$@" >o 2>e
        status=$?
        [ -s e ] || break
    done
}

sweeps_are_one_after_another_and_their_tables_together() {
    sweep -sweep size=1k..4k data copy
    cat e >&2
    sed -E 's/ \(.*\) / /; s/^ +([0-9]+ KiB) .*/\1/; s/^ +size .*/head/' o
    return "$status"
}

raw_lines_of_sweeps_have_the_target_in_the_end() {
    sweep -B -sweep threads=1..2 data 'with space'
    cat e >&2
    sed -E 's/^([0-9]+)( [0-9]+){10}/\1/' o
    return "$status"
}

json_of_sweeps_is_one_array() {
    sweep -J -sweep threads=1..2 copy data
    jq -c 'map([.target.path, .sweep.threads])' o
    return "$status"
}

a_limit_that_one_breaks_names_it_and_is_in_the_comparison() {
    faulty pread@copy/:1-:50ms -C -q -i 0 -c 10 -slo min=40ms data copy third >o
    status=$?
    table | sed -n '1p; /^data/p; /^third/p; /^copy/p'
    return "$status"
}

# Usage: an_interrupt_prints_all_summaries_and_the_comparison SIGNAL
an_interrupt_prints_all_summaries_and_the_comparison() {
    start -C -i 20ms data copy third
    until_printed 'data .*request=3 '
    until_printed 'copy .*request=3 '
    until_printed 'third .*request=3 '
    end "$1"
    status=$?
    grep -v ' <<< ' o
    said >&2
    return "$status"
}

an_interrupt_leaves_valid_json() {
    start -J -a 0 -C -i 1h data copy
    until_lines 2 '"request": 1'
    end INT || return
    jq -c '[length, (.[2:] | map([.target.path, .load.count]))]' o
}

# Usage: one_that_hangs_does_not_hold_up_the_others TARGET...
one_that_hangs_does_not_hold_up_the_others() {
    start_faulty pread@copy/:3-:hang -C -i 20ms -hang 100ms -c 5 "$@"
    until_said 'copy: request 3 has had no answer'
    until_printed 'data .*request=5 '
    until_printed 'third .*request=5 '
    end INT
    status=$?
    sed -n '/^--- copy/,/^min/p' o
    table | sed '1d; /^? /d' | sort
    grep -c '^--- ' o
    said >&2
    return "$status"
}

all_that_hang_are_named() {
    start_faulty pread@copy/:2-:hang,pread@data/:3-:hang -C -i 20ms -hang 100ms -c 5 \
        data third copy
    until_said 'copy: request 2 has had'
    until_said 'data: request 3 has had'
    until_printed 'third .*request=5 '
    end INT
    status=$?
    grep -c '^--- ' o
    grep "still waiting" e | sort >&2
    return "$status"
}

# Usage: one_that_fails_does_not_end_the_others [OPTION...]
one_that_fails_does_not_end_the_others() {
    faulty pread@copy/:2:5 -C -i 30ms -c 5 "$@" data copy third >o 2>e
    status=$?
    grep -v ' <<< ' o
    said >&2
    return "$status"
}

# Usage: attach_disks: makes loop devices for the files disk2, disk8 and disk32, and writes
# their names to loop2, loop8 and loop32. Returns 99 if that is not possible.
attach_disks() {
    for disk in 2 8 32; do
        head -c 4M /dev/urandom >disk$disk
        attach -f --show disk$disk >loop$disk || return 99
    done
}

# Usage: compared: prints the name, the median in ns and the ratio of each row of the
# comparison.
compared() {
    awk 'BEGIN { unit["ns"] = 1; unit["us"] = 1e3; unit["ms"] = 1e6; unit["s"] = 1e9 }
        /^--- comparison/ { found = 1; getline; next }
        /^[~?] / { found = 0 }
        found {
            ratio = $5 == "-" ? 1 : $5 ~ /x$/ ? $5 + 0 : 1 + $5 / 100
            print $1, $3 * unit[$4], ratio
        }' o
}

# Usage: judged <ROWS: prints three values for each row of compared: whether the median is at
# least the delay of its device (2, 8 or 32 ms); whether the ratio is that of the printed
# medians, within the rounding of both; and whether the median is 2 to 8 times that of the row
# before. The last may be wrong on a busy machine.
judged() {
    awk 'NR == 1 { first = $2 }
        {
            late = $2 >= 0.999e6 * 2 * 4 ^ (NR - 1)
            off = $3 * first / $2 - 1
            told = off * off < 4e-4
            apart = NR == 1 || ($2 > 2 * before && $2 < 8 * before)
            before = $2
            print late, told, apart
        }' | xargs
}

devices_are_in_the_right_order_with_the_right_ratios() {
    read -r d2 <loop2
    read -r d8 <loop8
    read -r d32 <loop32
    for _ in 1 2 3 4 5; do
        faulty "pread@${d2##*/}/:1-:2ms,pread@${d8##*/}/:1-:8ms,pread@${d32##*/}/:1-:32ms" \
            -i 0 -c 150 "$d32" "$d2" "$d8" >o || return
        compared >rows
        result="$(cut -d' ' -f1 rows | xargs) $(judged <rows)"
        [ "$result" != "$d2 $d8 $d32 1 1 1 1 1 1 1 1 1" ] || break
    done
    echo "$result" | sed "s,$d2 ,2 ,; s,$d8 ,8 ,; s,$d32 ,32 ,"
}
