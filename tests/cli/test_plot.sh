# Programs of test_plot.c, see tests/support/commands.sh. They run in the folder f, which is
# empty at first. The file data is beside that folder.
# shellcheck shell=sh disable=SC2154

# Usage: marks: prints the number of marks in x.svg. Each counted request has one.
marks() { grep -c '<circle class="mark' x.svg; }

several_targets_are_told_apart() {
    cd f || return
    ioping -q -i 0 -c 11 -plot x.svg ../data ../d >../o
    marks
    grep -c '<circle class=.mark t0' x.svg
    grep -c '<circle class=.mark t1' x.svg
    grep -c '>ioping: 2 targets</text>' x.svg
    grep -o '\.\./[a-z]* (' x.svg | sort -u
}

# Usage: long_name CHARACTER: prints a name of the maximum length, which consists of CHARACTER.
long_name() {
    printf "%$(getconf NAME_MAX .)s" '' | tr ' ' "$1"
}

# The second run replaces the files of the first.
a_name_may_have_as_many_bytes_as_the_file_system_allows() {
    cd f || return
    for _ in 1 2; do
        ioping -q -i 0 -c 5 -plot "$(long_name p)" -prometheus "$(long_name m)" \
            ../data >../o
        echo $?
        ioping -J -i 0 -c 5 -hdr "$(long_name h)" -output "$(long_name o)" ../data \
            >../o
        echo $?
    done
    find . -type f -size +0 | wc -l | sed 's/$/ files/'
}

it_is_there_before_the_first_request() {
    cd f || return
    start_faulty pread:1:hang -C -i 0 -hang 10ms -plot x.svg ../data
    until_said 'has had no answer'
    cp x.svg y
    end INT
    echo $?
    marks
    grep -c 'no request counted' y x.svg
    ls -A
}

an_interrupted_run_has_one() {
    cd f || return
    start -i 50ms -plot x.svg ../data
    until_printed 'request=9 '
    end INT
    echo $?
    has_lines $(($(marks) + 1)) && echo same
}

a_failed_run_has_one_and_shows_the_failure() {
    cd f || return
    faulty pread:8:5 -C -i 0 -plot x.svg ../data >../o 2>../e
    echo $?
    marks
    grep -c 'class="fail' x.svg
}

a_request_without_answer_shows_by_what_was_missed() {
    cd f || return
    start_faulty pread:20:hang -hang 600ms -C -q -i 10ms -plot x.svg ../data
    until_said 'has had no answer'
    end INT
    echo $?
    [ "$(grep -c 'class="missed' x.svg)" -gt 20 ] && echo missed
}

a_target_is_drawn_as_long_as_it_was_there() {
    cd f || return
    for _ in 1 2 3 4 5; do
        faulty pread@data/:10:5 -C -q -c 100 -i 10ms -plot x.svg ../data ../d \
            >../o 2>../e
        status=$?
        early=$(sed -n 's/.*class="mark t0" cx="\([0-9.]*\)".*/\1/p' x.svg |
            sort -n | tail -1 | awk '{ print ($1 > 84 && $1 < 216) }')
        [ "$early" != 1 ] || break
    done
    echo "$status $early"
}

a_long_run_draws_it_again() {
    cd f || return
    start -q -i 100ms -plot x.svg ../data
    until_true grep -q class=.mark x.svg
    cat x.svg
    end INT
}

# Usage: a_sweep_has_a_point_for_each_step OPTION... [TARGET]
a_sweep_has_a_point_for_each_step() {
    cd f || return
    for window in 400ms 2s 10s; do
        ioping -hang 0 "$@" -w "$window" -C -plot x.svg ../data >../o 2>../e
        [ -s ../e ] || break
    done
    grep -c 'class="mark' x.svg
    rm x.svg
}

# Usage: a_place_where_it_cannot_be_is_an_error_before_any_request FILE
a_place_where_it_cannot_be_is_an_error_before_any_request() {
    sum=$(cksum data)
    ioping -hang 0 -i 0 -c 3 -plot "$1" data 2>&1
    echo $?
    [ "$sum" = "$(cksum data)" ] && echo same
}

an_older_picture_is_replaced() {
    cd f || return
    for count in 3 6; do
        ioping -q -i 0 -c "$count" -plot x.svg ../data >../o
        marks
    done
    ls -A
}

one_that_is_lost_in_the_end_is_a_failure() {
    cd f || return
    mkdir g
    start -r 200 -plot g/x.svg ../data
    until_printed 'request=3 '
    rm -r g
    end INT
    echo $?
    said
}

# Usage: standard_output_has_all_of_a_picture_and_nothing_else ARGUMENT...
standard_output_has_all_of_a_picture_and_nothing_else() {
    ioping -i 0 -c 21 -record runs data >/dev/null || return
    ioping -plot - -output o "$@" 2>e || return
    [ -s o ]
}

standard_output_has_the_picture_and_the_file_the_results() {
    cd f || return
    ioping -q -i 0 -c 11 -plot - -output ../o ../data >x.svg
    echo $?
    marks
    grep -o '10 requests completed' ../o
    ioping -J -i 0 -c 11 -plot - -output ../o ../data >x.svg
    echo $?
    marks
    tail -n 1 ../o
    ioping -i 0 -c 11 -plot - -record ../o ../data >x.svg
    echo $?
    marks
    wc -l <../o | tr -d ' '
}

standard_output_may_be_a_pipe_that_nobody_reads() {
    cd f || return
    mkfifo p
    exec 8<>p
    exec 9>p
    exec 8<&-
    ioping -q -i 0 -c 5 -plot - -output ../o ../data 2>../e >&9
    echo $?
    cat ../e
    grep -o '^4 requests' ../o | cut -d' ' -f1
}

an_interrupted_run_has_one_on_standard_output() {
    cd f || return
    start -i 50ms -plot - -output ../results ../data
    until_true grep -q 'request=9 ' ../results
    end INT
    echo $?
    grep -c '<!-- ioping -->' ../o
    cp ../o x.svg
    [ "$(($(marks) + 1))" = "$(grep -c request= ../results)" ] && echo same
}

the_results_cannot_go_to_standard_output_as_well() {
    ioping -i 0 -c 5 -plot - -output /dev/stdout data >o 2>e
    echo $?
    cat e
    name=picture
    ioping -i 0 -c 5 -plot - -output picture data >"$name" 2>e
    echo $?
    cat e
    wc -c <picture | tr -d ' '
}
