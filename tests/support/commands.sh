# Shell functions for the commands that tests run. Each command runs in the scratch folder of
# its test. It reads this file first (see command.c), then the shell file of its test program,
# such as tests/cli/test_hang.sh.
# shellcheck shell=sh
top=$PWD

# Usage: attach ARGUMENT...: losetup, with direct I/O to the backing file if that is possible.
attach() { losetup --direct-io=on "$@" 2>/dev/null || losetup "$@"; }

# shellcheck disable=SC2086
ioping() { $IOPING_RUNNER "$IOPING" "$@"; }

# jq, which also keeps a copy of its input, so that tests/schema can validate it later.
jq() (
    [ -d "${IOPING_JSON-}" ] || exec jq "$@"
    keep() { mktemp "$IOPING_JSON/XXXXXX" 2>/dev/null || echo /dev/null; }
    given=
    for file; do
        [ ! -f "$file" ] || { given=$file; cat <"$file" >"$(keep)"; }
    done
    [ -z "$given" ] || exec jq "$@"
    tee "$(keep)" | exec jq "$@"
)

# Usage: faulty SCRIPT [ARGUMENT...]: runs the program with the faults of SCRIPT, see
# preload/faults.c. With -hang 0, a request that a busy machine delays gets no message. A later
# -hang among the arguments replaces it.
faulty() {
    faults=$1
    shift
    IOPING_SCRIPT=$faults LD_PRELOAD=$IOPING_FAULTS "$IOPING" -hang 0 "$@"
}

# Usage: exec_faulty SCRIPT [ARGUMENT...]: like faulty, but replaces the shell.
exec_faulty() {
    faults=$1
    shift
    exec env IOPING_SCRIPT="$faults" LD_PRELOAD="$IOPING_FAULTS" "$IOPING" -hang 0 "$@"
}

# Runs in the background write their output to the file o and their errors to the file e, both
# in the scratch folder. This empties both files, so that no test takes the output of an earlier
# run for its own.
fresh() {
    : >"$top/o"
    : >"$top/e"
    rm -f "$top/held"
}

# Usage: start [ARGUMENT...]: runs the program in the background. Sets $pid to its process.
# Usage: start_faulty SCRIPT [ARGUMENT...]: the same with faults, see faulty.
start() {
    fresh
    # shellcheck disable=SC2086
    $IOPING_RUNNER "$IOPING" -hang 0 "$@" >"$top/o" 2>"$top/e" &
    pid=$!
}
start_faulty() {
    fresh
    faults=$1
    shift
    IOPING_SCRIPT=$faults LD_PRELOAD=$IOPING_FAULTS "$IOPING" -hang 0 "$@" \
        >"$top/o" 2>"$top/e" &
    pid=$!
}

# Usage: start_piped [ARGUMENT...]: like start, but the output goes through a pipe. When the
# program has closed the pipe, which may be before it ends, the file "closed" is made.
start_piped() {
    fresh
    rm -f pipe closed
    mkfifo pipe
    { cat pipe >o; : >closed; } &
    # shellcheck disable=SC2086
    $IOPING_RUNNER "$IOPING" "$@" >pipe 2>e &
    pid=$!
}

# Freezes the file system that is mounted at "ext4". Thaws it when the shell ends.
freeze() {
    trap 'fsfreeze -u ext4 2>/dev/null' EXIT
    trap 'exit 1' TERM
    fsfreeze -f ext4
}

# Usage: as_user COMMAND...: runs COMMAND as somebody to whom limits and permissions apply:
# as the user nobody; or without privileges, if the namespace has no other user; or as the
# current user, who has no privileges if neither of these is possible.
as_user() {
    for way in '--reuid=65534 --regid=65534 --clear-groups' \
        '--bounding-set=-all --inh-caps=-all'; do
        # shellcheck disable=SC2086
        setpriv $way -- true 2>/dev/null || continue
        # shellcheck disable=SC2086
        setpriv $way -- "$@"
        return
    done
    "$@"
}

# Usage: COMMAND || lacks REASON || return: if COMMAND fails, skips the test with REASON, which
# names the thing that the system lacks.
lacks() {
    echo "$*" >&2
    return 77
}

# Usage: until_true COMMAND...: repeats COMMAND until it succeeds.
until_true() { until "$@"; do sleep 0.02; done; }

# Usage: until_printed PATTERN: waits until the output of the run in the background has PATTERN.
# Usage: until_said PATTERN: waits until its errors have PATTERN.
until_printed() { until_true grep -q -e "$1" "$top/o"; }
until_said() { until_true grep -q -e "$1" "$top/e"; }

# Usage: has_lines COUNT [PATTERN]: succeeds if COUNT lines of the output have PATTERN, by
# default a request's.
# Usage: until_lines COUNT [PATTERN]: waits until has_lines succeeds.
has_lines() { [ "$(grep -c -e "${2-request=}" "$top/o")" = "$1" ]; }
until_lines() { until_true has_lines "$@"; }

# The fault "hold" stops a system call of the program until the test releases it.
# until_held waits until such a call has begun. release lets it go on.
until_held() { until_true test -e "$top/held"; }
release() { rm "$top/held"; }

# Prints the numbers of the requests that hang: stderr has a message about each of them, and
# stdout has no line for it. With several workers, a test cannot know beforehand which requests
# will hang.
named() {
    sed -n 's/^ioping: request \([0-9]*\) has had .*/\1/p' "$top/e" | sort -nu |
        while read -r number; do
            grep -q "request=$number " "$top/o" || echo "$number"
        done
}
are_named() { [ "$(named | wc -l)" -ge "$1" ]; }
until_named() { until_true are_named "$1"; }

# Usage: worker_of PID: prints the process that does the work of the run that was started as
# PID. It is the child of PID, or PID itself if there is no child.
worker_of() {
    cat /proc/[0-9]*/stat 2>/dev/null | sed 's/^\([0-9]*\) .*) . /\1 /' |
        awk -v pid="$1" '$2 == pid { found = $1 } END { print found ? found : pid }'
}

# Usage: is_released PID: succeeds if all threads of PID have ended. While one thread is stuck
# in the kernel, the first thread is already a zombie, so the state of all threads counts. The
# process may stay a zombie, if its parent never waits for it.
is_released() { ! cat "/proc/$1/task"/*/status 2>/dev/null | grep -q '^State:.[^Z]'; }

# Waits until all threads of the process that works for $pid sleep, in five samples in a row. (A
# thread that waits for a processor is not asleep.) One sample is not enough: at first the
# child may not exist yet, while its parent, which waits for it, sleeps already.
until_idle() {
    looks=0
    while [ "$looks" -lt 5 ]; do
        looks=$((looks + 1)) worker=$(worker_of "$pid")
        ! cat "/proc/$worker/task"/*/status 2>/dev/null | grep '^State:' |
            grep -qv '^State:.S' || looks=0
        sleep 0.02
    done
}

# Usage: is_handling PID: succeeds if PID has a pending signal, or if its first thread does not
# sleep. Starts no program: on a busy machine that takes long, and a run gives up by itself
# 750 ms after a signal.
is_handling() {
    while read -r field value _; do
        case $field$value in
        State:[!SZ]* | ShdPnd:*[!0]*) return 0 ;;
        esac
    done 2>/dev/null <"/proc/$1/status"
    return 1
}

# Usage: until_handled WORKER: waits until $pid, and then the process WORKER, has handled its
# signals (see is_handling) or has ended.
until_handled() {
    for process in "$pid" "$1"; do
        while is_handling "$process"; do sleep 0.02; done
    done
}

# Waits for $pid, without the shell's message "Terminated".
reap() { wait "$pid" 2>/dev/null; }

# Usage: end SIGNAL: sends SIGNAL to $pid and waits for it. Returns the program's status.
end() {
    kill "-$1" "$pid"
    reap
}

# Usage: signal_held [SIGNAL]: sends SIGNAL (default INT) while a system call of $pid is held.
# When the signal has been handled, releases the call. Returns the program's status.
signal_held() {
    until_held
    handler=$(worker_of "$pid")
    kill "-${1-INT}" "$pid"
    until_handled "$handler"
    release
    reap
}

# Sends SIGINT twice. The second comes so late that the kernel cannot merge it with the first.
interrupt_twice() {
    handler=$(worker_of "$pid")
    kill -INT "$pid"
    until_handled "$handler"
    sleep 0.1
    kill -INT "$pid" 2>/dev/null
}
end_at_once() {
    interrupt_twice
    reap
}

# Usage: retry STATUS COMMAND...: runs COMMAND up to five times, until it ends with a status
# other than STATUS. On a busy machine the program may give up too early, with STATUS.
retry() {
    expected=$1
    shift
    for _ in 1 2 3 4 5; do
        "$@"
        ended=$?
        [ "$ended" != "$expected" ] || break
    done
    return "$ended"
}

# Usage: left COMMAND...: waits until COMMAND prints nothing, at most about 20 s, then prints
# the output that COMMAND has at last.
left() {
    tries=0
    while [ "$tries" -lt 1000 ] && [ "$("$@")" ]; do
        sleep 0.02
        tries=$((tries + 1))
    done
    "$@"
}

# Prints the totals in the output.
totals() {
    sed -nE 's/^([0-9]+ requests completed) .*/\1/p
        s/^(generated [0-9]+ requests) .*/\1/p' "$top/o"
}

# Prints the errors without the line about missed requests, because that line depends on the
# load of the machine.
said() { sed '/^ioping: .*[0-9] requests* missed: /d' "$top/e"; }

# Usage: add_part DEVICE: adds a first partition to DEVICE, and waits for its device node. Fails
# if there is no node after 2 seconds: not every system makes one.
add_part() {
    addpart "$1" 1 2048 32768 || return
    for _ in $(seq 100); do
        [ ! -b "${1}p1" ] || return 0
        sleep 0.02
    done
    return 1
}
