# Programs of test_both.c, see tests/support/commands.sh. The folder fs is a file system in
# which a read takes at least 2 ms, a write 6 ms and a flush 4 ms.
# shellcheck shell=sh disable=SC2154

# Functions of jq. `agree` compares figures, which it computes from an array of times, with an
# object of statistics that ioping printed. Percentiles are computed from $waited, the times
# with the waits of missed requests. `own` selects the records of an operation.
# shellcheck disable=SC2016
figures='def near($told): (. - $told | fabs) <= ([2, . * 0.005] | max);
    def mean: add / length;
    def rank($p): sort | .[($p * length / 100 | ceil) - 1];
    def agree($waited; $told): mean as $mean
        | [length == $told.count, add == $told.time, min == $told.min, max == $told.max,
            (mean | near($told.avg)),
            (map(. - $mean | . * .) | mean | sqrt | near($told.mdev)),
            ([50, 90] | map(. as $p | $waited | rank($p)
                | near($told.percentiles[$p | tostring])))]
        | flatten | all;
    def own($operation): map(select(.operation == $operation));'

# Usage: make_data FOLDER: makes the file data on the file system FOLDER.
make_data() { head -c 64k /dev/urandom >"$1.files/data"; }

each_operation_has_the_figures_of_its_records() {
    make_data fs
    ioping -J -GWW -a 0 -i 0 -c 60 -p 20 -percentiles 50,90 fs/data >o || return
    jq -c 'map(.stat.read | values | .count)' o
    jq -c "$figures"' map(.io | values) as $all | .[-1].stat as $stat
        | ($all | own("read") | map(.time)) as $reads
        | ($all | own("write") | map(.time)) as $writes
        | ($all | map(.sync | values)) as $flushes
        | ($reads | agree(.; $stat.read)), ($writes | agree(.; $stat.write)),
            ($flushes | agree(.; $stat.sync)),
            $stat.read.size + $stat.write.size == $stat.size,
            [$stat.read.min >= 2e6, $stat.write.min >= 10e6, $stat.sync.min >= 4e6],
            [$stat.read, $stat.write, $stat.sync | .count]' o
}

# The waits of requests that were missed during a request belong to the two operations in turn,
# because reads and writes alternate. The first wait is one of the other operation. No wait is
# added for the last request.
corrected_percentiles_have_the_waits_of_both_in_turn() {
    make_data fs
    ioping -J -GWW -a 0 -i 3ms -c 60 -corrected -percentiles 50,90 fs/data >o || return
    jq -c "$figures"' def waits($every): [.[:-1][] | .operation as $own
                | [range(.time; 0; -$every)] | to_entries[]
                | {time: .value, own: $own, other: (.key % 2 == 1)}]
            + [.[-1] | {time, own: .operation, other: false}]
            | map({time, operation: (if .other == (.own == "write") then "read"
                else "write" end)});
        map(.io | values) as $all | .[-1].stat as $stat
        | "read", "write"
        | . as $operation | [($all | waits(3e6) | own($operation) | map(.time))] as $waited
        | $all | own($operation) | map(.time)
        | agree($waited[0]; $stat[$operation]), ($waited[0] | length) > 30,
            $stat[$operation].corrected' o
}

limits_are_of_one_operation_or_of_flushes() {
    make_data fs
    ioping -q -GWW -i 10ms -w 1s -slo read-min=1min -slo write-min=9ms \
        -slo sync-min=1min -slo sync-min=3ms -slo write-p99=1h fs/data >o 2>e
    echo $?
    sed -n '/^ioping: [a-z]*-/s/FAIL ([0-9.]* [mu]*s)/FAIL (TIME)/p' e
    grep -c 'UNKNOWN: [0-9]* writes count' e
}

# Usage: agree_rows COLUMNS: compares the rows of operations in the table in the file o, each
# with COLUMNS numbers, with the lines of the file told, which has times in ns. Prints 1 if
# there are equally many rows, 1 if all values agree to the printed digits, and the number of
# rows.
agree_rows() {
    awk -v columns="$1" '
        BEGIN { unit["ns"] = 1; unit["us"] = 1e3; unit["ms"] = 1e6; unit["s"] = 1e9 }
        FNR == NR { told[FNR] = $0; lines = FNR; next }
        /^ +(read|write) / {
            split(told[++rows], values)
            same += $1 == values[1]
            for (i = 2; i <= NF && at[rows] < columns; i++) {
                value = $i
                if ($(i + 1) in unit)
                    value *= unit[$(++i)]
                off = value / values[++at[rows] + 1] - 1
                same += off > -0.006 && off < 0.006
            }
        }
        END { print (rows == lines), (same == rows * (columns + 1)), rows }' told o
}

# On a busy machine a step may have too few requests. Then longer steps are tried.
steps_and_phases_have_rows_of_each_operation() {
    make_data fs
    for window in 300ms 3s 30s; do
        ioping -JJ -output x.json -GWW -i 0 -w "$window" -percentiles 50,90 \
            -sweep threads=1..2 fs/data >o || return
        [ "$(jq -s 'map(.stat | values | .read.count // 0, .write.count // 0) | min' \
            x.json)" -lt 2 ] || break
    done
    jq -r '.stat | {read, write} | to_entries[] | [.key, (.value | .avg, .percentiles["50"],
        .percentiles["90"], .max)] | map(tostring) | join(" ")' x.json >told
    agree_rows 4
    ioping -JJ -q -output x.json -GWW -i 20ms -c 20 -percentiles 50,90 -histogram \
        -load read,rate=10 fs/data >o || return
    jq -r '.stat | {read, write} | to_entries[] | [.key, (.value | .count,
        .percentiles["50"], .percentiles["90"], .max)] | map(tostring) | join(" ")' \
        x.json >told
    agree_rows 4
    jq -r '.phase as $phase | .stat | {read, write} | to_entries[]
        | "\($phase), \(.key): \(.value.histogram | map(.count) | add)"' x.json >told
    awk '/^[a-z ]+, [a-z]+:$/ { name = $0; names[++n] = name }
        $3 == "-" { sum[name] += $6 }
        END { for (i = 1; i <= n; i++) print names[i], sum[names[i]] }' o | cmp - told
}

# Compares the table with the records of the two targets, in the order of the table.
a_comparison_has_rows_of_each_operation() {
    make_data fs
    cp fs.files/data fs.files/more
    ioping -JJ -q -output x.json -GWW -percentiles 50,99 -i 0 -c 201 fs/data fs/more |
        sed -n '/^target /,$p' >o
    sed -n 's,^\(fs/[a-z]*\) .*,\1,p' o | while read -r path; do
        jq -r 'select(.target.path == "'"$path"'").stat | {read, write} | to_entries[]
            | [.key, (.value | .count, .percentiles["50"], .percentiles["99"], .max, .avg)]
            | map(tostring) | join(" ")' x.json
    done >told
    sed -i 's/ - / /g' o
    agree_rows 5
    grep -x 'changes are of reads and writes together' o
}

# Usage: value NAME OPERATION: prints the value of a metric for an operation.
value() { sed -n "s/^ioping_$1[{].*operation=\"$2\".*[}] //p" x.prom; }

# Every fourth read fails, and each write takes so long that later requests are missed.
metrics_are_those_of_the_records() {
    make_data failing
    ioping -J -GWW -E -a 0 -i 4ms -c 60 -prometheus x.prom failing/data >o 2>e
    echo $?
    jq -r 'map(.io | values) as $all | .[-1] | ["read", "write"] | map(. as $operation
            | $all | map(select(.operation == $operation))
            | length, (map(select(.ignored)) | length),
                (map(select(.ignored | not)) | length))
        | map(tostring) | join(" ")' o >told
    for operation in read write; do
        value requests_total $operation
        value failed_requests_total $operation
        value request_duration_seconds_count $operation
    done | xargs >kept
    awk '{ print $1, ($2 > 4 && $2 + $3 == $1), $4, $5, $6 }' kept
    cmp told kept
    for operation in read write; do
        value request_duration_seconds_sum $operation
    done | xargs | awk '{ printf "%.6f %.6f\n", $1, $2 }' >kept
    jq -r '.[-1].stat | "\(.read.time) \(.write.time)"' o |
        awk '{ printf "%.6f %.6f\n", $1 / 1e9, $2 / 1e9 }' | cmp - kept
    missed=$(($(value missed_requests_total read) + $(value missed_requests_total write)))
    [ "$missed" = "$(jq '.[-1].load.missed' o)" ] && [ "$missed" -gt 30 ] && echo missed
    [ "$(value sync_duration_seconds_count write)" = \
        "$(jq '.[-1].stat.sync.count' o)" ] && echo flushed
    value sync_duration_seconds_count read
    grep -c read-write x.prom
    grep '^ioping_requests_in_flight' x.prom | sed 's/.*fstype="[^"]*"//; s/mode="[a-z]*"//'
}

promtool_takes_metrics_of_both() {
    promtool check metrics <x.prom
}
