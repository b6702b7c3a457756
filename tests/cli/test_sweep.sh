# Programs of test_sweep.c, see tests/support/commands.sh.
# shellcheck shell=sh disable=SC2154

# Usage: sweep OPTION... TARGET: runs a sweep with its output in the files o and e, and sets
# $status. On a busy machine a step may have too few requests. Then longer steps are tried.
sweep() {
    for window in 40ms 500ms 5s; do
        ioping -hang 0 -w "$window" "$@" >o 2>e
        status=$?
        grep -q 'ended at' e || grep -qE ' - |"count": ?0,' o || break
    done
}

# Usage: told: prints stderr without messages about steps that had no request on a busy machine.
told() { sed '/^ioping: -sweep: no request completed in the step /d' e; }

# Usage: values_double_between_the_ends OPTION... TARGET
values_double_between_the_ends() {
    sweep -B "$@"
    cut -d' ' -f1 o | tr '\n' ' '
    awk 'NF != 11' o
    ls -A d
    return "$status"
}

# Usage: the_table_has_a_head_and_aligned_rows OPTION...
the_table_has_a_head_and_aligned_rows() {
    sweep -C "$@" data
    cat e >&2
    sed -n '1,2s/(.*)/()/; 1,3p' o
    echo
    tail -n +4 o | awk '{ print length }' | sort -u
    sed -n 3p o | awk '{ print length }'
    tail -n +4 o
}

percentiles_of_too_few_requests_are_not_shown() {
    for _ in 1 2 3 4 5; do
        faulty pread:1-:20ms -sweep threads=1..1 -w 500ms -C data 2>e | tail -1 >o
        [ "$(grep -c ' ms$' o)" != 1 ] || break
    done
    cat o
}

# Usage: json_has_a_record_per_step SIZE OPTION...: SIZE is a jq filter for the request size
# of a record.
json_has_a_record_per_step() {
    size=$1
    shift
    sweep -C "$@" data
    [ "$status" = 0 ] || return
    jq -s -c 'flatten | map(.sweep)' o
    jq -s 'def near(a; b): (a - b) * (a - b) <= 1e-10 * b * b + 1;
        flatten | [.[] | .stat as $s | .load as $l
        | keys == ["load", "localtime", "stat", "sweep", "target", "timestamp"],
        $l.failed == 0, $l.missed == 0, near($l.iops; $l.count * 1e9 / $l.time),
        near($l.bps; $l.size * 1e9 / $l.time), $s.size == $s.count * '"$size"',
        near($s.bps; $s.iops * $s.size / $s.count), ($s.iops > $l.iops * 0.99),
        $s.min <= $s.avg and $s.avg <= $s.max] | all' o
}

# Usage: sweep_slowly OPTION...: runs a sweep of slow requests, with steps of the time $window.
sweep_slowly() { faulty pread:1-:50ms -C -w "$window" -sweep threads=1..2 "$@" data; }

# Usage: check_columns NAME <LINES: prints NAME, the first field, and 1 for each value that is
# plausible. The lines have threads, requests per second, bytes per second, average, median
# and maximum (ns).
check_columns() {
    awk -v name="$1" '{
        print name, $1, ($2 > 0 && $2 <= 21 * $1),
            ($3 / $2 >= 4000 && $3 / $2 <= 4096 * ($2 + 1) / $2), ($4 >= 5e7),
            ($5 >= 5e7), ($6 >= $4 && $6 >= $5) }'
}

check_all_formats() {
    sweep_slowly -percentiles 50 |
        awk 'BEGIN { unit["ns"] = 1; unit["us"] = 1e3; unit["ms"] = 1e6; unit["s"] = 1e9 }
            NR > 3 { print $1, $2, $3 * ($4 == "KiB/s" ? 1024 : 1), $5 * unit[$6],
                $7 * unit[$8], $9 * unit[$10] }' | check_columns table
    sweep_slowly -B |
        awk '{ print $1, $10 * 1e9 / $11, $10 * 4096 * 1e9 / $11, $7, $7, $8, $2 == $10 }' |
        check_columns raw
    sweep_slowly -JJ -percentiles 50 | jq -r '[.sweep.threads, .load.iops, .load.bps,
        .stat.avg, .stat.percentiles["50"], .stat.max] | map(tostring) | join(" ")' |
        check_columns json
}

columns_are_those_of_the_raw_line_and_json() {
    for window in 500ms 1s 4s; do
        check_all_formats >o 2>e
        grep -q ' 0' o || [ -s e ] || break
    done
    cat o
}

# Usage: a_slow_device_ends_a_size_sweep_early FIRST [OPTION...]: prints the steps, from line
# FIRST of the output on.
a_slow_device_ends_a_size_sweep_early() {
    first=$1
    shift
    faulty pread:1-6:80ms,pread:7-:700ms -C "$@" -w 400ms -sweep size=4k..64k data >o
    status=$?
    tail -n "+$first" o | awk '{ print $1 }'
    return "$status"
}

# Usage: empty_raw, empty_table, empty_json: print the value of each step in which no request
# ended, and 1 if the other columns of its row are right.
empty_raw() { awk '$10 == 0 { print $1, /^[12] 0 0 0 0 0 0 0 0 0 [1-9][0-9]*$/ }' o; }
empty_table() {
    awk 'NR > 3 && $5 == "-" { print $1, /^ +[12] +0 +0 B.s( +-)+$/ && NF == 8 }' o
}
empty_json() {
    jq -r 'select(.load.count == 0)
        | "\(.sweep[]) \(if (.stat | del(.percentiles) + {f: .percentiles | length} | add)
        + .load.size == 0 and .load.time > 0 then 1 else 0 end)"' o
}

# Usage: list_table, list_raw, list_json: print the steps in the file o.
list_table() { awk 'NR > 3 { print $1 }' o; }
list_raw() { cut -d' ' -f1 o; }
list_json() { jq -r '.[].sweep.threads' o; }

# Usage: a_step_without_memory_ends_it_with_the_rows_so_far FORMAT [OPTION]
a_step_without_memory_ends_it_with_the_rows_so_far() {
    format=$1
    shift
    prlimit --as=100000000 "$IOPING" "$@" -hang 0 -C -w 50ms -s 16m -S 16m \
        -sweep threads=1..64 d >o
    status=$?
    "list_$format"
    ls -A d
    return "$status"
}

has_two_rows() { [ "$(wc -l <o)" -ge 2 ]; }
# Usage: an_interrupt_leaves_the_rows_so_far SIGNAL
an_interrupt_leaves_the_rows_so_far() {
    for _ in 1 2 3 4 5; do
        start -B -C -w 600ms -sweep threads=1..64 data
        until_true has_two_rows
        end "$1" 2>/dev/null
        status=$?
        [ "$(wc -l <o)" -ge 6 ] || break
    done
    cut -d' ' -f1 o
    told >&2
    return "$status"
}

an_interrupt_leaves_the_records_so_far() {
    for _ in 1 2 3 4 5; do
        start -J -C -w 600ms -sweep threads=1..64 data
        until_printed '"threads": 2'
        end INT 2>/dev/null
        status=$?
        [ "$(jq length o)" -ge 6 ] || break
    done
    jq -c 'map(.sweep)' o
    told >&2
    return "$status"
}

a_failure_ends_it_with_the_rows_so_far() {
    faulty pread:10:5,pread:1-:20ms -JJ -C -w 100ms -sweep threads=1..16 data >o 2>e
    status=$?
    told >&2
    jq -s -c '(map(.load.failed) | add) as $failed
        | [length >= 2 and length < 5, $failed <= 1, .[-1].load.failed == $failed,
        .[-1].sweep.threads == pow(2; length - 1)]' o
    return "$status"
}

failures_that_are_ignored_end_nothing() {
    for window in 60ms 500ms 4s; do
        faulty pread:3-/3:5,pread:1-:5ms -E -JJ -C -w "$window" -sweep threads=1..4 data \
            >o 2>e
        status=$?
        jq -s -c '[map(.sweep.threads), (map(.load.failed > 0) | all),
            (map(.stat.count + .load.failed == .load.count) | all)]' o >found
        grep -q false found || break
    done
    cat found
    cat e >&2
    return "$status"
}

a_request_that_hangs_in_a_step_is_told_of_and_left() {
    faulty pread:9:hang,pread:1-:20ms -hang 1s -B -C -w 100ms -sweep threads=1..16 \
        data >o 2>e
    status=$?
    cut -d' ' -f1 o
    told >&2
    return "$status"
}

# Usage: nothing_is_left_and_nothing_is_changed OPTION... TARGET
nothing_is_left_and_nothing_is_changed() {
    time=$(stat -c %y data)
    sweep "$@"
    cat e >&2
    [ "$status" = 0 ] || return
    grep -cvE '^ +(read|write) ' o
    ls -A d
    cmp data copy && [ "$(stat -c %y data)" = "$time" ]
}

# Usage: sizes_go_as_far_as_a_small_working_set_and_touch_nothing_else OPTION... TARGET
sizes_go_as_far_as_a_small_working_set_and_touch_nothing_else() {
    mkdir -p f
    head -c 12k data >before
    cp before f/copy
    sync f/copy
    sweep -B -sweep size "$@"
    cat e >&2
    cut -d' ' -f1 o | tr '\n' ' '
    for at in 0 4k 8k; do
        if cmp -s -i "$at" -n 4k before f/copy; then printf '='; else printf w; fi
    done
    # shellcheck disable=SC2011
    ls -A d f | xargs
    return "$status"
}

# Usage: sweep_file FILE SIZE [OPTION...]: sweeps the sizes of requests to a file of SIZE bytes.
sweep_file() {
    file=$1 size=$2
    shift 2
    head -c "$size" data >"$file"
    sync "$file"
    sweep -JJ -sweep size "$@" "$file"
    cat e >&2
    jq -r '"\(.sweep.size) \(.target.mode)"' o
    return "$status"
}
