#ifndef OS_DISK_H
#define OS_DISK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The knowledge of the system about the disk that holds an open file: its name, how it
 * is connected, which limits are set on it, and how busy it is. Nothing is asked of the
 * disk itself.
 */

/* A limit on reads of a control group, which this process or a group above it is in. */
struct os_disk_limit {
    char group[256]; /* path of the group, such as "/backup.slice"; empty: no limit */
    char file[1100]; /* path of the file that has the limit */
    int64_t requests_per_s; /* 0: not limited */
    int64_t bytes_per_s;    /* 0: not limited */
};

/* A disk. A field is empty, or -1, if the system does not know it. */
struct os_disk {
    char path[128];  /* the path by which users know it, such as "/dev/sda" */
    char model[128]; /* its vendor and model, such as "ATA Samsung SSD 870" */
    /* How it is connected: "nvme", "ata", "usb", "scsi", "virtio", "loop" and so on;
     * "memory" if it keeps its data in memory. */
    char transport[16];
    int is_rotational;    /* 1: the driver says that it rotates; 0: it does not */
    int is_removable;     /* 1: its medium can be removed */
    char write_cache[16]; /* "write back" or "write through" */
    char scheduler[32];   /* name of its I/O scheduler */
    int64_t queue_size;   /* number of requests that fit into the queue of the kernel */
    /* The devices between the file and the disk, from the top, such as "LVM: /dev/sda2".
     */
    char stack[512];
    /* Number of disks that hold the file. If there are several, all other fields are
     * about the stack of them. */
    int disk_count;
    bool is_virtual;   /* a hypervisor provides the disk, or may do so */
    char machine[128]; /* vendor and product of the machine, from its firmware */
    /* The strictest limit on reads of this process from the disk. */
    struct os_disk_limit limit;
    char folder[1024]; /* for os_disk_activity */
};

/* Fills DISK for the disk that holds the open file or block device FD. May query the file
 * system below a loop device, so it may hang. Returns 0, or -1 if the file is on no block
 * device, or if this system does not know it. The fields `is_virtual` and `machine`,
 * which are about the machine, are filled in both cases. */
int os_disk_find(int fd, struct os_disk *disk);

/* How busy a disk has been since the system started. */
struct os_disk_activity {
    int64_t requests; /* completed reads and writes */
    /* Time with at least one request in flight. The kernel counts short requests roughly,
     * and may count too much. */
    int64_t busy_ns;
    /* Sum of the times of completed requests: of reads and writes, and also of discards
     * and flushes, which `requests` leaves out. */
    int64_t request_ns;
};

/* Fills ACTIVITY for DISK, which os_disk_find has filled. Returns 0, or -1 if this is
 * unknown. Never waits. */
int os_disk_activity(const struct os_disk *disk, struct os_disk_activity *activity);

#endif
