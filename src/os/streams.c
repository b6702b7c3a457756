/*
 * Comparisons of a stream with other files, by the identity of the files. The same for
 * all systems.
 */
#include "os/output.h"

#include "os/os.h"

static bool
is_same(const struct os_info *one, const struct os_info *other)
{
    return (one->volume || one->node) && one->volume == other->volume &&
           one->node == other->node;
}

bool
os_stream_is_file(int stream, int fd)
{
    struct os_info one;
    struct os_info other;
    return os_file_info(stream, &one) == 0 && os_file_info(fd, &other) == 0 &&
           is_same(&one, &other);
}

bool
os_stream_is_path(int stream, const char *path)
{
    struct os_info one;
    struct os_info other;
    return os_file_info(stream, &one) == 0 && os_path_info(path, &other) == 0 &&
           is_same(&one, &other);
}

int
os_stream_empty(int stream)
{
    struct os_info info;
    if (os_file_info(stream, &info) < 0)
        return -1;

    bool standard = os_stream_is_file(1, stream) || os_stream_is_file(2, stream);
    return info.kind == OS_FILE && !standard ? os_file_truncate(stream, 0) : 0;
}
