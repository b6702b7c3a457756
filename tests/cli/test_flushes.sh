# Programs of test_flushes.c, see tests/support/commands.sh.
# shellcheck shell=sh disable=SC2154

# Usage: disk: prints the folder in /sys/block of the loop device for flushed.img.
disk() { losetup -nO NAME -j flushed.img | sed 's|^/dev|/sys/block|'; }

# Usage: is_counting: returns 0 if the kernel assumes that the device has a cache, and counts
# its flushes.
is_counting() {
    [ "$(cat "$(disk)/queue/write_cache")" = 'write back' ] &&
        awk '{ exit NF < 16 }' "$(disk)/stat"
}

# Usage: make_overlay NAME OPTION: mounts an overlay at NAME that writes to flushed.
make_overlay() {
    mkdir -p "$1" "flushed/$1.low" "flushed/$1.up" "flushed/$1.work"
    mountpoint -q "$1" || mount -t overlay layers -o \
        "$2,lowerdir=flushed/$1.low,upperdir=flushed/$1.up,workdir=flushed/$1.work" "$1"
}

# Usage: flushes: prints how many flushes the device has had so far.
flushes() { awk '{ print $16 }' "$(disk)/stat"; }

# Usage: count_flushes [ARGUMENT...]: runs ioping, and prints how many flushes the device had
# meanwhile. Returns the status of the run.
count_flushes() {
    before=$(flushes)
    ioping "$@"
    status=$?
    echo $(($(flushes) - before)) flushes
    return "$status"
}

# Usage: without_cache COMMAND...: runs a command while the kernel assumes that the device has
# no volatile cache.
without_cache() {
    trap 'echo "write back" >"$(disk)/queue/write_cache"' EXIT
    trap 'exit 1' TERM
    echo 'write through' >"$(disk)/queue/write_cache" || return
    "$@"
}
