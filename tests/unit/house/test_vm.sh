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

# Usage: run_guest COMMANDS [SCENARIO...]: tests/vm/run with a guest that does COMMANDS.
run_guest() (
    echo "$1" >guest
    shift
    cd "$IOPING_SOURCE" || return
    export GUEST="$top/guest" XDG_CACHE_HOME="$top/cache" BUILDDIR="$top/build"
    QEMU=${FAKE_QEMU-$top/qemu} tests/vm/run "$@"
)
