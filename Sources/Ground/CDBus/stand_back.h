// How the kernel is asked to share out the processor. Needs nothing, so that callkit-worker has it as well.
#pragma once
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

// The first version of the kernel's struct sched_attr. Where the policy is that of most threads, runtime is how long a
// thread runs at a time if others want the processor, in nanoseconds; from Linux 6.12 on, from 0.1 to 100 ms.
struct ock_scheduling {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period;
};
enum { OCK_POLICY_NORMAL = 0, OCK_POLICY_BATCH = 3 };

// For work that nobody waits for. Lets others go before the calling thread and those that it starts: it gets a tenth of
// what others get who want the processor, not nothing, and a tenth of a millisecond at a time, so that whoever wakes up
// meanwhile waits for no more than that. There is no way back without privileges. 0, or -1 and errno.
enum { OCK_BACKGROUND_NICE = 10 };
static inline int ock_stand_back(void) {
    struct ock_scheduling wish = {
        .size = sizeof wish, .policy = OCK_POLICY_BATCH, .nice = OCK_BACKGROUND_NICE, .runtime = 100000};
    return (int)syscall(SYS_sched_setattr, 0, &wish, 0);
}

// For a thread that answers others and has still to clear up then. Its share stays what it is, in longer pieces; so
// whoever it wakes has the shorter piece before it, and goes first. What it starts has pieces as usual. Threads that are
// scheduled in another way stay as they are.
static inline void ock_let_woken_go_first(uint64_t slice) {
    struct ock_scheduling wish = {.size = sizeof wish};
    if (syscall(SYS_sched_getattr, 0, &wish, sizeof wish, 0) != 0 || wish.policy != OCK_POLICY_NORMAL) return;
    wish.flags |= 1; // SCHED_FLAG_RESET_ON_FORK
    wish.runtime = slice;
    syscall(SYS_sched_setattr, 0, &wish, 0);
}
