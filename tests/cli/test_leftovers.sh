# Programs of test_leftovers.c, see tests/support/commands.sh.
# shellcheck shell=sh disable=SC2154

# Usage: start_making [OPTION...]: starts a run in the folder "slow" while the creation of a
# file hangs there, and waits until the run tries to make its file. Sets $worker.
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

# Usage: interrupt_making [OPTION...]: interrupts such a run twice.
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

# A signal may interrupt the kernel while it looks up the path. Then the path is stale
# (ESTALE), and that message is allowed.
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

# Usage: a_kept_file_that_was_begun_is_removed COMMAND...: the command ends the run $pid while
# it fills its file.
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

# Usage: kill_worker: kills the process that does the work, which ends the run.
kill_worker() {
    kill -KILL "$(worker_of "$pid")"
    reap
}

# Usage: a_file_that_is_there_again_after_an_early_end_is_removed COMMAND...: the command ends
# the run $pid while a request hangs.
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

# Usage: start_export: starts a run while the creation of its file of metrics hangs. Sets
# $worker.
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

# Usage: the_export_of_an_earlier_run_is_removed AGE: kills a run and sets the time of the
# file that it leaves to AGE, such as "2 minutes ago". Prints how many such files there are
# before and after another run.
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
