# Programs of test_memory.c, see tests/support/commands.sh.
# shellcheck shell=sh

# Prints for each of three runs how often it asks the system for the available memory.
a_run_that_wants_little_does_not_ask() {
    head -c 8m /dev/zero >file
    for size in 4k 1m 8m; do
        strace -f -o trace -e trace=open,openat "$IOPING" -c 1 -s "$size" -q file \
            >o 2>e || return
        grep -c -e meminfo -e cgroup trace
    done
    return 0
}
