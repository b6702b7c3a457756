# Helpers and programs of test_options.c, see tests/support/commands.sh.
# shellcheck shell=sh disable=SC2154

# Usage: offsets <JSON: prints the offsets of all requests in one line.
offsets() { jq -c '[.[].io.offset | values]'; }

# Usage: verdicts <OUTPUT: prints the numbers of the requests with their verdicts.
verdicts() { sed -n 's/.*request=\([0-9]*\) time=[^(]*/\1/p'; }

# Usage: lasts NS <JSON: prints "yes" if the run took at least NS ns.
lasts() { jq -r "if .[-1].load.time >= $1 then \"yes\" else . end"; }

# Usage: loads <JSON: prints the number of all requests.
loads() { jq -c '.[-1].load.count'; }

count_three() {
    for options in -c3 '-c 3' -count=3 '-count 3' --count=3 '--count 3' '-cou 3' --co=3 \
        -qc3 '-BLc 3'; do
        # shellcheck disable=SC2086
        ioping $options -i 0 -B data
    done
}

draw_offsets() {
    for seed in 7 7 8; do
        ioping -e "$seed" -c 20 -i 0 -J data | offsets
    done >o
    uniq o | wc -l
    head -2 o | uniq | wc -l
    ioping -c 20 -i 0 -J data | offsets >>o
    ioping -c 20 -i 0 -J data | offsets >>o
    tail -3 o | uniq | wc -l
}

run_synced() {
    for option in -Y -y -WY -Wy; do
        ioping "$option" -c 3 -i 0 -Jq . | jq -c '.[0] | [.stat.count, .load.failed]'
    done
}

# Usage: poll: runs with polled I/O and prints what is wrong. It is not wrong if polling is not
# supported.
poll() {
    ioping -H -c 2 -i 0 data >o 2>e
    case $? in
    0) cat e ;;
    3) grep -v 'request 1 failed: EOPNOTSUPP' e ;;
    *) cat o e ;;
    esac
}

write_three_times() {
    cp data w
    ioping -WWW -L -s 4k -S 8k -o 4k -c 2 -i 0 w | grep -c '^4 KiB >>> w'
    cmp -n 4096 data w && cmp -i 12288 data w && echo same
    cmp -s -i 4096 -n 4096 data w || echo other
    cmp -s -i 8192 -n 4096 data w || echo other
}

keep_twice() {
    mkdir k
    ioping -k -c 2 -i 0 -B k >o
    stat -c '%s %a %h' k/ioping.tmp
    stat -c %i k/ioping.tmp >i
    cp k/ioping.tmp first
    ioping -k -c 2 -i 0 -B k >o
    stat -c %i k/ioping.tmp | cmp - i
    cmp k/ioping.tmp first
    ioping -k -S 2m -c 2 -i 0 -B k >o
    stat -c %i k/ioping.tmp | cmp - i
    stat -c '%s %a' k/ioping.tmp
    ls -A k
}

fill_by_seeds() {
    mkdir e1 e2 e3
    ioping -e 5 -kB -c 2 -i 0 e1 >o
    ioping -e 5 -kB -c 2 -i 0 e2 >o
    ioping -e 6 -kB -c 2 -i 0 e3 >o
    cmp e1/ioping.tmp e2/ioping.tmp && cmp -s e1/ioping.tmp e3/ioping.tmp || echo differ
}

show_default_time() {
    date '+%b %d' >day
    ioping -I -c 2 -i 0 data >o
    grep -cE '^[A-Z][a-z]{2} [ 0-3][0-9] [0-2][0-9]:[0-5][0-9]:[0-6][0-9] 4 KiB <<< data' o
    date '+%b %d' >>day
    cut -c1-6 o | head -1 | grep -vxFf day
    tail -4 o | cut -c1-3 | head -1
}

show_given_time() {
    before=$(date +%s)
    shown=$(ioping -I%s -c 1 -a 0 data | sed -n '1s/ 4 KiB <<< .*//p')
    after=$(date +%s)
    [ "$before" -le "$shown" ] && [ "$shown" -le "$after" ] && echo now
    ioping -time='at %%,' -c 1 -a 0 data | head -1 | cut -c1-17
}

measure_directly() {
    cp data flags || return
    for options in -D -q '-BDL -c 11'; do
        # shellcheck disable=SC2086
        ioping -c 2 -i 0 $options -J data | jq -c '[.[].target.mode] | unique'
    done
}

# Usage: open_flags [OPTION...]: prints the flags, in octal, with which a run has opened the
# target "flags".
open_flags() {
    start "$@" -i 1h flags
    until_printed request=1
    worker=$(worker_of "$pid")
    for fd in "/proc/$worker/fd"/*; do
        [ "$(readlink "$fd")" != "$(pwd -P)/flags" ] ||
            sed -n 's/flags:[^0-9]*//p' "/proc/$worker/fdinfo/${fd##*/}"
    done
    end TERM
}
