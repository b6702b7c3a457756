# Scenario: checks how -breakdown divides the times of requests to stacks of devices. Two
# sources say what is right: a mapper that adds a known delay to each request, and the
# kernel's own trace, which stacks.awk evaluates in another way than ioping.
# shellcheck shell=sh disable=SC2154
delay=20 # ms; may be up to 4 ms shorter, because the guest's clock has ticks of 4 ms
target='' bottoms='' ends=bios

# Usage: map NAME DEVICE TABLE...: makes the mapper device /dev/mapper/NAME, as large as DEVICE,
# with a table for dmsetup, and sets $target to it.
map() {
    mapped=$1
    sectors=$(blockdev --getsz "$2")
    shift 2
    echo "0 $sectors $*" | dmsetup create "$mapped" && within 10 test -e "/dev/mapper/$mapped"
    target=/dev/mapper/$mapped
}

# Usage: slow DEVICE: makes /dev/mapper/slow, which delays each request to DEVICE by $delay ms.
slow() { map slow "$1" delay "$1" 0 "$delay"; }

# Usage: array LEVEL DEVICE...: makes the RAID array /dev/md0 and sets $target to it. It needs
# no synchronisation, and never marks itself as clean between two writes. So it makes no
# requests of its own.
array() {
    level=$1
    shift
    target=/dev/md0
    clean=--assume-clean
    [ "$level" != 0 ] || clean=''
    # shellcheck disable=SC2086
    mdadm --create "$target" --run --level="$level" --raid-devices=$# --metadata=1.2 $clean \
        "$@" && udevadm settle || return
    [ "$level" = 0 ] || echo 0 >/sys/block/md0/md/safe_mode_delay
}

# The functions stack_NAME make the stacks. They set $target to the top device, $bottoms to the
# disks at the end of the stack, and $ends to what ends a request in stacks.awk.

stack_delay() { bottoms=$nvme && slow "$nvme"; }
stack_raid1() { bottoms="$disk1 $disk2" && slow "$disk2" && array 1 "$disk1" /dev/mapper/slow; }
stack_raid0() { bottoms="$disk1 $disk2" && slow "$disk2" && array 0 "$disk1" /dev/mapper/slow; }
stack_crypt() {
    bottoms=$nvme target=/dev/mapper/crypt
    head -c 32 /dev/zero | cryptsetup open --type plain --cipher aes-xts-plain64 \
        --key-size 256 --key-file - "$nvme" crypt
}
stack_linear() { bottoms=$nvme && map linear "$nvme" linear "$nvme" 0; }
stack_multipath() {
    bottoms=$disk1 ends=requests
    map paths "$disk1" multipath 0 0 1 1 service-time 0 1 1 "$disk1" 1
}
stack_multipath_of_bios() {
    bottoms=$disk1
    map paths "$disk1" multipath 2 queue_mode bio 0 1 1 service-time 0 1 1 "$disk1" 1
}
stack_loop() {
    bottoms=$nvme ends=requests
    modprobe loop && mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0 "$nvme" && slow "$nvme" &&
        mkdir -p mounted && mount /dev/mapper/slow mounted &&
        head -c 16M /dev/urandom >mounted/image && sync mounted/image &&
        target=$(losetup -f --show --direct-io=on mounted/image)
}

# Both disks belong to one group of volumes, of which the mapper makes a mirror. The kernel's
# trace has no records of how this mapper maps requests to the disks.
stack_lvm_raid1() {
    bottoms="$disk1 $disk2" target=/dev/mapper/group-mirror
    vgcreate -q group "$disk1" "$disk2" &&
        lvcreate -q -y -n mirror --type raid1 --nosync -m 1 -L 20M group
}
stack_lvm_on_raid1() {
    stack_raid1 && vgcreate -q group "$target" && lvcreate -q -y -l 100%FREE -n data group
    target=/dev/mapper/group-data
}
stack_bcache() {
    bottoms="$disk1 $disk2" target=/dev/bcache0 ends=below
    modprobe bcache && make-bcache -q --bucket 64k -C "$disk1" -B "$disk2"
    for disk in "$disk1" "$disk2"; do
        echo "$disk" >/sys/fs/bcache/register_quiet
    done
    within 20 grep -q clean /sys/block/bcache0/bcache/state && udevadm settle
}

# Usage: take_apart: removes the stack. A device cannot be removed while a device above it or
# udev has it open, so removing is repeated.
take_apart() {
    losetup -D
    for file in /sys/block/bcache*/bcache/stop /sys/fs/bcache/*/stop; do
        [ ! -e "$file" ] || echo 1 >"$file"
    done
    umount mounted 2>/dev/null
    within 20 is_taken_apart && wipefs -qa "$nvme" "$disk1" "$disk2"
}

# Usage: is_taken_apart: tries to remove all devices. Returns 0 if only the disks remain.
is_taken_apart() {
    udevadm settle
    mdadm --stop --scan 2>/dev/null
    dmsetup remove_all
    ! lsblk -nro NAME,TYPE | grep -qv ' \(disk\|rom\)$'
}

# Usage: device_number DEVICE: prints the number of a device as the trace has it: MAJOR,MINOR.
device_number() { lsblk -ndo MAJ:MIN "$1" | tr -d ' ' | tr : ,; }

# Usage: run_breakdown OPTION...: runs ioping with -breakdown on $target. Its records go to the
# file o and its notes to the file e. The kernel's trace as stacks.awk divides it goes to the
# file divided. Returns the exit status of ioping.
run_breakdown() {
    numbers=$(for disk in $bottoms; do device_number "$disk"; done | xargs)
    trace=/sys/kernel/tracing
    echo mono >$trace/trace_clock && echo 8192 >$trace/buffer_size_kb && echo >$trace/trace
    for event in bio_queue bio_complete rq_issue rq_requeue rq_complete; do
        echo 1 >"$trace/events/block/block_$event/enable" || return
    done
    ioping -breakdown -D -JJ -i 5ms -c 40 -hang 0 "$@" "$target" >o 2>e
    status=$?
    echo 0 >$trace/events/enable
    grep -v '^#' $trace/trace >records
    echo >$trace/trace
    awk -v top="$(device_number "$target")" -v bottoms="$numbers" -v program=ioping \
        -v ends=$ends -f /srv/stacks.awk records >divided
    return $status
}

# Usage: holds FILTER: returns 0 if a jq filter is true for the array of counted requests.
# Otherwise prints the requests and returns 1.
holds() {
    jq -s -e "map(select(.io).io | select(.ignored | not)) | length == 39 and ($1)" o \
        >/dev/null || { cat e; jq -c 'select(.io).io | [.time, .sync, .breakdown]' o; return 1; }
}

# Usage: adds_up: returns 0 if all requests were divided, and the five parts of each add up to
# its time.
adds_up() {
    holds 'all(.breakdown != null and (.breakdown | has("stack"))
        and .time == (.sync // 0) + (.breakdown | del(.sync_device) | add)
        and ([.breakdown[]] | min) >= 0)'
}

# Usage: agrees_with_trace: returns 0 if the parts by ioping agree with those by stacks.awk, and
# otherwise prints the differences. ioping reads another trace than stacks.awk, and the kernel
# stamps an event separately for each. The processor may be interrupted between these stamps.
# So one request in ten may differ by more than 0.3 ms.
agrees_with_trace() {
    jq -r 'select(.io).io | "\(.offset) \(.breakdown | "\(.stack) \(.queue) \(.device)")"' o >told
    tail -n "$(grep -c . told)" divided | awk '
        function differs(ns, us) { return ns / 1000 > us + 300 || ns / 1000 < us - 300 }
        NR == FNR { line[NR] = $0; next }
        {
            split(line[FNR], true_us, " ")
            compared++
            other = $1 != true_us[1] || differs($2, true_us[2]) || differs($4, true_us[4])
            if (other || differs($3, true_us[3]))
                wrong++
            if (other)
                print "told", $0, "but it is", line[FNR]
        }
        END { print compared, wrong + 0; exit !(compared == 40 && wrong <= 4) }
    ' - told
}

# Usage: make_stack STACK: makes a stack and waits until udev has examined it. Sets $target,
# $bottoms and $ends.
make_stack() {
    ends=bios
    "stack_$1" >made 2>&1 && udevadm settle ||
        { wrong "$1: made" "$(tail -n 3 made)"; return 1; }
}

# Usage: is_right: returns 0 if the last run passes the checks that depend on timing. Prints
# nothing.
is_right() { agrees_with_trace >/dev/null && holds "$filter" >/dev/null; }

# Usage: check_stack STACK NOTE FILTER OPTION...: checks a run with these options on a stack.
# NOTE is the list of devices that ioping must print. FILTER must be true for the requests. If
# the guest was too slow in the first run, a second run decides.
check_stack() {
    case=$1${4:+ $4}
    note=$2
    filter=$3
    make_stack "$1" || return
    shift 3
    check "$case: a run" run_breakdown "$@"
    same "$case: note" "ioping: $target: breakdown of $note" "$(head -n 1 e)"
    check "$case: parts add up" adds_up
    is_right || check "$case: a second run" run_breakdown "$@"
    check "$case: parts are as the kernel tells" agrees_with_trace
    check "$case: the culprit" holds "$filter"
    check "$case: taken apart" take_apart
}

# The start of a filter: selects the requests that spend at least half of their time in a part.
# Most requests must be like that, not all, because the guest may be late now and then.
mostly='map(select((.time - (.sync // 0)) * 0.5 < .breakdown'
is_delay="$mostly.stack and .breakdown.stack >= 1.5e7)) | length >= 36"

check_stack delay "/dev/mapper/slow (device mapper: $nvme)" "$is_delay"
check_stack raid1 "/dev/md0 (raid1: $disk1, /dev/mapper/slow)" "$is_delay" -WWW -C
check_stack raid0 "/dev/md0 (raid0: $disk1, /dev/mapper/slow)" \
    'map(select(.time >= 1.6e7)) | length > 8 and length < 32
        and (map(select(.breakdown.stack < .time * 0.5)) | length <= 2)'
check_stack crypt "/dev/mapper/crypt (crypt: $nvme)" "$mostly.stack)) | length >= 30" -s 1m
check_stack linear "/dev/mapper/linear (device mapper: $nvme)" 'all(.sync > 0)' -WWW
check_stack multipath "/dev/mapper/paths (multipath: $disk1)" true
check_stack multipath_of_bios "/dev/mapper/paths (device mapper: $disk1)" true
check_stack loop "/dev/loop0 (loop: /dev/mapper/slow)" "$is_delay"
check_stack lvm_on_raid1 '/dev/mapper/group-data (LVM: /dev/md0)' "$is_delay" -WWW -C
mirror=/dev/mapper/group-mirror
check_stack lvm_raid1 "$mirror (LVM: ${mirror}_rmeta_0, ${mirror}_rimage_0, ${mirror}_rmeta_1, \
${mirror}_rimage_1)" 'map(select(.breakdown.device > 0)) | length == 39'
check_stack bcache "/dev/bcache0 (bcache: $disk1, $disk2)" \
    'map(select(.breakdown.device > 0)) | length == 39'

# Usage: divides_parallel OPTION...: returns 0 if nearly all of 200 requests, several of which
# are in flight at once, are divided, and nearly all of these have the delay in their part
# stack.
divides_parallel() {
    run_breakdown -c 200 "$@" && jq -s -e 'map(select(.io).io.breakdown | values) | length >= 180 and
        (map(select(.stack >= 1.5e7)) | length >= 0.95 * length)' o >/dev/null ||
        { cat e; jq -c 'select(.io).io | [.time, .breakdown]' o; return 1; }
}

# Usage: ignores_others DISK: returns 0 if requests are divided correctly while another process
# reads the same blocks of DISK as fast as it can. Every divided request must have the delay, so
# no request of the other process may have been taken for it.
ignores_others() {
    ioping -q -D -i 0 -S 64k -threads 4 "$1" >/dev/null &
    others=$!
    run_breakdown -c 100 -S 64k
    status=$?
    kill -INT $others
    wait $others
    [ "$status" = 0 ] && jq -s -e '(last.stat.breakdown | .count + .shared == 99) and
        (map(select(.io).io.breakdown | values) | map(select(.stack < 1.5e7)) | length <= 2)' o >/dev/null ||
        { cat e; jq -c 'select(.io).io | [.time, .breakdown]' o; return 1; }
}

# Usage: twice COMMAND...: returns 0 if the first or the second try succeeds, because the guest
# may be late once.
twice() { "$@" || "$@"; }

if make_stack delay; then
    for options in '-A -depth 4' '-U -depth 4' '-threads 4'; do
        # shellcheck disable=SC2086
        check "delay $options: parts are told apart" twice divides_parallel $options
    done
    check 'delay: others read its blocks' twice ignores_others "$target"
    check 'delay: others read the blocks below' twice ignores_others "$nvme"
    check 'delay: taken apart' take_apart
fi
