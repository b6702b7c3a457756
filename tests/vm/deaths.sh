# Scenario: the storage fails while ioping uses it. An NFS server stops, an iSCSI target is
# killed, an NVMe disk is removed. The shell that runs ioping must get its prompt back while
# the storage is still dead. The exit status must tell of the failure, and the statistics so
# far must be printed. A second run on the dead storage must end as well.
# shellcheck shell=sh disable=SC2154

# Usage: start_ioping ARGUMENT...: starts a shell in the background that runs ioping. The shell
# writes the exit status to the file status as soon as ioping has returned to it.
start_ioping() {
    rm -f status
    {
        ioping "$@" >out 2>err
        echo "$?" >status
    } &
}

# Usage: prompt_is_back: waits until ioping has returned to its shell. The limit of 60 s is
# far above what ioping needs, for slow machines. Returns 1 and prints the output if it did not.
prompt_is_back() {
    within 60 test -s status || { cat out err; return 1; }
}

# Usage: check_message NAME PATTERN: checks that a line of stderr matches PATTERN, and prints
# it.
check_message() {
    message=$(grep -E -m 1 "$2" err)
    if [ -n "$message" ]; then
        ok "$1: $message"
    else
        wrong "$1" "no line matches '$2' in '$(cat err)'"
    fi
}

# Usage: check_death NAME KILL PATTERN ARGUMENT...: runs ioping with these arguments, calls the
# function KILL, which makes the storage fail, and checks how ioping ends. A line of stderr
# must match PATTERN. If ioping does not end, it is killed, and 1 is returned.
check_death() {
    death=$1
    kill=$2
    pattern=$3
    shift 3
    start_ioping "$@"
    check "$death: requests are answered" within 60 grep -q request=5 out
    check "$death: the storage is dead" "$kill"
    check "$death: the prompt is back" prompt_is_back || { pkill -KILL -x ioping; return 1; }
    same "$death: exit status" 3 "$(cat status)"
    check_message "$death" "$pattern"
    answered=$(grep -c '^4 KiB .* time=' out)
    same "$death: statistics without the warm-up" "$((answered - 1)) requests completed" \
        "$(grep -o '^[0-9]* requests completed' out)"
}

# Usage: check_second_try STATUS PATTERN ARGUMENT...: runs ioping on the storage that is still
# dead, and checks its exit status and its message.
check_second_try() {
    expected=$1
    pattern=$2
    shift 2
    start_ioping "$@"
    check "$death, second try: the prompt is back" prompt_is_back ||
        { pkill -KILL -x ioping; return 1; }
    same "$death, second try: exit status" "$expected" "$(cat status)"
    check_message "$death, second try" "$pattern"
}

# A process or a file of ioping may remain only while the storage does not answer.

# Usage: no_process: returns 0 if no ioping is running.
no_process() {
    ! pgrep -x ioping >pids
}

# Usage: no_file FOLDER: returns 0 if there is no file in FOLDER.
no_file() {
    [ -z "$(find "$1" -type f)" ]
}

# NFS: the kernel's own server, with a folder in memory.

start_nfs_server() {
    rpc.nfsd -N 3 -V 4 2 && echo Y >/proc/fs/nfsd/v4_end_grace
}
stop_nfs_server() {
    rpc.nfsd 0
}
mount_nfs() {
    mkdir -p /export && mount -t tmpfs tmpfs /export && modprobe nfsd &&
        { mountpoint -q /proc/fs/nfsd || mount -t nfsd nfsd /proc/fs/nfsd; } &&
        exportfs -o rw,no_root_squash,insecure,fsid=0 127.0.0.1:/export &&
        rpc.mountd -N 3 && start_nfs_server && mount -t nfs4 127.0.0.1:/ /mnt
}
unmount_nfs() {
    umount /mnt && stop_nfs_server && exportfs -ua && pkill -x rpc.mountd &&
        within 20 umount /export
}

# Usage: stop_nfs_server_and_interrupt: makes the storage fail and sends SIGINT, as by Ctrl-C,
# when ioping has printed that it waits. Without -timeout ioping waits as long as the server
# is dead.
stop_nfs_server_and_interrupt() {
    stop_nfs_server && within 60 grep 'has had no answer for' err && pkill -INT -x ioping
}

# Usage: restart_nfs_server: starts the server again. Returns 1 if a process or a file of ioping
# remains.
restart_nfs_server() {
    start_nfs_server && within 60 no_process && within 30 no_file /export
}

nfs_deaths() {
    check 'nfs: mounted' mount_nfs || return
    no_answer='^ioping: request [0-9]+ failed: no answer for 2\.[0-9]+ s \(timeout\)$'
    for mode in reads writes; do
        option=''
        [ "$mode" = reads ] || option=-W
        check_death "nfs, $mode" stop_nfs_server "$no_answer" -D -i 100ms -timeout 2 $option /mnt
        check_second_try 2 '^ioping: /mnt: still not ready after 2\.[0-9]+ s' -D -timeout 2 $option /mnt
        check "nfs, $mode: nothing is left" restart_nfs_server
    done
    check_death 'nfs, interrupted' stop_nfs_server_and_interrupt \
        '^ioping: 1 request still waiting after ' -D -i 100ms /mnt
    check 'nfs, interrupted: nothing is left' restart_nfs_server
    check 'nfs: unmounted' unmount_nfs
}

# iSCSI: a target of tgt, whose disk is a file in memory.

iscsi_name=iqn.2000-01.test:disk
iscsi_disk() {
    realpath -e "/dev/disk/by-path/ip-127.0.0.1:3260-iscsi-$iscsi_name-lun-1"
}
change_target() {
    tgtadm --lld iscsi --tid 1 "$@"
}
start_iscsi_target() {
    tgtd --iscsi portal=127.0.0.1:3260 &&
        within 20 change_target --op new --mode target -T "$iscsi_name" &&
        change_target --op new --mode logicalunit --lun 1 -b /srv/iscsi_disk &&
        change_target --op bind --mode target -I ALL
}
kill_iscsi_target() {
    pkill -KILL -x tgtd
}
log_in() {
    truncate -s 64M /srv/iscsi_disk &&
        echo InitiatorName=iqn.2000-01.test:initiator >/etc/iscsi/initiatorname.iscsi &&
        modprobe iscsi_tcp && iscsid && start_iscsi_target &&
        iscsiadm -m discovery -t st -p 127.0.0.1 && iscsiadm -m node --login &&
        within 20 iscsi_disk
}
log_out() {
    iscsiadm -m node --logout && iscsiadm -m node -o delete && kill_iscsi_target &&
        pkill -x iscsid && rm /srv/iscsi_disk
}

# Usage: restart_iscsi_target: starts the target again and waits until the initiator has
# connected to it, which it tries from time to time. Returns 1 if a process of ioping remains.
restart_iscsi_target() {
    start_iscsi_target && within 60 ioping -q -D -c 1 -timeout 2 "$(iscsi_disk)" &&
        within 60 no_process
}

iscsi_deaths() {
    check 'iscsi: logged in' log_in || return
    disk=$(iscsi_disk)
    no_answer='^ioping: request [0-9]+ failed: no answer for 2\.[0-9]+ s \(timeout\)$'
    check_death 'iscsi' kill_iscsi_target "$no_answer" -D -i 100ms -timeout 2 "$disk"
    check_second_try 3 "$no_answer" -D -timeout 2 "$disk"
    check 'iscsi: nothing is left' restart_iscsi_target

    # From here on the initiator gives up after 3 s. Then the kernel fails all requests.
    for session in /sys/class/iscsi_session/*; do
        echo 3 >"$session/recovery_tmo"
    done
    check_death 'iscsi, given up' kill_iscsi_target '^ioping: request [0-9]+ failed: ' \
        -D -i 100ms "$disk"
    check_second_try 2 "^ioping: $disk: " -D "$disk"
    check 'iscsi, given up: nothing is left' restart_iscsi_target
    check 'iscsi: logged out' log_out
}

# NVMe: the kernel removes the device as if it had been pulled out.

remove_nvme() {
    controller=/sys/block/${other_nvme#/dev/}/device
    echo 1 >"$controller/device/remove"
}
rescan_nvme() {
    echo 1 >/sys/bus/pci/rescan && within 20 test -b "$other_nvme" && no_process &&
        udevadm settle
}

nvme_deaths() {
    for option in '' -A -U -breakdown -WWW; do
        name="nvme${option:+, $option}"
        # shellcheck disable=SC2086
        check_death "$name" remove_nvme '^ioping: request [0-9]+ failed: ' -D -i 20ms $option \
            "$other_nvme"
        # shellcheck disable=SC2086
        check_second_try 2 "^ioping: $other_nvme: No such file or directory" -D $option "$other_nvme"
        check "$name: it is there again" rescan_nvme
    done
}

nfs_deaths
iscsi_deaths
nvme_deaths
