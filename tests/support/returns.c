/* Runs of the program that meet a hang, side by side, and a test for each of them. */
#include "returns.h"

/* Of the program, which has one table. */
static struct {
    const struct row *rows;
    int count;
    bool have_run[PLACE_XFS + 1];
} table;

static void
mount_server(const struct row *row)
{
    mount_fuse(row->name, "uncached,hidden,%s=%s/%s.run/hang", row->hang, scratch(),
               row->name);
    shell("head -c 1M /dev/urandom >%s.files/f", row->name);
}

/* Mounts what ROW needs; skips the test where that cannot be done. */
static void
mount_place(const struct row *row)
{
    char named[128];
    snprintf(named, sizeof(named), "%s_named", row->name);
    if (row->place == PLACE_SERVER || row->place == PLACE_NAMED)
        mount_server(row);
    if (row->place == PLACE_NAMED) {
        mount_fuse(named, "uncached,hidden,fsname=%s/%s/data", scratch(), row->name);
        shell("head -c 1M /dev/urandom >%s.files/f", named);
    }
    if (row->place == PLACE_EXT4 || row->place == PLACE_XFS)
        need_program("fsfreeze");
    if (row->place == PLACE_EXT4)
        mount_image("ext4", 64, row->name);
    if (row->place == PLACE_XFS)
        mount_image("xfs", 300, row->name);
}

static const char *
text_of(const char *text)
{
    return text ? text : "";
}

/* Adds the command that runs ROW in the background. Returns its length. */
static size_t
add_row(const struct row *row, char *script, size_t room)
{
    static const char *const kinds[] = {[PLACE_NONE] = "nothing",
                                        [PLACE_SERVER] = "server",
                                        [PLACE_NAMED] = "server",
                                        [PLACE_EXT4] = "frozen",
                                        [PLACE_XFS] = "frozen"};
    int used = snprintf(script, room,
                        "{ name=%s kind=%s when='%s' limit=%d unread='%s' strike='%s' "
                        "before='%s'; row %s; } &\n",
                        row->name, kinds[row->place], text_of(row->when),
                        (row->limit ? row->limit : 8) * 100, text_of(row->unread),
                        text_of(row->strike), text_of(row->before), row->arguments);
    assert_true(used > 0 && (size_t)used < room);
    return (size_t)used;
}

/* Runs all rows that need such a place, unless that has been done. */
static void
run_rows(enum place place)
{
    char script[16384] = "";
    size_t used = 0;
    if (table.have_run[place])
        return;
    for (int i = 0; i < table.count; i++) {
        const struct row *row = &table.rows[i];
        if (row->place != place)
            continue;
        mount_place(row);
        used += add_row(row, script + used, sizeof(script) - used);
    }
    table.have_run[place] = true;
    shell("%swait\n", script);
}

static void
it_returns(void **state)
{
    const struct row *row = *state;
    char expected[32];
    int status;
    need_bare("what it waits for takes longer under the tool");
    if (row->need)
        row->need();
    run_rows(row->place);
    struct result ended = command_status(0, "ended %s", row->name);
    struct result result = command_status(0, "tell %s", row->name);
    snprintf(expected, sizeof(expected), "status %d\n", row->status);
    if (sscanf(ended.out, "status %d", &status) == 1)
        note_crash(status);
    if (strcmp(ended.out, expected) != 0)
        fail_msg("%snot %sstdout: %s\nstderr: %s", ended.out, expected, result.out,
                 result.err);
    assert_matches(result.out, row->out);
    assert_matches(result.err, row->err);
    command_free(&ended);
    command_free(&result);
}

void
returns_add(const struct row *rows, int count)
{
    table.rows = rows;
    table.count = count;
    for (int i = 0; i < count; i++)
        test_add_row("", rows[i].name, it_returns, &rows[i]);
}
