/*
 * The table of the engines that this system has, and the functions that are the same for
 * all engines: opening and closing a queue, with the error message if a queue cannot be
 * opened.
 */
#include "io/io.h"

#include "os/process.h"

#include <stdio.h>
#include <string.h>

/* The Makefile defines IO_ENGINES as the engines of the system except the default engine,
 * for example as ENGINE(linux_uring) ENGINE(linux_aio). */
#ifndef IO_ENGINES
#define IO_ENGINES
#endif

#define ENGINE(name) extern const struct io_engine io_##name;
IO_ENGINES
#undef ENGINE

#define ENGINE(name) &io_##name,
static const struct io_engine *const engines[] = {&io_sync, IO_ENGINES};
#undef ENGINE

enum { ENGINES = sizeof(engines) / sizeof(engines[0]) };

/* Stands for every engine that only other systems have. It claims all properties, so that
 * the checks of other options accept it. Then the user learns that the engine is missing,
 * and not that another option does not suit it. It has no `open`, so io_open fails. */
static const struct io_engine absent_engine = {
    .queues_requests = true, .can_poll = true, .queue_size = 1};

const struct io_engine *
io_find_engine(char letter)
{
    for (int i = 0; i < ENGINES; i++)
        if (engines[i]->option == letter)
            return engines[i];

    return &absent_engine;
}

int
io_find_max_depth(const struct io_engine *engine, int most)
{
    int depth = engine->queues_requests && engine->name ? most : 0;

    for (; depth > 0; depth /= 2) {
        const struct io_config config = {.fd = -1, .kind = OS_FILE, .depth = depth};
        struct error error;
        struct io_queue *queue = io_open(engine, engine->name, &config, &error);

        if (queue) {
            io_close(engine, queue);
            break;
        }
        /* EBADF: opening failed only because there is no file (`fd` is -1). So a queue of
         * this depth is possible. */
        if (errno == EBADF)
            break;
    }
    return depth;
}

const struct io_engine *
io_find_queueing_engine(int most, int *depth, struct io_missing *missing)
{
    *missing = (struct io_missing){0};

    for (int i = 0; i < ENGINES; i++) {
        *depth = io_find_max_depth(engines[i], most);
        if (*depth > 0)
            return engines[i];
        if (engines[i]->queues_requests && !missing->name)
            *missing = (struct io_missing){engines[i]->name, errno};
    }
    return NULL;
}

/* Adds to ERROR the advice to use another engine than ENGINE: the first other engine that
 * can queue requests, or threads if there is none. */
static void
advise_other_engine(const struct io_engine *engine, struct error *error)
{
    char advice[sizeof(error->advice)];

    for (int i = 0; i < ENGINES; i++) {
        if (engines[i] == engine || !engines[i]->queues_requests)
            continue;
        snprintf(advice, sizeof(advice), "use -%c instead", engines[i]->option);
        error_advise(error, advice);
        return;
    }
    error_advise(error, "use -threads instead");
}

/* Fills ERROR, because a queue of ENGINE could not be opened. CODE is the errno of that
 * failure. NAME is the engine's name for messages. */
static void
explain_open_failure(const struct io_engine *engine, const char *name, int code,
                     struct error *error)
{
    bool has_advice =
        engine->advice && (!engine->advice_errno || engine->advice_errno == code);

    if (engine->open_error)
        error_set(error, EXIT_PREPARE, NULL, "%s: %s", engine->open_error,
                  strerror(code));
    else
        error_set(error, EXIT_PREPARE, NULL, "%s is not available here: %s", name,
                  strerror(code));

    if (has_advice)
        error_advise(error, engine->advice);
    else if (!engine->open_error)
        advise_other_engine(engine, error);
}

struct io_queue *
io_open(const struct io_engine *engine, const char *name, const struct io_config *config,
        struct error *error)
{
    struct io_queue *queue = os_memory_unshared(engine->queue_size);

    if (!queue) {
        error_set(error, EXIT_PREPARE, NULL, "not enough memory for a queue of requests");
        return NULL;
    }

    if (engine->open && engine->open(queue, config) == 0)
        return queue;

    int code = engine->open ? errno : ENOTSUP;
    io_close(engine, queue);
    explain_open_failure(engine, name, code, error);
    errno = code;
    return NULL;
}

bool
io_close(const struct io_engine *engine, struct io_queue *queue)
{
    bool may_free_buffers = !engine->close || engine->close(queue);

    os_memory_free(queue);
    return may_free_buffers;
}
