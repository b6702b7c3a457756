# Programs of test_leftovers.c, see tests/support/commands.sh.
# shellcheck shell=sh disable=SC2154

# Usage: start_making [OPTION...]: a run of directory "slow" while no file can be made in
# it, from when it tries to.
start_making() {
    : >hang
    rm -f hang.waiting
    rm -rf slow.files/* slow.files/.io*
    start -c 2 -i 0 "$@" slow
    until_true test -e hang.waiting
    worker=$(worker_of "$pid")
}

# Usage: a_file_that_is_made_after_the_end_is_removed [OPTION...]
a_file_that_is_made_after_the_end_is_removed() {
    start_making "$@"
    kill -INT "$pid"
    until_said 'still not ready'
    ls -A slow.files
    rm hang
    reap
    echo $?
    until_true is_released "$worker"
    left ls -A slow.files
    cat o
}

# Usage: interrupt_making [OPTION...]
interrupt_making() {
    start_making "$@"
    interrupt_twice
    rm hang
    reap
    status=$?
    until_true is_released "$worker"
    left ls -A slow.files
    return "$status"
}
# A signal may come in the middle of the walk to the file system: its path is stale then.
# Usage: a_file_that_is_made_after_a_second_interrupt_is_removed [OPTION...]
a_file_that_is_made_after_a_second_interrupt_is_removed() {
    retry 4 interrupt_making "$@"
    echo $?
    cat o
    grep -vFx 'ioping: slow: Stale file handle' e || :
}

a_kept_file_that_was_there_stays() {
    rm -f hang
    head -c 1M /dev/urandom >precious
    for old in precious /dev/null; do
        cp "$old" slow.files/ioping.tmp
        : >hang
        ioping -k -q -c 2 -i 0 slow >o || return
        stat -c %s slow.files/ioping.tmp
    done
    rm hang
}

# Usage: a_kept_file_that_was_begun_is_removed COMMAND...: which ends $pid.
a_kept_file_that_was_begun_is_removed() {
    rm -rf d
    mkdir d
    start_faulty pwrite:2-:hang,fork:1-:hang -k d
    until_true test -s d/ioping.tmp
    "$@"
    echo $?
    left ls -A d
    cat o
}

list_kept() { find d stuck -name '*tmp*'; }
of_several_kept_files_none_is_left() {
    rm -rf d stuck
    mkdir d stuck
    start_faulty pwrite@/stuck/:2-:hang -k d stuck
    until_true test -s stuck/ioping.tmp
    end INT
    echo $?
    left list_kept
    cat o
}

# Usage: a_file_that_is_there_again_after_its_close_is_removed [OPTION...] [TARGET...]
a_file_that_is_there_again_after_its_close_is_removed() {
    : >returned
    ioping -c 3 -i 0 "$@" returning >o || return
    [ ! -s returned ] || echo was there
    ls -A returning.files
}

# Ends the run by a signal to the process that does the work.
kill_worker() {
    kill -KILL "$(worker_of "$pid")"
    reap
}

# Usage: a_file_that_is_there_again_after_an_early_end_is_removed COMMAND...: which ends
# $pid while a request is stuck.
a_file_that_is_there_again_after_an_early_end_is_removed() {
    : >returned
    : >hang
    rm -f hang.waiting
    start -C -i 0 returning
    until_true test -e hang.waiting
    "$@"
    rm hang
    until_true test -s returned
    echo was there
    left ls -A returning.files
}

list_beside() { find slow.files -name 'x.prom.*'; }

# A run whose file of metrics cannot be made yet.
start_export() {
    rm -f hang.waiting
    : >hang
    rm -rf slow.files/* slow.files/.io*
    start -prometheus slow/x.prom data
    until_true test -e hang.waiting
    worker=$(worker_of "$pid")
}

# Usage: an_export_of_a_killed_run_is_removed SIGNAL
an_export_of_a_killed_run_is_removed() {
    start_export
    kill "-$1" "$worker"
    reap
    rm hang
    until_true is_released "$worker"
    left list_beside
}

# Usage: the_export_of_an_earlier_run_is_removed AGE: "2 minutes ago" when the next begins;
# prints what is left of it before and after that.
the_export_of_an_earlier_run_is_removed() {
    start_export
    kill -KILL "$worker" "$pid"
    reap
    rm hang
    until_true is_released "$worker"
    list_beside | wc -l
    touch -d "$1" "$(list_beside)"
    ioping -q -c 2 -i 0 -prometheus slow.files/x.prom data >o
    list_beside | wc -l
}
