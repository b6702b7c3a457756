# Programs of test_trouble.c, see tests/support/commands.sh.
# shellcheck shell=sh disable=SC2154

a_device_may_be_written_to_as_two_targets() {
    head -c 4M /dev/urandom >disk.img && loop=$(attach -f --show disk.img) || return 0
    ioping -WWW -q -c 3 -i 0 "$loop" one "$loop" >o 2>e
    echo $?
    cat e
    grep -c '^generated 3' o
    losetup -d "$loop"
}

a_signal_keeps_others_from_being_opened() {
    for _ in 1 2 3 4 5; do
        start_faulty open@two:1:hold -q -c 2 -i 0 one two three
        signal_held
        status=$?
        [ "$(grep -c interrupted e)" != 1 ] || break
    done
    echo "$status"
    cat o e
}

one_that_is_given_up_leaves_nothing_of_the_others() {
    start_faulty open@two:1:hang,open@two:2-:hang -hang 10ms -k -q -c 2 -i 0 d two f
    until_said 'two: not ready'
    end INT
    echo $?
    ls -A d f
    tail -1 e | sed 's/after.*//'
}

each_is_said_to_be_slow_in_its_own_time() {
    for _ in 1 2 3 4 5; do
        start_faulty open@one:1:700ms,open@two:1:hold -hang 40ms -q -c 1 -a 0 one two
        until_said 'two: not ready'
        release
        reap
        status=$?
        late=$(grep -cE 'two: not ready after ([4-9][0-9]|[1-6][0-9]{2})(\.[0-9]+)? ms' e)
        [ "$late" != 1 ] || break
    done
    echo "$status $late"
}
