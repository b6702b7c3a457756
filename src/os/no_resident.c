/* Where nobody can see what the page cache has. */
#include "os/cache.h"
#include "os/os.h"

#include <stddef.h>

os_resident_function *
os_resident_choose(int fd, int64_t witness)
{
    (void)fd, (void)witness;
    return NULL;
}
