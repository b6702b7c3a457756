#include "support.h"

#include "probe/slots.h"

static struct slots slots;

static void
open_slots(int count)
{
    assert_int_equal(slots_open(&slots, count, 4096), 0);
}

/* Fails unless those under way are, from the oldest to the youngest, NUMBERS. */
static void
assert_order(const char *numbers)
{
    char forward[32] = "", backward[32] = "";
    int length = 0, count = 0;
    for (int i = slots.oldest; i >= 0; i = slots.list[i].younger)
        forward[length++] = (char)('0' + i);
    for (int i = slots.youngest; i >= 0; i = slots.list[i].older)
        backward[length - ++count] = (char)('0' + i);
    assert_string_equal(forward, numbers);
    assert_string_equal(backward, numbers);
    assert_int_equal(slots.under_way, strlen(numbers));
}

static void
all_are_free_at_first(void **state)
{
    (void)state;
    open_slots(3);
    assert_int_equal(slots.count, 3);
    assert_order("");
    assert_int_equal(slots.oldest, -1);
    assert_int_equal(slots.youngest, -1);
    assert_true(slots.free >= 0);
    slots_close(&slots);
}

static void
they_stand_in_the_order_of_their_start(void **state)
{
    (void)state;
    open_slots(4);
    int first = slots_take(&slots), second = slots_take(&slots);
    int third = slots_take(&slots);
    char order[4] = {(char)('0' + first), (char)('0' + second), (char)('0' + third)};
    assert_order(order);
    assert_int_equal(slots.oldest, first);
    assert_int_equal(slots.youngest, third);
    slots_close(&slots);
}

/* Each row: what is released of 0, 1, 2, 3, and what is left. */
static void
one_can_be_released_anywhere(void **state)
{
    static const struct {
        int released;
        const char *left;
    } cases[] = {{0, "123"}, {1, "023"}, {2, "013"}, {3, "012"}};
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        open_slots(4);
        for (int k = 0; k < 4; k++)
            assert_int_equal(slots_take(&slots), k);
        slots_release(&slots, cases[i].released);
        assert_order(cases[i].left);
        slots_close(&slots);
    }
}

static void
a_released_one_is_used_again_as_the_youngest(void **state)
{
    (void)state;
    open_slots(3);
    for (int i = 0; i < 3; i++)
        assert_int_equal(slots_take(&slots), i);
    slots_release(&slots, 1);
    assert_int_equal(slots_take(&slots), 1);
    assert_order("021");
    slots_release(&slots, 0);
    slots_release(&slots, 1);
    assert_order("2");
    slots_release(&slots, 2);
    assert_order("");
    slots_close(&slots);
}

static void
none_is_free_when_all_are_taken(void **state)
{
    (void)state;
    open_slots(3);
    bool taken[3] = {false};
    for (int i = 0; i < 3; i++) {
        assert_true(slots.free >= 0);
        int number = slots_take(&slots);
        assert_in_range(number, 0, 2);
        assert_false(taken[number]);
        taken[number] = true;
    }
    assert_int_equal(slots.free, -1);
    assert_int_equal(slots.under_way, slots.count);
    slots_release(&slots, 2);
    assert_int_equal(slots.free, 2);
    slots_close(&slots);
}

static void
a_single_one_goes_round(void **state)
{
    (void)state;
    open_slots(1);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(slots_take(&slots), 0);
        assert_order("0");
        assert_int_equal(slots.free, -1);
        slots_release(&slots, 0);
        assert_order("");
    }
    slots_close(&slots);
}

/* Against a list that is kept the long way. */
static void
any_sequence_keeps_the_order(void **state)
{
    (void)state;
    enum { COUNT = 7 };
    char model[COUNT + 1] = "";
    unsigned random = 1;
    open_slots(COUNT);
    for (int i = 0; i < 5000; i++) {
        size_t length = strlen(model);
        random = random * 1103515245 + 12345;
        unsigned choice = random >> 16;
        if (length < COUNT && (length == 0 || choice % 2)) {
            int number = slots_take(&slots);
            assert_null(strchr(model, '0' + number));
            model[length] = (char)('0' + number);
            model[length + 1] = '\0';
        } else {
            size_t at = choice / 2 % length;
            slots_release(&slots, model[at] - '0');
            memmove(model + at, model + at + 1, length - at);
        }
        assert_order(model);
    }
    slots_close(&slots);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_are_free_at_first),
        cmocka_unit_test(they_stand_in_the_order_of_their_start),
        cmocka_unit_test(one_can_be_released_anywhere),
        cmocka_unit_test(a_released_one_is_used_again_as_the_youngest),
        cmocka_unit_test(none_is_free_when_all_are_taken),
        cmocka_unit_test(a_single_one_goes_round),
        cmocka_unit_test(any_sequence_keeps_the_order),
    };
    return cmocka_run_group_tests_name("slots", tests, NULL, NULL);
}
