#ifndef REPORT_OUTPUT_FILE_H
#define REPORT_OUTPUT_FILE_H

#include "cli/options.h"

#include <stdbool.h>
#include <stddef.h>

struct error;
struct job;
struct plan;

/*
 * The file of -output or -record, which gets the printed output in place of standard
 * output. The file keeps its earlier content until the run has passed all checks:
 *
 *   output_file_open    before the targets are opened
 *   output_file_check   once the targets are open
 *   output_file_empty   before the first request
 *
 * If the run is refused before output_file_empty, output_file_discard removes a file that
 * output_file_open has created. Reports write the file and close it.
 */
struct output_file {
    int stream;  /* for os_stream_write; 0 if the plan has no such file */
    bool is_new; /* the file did not exist before output_file_open */
};

/* Returns the option that names the file: OPTION_RECORD if PLAN has a recording, else
 * OPTION_OUTPUT. */
enum option_id output_file_option(const struct plan *plan);

/*
 * Opens the file that PLAN names and fills FILE, which must be zero; does nothing if PLAN
 * names none. The content of an existing file stays until output_file_empty. The call may
 * block in the kernel for any time. Returns 0. Returns -1 with ERROR if the file cannot
 * be opened, is a disk or a directory, or if a plot would go to a terminal.
 */
int output_file_open(struct output_file *file, const struct plan *plan,
                     struct error *error);

/* Removes the file if output_file_open created it and it is still empty. Call it if the
 * run ends before its first request. PLAN must be the plan that output_file_open was
 * given. */
void output_file_discard(const struct output_file *file, const struct plan *plan);

/* Checks that the file is not the working file that TARGET keeps. TARGET is the plan of a
 * target that is not open yet. The check must come first, because opening the target
 * fills the working file. Changes nothing. Returns 0, or -1 with ERROR if it is the same
 * file. */
int output_file_check_working_file(const struct output_file *file,
                                   const struct plan *plan, const struct plan *target,
                                   struct error *error);

/* Checks that the file is not a target of JOBS, which are open, nor another file of PLAN,
 * nor, with -compare, a file of recorded runs. Changes nothing. Returns 0, or -1 with
 * ERROR if it is one of them. */
int output_file_check(const struct output_file *file, const struct plan *plan,
                      const struct job *jobs, struct error *error);

/* Destroys the content that the file had before. Returns 0, or -1 with ERROR. */
int output_file_empty(const struct output_file *file, const struct plan *plan,
                      struct error *error);

/* Fills ERROR: the file PATH cannot be written because of the errno value CODE. Unlike
 * error_set_file, it advises to make the directory of PATH only if this directory does
 * not exist. Always returns -1. */
int output_file_refuse(const char *path, int code, struct error *error);

/* Stores the paths of all files that outputs of PLAN are written to in TEXT, a buffer of
 * SIZE bytes, joined by " or ". TEXT is empty if there are no files. */
void output_file_names(const struct plan *plan, char *text, size_t size);

#endif
