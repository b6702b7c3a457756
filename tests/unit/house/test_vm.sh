# Programs of test_vm.c, see tests/support/commands.sh.
# shellcheck shell=sh disable=SC2154

# Makes an image of a guest that tests/vm/image takes for its own, and a qemu that does what
# the file guest says, with the files console and said for what the guest prints.
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

# Usage: become_run COMMANDS [SCENARIO...]: this shell becomes tests/vm/run, with a guest that
# does COMMANDS.
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

# Ends a run as the program timeout does. Prints the run's status and the processes that are
# left of the guest.
stop_a_run() {
    rm -f pid
    become_run "echo \$\$ >$top/new_pid; mv $top/new_pid $top/pid; exec sleep 1000" &
    until_true test -e pid
    kill "$!"
    wait "$!"
    echo "$?"
    ps -o args= -p "$(cat pid)"
}
