// open(), for the plugin and its libraries. While there is work, Dispatch looks once a second whether its threads
// run, in /proc/TID/stat, and traps if it cannot. The sandbox has no such files: what is below a thread's folder in
// /proc tells of the whole machine as well. So this open() answers for them, by the processor time of the thread,
// which says the same. Symbols of a program come before those of libraries; libc itself does not use these.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

// Returns the number in /proc/NUMBER/stat; 0 for another path.
static pid_t thread_in(const char *path) {
    static const char folder[] = "/proc/";
    if (path == NULL || strncmp(path, folder, strlen(folder)) != 0) return 0;
    const char *number = path + strlen(folder);
    const size_t digits = strspn(number, "0123456789");
    return digits > 0 && digits < 10 && strcmp(number + digits, "/stat") == 0 ? (pid_t)atoi(number) : 0;
}

// Whether a thread of this process has run since the last time that this was asked. Returns -1 if there is no such
// thread.
static int has_run(pid_t thread) {
    enum { processor_time_of_thread = 6, nanoseconds_bits = 40 };
    static _Atomic unsigned long long seen[256];
    struct timespec time;
    if (clock_gettime((clockid_t)(~(unsigned)thread << 3 | processor_time_of_thread), &time) != 0) return -1;
    const unsigned long long spent = (unsigned long long)time.tv_sec * 1000000000 + (unsigned long long)time.tv_nsec;
    const unsigned long long mark = (unsigned long long)thread << nanoseconds_bits
                                    | (spent & ((1ull << nanoseconds_bits) - 1));
    return atomic_exchange(&seen[(unsigned)thread % 256], mark) != mark;
}

// Returns a descriptor with what Dispatch reads of a thread: its number, a name and its state.
static int describe(pid_t thread) {
    char text[64];
    int ends[2];
    const int runs = has_run(thread);
    if (runs < 0) return errno = ENOENT, -1;
    if (pipe2(ends, O_CLOEXEC) != 0) return -1;
    const int length = snprintf(text, sizeof text, "%d (thread) %c 0\n", (int)thread, runs ? 'R' : 'S');
    const ssize_t written = write(ends[1], text, (size_t)length);
    (void)written;
    close(ends[1]);
    return ends[0];
}

static int open_named(const char *path, int flags, mode_t mode) {
    const pid_t thread = (flags & O_PATH) != 0 ? 0 : thread_in(path);
    if (thread != 0) {
        const int file = describe(thread);
        if (file >= 0 || errno != ENOENT) return file;
    }
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

static int takes_mode(int flags) { return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE; }

__attribute__((visibility("default"))) int open(const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = takes_mode(flags) ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    return open_named(path, flags, mode);
}

__attribute__((visibility("default"))) int open64(const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = takes_mode(flags) ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    return open_named(path, flags, mode);
}
