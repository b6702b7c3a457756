# Programs of test_prometheus.c, see tests/support/commands.sh. Most run in the folder f,
# which is empty at first. The file data is beside that folder.
# shellcheck shell=sh disable=SC2154

# Usage: value NAME: prints the values of a metric in x.prom, with any labels.
value() { sed -n "s/^ioping_$1[{].*[}] //p" x.prom; }

it_is_there_with_zeros_before_the_first_request() {
    cd f || return
    start_faulty pread:1:hang -C -i 0 -hang 10ms -prometheus x.prom ../data
    until_said 'has had no answer'
    cp x.prom y
    end INT
    echo $?
    grep -v '^#' y | sed 's/.* //' | sort | uniq -c | tr -s ' '
    grep -c timestamp y
    value requests_total
    value request_duration_seconds_count
    ls -A
}

everybody_may_read_it_whatever_the_umask() {
    cd f || return
    for mask in 000 022 077 777; do
        (umask "$mask"; "$IOPING" -q -i 0 -c 2 -prometheus x.prom /dev/zero >../o)
        stat -c '%a %F' x.prom
    done
    ls -A
}

a_reader_never_sees_a_part_of_it() {
    cd f || return
    start -q -i 100us -every 1ms -prometheus x.prom ../data
    until_true test -e x.prom
    looks=0
    while [ "$looks" -lt 150 ]; do
        cat x.prom >y
        head -1 y
        tail -1 y | sed 's/{.*} 1$//'
        ls -i x.prom >>inodes
        looks=$((looks + 1))
    done | sort | uniq -c | tr -s ' '
    until [ "$(sort -u inodes | wc -l)" -gt 1 ]; do
        ls -i x.prom >>inodes
        sleep 0.02
    done
    end INT
    echo $?
    rm y inodes
    ls -A
}

# Usage: every_end_leaves_the_file_and_nothing_else FAULTS SHOWN FILE [SIGNAL]: starts a run
# with FAULTS, waits until FILE contains SHOWN, and then sends SIGNAL or waits for the end.
every_end_leaves_the_file_and_nothing_else() {
    cd f || return
    start_faulty "$1" -C -i 20ms -every 5ms -hang 10ms -prometheus x.prom ../data
    until_true grep -q "$2" "../$3"
    if [ -n "${4-}" ]; then end "$4"; else reap; fi
    echo $?
    [ "$(value requests_total)" -ge 4 ] && tail -1 x.prom | sed 's/{.*} 1$//'
    ls -A
}

# Usage: was_replaced VERSION: returns 0 if x.prom has another inode and time than VERSION.
was_replaced() { [ "$(stat -c %i%y x.prom)" != "$1" ]; }
it_goes_on_being_kept_while_a_request_hangs() {
    cd f || return
    start_faulty pread:3:hang -q -C -i 0 -hang 10ms -every 10ms -prometheus x.prom ../data
    until_said 'request 3 has'
    until_true grep -q '^ioping_requests_total{.*} 2$' x.prom
    value requests_total
    until_true was_replaced "$(stat -c %i%y x.prom)"
    value requests_total
    end INT
    echo $?
    value requests_total
}

# Usage: gauges TARGET: prints the number of requests of TARGET in flight and the age of the
# oldest.
gauges() {
    for name in requests_in_flight oldest_request_seconds; do
        sed -n "s|^ioping_${name}[{]target=\"$1\",.*[}] ||p" x.prom
    done | xargs
}

# Usage: is_older SECONDS: returns 0 if the oldest request to the hanging file system is older.
is_older() { gauges ../fs/data | awk "{ exit !(\$2 > $1) }"; }
has_more_requests() { [ "$(value requests_total | tail -1)" -gt "$1" ]; }

the_gauges_rise_while_a_request_hangs_and_fall_afterwards() {
    rm -f hang hang.waiting
    cp data fs.files/data
    cd f || return
    start -q -C -i 10ms -every 20ms -prometheus x.prom ../fs/data ../data
    until_true has_more_requests 2
    : >../hang
    until_true test -e ../hang.waiting
    until_true is_older 0.3
    until_true is_older 0.6
    gauges ../fs/data | cut -d ' ' -f 1
    until_true has_more_requests "$(($(value requests_total | tail -1) + 1))"
    rm ../hang
    while is_older 0.3; do sleep 0.02; done
    end INT
    echo $?
    gauges ../fs/data
    gauges ../data
}

a_file_that_hangs_is_given_up_after_a_signal() {
    rm -f hang hang.waiting
    start -i 10ms -every 20ms -prometheus slow/x.prom data
    until_printed request=3
    : >hang
    until_true test -e hang.waiting
    worker=$(worker_of "$pid")
    kill -INT "$pid"
    until_said 'not written'
    until_printed 'mdev ='
    tail -1 o | cut -d = -f 1
    rm hang
    reap
    echo $?
    said >&2
    until_true is_released "$worker"
    until_true no_others
    ls -A slow.files
    tail -1 slow.files/x.prom | cut -c 1-17
}
no_others() { [ "$(ls -A slow.files)" = x.prom ]; }

# The first two opens of the file succeed: that of a trial and that of the first version. All
# later ones hang.
the_last_version_is_given_up_after_its_time() {
    cd f || return
    faulty open@x.prom.:3-:hang -q -C -i 0 -c 3 -timeout 1s -prometheus x.prom ../data \
        >../o
    status=$?
    tail -1 ../o
    ls -A
    value requests_total
    return "$status"
}

# Usage: lose_folder: starts a run that exports d/x.prom, moves its folder away, and waits
# until the run reports that.
lose_folder() {
    mkdir d
    start -r 100 -every 10ms -prometheus d/x.prom ../data
    until_printed 'request=2 '
    mv d gone
    until_said d/x.prom
}

has_more_than() { [ "$(wc -l <../o)" -gt "$1" ]; }
a_run_goes_on_without_its_file() {
    cd f || return
    lose_folder
    wc -l <../e
    until_true has_more_than $(($(wc -l <../o) + 5))
    end INT
    echo $?
    said
    tail -1 ../o | cut -c 1-3
}

a_file_that_can_be_written_again_is_no_failure() {
    cd f || return
    lose_folder
    mkdir d
    until_true test -e d/x.prom
    end INT
    echo $?
    said
}

# Usage: fill_disk: fills the file system of an exported file.
fill_disk() {
    mount -t tmpfs -o size=16k tmpfs small || return
    start -r 100 -every 10ms -prometheus small/x.prom data
    until_printed 'request=5 '
    until head -c 4096 data >small/fill 2>s.err; do sleep 0.02; done
    until_said small/x.prom
    end INT
    echo $?
    said
    tail -1 small/x.prom | cut -c 1-17
    ls -A small
    "$IOPING" -q -c 2 -i 0 -prometheus small/y data 2>&1
    echo $?
    ls -A small
}

# Runs fill_disk in a new mount namespace.
a_full_disk_leaves_the_last_version() {
    mkdir -p small
    # shellcheck disable=SC2016
    unshare -m sh -c '. "$1/support/commands.sh"
        . "$1/cli/test_prometheus.sh"
        fill_disk' sh "$tests"
}

# Usage: has_periods COUNT: returns 0 if the output has at least COUNT periods, as raw lines
# or as JSON.
has_periods() { [ "$(grep -cE '^[0-9]|"load"' "$top/o")" -ge "$1" ]; }

# Usage: raw_lines_are_printed_all_the_same OPTION...: waits for three periods, and prints how
# many lines are no raw lines. Then does the same with JSON, and prints whether it is complete.
raw_lines_are_printed_all_the_same() {
    cd f || return
    for quiet in -q -B '-J -q'; do
        # shellcheck disable=SC2086
        start $quiet -i 5ms -P 10ms "$@" ../data
        until_true has_periods 3
        end INT
        case $quiet in
        *J*) jq 'length >= 3' ../o ;;
        *) awk -v quiet="$quiet" 'NF != 10 || /[^0-9 ]/ { others++ }
            END { print quiet, others + 0 }' ../o ;;
        esac
    done
}

final_counts_are_those_of_the_summary() {
    cd f || return
    faulty pread:4:5,pread:7:5,pread:9:260ms -J -q -E -C -i 50ms -c 14 -every 30ms \
        -prometheus x.prom ../data >../o 2>../e
    echo $?
    jq -r '.[0] | .load.count, .load.failed, .load.missed, .stat.count,
        (.stat.time / 1e9 * 1e6 | round)' ../o >../told
    {
        value requests_total
        value failed_requests_total
        value missed_requests_total
        value request_duration_seconds_count
    } >../kept
    value request_duration_seconds_sum
    sed -n 4p ../told
    head -3 ../told
    sed -n 's/.*le="+Inf"[}] //p' x.prom
    head -4 ../told | cmp - ../kept
    awk -v sum="$(value request_duration_seconds_sum)" -v us="$(sed -n 5p ../told)" \
        'BEGIN { off = sum * 1e6 - us; print (off < 1 && off > -1) }'
}

a_slow_request_is_in_its_bucket() {
    cd f || return
    for _ in 1 2 3 4 5; do
        faulty pread:5:1100ms -q -C -a 0 -i 0 -c 9 -T 2s -prometheus x.prom ../data >../o
        counts=$(sed -n 's/.*le="\(1.048576\|2.097152\|+Inf\)"[}] //p' x.prom | xargs)
        [ "$counts" != '8 9 9' ] || break
    done
    echo "$counts"
}

the_last_request_has_its_time() {
    cd f || return
    before=$(date +%s)
    "$IOPING" -q -i 0 -c 3 -prometheus x.prom ../data >../o
    after=$(date +%s)
    last=$(value last_request_timestamp_seconds)
    echo "$last"
    awk "BEGIN { print ($last >= $before && $last < $after + 1) }"
}

# Usage: make_odd: makes a file whose name, $odd, has all characters that must be escaped in a
# label, and a byte that is not UTF-8.
make_odd() {
    odd=$(printf 'a"b\\c d\n\303\251\377z')
    cp ../data "$odd"
}

labels_of_odd_paths_are_escaped() {
    cd f || return
    make_odd
    "$IOPING" -q -i 0 -c 3 -prometheus x.prom "$odd" >../o
    sed -n 's/^ioping_requests_total{\(target=.*\),device=.*mode="[a-z]*"[}]/\1/p' x.prom
}

# Usage: check_metrics ARGUMENT...: makes a run and checks its metrics with promtool.
check_metrics() {
    "$IOPING" -q -i 0 -c 20 -prometheus x.prom "$@" >../o &&
        promtool check metrics <x.prom
}
promtool_finds_nothing_to_say() {
    cd f || return
    make_odd
    check_metrics "$odd" && check_metrics -W ../d &&
        check_metrics -G ../d && check_metrics -a 0 -c 0 -w 20ms /dev/zero
}

two_runs_with_one_file_do_not_disturb_each_other() {
    cd f || return
    pids=
    for target in ../data ../d; do
        "$IOPING" -q -i 1ms -c 100 -every 1ms -prometheus x.prom "$target" >>../o &
        pids="$pids $!"
    done
    for pid in $pids; do
        wait "$pid" || echo $?
    done
    tail -1 x.prom | cut -c 1-17
    value requests_total
    ls -A
}

a_fifo_in_its_place_is_not_waited_for() {
    cd f || return
    : >x.prom
    start_faulty open@x.prom:1:hold -prometheus x.prom ../data
    until_true test -e held
    rm x.prom
    mkfifo x.prom
    rm held
    reap
    status=$?
    cat ../e >&2
    ls
    rm x.prom
    return "$status"
}

# One read takes two seconds. After half a second, the timeout, the run gives up the thread
# that waits for it. The request stays in flight until it is answered.
what_is_answered_late_is_not_in_flight() {
    cp data fs.files/data
    cd f || return
    start -q -E -i 10ms -every 20ms -timeout 500ms -threads 2 -prometheus x.prom ../fs/data
    until_true is_older 1
    gauges ../fs/data | cut -d ' ' -f 1
    until_true is_none
    end INT
    gauges ../fs/data
}
is_none() { [ "$(gauges ../fs/data)" = '0 0.000000' ]; }
