# Programs of test_output.c, see tests/support/commands.sh.
# shellcheck shell=sh disable=SC2154

# Usage: one FILE: makes a run of one request with -output FILE. Prints the number of lines in
# FILE and the counts in its raw line, and a word of the summary on standard output.
one() {
    ioping -hang 0 -C -B -a 0 -c 1 -output "$1" data >o 2>e
    wc -l <"$1" | tr -d ' ' | tr '\n' ' '
    awk '{ printf "%s %s ", $1, $9 }' "$1"
    tail -n 4 o | head -n 1 | cut -d' ' -f2
}

the_file_is_made_and_emptied_as_by_the_shell() {
    rm -f x y link
    (umask 027; ioping -hang 0 -C -c 1 -output x data >o 2>e)
    stat -c %a x
    seq 1000 >y
    chmod 600 y
    ln y x.other
    one y >said
    stat -c %a y
    cat said
    ln -s x link
    one link >said
    readlink link
    cat said
    cmp -s y x.other || echo another file
}

# On a busy machine a step may have no request. Then longer steps are tried.
a_sweep_has_its_steps_in_both() {
    for window in 100ms 1s 10s; do
        ioping -hang 0 -C -B -w "$window" -sweep size=4k..16k -output x data >o 2>e
        grep -q 'ended at' e || break
    done
    cut -d' ' -f1 x
    tail -n 3 o | sed 's/^ *\([0-9]* KiB\) .*/\1/'
}

list_files() { find . \( -type f -printf '%p %s\n' -o -print \) | sort; }

# Usage: a_file_that_is_another_of_the_run_is_refused_unharmed ARGUMENT...: runs in the folder
# f and prints "same" if no file was made, changed or enlarged there. The folder has
# - a file t, its copy t.svg, a symbolic link "link" and a hard link "hard" to it
# - a folder k whose working file is a copy of t
# - an empty folder d; the link "broken" leads to its working file, which does not exist
# - a folder m with an empty working file, to which the link "short" leads
# - a link "dangling" to a file y, which does not exist
a_file_that_is_another_of_the_run_is_refused_unharmed() {
    rm -rf f/*
    cd f || return
    cp ../data ../copy .
    head -c 1M /dev/urandom >t
    cp t t.svg
    mkdir k
    ln -s t link
    ln t hard
    cp t k/ioping.tmp
    cp t before
    ln -s y dangling
    mkdir d m
    ln -s d/ioping.tmp broken
    : >m/ioping.tmp
    ln -s m/ioping.tmp short
    list_files >../files
    ioping -hang 0 -C -c 1 -i 0 "$@"
    status=$?
    { cmp t before && cmp k/ioping.tmp before && list_files | diff ../files -; } >&2 && echo same
    return "$status"
}

a_disk_is_refused_unharmed() {
    head -c 1M /dev/urandom >image
    cp image before
    loop=$(losetup -f --show image) || return
    ioping -hang 0 -C -c 1 -output "$loop" data
    status=$?
    losetup -d "$loop"
    ! cmp image before || echo same
    return "$status"
}

# Usage: every_signal_leaves_both_whole SIGNAL
every_signal_leaves_both_whole() {
    start -J -C -i 10ms -output x data
    until_printed request=3
    end "$1"
    status=$?
    jq -c '(.[-1].load.count == length - 1)' x
    grep -c ^generated o
    sed "/missed: not sent/d" e >&2 # that line appears only on a busy machine
    return "$status"
}

begin_and_end_at_once() {
    start_faulty pread:3:hold -J -C -i 0 -output x data
    until_held
    end_at_once
}

a_second_interrupt_closes_the_file() {
    retry 4 begin_and_end_at_once
    status=$?
    jq -c '[length, .[-1].io.request]' x
    grep -c request= o
    grep -c ^generated o
    return "$status"
}

# Usage: what_others_may_have_put_there_is_refused NAME: writes to NAME in the folder shared,
# where all users may make files. Another user has made "link", which leads to the file
# precious, "dangling", "file" and "fifo". This user has made the symbolic link "own" and
# "hard", a hard link to precious.
what_others_may_have_put_there_is_refused() {
    rm -rf shared
    mkdir -m 1777 shared
    echo data >precious
    ln -s ../precious shared/link
    ln -s ../missing shared/dangling
    echo data >shared/file
    mkfifo shared/fifo
    chown -h 65534 shared/*
    ln -s ../target shared/own
    ln precious shared/hard
    ioping -C -B -c 2 -i 0 -output "shared/$1" data >/dev/null
    status=$?
    cat precious shared/file
    find . -name missing
    [ "$status" != 0 ] || wc -l <"shared/$1"
    return "$status"
}

# Usage: make_unread: makes the FIFO p, which has room for 8 KiB and which nobody reads.
# Descriptor 3 is both of its ends.
make_unread() {
    rm -f p
    mkfifo p
    exec 3<>p
    dd if=/dev/zero of=p bs=4096 count=1000 oflag=nonblock 2>/dev/null
    head -c 8192 <&3 >/dev/null
}

# Usage: end_when_stuck SIGNAL: sends the signal when the worker waits for a reader of its
# output, and waits for the end. If SIGNAL is empty, only waits for the end.
end_when_stuck() {
    if [ "$1" ]; then
        until_idle
        kill "-$1" "$pid"
    fi
    reap
}

# Usage: has_records COUNT FILE: FILE has JSON records of at least COUNT requests. The record of
# a certain request may be missing: its thread may wait for another that is stuck.
has_records() { [ "$(grep -c '"request":' "$2")" -ge "$1" ]; }

# Usage: a_screen_that_nobody_reads_leaves_the_file_whole SIGNAL OPTION...: prints whether the
# file has requests, and whether its last record is the summary of them.
a_screen_that_nobody_reads_leaves_the_file_whole() {
    signal=$1
    shift
    fresh
    : >x
    make_unread
    # shellcheck disable=SC2086
    $IOPING_RUNNER "$IOPING" -hang 0 -C -i 0 "$@" -output x data >p 2>e &
    pid=$!
    until_true has_records 20 x
    end_when_stuck "$signal"
    status=$?
    jq -c -s 'flatten | [length > 20, (.[-1].load.count == length - 1)]' x
    cat e >&2
    return "$status"
}

a_file_that_nobody_reads_leaves_the_screen_whole() {
    fresh
    make_unread
    # shellcheck disable=SC2086
    $IOPING_RUNNER "$IOPING" -hang 0 -C -i 0 -J -output p data >o 2>e &
    pid=$!
    until_printed 'request=5 '
    end_when_stuck INT
    status=$?
    tail -n 4 o | cut -d' ' -f1 | sed 's/^[0-9]*$/N/'
    cat e >&2
    return "$status"
}
