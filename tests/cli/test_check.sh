# Programs of test_check.c, see tests/support/commands.sh.
# shellcheck shell=sh disable=SC2154

# Usage: parse <LINE: prints the figures of a line (label, value, unit and ranges), as the Perl
# module for writers of plug-ins reads them. That module leaves out unknown values.
parse() {
    perl -e '
        use Monitoring::Plugin::Performance;
        my ($figures) = <STDIN> =~ /^[^|]*\| ([^|]*)\n$/ or die "no figures\n";
        for (Monitoring::Plugin::Performance->parse_perfstring($figures)) {
            my @ranges = map { defined $_ && $_ ne "" ? $_ : "-" } $_->warning, $_->critical;
            printf "%s: %.9f %s %s\n", $_->label, $_->value, $_->uom || "-", "@ranges";
        }'
}
has_parser() { perl -e 'use Monitoring::Plugin::Performance' 2>/dev/null; }

a_reader_of_perl_understands_the_figures() {
    faulty pread:1-:1ms -check -C -i 0 -c 201 -warn p99=1h -slo p99=2h -warn iops=1 \
        -slo min=1h -slo iops=0 data d >o || return
    parse <o
}

# Two requests count, so all figures can be computed from the sum of their times in the metrics.
figures_are_those_of_the_metrics() {
    ioping -check -C -i 0 -c 3 -slo min=1h -slo avg=1h -slo mdev=1h -prometheus m.prom \
        data >o || return
    sum=$(sed -n 's/^ioping_request_duration_seconds_sum.* //p' m.prom)
    sed 's,[ |;],\n,g' <o | awk -F= -v sum="$sum" '
        / / { next }
        { figure[$1] = $2 + 0 }
        function differs(name, is, most) {
            if (is - most > 5e-10 || most - is > 1.5e-9) print name, is, most
        }
        END {
            differs("sum", figure["min"] + figure["max"], sum)
            differs("avg", figure["avg"], sum / 2)
            differs("mdev", figure["mdev"], (figure["max"] - figure["min"]) / 2)
            rate = 2 / sum - figure["iops"]
            if (rate < -0.0001 || rate > 0.0011) print "iops", figure["iops"], 2 / sum
            p50 = figure["p50"] / figure["min"]
            if (p50 < 0.996 || p50 > 1.004) print "p50", figure["p50"], figure["min"]
        }'
    rm m.prom
}

odd_paths_stay_in_one_line() {
    name=$(printf "x 'y' \"z\"=|\\\\n\n\303\251")
    cp data "$name"
    ioping -check -C -i 0 -c 200 "$name" data >o
    echo $?
    wc -l <o
    cat o
    rm "$name"
    ! has_parser || parse <o | sed 's/:.*//' >labels
}

# If the line cannot be written, the status must be unknown, and stderr must have the error.
a_lost_line_is_unknown() {
    ioping -check -C -i 0 -c 3 data >/dev/full 2>e
    echo $?
    cat e
}
without_stdout_the_line_is_lost() {
    ioping -check -C -i 0 -c 3 data >&- 2>e
    echo $?
    cat e
}

wrong_usage_is_answered() {
    for line in '-check' '-check -nonsense data' '-c abc -check data' 'data -w -check' \
        '-check=1 data' '-check -J data' '-warn x=1 -check data' '-che -p 1 data'; do
        # shellcheck disable=SC2086
        ioping $line >o 2>e
        echo $? "$(cat o)"
        [ "$(head -n 1 e)" = "$(sed 's/^IOPING UNKNOWN - /ioping: /' o)" ] || cat o e
    done
}

# Usage: is_interrupted SIGNAL: sends the signal while a request is held. Returns the status
# of the program.
is_interrupted() {
    start_faulty pread:4:hold -check -C -i 0 data
    signal_held "$1"
}

# Usage: an_interrupt_answers_with_what_is_known SIGNAL: prints the status and the line. After
# the signal the program waits a while for the held request.
an_interrupt_answers_with_what_is_known() {
    retry 2 is_interrupted "$1"
    echo $?
    cat o
}

# The FIFO has a reader only until it has been opened for writing.
without_a_reader_the_status_is_unknown() {
    mkfifo pipe
    true <pipe &
    exec 4>pipe
    wait
    ioping -check -C -i 0 -c 3 data >&4 2>e
    echo $?
    cat e
    rm pipe
}

help_and_version_are_unknown() {
    for line in '-check -h' '-v -check' '-v'; do
        # shellcheck disable=SC2086
        ioping $line >o
        echo $?
    done
}

stuck_and_end_at_once() {
    start_faulty pread:4:hang -check -C -i 0 data
    until_idle
    end_at_once
}
a_second_interrupt_is_unknown() {
    retry 3 stuck_and_end_at_once
    echo $?
    cat o
}

a_worker_that_is_killed_is_unknown() {
    start_faulty pread:4:hang -check -C -i 0 data
    until_idle
    worker=$(worker_of "$pid")
    [ "$worker" != "$pid" ] || return 0
    kill -KILL "$worker"
    reap
    echo $?
    cat o
}

# Usage: make_full: makes the pipe "full", which takes no further byte, and which nobody reads.
make_full() {
    rm -f full
    mkfifo full
    exec 4<>full
    dd if=/dev/zero of=full bs=4096 oflag=nonblock 2>/dev/null || :
}

# stderr is full, and nobody reads it, so the first message cannot be written.
full_stderr_does_not_keep_the_line() {
    make_full
    IOPING_SCRIPT=pread:4:hang LD_PRELOAD=$IOPING_FAULTS "$IOPING" -check -C -i 0 \
        -hang 100ms -w 300ms -timeout 300ms data 2>full
    echo $?
    rm full
}
full_stderr_does_not_keep_the_answer_of_a_refusal() {
    make_full
    for line in '-check -badopt data' '-check' '-c abc -check data' '-check nothing'; do
        # shellcheck disable=SC2086
        ioping $line >o 2>full
        echo $? "$(cat o)"
    done
    rm full
}
full_streams_do_not_keep_the_status_of_a_refusal() {
    make_full
    for line in '-check -badopt data' '-check nothing'; do
        # shellcheck disable=SC2086
        ioping $line >full 2>full
        echo $?
    done
    rm full
}
