/*
 * The parts of a request, by the records that are its own.
 *
 * Records are written as words such as Q10100@1008+8/d:m, of which what comes after the
 * time may be left out: what happens (Queued, Issued, Requeued, Completed, reMapped,
 * Done with a bio; i, c, d: of a flush), when, the first sector, how many, on which
 * device (Disk, Partition, Made of others, its disk Next to that, Other), in which thread
 * (Me, Sibling in the same program, strangers X and Y; in upper case: as a thread of the
 * kernel), and of what is remapped <992/d from where.
 */
#include "records.h"

#include <ctype.h>

static uint64_t
read_number(const char **text)
{
    char *end;
    uint64_t number = strtoull(*text, &end, 10);
    *text = end;
    return number;
}

static uint64_t
read_device(const char **text)
{
    static const char letters[] = "dpmno";
    static const uint64_t devices[] = {DISK, PARTITION, MEMBER, MEMBER + 1, OTHER};
    if (**text != '/')
        return DISK;
    const char *letter = strchr(letters, (*text)[1]);
    *text += 2;
    assert_non_null(letter);
    return devices[letter - letters];
}

static struct os_trace_record
read_record(const char *text)
{
    static const char kinds[] = "QMIRCD", threads[] = "msxy";
    static const enum os_trace_kind kind_of[] = {
        OS_TRACE_QUEUE,   OS_TRACE_REMAP,    OS_TRACE_ISSUE,
        OS_TRACE_REQUEUE, OS_TRACE_COMPLETE, OS_TRACE_BIO_COMPLETE};
    static const int numbers[] = {ME, SIBLING, STRANGER, STRANGER + 1};
    struct os_trace_record record = {.thread = ME, .device = DISK};
    const char *word = text, *kind = strchr(kinds, toupper((unsigned char)*text));
    assert_non_null(kind);
    record.kind = kind_of[kind - kinds];
    record.is_flush = islower((unsigned char)*text++);
    record.time = (int64_t)read_number(&text);
    if (!record.is_flush) {
        record.sector = 1008;
        record.sector_count = 8;
    }
    if (*text == '@') {
        text++;
        record.sector = read_number(&text);
    }
    if (*text == '+') {
        text++;
        record.sector_count = read_number(&text);
    }
    record.device = read_device(&text);
    if (*text == ':') {
        const char *thread = strchr(threads, tolower((unsigned char)text[1]));
        assert_non_null(thread);
        record.thread = numbers[thread - threads];
        record.by_kernel = isupper((unsigned char)text[1]);
        text += 2;
    }
    if (*text == '<') {
        text++;
        record.old_sector = read_number(&text);
        record.old_device = read_device(&text);
    }
    if (*text && *text != ' ')
        fail_msg("no record: %s", word);
    return record;
}

static int
read_records(const char *text, struct os_trace_record *records)
{
    int count = 0;
    for (; *text; text += strcspn(text, " "), text += *text == ' ')
        records[count++] = read_record(text);
    return count;
}

/* What a target has that is not plain. */
enum {
    CACHED = 1,
    POOLED = 2,   /* a thread has several requests under way */
    UNMAPPED = 4, /* its offset is in no extent */
    UNKNOWN = 8,  /* and where it lies is not known */
    SCATTERED = 16,
    LOOPED = 64, /* on a loop device whose file is on the disk */
    PARTED = 128,
    MADE = 256,        /* of others */
    MADE_PARTED = 512, /* of partitions */
    SYNCED = 1024,
    MULTIPATH = 2048, /* made of others, but takes requests */
    WRITTEN = 4096,   /* the request is a write */
    MOVED = 8192,     /* I/Os end 16 sectors further, below */
};

static struct trace_target
target_of(int traits)
{
    static struct os_extent scattered[] = {
        {0, 2048, 1000}, {4096, 1024, 500}, {5120, 4096, 2000}};
    static struct os_extent upper[] = {{0, 4 << 20, 3000}};
    struct trace_target target = *plain();
    struct os_layout *layout = &target.layout;
    target.is_direct = !(traits & CACHED);
    target.is_single = !(traits & POOLED);
    target.writes_sync = traits & SYNCED;
    layout->extents_known = !(traits & UNKNOWN);
    layout->is_stacked = traits & (LOOPED | MADE | MADE_PARTED | MULTIPATH);
    if (traits & (UNMAPPED | UNKNOWN))
        layout->extent_count = 0;
    if (traits & SCATTERED) {
        layout->extents = scattered;
        layout->extent_count = 3;
    }
    if (traits & LOOPED) {
        layout->top_index = layout->device_count++;
        layout->devices[layout->top_index] =
            (struct os_layout_device){.number = OTHER, .disk = OTHER, .is_loop = true};
        layout->loop_extents = upper;
        layout->loop_extent_count = 1;
    }
    if (traits & PARTED)
        layout->devices[0] = (struct os_layout_device){PARTITION, DISK, 63, true, false};
    if (traits & (MADE | MADE_PARTED | MULTIPATH)) {
        layout->is_remapped = true;
        layout->devices[0].is_bottom = false;
        layout->devices[0].is_bio_based = !(traits & MULTIPATH);
        layout->completion_shift = traits & MOVED ? 16 : 0;
        layout->devices[layout->device_count++] =
            traits & MADE_PARTED
                ? (struct os_layout_device){MEMBER + 1, MEMBER, 2048, true, false}
                : (struct os_layout_device){MEMBER, MEMBER, 0, true, false};
        layout->devices[layout->device_count++] = /* another leg */
            (struct os_layout_device){OTHER, OTHER, 0, true, false};
    }
    return target;
}

/* Rows without a name go on with that above. */
static const struct row {
    const char *name;
    int traits;
    int64_t offset, start, end;
    const char *records;
    const char *split; /* times of submit, of a stack, queue, device, return, and of the
                          flush at the device */
    int pages;         /* of 4 KiB; 0: one */
    int64_t sync;
} rows[] = {
    {"a request is split where its records are", 0, 4096, 10000, 11500,
     "Q10100 I10300 C10700", "100 200 400 800"},
    {"records of several processors come in any order", 0, 4096, 10000, 11500,
     "C10700 I10300 C9000 I8500 Q8400 Q10100", "100 200 400 800"},
    {"what others do on the disk is not its own", 0, 4096, 10000, 11500,
     "Q10010@1000 I10020@1000 C10030@1000 Q10100 I10110@1016 I10120/o "
     "I10300 C10700 C10800@1016 C14000",
     "100 200 400 800"},
    /* The scheduler may merge requests of neighbouring blocks. */
    {"an issue and a completion may be those of more", 0, 4096, 10000, 11500,
     "Q10100 Q10150@1016 I10300@1000+24 C10700@1000+24", "100 200 400 800"},
    {"the first issue and the last completion of pieces count", 0, 0, 10000, 12000,
     "Q10100@1000+16 I10300 I10400@1000 C10700@1000+4 C10900 C10800@1004+4",
     "100 200 600 1100", 2},
    {"without all completions it is lost", 0, 4096, 10000, 11500,
     "Q10100 I10300 C10700@1008+7", "lost"},
    {"without an entry into the queue it is lost", 0, 4096, 10000, 11500, "I10300 C10700",
     "lost"},
    {"without records it is lost unless a cache may have answered", 0, 4096, 10000, 11500,
     "Q10100@1016 I10300@1016", "lost"},
    {NULL, CACHED, 4096, 10000, 11500, "Q10100@1016 I10300@1016", "unasked"},
    /* Of three pages, as they are read through the page cache, one was in it. */
    {"what was cached needs no completion", CACHED, 0, 10000, 12000,
     "Q10100@1000 Q10150@1016 I10300@1000 I10350@1016 C10700@1016 C10800@1000",
     "100 200 500 1200", 3},
    /* The clock of a system may not tell them apart. */
    {"records of one time are in their natural order", 0, 4096, 10000, 11500,
     "I10100 C10100 Q10100", "100 0 0 1400"},
    {"of entries that of its own thread counts", 0, 4096, 10000, 42000,
     "Q10100:s I10200 Q40000 I40300 C41000 C41700", "30000 300 1400 300"},
    /* Of two that have a block under way any may be completed first. */
    {"what another process has under way is not split", 0, 4096, 10000, 42000,
     "Q10100:x I10200 Q40000 I40300 C41000 C41700", "shared"},
    {NULL, 0, 4096, 10000, 42000, "Q10100 I10200 Q40000:x I40300 C41000 C41700",
     "shared"},
    /* Only its own block request has to be complete when it ends. */
    {"what another process does before and after is told apart", 0, 4096, 10000, 11500,
     "Q10010:x I10020 C10030 Q10100 I10300 C10700 "
     "Q10800:x C13000",
     "100 200 400 800"},
    {"and what is queued beside it and issued after its end", 0, 4096, 10000, 11500,
     "Q10010:x I10020 C10030 Q10100 I10300 C10700 "
     "Q10200:x C13000",
     "100 200 400 800"},
    {"later requests of its block are not waited for", 0, 4096, 10000, 60000,
     "Q10100 I10200 C10800 Q11000:x I11100 C59000", "100 100 600 49200"},
    {"requests of one block are completed in their order", 0, 4096, 10000, 24500,
     "Q10100 I10300 Q20100 I20300 C24000 C26000", "100 200 13700 500"},
    {NULL, 0, 4096, 20000, 26500, "Q10100 I10300 Q20100 I20300 C24000 C26000",
     "100 200 5700 500"},
    {"a throttled request was in the queue", 0, 4096, 10000, 51000,
     "Q50000:M I50300 C50700", "0 40300 400 300"},
    /* Only above does it show who they work for. */
    {"what another process asks for above another device is not split", LOOPED, 4096,
     10000, 12500,
     "Q10010@3008/o Q10020@3008/o:y Q10100:X Q10200:Y I10300:x "
     "I10400:x C11000:x C11100@3008/o C12000:x C12100@3008/o",
     "shared"},
    {NULL, LOOPED, 4096, 10000, 12500,
     "Q10010@3008/o Q10020@3008/o:s Q10100:X Q10200:Y I10300:x "
     "I10400:x C11000:x C11100@3008/o C12000:x C12100@3008/o",
     "10 stack 190 200 700 1400"},
    {"times are clipped to those of the request", 0, 4096, 10000, 12000,
     "Q9900 I10300 C12100", "0 300 1700 0"},
    {"a partition is on its disk", PARTED, 4096, 10000, 11500, "Q10100/p I10300 C10700",
     "100 200 400 800"},
    {"a request may lie in several extents", SCATTERED, 4096, 10000, 11000,
     "Q10100@500+2 I10200@500+2 C10300@500+2 Q10400@2000+6 I10500@2000+6 C10600@2000+6",
     "100 300 200 400"},
    /* A control group lets blocks go one after the other. */
    {"blocks that are released later wait in the queue", 0, 0, 10000, 31000,
     "Q10100@1000 I10300@1000 C10700@1000 Q20100:X I20200 C20600 "
     "Q30100@1016:X I30200@1016 C30600@1016",
     "100 19300 1200 400", 3},
    {"all are, from the begin", 0, 0, 10000, 31000,
     "Q10100@1000:M I10300@1000 C10700@1000 Q20100:X I20200 C20600 "
     "Q30100@1016:X I30200@1016 C30600@1016",
     "0 19400 1200 400", 3},
    {"what is requeued is not at the device", 0, 4096, 10000, 20000,
     "Q10100 I10300 R10350 I18000 R18010 I18500 "
     "C19000",
     "100 8340 560 1000"},
    {"of siblings that which was issued last is requeued", 0, 4096, 10000, 13000,
     "Q10100:s I10200 Q10300 I10400 R10500 C11000 "
     "I11100 C12000",
     "300 700 1000 1000"},
    /* A driver may complete a part, and issue the rest again. */
    {"the rest of what is complete in part waits alone", 0, 4096, 10000, 12000,
     "Q10100 I10300 C10500@1008+3 R10500@1011+5 I10900@1011+5 C11000@1011+5",
     "100 600 300 1000"},
    {"a hole is on no device, but its thread asks for something", 0, 2 << 20, 10000,
     11000, "Q10100", "lost"},
    {"a hole is on no device", 0, 2 << 20, 10000, 11000, "Q10100:s", "unasked"},
    /* Its thread asks the loop device, which asks nothing of the one below for a hole. */
    {"a hole below a loop device is on no device", LOOPED, 2 << 20, 10000, 11000,
     "Q10010@7096/o Q10100@77000:x C10800@7096/o", "10 stack 790 0 0 200"},
    {"the loop device may ask for what was no hole any more", LOOPED, 2 << 20, 10000,
     11000, "Q10010@7096/o Q10100@77000:X C10800@7096/o", "lost"},
    {"or for another request that is under way", LOOPED, 2 << 20, 10000, 11000,
     "Q10010@7096/o Q10100:X C10800@7096/o", "10 stack 790 0 0 200"},
    /* A hole may be punched while the run goes on. */
    {"a request whose thread asks for nothing asks no device", 0, 4096, 10000, 11500,
     "Q10100:x I10300 C10700 Q10800@1016:s", "unasked"},
    {"it asks for another block of the file, or for this one", 0, 4096, 10000, 11500,
     "Q10100:x I10300 C10700 Q10800@1016", "lost"},
    {NULL, POOLED, 4096, 10000, 11500, "Q10100:x I10300 C10700 Q10800@1016", "unasked"},
    {NULL, POOLED, 4096, 10000, 11500, "Q10100:x I10300 C10700 Q10800@77000", "lost"},
    /* What comes after its write is queued within the accuracy of the clock. */
    {"what its thread asks for next is not its own", UNMAPPED, 4096, 10000, 11500,
     "Q10100@77000 I10300@77000 C10700@77000 Q12200@88000 I12300@88000",
     "100 200 400 800"},
    {"where blocks are not known its thread tells", UNKNOWN, 4096, 10000, 11500,
     "Q10050@3000:x Q10100@77000 I10120@3000 I10300@77000 C10400@3000 C10700@77000",
     "100 200 400 800"},
    {"and one that was throttled may be it", UNKNOWN, 4096, 10000, 51000,
     "Q10050@3000+64:X Q50000@77000:X I50300@77000 C50700@77000", "0 40300 400 300"},
    {"but not of two", UNKNOWN, 4096, 10000, 51000,
     "Q50000@5000:X Q50000@77000:X I50300@77000 C50700@77000", "lost"},
    /* A write into a hole, or into blocks that another file shares, gets new ones. */
    {"where blocks have changed its thread tells", 0, 4096, 10000, 11500,
     "Q10100@77000 I10300@77000 C10700@77000", "100 200 400 800"},
    {NULL, UNMAPPED, 4096, 10000, 11500, "Q10100@77000 I10300@77000 C10700@77000",
     "100 200 400 800"},
    {NULL, UNMAPPED | POOLED, 4096, 10000, 11500,
     "Q10100@77000 I10300@77000 C10700@77000", "unasked"},
    {"what is made of others is followed down to them", MADE, 4096, 10000, 11500,
     "Q10010 M10020@5000+64/m<992 Q10100@5016/m I10300@5016/m C10700@5016/m "
     "D10900",
     "10 stack 290 200 400 600"},
    /* What is handed on to a partition is traced with its sectors, and again with those
     * of the disk. */
    {"what is made of partitions is followed to their disk", MADE_PARTED, 4096, 10000,
     11500,
     "Q10010 M10020@5000/n<1008 M10030@7048/n<5000/n Q10100@7048/n I10300@7048/m "
     "C10700@7048/m D10900",
     "10 stack 290 200 400 600"},
    /* md hands on what it was given itself, which has entered the queue once, above. */
    {"what is handed on without a copy enters with that", MADE, 4096, 10000, 11500,
     "Q10010 M10100@5000/m<1008 I10300@5000/m C10700@5000/m D10900",
     "10 stack 290 200 400 600"},
    /* Before it is handed on, and after it came back, as dm-delay and dm-crypt do. */
    {"what no device below has is the stack's", MADE, 4096, 10000, 40000,
     "Q10010 M30000@5000/m:X<1008 Q30010@5000/m:X I30020@5000/m C30700@5000/m D35000",
     "10 stack 24300 10 680 5000"},
    {"time at a device below does not count twice", MADE | WRITTEN, 4096, 10000, 12100,
     "Q10010 M10030@5008/m<1008 M10035@7008/o<1008 Q10040@5008/m Q10045@7008/o "
     "I10050@5008/m I10060@7008/o C10200@5008/m C12000@7008/o D12010",
     "10 stack 40 10 1950 90"},
    /* One leg waits in its queue while the other is at its device, and then alone. */
    {"a queue counts while none is at a device", MADE | WRITTEN, 4096, 10000, 12100,
     "Q10010 M10030@5008/m<1008 M10035@7008/o<1008 Q10040@5008/m Q10045@7008/o "
     "I10050@5008/m C10200@5008/m I11000@7008/o C12000@7008/o D12010",
     "10 stack 40 810 1150 90"},
    {"a bio that is split has parts on several legs", MADE, 0, 10000, 12000,
     "Q10010@1000+16 M10020@5000/m<1000 M10025@9000/o<1008 Q10030@5000/m Q10035@9000/o "
     "I10040@5000/m I10045@9000/o C10200@5000/m D10210@1000 C10900@9000/o D11000@1008",
     "10 stack 120 10 860 1000", 2},
    {"and parts one after the other", MADE, 0, 10000, 12000,
     "Q10010@1000+16 M10020@5000/m<1000 Q10030@5000/m I10040@5000/m C10200@5000/m "
     "D10210@1000 M10300@9000/m<1008 Q10310@9000/m I10320@9000/m C10900@9000/m "
     "D11000@1008",
     "10 stack 230 20 740 1000", 2},
    {"without its last completion at the top it is lost", MADE, 0, 10000, 12000,
     "Q10010@1000+16 M10020@5000/m<1000 M10025@9000/o<1008 Q10030@5000/m Q10035@9000/o "
     "I10040@5000/m I10045@9000/o C10200@5000/m D10210@1000 C10900@9000/o",
     "lost", 2},
    /* A mirror may answer a write while a slow leg has it still. */
    {"a leg that ends late counts until the top is done", MADE | WRITTEN, 4096, 10000,
     12100,
     "Q10010 M10030@5008/m<1008 M10035@7008/o<1008 Q10040@5008/m Q10045@7008/o "
     "I10050@5008/m I10060@7008/o C10200@5008/m D10500 C11000@7008/o",
     "10 stack 30 10 450 1600"},
    {NULL, MADE | WRITTEN, 4096, 10000, 12100,
     "Q10010 M10030@5008/m<1008 M10035@7008/o<1008 Q10040@5008/m Q10045@7008/o "
     "I10050@5008/m C10200@5008/m D10500 C11000@7008/o",
     "10 stack 30 310 150 1600"},
    {"what is requeued below waits in the queue", MADE, 4096, 10000, 20000,
     "Q10010 M10020@5000/m<1008 Q10100@5000/m I10300@5000/m R10350@5000/m I18000@5000/m "
     "C19000@5000/m D19010",
     "10 stack 100 7850 1050 990"},
    {"another's block on the same leg is not its own", MADE, 4096, 10000, 11500,
     "Q10005@5064/m:x I10006@5064/m Q10010 M10020@5000/m<1008 Q10100@5000/m "
     "I10300@5000/m C10700@5000/m D10900 C11000@5064/m",
     "10 stack 290 200 400 600"},
    {"the same block on the same leg for another is not told apart", MADE, 4096, 10000,
     11500,
     "Q10005@5000/m:x I10006@5000/m Q10010 M10020@5000/m<1008 Q10100@5000/m "
     "I10300@5000/m C10700@5000/m C10750@5000/m D10900",
     "shared"},
    {"unless that is over", MADE, 4096, 10000, 11500,
     "Q9005@5000/m:x I9006@5000/m C9010@5000/m Q10010 M10020@5000/m<1008 Q10100@5000/m "
     "I10300@5000/m C10700@5000/m D10900",
     "10 stack 290 200 400 600"},
    {"nor the same block of the same stack", MADE, 4096, 10000, 11500,
     "Q10010 M10020@5000/m<1008 Q10100@5000/m I10300@5000/m Q10400:x "
     "M10410@7000/o<1008 Q10420@7000/o I10430@7000/o C10700@5000/m D10900 "
     "C11000@7000/o D11100",
     "shared"},
    {"unless it is asked for later", MADE, 4096, 10000, 11500,
     "Q10010 M10020@5000/m<1008 Q10100@5000/m I10300@5000/m C10700@5000/m D10900 "
     "Q11000:x M11010@7000/o<1008 I11020@7000/o",
     "10 stack 290 200 400 600"},
    /* Which of the legs of a mirror has which of two reads is not known. */
    {"of two of its own the legs are not told apart", MADE, 4096, 10000, 11500,
     "Q10005:s Q10010 M10015@5000/m<1008 M10020@7000/o<1008 I10100@5000/m "
     "I10300@7000/o C10700@5000/m D10750 C10800@7000/o D10900",
     "shared"},
    {"on one leg the first is the first", MADE, 4096, 10000, 11500,
     "Q10005:s Q10010 M10015@5000/m:s<1008 Q10016@5000/m:s M10020@5000/m<1008 "
     "Q10021@5000/m I10100@5000/m I10300@5000/m C10700@5000/m D10750 C10800@5000/m "
     "D10900",
     "10 stack 111 279 500 600"},
    {"what the stack answers alone is the stack's", MADE, 4096, 10000, 11500,
     "Q10010 D10900", "10 stack 890 0 0 600"},
    {"and what is handed on without a record", MADE, 4096, 10000, 11500,
     "Q10010 Q10100@5000/m:X I10300@5000/m C10700@5000/m D10900", "10 stack 890 0 0 600"},
    {"unless its own thread does so", MADE, 4096, 10000, 11500,
     "Q10010 Q10100@5000/m I10300@5000/m C10700@5000/m D10900",
     "10 stack 290 200 400 600"},
    {NULL, MADE | POOLED, 4096, 10000, 11500,
     "Q10010 Q10100@5000/m I10300@5000/m C10700@5000/m D10900", "10 stack 890 0 0 600"},
    /* bcache moves its own I/O to the device that it caches before it is done. */
    {"an I/O may be done on another device than it was queued on", MADE | MOVED, 4096,
     10000, 11500, "Q10010 Q10100@1024/m I10300@1024/m C10700@1024/m D10900@1024/m",
     "10 stack 290 200 400 600"},
    {NULL, MADE | MOVED, 4096, 10000, 11500,
     "Q10010 Q10100@1024/m I10300@1024/m C10700@1024/m D10900@1032/m", "lost"},
    {"a stack that is not asked is not split", MADE | CACHED, 4096, 10000, 11500,
     "Q10010:s D10900", "unasked"},
    {"a limit at the top holds it in a queue", MADE, 4096, 10000, 31500,
     "Q30010:X M30020@5000/m<1008 Q30100@5000/m I30300@5000/m C30700@5000/m D30900",
     "0 stack 290 20210 400 600"},
    {"a multipath takes requests, and hands them on whole", MULTIPATH, 4096, 10000, 11500,
     "Q10010 I10100 M10150@1008/m<1008 I10300@1008/m C10700@1008/m C10900",
     "10 stack 340 150 400 600"},
    {"a write returns after its flush at the top", MADE | SYNCED | WRITTEN, 4096, 10000,
     16000,
     "Q10010 M10020@5000/m<1008 Q10100@5000/m I10300@5000/m C10700@5000/m D10900 "
     "i12000/m c15000/m d15100",
     "10 stack 1490 200 3400 900"},
    {"the flush after a write has its own time on the device", 0, 4096, 10000, 16000,
     "Q10100 I10300 C10700 i12000 c15000", "100 200 400 800, flush 3000", 1, 4500},
    {"a write that returns after its flush waits for the device", SYNCED, 4096, 10000,
     16000, "Q10100 I10300 C10700 i12000 c15000", "100 1500 3400 1000"},
};

/* Returns what SPLIT is as rows have it, until the next call. */
static const char *
split_text(const struct split *split)
{
    static const char *const results[] = {"not tried", "done", "unasked", "lost",
                                          "shared"};
    static char text[160];
    int length = 0;
    for (int i = 0; i < PARTS; i++)
        if (i != PART_STACK || split->is_stacked)
            length += snprintf(text + length, sizeof(text) - (size_t)length, "%s%s%lld",
                               i > 0 ? " " : "", i == PART_STACK ? "stack " : "",
                               (long long)split->part[i]);
    if (split->sync_device)
        length += snprintf(text + length, sizeof(text) - (size_t)length, ", flush %lld",
                           (long long)split->sync_device);
    if (split->result != SPLIT_DONE && strcmp(text, "0 0 0 0") == 0)
        return results[split->result];
    if (split->result != SPLIT_DONE)
        snprintf(text + length, sizeof(text) - (size_t)length, ", yet %s",
                 results[split->result]);
    return text;
}

TEST(a_request_is_split_by_the_records_that_are_its_own)
{
    const char *name = NULL;
    for (const struct row *row = rows; row < rows + LENGTH(rows); row++) {
        struct os_trace_record records[24];
        int count = read_records(row->records, records);
        struct trace_target target = target_of(row->traits);
        struct sample sample = reading(row->offset, row->start, row->end);
        sample.size = sample.bytes = 4096 * (row->pages ? row->pages : 1);
        bool writes = row->sync || row->traits & WRITTEN;
        sample.operation = writes ? OPERATION_WRITE : OPERATION_READ;
        sample.sync = row->sync;
        struct split split = split_by(&target, sample, records, count);
        name = row->name ? row->name : name;
        if (strcmp(split_text(&split), row->split) != 0)
            fail_msg("%s: %s: %s", name, row->records, split_text(&split));
    }
}

/* What is not there yet may still come, or be lost: then it may have been at a device. */
TEST(a_stack_is_not_split_while_records_may_be_missing)
{
    static const char *const cases[] = {
        "Q10010 D10900",
        "Q10010 M10020@5000/m<1008 Q10100@5000/m D10900",
        "Q10010 M10020@5000/m<1008 Q10100@5000/m I10300@5000/m D10900",
        "Q10010 M10020@5000/m<1008 Q10100@5000/m I10300@5000/m C10700@5000/m",
        "M10020@5000/m<1008 Q10100@5000/m I10300@5000/m C10700@5000/m D10900",
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct os_trace_record records[8];
        struct os_trace tape = {records, read_records(cases[i], records), 0, 0};
        struct records *store = open_records(&tape);
        struct trace_target target = target_of(MADE);
        struct sample sample = reading(4096, 10000, 11500);
        records_read(store);
        request_attribute(store, &target, ME, false, &sample);
        free(store);
        if (sample.split.result != SPLIT_LOST)
            fail_msg("%s: %s", cases[i], split_text(&sample.split));
    }
}

/* Records that come late have not been taken for others by the first look. */
TEST(a_stack_is_split_when_its_last_record_has_come)
{
    struct os_trace_record records[8];
    int count = read_records("Q10010 M10020@5000/m<1008 Q10100@5000/m I10300@5000/m "
                             "D10900 C10700@5000/m",
                             records);
    struct os_trace tape = {records, count - 1, 0, 0};
    struct records *store = open_records(&tape);
    struct trace_target target = target_of(MADE);
    struct sample sample = reading(4096, 10000, 11500);
    records_read(store);
    request_attribute(store, &target, ME, false, &sample);
    assert_int_equal(sample.split.result, SPLIT_LOST);
    tape.count = count;
    records_read(store);
    request_attribute(store, &target, ME, false, &sample);
    assert_string_equal(split_text(&sample.split), "10 stack 290 200 400 600");
    free(store);
}

/* A throttled request beside a reader of the same block that is not. */
TEST(records_of_another_process_are_not_those_of_a_throttled_request)
{
    enum { ROUNDS = 2000 };
    static struct os_trace_record records[3 * ROUNDS + 3];
    int count = 0;
    for (int64_t i = 0; i < ROUNDS; i++, count += 3) {
        read_records("Q10000:x I10001 C10002", records + count);
        for (int k = 0; k < 3; k++)
            records[count + k].time += 25 * i;
    }
    count += read_records("Q70000:Y I70300 C70700", records + count);
    struct split split = split_by(plain(), reading(4096, 10000, 71000), records, count);
    assert_parts(&split, 0, 60300, 400, 300);
    records[3].by_kernel = true; /* as if another were throttled too */
    split = split_by(plain(), reading(4096, 10000, 71000), records, count);
    assert_int_equal(split.result, SPLIT_AMBIGUOUS);
}

/* Two requests of one block at once: each has block requests of its own. */
TEST(no_block_request_is_that_of_two_requests)
{
    const struct os_trace_record records[] = {
        QUEUE(10100, 1008), ISSUE(10200, 1008),    QUEUE(10300, 1008),
        ISSUE(10400, 1008), COMPLETE(11000, 1008), COMPLETE(12000, 1008)};
    struct os_trace tape = {records, 6, 0, 0};
    struct records *store = open_records(&tape);
    struct sample first = reading(4096, 10000, 11500);
    struct sample second = reading(4096, 10000, 12500);
    records_read(store);
    request_attribute(store, plain(), ME, true, &first);
    request_attribute(store, plain(), ME, true, &second);
    free(store);
    assert_parts(&first.split, 100, 100, 800, 500);
    assert_parts(&second.split, 300, 100, 1600, 500);
}

/* More than are kept, of somebody else; those of a request that is not split yet stay as
 * long as there are others to forget. */
TEST(records_of_a_long_request_outlive_those_that_were_used)
{
    enum { ROUNDS = 100000 };
    struct os_trace_record records[3] = {QUEUE(1000, 8000), ISSUE(1100, 8000)};
    struct os_trace tape = {records, 2, 0, 0};
    struct records *store = open_records(&tape);
    records_read(store);
    for (int64_t i = 1; i <= ROUNDS; i++) {
        struct os_trace_record round[] = {QUEUE(i * 10000 + 100, 1008),
                                          ISSUE(i * 10000 + 200, 1008),
                                          COMPLETE(i * 10000 + 300, 1008)};
        struct sample sample = reading(4096, i * 10000, i * 10000 + 400);
        tape = (struct os_trace){round, 3, 0, 0};
        records_read(store);
        request_attribute(store, plain(), ME, true, &sample);
        assert_int_equal(sample.split.result, SPLIT_DONE);
    }
    struct os_trace_record end[] = {COMPLETE((ROUNDS + 1) * 10000LL, 8000)};
    struct sample sample = reading(7000 * 512, 900, (ROUNDS + 1) * 10000LL + 100);
    struct os_extent extents[] = {{0, 1 << 30, 1000}};
    struct trace_target target = *plain();
    target.layout.extents = extents;
    tape = (struct os_trace){end, 1, 0, 0};
    records_read(store);
    request_attribute(store, &target, ME, true, &sample);
    assert_parts(&sample.split, 100, 100, (ROUNDS + 1) * 10000LL - 1100, 100);
    free(store);
}
