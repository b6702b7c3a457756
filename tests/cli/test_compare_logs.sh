# Programs of test_compare_logs.c, see tests/support/commands.sh.
# shellcheck shell=sh disable=SC1091,SC2154
. "$tests/cli/test_hdr.sh"

# Usage: library ARGUMENT...: runs compare_hdr.py with PyPI's hdrhistogram.
library() { "$(hdr_python)" "$tests/support/tools/compare_hdr.py" "$@"; }

# Usage: check_logs LOG...: prints the number of values of each row, and what ioping and the
# library do not agree on.
check_logs() {
    ioping -compare "$@" -JJ -percentiles 50,90,99,99.9 >j 2>e || return
    library check j
}

our_logs_have_the_figures_of_the_library() {
    cd f || return
    ioping -q -i 0 -c 8001 -every 1ms -hdr ours_ns ../data >o || return
    check_logs ours_ns
    ioping -q -i 1ms -G -a 0 -c 400 -every 20ms -hdr ours_ns ../d >o 2>e || return
    cp ours_ns ours_ns.2
    check_logs ours_ns ours_ns.2 | sed 's/^[^:]*: //' | LC_ALL=C sort
    cat e
}

logs_of_the_library_have_its_figures() {
    cd f || return
    for digits in 1 2 3 4 5; do
        library write "digits${digits}_ns" 1 "$digits" 1e6 "$digits"
    done
    library write seen_us 1e3 3 1e3 6
    library write seen_ms 1e4 3 1 7
    library write whole_ns 1 2 1e9 8
    check_logs ./*
    sed 's/: the log does not say the unit of its values//' e
}

# Logs with and without tags and comments, and raw lines, in any order.
files_of_all_kinds_compare() {
    cd f || return
    library write a_ns 1 3 1e6 1
    sed 's/$/\r/' a_ns >crlf_ns
    sed 's/^[0-9]/Tag=A,&/' a_ns >tag_ns
    grep -v '^[#"]' a_ns >bare_ns
    { sed 's/^[0-9]/Tag=A,&/' a_ns; sed 's/^[0-9]/Tag=B%20c,&/' a_ns; } >two_ns
    ioping -q -i 0 -c 1000 -record raw -hdr ours ../data >o || return
    cp raw copy
    ioping -compare raw crlf_ns tag_ns bare_ns two_ns ours -B - <copy >o 2>e || return
    cut -d ' ' -f 1,11- o
    cut -d ' ' -f 5-7 o | sed -n '2,6p' | uniq | wc -l
}

a_log_that_was_cut_short_loses_its_last_line() {
    cd f || return
    library write a_ns 1 3 1e6 1
    size=$(wc -c <a_ns)
    for less in 2 5 100 200; do
        head -c $((size - less)) a_ns >bad
        ioping -compare bad 2>&1 >o | grep -v 'the unit of its values'
        sed -n 's/ns$//; s/^bad *\([0-9]*\) .*/\1/p' o
    done
    for line in 5 42; do
        sed "${line}s/....$//" a_ns >bad
        ioping -compare bad 2>&1
        echo $?
    done
    head -n 3 a_ns >bad
    ioping -compare bad 2>&1
    echo $?
}

# 7 MB of zeros take 7 KB when compressed.
a_small_log_takes_little_memory() {
    cd f || return
    "$(hdr_python)" - <<'PYTHON' >bad
import base64, struct, zlib
def line(content):
    data = zlib.compress(content)
    return "1,1,1.0," + base64.b64encode(struct.pack(">II", 0x1c849314, len(data)) + data).decode()
def head(size, digits=5):
    return struct.pack(">IIIIQQQ", 0x1c849313, size, 0, digits, 1, 1 << 41, 0x3ff0 << 48)
print("#[Histogram log format version 1.2]")
for _ in range(20):
    print(line(head(7000000) + bytes(7000000)))
print(line(bytes(1 << 29)))
PYTHON
    /usr/bin/time -f %M "$IOPING" -compare bad 2>e
    echo $?
    head -n 1 e
    tail -n 1 e | awk '{ print $1 < 90000 ? "little" : $1 }'
}

# Usage: stat_of FILE...: prints the figures of the whole run in JSON.
stat_of() {
    jq -c 'if type == "array" then .[] else . end | select(.stat) | .stat |
        [.count, .size, .time, .min, .avg, .max, .mdev, .percentiles]' "$@"
}

# The statistics of the run itself are the reference.
json_has_the_figures_of_its_run() {
    cd f || return
    ioping -JJ -i 0 -c 1000 -percentiles 50,90,99 -hdr ours ../data >lines || return
    ioping -J -i 0 -c 1000 -percentiles 50,90,99 ../d >array || return
    jq -c . array >one_line
    jq . lines >tall
    for file in lines array one_line tall; do
        stat_of "$file" >expected
        ioping -compare "$file" -JJ -percentiles 50,90,99 >j || return
        stat_of j | diff expected - && echo same
    done
    ioping -compare lines array ours - -B <tall | cut -d ' ' -f 1,9,11-
}

json_of_several_has_a_row_for_each() {
    cd f || return
    ioping -JJ -i 0 -c 20 ../d ../data >several || return
    ioping -JJ -i 0 -c 20 -C -load read ../d >phases || return
    ioping -compare several phases -B | cut -d ' ' -f 1,11- | LC_ALL=C sort
    ioping -J -q -i 0 -c 20 ../d >quiet
    ioping -compare quiet
}

# All latencies from microseconds to minutes occur, so the heat map has as many cells as it can.
a_week_is_a_small_picture() {
    cd f || return
    library week week || return
    ioping -compare -plot x.svg week >o 2>e || return
    cat x.svg
    [ "$(wc -c <x.svg)" -lt 200000 ] && echo small >&2
}

# There are three lines before the first interval.
a_short_log_says_how_many_intervals_it_needs() {
    cd f || return
    library write a_ns 1 3 1e6 3
    for count in 1 9 10; do
        head -n $((count + 3)) a_ns >short
        ioping -compare a_ns short -slo p50=+20% 2>&1 | grep 'interval.* too few'
    done
}

# The picture says why p50 and p99 cannot be compared, as the text does.
a_picture_says_how_many_intervals_it_needs() {
    cd f || return
    library write a_ns 1 3 1e6 3
    head -n 8 a_ns >short
    ioping -compare -plot x.svg a_ns short 2>e | sed -n 's/^? //p'
    grep -o 'class="answer"[^<]*' x.svg | sed 's/.*>//'
}

# Several of the 20000 intervals share a column. PyPI's hdrhistogram recomputes the picture, whose
# answer ends like the last line of the text.
columns_have_the_sums_of_their_intervals() {
    cd f || return
    library long long || return
    ioping -compare -plot x.svg long >o 2>e || return
    library heat long x.svg
    ioping -compare long 2>e | cmp - o || return
    grep -c "class=\"answer\"[^>]*>p50 [^;]*; $(tail -n 1 o)<" x.svg
}

a_log_has_no_bandwidth() {
    cd f || return
    ioping -q -i 0 -c 200 -hdr log ../data >o || return
    ioping -compare -B log | cut -d ' ' -f 1,4
    ioping -compare -csv log | cut -d , -f 4,7,10
    ioping -compare -J log >j || return
    grep -c '"size"\|"bps"' j
    ioping -compare -print count,bps log
    echo $?
    ioping -compare -slo bps=1 log >o
    echo $?
    sed -n 's/.* //p' o | tail -n 1
}

# Each line of the mean has one begin, unless a minute is missing.
lines_break_only_at_gaps() {
    cd f || return
    for count in 1 2 4 5 8 10 12 20 30 60 100 137 200 500; do
        library minutes log $count || return
        library minutes more $((count + 3)) || return
        ioping -compare -plot x.svg log more >o 2>e || return
        grep -o 'class="mean[^>]*>' x.svg | tr -cd 'M\n'
    done | LC_ALL=C sort | uniq -c
    library minutes log 60 && sed '20,22d' log >gap && cp gap more
    ioping -compare -plot x.svg gap more >o 2>e || return
    grep -o 'class="mean[^>]*>' x.svg | tr -cd 'M\n'
}

# There are 40 requests in all.
a_log_of_few_requests_has_no_p99() {
    cd f || return
    ioping -q -i 5ms -c 41 -every 100ms -hdr ours ../data >o 2>e || return
    ioping -compare -plot x.svg ours >o 2>e || return
    grep -o '>no line of p99: it takes 99 requests in a column of [0-9.]* ms<' x.svg | cut -c 1-15
    grep -o 'class="answer"[^>]*>p50 [^,;]*, max [^;]*; worst at [0-9:.]* UTC: max [^;]*<' \
        x.svg | wc -l
}
