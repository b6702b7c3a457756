/* A variant of the program whose threads share one table of descriptors. */
void __wrap_os_thread_unshare(void);

void
__wrap_os_thread_unshare(void)
{
}
