/* The list of requests under way: free slots, and the order of the others. */
#include "support.h"

#include "run/worker.h"

static struct inflight inflight;

static void
open_slots(int count)
{
    assert_int_equal(inflight_open(&inflight, count, 4096), 0);
}

static int
take(void)
{
    struct inflight_request *slot = inflight_take(&inflight);
    assert_ptr_equal(slot, &inflight.list[slot->request.slot]);
    return slot->request.slot;
}

static void
release(int number)
{
    inflight_release(&inflight, &inflight.list[number]);
}

/* Fails unless those under way are, from the oldest to the youngest, NUMBERS. */
static void
assert_order(const char *numbers)
{
    char forward[32] = "", backward[32] = "";
    int length = 0, count = 0;
    struct inflight_request *slot;
    for (slot = inflight.ring.younger; slot != &inflight.ring; slot = slot->younger)
        forward[length++] = (char)('0' + slot->request.slot);
    for (slot = inflight.ring.older; slot != &inflight.ring; slot = slot->older)
        backward[length - ++count] = (char)('0' + slot->request.slot);
    assert_string_equal(forward, numbers);
    assert_string_equal(backward, numbers);
    assert_int_equal(inflight.taken_count, strlen(numbers));
}

TEST(all_are_free_at_first)
{
    open_slots(3);
    assert_int_equal(inflight.count, 3);
    assert_order("");
    assert_non_null(inflight.free);
    inflight_close(&inflight);
}

TEST(they_stand_in_the_order_of_their_start)
{
    open_slots(4);
    int first = take(), second = take();
    int third = take();
    char order[4] = {(char)('0' + first), (char)('0' + second), (char)('0' + third)};
    assert_order(order);
    inflight_close(&inflight);
}

/* Each row: what is released of 0, 1, 2, 3, and what is left. */
TEST(one_can_be_released_anywhere)
{
    static const struct {
        int released;
        const char *left;
    } cases[] = {{0, "123"}, {1, "023"}, {2, "013"}, {3, "012"}};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        open_slots(4);
        for (int k = 0; k < 4; k++)
            assert_int_equal(take(), k);
        release(cases[i].released);
        assert_order(cases[i].left);
        inflight_close(&inflight);
    }
}

TEST(a_released_one_is_used_again_as_the_youngest)
{
    open_slots(3);
    for (int i = 0; i < 3; i++)
        assert_int_equal(take(), i);
    release(1);
    assert_int_equal(take(), 1);
    assert_order("021");
    release(0);
    release(1);
    assert_order("2");
    release(2);
    assert_order("");
    inflight_close(&inflight);
}

TEST(none_is_free_when_all_are_taken)
{
    open_slots(3);
    bool taken[3] = {false};
    for (int i = 0; i < 3; i++) {
        assert_non_null(inflight.free);
        int number = take();
        assert_in_range(number, 0, 2);
        assert_false(taken[number]);
        taken[number] = true;
    }
    assert_null(inflight.free);
    assert_int_equal(inflight.taken_count, inflight.count);
    release(2);
    assert_ptr_equal(inflight.free, &inflight.list[2]);
    inflight_close(&inflight);
}

TEST(a_single_one_goes_round)
{
    open_slots(1);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(take(), 0);
        assert_order("0");
        assert_null(inflight.free);
        release(0);
        assert_order("");
    }
    inflight_close(&inflight);
}

/* Two threads must not share a cache line that they write for each request. */
TEST(what_belongs_to_two_of_them_is_far_apart)
{
    enum { LISTS = 8, FAR = 64 };
    struct inflight lists[LISTS];
    for (int depth = 1; depth <= 3; depth++) {
        for (int i = 0; i < LISTS; i++)
            assert_int_equal(inflight_open(&lists[i], depth, 4096), 0);
        for (int i = 0; i < LISTS; i++)
            for (int k = 0; k < LISTS; k++) {
                uintptr_t mine = (uintptr_t)(lists[i].completions + depth - 1) / FAR;
                uintptr_t other = (uintptr_t)lists[k].list / FAR;
                assert_true(i == k || mine != other);
            }
        for (int i = 0; i < LISTS; i++)
            inflight_close(&lists[i]);
    }
}

/* Against a list that is kept the long way. */
TEST(any_sequence_keeps_the_order)
{
    enum { COUNT = 7 };
    char model[COUNT + 1] = "";
    unsigned random = 1;
    open_slots(COUNT);
    for (int i = 0; i < 5000; i++) {
        size_t length = strlen(model);
        random = random * 1103515245 + 12345;
        unsigned choice = random >> 16;
        if (length < COUNT && (length == 0 || choice % 2)) {
            int number = take();
            assert_null(strchr(model, '0' + number));
            model[length] = (char)('0' + number);
            model[length + 1] = '\0';
        } else {
            size_t at = choice / 2 % length;
            release(model[at] - '0');
            memmove(model + at, model + at + 1, length - at);
        }
        assert_order(model);
    }
    inflight_close(&inflight);
}

/* It is neither under way nor free, until it comes back. */
TEST(a_lost_one_keeps_its_place)
{
    open_slots(3);
    int first = take(), second = take();
    inflight_lose(&inflight, &inflight.list[first]);
    assert_int_equal(inflight_live(&inflight), 1);
    assert_int_equal(inflight.taken_count, 2);
    assert_ptr_equal(inflight.ring.younger, &inflight.list[second]);
    assert_int_not_equal(take(), first);
    assert_null(inflight.free);
    inflight_regain(&inflight, &inflight.list[first]);
    assert_int_equal(inflight.lost_count, 0);
    assert_int_equal(inflight_live(&inflight), 2);
    assert_int_equal(take(), first);
    inflight_close(&inflight);
}

/* The age of one that was answered is not that of the others. */
TEST(the_oldest_that_is_lost_has_no_answer)
{
    open_slots(3);
    int entries[3];
    for (int i = 0; i < 3; i++) {
        entries[i] = take();
        inflight.list[entries[i]].sample.start = 100 * (i + 1);
    }
    for (int i = 0; i < 3; i++) {
        inflight_lose(&inflight, &inflight.list[entries[i]]);
        inflight.list[entries[i]].sample.start = 1; /* from when its time counts */
        assert_int_equal(inflight.lost_since, 100);
    }
    inflight_regain(&inflight, &inflight.list[entries[0]]);
    assert_int_equal(inflight.lost_since, 200);
    inflight_regain(&inflight, &inflight.list[entries[2]]);
    assert_int_equal(inflight.lost_since, 200);
    inflight_regain(&inflight, &inflight.list[entries[1]]);
    assert_int_equal(inflight.lost_since, 0);
    inflight_close(&inflight);
}
