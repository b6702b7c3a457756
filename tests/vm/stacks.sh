# The parts of the times of requests to stacks of devices. Two witnesses tell the truth: a
# mapper that delays all by a time that is known, and the kernel's own trace, which stacks.awk
# divides without following any record.
# shellcheck shell=sh disable=SC2154
delay=20 # ms; the guest's clock has ticks of 4 ms, so it may be one less
target='' bottoms='' ends=bios

# Usage: map NAME DEVICE TABLE...: makes /dev/mapper/NAME, as large as DEVICE.
map() {
    mapped=$1
    sectors=$(blockdev --getsz "$2")
    shift 2
    echo "0 $sectors $*" | dmsetup create "$mapped" && within 10 test -e "/dev/mapper/$mapped"
    target=/dev/mapper/$mapped
}
slow() { map slow "$1" delay "$1" 0 "$delay"; }

# Usage: array LEVEL DEVICE...: makes /dev/md0, which need not be synchronised, and which does
# not write that it is clean again between two writes.
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
# Both disks are of one group, which the mapper makes a mirror of, without records of remaps.
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

# What has a device open is above it, or is udev's look at it; so it is tried again.
take_apart() {
    losetup -D
    for file in /sys/block/bcache*/bcache/stop /sys/fs/bcache/*/stop; do
        [ ! -e "$file" ] || echo 1 >"$file"
    done
    umount mounted 2>/dev/null
    within 20 is_taken_apart && wipefs -qa "$nvme" "$disk1" "$disk2"
}
is_taken_apart() {
    udevadm settle
    mdadm --stop --scan 2>/dev/null
    dmsetup remove_all
    ! lsblk -nro NAME,TYPE | grep -qv ' \(disk\|rom\)$'
}

# Prints the number of a device as the trace has it.
number() { lsblk -ndo MAJ:MIN "$1" | tr -d ' ' | tr : ,; }

# Usage: split OPTION...: a run with -breakdown on $target: its records are in file o, its notes
# in file e, and what stacks.awk makes of the kernel's trace is in file divided.
split() {
    numbers=$(for disk in $bottoms; do number "$disk"; done | xargs)
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
    awk -v top="$(number "$target")" -v bottoms="$numbers" -v program=ioping \
        -v ends=$ends -f /srv/stacks.awk records >divided
    return $status
}

# Usage: holds FILTER: of the requests that count, or they are printed.
holds() {
    jq -s -e "map(select(.io).io | select(.ignored | not)) | length == 39 and ($1)" o \
        >/dev/null || { cat e; jq -c 'select(.io).io | [.time, .sync, .breakdown]' o; return 1; }
}

# All were split, each into five parts that add up to its time.
adds_up() {
    holds 'all(.breakdown != null and (.breakdown | has("stack"))
        and .time == (.sync // 0) + (.breakdown | del(.sync_device) | add)
        and ([.breakdown[]] | min) >= 0)'
}

# Each stamp of an event is that of one of two traces, and the processor may be taken away in
# between, so one request in ten may differ by more than 0.3 ms.
is_as_the_kernel_tells() {
    jq -r 'select(.io).io | "\(.offset) \(.breakdown | "\(.stack) \(.queue) \(.device)")"' o >told
    tail -n "$(grep -c . told)" divided | awk '
        function far(told, us) { return told / 1000 > us + 300 || told / 1000 < us - 300 }
        NR == FNR { line[NR] = $0; next }
        {
            split(line[FNR], true_us, " ")
            compared++
            wrong += $1 != true_us[1] || far($2, true_us[2]) || far($3, true_us[3]) ||
                far($4, true_us[4])
            if ($1 != true_us[1] || far($2, true_us[2]) || far($4, true_us[4]))
                print "told", $0, "but it is", line[FNR]
        }
        END { print compared, wrong; exit !(compared == 40 && wrong <= 4) }
    ' - told
}

# Usage: begin STACK: makes it and waits until udev has looked at it. Sets $target, $bottoms, the
# disks at the end of the stack, and $ends, which says how stacks.awk sees the end of a request.
begin() {
    ends=bios
    "stack_$1" >made 2>&1 && udevadm settle ||
        { wrong "$1: made" "$(tail -n 3 made)"; return 1; }
}

# Returns whether the last run was as it should be, but for what is told of it.
is_right() { is_as_the_kernel_tells >/dev/null && holds "$filter" >/dev/null; }

# Usage: row STACK NOTE FILTER OPTION...: checks a run with these options on a stack: the devices
# that its note names, its parts, and that FILTER holds of its requests. Where the guest was
# late a second run decides.
row() {
    case=$1${4:+ $4}
    note=$2
    filter=$3
    begin "$1" || return
    shift 3
    check "$case: a run" split "$@"
    same "$case: note" "ioping: $target: breakdown of $note" "$(head -n 1 e)"
    check "$case: parts add up" adds_up
    is_right || check "$case: a second run" split "$@"
    check "$case: parts are as the kernel tells" is_as_the_kernel_tells
    check "$case: the culprit" holds "$filter"
    check "$case: taken apart" take_apart
}

# Most of the time of most requests, as the guest may be late now and then.
mostly='map(select((.time - (.sync // 0)) * 0.5 < .breakdown'
is_delay="$mostly.stack and .breakdown.stack >= 1.5e7)) | length >= 36"

row delay "/dev/mapper/slow (device mapper: $nvme)" "$is_delay"
row raid1 "/dev/md0 (raid1: $disk1, /dev/mapper/slow)" "$is_delay" -WWW -C
row raid0 "/dev/md0 (raid0: $disk1, /dev/mapper/slow)" \
    'map(select(.time >= 1.6e7)) | length > 8 and length < 32
        and (map(select(.breakdown.stack < .time * 0.5)) | length <= 2)'
row crypt "/dev/mapper/crypt (crypt: $nvme)" "$mostly.stack)) | length >= 30" -s 1m
row linear "/dev/mapper/linear (device mapper: $nvme)" 'all(.sync > 0)' -WWW
row multipath "/dev/mapper/paths (multipath: $disk1)" true
row multipath_of_bios "/dev/mapper/paths (device mapper: $disk1)" true
row loop "/dev/loop0 (loop: /dev/mapper/slow)" "$is_delay"
row lvm_on_raid1 '/dev/mapper/group-data (LVM: /dev/md0)' "$is_delay" -WWW -C
mirror=/dev/mapper/group-mirror
row lvm_raid1 "$mirror (LVM: ${mirror}_rmeta_0, ${mirror}_rimage_0, ${mirror}_rmeta_1, \
${mirror}_rimage_1)" 'map(select(.breakdown.device > 0)) | length == 39'
row bcache "/dev/bcache0 (bcache: $disk1, $disk2)" \
    'map(select(.breakdown.device > 0)) | length == 39'

# Usage: several OPTION...: requests beside each other, nearly all of which are split.
several() {
    split -c 200 "$@" && jq -s -e 'map(select(.io).io.breakdown | values) | length >= 180 and
        (map(select(.stack >= 1.5e7)) | length >= 0.95 * length)' o >/dev/null ||
        { cat e; jq -c 'select(.io).io | [.time, .breakdown]' o; return 1; }
}

# Usage: beside DISK: others read the same blocks of the disk meanwhile, as fast as they can.
# Nothing of theirs is taken for the time of a request at the device: what is split has the
# delay.
beside() {
    ioping -q -D -i 0 -S 64k -threads 4 "$1" >/dev/null &
    others=$!
    split -c 100 -S 64k
    status=$?
    kill -INT $others
    wait $others
    [ "$status" = 0 ] && jq -s -e '(last.stat.breakdown | .count + .shared == 99) and
        (map(select(.io).io.breakdown | values) | map(select(.stack < 1.5e7)) | length <= 2)' o >/dev/null ||
        { cat e; jq -c 'select(.io).io | [.time, .breakdown]' o; return 1; }
}

# Usage: twice COMMAND...: succeeds if one of two tries does, as the guest may be late.
twice() { "$@" || "$@"; }

if begin delay; then
    for options in '-A -depth 4' '-U -depth 4' '-threads 4'; do
        # shellcheck disable=SC2086
        check "delay $options: parts are told apart" twice several $options
    done
    check 'delay: others read its blocks' twice beside "$target"
    check 'delay: others read the blocks below' twice beside "$nvme"
    check 'delay: taken apart' take_apart
fi
