# Programs of test_hdr.c, see tests/support/commands.sh. Most run in the folder f, which is
# empty at first. The file data is beside that folder.
# shellcheck shell=sh disable=SC2154

# Usage: hdr_python: prints a Python that has the library hdrhistogram: the one that .ci/run
# makes, or that of the system.
hdr_python() {
    for python in "${XDG_CACHE_HOME:-$HOME/.cache}/ioping-hdrhistogram/bin/python" python3; do
        ! "$python" -c 'import hdrh.log' 2>/dev/null || { echo "$python"; return; }
    done
    return 1
}

# Usage: intervals [LOG]: prints the lines of intervals in a log, by default x.hlog.
intervals() { grep '^Tag=' "${1:-x.hlog}"; }

# Usage: tags: prints the tags of the intervals in x.hlog.
tags() { intervals x.hlog | sed 's/^Tag=//; s/,.*//'; }

# Usage: has_intervals COUNT: returns 0 if x.hlog has at least COUNT intervals.
has_intervals() { [ -e x.hlog ] && [ "$(intervals | wc -l)" -ge "$1" ]; }

# Usage: check_log [LOG]: prints what is wrong with a log: its first line, a line that is not
# complete, or a last line without its end.
check_log() {
    log=${1:-x.hlog}
    head -n 1 "$log" | grep -qx '#\[Logged by ioping .*\]' || echo "$log: no head"
    sed 1,4d "$log" | awk -F , 'NF != 5 || !/^Tag=/ || $2 !~ /^[0-9]+[.][0-9]+$/ ||
        $5 !~ /^HISTFAAA[A-Za-z0-9+\/]+=*$/ || length($5) % 4 { print NR ": " $0 }'
    [ -z "$(tail -c 1 "$log")" ] || echo "$log: no end of its last line"
}

# On a busy machine there may be too few intervals. Then shorter intervals are tried.
another_library_reads_what_the_requests_took() {
    cd f || return
    for every in 20ms 5ms 1ms; do
        rm -f x.hlog
        "$IOPING" -JJ -i 100us -c 1001 -every "$every" -percentiles 50,90,99,99.9 -hdr x.hlog \
            ../data ../d >../o || return
        [ "$(intervals | wc -l)" -lt 8 ] || break
    done
    check_log
    "$(hdr_python)" "$tests/support/tools/read_hdr.py" x.hlog ../o
    [ "$(intervals | wc -l)" -ge 8 ] && echo intervals
}

# Usage: another_library_reads_what_is_apart OPTION...: prints each tag, and what differs for
# it. Leaves out the counts and the tag of the device's flushes, because not all devices get
# flushes. The tags are sorted, because the first interval may have a write but no read yet.
another_library_reads_what_is_apart() {
    cd f || return
    "$IOPING" -JJ -a 0 -every 20ms -percentiles 50,90,99 -hdr x.hlog "$@" ../d >../o || return
    check_log
    "$(hdr_python)" "$tests/support/tools/read_hdr.py" x.hlog ../o |
        sed -E 's/^([^ ]+) [0-9]+/\1/; /#sync_device$/d' | LC_ALL=C sort | xargs
}

# On a busy machine intervals may be skipped. Then a longer run is tried.
each_interval_begins_where_the_one_before_ends() {
    cd f || return
    for count in 100 400 1600 6400; do
        rm -f x.hlog
        "$IOPING" -q -i 1ms -c "$count" -every 5ms -hdr x.hlog ../data ../d >../o
        before=$(sed -n 's/^#.StartTime: \([0-9.]*\) .*/\1/p' x.hlog)
        intervals | awk -F '[=,]' -v before="$before" '
            { off = $3 - ($2 in ends ? ends[$2] : before); ends[$2] = $3 + $4; lines[$2]++ }
            lines[$2] > 1 && off > 1.5e-6 || off < -1.5e-6 { print NR, off }
            END { for (tag in lines) print tag, (lines[tag] >= 15) }' | sort >../found
        grep -q ' 0$' ../found || break
    done
    cat ../found
}

an_interval_without_a_request_has_its_line() {
    cd f || return
    start_faulty pread:3:hang -q -C -i 0 -hang 10ms -every 10ms -hdr x.hlog ../data
    until_said 'request 3 has'
    until_true has_intervals "$(($(intervals | wc -l) + 3))"
    intervals | tail -n 1 | cut -d , -f 4
    end INT
    echo $?
    check_log
}

# Usage: every_end_leaves_whole_lines_and_nothing_else FAULTS SHOWN FILE [SIGNAL]: starts a
# run with FAULTS, waits until FILE contains SHOWN, and then sends SIGNAL or waits for the
# end.
every_end_leaves_whole_lines_and_nothing_else() {
    cd f || return
    start_faulty "$1" -C -i 20ms -every 5ms -hang 10ms -hdr x.hlog ../data
    until_true grep -q "$2" "../$3"
    if [ -n "${4-}" ]; then end "$4"; else reap; fi
    echo $?
    check_log
    tags | sort -u
    ls -A
}

the_lines_are_there_while_a_run_goes_on() {
    cd f || return
    start -q -r 1000 -P 5ms -hdr x.hlog ../data
    until_true has_intervals 3
    check_log
    until_true has_intervals 6
    inode=$(stat -c %i x.hlog)
    until_true has_intervals 9
    [ "$(stat -c %i x.hlog)" = "$inode" ] && echo grows
    end INT
    echo $?
    check_log
}

only_a_log_of_ours_is_replaced() {
    cd f || return
    echo data >other
    "$IOPING" -q -c 2 -i 0 -hdr other ../data >../o 2>&1
    echo $?
    cat ../o other
    for _ in 1 2; do
        "$IOPING" -q -c 2 -i 0 -hdr x.hlog ../data >../o
        intervals | wc -l
    done
    : >empty
    "$IOPING" -q -c 2 -i 0 -hdr empty ../data >../o
    check_log empty
}

a_log_that_is_moved_away_begins_again() {
    cd f || return
    start -q -r 1000 -every 5ms -hdr x.hlog ../data
    until_true has_intervals 3
    mv x.hlog old.hlog
    until_true has_intervals 3
    end INT
    echo $?
    check_log
    check_log old.hlog
    cat "$top/e"
}

# Usage: lines_of_all COUNT: returns 0 if small/x.hlog has at least COUNT intervals.
lines_of_all() { [ "$(intervals small/x.hlog | wc -l)" -ge "$1" ]; }

# Usage: fill_disk full|freed: fills the file system of a growing log, and with freed makes
# room again.
fill_disk() {
    mount -t tmpfs -o size=16k tmpfs small || return
    start -q -r 1000 -every 20ms -hdr small/x.hlog data
    until_true lines_of_all 2
    until head -c 4096 data >small/fill 2>s.err; do sleep 0.02; done
    until_said small/x.hlog
    check_log small/x.hlog
    kept=$(intervals small/x.hlog | wc -l)
    if [ "$1" = freed ]; then
        umount_later
    fi
    end INT
    echo $?
    cat e
    check_log small/x.hlog
    [ "$(intervals small/x.hlog | wc -l)" -ge "$kept" ] && echo kept
    intervals small/x.hlog | awk -F '[=,]' '
        NR > 1 && ($3 - end > 1.5e-6 || end - $3 > 1.5e-6) { print "gap" }
        { end = $3 + $4 }'
}

# Usage: umount_later: makes room for the intervals that could not be written, and waits for
# more.
umount_later() {
    mount -t tmpfs -o remount,size=1m tmpfs small
    until_true lines_of_all $((kept + 3))
}

# Usage: on_a_full_disk_lines_stay_whole full|freed: runs fill_disk in a new mount namespace.
on_a_full_disk_lines_stay_whole() {
    mkdir -p small
    # shellcheck disable=SC2016
    unshare -m sh -c '. "$1/support/commands.sh"
        . "$1/cli/test_hdr.sh"
        fill_disk "$2"' sh "$tests" "$1"
}

steps_of_a_sweep_have_tags_of_their_own() {
    cd f || return
    "$IOPING" -JJ -q -w 50ms -sweep size=512..2048 -hdr x.hlog ../data >../o || return
    check_log
    tags
}

phases_of_a_load_have_tags_of_their_own() {
    cd f || return
    "$IOPING" -q -i 1ms -c 20 -load write,size=4k -hdr x.hlog ../d >../o || return
    check_log
    tags | uniq
}

a_target_that_is_named_again_has_a_number() {
    cd f || return
    cp ../data 'a b,c'
    "$IOPING" -q -i 0 -c 3 -hdr x.hlog ../data 'a b,c' ../data >../o || return
    check_log
    tags
}

# Usage: rotate: runs the command that renames a log in the unit for systemd, on x.hlog.
rotate() {
    command=$(sed -n "s/^ExecStart=:.bin.sh -c '\(.*\)' .*/\1/p" \
        "$tests/../packaging/systemd/ioping-log-rotate@.service" | sed 's/%%/%/g')
    sh -c "$command" sh x.hlog
}

# The log is renamed again and again while requests go on. The name has the second.
a_log_that_is_rotated_loses_nothing() {
    cd f || return
    start -JJ -q -a 0 -r 2000 -every 5ms -hdr x.hlog ../data
    for _ in 1 2 3; do
        until_true has_intervals 4
        rotate
        sleep 1.1
    done
    until_true has_intervals 4
    end INT
    echo $?
    for log in x*.hlog; do
        check_log "$log"
        "$IOPING" -compare "$log" -B
    done | awk '{ sum += $1 } END { print NR, sum }' >sum
    jq -r '"4 \(.stat.count)"' "$top/o" | diff - sum && echo same
}

# Usage: peak: prints the largest amount of memory that the run has used, in KiB.
peak() { awk '/^VmHWM/ { print $2 }' "/proc/$(worker_of "$pid")/status"; }

memory_does_not_grow_with_the_log() {
    cd f || return
    start -q -C -i 0 -every 1ms -hdr x.hlog ../data
    until_true has_intervals 100
    before=$(peak)
    until_true has_intervals 2000
    after=$(peak)
    end INT
    [ "$after" -le $((before + 256)) ] && echo constant || echo "$before $after"
}
