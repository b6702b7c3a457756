#ifndef SESSION_SESSION_PRIVATE_H
#define SESSION_SESSION_PRIVATE_H

/*
 * The struct that the threads of a session share, and the functions by which a thread
 * announces what it does and the supervisor waits for the other threads. These functions
 * are defined in stages.c. session.c has the steps of each thread, and shows the threads
 * in a picture.
 */

#include "base/error.h"
#include "os/disk.h"
#include "os/thread.h"
#include "plan/parts.h"
#include "report/diagnosis.h"
#include "report/report.h"
#include "run/run.h"

#include <stdatomic.h>
#include <stdint.h>

struct output_kind;

/* The facts that a session gathers for -diagnose. */
struct session_diagnosis {
    struct diagnosis result;
    struct os_disk disk;
    bool has_disk; /* `disk` was found */
    /* activity of the disk when the part with pauses began, and its duration, ns */
    struct os_disk_activity before, during;
    bool knows_activity; /* `during` is known */
};

/*
 * A stage is something that a thread may have to wait for without end while no request is
 * in flight: opening a target, preparing the files (the file of -output and exported
 * files), or closing a target.
 */
enum stage_kind { STAGE_OPENING, STAGE_FILES, STAGE_CLOSING };

struct stage {
    enum stage_kind kind;
    const char *name; /* path of the target, or names of the files, for messages */
    int64_t began_at; /* when the stage began, ns, monotonic */
    /* When the stage last made progress, ns, monotonic. NULL if that cannot be known. */
    const _Atomic int64_t *advanced_at;
};

/* The states of a session, see the picture in session.c. Each is later than those before
 * it in this list, but a session skips some of them. */
enum session_state {
    SESSION_OPENING,  /* the leader opens the targets and the run */
    SESSION_RUNNING,  /* the run has begun, and the final line is not printed yet */
    SESSION_REFUSED,  /* the run cannot begin, and the leader closes the targets */
    SESSION_FINISHED, /* the final line is printed, and the leader closes targets */
    SESSION_UNSHARED, /* the leader is done, and the closer closes the targets */
    SESSION_CLOSED,   /* all targets are closed */
};

/*
 * The state that all threads share. If a thread is still stuck in the kernel at the end,
 * this memory is deliberately not freed, because that thread may still write to it.
 */
struct session {
    const struct plan *plan;
    const struct output_kind *output; /* kind of the first output, which prints errors */
    struct os_thread supervisor;
    /* The signals that os_signals_block has blocked in the leader. The supervisor
     * unblocks them for itself, so that no other thread receives them. */
    unsigned blocked_signals;

    struct os_lock *lock; /* guards `stage`. The leader waits on it for SESSION_FINISHED.
                           * No thread makes a system call while it holds the lock. */
    struct stage stage;   /* the present stage, which stage_enter replaces as a whole */
    int64_t give_up_at;   /* when the supervisor gives up any stage because of a signal,
                           * ns, monotonic; INT64_MAX before a signal */

    _Atomic(enum session_state) state; /* changed by session_advance only */
    atomic_bool state_changed; /* `state` has changed since the supervisor last read it */

    char file_names[512];      /* names of the -output file and of the exported files */
    atomic_int unused_targets; /* number of open targets, from the first on, which need
                                * target_discard if no run begins; 0 once it has begun */
    struct reports reports;
    struct run_observer observer;
    struct run_task task;
    struct run *run;    /* NULL in a sweep, with -load, or if the run could not begin */
    struct error error; /* why the run could not begin; its `status` is 0 if it began */
    int status;         /* exit status of the program */
    struct notes notes; /* not written yet */
    char newest_note[ERROR_LINE]; /* the newest note before the run; "" if none */

    struct session_diagnosis *diagnosis; /* NULL without -diagnose */

    int target_count;  /* number of targets; with -diagnose, of parts */
    int job_count;     /* number of jobs: one per target, and the load of -load */
    struct job jobs[]; /* the targets' jobs first, then the load's */
};

/*
 * Changes the state to NEXT, and wakes the threads that may be waiting for it: the leader
 * and the supervisor. To be called by the thread that the picture in session.c names for
 * this change. This function stores the state before it sets `state_changed`.
 * session_wait clears `state_changed` before it reads the state. So the supervisor misses
 * no change.
 */
void session_advance(struct session *session, enum session_state next);

/*
 * Replaces the present stage by a stage of KIND, which begins now, for the target of JOB
 * (NULL: the files). The thread that may have to wait in the stage calls this. It need
 * not wake the supervisor: the supervisor sleeps at most until the deadline of the
 * earlier stage, and reads the new stage then.
 */
void stage_enter(struct session *session, enum stage_kind kind, const struct job *job);

/*
 * Waits until the state is AT_LEAST or a later one, on the supervisor's thread, and
 * watches the stages meanwhile. Reports a slow stage on stderr. Ends the program if a
 * stage has not advanced for the plan's open_timeout, or when the grace period after a
 * signal is over. Time during which the process was stopped (Ctrl-Z) does not count.
 */
void session_wait(struct session *session, enum session_state at_least);

/* The functions below are for -diagnose, and are defined in diagnose.c. */

/*
 * Lets job INDEX, a part of -diagnose, use the target of the first job, if both only
 * read. If the part is about a directory and the target is none, removes the part, which
 * must be the last one. Returns true if the job needs no target of its own. To be called
 * by the leader.
 */
bool session_borrow_target(struct session *session, int index);

/* Finds out which disk holds the target of the first job, which is open. May wait for a
 * file system. To be called by the leader. */
void session_find_disk(struct session *session);

/* Tries to trace where the time of requests goes (-breakdown). If that is impossible,
 * stores the reason, and the run goes on without it. To be called by the leader. */
void session_try_trace(struct session *session);

/* Notes how busy the disk is. To be called by the supervisor before JOB runs (BEGINS),
 * and after it. Does nothing without -diagnose. */
void session_watch_disk(struct session *session, const struct job *job, bool begins);

/* Makes the diagnosis after the last part, and reports it. Returns the exit status that
 * the diagnosis asks for. To be called by the supervisor. */
int session_diagnose(struct session *session);

#endif
