/*
 * The list of the things that -diagnose does not know, so that nobody takes silence for a
 * good result. Each function adds a line about one thing, or nothing if it is known.
 */
#include "base/units.h"
#include "report/diagnosis.h"

#include <inttypes.h>
#include <string.h>

static void
add_hypervisor(const struct diagnosis *diagnosis, struct buffer *text)
{
    if (diagnosis->facts.has_disk && diagnosis->facts.disk->is_virtual)
        buffer_text(text, "caches, limits and burst credit of the hypervisor");
}

/* Returns true if the disk may store only the parts that were written: a virtual disk, a
 * disk of another machine, or a volume of an LVM thin pool. */
static bool
may_be_thin(const struct os_disk *disk)
{
    static const char *const transports[] = {"nbd", "rbd", "iscsi", "fc", "nvme-of"};

    for (size_t i = 0; i < sizeof(transports) / sizeof(transports[0]); i++)
        if (strcmp(disk->transport, transports[i]) == 0)
            return true;
    return disk->is_virtual || strstr(disk->stack, "-tpool");
}

static void
add_unwritten_parts(const struct diagnosis *diagnosis, struct buffer *text)
{
    const struct diagnosis_facts *facts = &diagnosis->facts;
    bool is_loop = facts->has_disk && strncmp(facts->disk->stack, "loop:", 5) == 0;

    if (facts->hides_holes) {
        buffer_text(text, "holes in the file");
        buffer_text(text, is_loop ? " of the loop device" : "");
        buffer_text(text, ", which touch no device");
        return;
    }
    if (facts->kind != OS_BLOCK || !facts->has_disk || is_loop ||
        diagnosis->findings.class == CLASS_MEMORY)
        return;

    if (may_be_thin(facts->disk))
        buffer_text(text, "whether the parts read were ever written: others may be "
                          "answered without a device");
}

static void
add_rotation(const struct diagnosis *diagnosis, struct buffer *text)
{
    const struct diagnosis_facts *facts = &diagnosis->facts;
    const struct diagnosis_findings *findings = &diagnosis->findings;
    if (facts->has_disk && facts->disk->is_rotational == 1 &&
        findings->class == CLASS_SSD && findings->is_likeness)
        buffer_text(text,
                    "whether the disk rotates: the driver says so, but the times are "
                    "those of an SSD");
}

static void
add_own_cache(const struct diagnosis *diagnosis, struct buffer *text)
{
    const struct diagnosis_facts *facts = &diagnosis->facts;
    if (facts->kind == OS_DIRECTORY && facts->has_disk &&
        diagnosis->findings.class != CLASS_MEMORY)
        buffer_text(text, "whether the disk's own cache has answered: the file read "
                          "is new");
}

static void
add_parts(const struct diagnosis *diagnosis, struct buffer *text)
{
    const struct diagnosis_facts *facts = &diagnosis->facts;
    if (facts->has_shares || diagnosis->findings.class == CLASS_MEMORY)
        return;
    if (facts->trace_refusal[0])
        buffer_format(text, "where the time goes: %s", facts->trace_refusal);
    else
        buffer_text(text, "where the time goes: too few reads could be traced");
}

static void
add_flushes(const struct diagnosis *diagnosis, struct buffer *text)
{
    if (diagnosis->facts.kind != OS_DIRECTORY)
        buffer_text(text, "flushes: they are measured in directories only");
    else if (diagnosis->facts.flushes_ignored)
        buffer_text(text, "flushes: none reached the device");
}

static void
add_tail(const struct diagnosis *diagnosis, struct buffer *text)
{
    uint64_t count = diagnosis->facts.paused.count;
    if (diagnosis->facts.paused.p99 < 0)
        buffer_format(text, "p99 of reads: %" PRIu64 " %s too few", count,
                      units_plural(count, "read is", "reads are"));
}

static void
add_end(const struct diagnosis *diagnosis, struct buffer *text)
{
    if (diagnosis->facts.was_interrupted)
        buffer_text(text, "everything after the interruption");
}

bool
diagnosis_unknown(const struct diagnosis *diagnosis, int index, struct buffer *text)
{
    static void (*const makers[])(const struct diagnosis *, struct buffer *) = {
        add_end,      add_tail,       add_parts,
        add_flushes,  add_hypervisor, add_unwritten_parts,
        add_rotation, add_own_cache};
    size_t start = text->length;

    for (size_t i = 0; i < sizeof(makers) / sizeof(makers[0]); i++) {
        makers[i](diagnosis, text);
        if (text->length == start)
            continue;
        if (index-- == 0)
            return true;

        text->length = start;
        if (text->text)
            text->text[start] = '\0';
    }
    return false;
}
