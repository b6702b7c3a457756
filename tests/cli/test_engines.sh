# Programs of test_engines.c, see tests/support/commands.sh. OPTION... are the options that
# choose an engine.
# shellcheck shell=sh disable=SC2154

# Usage: each_number_is_told_once [OPTION...]: prints the numbers of requests, how many are
# warm-ups, and the totals.
each_number_is_told_once() {
    ioping -c 23 -i 0 "$@" data >o || return
    sed -nE 's/^4 KiB <<< .*: request=([0-9]+) time=.*/\1/p' o | sort -n | tr '\n' ' '
    grep -c 'request=1 .*(warmup)$' o
    grep -c warmup o
    totals
}

# Usage: records_add_up_to_the_summary DEPTH OPTION... TARGET: compares the records of
# requests with the summary. Prints an array, then whether all agrees.
#
# In a queue the page cache may answer a read, if an earlier request that is still in flight has
# put the same page there. Such reads do not count in the summary. The first two values of the
# array, count and size, include them. The third is whether all of them have such an earlier
# request.
#
# Sums and extremes are those of the counted requests. Rates are computed from the time in which
# requests were in flight. With depth 1 that is the sum of their times, otherwise it is less.
records_add_up_to_the_summary() {
    depth=$1
    shift
    ioping -J -a 5 -c 30 -i 0 "$@" 2>e >o || return
    jq -c --argjson depth "$depth" '
        def first: .offset / 4096 | floor;
        def last: (.offset + .size - 1) / 4096 | floor;
        [.[] | .io | select(.)] as $all
        | [$all[] | select(.notice == "cached")] as $cached
        | [$cached[] | select(.request > 5) | .size] as $more
        | [.[-1].stat.count + ($more | length), .[-1].stat.size + ($more | add // 0),
        ([$cached[] as $read | any($all[]; .request < $read.request
        and .request > $read.request - 4 * ($depth - 1)
        and first <= ($read | last) and last >= ($read | first))] | all)]' o
    jq --argjson depth "$depth" '
        def near(a; b): (a - b) * (a - b) <= 1e-12 * a * a + 1;
        [.[] | .io | select(.)] as $all | ($all | map(select(.ignored | not))) as $io
        | .[-1] as {$stat, $load} | ($stat.count * 1e9 / $stat.time) as $serial
        | [($all | map(.request) | sort == [range(1; length + 1)]),
        ($io | length == $stat.count), ($io | map(.size) | add == $stat.size),
        ($io | map(.time) | add == $stat.time and min == $stat.min and max == $stat.max),
        ($all | length == $load.count), ($all | map(.size) | add == $load.size),
        (if $depth == 1 then near($stat.iops; $serial)
        else $stat.iops > $load.iops * $stat.count / $load.count * 0.999 end),
        near($stat.bps; $stat.iops * $stat.size / $stat.count),
        near($load.iops; $load.count * 1e9 / $load.time)] | all' o
}

# Usage: requests <JSON: prints number, operation and offset of each request of a run, in the
# order of the numbers.
requests() {
    jq -c '[.[] | .io | select(.)] | sort_by(.request)[]
        | [.request, .operation, .offset]'
}

# Usage: a_seed_gives_the_same_requests SHAPE [OPTION...]: compares the requests of a run with
# the options SHAPE with those of a run with OPTION, too. Prints how many there are and how
# many of them differ from each other.
a_seed_gives_the_same_requests() {
    shape=$1
    shift
    # shellcheck disable=SC2086
    ioping -J -c 24 -i 0 $shape 2>e | requests >plain
    # shellcheck disable=SC2086
    ioping -J -c 24 -i 0 "$@" $shape 2>e | requests >other
    wc -l <plain
    sort -u plain | wc -l
    cmp plain other
}

# Usage: distribution_and_limits [OPTION...]: prints facts about the histogram and the
# percentiles of a run, and runs with limits that are kept and that are not.
distribution_and_limits() {
    ioping -hang 0 -JJ -q -histogram -percentiles 50,99.9 -c 41 -i 0 "$@" data |
        jq -c '.stat | [(.histogram | map(.count) | add), (.percentiles | keys),
            .percentiles["50"] >= .min, .percentiles["50"] <= .percentiles["99.9"],
            .percentiles["99.9"] <= .max, .percentiles["99.9"] > .max * 0.98]'
    ioping -hang 0 -q -slo avg=1h -slo iops=1 -prometheus x.prom -c 9 -i 0 "$@" data >o ||
        return
    grep -E '^ioping_request_duration_seconds_count' x.prom | sed 's/.*} //'
    ioping -hang 0 -q -slo p50=1ns -c 9 -i 0 "$@" data >o
}

# Usage: not_waiting_is_no_failure_of_the_run [OPTION...]
not_waiting_is_no_failure_of_the_run() {
    ioping -N -s 3000 -a 0 -c 9 -i 0 "$@" data 2>e >o || return
    grep -c ' (EAGAIN)$' o
    grep -q '^generated 9 ' o || return
    sed -n 's/^ioping: \([0-9]*\) of 9 requests failed$/\1/p' e
    cat data >/dev/null
    ioping -B -C -N -c 9 -i 0 "$@" data 2>e | cut -d' ' -f1,9
}

# Usage: writes_are_on_the_device DEVICE OPTION...: prints the numbers of the blocks of 4 KiB
# that a run has written.
writes_are_on_the_device() {
    device=$1
    shift
    ioping -J -i 0 "$@" "$device" 2>e >o || return
    sync "$device"
    jq -c '[.[] | .io | select(.operation == "write")
        | range(.offset / 4096 | floor; (.offset + .size + 4095) / 4096 | floor)]
        | unique' o
}

# Usage: the_device_is_free_after_each_run OPTION... DEVICE: runs eight times. Each run opens
# the device exclusively.
the_device_is_free_after_each_run() {
    for _ in 1 2 3 4 5 6 7 8; do
        ioping -hang 0 -B -WWW -c 9 -i 0 "$@" >o || return
        cut -d' ' -f1,9 o
    done
}

# Usage: a_device_that_lost_its_end_fails_there_only OPTION... DEVICE: runs on a loop device
# whose file disk.img was truncated to 4 MiB. Prints facts about its requests.
a_device_that_lost_its_end_fails_there_only() {
    truncate -s 4M disk.img
    ioping -hang 0 -J -E -e 7 -a 0 -c 60 -i 0 "$@" >o
    status=$?
    jq -c '[.[] | .io | select(.)] as $io
        | [($io | length), ([$io[] | .notice == "EIO" and .size == 0 and .ignored]
        == [$io[] | .offset >= 4194304]),
        .[-1].load.failed == ([$io[] | select(.offset >= 4194304)] | length),
        .[-1].stat.count + .[-1].load.failed, .[-1].load.failed > 9,
        .[-1].stat.time == ([$io[] | select(.offset < 4194304) | .time] | add)]' o
    return "$status"
}

has_told() { [ "$(grep -c 'no answer' e)" -ge "$1" ]; }
a_frozen_file_system_holds_all_of_the_queue() {
    start_piped -U -depth 4 -W -i 20ms -hang 200ms ext4
    until_printed 'request=6 '
    freeze
    until_true has_told $(($(grep -c 'no answer' e) + 4))
    kill -INT "$pid"
    until_true test -e closed
    fsfreeze -u ext4
    reap
    status=$?
    tail -3 o
    cat e >&2
    return "$status"
}

# Usage: little_memory_to_lock_is_told_or_done_with LIMIT: runs with at most LIMIT bytes of
# locked memory, as a user that nobody else is, because the limit counts all memory of a user.
little_memory_to_lock_is_told_or_done_with() {
    cp "$IOPING" prober 2>/dev/null
    chmod 755 prober
    chmod 644 data
    user=$((60000 + $$ % 4000))
    # shellcheck disable=SC2086
    setpriv --reuid="$user" --regid="$user" --clear-groups prlimit --memlock="$1" \
        $IOPING_RUNNER ./prober -hang 0 -B -U -depth 16 -s 256k -c 40 -i 0 data >o
    status=$?
    cut -d' ' -f1,9 o
    return "$status"
}
