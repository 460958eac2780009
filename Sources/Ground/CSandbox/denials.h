// What a confined process was refused, for the author of a plugin: one line for each different attempt.
#pragma once

#include <linux/seccomp.h>
#include <pthread.h>

enum { DENIALS = 64 };

struct denials {
    // Where the lines go; -1 for nowhere.
    int report;
    pthread_mutex_t lock;
    unsigned count;
    unsigned long long seen[DENIALS];
};

// Adds a line for a call that the filter refused. Returns the error that the filter would have given, as -errno.
int denials_add_call(struct denials *denials, const struct seccomp_notif *call);

// Adds a line for a connection that the broker refused; `path` is that of a Unix socket or "".
void denials_add_connection(struct denials *denials, int family, const char *path);

// Which argument of an allowed call is the name of a file; -1 if none is.
int denials_path_argument(int number);

// Adds a line if there is such a file here, and none for the process.
void denials_add_file(struct denials *denials, const struct seccomp_notif *call, int argument);
