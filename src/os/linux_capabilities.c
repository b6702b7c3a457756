/*
 * Capabilities, capabilities(7). The superuser has all that this container knows. Of
 * others', the ambient ones are the user's own: every program has them that he starts,
 * unless its file has more to give; then the kernel takes them away and says so by
 * AT_SECURE, as it does for a set-user-ID bit.
 */
#include "posix_privileges.h"

#include <linux/capability.h>
#include <stdint.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define WORD 32 /* capabilities in one of the kernel's words */

/* Those of a word of permitted capabilities, of which FIRST is the lowest, that are
 * ambient as well. */
static uint32_t
keep_ambient(uint32_t permitted, unsigned first)
{
    uint32_t ambient = 0;
    for (unsigned i = 0; i < WORD; i++) {
        unsigned long number = first + i;
        if (permitted >> i & 1 &&
            prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_IS_SET, number, 0UL, 0UL) == 1)
            ambient |= UINT32_C(1) << i;
    }
    return ambient;
}

int
posix_capabilities_drop(void)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct words[_LINUX_CAPABILITY_U32S_3];
    if (!getauxval(AT_SECURE) || getuid() == 0)
        return 0;
    if (syscall(SYS_capget, &header, words) < 0)
        return -1;
    for (unsigned i = 0; i < _LINUX_CAPABILITY_U32S_3; i++) {
        words[i].permitted = keep_ambient(words[i].permitted, i * WORD);
        words[i].effective &= words[i].permitted;
    }
    return syscall(SYS_capset, &header, words) < 0 ? -1 : 0;
}
