/* Each file system is named for what it is, and is left as it was. */
#include "support.h"

/* A target, the commands that make it, and the expected description. */
struct place {
    const char *name;   /* in the scratch folder */
    const char *image;  /* file system on a loop device that it needs */
    const char *setup;  /* shell, makes it from that; NULL: it is that */
    const char *fstype; /* in the label */
    const char *source; /* in the label; NULL: the loop device */
    const char *mode;   /* in JSON */
    const char *note;   /* on stderr */
    bool made;
};

static struct place places[] = {
    {"ext4", "ext4", NULL, "ext4", NULL, "direct", "", false},
    {"xfs", "xfs", NULL, "xfs", NULL, "direct", "", false},
    {"btrfs", "btrfs", NULL, "btrfs", NULL, "direct", "", false},
    {"overlay", "ext4",
     "mkdir ext4/low ext4/up ext4/work overlay && mount -t overlay layers "
     "-o lowerdir=ext4/low,upperdir=ext4/up,workdir=ext4/work overlay",
     "overlay", "layers", "direct", "", false},
    {"tmpfs", "ext4", "mkdir tmpfs && mount -t tmpfs -o size=8m memory tmpfs", "tmpfs",
     "memory", "cached",
     "ioping: tmpfs: tmpfs lives in memory: these times say nothing about a disk\n",
     false},
    {"bound", "ext4", "mkdir ext4/inner bound && mount --bind ext4/inner bound", "ext4",
     NULL, "direct", "", false},
    {"two spaces", "ext4", "mkdir 'two spaces' && mount --bind ext4 'two spaces'", "ext4",
     NULL, "direct", "", false},
};

static struct place devices[] = {
    /* Where the image has no file system's data, it is a hole. */
    {"block", "ext4", "ln -s $(losetup -nO NAME -j ext4.img) block", "block", "device",
     "direct",
     "^(ioping: block: [0-9.]+ % of the working set are holes in the loop device's "
     "backing file: reading them touches no device\n)?$",
     false},
};

/* The first line that a shell command prints. */
static void
answer(char *line, size_t size, const char *text, const char *name)
{
    struct result result = command_status(0, text, name);
    snprintf(line, size, "%.*s", (int)strcspn(result.out, "\n"), result.out);
    command_free(&result);
}

static struct place *
make(void **state)
{
    struct place *place = *state;
    mount_once(place->image);
    if (place->setup && !place->made)
        shell("%s", place->setup);
    place->made = true;
    return place;
}

/* All of these are larger than 1 MiB and smaller than 1 GiB. */
static void
show_size(int64_t size, char *text, size_t room)
{
    double mebibytes = (double)size / 1048576;
    int decimals = fmod(mebibytes, 1) == 0 ? 0 : mebibytes < 10 ? 2 : 1;
    snprintf(text, room, "%.*f MiB", decimals, mebibytes);
}

static void
check_label(const struct place *place)
{
    need_names();
    char device[128], size[32], shown[32], text[512];
    if (strcmp(place->fstype, "block") == 0)
        answer(size, sizeof(size), "stat -c %%s '%s.img'", place->image);
    else
        answer(size, sizeof(size), "df -B1 --output=size '%s' | tail -1", place->name);
    answer(device, sizeof(device), "losetup -nO NAME -j %s.img", place->image);
    const char *source = place->source ? place->source : device;
    show_size(atoll(size), shown, sizeof(shown));

    struct result result = command_status(0, "ioping -c 3 -i 0 '%s'", place->name);
    snprintf(text, sizeof(text), "4 KiB <<< %s (%s %s %s): request=1 time=", place->name,
             place->fstype, source, shown);
    assert_memory_equal(result.out, text, strlen(text));
    snprintf(text, sizeof(text), "--- %s (%s %s %s) ioping statistics ---\n", place->name,
             place->fstype, source, shown);
    assert_contains(result.out, text);
    if (place->note[0] == '^')
        assert_matches(result.err, place->note);
    else
        assert_string_equal(result.err, place->note);
    command_free(&result);

    result = command_status(0, "ioping -J -q -c 3 -i 0 '%s'", place->name);
    snprintf(text, sizeof(text),
             "    \"path\": \"%s\",\n    \"fstype\": \"%s\",\n    \"device\": \"%s\",\n"
             "    \"device_size\": %lld,\n    \"mode\": \"%s\"\n",
             place->name, place->fstype, source, atoll(size), place->mode);
    assert_contains(result.out, text);
    command_free(&result);
}

TEST_EACH(label_and_mode_are_right_on, places)
{
    check_label(make(state));
}

TEST_EACH(label_and_mode_of_a_device_are_right, devices)
{
    check_label(make(state));
}

/* Reads and writes; and no name that was not there before. */
TEST_EACH(leaves_nothing_behind_on, places)
{
    struct place *place = make(state);
    expect(0, "2\n>>> <<< >>> <<<\n", NULL,
           "cd '%s' && ls -A >../before && ioping -W -c 2 -i 0 . | grep -c '^4 KiB >>> ' "
           "&& ioping -G -c 4 -i 0 . | cut -d' ' -f 3 | head -4 | xargs && ioping -c 2 "
           "-i 0 . >&2 && ls -A | diff ../before -",
           place->name);
}

TEST_EACH(keeps_and_reuses_the_working_file_on, places)
{
    struct place *place = make(state);
    expect(0, "1048576 600 0\n3\n", NULL,
           "cd '%s' && ioping -k -c 2 -i 0 . >&2 && stat -c '%%s %%a %%u' ioping.tmp && "
           "cksum <ioping.tmp >../kept && ioping -k -c 2 -i 0 . >&2 && cksum <ioping.tmp "
           "| cmp ../kept && ioping -k -c 3 -i 0 . | grep -c 'KiB <<< ' && rm ioping.tmp",
           place->name);
}

TEST(read_only_directory_is_refused_but_not_a_file_in_it)
{
    need_direct_io();
    mount_image("ext4", 16, "frozen");
    expect(2, "",
           "ioping: frozen: cannot create a temporary file here: Read-only file system; "
           "name an existing file in it instead\n",
           "head -c 1M /dev/urandom >frozen/file && mount -o remount,ro frozen && ioping "
           "-c 2 -i 0 frozen");
    expect(0, "~4 KiB <<< frozen/file \\(ext4 /dev/loop", "",
           "ioping -D -c 2 -i 0 frozen/file");
}

TEST(file_on_squashfs_is_read)
{
    need_names();
    const char *runner = getenv("IOPING_RUNNER");
    if (runner && runner[0])
        skip_because("valgrind reads into the cache what the program maps");
    need_program("mksquashfs");
    mount_once("ext4"); /* so that what follows is as private as that */
    struct result result =
        command("mkdir packed squashfs && head -c 1M /dev/urandom >packed/file && "
                "mksquashfs packed squashfs.img -quiet -no-progress >&2 && "
                "device=$(attach -f --show squashfs.img) && mount $device squashfs");
    if (result.status != 0)
        skip_because("this kernel or container cannot mount squashfs");
    command_free(&result);
    char device[128];
    answer(device, sizeof(device), "losetup -nO NAME -j %s.img", "squashfs");
    result = command_status(0, "ioping -c 3 -i 0 squashfs/file");
    char text[256];
    snprintf(text, sizeof(text), "4 KiB <<< squashfs/file (squashfs %s ", device);
    assert_memory_equal(result.out, text, strlen(text));
    assert_string_equal(result.err,
                        "ioping: squashfs/file: direct I/O not supported: evicting the "
                        "page cache before each request instead\n");
    command_free(&result);
    expect(2, NULL,
           "ioping: squashfs: cannot create a temporary file here: Read-only file "
           "system; name an existing file in it instead\n",
           "ioping -c 3 -i 0 squashfs");
    expect(0, NULL,
           "ioping: over/file: direct I/O not supported: evicting the page cache before "
           "each request instead\n",
           "mkdir over ext4/none && "
           "mount -t overlay layers -o lowerdir=ext4/none:squashfs over || "
           "lacks 'this kernel or container cannot mount an overlay' || return; "
           "ioping -c 3 -i 0 over/file");
}

/* A server may answer where the next hole is with the very place that it is asked for. */
TEST(holes_that_make_no_sense_are_not_looked_for_for_ever)
{
    mount_fuse("contradicting", "holes=same");
    struct result result = command_status(
        0, "head -c 1M /dev/urandom >contradicting.files/file && "
           "timeout -s KILL 60 \"$IOPING\" -B -c 2 -i 0 contradicting/file && "
           "timeout -s KILL 60 \"$IOPING\" -B -k -c 2 -i 0 contradicting && ls -A "
           "contradicting.files");
    assert_matches(result.out, "^1 .*\n1 .*\nfile\nioping.tmp\n$");
    assert_lacks(result.err, "holes");
    command_free(&result);
}

/*
 * As mergerfs, which answers no fstatfs(2) about a file that is removed while it is open:
 * the directory is asked for what the label has. The server counts the reads of data, and
 * stat(1) asks it for the size.
 */
TEST(a_server_that_answers_no_question_about_a_removed_file_is_measured)
{
    static const int codes[] = {ESTALE, ENOENT, EIO};
    for (size_t i = 0; i < LENGTH(codes); i++) {
        expect(-1, NULL, NULL, "umount forgetful 2>/dev/null");
        mount_fuse("forgetful", "uncached,removed_stat=%d,log=%s/reads", codes[i],
                   scratch());
        struct result result = command_status(
            0, "ioping -J -q -c 9 -i 0 forgetful >o || exit; "
               "jq '.[0].target.device_size' o; stat -f -c '%%b %%S' forgetful; "
               "jq '.[0].load.count' o; awk '$3 == 4096' reads | wc -l; "
               "ls -A forgetful.files");
        long long size, blocks, unit, requests, reads;
        assert_int_equal(sscanf(result.out, "%lld %lld %lld %lld %lld", &size, &blocks,
                                &unit, &requests, &reads),
                         5);
        assert_int_equal(size, blocks * unit);
        assert_int_equal(requests, 9);
        assert_in_range(reads, 9, 20); /* the I/O mode is tried with some */
        assert_lacks(result.out, ".ioping");
        command_free(&result);
    }
}

/* As bindfs with hard_remove. */
TEST(a_server_that_forgets_a_removed_file_is_refused_with_a_remedy)
{
    mount_fuse("unwilling", "removed_all=%d", ENOENT);
    expect(
        2, "",
        "ioping: unwilling: this file system cannot write to an unnamed temporary file: "
        "No such file or directory; use -k, or name an existing file in it instead\n",
        "ioping -B -c 2 -i 0 unwilling");
    expect(0, "~^1 .*\nioping.tmp\n$", "",
           "ioping -B -k -c 2 -i 0 unwilling && ls -A unwilling.files");
    expect(0, "~^1 ", "", "ioping -B -c 2 -i 0 unwilling/ioping.tmp");
}
