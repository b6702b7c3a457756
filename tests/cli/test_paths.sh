# Programs of test_paths.c, see tests/support/commands.sh.
# shellcheck shell=sh disable=SC2154

# Usage: nothing_is_left_however_the_run_is_ended SIGNAL
nothing_is_left_however_the_run_is_ended() {
    mkdir -p clean
    start -W -i 1h clean
    until_printed request=1
    ls -A clean
    end "$1"
    echo $?
    ls -A clean
}
