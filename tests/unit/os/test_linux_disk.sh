# Programs of test_linux_disk.c, see tests/support/commands.sh.
# shellcheck shell=sh

# Enters a root that is empty.
begin_root() {
    rm -rf root
    mkdir -p root/sys/dev/block
    cd root || exit
}

# Usage: put PATH TEXT: makes a file of lines in it, with \n between them.
put() {
    mkdir -p "$(dirname "$1")"
    printf '%b\n' "$2" >"$1"
}

# Usage: disk NUMBER PATH: makes a disk with the device number NUMBER, such as 8:0, and the
# directory sys/devices/PATH, and enters that directory.
disk() {
    mkdir -p "sys/devices/$2/slaves"
    put "sys/devices/$2/dev" "$1"
    ln -s "../../devices/$2" "sys/dev/block/$1"
    cd "sys/devices/$2" || exit
}
