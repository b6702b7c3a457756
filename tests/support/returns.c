/* Runs the program in many situations that hang, in parallel, and adds a test for each.
 */
#include "returns.h"

/* The rows of this test program, and for each kind of place whether its rows have run. */
static struct {
    const struct row *rows;
    int count;
    bool have_run[PLACE_XFS + 1];
} table;

/* Mounts the FUSE server whose requests hang while the file NAME.run/hang exists. */
static void
mount_hanging_server(const struct row *row)
{
    mount_fuse(row->name, "uncached,hidden,%s=%s/%s.run/hang", row->hang, scratch(),
               row->name);
    shell("head -c 1M /dev/urandom >%s.files/f", row->name);
}

/* Mounts the file systems of ROW. Skips the test if they cannot be mounted. */
static void
mount_place(const struct row *row)
{
    char named[128];
    snprintf(named, sizeof(named), "%s_named", row->name);
    if (row->place == PLACE_SERVER || row->place == PLACE_NAMED)
        mount_hanging_server(row);
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
text_or_empty(const char *text)
{
    return text ? text : "";
}

/* Writes the command that runs ROW in the background to SCRIPT, of ROOM bytes. Returns
 * the length of the command. */
static size_t
write_row_command(const struct row *row, char *script, size_t room)
{
    static const char *const kinds[] = {[PLACE_NONE] = "nothing",
                                        [PLACE_SERVER] = "server",
                                        [PLACE_NAMED] = "server",
                                        [PLACE_EXT4] = "frozen",
                                        [PLACE_XFS] = "frozen"};
    int used =
        snprintf(script, room,
                 "{ name=%s kind=%s when='%s' limit=%d unread='%s' strike='%s' "
                 "before='%s'; row %s; } &\n",
                 row->name, kinds[row->place], text_or_empty(row->when),
                 (row->limit ? row->limit : 8) * 100, text_or_empty(row->unread),
                 text_or_empty(row->strike), text_or_empty(row->before), row->arguments);
    assert_true(used > 0 && (size_t)used < room);
    return (size_t)used;
}

/* Runs all rows with this kind of place in parallel, unless they have run already. */
static void
run_rows_with(enum place place)
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
        used += write_row_command(row, script + used, sizeof(script) - used);
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
    run_rows_with(row->place);

    struct result ended = command_status(0, "print_end %s", row->name);
    struct result result = command_status(0, "print_output %s", row->name);
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
