// System calls by other numbers: a filter that looks at numbers alone is passed by another table of them.

#define _GNU_SOURCE
#include "battery.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef __x86_64__

enum { x32 = 0x40000000 };

// fork() of the 32-bit table has the number of open() here, and the other way round.
static long interrupt(long number, long argument) {
    long result;
    __asm__ volatile("int $0x80" : "=a"(result) : "a"(number), "b"(argument), "c"(0L), "d"(0L) : "memory", "cc");
    return result < 0 ? denied((int)-result) : result;
}

static long ask_by_interrupt_here(void) { return interrupt(20, 0); }
static long ask_by_interrupt(void) { return in_child(ask_by_interrupt_here); }

// kill() of the 32-bit table: a signal to everybody that nobody gets.
static long kill_by_interrupt_here(void) { return interrupt(37, target_number("victim")); }
static long kill_by_interrupt(void) { return in_child(kill_by_interrupt_here); }

static long ask_by_x32(void) { return syscall(x32 | SYS_getpid); }
static long fork_by_x32(void) {
    long child = syscall(x32 | SYS_fork);
    if (child == 0) _exit(0);
    return child;
}
static long trace_by_x32(void) { return syscall(x32 | 521, 16, target_number("victim"), 0, 0); }

#endif

// A number of which only the lower half is one: filters see 32 bits, and so must the kernel.
static long fork_by_long_number(void) {
    long child = syscall((1L << 32) | SYS_clone, 17, 0, 0, 0, 0);
    if (child == 0) _exit(0);
    return child;
}

static long call_unknown(void) { return syscall(1000) == -1 && errno == ENOSYS ? -1 : errno == EPERM ? -1 : 0; }

const struct attempt call_attempts[] = {
#ifdef __x86_64__
    {.name = "call by interrupt", .run = ask_by_interrupt, .is_alone = 1},
    {.name = "kill by interrupt", .run = kill_by_interrupt, .is_alone = 1},
    {.name = "call by the x32 table", .run = ask_by_x32},
    {.name = "fork by the x32 table", .run = fork_by_x32},
    {.name = "trace by the x32 table", .run = trace_by_x32},
#endif
    {.name = "fork by a long number", .run = fork_by_long_number},
    {.name = "call an unknown number", .run = call_unknown},
    {.name = NULL},
};
