// The lines that tell what was enforced and what was not.
#pragma once

#include <stddef.h>

struct report {
    size_t length;
    char text[8192];
};

// Adds a line; a report that is full stays as it is.
__attribute__((format(printf, 2, 3))) void report_line(struct report *report, const char *format, ...);

// Adds `failed STEP ERROR` for an errno, and returns -errno.
int report_failure(struct report *report, const char *step, int error);

// Writes the report to a descriptor; nothing if that is -1, or if nobody reads it.
void report_send(const struct report *report, int descriptor);
