# Functions for the commands of all tests. Each command reads this file in the scratch
# folder (command.c), and then the file of its test program, such as tests/cli/test_hang.sh.
# shellcheck shell=sh
top=$PWD

# Loop devices read past the page cache of their files, where these can.
attach() { losetup --direct-io=on "$@" 2>/dev/null || losetup "$@"; }

# shellcheck disable=SC2086
ioping() { $IOPING_RUNNER "$IOPING" "$@"; }

# The filter jq, which copies its input for tests/schema.
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

# Usage: faulty SCRIPT [ARGUMENT...]: the program with these faults, see preload/faults.c.
# Requests that a busy machine holds up get no message, unless -hang comes later.
faulty() {
    faults=$1
    shift
    IOPING_SCRIPT=$faults LD_PRELOAD=$IOPING_FAULTS "$IOPING" -hang 0 "$@"
}

# Usage: exec_faulty SCRIPT [ARGUMENT...]: faulty, in place of the shell.
exec_faulty() {
    faults=$1
    shift
    exec env IOPING_SCRIPT="$faults" LD_PRELOAD="$IOPING_FAULTS" "$IOPING" -hang 0 "$@"
}

# Runs in the background write to the files o and e of the scratch folder, which are emptied
# first: no test may wait for the output of the one before.
fresh() {
    : >"$top/o"
    : >"$top/e"
    rm -f "$top/held"
}

# Usage: start [ARGUMENT...]; start_faulty SCRIPT [ARGUMENT...]: the program in the
# background, whose process is $pid.
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

# Usage: start_piped [ARGUMENT...]: start, with its output through a pipe. File closed is made
# at the end of the pipe, which may come before the program ends.
start_piped() {
    fresh
    rm -f pipe closed
    mkfifo pipe
    { cat pipe >o; : >closed; } &
    # shellcheck disable=SC2086
    $IOPING_RUNNER "$IOPING" "$@" >pipe 2>e &
    pid=$!
}

# Freezes the file system ext4 and thaws it when the command ends.
freeze() {
    trap 'fsfreeze -u ext4 2>/dev/null' EXIT
    trap 'exit 1' TERM
    fsfreeze -f ext4
}

# Usage: as_user COMMAND...: runs it as whom limits and permissions bind: as another user,
# or without privileges where the namespace has no other, or as who it is, who has none.
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

# Usage: COMMAND || lacks REASON || return: the test is skipped for what the system lacks.
lacks() {
    echo "$*" >&2
    return 77
}

# Usage: until_true COMMAND...: repeats it until it succeeds.
until_true() { until "$@"; do sleep 0.02; done; }

# Usage: until_printed PATTERN; until_said PATTERN: waits for it on stdout, or on stderr.
until_printed() { until_true grep -q -e "$1" "$top/o"; }
until_said() { until_true grep -q -e "$1" "$top/e"; }

# Usage: has_lines COUNT [PATTERN]; until_lines COUNT [PATTERN]: the output has COUNT lines
# with PATTERN; waits for them.
has_lines() { [ "$(grep -c -e "${2-request=}" "$top/o")" = "$1" ]; }
until_lines() { until_true has_lines "$@"; }

# until_held waits until the call of a "hold" has begun; release lets it go on.
until_held() { until_true test -e "$top/held"; }
release() { rm "$top/held"; }

# Numbers of the requests that stderr calls late and stdout has no line for: if all others
# have ended, these hang. With several workers the number of a hanging call is not known
# beforehand.
named() {
    sed -n 's/^ioping: request \([0-9]*\) has had .*/\1/p' "$top/e" | sort -nu |
        while read -r number; do
            grep -q "request=$number " "$top/o" || echo "$number"
        done
}
are_named() { [ "$(named | wc -l)" -ge "$1" ]; }
until_named() { until_true are_named "$1"; }

# Usage: worker_of PID: the process that does the work of a run that was started as PID: its
# child, or PID itself where there is none.
worker_of() {
    cat /proc/[0-9]*/stat 2>/dev/null | sed 's/^\([0-9]*\) .*) . /\1 /' |
        awk -v pid="$1" '$2 == pid { found = $1 } END { print found ? found : pid }'
}

# Usage: is_released PID: the kernel has let go of it, and of all its threads: the first is a
# zombie while another is stuck. Its parent may not ask for its end.
is_released() { ! cat "/proc/$1/task"/*/status 2>/dev/null | grep -q '^State:.[^Z]'; }

# Waits until all threads of the worker of $pid sleep, in five samples in a row: a thread that
# waits for a processor does not sleep. At first the worker may not be there yet, and the
# process that waits for it sleeps at once.
until_idle() {
    looks=0
    while [ "$looks" -lt 5 ]; do
        looks=$((looks + 1)) worker=$(worker_of "$pid")
        ! cat "/proc/$worker/task"/*/status 2>/dev/null | grep '^State:' |
            grep -qv '^State:.S' || looks=0
        sleep 0.02
    done
}

# Usage: is_handling PID: it has a signal pending, or its first thread does not sleep. No
# program is started for that: on a busy machine each takes its time, and a run gives up by
# itself 750 ms after a signal.
is_handling() {
    while read -r field value _; do
        case $field$value in
        State:[!SZ]* | ShdPnd:*[!0]*) return 0 ;;
        esac
    done 2>/dev/null <"/proc/$1/status"
    return 1
}

# Usage: until_handled WORKER: waits until $pid, and then its worker, has no signal pending
# and its first thread sleeps, or until it has ended.
until_handled() {
    for process in "$pid" "$1"; do
        while is_handling "$process"; do sleep 0.02; done
    done
}

# Waits for $pid, without the shell's message "Terminated".
reap() { wait "$pid" 2>/dev/null; }

# Usage: end SIGNAL: sends it to $pid and ends with the program's status.
end() {
    kill "-$1" "$pid"
    reap
}

# Usage: signal_held [SIGNAL]: sends it while a call of $pid is held, and lets the call go on
# when it has been handled; ends with the program's status.
signal_held() {
    until_held
    handler=$(worker_of "$pid")
    kill "-${1-INT}" "$pid"
    until_handled "$handler"
    release
    reap
}

# Sends two interrupts, far enough from each other that they do not become one.
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

# Usage: retry STATUS COMMAND...: runs it up to five times, until it ends with another status
# than STATUS: on a busy machine the program may give up too early.
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

# Usage: left COMMAND...: what it lists, once that is nothing or after a long time.
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

# Prints stderr without the line on missed requests, which depends on the load.
said() { sed '/^ioping: .*[0-9] requests* missed: /d' "$top/e"; }

# Usage: add_part DEVICE: adds a first partition, and waits for its node. Fails if there is none
# after 2 seconds: not every system makes one.
add_part() {
    addpart "$1" 1 2048 32768 || return
    for _ in $(seq 100); do
        [ ! -b "${1}p1" ] || return 0
        sleep 0.02
    done
    return 1
}
