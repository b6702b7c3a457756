# Programs of test_earlier_files.c, see tests/support/commands.sh.
# shellcheck shell=sh disable=SC2154

# Usage: make_earlier_files: makes the folder kept with a target "data" and the output files
# of an earlier run. That run had 7 requests, by which its files can be told from those of a
# new run.
make_earlier_files() {
    mkdir kept kept/folder
    cd kept || return
    head -c 1M /dev/urandom >data
    "$IOPING" -C -J -q -c 7 -i 0 -output old.json -prometheus old.prom -plot old.svg \
        -hdr old.hlog data >/dev/null
    "$IOPING" -C -p 1 -q -c 7 -i 0 data >runs
    echo 'to be kept' >notes
    ln -s old.svg link
    cp data ..
}

list_files() { find . | sort; }

# Usage: unharmed COMMAND ARGUMENTS: runs the program by COMMAND in a copy of the folder kept.
# Prints "same" if no file was changed, made or removed.
unharmed() {
    rm -rf f
    cp -a kept f
    chmod -R a+rwX f
    cd f || return
    list_files >../listed
    # shellcheck disable=SC2086
    "$1" $2 >/dev/null
    status=$?
    list_files | diff ../listed - >&2 && diff -r ../kept . >&2 && echo same
    return "$status"
}

in_little_room() { prlimit --fsize=1000 "$IOPING" "$@"; }

in_little_memory() { prlimit --as=$((100 << 20)) "$IOPING" "$@"; }

without_uring() { "$IOPING_FORBID" 38 io_uring_setup "$IOPING" "$@"; }

# Usage: as_user_with_few_threads ARGUMENT...: runs the program with at most 8 threads, as a
# user that nobody else is, because the limit counts all threads of a user.
as_user_with_few_threads() {
    install -m 755 "$IOPING" ../prober
    user=$((60000 + $$ % 4000))
    chown -R "$user" .
    setpriv --reuid="$user" --regid="$user" --clear-groups prlimit --nproc=8 \
        timeout -k 1 60 ../prober "$@"
}

# The first step of the sweep has replaced the files already. Prints 1 for each file that is
# still the earlier one.
a_later_step_cannot_begin() {
    rm -rf f
    cp -a kept f
    chmod -R a+rwX f
    cd f || return
    as_user_with_few_threads -J -output old.json -plot old.svg -w 100ms \
        -sweep threads=1..16 data >/dev/null
    status=$?
    for file in old.json old.svg; do
        cmp -s "../kept/$file" "$file" && echo "1 $file" || echo "0 $file"
    done
    return "$status"
}

a_file_of_another_user() {
    rm -rf shared
    mkdir -m 1777 shared
    chmod 755 .
    cp kept/old.svg kept/old.prom shared
    install -m 755 "$IOPING" prober
    chmod 644 data
    chown 65534 shared/old.prom
    mv shared/old.svg shared/x.svg
    cp -a shared before
    setpriv --reuid=65534 --regid=65534 --clear-groups ./prober -C -q -c 2 -i 0 \
        -prometheus shared/old.prom -plot shared/x.svg data >/dev/null
    status=$?
    diff -r before shared >&2 && echo same
    return "$status"
}

a_file_that_may_not_change() {
    cp kept/old.svg fixed.svg
    cp kept/old.json kept/old.prom .
    trap 'chattr -i fixed.svg' EXIT
    chattr +i fixed.svg 2>/dev/null || lacks 'needs attributes of files' || return
    ioping -C -q -c 2 -i 0 -J -output old.json -prometheus old.prom -plot fixed.svg \
        kept/data >/dev/null
    status=$?
    cmp kept/old.json old.json && cmp kept/old.prom old.prom &&
        cmp kept/old.svg fixed.svg && echo same
    return "$status"
}

# While the first request hangs, prints for each file how many lines it still has of the earlier
# run.
they_are_replaced_before_the_first_request() {
    rm -rf f
    cp -a kept f
    cd f || return
    start_faulty pread:1:hang -C -hang 10ms -J -output old.json -prometheus old.prom \
        -plot old.svg -hdr old.hlog data
    until_said 'has had no answer'
    grep -c '"request": 7,' old.json | sed 's/$/ old.json/'
    grep -c 'requests_total.* 7$' old.prom | sed 's/$/ old.prom/'
    grep -c '7 requests' old.svg | sed 's/$/ old.svg/'
    grep -c '^#\[Logged' old.hlog | sed 's/$/ old.hlog/'
    end INT
    return 0
}
