# Programs of test_peer_pipe.c, see tests/support/commands.sh.
# shellcheck shell=sh

# Usage: first_words FILE: prints the first word of each line. Numbers at the start of a line,
# with their units, are left out or masked, because they differ in each run.
first_words() {
    sed -E '
        s/\r$//
        s/^[0-9.]+( [kM])? //
        s/^[0-9].*/#/
        s/ .*//' "$1"
}

# Usage: leave_out_added FILE: prints lines without what ioping prints on a terminal and the
# peer does not.
leave_out_added() {
    sed -E '
        /^((read |write )?p50|fdatasync)/d
        s/^([0-9.]+( [kM])? (cached|failed|missed), )+//' "$1"
}
