# What every command of a test may use: command.c has it read in the scratch folder, and
# behind it the file of the test program's own, such as tests/cli/test_hang.sh.
# shellcheck shell=sh
top=$PWD

# Loop devices read past the page cache of their files, where these can.
attach() { losetup --direct-io=on "$@" 2>/dev/null || losetup "$@"; }

# shellcheck disable=SC2086
ioping() { $IOPING_RUNNER "$IOPING" "$@"; }

# What it reads is kept for tests/schema.
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
# Nothing is said of requests that a busy machine holds up, unless -hang comes later.
faulty() {
    faults=$1
    shift
    IOPING_SCRIPT=$faults LD_PRELOAD=$IOPING_FAULTS "$IOPING" -hang 0 "$@"
}

# The same, in place of the shell.
exec_faulty() {
    faults=$1
    shift
    exec env IOPING_SCRIPT="$faults" LD_PRELOAD="$IOPING_FAULTS" "$IOPING" -hang 0 "$@"
}

# Runs in the background write to the files o and e of the scratch folder. They are emptied
# before, so that no test waits for what the last one wrote.
fresh() {
    : >"$top/o"
    : >"$top/e"
    rm -f "$top/held"
}

# Usage: start [ARGUMENT...]; start_faulty SCRIPT [ARGUMENT...]: the program in the
# background, with $pid its own number.
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

# Usage: start_piped [ARGUMENT...]: the same through a pipe. At its end, which may come before
# that of the program, there is a file closed.
start_piped() {
    fresh
    rm -f pipe closed
    mkfifo pipe
    { cat pipe >o; : >closed; } &
    # shellcheck disable=SC2086
    $IOPING_RUNNER "$IOPING" "$@" >pipe 2>e &
    pid=$!
}

# Freezes ext4, which is thawed at the end if not before.
freeze() {
    trap 'fsfreeze -u ext4 2>/dev/null' EXIT
    trap 'exit 1' TERM
    fsfreeze -f ext4
}

# Usage: as_user COMMAND...: not as root, whom neither limits nor permissions bind, where
# that can be had.
as_user() {
    if [ "$(id -u)" != 0 ] || ! command -v setpriv >/dev/null; then
        "$@"
    else
        setpriv --reuid=65534 --regid=65534 --clear-groups -- "$@"
    fi
}

# Usage: until_true COMMAND...
until_true() { until "$@"; do sleep 0.02; done; }

# Usage: until_printed PATTERN; until_said PATTERN: waits for it in the output, or among
# what is said beside it.
until_printed() { until_true grep -q -e "$1" "$top/o"; }
until_said() { until_true grep -q -e "$1" "$top/e"; }

# Usage: has_lines COUNT [PATTERN]: the output has so many lines, with this in them.
has_lines() { [ "$(grep -c -e "${2-request=}" "$top/o")" = "$1" ]; }
until_lines() { until_true has_lines "$@"; }

# Waits until the call of a "hold" has begun; and lets it go on.
until_held() { until_true test -e "$top/held"; }
release() { rm "$top/held"; }

# The numbers of the requests that are told of and have no line: if the others all have
# theirs, those that hang. Which number a call has that hangs nobody knows where several
# workers make them.
named() {
    sed -n 's/^ioping: request \([0-9]*\) has had .*/\1/p' "$top/e" | sort -nu |
        while read -r number; do
            grep -q "request=$number " "$top/o" || echo "$number"
        done
}
are_named() { [ "$(named | wc -l)" -ge "$1" ]; }
until_named() { until_true are_named "$1"; }

# Waits until all threads of $pid wait for something, at some looks in a row: one that
# waits for a processor does not.
until_idle() {
    looks=0
    while [ "$looks" -lt 5 ]; do
        looks=$((looks + 1))
        ! cat "/proc/$pid/task"/*/status 2>/dev/null | grep '^State:' |
            grep -qv '^State:.S' || looks=0
        sleep 0.02
    done
}

# Waits until $pid has handled the signals that it was sent, and its first thread waits for
# more; or until it has ended.
until_handled() {
    while grep -q -e '^State:.[^SZ]' -e '^ShdPnd:.*[1-9a-f]' "/proc/$pid/status" \
        2>/dev/null; do
        sleep 0.02
    done
}

# Waits for $pid, of which the shell would say that it was terminated.
reap() { wait "$pid" 2>/dev/null; }

# Usage: end SIGNAL: ends $pid by it, with its status.
end() {
    kill "-$1" "$pid"
    reap
}

# Usage: signal_held [SIGNAL]: sends it while a call of $pid is held, which goes on when it
# has been handled; ends with the program's status.
signal_held() {
    until_held
    kill "-${1-INT}" "$pid"
    until_handled
    release
    reap
}

# The second interrupt must not come so soon that it is the same.
interrupt_twice() {
    kill -INT "$pid"
    until_handled
    sleep 0.1
    kill -INT "$pid" 2>/dev/null
}
end_at_once() {
    interrupt_twice
    reap
}

# Usage: retry STATUS COMMAND...: what must come within some time, after which the program
# gives up: where a busy machine was late it is tried again, unless it ends with STATUS.
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

# The totals in the output.
totals() {
    sed -nE 's/^([0-9]+ requests completed) .*/\1/p
        s/^(generated [0-9]+ requests) .*/\1/p' "$top/o"
}

# What is said beside the output, without the line that depends on how busy the machine is.
said() { sed '/^ioping: .*[0-9] requests* w[a-z]* missed: /d' "$top/e"; }
