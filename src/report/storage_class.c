/*
 * The typical times of each class of storage, and the needs of each use. The ranges are
 * for reads of 4 KiB with pauses between them. They are wider than the measurements, so
 * that a class is only claimed, and only called slow, when that is safe.
 *
 * Sources, by class:
 *   memory         22 us (tmpfs): Disk Latency, beuke.org/disk-latency, 2021
 *   NVMe SSD       104 us: github.com/MicronSSD/unvme/issues/18, 2017; below 140 us: A
 *                  journey to io_uring, clickhouse.com, 2021. An Optane SSD is almost ten
 *                  times as fast as flash: Enterprise SSD Roundup, anandtech.com, 2018
 *   SATA SSD       140 us: clickhouse.com; 796 us: beuke.org. About 40 % slower than
 *                  NVMe: anandtech.com
 *   cloud volume   372 us and 528 us (AWS): jnidzwetzki.github.io, 2022; 1.5 ms
 *                  (Hetzner): beuke.org; "single-digit millisecond": Amazon EBS Guide
 *   near server    250 us (vendor's figure): Amazon EFS performance; 600 us: its
 *                  announcement of 2022
 *   hard disk      12 ms: clickhouse.com; 14 ms: beuke.org. Data sheets: seek 12 ms (at
 *                  most 14 ms) and rotation 5.5 ms (Hitachi 5K320), rotation 4.2 ms (7200
 *                  rpm). Reads near each other need shorter seeks.
 *   far server     26 ms (SSHFS, 20 ms of it network): beuke.org
 *
 * Limits of flushes: a log of etcd needs at most 20 ms (50 sequential writes per
 * second, Red Hat, Recommended etcd practices). A hard disk needs a seek and a rotation
 * for the data and again for the journal.
 */
#include "base/time.h"
#include "report/diagnosis.h"

/* clang-format off */
const struct storage_range storage_ranges[STORAGE_CLASSES] = {
    [CLASS_UNKNOWN] = {"unknown", "unknown storage", 0, INT64_MAX, INT64_MAX, 20 * MS, 0},
    [CLASS_MEMORY] = {"memory", "memory", 0, 100 * US, 10 * MS, 20 * MS, 0},
    [CLASS_NVME] = {"nvme-ssd", "an NVMe SSD", 5 * US, 500 * US, 10 * MS, 20 * MS, 4},
    [CLASS_SATA_SSD] = {"sata-ssd", "a SATA SSD", 20 * US, 1500 * US, 20 * MS, 20 * MS, 4},
    [CLASS_SSD] = {"ssd", "an SSD", 5 * US, 2 * MS, 30 * MS, 20 * MS, 4},
    [CLASS_CLOUD] = {"cloud-volume", "a cloud block volume", 150 * US, 9 * MS, 50 * MS, 20 * MS, 0},
    [CLASS_NEAR_SERVER] = {"near-server", "a server in the same data centre", 100 * US, 5 * MS, 50 * MS, 50 * MS, 0},
    [CLASS_HARD_DISK] = {"hard-disk", "a hard disk", 2 * MS, 25 * MS, 150 * MS, 100 * MS, 0},
    [CLASS_FAR_SERVER] = {"far-server", "a server over the internet", 5 * MS, 500 * MS, 2 * SECOND, SECOND, 0},
};

/*
 * Sources, by use:
 *   etcd           "wal_fsync_duration_seconds (p99 duration should be less than 10ms)":
 *                  etcd FAQ
 *   database log   log writes of 1 ms to 5 ms keep a SQL Server "happy": SQL Server
 *                  transaction log write latency, sql-sasquatch.blogspot.com, 2015.
 *                  pg_test_fsync(1) of PostgreSQL measures the same.
 *   desktop        a person feels a reaction within 0.1 s as instantaneous: Response
 *                  Times: The 3 Important Limits, nngroup.com, 1993
 *   streaming      128 Mbit/s is the highest rate of an Ultra HD Blu-ray disc
 */
const struct storage_need storage_needs[STORAGE_USES] = {
    [USE_ETCD] = {"etcd", "etcd", "etcd", "flush p99", 10 * MS, false, "etcd FAQ"},
    [USE_DATABASE] = {"database-log", "database log", "a database log", "write and flush avg", 5 * MS, false, "SQL Server practice"},
    [USE_DESKTOP] = {"desktop", "desktop", "a desktop", "read p99", 100 * MS, false, "Nielsen 1993"},
    [USE_STREAMING] = {"streaming", "streaming", "streaming", "sequential reads", 16000000, true, "Ultra HD Blu-ray"},
};
/* clang-format on */
