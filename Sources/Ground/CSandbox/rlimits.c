// Resource limits. Existing lower limits stay.

#define _GNU_SOURCE
#include "rlimits.h"

#include <sys/resource.h>

static const unsigned long long kibibyte = 1024, mebibyte = 1024 * 1024;

static void set(int resource, rlim_t number) {
    struct rlimit limit;
    if (getrlimit(resource, &limit) != 0) return;
    if (limit.rlim_max == RLIM_INFINITY || limit.rlim_max > number) limit.rlim_max = number;
    if (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur > limit.rlim_max) limit.rlim_cur = limit.rlim_max;
    setrlimit(resource, &limit);
}

void rlimits_set(int has_own_count) {
    set(RLIMIT_CORE, 0);
    set(RLIMIT_AS, 4096 * mebibyte);
    set(RLIMIT_DATA, 512 * mebibyte);
    set(RLIMIT_FSIZE, 256 * mebibyte);
    set(RLIMIT_NOFILE, 512);
    set(RLIMIT_MEMLOCK, 64 * kibibyte);
    set(RLIMIT_MSGQUEUE, 0);
    set(RLIMIT_RTPRIO, 0);
    set(RLIMIT_NICE, 0);
    set(RLIMIT_SIGPENDING, 256);
    // Without a user namespace, all threads of the user count.
    if (has_own_count) set(RLIMIT_NPROC, 128);
}
