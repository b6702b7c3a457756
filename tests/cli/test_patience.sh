# Programs of test_patience.c, see tests/support/commands.sh.
# shellcheck shell=sh disable=SC2154

# Usage: an_opening_that_hangs_is_given_up FAULTS ARGUMENT...
an_opening_that_hangs_is_given_up() {
    rm -rf d
    mkdir d
    faulty "$@"
    status=$?
    left ls -A d
    return "$status"
}

# Usage: a_working_file_that_makes_progress_is_not_given_up FAULTS
a_working_file_that_makes_progress_is_not_given_up() {
    rm -rf d
    mkdir d
    faulty "$1" -C -B -a 0 -i 0 -c 1 -S 8m -timeout 2s d >o
    status=$?
    cut -d' ' -f1,9 o
    return "$status"
}

stop_and_release() {
    start_faulty fdatasync:1:hold -timeout 2s -C -B -a 0 -i 0 -c 1 d
    until_held
    kill -STOP "$pid"
    sleep 2.5
    kill -CONT "$pid"
    sleep 0.5
    release
    reap
}
the_time_of_a_stopped_process_does_not_count() {
    mkdir -p d
    retry 2 stop_and_release
    status=$?
    cut -d' ' -f1,9 o
    return "$status"
}

# Usage: given_up: waits until the run reports that it gives up, removes the file "hang" to
# end the hang, and returns the status of the run.
given_up() {
    until_said 'still not ready'
    rm hang
    reap
    status=$?
    cat e >&2
    return "$status"
}

# Usage: exported_files_that_cannot_be_written_are_given_up OPTION FILE
exported_files_that_cannot_be_written_are_given_up() {
    : >hang
    start -timeout 500ms "$@" data
    given_up
    status=$?
    cat o
    return "$status"
}

# Usage: a_name_on_a_file_system_that_hangs_is_given_up OPTION...
a_name_on_a_file_system_that_hangs_is_given_up() {
    cp data named.files
    : >hung.files/data
    ioping -q -c 1 -a 0 -i 0 named/data >o || return
    grep -q "^--- named/data (fuse $PWD/hung/data " o || return
    rm -f hang.waiting
    : >hang
    start "$@" named/data
    until_true test -e hang.waiting
    case $* in
    *timeout*) ;;
    *) until_said 'not ready after' && kill -INT "$pid" ;;
    esac
    given_up
    status=$?
    cat o
    return "$status"
}

# Usage: a_closing_that_hangs_is_given_up_after_the_summary OPTION...
a_closing_that_hangs_is_given_up_after_the_summary() {
    cp data closing.files
    rm -f hang.waiting
    : >hang
    start -i 0 "$@" closing/data
    case $* in
    *timeout* | *-w*) ;;
    *) until_true grep -q generated o && until_true test -e hang.waiting &&
        kill -INT "$pid" ;;
    esac
    given_up
    status=$?
    grep -c -e generated -e '^ *threads' o
    return "$status"
}
