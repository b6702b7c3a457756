#include "mount_names.h"

#include <stdio.h>
#include <string.h>

void
mount_names_set(struct os_mount *mount, const char *fstype, const char *device)
{
    static const char *const memories[] = {"tmpfs", "mfs"};
    snprintf(mount->fstype, sizeof(mount->fstype), "%s", fstype);
    snprintf(mount->device, sizeof(mount->device), "%s", device);
    mount->memory = false;
    for (size_t i = 0; i < sizeof(memories) / sizeof(memories[0]); i++)
        if (strcmp(fstype, memories[i]) == 0)
            mount->memory = true;
}
