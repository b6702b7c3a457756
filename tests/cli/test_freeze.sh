# Programs of test_freeze.c, see tests/support/commands.sh.
# shellcheck shell=sh disable=SC2154

# Usage: group_of CONTROLLER: prints the folder of this process's control group of version 1 for
# CONTROLLER. If CONTROLLER is empty, prints that of version 2.
group_of() {
    awk -v wanted="$1" '
        FNR == NR {
            split($4, words, ",")
            if (wanted == "" && $3 == "cgroup2") mount = $2
            if ($3 == "cgroup") for (i in words) if (words[i] == wanted) mount = $2
            next
        }
        {
            split($0, field, ":")
            count = split(field[2], words, ",")
            if (wanted == "" && field[1] == "0") path = field[3]
            for (i = 1; i <= count; i++) if (words[i] == wanted) path = field[3]
        }
        END { if (mount) print mount (path == "/" ? "" : path) }' /proc/mounts /proc/self/cgroup
}

# Usage: with_group KIND COMMAND...: runs a command with a new control group, whose folder is
# $group. KIND is freezer1 or freezer2, which can freeze processes, or cpu, which limits
# processor time.
with_group() {
    kind=$1
    shift
    case $kind in
    freezer1) parent=$(group_of freezer) file=freezer.state ;;
    freezer2) parent=$(group_of '') file=cgroup.freeze ;;
    cpu) parent=$(group_of cpu) file=cpu.cfs_quota_us ;;
    esac
    group=$parent/ioping-test-$$
    [ "$parent" ] && mkdir "$group" 2>/dev/null ||
        lacks "needs a control group of its own: $kind" || return
    trap leave_group EXIT
    [ -w "$group/$file" ] || lacks "needs a control group with $file" || return
    "$@"
}

# Usage: leave_group: kills all processes of the group and removes it.
leave_group() {
    thaw 2>/dev/null
    while ! rmdir "$group" 2>/dev/null; do
        xargs -r kill -KILL <"$group/cgroup.procs" 2>/dev/null
        sleep 0.02
    done
}

is_frozen() {
    case $kind in
    freezer1) grep -q '^FROZEN' "$group/freezer.state" ;;
    freezer2) grep -q '^frozen 1' "$group/cgroup.events" ;;
    esac
}
freeze_group() {
    case $kind in
    freezer1) echo FROZEN >"$group/freezer.state" ;;
    freezer2) echo 1 >"$group/cgroup.freeze" ;;
    esac
}
thaw() {
    case $kind in
    freezer1) echo THAWED >"$group/freezer.state" ;;
    freezer2) echo 0 >"$group/cgroup.freeze" ;;
    esac
}

# Usage: freeze_for SECONDS [COMMAND...]: freezes the group, runs the command, waits until all
# threads are frozen, and thaws the group SECONDS later. A thread in the kernel cannot be
# frozen. The command makes such threads return from the kernel.
freeze_for() {
    seconds=$1
    shift
    freeze_group
    "$@"
    until_true is_frozen
    sleep "$seconds"
    thaw
}

# Usage: begin [OPTION...] TARGET: starts a run, waits until it has printed a line, and puts its
# processes into the group.
begin() {
    start "$@"
    until_true has_begun
    join_group
}
has_begun() { [ -s o ] || is_released "$pid"; }
join_group() {
    for process in "$pid" "$(worker_of "$pid")"; do
        echo "$process" >"$group/cgroup.procs" || return
    done
}

# Usage: go_on: waits until the run has printed three more periods.
go_on() {
    periods=$(($(wc -l <o) + 3))
    while [ "$(wc -l <o)" -lt "$periods" ]; do sleep 0.02; done
}

# Usage: a_freeze_is_not_the_longest_latency [OPTION...]
a_freeze_is_not_the_longest_latency() {
    for _ in 1 2 3 4 5; do
        begin -JJ -q -P 100ms -S 1m "$@" . || return
        freeze_for 1
        go_on
        end INT
        short=$(tail -n 1 o | jq '.stat.max < 1e9 and .load.failed == 0')
        [ "$short" != true ] || break
    done
    echo "$short"
    cat e >&2
}

# Usage: found_in_five COMMAND...: runs a command up to five times, until the first line that
# it prints is "true". If the machine is busy at the moment of the freeze, the program cannot
# see it.
found_in_five() {
    for _ in 1 2 3 4 5; do
        "$@" >found
        status=$?
        [ "$(head -n 1 found)" != true ] || break
    done
    cat found
    return "$status"
}

a_frozen_request_has_the_verdict() {
    head -c 1M /dev/urandom >fs.files/f
    rm -f hang hang.waiting
    begin -i 1ms -JJ -c 1000 -a 0 fs/f || return
    : >hang
    until_true test -e hang.waiting
    freeze_for 1 rm hang
    reap
    status=$?
    jq -c 'select(.io.notice == "stopped") | .io.ignored' o
    tail -n 1 o | jq -c '[.stat.count, .load.count, .stat.max < 1e9]'
    grep -o 'while the program was stopped or frozen' e
    return "$status"
}

# The program detects a freeze by epoll, which is forbidden here.
a_freeze_that_cannot_be_seen_is_noted() {
    head -c 1M /dev/urandom >fs.files/f
    rm -f hang hang.waiting
    fresh
    "$IOPING_FORBID" 1 epoll_create1 "$IOPING" -hang 0 -i 1ms -JJ -c 1000 -a 0 fs/f >o 2>e &
    pid=$!
    until_true has_begun
    join_group || return
    : >hang
    until_true test -e hang.waiting
    freeze_for 1.5 rm hang
    reap
    status=$?
    tail -n 1 o | jq -c '[.stat.count, .load.count, .stat.max > 1.4e9]'
    cat e >&2
    return "$status"
}

# Another process of the group uses up its processor time, so that all threads of the program
# get no processor for most of each second. Prints "throttled" if the kernel has counted that,
# and then how many requests count, and whether all times are at least as long as the
# server's.
a_limit_on_processor_time_is_no_freeze() {
    head -c 1M /dev/urandom >fs.files/f
    begin -JJ -i 0 -c 6 -a 0 fs/f || return
    echo 1000000 >"$group/cpu.cfs_period_us"
    echo 20000 >"$group/cpu.cfs_quota_us"
    sh -c 'while :; do :; done' &
    busy=$!
    echo "$busy" >"$group/cgroup.procs"
    reap
    status=$?
    kill "$busy"
    ! grep -q '^nr_throttled [1-9]' "$group/cpu.stat" || echo throttled
    tail -n 1 o | jq -c '[.stat.count, .stat.min >= 3e8]'
    return "$status"
}
