// Resource limits. None becomes larger than it was.

#define _GNU_SOURCE
#include "bounds.h"

#include <sys/resource.h>

static const unsigned long long kibibyte = 1024, mebibyte = 1024 * 1024;

static void set(int resource, rlim_t number) {
    struct rlimit limit;
    if (getrlimit(resource, &limit) != 0) return;
    if (limit.rlim_max == RLIM_INFINITY || limit.rlim_max > number) limit.rlim_max = number;
    if (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur > limit.rlim_max) limit.rlim_cur = limit.rlim_max;
    setrlimit(resource, &limit);
}

void bounds_set(const sandbox_policy *policy, int has_own_count) {
    const struct {
        enum policy_limit which;
        int resource;
        unsigned long long standard;
    } limits[] = {
        {LIMIT_MEMORY, RLIMIT_DATA, 512 * mebibyte},
        {LIMIT_FILE, RLIMIT_FSIZE, 256 * mebibyte},
        {LIMIT_THREADS, RLIMIT_NPROC, 128},
        {LIMIT_DESCRIPTORS, RLIMIT_NOFILE, 512},
        {LIMIT_CPU, RLIMIT_CPU, 0},
    };
    for (unsigned index = 0; index < sizeof limits / sizeof *limits; index++) {
        unsigned long long number = policy->limits[limits[index].which];
        if (number == 0 && !policy->keeps_children) number = limits[index].standard;
        // Elsewhere all threads of the user count.
        if (limits[index].which == LIMIT_THREADS && !has_own_count) continue;
        if (number != 0) set(limits[index].resource, number);
    }
    if (policy->keeps_children) return;
    set(RLIMIT_CORE, 0);
    set(RLIMIT_AS, 4096 * mebibyte);
    set(RLIMIT_MEMLOCK, 64 * kibibyte);
    set(RLIMIT_MSGQUEUE, 0);
    set(RLIMIT_RTPRIO, 0);
    set(RLIMIT_NICE, 0);
    set(RLIMIT_SIGPENDING, 256);
}
