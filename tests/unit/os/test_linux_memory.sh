# Programs of test_linux_memory.c, see tests/support/commands.sh.
# shellcheck shell=sh

# Enters a root that is empty.
begin_root() {
    rm -rf root
    mkdir root
    cd root || exit
}

# Usage: put PATH TEXT: makes a file of lines in it, with \n between them.
put() {
    mkdir -p "$(dirname "$1")"
    printf '%b\n' "$2" >"$1"
}
