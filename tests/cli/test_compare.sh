# Programs of test_compare.c, see tests/support/commands.sh.
# shellcheck shell=sh disable=SC2154

# Usage: made COUNT SEED [NAME]: prints COUNT raw lines of requests, 5 ms apart. Their times
# are from 0.1 to 10 ms and far from evenly distributed. The first line includes a warm-up
# request. NAME is the eleventh column.
made() {
    awk -v count="$1" -v seed="$2" -v name="${3:+ $3}" 'BEGIN {
        srand(seed)
        for (i = 0; i < count; i++) {
            time = int(1e5 * exp(rand() * rand() * 4.6))
            printf "1 %d %.0f %.0f %d %d %d 0 %d 5000000%s\n", time, 1e9 / time,
                4096e9 / time, time, time, time, i ? 1 : 2, name
        }
    }'
}

# Usage: nearest PERCENTILE FILE: prints the percentile of the times in FILE, by nearest rank.
nearest() {
    cut -d' ' -f2 "$2" | sort -n | awk -v percentile="$1" '{ value[NR] = $1 } END {
        rank = int((percentile * 10 * NR + 999) / 1000)
        print value[rank]
    }'
}

# Compares the figures with those that awk computes. Sums must be equal, and percentiles may
# differ by 0.4 %.
figures_are_those_of_the_lines() {
    made 3000 1 >gp2
    ioping -JJ -percentiles 10,50,90,99,99.9 -compare gp2 >o || return
    awk '{ count += $1; sum += $2; all += $9; clock += $10; size += 4096 }
        NR == 1 || $2 < min { min = $2 } $2 > max { max = $2 }
        END { printf "%d %.0f %d %d %d %d %d %.0f\n", count, sum, min,
            int(sum / count), max, size, all, clock }' gp2 >expected
    jq -r '[.stat.count, .stat.time, .stat.min, .stat.avg, .stat.max, .stat.size,
        .load.count, .load.time] | map(tostring) | join(" ")' o | diff expected - || return
    for percentile in 10 50 90 99 99.9; do
        awk -v is="$(jq ".stat.percentiles.\"$percentile\"" o)" \
            -v right="$(nearest "$percentile" gp2)" 'BEGIN {
                off = is / right - 1
                if (off < -0.004 || off > 0.004) print is, "is not", right }'
    done
}

# Usage: lines_that_print_count_keeps_can_be_compared PROGRAM...
lines_that_print_count_keeps_can_be_compared() {
    "$@" -print-count 1 -quiet -i 1ms -c 12 data >gp2 || return
    "$@" -p 1 -q -i 1ms -c 22 copy >gp3 || return
    ioping -JJ -compare gp2 gp3 | jq -c '[.target, .stat.count, .load.count]'
    ioping -B -compare gp2 gp3 | cut -d' ' -f1,9,11
    awk '{ sum += $2 } END { print sum }' gp2 >right
    ioping -B -compare gp2 | cut -d' ' -f2 | cmp - right
}
ours() { ioping -hang 0 "$@"; }

targets_that_are_called_numbers_are_rows() {
    echo a >'2024 01'
    echo b >'2024 02'
    ioping -hang 0 -C -s 1 -p 1 -q -i 0 -c 21 '2024 01' '2024 02' >both || return
    ioping -B -compare - <both | cut -d' ' -f1,11- | sort
}

# Prints the count and the name of each row.
a_target_that_is_named_again_is_another_row() {
    ioping -hang 0 -C -p 1 -q -i 1ms -c 12 . . >same || return
    ioping -B -compare same | cut -d' ' -f1,11- | sort
    ioping -hang 0 -C -p 1 -q -i 1ms -c 7 data data data >same || return
    ioping -B -compare - <same | cut -d' ' -f1,11- | sort
    ioping -hang 0 -C -B -i 1ms -c 7 d data d | cut -d' ' -f11- | sort | xargs
}

each_of_several_targets_is_a_row() {
    ioping -hang 0 -p 1 -q -i 1ms -c 12 data copy >both || return
    ioping -B -compare both | cut -d' ' -f1,11- | sort
    made 5 1 >gp2
    ioping -B -compare both gp2 | cut -d' ' -f1,11- | sort
}

# Usage: rows NAME...: prints the first two columns, name and number of requests, of these
# rows of the table in the file o.
rows() {
    for name; do
        sed -n "s/^\($name  *[0-9]*\) .*/\1/p" o | tr -s ' '
    done
}

files_are_rows_of_a_table() {
    made 1000 1 >gp2
    made 1001 2 >gp3
    ioping -compare gp2 gp3 >o || return
    grep -c '^--- comparison' o
    grep -c ' ioping statistics ---' o
    rows gp2 gp3
    ioping -compare gp2 >o
    rows gp2 gp3
    ioping -compare - gp3 <gp2 >o
    rows - gp3
}

what_options_ask_for_follows_the_table() {
    made 1000 1 >gp2
    made 1000 2 >gp3
    ioping -percentiles 50,99.5 -compare gp2 gp3 | grep -oE '^gp.: p50/p99.5 = [0-9.]+ .s /'
    ioping -histogram -compare gp2 gp3 | sed -n '/^gp[23]:$/p; s/.* 100.0 %$/all/p' | uniq
}

# Usage: limits_hold_for_each_row OPTION...
limits_hold_for_each_row() {
    echo '1 1000000 1000 4096000 1000000 1000000 1000000 0 1 5000000' >gp2
    echo '1 3000000 333 1365333 3000000 3000000 3000000 0 1 5000000' >gp3
    ioping "$@" -compare gp2 gp3 >o
}

# Usage: limits_of_few_requests_are_not_certain COUNT OPTION...
limits_of_few_requests_are_not_certain() {
    made "$1" 1 >gp2
    shift
    ioping -compare gp2 "$@" >o
}

# Usage: scaled PERCENT FILE: prints the lines of FILE with their times multiplied by
# PERCENT/100.
scaled() {
    awk -v percent="$1" '{ $2 = $5 = $6 = $7 = int($2 * percent / 100); print }' "$2"
}

# Usage: limits_may_be_relative_to_the_first OPTION...: compares files. The times in gp3 are
# 60 % longer than those in gp2. The files "few", "short" and "slow" have too few requests for
# p99.
limits_may_be_relative_to_the_first() {
    made 2000 1 >gp2
    scaled 160 gp2 >gp3
    made 14 2 >few
    made 60 3 >short
    scaled 10000 short >slow
    made 100 3 >hundred
    scaled 0 few >none
    ioping -compare "$@"
}

each_file_has_a_line_for_each_limit() {
    made 2000 1 >gp2
    scaled 160 gp2 >gp3
    set -- -compare gp2 gp3 -slo max=1h -slo p50=+10% -slo p50=+150% -slo p50=+60.5%
    ioping "$@" 2>e | sed -n '1,/^---/p'
    ioping -J "$@" 2>e | jq -c '.[] | [.limits[] | [.name, .met, .certain, has("ratio")]]'
}

# Usage: changes_in_the_table: prints the changes of p50 and p99 of each row but the first,
# from the table in the file o. "-" stands for a p99 that is missing because of too few
# requests.
changes_in_the_table() {
    change='([-+][0-9.]+ % \([^)]*\))'
    sed -nE "s/^([a-z0-9]+) .*[mu]s +$change .*[mu]s +$change .*/\1 \2 \3/p
        s/^([a-z0-9]+) .*[mu]s +$change +- +- .*/\1 \2 -/p" o
}

# Usage: changes_in_json: prints the same from the records in the file j, rounded as in the
# table.
changes_in_json() {
    jq -r 'select(.change.p50) | [.target.path, .stat.count, (.change | .p50, .p99
        | .ratio, .low // "-", .high // "-", .differs)] | map(tostring) | join(" ")' j |
        awk 'function floor(x) { return int(x) > x ? int(x) - 1 : int(x) }
            function bound(x, upper, scale) {
                if (x == "-") return ""
                x = (x - 1) * 100
                scale = x < 9.9 && x > -9.9 ? 10 : 1
                x = upper ? -floor(-x * scale) : floor(x * scale)
                return sprintf(scale == 10 ? "%+.1f" : "%+d", x / scale)
            }
            function change(at, bounds) {
                bounds = bound($(at + 1), 0) ".." bound($(at + 2), 1)
                if ($(at + 3) != "true") bounds = $(at + 3) == "null" ? "?" : "~"
                return sprintf("%+.1f %% (%s)", ($at - 1) * 100, bounds)
            }
            { print $1, change(3), $2 < 99 ? "-" : change(7) }'
}

json_has_the_changes_of_the_table() {
    made 2000 1 >gp2
    scaled 160 gp2 >gp3
    { tail -n 1000 gp2 && head -n 1000 gp2; } >same
    made 14 2 >few
    made 100 2 | scaled 400 - >open
    echo '0 0 0 0 0 0 0 0 3 500' >none
    ioping -compare gp2 gp3 same few open none >o 2>e || return
    ioping -compare gp2 gp3 same few open none -JJ >j 2>e || return
    changes_in_the_table >table
    changes_in_json | diff table - || return
    sed -E 's/[-+][0-9]+(\.[0-9]+)?/N/g' table
    jq -c 'select(.change.p50 | not) | [.target.path, .change]' j
}

# The files have more lines than a series has room for, so that a random sample is used.
a_rerun_prints_the_same() {
    made 140000 1 >gp2
    scaled 101 gp2 >gp3
    for _ in 1 2 3 4; do
        ioping -compare gp2 gp3 -JJ | jq -c .change
    done | sort | uniq -c | tr -s ' ' | cut -d: -f1
}

the_picture_has_both() {
    made 100 1 >gp2
    made 100 2 >gp3
    rm -rf p
    mkdir p
    ioping -compare gp2 gp3 -plot p/x.svg >o || return
    cat p/x.svg
    ls -A p >&2
    grep -o '<circle class=.mark t[01]' p/x.svg | sort | uniq -c >&2
}

a_picture_that_cannot_be_written_is_an_error() {
    made 10 1 >gp2
    cp gp2 mine
    ioping -compare gp2 -plot mine 2>&1
    echo $?
    ioping -compare gp2 -plot missing/x.svg 2>&1
    echo $?
    cmp gp2 mine
}

# A row has the name of the file, but the file itself is not an input.
output_may_have_the_name_of_a_row() {
    made 10 1 a >both
    made 10 2 b >>both
    echo old >a
    ioping -compare both -output a >/dev/null || return
    head -n 1 a
}

# Usage: output_that_is_an_input_is_refused_unharmed ARGUMENT...: runs in the folder inputs,
# which has the files "runs", "other" and "-", and two more names of the first: the symbolic
# link "link" and the hard link "hard". Prints "same" if no file has changed.
output_that_is_an_input_is_refused_unharmed() {
    rm -rf inputs
    mkdir inputs
    cd inputs || return
    made 10 1 >runs
    made 10 2 >other
    made 10 3 >-
    ln -s runs link
    ln runs hard
    cat runs other ./- >../before
    eval 'ioping -compare '"$*"' >/dev/null'
    status=$?
    cat runs other ./- | cmp -s - ../before && echo same
    return "$status"
}

# Usage: ages LATENCY TIME: plots a run with one request of LATENCY, which lasted TIME, beside
# a run whose request took 0 ns. Both are in ns.
ages() {
    rm -f x.svg
    echo "1 $1 1 1 $1 $1 $1 0 1 $2" >gp2
    echo '1 0 0 0 0 0 0 0 1 0' >gp3
    ioping -compare gp2 gp3 -plot x.svg
}

# Usage: start_reading [ARGUMENT...]: starts the program with only these arguments. Its
# standard input is a FIFO, to which descriptor 3 writes.
start_reading() {
    fresh
    rm -f fifo
    mkfifo fifo
    # shellcheck disable=SC2086
    $IOPING_RUNNER "$IOPING" "$@" <fifo >"$top/o" 2>"$top/e" &
    pid=$!
    exec 3>fifo
}

# Usage: a_signal_ends_the_reading SIGNAL FILE: sends the signal while the program waits for
# more of FILE after one line.
a_signal_ends_the_reading() {
    made 1 1 >gp2
    start_reading -compare gp2 "$2"
    made 1 1 >&3
    until_idle
    end "$1"
    echo $?
    exec 3>&-
    cat o e
}

# Nobody opens the other end of the FIFO, so the program is stuck in opening it.
a_signal_ends_the_opening() {
    rm -f other
    mkfifo other
    start_reading -compare other
    until_idle
    end INT
    echo $?
    cat o e
}

# Usage: a_signal_removes_the_new_output SIGNAL: interrupts three comparisons while they wait for
# more of standard input. Their outputs are a new file, a file with content, and an empty file.
a_signal_removes_the_new_output() {
    echo precious >mine
    : >empty
    for output in new mine empty; do
        start_reading -compare - -output "$output"
        made 1 1 >&3
        until_idle
        end "$1"
        echo $?
        exec 3>&-
        ls new mine empty 2>/dev/null
        cat mine o e
    done
}

# The lines have 180 MB in all.
memory_does_not_grow_with_the_lines() {
    start_reading -compare -
    yes "$(made 1 1)" | head -n 3000000 >&3
    awk '/^VmHWM/ { print $2 < 65536 ? "little" : $2 }' "/proc/$(worker_of "$pid")/status"
    exec 3>&-
    reap
    rows -
}

# There are 20 files of 140000 lines.
memory_does_not_grow_with_the_files() {
    yes "$(made 1 1)" | head -n 140000 >gp2
    many=
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19; do
        many="$many gp2"
    done
    # shellcheck disable=SC2086
    start_reading -compare $many -
    cat gp2 >&3
    until_idle
    awk '/^VmHWM/ { print $2 < 32768 ? "little" : $2 }' "/proc/$(worker_of "$pid")/status"
    exec 3>&-
    reap
    rows -
}

# Usage: a_full_disk_leaves_whole_lines OUTPUT: prints the status of a run whose file of OUTPUT
# becomes full, whether the file ends with a newline, and the status of its comparison.
a_full_disk_leaves_whole_lines() {
    rm -f full
    eval "prlimit --fsize=5000 \"\$IOPING\" -C -i 0 -c 1000 -a 0 -no-status data >o 2>e $1"
    echo $?
    [ "$(tail -c 1 full | tr '\n' x)" = x ] && echo whole
    ioping -compare full >o
    echo $?
}
