/* The parts of a request, by the records that are its own. */
#include "records.h"

TEST(a_request_is_split_where_its_records_are)
{
    const struct os_trace_record records[] = {QUEUE(10100, 1008), ISSUE(10300, 1008),
                                              COMPLETE(10700, 1008)};
    struct split split = SPLIT(plain(), reading(4096, 10000, 11500), records);
    assert_parts(&split, 100, 200, 400, 800);
    assert_int_equal(split.sync_device, 0);
}

TEST(records_of_several_processors_come_in_any_order)
{
    const struct os_trace_record records[] = {COMPLETE(10700, 1008), ISSUE(10300, 1008),
                                              COMPLETE(9000, 1008),  ISSUE(8500, 1008),
                                              QUEUE(8400, 1008),     QUEUE(10100, 1008)};
    struct split split = SPLIT(plain(), reading(4096, 10000, 11500), records);
    assert_parts(&split, 100, 200, 400, 800);
}

TEST(what_others_do_on_the_disk_is_not_its_own)
{
    const struct os_trace_record records[] = {
        QUEUE(10010, 1000),    ISSUE(10020, 1000),
        COMPLETE(10030, 1000), QUEUE(10100, 1008),
        ISSUE(10110, 1016),    RECORD(OS_TRACE_ISSUE, 10120, OTHER, 1008, 8),
        ISSUE(10300, 1008),    COMPLETE(10700, 1008),
        COMPLETE(10800, 1016), COMPLETE(14000, 1008)};
    struct split split = SPLIT(plain(), reading(4096, 10000, 11500), records);
    assert_parts(&split, 100, 200, 400, 800);
}

/* The scheduler may merge requests of neighbouring blocks. */
TEST(an_issue_and_a_completion_may_be_those_of_more)
{
    const struct os_trace_record records[] = {
        QUEUE(10100, 1008), QUEUE(10150, 1016),
        RECORD(OS_TRACE_ISSUE, 10300, DISK, 1000, 24),
        RECORD(OS_TRACE_COMPLETE, 10700, DISK, 1000, 24)};
    struct split split = SPLIT(plain(), reading(4096, 10000, 11500), records);
    assert_parts(&split, 100, 200, 400, 800);
}

TEST(the_first_issue_and_the_last_completion_of_pieces_count)
{
    struct sample sample = reading(0, 10000, 12000);
    const struct os_trace_record records[] = {
        RECORD(OS_TRACE_QUEUE, 10100, DISK, 1000, 16),
        RECORD(OS_TRACE_ISSUE, 10300, DISK, 1008, 8),
        RECORD(OS_TRACE_ISSUE, 10400, DISK, 1000, 8),
        RECORD(OS_TRACE_COMPLETE, 10700, DISK, 1000, 4),
        RECORD(OS_TRACE_COMPLETE, 10900, DISK, 1008, 8),
        RECORD(OS_TRACE_COMPLETE, 10800, DISK, 1004, 4)};
    sample.size = sample.bytes = 8192;
    struct split split = SPLIT(plain(), sample, records);
    assert_parts(&split, 100, 200, 600, 1100);
}

TEST(without_all_completions_it_is_lost)
{
    const struct os_trace_record records[] = {
        QUEUE(10100, 1008), ISSUE(10300, 1008),
        RECORD(OS_TRACE_COMPLETE, 10700, DISK, 1008, 7)};
    struct split split = SPLIT(plain(), reading(4096, 10000, 11500), records);
    assert_int_equal(split.result, SPLIT_LOST);
    assert_int_equal(split.part[PART_DEVICE], 0);
}

TEST(without_an_entry_into_the_queue_it_is_lost)
{
    const struct os_trace_record records[] = {ISSUE(10300, 1008), COMPLETE(10700, 1008)};
    struct split split = SPLIT(plain(), reading(4096, 10000, 11500), records);
    assert_int_equal(split.result, SPLIT_LOST);
}

TEST(without_records_it_is_lost_unless_a_cache_may_have_answered)
{
    struct trace_target cached = *plain();
    struct os_trace_record records[] = {QUEUE(10100, 1016), ISSUE(10300, 1016)};
    struct split split = SPLIT(plain(), reading(4096, 10000, 11500), records);
    assert_int_equal(split.result, SPLIT_LOST);
    cached.direct = false;
    split = SPLIT(&cached, reading(4096, 10000, 11500), records);
    assert_int_equal(split.result, SPLIT_UNASKED);
}

/* Of three pages, as they are read through the page cache, one was in it. */
TEST(what_was_cached_needs_no_completion)
{
    struct trace_target cached = *plain();
    struct sample sample = reading(0, 10000, 12000);
    const struct os_trace_record records[] = {
        QUEUE(10100, 1000), QUEUE(10150, 1016),    ISSUE(10300, 1000),
        ISSUE(10350, 1016), COMPLETE(10700, 1016), COMPLETE(10800, 1000)};
    cached.direct = false;
    sample.size = sample.bytes = 3 * 4096;
    struct split split = SPLIT(&cached, sample, records);
    assert_parts(&split, 100, 200, 500, 1200);
}

/* The clock of a system may not tell them apart. */
TEST(records_of_one_time_are_in_their_natural_order)
{
    const struct os_trace_record records[] = {ISSUE(10100, 1008), COMPLETE(10100, 1008),
                                              QUEUE(10100, 1008)};
    struct split split = SPLIT(plain(), reading(4096, 10000, 11500), records);
    assert_parts(&split, 100, 0, 0, 1400);
}

TEST(of_entries_that_of_its_own_thread_counts)
{
    struct os_trace_record records[] = {QUEUE(10100, 1008),    ISSUE(10200, 1008),
                                        QUEUE(40000, 1008),    ISSUE(40300, 1008),
                                        COMPLETE(41000, 1008), COMPLETE(41700, 1008)};
    records[0].thread = SIBLING;
    struct split split = SPLIT(plain(), reading(4096, 10000, 42000), records);
    assert_parts(&split, 30000, 300, 1400, 300);
}

/* Of two that have a block under way any may be completed first. */
TEST(what_another_process_has_under_way_is_not_split)
{
    struct os_trace_record records[] = {QUEUE(10100, 1008),    ISSUE(10200, 1008),
                                        QUEUE(40000, 1008),    ISSUE(40300, 1008),
                                        COMPLETE(41000, 1008), COMPLETE(41700, 1008)};
    records[0].thread = STRANGER;
    struct split split = SPLIT(plain(), reading(4096, 10000, 42000), records);
    assert_int_equal(split.result, SPLIT_SHARED);
    records[0].thread = ME;
    records[2].thread = STRANGER;
    split = SPLIT(plain(), reading(4096, 10000, 42000), records);
    assert_int_equal(split.result, SPLIT_SHARED);
}

/* Only its own block request has to be complete when it ends. */
TEST(what_another_process_does_before_and_after_is_told_apart)
{
    struct os_trace_record records[] = {
        QUEUE(10010, 1008), ISSUE(10020, 1008),    COMPLETE(10030, 1008),
        QUEUE(10100, 1008), ISSUE(10300, 1008),    COMPLETE(10700, 1008),
        QUEUE(10800, 1008), COMPLETE(13000, 1008),
    };
    records[0].thread = records[6].thread = STRANGER;
    struct split split = SPLIT(plain(), reading(4096, 10000, 11500), records);
    assert_parts(&split, 100, 200, 400, 800);
    records[6].time = 10200; /* queued beside it, and issued after its end */
    split = SPLIT(plain(), reading(4096, 10000, 11500), records);
    assert_parts(&split, 100, 200, 400, 800);
}

/* A throttled request beside a reader of the same block that is not. */
TEST(records_of_another_process_are_not_those_of_a_throttled_request)
{
    enum { ROUNDS = 2000 };
    static struct os_trace_record records[3 * ROUNDS + 3];
    int count = 0;
    (void)state;
    for (int64_t i = 0; i < ROUNDS; i++) {
        const struct os_trace_record round[] = {QUEUE(10000 + 25 * i, 1008),
                                                ISSUE(10001 + 25 * i, 1008),
                                                COMPLETE(10002 + 25 * i, 1008)};
        memcpy(records + count, round, sizeof(round));
        records[count].thread = STRANGER;
        count += 3;
    }
    struct os_trace_record own[] = {QUEUE(70000, 1008), ISSUE(70300, 1008),
                                    COMPLETE(70700, 1008)};
    own[0].thread = STRANGER + 1;
    own[0].kernel = true;
    memcpy(records + count, own, sizeof(own));
    struct split split = SPLIT(plain(), reading(4096, 10000, 71000), records);
    assert_parts(&split, 0, 60300, 400, 300);
    records[3].kernel = true; /* as if another were throttled too */
    split = SPLIT(plain(), reading(4096, 10000, 71000), records);
    assert_int_equal(split.result, SPLIT_SHARED);
}

TEST(later_requests_of_its_block_are_not_waited_for)
{
    struct os_trace_record records[] = {QUEUE(10100, 1008),    ISSUE(10200, 1008),
                                        COMPLETE(10800, 1008), QUEUE(11000, 1008),
                                        ISSUE(11100, 1008),    COMPLETE(59000, 1008)};
    records[3].thread = STRANGER;
    struct split split = SPLIT(plain(), reading(4096, 10000, 60000), records);
    assert_parts(&split, 100, 100, 600, 49200);
}

TEST(requests_of_one_block_are_completed_in_their_order)
{
    const struct os_trace_record records[] = {
        QUEUE(10100, 1008), ISSUE(10300, 1008),    QUEUE(20100, 1008),
        ISSUE(20300, 1008), COMPLETE(24000, 1008), COMPLETE(26000, 1008)};
    struct split first = SPLIT(plain(), reading(4096, 10000, 24500), records);
    struct split second = SPLIT(plain(), reading(4096, 20000, 26500), records);
    assert_parts(&first, 100, 200, 13700, 500);
    assert_parts(&second, 100, 200, 5700, 500);
}

TEST(a_throttled_request_was_in_the_queue)
{
    struct os_trace_record records[] = {QUEUE(50000, 1008), ISSUE(50300, 1008),
                                        COMPLETE(50700, 1008)};
    records[0].kernel = true;
    struct split split = SPLIT(plain(), reading(4096, 10000, 51000), records);
    assert_parts(&split, 0, 40300, 400, 300);
}

TEST(threads_of_the_kernel_ask_the_device_below_another)
{
    struct trace_target target = *plain();
    struct os_trace_record records[] = {QUEUE(10100, 1008), ISSUE(10300, 1008),
                                        COMPLETE(10700, 1008)};
    records[0].kernel = true;
    target.layout.lower = true;
    struct split split = SPLIT(&target, reading(4096, 10000, 11500), records);
    assert_parts(&split, 100, 200, 400, 800);
}

/* Only above does it show who they work for. */
TEST(what_another_process_asks_for_above_another_device_is_not_split)
{
    struct os_extent upper[] = {{0, 1 << 20, 3000}};
    struct trace_target target = *plain();
    struct os_trace_record records[] = {RECORD(OS_TRACE_QUEUE, 10010, OTHER, 3008, 8),
                                        RECORD(OS_TRACE_QUEUE, 10020, OTHER, 3008, 8),
                                        QUEUE(10100, 1008),
                                        QUEUE(10200, 1008),
                                        ISSUE(10300, 1008),
                                        ISSUE(10400, 1008),
                                        COMPLETE(11000, 1008),
                                        COMPLETE(12000, 1008)};
    for (size_t i = 1; i < sizeof(records) / sizeof(records[0]); i++)
        records[i].thread = STRANGER + (int)i;
    records[2].kernel = records[3].kernel = true;
    target.layout.devices[1] = (struct os_layout_device){OTHER, OTHER, 0, false, true};
    target.layout.device_count = 2;
    target.layout.lower = true;
    target.layout.upper = upper;
    target.layout.upper_count = 1;
    struct split split = SPLIT(&target, reading(4096, 10000, 12500), records);
    assert_int_equal(split.result, SPLIT_SHARED);
    records[1].thread = SIBLING;
    split = SPLIT(&target, reading(4096, 10000, 12500), records);
    assert_parts(&split, 200, 200, 1600, 500);
}

TEST(times_are_clipped_to_those_of_the_request)
{
    const struct os_trace_record records[] = {QUEUE(9900, 1008), ISSUE(10300, 1008),
                                              COMPLETE(12100, 1008)};
    struct split split = SPLIT(plain(), reading(4096, 10000, 12000), records);
    assert_parts(&split, 0, 300, 1700, 0);
}

TEST(a_partition_is_on_its_disk)
{
    struct trace_target target = *plain();
    const struct os_trace_record records[] = {
        RECORD(OS_TRACE_QUEUE, 10100, PARTITION, 1008, 8), ISSUE(10300, 1008),
        COMPLETE(10700, 1008)};
    target.layout.devices[0] =
        (struct os_layout_device){PARTITION, DISK, 63, true, false};
    struct split split = SPLIT(&target, reading(4096, 10000, 11500), records);
    assert_parts(&split, 100, 200, 400, 800);
}

TEST(a_request_may_lie_in_several_extents)
{
    struct os_extent extents[] = {{0, 2048, 1000}, {4096, 1024, 500}, {5120, 4096, 2000}};
    struct trace_target target = *plain();
    const struct os_trace_record records[] = {
        RECORD(OS_TRACE_QUEUE, 10100, DISK, 500, 2),
        RECORD(OS_TRACE_ISSUE, 10200, DISK, 500, 2),
        RECORD(OS_TRACE_COMPLETE, 10300, DISK, 500, 2),
        RECORD(OS_TRACE_QUEUE, 10400, DISK, 2000, 6),
        RECORD(OS_TRACE_ISSUE, 10500, DISK, 2000, 6),
        RECORD(OS_TRACE_COMPLETE, 10600, DISK, 2000, 6)};
    target.layout.extents = extents;
    target.layout.extent_count = 3;
    struct split split = SPLIT(&target, reading(4096, 10000, 11000), records);
    assert_parts(&split, 100, 300, 200, 400);
}

/* A control group lets blocks go one after the other. */
TEST(blocks_that_are_released_later_wait_in_the_queue)
{
    struct os_trace_record records[] = {
        QUEUE(10100, 1000), ISSUE(10300, 1000), COMPLETE(10700, 1000),
        QUEUE(20100, 1008), ISSUE(20200, 1008), COMPLETE(20600, 1008),
        QUEUE(30100, 1016), ISSUE(30200, 1016), COMPLETE(30600, 1016)};
    struct sample sample = reading(0, 10000, 31000);
    sample.size = sample.bytes = 3 * 4096;
    records[3].kernel = records[6].kernel = true;
    records[3].thread = records[6].thread = STRANGER;
    struct split split = SPLIT(plain(), sample, records);
    assert_parts(&split, 100, 19300, 1200, 400);
    records[0].kernel = true; /* all are, from the begin */
    split = SPLIT(plain(), sample, records);
    assert_parts(&split, 0, 19400, 1200, 400);
}

#define REQUEUE(when, first) RECORD(OS_TRACE_REQUEUE, when, DISK, first, 8)

TEST(what_is_requeued_is_not_at_the_device)
{
    const struct os_trace_record records[] = {QUEUE(10100, 1008),   ISSUE(10300, 1008),
                                              REQUEUE(10350, 1008), ISSUE(18000, 1008),
                                              REQUEUE(18010, 1008), ISSUE(18500, 1008),
                                              COMPLETE(19000, 1008)};
    struct split split = SPLIT(plain(), reading(4096, 10000, 20000), records);
    assert_parts(&split, 100, 200 + 7650 + 490, 50 + 10 + 500, 1000);
}

TEST(of_siblings_that_which_was_issued_last_is_requeued)
{
    struct os_trace_record records[] = {QUEUE(10100, 1008),   ISSUE(10200, 1008),
                                        QUEUE(10300, 1008),   ISSUE(10400, 1008),
                                        REQUEUE(10500, 1008), COMPLETE(11000, 1008),
                                        ISSUE(11100, 1008),   COMPLETE(12000, 1008)};
    records[0].thread = SIBLING;
    struct split split = SPLIT(plain(), reading(4096, 10000, 13000), records);
    assert_parts(&split, 300, 100 + 600, 100 + 900, 1000);
}

/* A driver may complete a part, and issue the rest again. */
TEST(the_rest_of_what_is_complete_in_part_waits_alone)
{
    const struct os_trace_record records[] = {
        QUEUE(10100, 1008),
        ISSUE(10300, 1008),
        RECORD(OS_TRACE_COMPLETE, 10500, DISK, 1008, 3),
        RECORD(OS_TRACE_REQUEUE, 10500, DISK, 1011, 5),
        RECORD(OS_TRACE_ISSUE, 10900, DISK, 1011, 5),
        RECORD(OS_TRACE_COMPLETE, 11000, DISK, 1011, 5)};
    struct split split = SPLIT(plain(), reading(4096, 10000, 12000), records);
    assert_parts(&split, 100, 600, 300, 1000);
}

/* Two requests of one block at once: each has block requests of its own. */
TEST(no_block_request_is_that_of_two_requests)
{
    const struct os_trace_record records[] = {
        QUEUE(10100, 1008), ISSUE(10200, 1008),    QUEUE(10300, 1008),
        ISSUE(10400, 1008), COMPLETE(11000, 1008), COMPLETE(12000, 1008)};
    struct tape tape = {records, 6, 0, 0};
    struct records store;
    struct trace_source source = {.read = read_tape, .self = &tape};
    struct sample first = reading(4096, 10000, 11500);
    struct sample second = reading(4096, 10000, 12500);
    assert_int_equal(records_open(&store, &source), 0);
    records_add_own(&store, ME);
    records_read(&store);
    request_attribute(&store, plain(), ME, true, &first);
    request_attribute(&store, plain(), ME, true, &second);
    records_close(&store);
    assert_parts(&first.split, 100, 100, 800, 500);
    assert_parts(&second.split, 300, 100, 1600, 500);
}

TEST(a_hole_is_on_no_device)
{
    struct os_trace_record records[] = {QUEUE(10100, 1008)};
    struct split split = SPLIT(plain(), reading(2 << 20, 10000, 11000), records);
    assert_int_equal(split.result, SPLIT_LOST); /* its thread asks for something */
    records[0].thread = SIBLING;
    split = SPLIT(plain(), reading(2 << 20, 10000, 11000), records);
    assert_int_equal(split.result, SPLIT_UNASKED);
}

/* Its thread asks the loop device, which asks nothing of the one below for a hole. */
TEST(a_hole_below_a_loop_device_is_on_no_device)
{
    struct os_extent upper[] = {{0, 4 << 20, 3000}};
    struct trace_target target = *plain();
    struct os_trace_record records[] = {RECORD(OS_TRACE_QUEUE, 10010, OTHER, 7096, 8),
                                        QUEUE(10100, 77000)};
    records[1].thread = STRANGER;
    target.layout.devices[1] = (struct os_layout_device){OTHER, OTHER, 0, false, true};
    target.layout.device_count = 2;
    target.layout.lower = true;
    target.layout.upper = upper;
    target.layout.upper_count = 1;
    struct split split = SPLIT(&target, reading(2 << 20, 10000, 11000), records);
    assert_int_equal(split.result, SPLIT_UNASKED);
    records[1].kernel = true; /* the loop device may ask for what was no hole any more */
    split = SPLIT(&target, reading(2 << 20, 10000, 11000), records);
    assert_int_equal(split.result, SPLIT_LOST);
    records[1].sector = 1008; /* or for another request that is under way */
    split = SPLIT(&target, reading(2 << 20, 10000, 11000), records);
    assert_int_equal(split.result, SPLIT_UNASKED);
}

/* A hole may be punched while the run goes on. */
TEST(a_request_whose_thread_asks_for_nothing_asks_no_device)
{
    struct trace_target target = *plain();
    struct os_trace_record records[] = {QUEUE(10100, 1008), ISSUE(10300, 1008),
                                        COMPLETE(10700, 1008), QUEUE(10800, 1016)};
    records[0].thread = STRANGER;
    records[3].thread = SIBLING;
    struct split split = SPLIT(&target, reading(4096, 10000, 11500), records);
    assert_int_equal(split.result, SPLIT_UNASKED);
    records[3].thread = ME; /* it asks for another block of the file, or for this one */
    split = SPLIT(&target, reading(4096, 10000, 11500), records);
    assert_int_equal(split.result, SPLIT_LOST);
    target.single = false;
    split = SPLIT(&target, reading(4096, 10000, 11500), records);
    assert_int_equal(split.result, SPLIT_UNASKED);
    records[3].sector = 77000;
    split = SPLIT(&target, reading(4096, 10000, 11500), records);
    assert_int_equal(split.result, SPLIT_LOST);
}

/* What comes after its write is queued within the accuracy of the clock, and goes on. */
TEST(what_its_thread_asks_for_next_is_not_its_own)
{
    struct trace_target target = *plain();
    const struct os_trace_record records[] = {QUEUE(10100, 77000), ISSUE(10300, 77000),
                                              COMPLETE(10700, 77000), QUEUE(12200, 88000),
                                              ISSUE(12300, 88000)};
    target.layout.extent_count = 0;
    struct split split = SPLIT(&target, reading(4096, 10000, 11500), records);
    assert_parts(&split, 100, 200, 400, 800);
}

TEST(where_blocks_are_not_known_its_thread_tells)
{
    struct trace_target target = *plain();
    struct os_trace_record records[] = {QUEUE(10050, 3000),    QUEUE(10100, 77000),
                                        ISSUE(10120, 3000),    ISSUE(10300, 77000),
                                        COMPLETE(10400, 3000), COMPLETE(10700, 77000)};
    records[0].thread = STRANGER;
    target.layout.extent_count = 0;
    target.layout.known = false;
    struct split split = SPLIT(&target, reading(4096, 10000, 11500), records);
    assert_parts(&split, 100, 200, 400, 800);
}

TEST(what_is_made_of_others_is_followed_down_to_them)
{
    struct trace_target target = *plain();
    const struct os_trace_record records[] = {
        QUEUE(10010, 1008),
        {.kind = OS_TRACE_REMAP,
         .time = 10020,
         .device = MEMBER,
         .sector = 5000,
         .sectors = 64,
         .old_device = DISK,
         .old_sector = 992},
        RECORD(OS_TRACE_QUEUE, 10100, MEMBER, 5016, 8),
        RECORD(OS_TRACE_ISSUE, 10300, MEMBER, 5016, 8),
        RECORD(OS_TRACE_COMPLETE, 10700, MEMBER, 5016, 8),
        COMPLETE(10900, 1008)};
    target.layout.devices[0].lowest = false;
    target.layout.devices[1] = (struct os_layout_device){MEMBER, MEMBER, 0, true, false};
    target.layout.device_count = 2;
    target.layout.remapped = target.layout.lower = true;
    struct split split = SPLIT(&target, reading(4096, 10000, 11500), records);
    assert_parts(&split, 100, 200, 400, 800);
}

TEST(where_blocks_are_not_known_one_that_was_throttled_may_be_it)
{
    struct trace_target target = *plain();
    struct os_trace_record records[] = {RECORD(OS_TRACE_QUEUE, 10050, DISK, 3000, 64),
                                        QUEUE(50000, 77000), ISSUE(50300, 77000),
                                        COMPLETE(50700, 77000)};
    records[0].thread = records[1].thread = STRANGER;
    records[0].kernel = records[1].kernel = true;
    target.layout.extent_count = 0;
    target.layout.known = false;
    struct split split = SPLIT(&target, reading(4096, 10000, 51000), records);
    assert_parts(&split, 0, 40300, 400, 300);
    records[0] = records[1];
    records[0].sector = 5000;
    split = SPLIT(&target, reading(4096, 10000, 51000), records);
    assert_int_equal(split.result, SPLIT_LOST);
}

/* A write into a hole, or into blocks that another file shares, gets new ones. */
TEST(where_blocks_have_changed_its_thread_tells)
{
    struct trace_target target = *plain();
    struct os_trace_record records[] = {QUEUE(10100, 77000), ISSUE(10300, 77000),
                                        COMPLETE(10700, 77000)};
    struct split split = SPLIT(&target, reading(4096, 10000, 11500), records);
    assert_parts(&split, 100, 200, 400, 800);
    target.layout.extent_count = 0;
    split = SPLIT(&target, reading(4096, 10000, 11500), records);
    assert_parts(&split, 100, 200, 400, 800);
    target.single = false;
    split = SPLIT(&target, reading(4096, 10000, 11500), records);
    assert_int_equal(split.result, SPLIT_UNASKED);
}

/* What is handed on to a partition is traced with its sectors, and again with those of
 * the disk. */
TEST(what_is_made_of_partitions_is_followed_to_their_disk)
{
    struct trace_target target = *plain();
    const struct os_trace_record records[] = {
        QUEUE(10010, 1008),
        {.kind = OS_TRACE_REMAP,
         .time = 10020,
         .device = MEMBER + 1,
         .sector = 5000,
         .sectors = 8,
         .old_device = DISK,
         .old_sector = 1008},
        {.kind = OS_TRACE_REMAP,
         .time = 10030,
         .device = MEMBER + 1,
         .sector = 7048,
         .sectors = 8,
         .old_device = MEMBER + 1,
         .old_sector = 5000},
        RECORD(OS_TRACE_QUEUE, 10100, MEMBER + 1, 7048, 8),
        RECORD(OS_TRACE_ISSUE, 10300, MEMBER, 7048, 8),
        RECORD(OS_TRACE_COMPLETE, 10700, MEMBER, 7048, 8)};
    target.layout.devices[0].lowest = false;
    target.layout.devices[1] =
        (struct os_layout_device){MEMBER + 1, MEMBER, 2048, true, false};
    target.layout.device_count = 2;
    target.layout.remapped = target.layout.lower = true;
    struct split split = SPLIT(&target, reading(4096, 10000, 11500), records);
    assert_parts(&split, 100, 200, 400, 800);
}

/* md hands on what it was given itself, which has entered the queue once, above. */
TEST(what_is_handed_on_without_a_copy_enters_with_that)
{
    struct trace_target target = *plain();
    const struct os_trace_record records[] = {
        QUEUE(10010, 1008),
        {.kind = OS_TRACE_REMAP,
         .time = 10100,
         .device = MEMBER,
         .sector = 5000,
         .sectors = 8,
         .old_device = DISK,
         .old_sector = 1008},
        RECORD(OS_TRACE_ISSUE, 10300, MEMBER, 5000, 8),
        RECORD(OS_TRACE_COMPLETE, 10700, MEMBER, 5000, 8)};
    target.layout.devices[0].lowest = false;
    target.layout.devices[1] = (struct os_layout_device){MEMBER, MEMBER, 0, true, false};
    target.layout.device_count = 2;
    target.layout.remapped = target.layout.lower = true;
    struct split split = SPLIT(&target, reading(4096, 10000, 11500), records);
    assert_parts(&split, 100, 200, 400, 800);
}

#define FLUSH(what, when)                                             \
    {                                                                 \
        .kind = (what), .time = (when), .device = DISK, .flush = true \
    }

TEST(the_flush_after_a_write_has_its_own_time_on_the_device)
{
    const struct os_trace_record records[] = {
        QUEUE(10100, 1008), ISSUE(10300, 1008), COMPLETE(10700, 1008),
        FLUSH(OS_TRACE_ISSUE, 12000), FLUSH(OS_TRACE_COMPLETE, 15000)};
    struct sample sample = reading(4096, 10000, 16000);
    sample.operation = OPERATION_WRITE;
    sample.sync = 4500;
    struct split split = SPLIT(plain(), sample, records);
    assert_parts(&split, 100, 200, 400, 800);
    assert_int_equal(split.sync_device, 3000);
}

TEST(a_write_that_returns_after_its_flush_waits_for_the_device)
{
    struct trace_target target = *plain();
    const struct os_trace_record records[] = {
        QUEUE(10100, 1008), ISSUE(10300, 1008), COMPLETE(10700, 1008),
        FLUSH(OS_TRACE_ISSUE, 12000), FLUSH(OS_TRACE_COMPLETE, 15000)};
    struct sample sample = reading(4096, 10000, 16000);
    target.syncs = true;
    struct split split = SPLIT(&target, sample, records);
    assert_parts(&split, 100, 200 + 1300, 400 + 3000, 1000);
}

/* More than are kept, of somebody else; those of a request that is not split yet stay as
 * long as there are others to forget. */
TEST(records_of_a_long_request_outlive_those_that_were_used)
{
    enum { ROUNDS = 100000 };
    struct os_trace_record records[3] = {QUEUE(1000, 8000), ISSUE(1100, 8000)};
    struct tape tape = {records, 2, 0, 0};
    struct records store;
    assert_int_equal(
        records_open(&store, &(struct trace_source){.read = read_tape, .self = &tape}),
        0);
    records_add_own(&store, ME);
    records_read(&store);
    for (int64_t i = 1; i <= ROUNDS; i++) {
        struct os_trace_record round[] = {QUEUE(i * 10000 + 100, 1008),
                                          ISSUE(i * 10000 + 200, 1008),
                                          COMPLETE(i * 10000 + 300, 1008)};
        struct sample sample = reading(4096, i * 10000, i * 10000 + 400);
        tape = (struct tape){round, 3, 0, 0};
        records_read(&store);
        request_attribute(&store, plain(), ME, true, &sample);
        assert_int_equal(sample.split.result, SPLIT_DONE);
    }
    struct os_trace_record end[] = {COMPLETE((ROUNDS + 1) * 10000LL, 8000)};
    struct sample sample = reading(7000 * 512, 900, (ROUNDS + 1) * 10000LL + 100);
    struct os_extent extents[] = {{0, 1 << 30, 1000}};
    struct trace_target target = *plain();
    target.layout.extents = extents;
    tape = (struct tape){end, 1, 0, 0};
    records_read(&store);
    request_attribute(&store, &target, ME, true, &sample);
    assert_parts(&sample.split, 100, 100, (ROUNDS + 1) * 10000LL - 1100, 100);
    records_close(&store);
}
