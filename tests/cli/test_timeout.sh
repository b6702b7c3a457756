# Programs of test_timeout.c, see tests/support/commands.sh.
# shellcheck shell=sh disable=SC2154

# Usage: behind_a_server [OPTION...]: runs on the mount fs, whose server stops answering. The
# output must end while the request still hangs in the kernel. The process itself can end only
# after that.
behind_a_server() {
    head -c 1M /dev/urandom >fs.files/f
    rm -f hang hang.waiting
    start_piped -C -i 20ms -hang 0 "$@" fs/f
    until_printed 'request=5 '
    : >hang
    until_true test -e closed
    rm hang
    reap
    status=$?
    grep -c 'time>[0-9.]* m*s (timeout)$' o
    grep -c '^[0-9]* requests completed in ' o
    said >&2
    return "$status"
}

# Usage: the_others_go_on SCRIPT OPTION...: runs with faults, and prints whether all requests
# that did not fail count, and how many requests there were.
the_others_go_on() {
    faulty "$@" -C -E -J -q -a 0 -timeout 700ms data >o 2>e
    status=$?
    jq -c '.[0] | [.load.failed >= 1, .stat.count == .load.count - .load.failed]' o
    jq '.[0].load.count' o
    said >&2
    return "$status"
}

# Usage: of_two_targets SECONDS [OPTION...]: prints whether the other target went on for most
# of the SECONDS.
of_two_targets() {
    cp data other
    work=$1
    shift
    faulty pread@other:3:hang -C -i 20ms -J -q -timeout 700ms -w "$work" "$@" data other >o 2>e
    status=$?
    jq -c 'map(select(.target.path == "other").load | [.count, .failed])' o
    jq -c --argjson work "$work" \
        'map(select(.target.path == "data").load.time > 0.75e9 * $work)' o
    said >&2
    return "$status"
}

# The printed age of the request includes the three seconds for which the process was stopped.
while_stopped() {
    start_faulty pread:3:hang -C -i 0 -timeout 2s data
    until_printed 'request=2 '
    kill -STOP "$pid"
    sleep 3
    kill -CONT "$pid"
    reap
    status=$?
    sed -n 's/.*request=3 time>\([0-9.]*\) s (timeout)$/\1/p' o |
        awk '{ print ($1 >= 4.99) }'
    return "$status"
}

# Usage: json_has_the_age SCRIPT [OPTION...]
json_has_the_age() {
    script=$1
    shift
    faulty "$script" -JJ -i 10ms -timeout 300ms "$@" data >o 2>e
    status=$?
    jq -c 'select(.io.notice == "timeout").io |
        [.request, .ignored, .size, .time >= 300000000, (.sync // 0) > 0]' o
    tail -n 1 o | jq -c '[.stat.count, .load.count, .load.failed]'
    said >&2
    return "$status"
}
