#ifndef OS_WINDOWS_THREAD_H
#define OS_WINDOWS_THREAD_H

#include <stdint.h>
#include <windows.h>

/* A timer as exact as the system has them, which is set by windows_thread_alarm. NULL if
 * there is none. For CloseHandle. */
HANDLE windows_thread_timer(void);

/* Sets TIMER for LEFT ns from now; BODY, if any, is called with ARGUMENT on this thread
 * once it waits for such calls. Returns 0, or -1. */
int windows_thread_alarm(HANDLE timer, int64_t left, PTIMERAPCROUTINE body,
                         void *argument);

/*
 * Waits until monotonic time WHEN at the most: 0; or until this thread is poked or EVENT,
 * NULL for none, is set: -1. What came since the last wait counts.
 */
int windows_thread_wait(int64_t when, HANDLE event);

#endif
