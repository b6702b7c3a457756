/* The table of operations: its rows, their mixes, and the system call of each. */
#include "support.h"

#include "io/io.h"
#include "os/os.h"

#include <errno.h>
#include <unistd.h>

TEST(each_row_has_what_outputs_say_of_a_request)
{
    for (enum operation i = 0; i < OPERATIONS; i++) {
        const struct operation_row *row = &operations[i];
        assert_true(row->word && row->noun && row->perform);
        assert_int_equal(strspn(row->word, "abcdefghijklmnopqrstuvwxyz_"),
                         strlen(row->word));
        if (i == OPERATION_FLUSH)
            continue;
        assert_int_equal(strlen(row->arrow), 3);
        assert_non_null(row->amount_suffix);
        assert_false((row->flags & OPERATION_MOVES) == OPERATION_MOVES);
    }
}

TEST(words_name_operations_and_mixes_once)
{
    struct operation_mix mix, found;
    int count = 0;
    for (; operation_mix_at(count, &mix); count++) {
        const char *word = operation_mix_word(&mix);
        assert_true(operation_mix_find(word, &found));
        assert_memory_equal(&found, &mix, sizeof(mix));
        assert_true(mix.extra_count < OPERATION_TURNS);
        assert_non_null(operation_mix_noun(&mix));
        for (int turn = 0; turn <= mix.extra_count; turn++)
            assert_int_equal(operation_mix_turn(&mix, mix.turns[turn]), turn);
        assert_int_equal(operation_mix_turn(&mix, OPERATION_FLUSH), -1);
    }
    assert_true(count > OPERATION_FLUSH);
    assert_false(operation_mix_find("sync", &found)); /* no operation by itself */
    assert_false(operation_mix_find("", &found));
}

TEST(a_mix_does_what_some_of_its_operations_do)
{
    static const struct {
        const char *word;
        bool reads, writes, changes, flushed;
    } cases[] = {{"read", true, false, false, false},
                 {"write", false, true, true, true},
                 {"rw", true, true, true, true}};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct operation_mix mix;
        assert_true(operation_mix_find(cases[i].word, &mix));
        assert_int_equal(operation_mix_does(&mix, OPERATION_READS), cases[i].reads);
        assert_int_equal(operation_mix_does(&mix, OPERATION_WRITES), cases[i].writes);
        assert_int_equal(operation_mix_does(&mix, OPERATION_CHANGES), cases[i].changes);
        assert_int_equal(operation_mix_does(&mix, OPERATION_FLUSHED), cases[i].flushed);
        assert_true(operation_mix_does(&mix, OPERATION_MOVES));
    }
}

/* Each of the two slots has its own buffer of 4 bytes in `memory`. */
TEST(a_system_call_does_what_the_row_says)
{
    char memory[] = "....WXYZ", stored[5] = "", name[] = "operations.XXXXXX";
    int fd = mkstemp(name);
    assert_true(fd >= 0);
    struct io_config config = {.fd = fd, .depth = 2, .memory = memory, .size = 4};
    const struct io_request write = {OPERATION_WRITE, 1, 4, 10},
                            read = {OPERATION_READ, 0, 4, 11},
                            flush = {.operation = OPERATION_FLUSH, .slot = 1};
    struct io_completion done = io_perform(&config, &write);
    assert_true(done.slot == 1 && done.error == 0 && done.bytes == 4);
    assert_int_equal(pread(fd, stored, 4, 10), 4);
    assert_string_equal(stored, "WXYZ");
    done = io_perform(&config, &read);
    assert_true(done.slot == 0 && done.error == 0 && done.bytes == 3);
    assert_memory_equal(memory, "XYZ.WXYZ", 8);
    done = io_perform(&config, &flush);
    assert_true(done.slot == 1 && done.error == 0 && done.bytes == 0);
    config.fd = -1;
    done = io_perform(&config, &flush);
    assert_true(done.slot == 1 && done.error == EBADF && done.bytes == 0);
    close(fd);
    unlink(name);
}
