/* Requests that are lost because a server does not answer. The requests that their
 * workers would have sent count as missed. */
/* Marks: 25s linux */
#include "support.h"

GROUP_SETUP(make_files)

/* Mounts fs anew, whose server does not answer some reads of its file f for a while. */
static void
serve_hangs(const char *options)
{
    shell("umount -l fs 2>/dev/null; mkdir -p fs.files && cp data fs.files/f");
    mount_fuse("fs", "uncached,%s", options);
}

static const struct run {
    const char *name, *needs, *server, *options;
} periods[] = {
    {"a_queue", "uring", "hang_at=20,hang_count=3,hang_s=2", "-U -depth 2 -i 10ms -w 3"},
    {"queues", "aio", "hang_at=20,hang_count=5,hang_s=2",
     "-A -threads 3 -depth 2 -i 20ms -w 3 -P 300ms"},
    {"reads_and_writes", "uring", "hang_at=10,hang_count=2,hang_s=2",
     "-GWWW -U -depth 2 -i 10ms -w 2 -P 100ms"},
    {"calls", "", "hang_at=20,hang_s=2", "-threads 2 -i 20ms -w 2 -p 25"},
};

TEST_EACH(periods_add_up_with, periods)
{
    const struct run *run = *state;
    need(run->needs);
    serve_hangs(run->server);
    expect(3, "same\n", NULL, "periods_add_up -timeout 300ms %s fs/f", run->options);
}

/* Of 60 points in three seconds a lost worker misses those after its last request. Of
 * four requests without an answer two at least are those of one of the deep queues. */
static const struct run lost_workers[] = {
    {"calls", "", "hang_at=24,hang_s=3", "-threads 2 -i 100ms -w 3"},
    {"queues_of_aio", "aio", "hang_at=24,hang_s=3", "-A -threads 2 -i 100ms -w 3"},
    {"queues_of_uring", "uring", "hang_at=24,hang_s=3", "-U -threads 2 -i 100ms -w 3"},
    {"deep_queues", "uring", "hang_at=20,hang_count=4,hang_s=3",
     "-U -threads 3 -depth 2 -i 150ms -w 3"},
    {"many_calls", "", "hang_at=21,hang_count=2,hang_s=3", "-threads 4 -i 200ms -w 3"},
};

TEST_EACH(points_are_sent_or_missed_with, lost_workers)
{
    const struct run *run = *state;
    need("jq");
    need(run->needs);
    serve_hangs(run->server);
    expect(3, "all\n", NULL, "sent_or_missed 60 -timeout 200ms %s fs/f", run->options);
}
