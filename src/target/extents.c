#include "extents.h"

#include "os/os.h"
#include "os/storage.h"

#include <errno.h>

int64_t
extents_holes(int fd, int64_t offset, int64_t end)
{
    int64_t holes = 0;
    for (int64_t at = offset; at < end;) {
        int64_t data = os_file_data(fd, at);
        if (data < 0 && errno != ENXIO)
            return -1;
        if (data < 0 || data > end)
            data = end;
        if (data < at)
            return -1;
        holes += data - at;
        if (data == end)
            break;
        at = os_file_hole(fd, data);
        if (at <= data) /* a hole where the data is: it would be asked for ever */
            return -1;
    }
    return holes;
}
