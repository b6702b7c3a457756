/*
 * Tests whether a stream goes to the same file as a descriptor, or to the file at a path.
 * Two files are the same if they have the same identity. These functions are the same on
 * all systems. The other functions of streams are in posix_output.c and windows_output.c.
 */
#include "os/output.h"

#include "os/os.h"

static bool
is_same_file(const struct os_info *a, const struct os_info *b)
{
    bool is_known = a->volume || a->node;
    return is_known && a->volume == b->volume && a->node == b->node;
}

bool
os_stream_is_file(int stream, int fd)
{
    struct os_info stream_info;
    struct os_info file_info;
    return os_file_info(stream, &stream_info) == 0 && os_file_info(fd, &file_info) == 0 &&
           is_same_file(&stream_info, &file_info);
}

bool
os_stream_is_path(int stream, const char *path)
{
    struct os_info stream_info;
    struct os_info path_info;
    return os_file_info(stream, &stream_info) == 0 &&
           os_path_info(path, &path_info) == 0 && is_same_file(&stream_info, &path_info);
}

int
os_stream_empty(int stream)
{
    struct os_info info;
    if (os_file_info(stream, &info) < 0)
        return -1;

    bool is_standard = os_stream_is_file(1, stream) || os_stream_is_file(2, stream);
    if (info.kind != OS_FILE || is_standard)
        return 0;
    return os_file_truncate(stream, 0);
}
