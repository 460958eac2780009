// For work that nobody waits for. Needs nothing, so that callkit-worker has it as well.
#pragma once
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

// Lets others go before the calling thread and those that it starts: it gets a tenth of what others get who want the
// processor, not nothing, and from Linux 6.12 on a tenth of a millisecond at a time, so that whoever wakes up meanwhile
// waits for no more than that. There is no way back without privileges. 0, or -1 and errno.
enum { OCK_BACKGROUND_NICE = 10 };
static inline int ock_stand_back(void) {
    struct {
        uint32_t size, policy;
        uint64_t flags;
        int32_t nice;
        uint32_t priority;
        uint64_t runtime, deadline, period;
    } wish = {.size = sizeof wish, .policy = 3 /* SCHED_BATCH */, .nice = OCK_BACKGROUND_NICE, .runtime = 100000};
    return (int)syscall(SYS_sched_setattr, 0, &wish, 0);
}
