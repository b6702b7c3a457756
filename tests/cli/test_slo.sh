# Programs of test_slo.c, see tests/support/commands.sh.
# shellcheck shell=sh disable=SC2154

values_are_those_of_the_summary() {
    ioping -q -i 0 -c 12 -percentiles 50,90 -slo min=0 -slo avg=0 -slo max=0 -slo mdev=0 \
        -slo p50=0 -slo p90=0 -slo iops=1T data >o 2>e
    [ $? = 5 ] || return
    sed -n 's,^min/avg/max/mdev = ,,p; s,^p50/p90 = ,,p
        s/^.* read, \(.*\) iops, .*/\1/p' o | sed 's, / ,\n,g' | sort >summary
    sed 's/^.* (//; s/)$//' e | sort >lines
    [ "$(wc -l <summary)" = 7 ] && cmp summary lines
}

# Usage: break_one FAULTS OPTION...: runs up to five times, until only one limit is broken.
break_one() {
    for _ in 1 2 3 4 5; do
        faulty "$@" data 2>e
        status=$?
        [ "$(wc -l <e)" != 1 ] || break
    done
    cat e >&2
    return "$status"
}

# Usage: a_limit_that_is_not_certain_is_noted REQUESTS: makes 101 requests. REQUESTS, such as
# 50-, take 20 ms.
a_limit_that_is_not_certain_is_noted() {
    faulty "pread:$1:20ms" -q -C -i 0 -c 101 -slo p50=10ms data >o
    status=$?
    sed -n '/^[a-z0-9-]* [<>]/p' o
    return "$status"
}

an_interrupt_does_not_skip_them() {
    start -r 100 -slo max=0 data
    until_printed request=3
    end INT
    status=$?
    said
    return "$status"
}

sixteen_limits_are_enough() {
    many=
    for limit in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
        many="$many -slo max=${limit}ns"
    done
    # shellcheck disable=SC2086
    { ioping -q -i 0 -c 3 $many data >o; } 2>&1
    echo $?
    # shellcheck disable=SC2086
    ioping $many -slo max=17s missing
}

json_has_an_answer_to_each() {
    # How many requests make p99 certain depends on their latencies, and may be unknown.
    needs='(.needs | if . and . > 99 then "more" else . end)'
    what=".[-1].limits[] |
        [.name, .limit, .count, has(\"value\"), .met, .certain, $needs]"
    ioping -J -q -C -i 0 -c 100 -slo p99=1h -slo max=0 -slo bps=4k data 2>e | jq -c "$what"
    ioping -J -q -C -c 1 -slo max=1h data 2>e | jq -c "$what"
    faulty pread:6:5 -J -q -C -a 0 -i 0 -slo p99=0 data 2>e | jq -c "$what"
    ioping -J -q -C -i 0 -c 9 -slo loaded-p50=1h -load read,rate=100 data >o 2>e
    jq -c "$what" o
    jq '[.[] | has("limits") | select(.)] | length' o
}
