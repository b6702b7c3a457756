/* Patterns of offsets and operations: ranges, order and seeds. */
#include "mix.h"
#include "support.h"

#include "plan/plan.h"
#include "run/schedule.h"

#define OFFSET 512
#define SIZE 4096

static struct pattern
start(int64_t work_size, uint64_t seed, bool linear, const char *load)
{
    struct plan plan = {.workload.seed = seed,
                        .workload.request_size = SIZE,
                        .workload.work_offset = OFFSET,
                        .workload.linear = linear,
                        .workload.mix = mix_of(load),
                        .io.threads = 1};
    struct pattern pattern;
    pattern_start(&pattern, &plan, work_size, 0);
    return pattern;
}

/* The number of the next block; fails unless the offset is that of a block. */
static int64_t
next_block(struct pattern *pattern)
{
    enum operation operation;
    int64_t offset = pattern_next(pattern, &operation);
    assert_true(offset >= OFFSET);
    assert_int_equal((offset - OFFSET) % SIZE, 0);
    return (offset - OFFSET) / SIZE;
}

TEST(random_offsets_stay_on_whole_blocks_and_reach_all)
{
    static const int block_counts[] = {1, 2, 3, 7, 64};
    for (size_t i = 0; i < LENGTH(block_counts); i++) {
        int blocks = block_counts[i], hits[64] = {0};
        struct pattern pattern = start((int64_t)blocks * SIZE, 1, false, "read");
        for (int k = 0; k < blocks * 20; k++) {
            int64_t block = next_block(&pattern);
            assert_true(block < blocks);
            hits[block]++;
        }
        for (int block = 0; block < blocks; block++)
            assert_true(hits[block] > 0);
    }
}

/* 255 degrees of freedom: mean 255, standard deviation 22.6. */
TEST(random_offsets_are_uniform)
{
    enum { BLOCKS = 256, EACH = 1000 };
    int hits[BLOCKS] = {0};
    double chi_square = 0;
    struct pattern pattern = start(BLOCKS * SIZE, 20, false, "read");
    for (int i = 0; i < BLOCKS * EACH; i++)
        hits[next_block(&pattern)]++;
    for (int i = 0; i < BLOCKS; i++)
        chi_square += (double)(hits[i] - EACH) * (hits[i] - EACH) / EACH;
    assert_true(chi_square > 150);
    assert_true(chi_square < 400);
}

TEST(random_offsets_do_not_follow_each_other)
{
    struct pattern pattern = start(1000 * SIZE, 3, false, "read");
    int64_t last = next_block(&pattern);
    int successors = 0;
    for (int i = 0; i < 1000; i++) {
        int64_t block = next_block(&pattern);
        successors += block == last + 1;
        last = block;
    }
    assert_true(successors < 20);
}

TEST(offsets_beyond_four_gigabytes_are_reached)
{
    int64_t work_size = 1LL << 50;
    struct pattern pattern = start(work_size, 5, false, "read");
    int upper_half = 0;
    for (int i = 0; i < 1000; i++) {
        int64_t block = next_block(&pattern);
        assert_true(block < work_size / SIZE);
        upper_half += block >= work_size / SIZE / 2;
    }
    assert_in_range(upper_half, 400, 600);
}

TEST(linear_offsets_wrap)
{
    struct pattern pattern = start(3 * SIZE, 1, true, "read");
    for (int i = 0; i < 10; i++)
        assert_int_equal(next_block(&pattern), i % 3);
}

TEST(a_single_block_is_used_again_and_again)
{
    for (int linear = 0; linear < 2; linear++) {
        struct pattern pattern = start(SIZE, 1, linear, "read");
        for (int i = 0; i < 5; i++)
            assert_int_equal(next_block(&pattern), 0);
    }
}

TEST(a_partial_last_block_is_never_used)
{
    struct pattern pattern = start(4 * SIZE + SIZE - 1, 9, false, "read");
    for (int i = 0; i < 1000; i++)
        assert_true(next_block(&pattern) < 4);
    pattern = start(4 * SIZE + SIZE - 1, 9, true, "read");
    for (int i = 0; i < 9; i++)
        assert_int_equal(next_block(&pattern), i % 4);
}

TEST(the_same_seed_gives_the_same_sequence)
{
    struct pattern one = start(1000 * SIZE, 42, false, "read");
    struct pattern other = start(1000 * SIZE, 42, false, "read");
    for (int i = 0; i < 1000; i++)
        assert_int_equal(next_block(&one), next_block(&other));
}

TEST(different_seeds_give_different_sequences)
{
    struct pattern one = start(1000 * SIZE, 42, false, "read");
    struct pattern other = start(1000 * SIZE, 43, false, "read");
    int equal = 0;
    for (int i = 0; i < 1000; i++)
        equal += next_block(&one) == next_block(&other);
    assert_true(equal < 20);
}

TEST(a_load_chooses_the_operations)
{
    static const struct {
        const char *load;
        enum operation first, second;
    } cases[] = {
        {"read", OPERATION_READ, OPERATION_READ},
        {"write", OPERATION_WRITE, OPERATION_WRITE},
        {"rw", OPERATION_WRITE, OPERATION_READ},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct pattern pattern = start(10 * SIZE, 1, false, cases[i].load);
        for (int k = 0; k < 6; k++) {
            enum operation operation;
            pattern_next(&pattern, &operation);
            assert_int_equal(operation, k % 2 ? cases[i].second : cases[i].first);
        }
    }
}

static struct pattern
start_one_of(int threads, int number, int64_t blocks, bool linear)
{
    struct plan plan = {.workload.seed = 42,
                        .workload.request_size = SIZE,
                        .workload.work_offset = OFFSET,
                        .workload.linear = linear,
                        .io.threads = threads};
    struct pattern pattern;
    pattern_start(&pattern, &plan, blocks * SIZE, number);
    return pattern;
}

TEST(linear_workers_start_at_equal_distances)
{
    static const struct {
        int64_t blocks;
        int threads;
        int64_t starts[5];
    } cases[] = {{16, 1, {0}},
                 {16, 4, {0, 4, 8, 12}},
                 {10, 3, {0, 3, 6}},
                 {11, 3, {0, 3, 7}},
                 {7, 5, {0, 1, 2, 4, 5}},
                 {5, 5, {0, 1, 2, 3, 4}},
                 {3, 5, {0, 0, 1, 1, 2}},
                 {1, 4, {0, 0, 0, 0}}};
    for (size_t i = 0; i < LENGTH(cases); i++)
        for (int number = 0; number < cases[i].threads; number++) {
            int64_t blocks = cases[i].blocks;
            struct pattern pattern = start_one_of(cases[i].threads, number, blocks, true);
            /* All of them once round. */
            for (int64_t k = 0; k <= blocks; k++)
                assert_int_equal(next_block(&pattern),
                                 (cases[i].starts[number] + k) % blocks);
        }
}

TEST(linear_workers_of_a_huge_target_start_at_equal_distances)
{
    struct plan plan = {
        .workload.request_size = 1, .workload.linear = true, .io.threads = 1024};
    struct pattern pattern;
    enum operation operation;
    pattern_start(&pattern, &plan, INT64_MAX, 1023);
    /* 1023/1024 of 2^63-1, rounded down */
    assert_true(pattern_next(&pattern, &operation) == 9214364837600034815);
    assert_true(pattern_next(&pattern, &operation) == 9214364837600034816);
}

TEST(random_workers_go_ways_of_their_own)
{
    enum { WORKERS = 4, EACH = 1000 };
    int64_t blocks[WORKERS][EACH];
    for (int number = 0; number < WORKERS; number++) {
        struct pattern pattern = start_one_of(WORKERS, number, 100000, false);
        for (int i = 0; i < EACH; i++)
            blocks[number][i] = next_block(&pattern);
    }
    for (int a = 0; a < WORKERS; a++)
        for (int b = 0; b < a; b++) {
            int equal = 0;
            for (int i = 0; i < EACH; i++)
                equal += blocks[a][i] == blocks[b][i];
            assert_in_range(equal, 0, 5);
        }
}

/* And it does not matter how many others there are. */
TEST(a_seed_and_a_number_reproduce_a_worker)
{
    for (int number = 0; number < 3; number++) {
        struct pattern one = start_one_of(3, number, 100000, false);
        struct pattern other = start_one_of(8, number, 100000, false);
        for (int i = 0; i < 100; i++)
            assert_int_equal(next_block(&one), next_block(&other));
    }
}

TEST(the_first_of_several_does_what_one_alone_does)
{
    struct pattern one = start(1000 * SIZE, 42, false, "read");
    struct pattern first = start_one_of(4, 0, 1000, false);
    for (int i = 0; i < 100; i++)
        assert_int_equal(next_block(&one), next_block(&first));
}
