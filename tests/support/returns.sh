# Shell functions that run the program while something hangs, for tests/support/returns.c.
# The shell file of a test program reads this file. Each run is a row of the table in the test
# program. Its fields are these variables:
#
# - name: the name of its test, and of the file system that hangs, in the scratch folder
# - kind: the kind of its hang: hang_KIND begins the hang, and free_KIND ends it
# - when: the hang begins when the run's stdout contains this; empty: before the run starts
# - limit: hundredths of a second within which the run must return to its caller
# - unread: the output streams that nobody reads: 1, 2 or 12
# - strike: the signals that the hanging run gets
# - before: a command that runs the program
#
# The folder NAME.run has the files of the run:
#
# - in, 1, 2: FIFOs for its standard streams; out, err: what was read from 1 and 2
# - hang, hang.waiting: the FUSE server hangs while hang exists, and makes hang.waiting when
#   a request meets the hang
# - began: the time when the run started or got the first signal
# - over: exists when the row has ended; late: exists if the hang had to be ended first
# - held: a line for each process that still held a standard stream
# - row: name, seconds until the caller went on, and status; problems: a line for each
# shellcheck shell=sh disable=SC2154

# Usage: look_at_clock: sets $clock to the time since the machine started, in hundredths of a
# second. Nobody can set that clock.
look_at_clock() {
    read -r clock _ </proc/uptime
    clock=${clock%.*}${clock#*.}
}

# Usage: start_timing: writes the time from which the limit counts to the file began.
start_timing() {
    look_at_clock
    echo "$clock" >"$run/began"
}

# Usage: seconds HUNDREDTHS: prints hundredths of a second as seconds, with two decimals.
seconds() { echo "$(($1 / 100)).$(printf %02d $(($1 % 100)))"; }

hang_nothing() { :; }
free_nothing() { :; }
hang_server() { : >"$run/hang"; }
free_server() { rm -f "$run/hang"; }
hang_frozen() { fsfreeze -f "$name"; }
free_frozen() { fsfreeze -u "$name" 2>/dev/null; }

# Usage: has_hung: returns 0 if a request of the FUSE server has met the hang. For other kinds
# of hangs this cannot be seen, and it returns 0.
has_hung() { [ "$kind" != server ] || [ -e "$run/hang.waiting" ]; }

# Usage: row_processes: prints the processes of the row. They have the variable IOPING_ROW in
# their environment, with a value that no other row has. All threads are examined, because the
# first thread of a process may have ended while another still waits in the kernel.
row_processes() {
    grep -slzxF "IOPING_ROW=$top/$name" /proc/[0-9]*/task/*/environ | cut -d/ -f3 |
        sort -u
}

# Usage: are_gone: returns 0 if no process of the row is left.
are_gone() { [ -z "$(row_processes)" ]; }

# Usage: stream_holders: prints the processes of the row that hold one of its streams open.
stream_holders() {
    for process in $(row_processes); do
        ! readlink "/proc/$process/task"/*/fd/* 2>/dev/null |
            grep -qxE ".*/$run/(in|1|2)" || echo "$process"
    done
}

# Usage: are_released: returns 0 if no process of the row holds one of its streams open.
are_released() { [ -z "$(stream_holders)" ]; }

# Usage: within TENTHS COMMAND...: repeats a command until it succeeds. Returns 1 if it still
# fails after that many tenths of a second.
within() {
    tries=$1
    shift
    until "$@"; do
        tries=$((tries - 1))
        [ "$tries" -gt 0 ] || return 1
        sleep 0.1
    done
}

# Usage: unless_over COMMAND...: repeats a command until it succeeds or the row is over.
unless_over() {
    until "$@" || [ -e "$run/over" ]; do sleep 0.05; done
}

# Usage: is_stuck: returns 0 if stdout, which nobody reads, is so full that it takes no
# further line, and all threads of the run wait.
is_stuck() {
    ! dd if=/dev/zero of="$run/1" bs=100 count=1 oflag=nonblock 2>/dev/null || return
    until_idle
}

# Usage: has_met_all: returns 0 if the run has met the hang and, if nobody reads its stdout,
# is stuck in writing.
has_met_all() {
    case $unread in
    *1*) is_stuck ;;
    esac && has_hung
}

# Usage: has_taken_signal: returns 0 if no signal is pending for process $pid. Looks at the
# signals of the whole process, because its first thread may hang.
has_taken_signal() { ! grep -q '^ShdPnd:.*[1-9a-f]' "/proc/$pid/status" 2>/dev/null; }

# Usage: drive: begins the hang when it is due, and then sends the signals. The limit counts
# from the first signal. The process that was started gets the signals; $pid becomes the one
# that does the work, which may be its child.
drive() {
    started=$pid
    if [ "$when" ]; then
        unless_over grep -q -e "$when" "$run/out"
        [ -e "$run/over" ] || "hang_$kind"
    fi
    [ "$strike" ] || return
    pid=$(pgrep -P "$started" || echo "$started")
    unless_over has_met_all
    start_timing
    for signal in $strike; do
        kill "-$signal" "$started" 2>/dev/null
        unless_over has_taken_signal
        sleep 0.1
    done
}

# Usage: guard: after 20 s ends the hang and kills the processes of the row, until it is over.
guard() {
    sleep 20
    : >"$run/late"
    until [ -e "$run/over" ]; do
        "free_$kind"
        # shellcheck disable=SC2046
        kill -KILL "$pid" $(row_processes) 2>/dev/null
        sleep 0.5
    done
}

# Usage: read_stream 1|2: starts a process that reads the stream to its end, and sets $reader
# to it. If nobody is to read the stream, it is held open instead, and $reader is empty. The
# stream is filled up then, unless the run gets signals: those wait until the run itself has
# filled it.
read_stream() {
    reader=
    [ "$1" = 1 ] && text=$run/out || text=$run/err
    : >"$text"
    case $unread in
    *"$1"*) ;;
    *)
        cat <"$run/$1" >"$text" &
        reader=$!
        return
        ;;
    esac
    if [ "$1" = 1 ]; then exec 3<>"$run/1"; else exec 4<>"$run/2"; fi
    [ "$strike" ] || dd if=/dev/zero of="$run/$1" bs=4096 oflag=nonblock 2>/dev/null
}

# Usage: program ARGUMENT...: replaces this shell by the program of the row.
program() {
    # shellcheck disable=SC2086
    exec env "IOPING_ROW=$top/$name" $before "$IOPING" "$@" 3>&- 4>&-
}

# Usage: attempt ARGUMENT...: runs the row once. Sets $status, $began, $returned (when the
# program ended, so that its caller could go on), $released (when the readers of its output
# met the end, so that nobody held the pipes any more), and $took, all in hundredths of a
# second.
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
    start_timing
    program "$@" <>"$run/in" >"$run/1" 2>"$run/2" &
    pid=$!
    drive &
    driver=$!
    guard &
    guard=$!
    wait "$pid" 2>/dev/null
    status=$?
    look_at_clock
    returned=$clock
    for reader in $readers; do wait "$reader"; done
    look_at_clock
    released=$clock
    within 20 are_released ||
        stream_holders | sed 's/.*/& holds a stream/' >"$run/held"
    : >"$run/over"
    kill "$guard"
    wait "$driver" "$guard" 2>/dev/null
    "free_$kind"
    read -r began <"$run/began"
    took=$((returned - began))
}

# Usage: list_files: prints the files on the row's file system.
list_files() {
    [ ! -d "$name" ] || [ -d "$name.files" ] || ls -A "$name"
    [ ! -d "$name.files" ] || ls -A "$name.files"
}

# Usage: list_leftovers: prints the files that the program made and did not remove. A file
# that was removed while it was open keeps a hidden name until it is closed. libfuse never
# removes that name if a signal interrupted the creation of the file.
list_leftovers() {
    list_files | grep -vxE 'f|lost\+found|exported\.(svg|prom)|\.fuse_hidden.*'
}

# Usage: is_clean: returns 0 if the program left no files.
is_clean() { [ -z "$(list_leftovers)" ]; }

# Usage: list_problems: prints a line for each problem of the last attempt.
list_problems() {
    [ ! -e "$run/late" ] || echo "did not return until its hang was ended"
    has_hung || echo "has met no hang"
    [ "$took" -le "$limit" ] || echo "the caller went on after $(seconds "$took") s"
    [ "$((released - began))" -le "$limit" ] ||
        echo "its pipes were held for $(seconds $((released - began))) s"
    [ ! -e "$run/held" ] || cat "$run/held"
    within 100 are_gone ||
        echo "stays when the hang has ended: $(row_processes | xargs)"
    within 50 is_clean || echo "has left $(list_leftovers | xargs)"
}

# Usage: is_inconclusive: returns 0 if the attempt must be repeated, because a busy machine
# may have been the reason for its result: the run never met its hang, or it was too slow.
# After two SIGINTs, status 3 means that the second came when the run had already printed
# its summary.
is_inconclusive() {
    [ ! -e "$run/late" ] && { ! has_hung || [ "$((released - began))" -gt "$limit" ] ||
        [ "$strike.$status" = 'INT INT.3' ]; }
}

# Usage: row ARGUMENT...: runs a row, up to five times, and writes the files row and problems.
row() (
    run=$name.run
    trap '"free_$kind"' EXIT
    trap 'exit 1' TERM
    for _ in 1 2 3 4 5; do
        attempt "$@"
        is_inconclusive || break
    done
    list_problems >"$run/problems"
    echo "$name $(seconds "$took") $status" >"$run/row"
    [ -z "${IOPING_RETURNS-}" ] || cat "$run/row" >>"$IOPING_RETURNS"
)

# Usage: print_end NAME: prints the problems of a row and its status.
print_end() {
    cat "$1.run/problems"
    sed 's/.* /status /' "$1.run/row"
}

# Usage: print_output NAME: prints what a row wrote, on the same streams. Leaves out the line
# on missed requests, which appears only on a busy machine.
print_output() {
    cat "$1.run/out"
    sed "/missed: not sent in time/d" "$1.run/err" >&2
}
