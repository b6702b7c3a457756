/* A variant of the program for comparison: its threads share one table of descriptors. */
void __wrap_os_thread_unshare(void);

void
__wrap_os_thread_unshare(void)
{
}
