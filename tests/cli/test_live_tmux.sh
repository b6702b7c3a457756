# Programs of test_live_tmux.c, see tests/support/commands.sh.
# shellcheck shell=sh

terminal() { tmux -L "ioping-$$" -f /dev/null "$@"; }

# Usage: open_terminal COLUMNS ROWS COMMAND: runs a shell command in a terminal of tmux.
open_terminal() {
    # shellcheck disable=SC2064
    trap "tmux -L ioping-$$ kill-server 2>/dev/null" EXIT
    terminal new-session -d -x "$1" -y "$2" "$3"
}

# Usage: shows PATTERN: returns 0 if the screen has PATTERN. The screen is then in the file
# "screen".
shows() { terminal capture-pane -p >screen && grep -q -e "$1" screen; }

# Usage: shown NAME: prints the figure in column NAME of the first row, such as "81.2 us". The names
# of the columns of the last 10 s are "p50 10s" and so on.
shown() {
    awk -v name="$1" 'NR == 2 {
            head = $0 " "
            if (name !~ /10s/)
                gsub(/(p50|p99|max) 10s/, "-------", head)
            at = index(head, name " ")
        }
        NR == 3 && at { print substr($0, at + length(name) - 8, 8) }' screen
}

# Usage: true_figures: prints p50, p99 and max of the requests in the file "run.json" that count, in
# ns. A percentile is the nearest rank.
true_figures() {
    jq -rs 'map(select(.io and (.io.ignored | not)) | .io.time) | sort | length as $n
        | "p50 \(.[($n * 0.5 | ceil) - 1])", "p99 \(.[($n * 0.99 | ceil) - 1])", "max \(.[-1])"' \
        run.json
}

# Usage: compare: prints a line for each figure of the run that is on the screen: its name, and "ok"
# if it differs by less than 1 % from the true one. A histogram is exact to 0.4 %.
compare() {
    true_figures | while read -r name ns; do
        for column in "$name" "$name 10s"; do
            figure=$(shown "$column")
            [ "$figure" ] && [ "$figure" != "       -" ] || continue
            echo "$figure" | awk -v column="$column" -v ns="$ns" '{
                split("ns us ms s", units)
                for (i = 1; i <= 4; i++)
                    if (units[i] == $2)
                        value = $1 * 1000 ^ (i - 1)
                off = value > ns ? value - ns : ns - value
                print column, (off < ns / 100 ? "ok" : $0 " and not " ns " ns")
            }'
        done
    done
}

# Request 300 waits, so the screen and the record stand still at 299. Meanwhile the terminal gets
# other sizes. (The column "oldest" shows when all of the frame is on the screen.)
figures_agree_with_the_json_of_the_run() {
    rm -f held run.json
    open_terminal 80 24 "IOPING_SCRIPT=pread:300:hold,pread:5-/7:3ms LD_PRELOAD=$IOPING_FAULTS \
        '$IOPING' -live -hang 0 -C -i 1ms -JJ data >run.json; echo status \$? >status"
    until_true shows '^  data .* [2-9] s'
    for size in 80x24 40x12 200x60 80x24; do
        terminal resize-window -x "${size%x*}" -y "${size#*x}"
        until_true shows " 299 req.*"
        until_true shows '^  data .* [0-9]* s *$'
        until_true is_size "$size"
        echo "$size $(grep -c '"io"' run.json)"
        compare
    done
    release
    terminal send-keys q
    until_true test -e status
    cat status
}

# Usage: is_size COLUMNSxROWS: returns 0 if the screen was drawn for this size: its last row has the
# keys, and the command line and the time fill the first row.
is_size() {
    terminal capture-pane -p >screen
    [ "$(wc -l <screen)" = "${1#*x}" ] && tail -n 1 screen | grep -q '^q ' &&
        [ "$(head -n 1 screen | wc -m)" = "$((${1%x*} + 1))" ]
}

# The console of Linux has no other screen to return to.
without_an_alternate_screen_it_is_cleared() {
    open_terminal 80 24 "sh -c 'until test -e go; do sleep 0.02; done
        \"\$0\" -live -hang 0 -C -i 10ms data; until test -e over; do sleep 0.02; done' '$IOPING'"
    terminal set-option -gw alternate-screen off
    touch go
    until_true shows '^q quit '
    terminal send-keys q
    until_true shows 'min/avg/max/mdev'
    sed 's/ (.*//' screen | head -n 2
    grep -c 'quit' screen
    touch over
}
