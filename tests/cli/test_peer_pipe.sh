# Programs of test_peer_pipe.c, see tests/support/commands.sh.
# shellcheck shell=sh

# A number at the beginning of a line is another one each time, and its unit too.
first_words() {
    sed -E '
        s/\r$//
        s/^[0-9.]+( [kM])? //
        s/^[0-9].*/#/
        s/ .*//' "$1"
}

# What ours adds on a terminal.
leave_out_added() {
    sed -E '
        /^((read |write )?p50|fdatasync)/d
        s/^([0-9.]+( [kM])? (cached|failed|missed), )+//' "$1"
}
