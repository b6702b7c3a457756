# Programs of test_diagnose.c, see tests/support/commands.sh.
# shellcheck shell=sh disable=SC2154

# Usage: facts FILTER OPTION... TARGET: diagnoses the target, and prints what the jq program
# FILTER finds in the object "diagnosis". Ends with the status of the diagnosis.
facts() {
    filter=$1
    shift
    ioping -hang 0 -diagnose -J "$@" >o 2>e
    status=$?
    jq -c ".[0].diagnosis | $filter" o
    return $status
}

# Usage: long_enough SECONDS PATTERN OPTION... TARGET: diagnoses the target within about SECONDS.
# On a busy machine, requests are slow. So while the report has PATTERN, which says that there
# were too few requests, this takes twice as long, up to 16 times SECONDS. The report goes to the
# file o. Ends with the status of the diagnosis.
long_enough() {
    seconds=$1
    pattern=$2
    shift 2
    for factor in 1 2 4 8 16; do
        status=0
        ioping -hang 0 -diagnose -w $((seconds * factor)) "$@" >o 2>e || status=$?
        grep -q -e "$pattern" o || break
    done
    return "$status"
}

# Usage: report_of_flushes OPTION... TARGET: diagnoses the target, for so long that flushes are
# measured, and prints the report.
report_of_flushes() {
    status=0
    long_enough 1 '^flush  *unknown' "$@" || status=$?
    cat o
    cat e >&2
    return $status
}

# Usage: sentence OPTION... TARGET: diagnoses the target, and prints the answer in one line.
# Ends with the status of the diagnosis.
sentence() {
    ioping -hang 0 -diagnose "$@" >o 2>e
    status=$?
    answer_line
    return $status
}

# Usage: sentence_of_enough SECONDS TARGET: does the same. Takes longer than SECONDS if there
# were too few reads for p99.
sentence_of_enough() {
    status=0
    long_enough "$1" 'too few for p99' "$2" || status=$?
    answer_line
    return $status
}

# Prints the answer of the report in o in one line.
answer_line() {
    awk '/^$/ { exit }
        { sub(/^    /, ""); printf "%s%s", gap, $0; gap = " " }
        END { print "" }' o
}

# Usage: wide OPTION... TARGET: diagnoses the target, and prints lines of more than 80 columns
# that could have been broken. Fails if there are no lines.
wide() {
    ioping -hang 0 -diagnose "$@" >o 2>e
    [ -s o ] || return 1
    awk 'length > 80 && $0 ~ /[^ ] +[^ ]/' o
}

# Usage: documented TARGET: diagnoses the target, and prints the objects in which a member of
# the schema is absent, or another one is there.
documented() {
    ioping -hang 0 -diagnose -w 500ms -J "$1" >o 2>e
    jq -nc --slurpfile schema "$IOPING_SOURCE/man/ioping.schema.json" --slurpfile record o '
        def differs(name; object; value):
            if value == null or (value | keys) == (object.required | sort) then empty
            else [name, (value | keys)] end;

        $schema[0]."$defs" as $known |
        $known.diagnosis.properties as $inner |
        $record[0][0].diagnosis as $found |
        differs("diagnosis"; $known.diagnosis; $found),
        differs("disk"; $inner.disk; $found.disk),
        differs("limit"; $inner.disk.properties.limit; $found.disk.limit?),
        differs("idle"; $known.times; $found.idle),
        differs("typical"; $inner.typical; $found.typical),
        differs("commit"; $known.times; $found.commit),
        differs("flush"; $known.times; $found.flush),
        differs("stream"; $inner.stream; $found.stream),
        differs("others"; $inner.others; $found.others),
        differs("uses"; $inner.uses.items; $found.uses[]),
        differs("depths"; $inner.depths.items; $found.depths[] | del(.depth, .threads)),
        differs("knee"; $inner.knee; $found.knee | values | del(.depth, .threads)),
        ($found.depths[] | select((.depth // .threads) == null))'
}

# Diagnoses the file data and the folder d, and computes from the figures what the findings
# should be.
recomputed() {
    for target in data d; do
        status=0
        ioping -hang 0 -diagnose -w 2s -J $target >o 2>e || status=$?
        [ "$status" = 0 ] || [ "$status" = 5 ] || return 1
        jq -c '.[0].diagnosis |
            [.depths[] | select(.p99)] as $known |
            ([$known[] | select(.p99 <= 2 * $known[0].p99)] | last | .depth) as $knee |
            [
                (.depths | map(.depth)) == [1, 2, 4, 8, 16, 32],
                .depths[0].p99 == null or .knee.depth == $knee,
                .depths[0].p99 == null or .knee.reached == ($known[-1].depth > $knee),
                (.uses[0] | .met == (if .value then .value < .limit else null end)),
                (.uses[1] | .met == (if .value then .value < .limit else null end)),
                (.uses[2] | .met == (if .value then .value < .limit else null end)),
                (.uses[3] | .met == (if .value then .value >= .limit else null end)),
                .uses[0].value == null or .uses[0].value == .flush.p99,
                .uses[1].value == null or .uses[1].value == .commit.avg,
                .uses[3].value == null or .uses[3].value == .stream.bps,
                .idle.count > 0 and .idle.p50 <= .idle.max,
                .state != "fine" or .typical == null or
                    (.idle.p50 <= .typical.p50_to and .idle.p99 <= .typical.p99_to)
            ]' o
    done
}

# Usage: limit_reads RATE DISK: makes a control group, of version 1 or 2, in which RATE reads
# per second from the disk are allowed. Moves this shell there. Returns 1 if that is
# impossible.
limit_reads() {
    number=$(cat "/sys/block/${2#/dev/}/dev") || return 1
    for parent in /sys/fs/cgroup/blkio /sys/fs/cgroup; do
        group=$parent/ioping-$$
        mkdir "$group" 2>/dev/null || continue
        trap 'echo $$ >"$parent/cgroup.procs"; rmdir "$group"' EXIT
        { echo "$number $1" >"$group/blkio.throttle.read_iops_device" ||
            echo "$number riops=$1" >"$group/io.max"; } 2>/dev/null &&
            echo $$ >"$group/cgroup.procs" && return 0
        rmdir "$group"
        trap - EXIT
    done
    return 1
}

# Usage: limited RATE: diagnoses the file data in a control group with a limit.
limited() {
    disk=$(facts '.disk.path // ""' -w 100ms data | tr -d '"')
    [ -n "$disk" ] || { lacks "needs a disk that the system knows"; return; }
    limit_reads "$1" "$disk" || { lacks "needs control groups with limits on I/O"; return; }
    facts '[.state, .cause, .disk.limit.iops]' -w 8s data
    status=$?
    jq -r '.[0].diagnosis.answer' o | sed 's/[0-9.]* [mu]s (p[0-9]*)/TIME/'
    return $status
}

# Succeeds if the server has served some reads.
has_begun() { [ "$(wc -l <fs.log)" -ge 20 ]; }

# Interrupts the part with pauses.
interrupted() {
    start -diagnose -w 60s -slo sync-p99=1us fs
    until_true has_begun
    kill -INT "$pid"
    wait "$pid"
    status=$?
    cat o
    return $status
}

# Usage: on_loop MODE: diagnoses a loop device with MODE for --direct-io.
on_loop() {
    head -c 8M /dev/zero >image
    device=$(losetup --show -f "--direct-io=$1" image) || { lacks "needs loop devices"; return; }
    sentence -w 1s "$device"
    grep "^try " o | sed "s|$device|DEVICE|g"
    losetup -d "$device"
}

# Usage: on_sparse_loop [rm]: diagnoses a loop device on a file that is all holes. With rm, the
# file is out of reach. Prints the answer, and what is not known about holes.
on_sparse_loop() {
    rm -f sparse
    truncate -s 8M sparse
    device=$(losetup --show -f --direct-io=on sparse) || { lacks "needs loop devices"; return; }
    ${1-true} sparse
    sentence -w 1s "$device"
    grep "holes in" o
    losetup -d "$device"
}

# Prints the figures that x.svg shows, in ns, bytes per second and reads per second, one in a
# line after its name. The bandwidth has no name in the picture; p90 is not in the JSON.
drawn_figures() {
    sed -n 's/^<text class="value"[^>]*>\([^<]*\)<.*/\1/p
        s/^<text class="number halo"[^>]*>\([^<]*\)<.*/rate \1/p' x.svg |
        sed 's/^[0-9]/stream &/; /^p90 /d' |
        awk 'BEGIN { unit["ns"] = unit[""] = unit["B/s"] = 1; unit["\302\265s"] = 1e3
                unit["ms"] = 1e6; unit["s"] = 1e9; unit["k"] = 1e3; unit["M"] = 1e6
                unit["KiB/s"] = 2^10; unit["MiB/s"] = 2^20; unit["GiB/s"] = 2^30 }
            { printf "%s %.0f\n", $1, $2 * unit[$3] }'
}

# Prints the same figures from the JSON in o. The panel of the reads with pauses has its limit
# only if some reads come near it. So this limit is printed if it is drawn.
printed_figures() {
    jq -r 'def line(name; figure): if figure then "\(name) \(figure)" else empty end;
        def times: line("p50"; .p50), line("p99"; .p99), line("max"; .max);
        .[0].diagnosis | (.idle | times), (.flush | times),
            line("p50"; [.depths[].p50 | numbers] | last),
            line("p99"; [.depths[].p99 | numbers] | last),
            (.depths[] | select(.count > 0) | line("rate"; .iops)),
            line("stream"; .stream.bps),
            line("stream"; if .stream.bps then .uses[3].limit else null end),
            line("etcd"; if .flush.count > 0 then .uses[0].limit else null end)' o
    ! drawn_figures | grep -q '^desktop ' ||
        jq -r '.[0].diagnosis.uses[2] | "\(.use) \(.limit)"' o
}

# Usage: drawn_and_printed TARGET: diagnoses TARGET with a picture, and compares the figures in
# the picture, which are rounded, with those in the JSON.
drawn_and_printed() {
    status=0
    rm -f x.svg
    ioping -hang 0 -diagnose -w 2s -J -plot x.svg "$1" >o 2>e || status=$?
    [ "$status" = 0 ] || [ "$status" = 5 ] || return 1
    drawn_figures | sort -k1,1 -k2,2n >drawn
    printed_figures | sort -k1,1 -k2,2n >printed
    paste -d ' ' drawn printed | awk '{ difference = $2 > $4 ? $2 - $4 : $4 - $2 }
        $1 != $3 || NF != 4 || difference > 1 && difference > $4 / 100 { print }
        END { print (NR >= 8 ? "figures" : "few figures") }'

    sed -n 's/^<text class="verdict[^>]*>\([^<]*\)<.*/\1/p' x.svg | sort >drawn
    jq -r '.[0].diagnosis.uses[] | "\(.use | sub("-"; " ")) \(
        if .met == null then "UNKNOWN" elif .met then "OK" else "FAIL" end)"' o |
        sort | cmp - drawn && echo uses
    sed -n 's/^<text class="answer" [^>]*>\([^<]*\)<.*/\1/p' x.svg | paste -s -d ' ' >drawn
    jq -r '.[0].diagnosis.answer' o | sed "s/\([0-9]\) us/\1 $(printf '\302\265')s/g" |
        cmp - drawn && echo answer
    sed -n 's/.*>knee: \([0-9]*\)<.*/\1/p' x.svg >drawn
    jq '.[0].diagnosis.knee | values | select(.reached) | .depth // .threads' o |
        cmp - drawn && echo knee
}

# Usage: panel_texts: prints the reasons in the panels of x.svg.
panel_texts() { sed -n 's/^<text class="dim"[^>]*>\([a-z][a-z ]*\)<.*/\1/p' x.svg; }

# Succeeds if the server has served more reads than the part with pauses has.
has_swept() { [ "$(wc -l <fs.log)" -ge 1500 ]; }

# Interrupts the sweep of depths.
interrupted_picture() {
    start -diagnose -w 20s -plot x.svg fs
    until_true has_swept
    kill -INT "$pid"
    wait "$pid"
    panel_texts
    grep -c '^<text class="answer"[^>]*>Cannot tell: interrupted after ' x.svg
    grep -c '^<text class="value"[^>]*>p50 ' x.svg | sed 's/[12]/idle reads/'
}

# Read 50 fails. There is time for many more reads with pauses, but none is sent after the failure.
failing_picture() {
    ioping -hang 0 -diagnose -w 60s -plot x.svg fs/f >o 2>e
    status=$?
    panel_texts
    grep -c '^<path class="fail ' x.svg
    grep -c '^<text class="answer"[^>]*>Failing: request ' x.svg
    return $status
}

picture_on_stdout() {
    ioping -hang 0 -diagnose -w 500ms -output results -plot - d >x.svg || [ $? = 5 ] || return
    head -n 1 x.svg
    grep -c '^<text class="panel"' x.svg
    grep -c '^idle  ' results
}
