// The system calls that a sandboxed process can make: seccomp.
#pragma once

#include <stddef.h>

struct filter_terms {
    // Grants.
    int network, sockets, devices;
    // What else holds: the mount namespace, and the version of Landlock.
    int has_mounts;
    unsigned landlock;
    // connect() is answered by the guard.
    int is_brokered;
    // So is what the filter refuses, and the names of files.
    int reports_denied;
    // A process that starts sandboxed workers: the filter refuses little.
    int keeps_children;
};

// Installs the filter for this thread and all that it starts. With `is_brokered` or `reports_denied`, returns the
// descriptor from which the guard takes calls, else 0; or -errno.
int filter_install(const struct filter_terms *terms);
