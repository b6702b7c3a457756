# Programs of test_peer.c, see tests/support/commands.sh.
# shellcheck shell=sh

# Usage: mask_lines FILE: prints lines with their times and rates masked. The deviation is
# masked even if it is 0, because all times may be equal. If the mount table lacks a name,
# ioping prints "unknown" and the peer prints nothing.
mask_lines() {
    sed -E '
        s/[0-9]{2}:[0-9]{2}:[0-9]{2}/CLOCK/
        s/^[0-9]{10} /SECONDS /
        s/ \((fast|slow)\)$//
        s/ \(  / (unknown unknown /
        s/ time=[0-9.]+ [a-z]+/ time=#/
        s/ in [1-9][0-9.]* [a-z]+,/ in #,/
        s/ [1-9][0-9.]*( [kMGT])? iops,/ # iops,/
        s| [1-9][0-9.]* ([KMGTP]i)?B/s$| #/s|
        /^min/{
            s/[1-9][0-9.]* [a-z]+/#/g
            s|[^/]*$| #|
        }
        s/^(0( 0){7} [0-9]+) [0-9]+$/\1 #/
        s/^1( [1-9][0-9]*){6} 0 ([0-9]+) [0-9]+$/1 # # # # # # 0 \2 #/
        s/^([2-9]|[0-9]{2,})( [0-9]+){7} ([0-9]+) [0-9]+$/\1 # # # # # # # \3 #/' "$1"
}

# Usage: mask_records FILE: does the same for JSON. Prints a line for each record, without the
# keys that the peer does not have.
mask_records() {
    jq -c '
        def hide($keys): with_entries(
            if .value != 0 and (.key | test("^(\($keys))$")) then .value = "#" else . end);
        .[] | del(.target.mode, .io.offset, .io.notice, .io.sync, .stat.percentiles,
            .stat.sync, .stat.read, .stat.write, .load.failed, .load.missed)
        | (.target.fstype, .target.device) |= (if . == "" then "unknown" else . end)
        | hide("timestamp") | .localtime |= gsub("[0-9]"; "9")
        | (.io, .stat, .load | select(. != null)) |= hide("time|iops|bps|min|avg|max")
        | if .stat.count > 1 then .stat.mdev = "#" else . end' "$1"
}

# Usage: mask_decimals FILE: prints some lines of JSON with their digits masked, to compare
# how many decimals they have. jq would not keep them.
mask_decimals() {
    sed -nE '/"(timestamp|iops)": /{
        s/[0-9]+\./#./
        s/[0-9]/9/g
        p
    }' "$1"
}

# Usage: show STATUS: prints the masked output, the status and the stderr of one of the two
# programs, separated by \001.
show() {
    read -r first <.got
    case $first in
    '['*)
        mask_records .got 2>/dev/null || echo invalid JSON
        mask_decimals .got
        ;;
    *) mask_lines .got ;;
    esac
    printf '\001%d\001' "$1"
    cat .err
    printf '\001'
    rm -f d/ioping.tmp
}

# Usage: end_asleep SIGNAL: sends a signal to the last program in the background when it
# sleeps after its first request, and waits for its end. The peer misses a signal that comes
# before it sleeps.
end_asleep() {
    until grep -qE '^}|request=1' .got && grep -q '^State:.S' "/proc/$(worker_of $!)/status"; do
        sleep 0.01
    done
    kill "-$1" $!
    wait $!
}

# Usage: end_printed SIGNAL: does the same as soon as the program has printed something.
end_printed() {
    until_true test -s .got
    kill "-$1" $!
    wait $!
}

# Usage: keys <JSON: prints all keys that occur in the records.
keys() { jq -r '.[] | paths | map(strings) | join(".")' | sort -u; }
