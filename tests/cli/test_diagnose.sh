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

# Usage: sentence OPTION... TARGET: diagnoses the target, and prints the answer. Ends with
# the status of the diagnosis.
sentence() {
    ioping -hang 0 -diagnose "$@" >o 2>e
    status=$?
    head -n 1 o
    return $status
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
                (.uses[0] | .met == (if .value then .value < .limit else null end)),
                (.uses[1] | .met == (if .value then .value < .limit else null end)),
                (.uses[2] | .met == (if .value then .value < .limit else null end)),
                (.uses[3] | .met == (if .value then .value >= .limit else null end)),
                .uses[0].value == null or .uses[0].value == .flush.p99,
                .uses[1].value == null or .uses[1].value == .commit.avg,
                .uses[3].value == null or .uses[3].value == .stream.bps,
                .idle.count > 0 and .idle.p50 <= .idle.max
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
    sentence -w 1s "$device" | sed "s|$device|DEVICE|g"
    losetup -d "$device"
}
