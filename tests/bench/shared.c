/* A variant of the program for comparison: its threads share one table of descriptors. */
#include <stdbool.h>

bool __wrap_os_thread_unshare(void);

bool
__wrap_os_thread_unshare(void)
{
    return false;
}
