// The Linux calls and constants that Swift's Glibc module leaves out.
#pragma once
#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

// Flags that are enumerators or macros with casts in the C headers.
static const int32_t ock_epoll_cloexec = EPOLL_CLOEXEC;
static const int32_t ock_eventfd_flags = EFD_CLOEXEC | EFD_NONBLOCK;
static const int32_t ock_eventfd_counting = EFD_CLOEXEC;
static const int32_t ock_signalfd_flags = SFD_CLOEXEC | SFD_NONBLOCK;
static const int32_t ock_inotify_flags = IN_CLOEXEC | IN_NONBLOCK;
static const uint32_t ock_epoll_in = EPOLLIN;
static const uint32_t ock_epoll_out = EPOLLOUT;
static const uint32_t ock_epoll_err = EPOLLERR;
static const uint32_t ock_epoll_hup = EPOLLHUP;
static const int32_t ock_seqpacket = SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK;
static const int32_t ock_sched_batch = 3; // SCHED_BATCH, hidden without _GNU_SOURCE
static const int32_t ock_open_nothing = 010000000; // O_PATH, likewise

// A descriptor that is readable, and whose read fails with ECANCELED, once the wall clock was set or the machine woke up;
// -1 with errno.
static inline int ock_watch_wall_clock(void) {
    return timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK);
}

// Waits for the next time. The moment for which the timer is set is as far away as can be.
static inline int ock_await_wall_clock(int watch) {
    const struct itimerspec never = {.it_value = {.tv_sec = INT64_MAX / 1000000000}};
    return timerfd_settime(watch, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &never, NULL);
}

static inline void ock_name_thread(const char *name) { prctl(PR_SET_NAME, name); }

// No other program of the user reads this process's memory, and a crash writes none of it to a disk. Children begin
// anew, except that they write no core files either.
static inline void ock_keep_memory_private(void) {
    struct rlimit none = {0, 0};
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    setrlimit(RLIMIT_CORE, &none);
}

// prlimit(), hidden without _GNU_SOURCE. Lowers the limits of another process of this user for good.
static inline int ock_limit(pid_t process, uint64_t open_files, uint64_t memory) {
    const uint64_t files[] = {open_files, open_files}, data[] = {memory, memory};
    const long result = syscall(SYS_prlimit64, process, RLIMIT_NOFILE, files, NULL);
    return result == 0 && syscall(SYS_prlimit64, process, RLIMIT_DATA, data, NULL) == 0 ? 0 : -1;
}

// 0 if the terminal does not say. Swift code cannot read a winsize everywhere: which module the type belongs to depends
// on what glibc's headers include.
static inline int ock_terminal_columns(int terminal) {
    struct winsize size;
    return ioctl(terminal, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

// glibc raises both thresholds when a large block is freed, and then keeps such blocks. Set, they stay as they are.
static inline void ock_return_large_blocks(void) {
    mallopt(M_MMAP_THRESHOLD, 128 << 10);
    mallopt(M_TRIM_THRESHOLD, 128 << 10);
}

// struct flock, F_OFD_GETLK and F_OFD_SETLK, hidden without _GNU_SOURCE. Including the header would make its
// other types those of this module.
struct ock_file_lock {
    short type, whence;
    int64_t start, length;
    pid_t process;
};
enum { ock_ofd_getlk = 36, ock_ofd_setlk = 37 };

// Sets a lock of the open file, which ends with it. Returns 0, or -1 with errno.
static inline int ock_lock_file(int file, int type) {
    struct ock_file_lock lock = {.type = (short)type};
    return (int)syscall(SYS_fcntl, file, ock_ofd_setlk, &lock);
}

// Locks an open folder for this process alone: LOCK_EX and LOCK_NB of flock. Returns 0, or -1 with errno.
static inline int ock_lock_folder(int folder) { return (int)syscall(SYS_flock, folder, 2 | 4); }

// Returns whether nobody else has a lock of the file that `type` would conflict with.
static inline int ock_can_lock_file(int file, int type, int unlocked) {
    struct ock_file_lock lock = {.type = (short)type};
    return syscall(SYS_fcntl, file, ock_ofd_getlk, &lock) == 0 && lock.type == unlocked;
}

// Returns whether other machines may have the file, too: NFS, SMB and its two older kinds.
static inline int ock_is_file_remote(int file) {
    long system[32] = {0};
    if (syscall(SYS_fstatfs, file, system) != 0) return 0;
    const unsigned kind = (unsigned)system[0];
    return kind == 0x6969 || kind == 0xFE534D42 || kind == 0xFF534D42 || kind == 0x517B;
}

static inline int ock_is_main_thread(void) { return (pid_t)syscall(SYS_gettid) == getpid(); }
static inline int ock_pidfd_open(pid_t pid) { return (int)syscall(SYS_pidfd_open, pid, 0); }
// Lets two files or folders change their names at one moment.
static inline int ock_exchange(const char *one, const char *other) {
    // As <fcntl.h> has them, which would bring struct stat along.
    enum { working_folder = -100, exchange = 2 };
    return (int)syscall(SYS_renameat2, working_folder, one, working_folder, other, exchange);
}
static inline int ock_pidfd_kill(int pidfd, int signal) {
    return (int)syscall(SYS_pidfd_send_signal, pidfd, signal, NULL, 0);
}

// Reaps the child behind a pidfd. 1: gone, with its code and whether a signal ended it; 0: still there; -1: errno.
static inline int ock_pidfd_reap(int pidfd, int *signalled, int *code) {
    siginfo_t info;
    memset(&info, 0, sizeof info);
    if (waitid((idtype_t)3 /* P_PIDFD */, (id_t)pidfd, &info, WEXITED | WNOHANG) != 0) return -1;
    if (info.si_pid == 0) return 0;
    *signalled = info.si_code != CLD_EXITED;
    *code = info.si_status;
    return 1;
}

// posix_spawn with no signal blocked or ignored and only these descriptors: 0, 1, 2 and targets. Every source is
// above every target. group: 0 the parent's process group, 1 its own, 2 its own session. Returns an errno.
static inline int ock_spawn(pid_t *pid, const char *path, char *const argv[], char *const envp[], const int *sources,
                            const int *targets, int count, int group) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    int highest = 2;
    int result = posix_spawn_file_actions_init(&actions);
    if (result != 0) return result;
    result = posix_spawnattr_init(&attributes);
    if (result != 0) {
        posix_spawn_file_actions_destroy(&actions);
        return result;
    }
    for (int index = 0; index < count && result == 0; index++) {
        result = posix_spawn_file_actions_adddup2(&actions, sources[index], targets[index]);
        if (targets[index] > highest) highest = targets[index];
    }
    for (int descriptor = 3; descriptor < highest && result == 0; descriptor++) {
        int wanted = 0;
        for (int index = 0; index < count; index++) wanted |= targets[index] == descriptor;
        if (!wanted) result = posix_spawn_file_actions_addclose(&actions, descriptor);
    }
    if (result == 0) result = posix_spawn_file_actions_addclosefrom_np(&actions, highest + 1);
    sigemptyset(&none);
    sigfillset(&all);
    if (result == 0) result = posix_spawnattr_setsigmask(&attributes, &none);
    if (result == 0) result = posix_spawnattr_setsigdefault(&attributes, &all);
    short flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
    if (group == 1) flags |= POSIX_SPAWN_SETPGROUP;
    if (group == 2) flags |= 0x80; // POSIX_SPAWN_SETSID, hidden without _GNU_SOURCE
    if (result == 0) result = posix_spawnattr_setflags(&attributes, flags);
    if (result == 0) result = posix_spawn(pid, path, &actions, &attributes, argv, envp);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return result;
}

// Sends one datagram to a Unix socket; a path that begins with '@' is an abstract name. Returns an errno.
static inline int ock_send_datagram(const char *path, const char *text) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t length = strlen(path);
    if (length == 0 || length > sizeof address.sun_path) return ENAMETOOLONG;
    memcpy(address.sun_path, path, length);
    if (path[0] == '@') address.sun_path[0] = 0;
    int handle = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (handle < 0) return errno;
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length);
    ssize_t sent = sendto(handle, text, strlen(text), MSG_NOSIGNAL | MSG_DONTWAIT, (struct sockaddr *)&address, size);
    int result = sent < 0 ? errno : 0;
    close(handle);
    return result;
}

// Listens on a Unix socket; a negative result is an errno.
static inline int ock_listen(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t length = strlen(path);
    if (length == 0 || length >= sizeof address.sun_path) return -ENAMETOOLONG;
    memcpy(address.sun_path, path, length);
    int handle = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (handle < 0) return -errno;
    if (bind(handle, (struct sockaddr *)&address, sizeof address) == 0 && listen(handle, 16) == 0) return handle;
    int result = -errno;
    close(handle);
    return result;
}

// The main queue of libdispatch, for a loop that is the main thread. Weak: most processes here have no libdispatch.
int _dispatch_get_main_queue_handle_4CF(void) __attribute__((weak));
void _dispatch_main_queue_callback_4CF(void *message) __attribute__((weak));
static inline int ock_main_queue_handle(void) {
    return _dispatch_get_main_queue_handle_4CF ? _dispatch_get_main_queue_handle_4CF() : -1;
}
static inline void ock_take_main_queue_wakes(int handle) {
    uint64_t wakes;
    while (read(handle, &wakes, sizeof wakes) < 0 && errno == EINTR) {}
}
static inline void ock_drain_main_queue(void) {
    _dispatch_main_queue_callback_4CF(NULL);
}

// The Swift runtime calls this, if it is set, for each job that belongs to no executor, such as the first one after a
// continuation has been resumed. By default such jobs run on threads of Dispatch.
extern __attribute__((swiftcall)) void (*swift_task_enqueueGlobal_hook)(void *job, void *usual);
// Defined in EventLoop.
void ock_run_on_loop(void *_Nonnull job);
static __attribute__((swiftcall)) void ock_take_job(void *job, __attribute__((unused)) void *usual) {
    ock_run_on_loop(job);
}
static inline void ock_take_jobs(void) {
    swift_task_enqueueGlobal_hook = ock_take_job;
}
