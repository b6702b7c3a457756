# Runs that meet a hang, for tests/support/returns.c; the file of sh of a test program
# reads this one. Each run is a row of a table there, which has these variables:
#
# - name: of its test, and of what hangs in the scratch folder
# - kind: of the hang: hang_KIND begins it, and free_KIND ends it
# - when: what its output has when the hang begins; empty: it is there before
# - limit: hundredths of a second until the caller is to go on
# - unread: streams that nobody reads, such as 12
# - strike: signals that it gets when it hangs
# - before: a program that runs it
#
# Folder NAME.run has its files:
#
# - in, 1, 2: FIFOs, its standard streams; out, err: what was read from them
# - hang, hang.waiting: of the FUSE server
# - began: when it began, or was struck; over: the row has ended; late: not in time
# - row: its status and the seconds until the caller went on; problems: a line for each
# shellcheck shell=sh disable=SC2154

# Hundredths of a second, by a clock that nobody sets, as $clock.
look_at_clock() {
    read -r clock _ </proc/uptime
    clock=${clock%.*}${clock#*.}
}
begin_clock() {
    look_at_clock
    echo "$clock" >"$run/began"
}
seconds() { echo "$(($1 / 100)).$(printf %02d $(($1 % 100)))"; }

hang_nothing() { :; }
free_nothing() { :; }
hang_server() { : >"$run/hang"; }
free_server() { rm -f "$run/hang"; }
hang_frozen() { fsfreeze -f "$name"; }
free_frozen() { fsfreeze -u "$name" 2>/dev/null; }
has_hung() { [ "$kind" != server ] || [ -e "$run/hang.waiting" ]; }

# Processes of the row, by their environment, where no other run of the test has the same:
# one may have no more than a thread that waits in the kernel.
ours() {
    grep -slzxF "IOPING_ROW=$top/$name" /proc/[0-9]*/task/*/environ | cut -d/ -f3 |
        sort -u
}
are_gone() { [ -z "$(ours)" ]; }

# Those of them that hold a standard stream of the row.
holders() {
    for process in $(ours); do
        ! readlink "/proc/$process/task"/*/fd/* 2>/dev/null |
            grep -qxE ".*/$run/(in|1|2)" || echo "$process"
    done
}
are_released() { [ -z "$(holders)" ]; }

# Usage: within TENTHS COMMAND...: repeats it until it succeeds, for so long.
within() {
    tries=$1
    shift
    until "$@"; do
        tries=$((tries - 1))
        [ "$tries" -gt 0 ] || return 1
        sleep 0.1
    done
}

# Usage: unless_over COMMAND...: repeats it until it succeeds, or the row is over.
unless_over() {
    until "$@" || [ -e "$run/over" ]; do sleep 0.05; done
}

# The pipe takes no line any more, by what stands in it already, and all threads wait.
is_stuck() {
    ! dd if=/dev/zero of="$run/1" bs=100 count=1 oflag=nonblock 2>/dev/null || return
    until_idle
}
has_met_all() {
    case $unread in
    *1*) is_stuck ;;
    esac && has_hung
}

# Process $pid has no signal pending; its first thread may hang.
is_struck() { ! grep -q '^ShdPnd:.*[1-9a-f]' "/proc/$pid/status" 2>/dev/null; }

# Begins the hang when it is due, and sends the signals: the time counts from the first.
# Process $pid is the one that works then, which may be a child of the one that was
# started.
drive() {
    started=$pid
    if [ "$when" ]; then
        unless_over grep -q -e "$when" "$run/out"
        [ -e "$run/over" ] || "hang_$kind"
    fi
    [ "$strike" ] || return
    pid=$(pgrep -P "$started" || echo "$started")
    unless_over has_met_all
    begin_clock
    for signal in $strike; do
        kill "-$signal" "$started" 2>/dev/null
        unless_over is_struck
        sleep 0.1
    done
}

# Ends the hang after 20 s, and the run.
guard() {
    sleep 20
    : >"$run/late"
    until [ -e "$run/over" ]; do
        "free_$kind"
        # shellcheck disable=SC2046
        kill -KILL "$pid" $(ours) 2>/dev/null
        sleep 0.5
    done
}

# Usage: read_stream 1|2: until its end, by process $reader; or holds it open, and full
# unless the row is struck once it is.
read_stream() {
    reader=
    [ "$1" = 1 ] && said=$run/out || said=$run/err
    : >"$said"
    case $unread in
    *"$1"*) ;;
    *)
        cat <"$run/$1" >"$said" &
        reader=$!
        return
        ;;
    esac
    if [ "$1" = 1 ]; then exec 3<>"$run/1"; else exec 4<>"$run/2"; fi
    [ "$strike" ] || dd if=/dev/zero of="$run/$1" bs=4096 oflag=nonblock 2>/dev/null
}

# Usage: program ARGUMENT...
program() {
    # shellcheck disable=SC2086
    exec env "IOPING_ROW=$top/$name" $before "$IOPING" "$@" 3>&- 4>&-
}

# Usage: attempt ARGUMENT...: the run of the row, once. Its shell goes on when the program
# has ended, and a reader when nobody holds its pipe.
attempt() {
    "free_$kind"
    rm -rf "$run"
    mkdir "$run"
    mkfifo "$run/in" "$run/1" "$run/2"
    [ "$when" ] || "hang_$kind"
    read_stream 1
    readers=$reader
    read_stream 2
    readers="$readers $reader"
    begin_clock
    program "$@" <>"$run/in" >"$run/1" 2>"$run/2" &
    pid=$!
    drive &
    driver=$!
    guard &
    guard=$!
    wait "$pid" 2>/dev/null
    status=$?
    look_at_clock
    prompt=$clock
    for reader in $readers; do wait "$reader"; done
    look_at_clock
    released=$clock
    within 20 are_released || holders | sed 's/.*/& holds a stream/' >"$run/held"
    : >"$run/over"
    kill "$guard"
    wait "$driver" "$guard" 2>/dev/null
    "free_$kind"
    read -r began <"$run/began"
    took=$((prompt - began))
}

# Files that were made where the row's hang is.
left() {
    [ ! -d "$name" ] || [ -d "$name.files" ] || ls -A "$name"
    [ ! -d "$name.files" ] || ls -A "$name.files"
}
# What was removed has such a hidden name until it is closed. libfuse forgets one whose
# creation a signal had interrupted.
list_left() { left | grep -vxE 'f|lost\+found|exported\.(svg|prom)|\.fuse_hidden.*'; }

is_clean() { [ -z "$(list_left)" ]; }

list_problems() {
    [ ! -e "$run/late" ] || echo "did not return until its hang was ended"
    has_hung || echo "has met no hang"
    [ "$took" -le "$limit" ] || echo "the caller went on after $(seconds "$took") s"
    [ "$((released - began))" -le "$limit" ] ||
        echo "its pipes were held for $(seconds $((released - began))) s"
    [ ! -e "$run/held" ] || cat "$run/held"
    within 100 are_gone || echo "stays when the hang has ended: $(ours | xargs)"
    within 50 is_clean || echo "has left $(list_left | xargs)"
}

# The machine was busy: the row was in vain. The second of two interrupts may find the
# last words said.
is_in_vain() {
    [ ! -e "$run/late" ] && { ! has_hung || [ "$((released - began))" -gt "$limit" ] ||
        [ "$strike.$status" = 'INT INT.3' ]; }
}

# Usage: row ARGUMENT...: runs a row.
row() (
    run=$name.run
    trap '"free_$kind"' EXIT
    trap 'exit 1' TERM
    for _ in 1 2 3 4 5; do
        attempt "$@"
        is_in_vain || break
    done
    list_problems >"$run/problems"
    echo "$name $(seconds "$took") $status" >"$run/row"
    [ -z "${IOPING_RETURNS-}" ] || cat "$run/row" >>"$IOPING_RETURNS"
)

# Usage: ended NAME: what was wrong with its end, and its status.
ended() {
    cat "$1.run/problems"
    sed 's/.* /status /' "$1.run/row"
}

# Usage: tell NAME: what it said, but for what a busy machine adds.
tell() {
    cat "$1.run/out"
    sed "/missed: not sent in time/d" "$1.run/err" >&2
}
