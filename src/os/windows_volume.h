#ifndef OS_WINDOWS_VOLUME_H
#define OS_WINDOWS_VOLUME_H

#include <stdint.h>
#include <windows.h>

/* The bytes of a sector, as requests must have it, of the volume that a file is on; -1 if
 * it is not known. */
int64_t windows_volume_sector(HANDLE file);

#endif
