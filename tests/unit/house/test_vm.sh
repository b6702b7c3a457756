# Programs of test_vm.c, see tests/support/commands.sh.
# shellcheck shell=sh disable=SC2154

# Usage: make_machine: makes a folder that tests/vm/image accepts as its image, and a script in
# place of qemu. The script runs the commands in the file guest, with the names of the files
# for the guest's output in $console and $said.
make_machine() {
    checksum=$(sha256sum <"$IOPING_SOURCE/tests/vm/image" | cut -c 1-16)
    mkdir -p "cache/ioping-vm/bookworm-$checksum" build
    : >build/ioping-static
    cat >qemu <<'END'
#!/bin/sh
for argument; do
    case $argument in
    file:*/console) console=${argument#file:} ;;
    file:*/said) said=${argument#file:} ;;
    esac
done
. "$GUEST"
END
    chmod 755 qemu
}

# Usage: become_run COMMANDS [SCENARIO...]: replaces this shell by tests/vm/run. Its guest runs
# COMMANDS.
become_run() {
    echo "$1" >guest
    shift
    cd "$IOPING_SOURCE" || return
    export GUEST="$top/guest" XDG_CACHE_HOME="$top/cache" BUILDDIR="$top/build"
    export QEMU="${FAKE_QEMU-$top/qemu}"
    exec tests/vm/run "$@"
}
run_guest() (
    become_run "$@"
)

# Usage: stop_a_run: starts tests/vm/run and ends it by SIGTERM, as the program timeout does.
# Prints its status and the process of the guest, if that still exists.
stop_a_run() {
    rm -f pid
    become_run "echo \$\$ >$top/new_pid; mv $top/new_pid $top/pid; exec sleep 1000" &
    until_true test -e pid
    kill "$!"
    wait "$!"
    echo "$?"
    ps -o args= -p "$(cat pid)"
}
