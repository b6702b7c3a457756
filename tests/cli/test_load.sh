# Programs of test_load.c, see tests/support/commands.sh. The server of fs logs each read to
# the file log: number, offset, size, begin, end, result. The load reads 8 KiB at a time, and
# the requests 4 KiB.
# shellcheck shell=sh disable=SC2154

# Usage: of_requests: prints the log without the reads with which ioping examines its targets.
# They come before the last read of one byte and before the first request.
of_requests() {
    awk '$3 == 1 { count = begun = 0; next }
        $3 == 4096 { begun = 1 }
        begun { line[count++] = $0 }
        END { for (i = 0; i < count; i++) print line[i] }' log
}

# Usage: of_load: prints the lines of the load.
of_load() { of_requests | awk '$3 == 8192'; }

# Usage: loaded OPTION...: runs ioping with its records in the file o, and returns its status.
loaded() {
    : >log
    ioping -hang 0 -JJ -q "$@" fs/f >o 2>e
}

# Usage: a_line_of_nine WORD: WORD says how the load keeps eight reads in flight. Compares the
# output with the server's log, and prints whether
# - eight reads of the load ended while a request of the second phase was in line;
# - no request took longer in the server than its reported time;
# - requests beside the load took at least three times as long as the others;
# - the load reports the same reads and times as the log, from the first of these requests to
#   the last.
# A late machine can only add to the times of the log.
a_line_of_nine() {
    for _ in 1 2 3 4 5; do
        loaded -c 11 -i 0 -load "read,size=8k,$1" || return
        of_requests | awk '{ printf "[%d, %.0f, %.0f]\n", $3, $4, $5 }' | jq -s -c . >reads
        jq -s -r --slurpfile reads reads '
            def median: sort | .[(length / 2 | ceil) - 1];
            def times: map(.[2] - .[1]);
            ($reads[0] | map(select(.[0] == 4096))) as $own
            | [$own[1:11], $own[11:22], $own[22:33]] as $phases | $phases[1] as $second
            | ($reads[0] | map(select(.[0] == 8192 and .[2] > $second[0][1]
                and .[2] < $second[-1][2]))) as $beside
            | map(.stat.percentiles["50"]) as $p | .[1].background as $b
            | "nine \([$second[] | . as [$size, $from, $to] | $beside
                | map(select(.[2] > $from and .[2] < $to)) | length] | median == 8)",
            "measured \([range(3) | $p[.] >= ($phases[.] | times | median) * 0.99] | all)",
            "recovered \([$p[0, 2] * 3 < $p[1]] | all)",
            "count \($b.count - ($beside | length) | . >= -9 and . <= 25)",
            "own \($b.count * 1e9 / $b.time / $b.iops - 1 | fabs <= 0.001)",
            "bytes \($b.bytes == $b.count * 8192)",
            "waits \($b.percentiles["50"] >= ($beside | times | median) * 0.9)"' o >found
        grep -q false found || break
    done
    cat found
    jq -s -r '.[1] | .background | "\(.operation) \(.size) \(.depth * .threads)"' o
}

# Measures the rate of the load by the server's log. Late requests delay all later ones, so
# the rate may be lower than asked for, but not by half: that would be the rate of one of two
# threads.
a_rate_is_kept() {
    for _ in 1 2 3 4 5; do
        loaded -w 600ms -i 100ms -load read,size=8k,"$1" || return
        of_load | awk 'NR == 1 { first = $4 } { last = $4 }
            END { rate = (NR - 1) * 1e9 / (last - first); print (rate > 30), (rate < 60) }' \
            >found
        jq -s -r '.[1].background.iops | "\(. > 30 and . < 60)"' o >>found
        [ "$(cat found)" = "1 1
true" ] && break
    done
    cat found e
}

# Prints facts about the load: none of its reads began in the first phase or in the last, and
# the counted requests of the second phase began a second after it. On a busy machine the load
# may send nothing during the last request of its phase. Then the run is repeated.
the_load_is_there_in_its_phase_alone() {
    for _ in 1 2 3 4 5; do
        loaded -c 20 -i 10ms -load read,size=8k,depth=2 || return
        of_requests | awk '
            BEGIN { none = 1 }
            $3 == 8192 { if (!began) began = $4; ended = $5; next }
            { own++; if (own <= 20 && began) none = 0; if (own == 21) after = $4 - began
              if (own == 40) last = $4; if (own == 41) next_one = $4 }
            END { print own, none, (after >= 9e8), (ended > last), (ended < next_one) }' \
            >found
        grep -q '^60 1 1 0 1$' found || break
    done
    cat found
}

# Usage: nothing_of_a_user_is_changed ARGUMENTS...: makes a run with each ARGUMENTS, all in
# parallel, and prints the phases of each.
nothing_of_a_user_is_changed() {
    time=$(stat -c %y data)
    pids=
    for arguments; do
        # shellcheck disable=SC2086
        ioping -q -c 3 -i 1ms -B $arguments >"o.${#pids}" 2>&1 &
        pids="$pids $!"
    done
    set --
    for pid in $pids; do
        wait "$pid" || return
    done
    cut -d' ' -f11 o.* | tr '\n' ' '
    rm o.*
    ls -A d
    cmp data copy && [ "$(stat -c %y data)" = "$time" ]
}

# The requests go to a folder. The load writes to a file, with the user's consent.
a_file_is_written_with_consent() {
    head -c 64k data >f/own
    cp f/own f/before
    ioping -q -WWW -c 3 -i 1ms -load write,rate=100,path=f/own d >o 2>e
    echo $?
    cmp -s f/own f/before || echo changed
    [ "$(stat -c %s f/own)" = 65536 ] && cat e
}

records_have_their_phase() {
    ioping -JJ -c 4 -i 1ms -P 5s -load rw,size=8k,threads=2,rate=100,linear d >o 2>e || return
    jq -s -c '[.[] | .phase], [.[] | select(.io) | .io.request],
        [.[] | select(.stat) | [.phase, .stat.count, .load.count, has("background")]],
        (.[] | .background | select(.) | [.operation, .linear, .size, .depth, .threads])' o
    cat e
}

# Usage: an_end_in_a_phase PHASES PHASE SIGNAL: sends SIGNAL in PHASE, and prints the phases of
# the output. A phase takes 800 ms. If a busy machine sends the signal after its end, the
# output has not the expected PHASES, or the phase is complete, and the run is repeated.
an_end_in_a_phase() {
    for _ in 1 2 3 4 5; do
        start -JJ -a 0 -i 20ms -c 40 -load read,rate=100 d
        until_printed "\"phase\": \"$2\""
        end "$3" 2>/dev/null
        status=$?
        jq -r 'select(.stat) | .phase' o | tr '\n' ' ' >found
        [ "$(jq -s 'map(select(.phase == "'"$2"'" and .io)) | length' o)" = 40 ] ||
            [ "$(cat found)" != "$1" ] || break
    done
    cat found e
    return "$status"
}

# Only reads of the load fail. The load uses the file system bad.
a_failure_of_the_load_ends_all() {
    : >log
    ioping -q -B -c 1000 -i 10ms "$@" -load read,rate=200,path=bad/f d >o 2>e
    status=$?
    cut -d' ' -f11 o | tr '\n' ' '
    cat e
    return "$status"
}

a_load_that_hangs_is_left() {
    : >hang
    ioping -hang 1s -q -B -w 1s -i 10ms -load read,rate=200,path=stuck/f d >o 2>e
    status=$?
    rm hang
    cut -d' ' -f11 o | tr '\n' ' '
    sed 's/after [0-9.]* s/after #/; s/for [0-9.]* s/for #/' e
    return "$status"
}

metrics_have_the_phase() {
    ioping -q -c 5 -i 1ms -prometheus "$top/m.prom" -load read,rate=100 d >/dev/null || return
    sed -n 's/^ioping_requests_total{.*,\(phase="[a-z]*"\)}/\1/p
        s/^ioping_requests_in_flight{.*,\(phase="[a-z]*"\)}/\1/p' m.prom
}
