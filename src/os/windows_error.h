#ifndef OS_WINDOWS_ERROR_H
#define OS_WINDOWS_ERROR_H

#include <windows.h>

/* The errno that says the same as ERROR of GetLastError; EIO if none does. */
int windows_error_number(DWORD error);

/* Sets errno to what GetLastError says. Returns -1. */
int windows_error_fail(void);

#endif
