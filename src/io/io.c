/*
 * The table of the engines that this system has, and what the engines share: how a queue
 * is opened and closed, and the error message when it cannot be opened.
 */
#include "io/io.h"

#include "os/process.h"

#include <stdio.h>
#include <string.h>

/* The Makefile defines IO_ENGINES as the engines of the system except the default engine:
 * ENGINE(linux_uring) ENGINE(linux_aio). */
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

/* Stands for every engine that only other systems have. It has all properties, so that
 * the options which need them are accepted and the user learns of the missing engine
 * instead; it has no `open`, so io_open fails. */
static const struct io_engine absent = {
    .queues_requests = true, .can_poll = true, .queue_size = 1};

const struct io_engine *
io_engine_of(char letter)
{
    for (int i = 0; i < ENGINES; i++)
        if (engines[i]->option == letter)
            return engines[i];

    return &absent;
}

int
io_deepest(const struct io_engine *engine, int most)
{
    int depth = engine->queues_requests && engine->name ? most : 0;

    for (; depth > 0; depth /= 2) {
        const struct io_config config = {.fd = -1, .kind = OS_FILE, .depth = depth};
        struct error error;
        struct io_queue *queue = io_open(engine, engine->name, &config, &error);

        if (queue)
            io_close(engine, queue);
        /* EBADF: only the file is missing, so a queue of this depth is possible. */
        if (queue || errno == EBADF)
            break;
    }
    return depth;
}

const struct io_engine *
io_engine_deep(int most, int *depth, struct io_missing *missing)
{
    *missing = (struct io_missing){0};

    for (int i = 0; i < ENGINES; i++) {
        if ((*depth = io_deepest(engines[i], most)) > 0)
            return engines[i];
        if (engines[i]->queues_requests && !missing->name)
            *missing = (struct io_missing){engines[i]->name, errno};
    }
    return NULL;
}

/*
 * Fills ERROR for a queue of ENGINE, which messages call NAME, that could not be opened
 * because of errno CODE. Without advice from the engine itself, advises to use another
 * engine of this system, or threads if there is no other.
 */
static void
explain(const struct io_engine *engine, const char *name, int code, struct error *error)
{
    bool own = engine->advice && (!engine->advice_errno || engine->advice_errno == code);
    char advice[sizeof(error->advice)] = "use -threads instead";

    if (engine->open_error) {
        error_set(error, EXIT_PREPARE, NULL, "%s: %s", engine->open_error,
                  strerror(code));
        if (own)
            error_advise(error, engine->advice);
        return;
    }

    error_set(error, EXIT_PREPARE, NULL, "%s is not available here: %s", name,
              strerror(code));

    for (int i = ENGINES - 1; i >= 0; i--)
        if (engines[i]->queues_requests && engines[i] != engine)
            snprintf(advice, sizeof(advice), "use -%c instead", engines[i]->option);
    error_advise(error, own ? engine->advice : advice);
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
    explain(engine, name, code, error);
    errno = code;
    return NULL;
}

bool
io_close(const struct io_engine *engine, struct io_queue *queue)
{
    bool over = !engine->close || engine->close(queue);

    os_memory_free(queue);
    return over;
}
