/*
 * Fuzzes the parser of mount tables. The first line of the input is a mount id, the rest
 * is a mount table. A search for a mount must end every text with a NUL and change only
 * the fields that a table contains. A search that fails must change nothing.
 */
#include "fuzz.h"

#include "os/linux.h"

static void
check_found(const struct os_mount *mount, const struct os_mount *before)
{
    size_t type = strnlen(mount->fstype, sizeof(mount->fstype));
    size_t device = strnlen(mount->device, sizeof(mount->device));
    MUST(type < sizeof(mount->fstype));
    MUST(device < sizeof(mount->device));
    size_t unchanged = offsetof(struct os_mount, size);
    MUST(memcmp((const char *)mount + unchanged, (const char *)before + unchanged,
                sizeof(*mount) - unchanged) == 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    size_t first = strcspn(text, "\n");
    int64_t id = strtoll(text, NULL, 10);
    const char *table = text + first + (text[first] == '\n');
    struct os_mount before, mount;
    memset(&before, 'x', sizeof(before));
    mount = before;
    if (mountinfo_find(table, id, &mount) == 0)
        check_found(&mount, &before);
    else
        MUST(memcmp(&mount, &before, sizeof(mount)) == 0);
    mount = before;
    if (mountinfo_find_device(table, (unsigned)id, (unsigned)(id >> 32), &mount) == 0)
        check_found(&mount, &before);
    free(mountinfo_options(table, id));
    free(text);
    return 0;
}
