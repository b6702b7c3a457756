# Programs of test_surroundings.c, see tests/support/commands.sh.
# shellcheck shell=sh disable=SC2154

# Usage: leave_early [OPTION...]: the reader of the output ends after 20 bytes. Prints how
# many bytes it has read, and the status of the program.
leave_early() {
    { ioping -C -i 0 -w 20s "$@" data; echo $? >left; } | head -c 20 | wc -c
    cat left
}
leave_early_in_silence() {
    trap '' PIPE
    leave_early "$@"
}

# Usage: read_without_stdin [OPTION...] TARGET
read_without_stdin() {
    cp data copy
    ioping -a 0 -c 3 -i 0 "$@" <&- >o || return
    grep -c request= o
    grep -o '^3 requests completed' o
}

# Usage: label COMMAND...: runs ioping by COMMAND and prints the label of its target.
label() { "$@" -C -c 1 -a 0 | sed -n 's/.*(\(.*\)): request=1 .*/\1/p'; }

# Usage: make_jail: makes the folder jail with the program and its libraries, and an empty
# folder d. Returns 1 if this file system may span several devices.
make_jail() {
    case $(stat -f -c %T .) in btrfs | overlayfs) return 1 ;; esac
    rm -rf jail
    mkdir -p jail/proc jail/d jail/m d
    cp "$IOPING" jail/ioping
    for library in $(ldd jail/ioping 2>/dev/null | grep -o '/[^ ]*'); do
        mkdir -p "jail/${library%/*}" && cp "$library" "jail/$library" || return
    done
}

# Usage: label_jail: prints the label outside the jail, and inside it without and with a mount
# of the same file system.
label_jail() {
    mount -t proc proc jail/proc || return 77
    label "$IOPING" jail/d
    label chroot jail /ioping /d
    mount --bind d jail/m || return 77
    label chroot jail /ioping /d
}
a_plain_chroot_is_known_by_its_device() {
    make_jail && unshare -m true ||
        lacks 'needs the right to mount, and a file system with one device' || return
    # shellcheck disable=SC2016
    unshare -m sh -c '. "$1/cli/test_surroundings.sh"; label_jail' sh "$tests"
}

# Usage: a_container_without_sys_admin_changes_nothing [OPTION] TARGET
a_container_without_sys_admin_changes_nothing() {
    cp data copy
    ioping -J -c 3 -i 0 "$@" >all &&
        setpriv --bounding-set=-sys_admin --inh-caps=-sys_admin "$IOPING" -J -c 3 -i 0 \
            "$@" >fewer || return
    for file in all fewer; do
        grep -A 6 target "$file" >"$file.target"
        grep -o '"failed.*' "$file"
    done
    cmp all.target fewer.target
}

# Usage: root_without_privileges_calls_nothing_cached_by_mistake COMMAND...: runs ioping by
# COMMAND, which takes privileges away. Prints nothing if COMMAND is not possible here.
root_without_privileges_calls_nothing_cached_by_mistake() {
    cp data ext4/theirs
    chown 65534 ext4/theirs
    chmod 644 ext4/theirs
    sync ext4/theirs
    ! "$@" true || "$@" "$IOPING" -J -q -a 0 -c 5 -i 0 -s 1000 ext4/theirs
}

nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
ambient() { nobody --inh-caps=+dac_override --ambient-caps=+dac_override "$@"; }

# Usage: make_setuid: makes the program "suid" with the set-user-ID and set-group-ID bits, and
# the folder s with files of root and of nobody. Prints as which user such a program runs.
make_setuid() {
    install -m 6755 "$(command -v id)" who && nobody ./who -u &&
        install -m 6755 "$IOPING" suid && rm -rf s before && mkdir s &&
        install -m 600 data s/secret && install -m 640 data s/group &&
        install -m 644 data s/public && mkdir -m 755 s/root && mkdir -m 700 s/closed &&
        cp data s/closed && ln -s "$(losetup -nO NAME -j ext4.img)" s/device &&
        cp -r s before && install -d -o 65534 -g 65534 -m 700 s/own &&
        install -o 65534 -g 65534 -m 600 data s/own/file
}

# Usage: suid [OPTION...] TARGET: runs the program suid in the folder s as the user nobody.
suid() {
    cd s || return
    export ASAN_OPTIONS="$ASAN_OPTIONS:detect_leaks=0"
    nobody ../suid "$@"
}

compare_what_is_closed() {
    for file in secret group public closed; do
        diff -r "s/$file" "before/$file"
    done
    ls -A s/root
}

# Usage: make_capable: makes the program "capable", whose file has a capability, and "plain",
# whose file has none.
make_capable() {
    rm -rf c && mkdir -m 755 c c/root && cp data c/secret && chmod 600 c/secret &&
        install -m 644 data c/public && install -m 755 "$IOPING" plain &&
        install -m 755 "$IOPING" capable && install -m 755 "$(command -v cat)" reader &&
        setcap cap_dac_override+ep reader && setcap cap_dac_override+ep capable &&
        ! nobody cat c/secret >/dev/null 2>&1 && nobody ./reader c/secret >/dev/null &&
        ambient cat c/secret >/dev/null
}

# Usage: make_refused ERRNO: runs in a folder where the first open(2) fails with ERRNO.
make_refused() {
    mkdir -p refused
    faulty "open@refused:1:$1" -C -c 3 -i 0 refused >o || return
    grep -o '^2 requests completed' o
}
