// Lines `denied CALL [ARGUMENT]` in the report, at most 64, none twice. For programs that examine plugins: the guard
// answers each refused call as the filter would, and sees which files the process looks for.

#define _GNU_SOURCE
#include "denials.h"

#include "kernel.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

struct name {
    int number;
    const char *name;
};

// Calls that plugins are likely to try; others are shown by their numbers.
static const struct name calls[] = {
#ifdef __NR_fork
    {__NR_fork, "fork"}, {__NR_vfork, "vfork"}, {__NR_chmod, "chmod"}, {__NR_chown, "chown"}, {__NR_mknod, "mknod"},
#endif
    {__NR_accept4, "accept4"}, {__NR_bind, "bind"}, {__NR_bpf, "bpf"}, {__NR_chroot, "chroot"}, {__NR_clone, "clone"},
    {__NR_connect, "connect"}, {__NR_execve, "execve"}, {__NR_execveat, "execveat"}, {__NR_fchmodat, "fchmodat"},
    {__NR_fchown, "fchown"}, {__NR_fchownat, "fchownat"}, {__NR_fcntl, "fcntl"},
    {__NR_inotify_add_watch, "inotify_add_watch"}, {__NR_inotify_init1, "inotify_init1"}, {__NR_ioctl, "ioctl"},
    {__NR_keyctl, "keyctl"}, {__NR_kill, "kill"}, {__NR_listen, "listen"}, {__NR_mknodat, "mknodat"},
    {__NR_mlockall, "mlockall"}, {__NR_mount, "mount"}, {__NR_mq_open, "mq_open"},
    {__NR_perf_event_open, "perf_event_open"}, {__NR_personality, "personality"}, {__NR_prctl, "prctl"},
    {__NR_prlimit64, "prlimit64"}, {__NR_ptrace, "ptrace"}, {__NR_sched_setaffinity, "sched_setaffinity"},
    {__NR_sched_setscheduler, "sched_setscheduler"}, {__NR_semget, "semget"}, {__NR_setns, "setns"},
    {__NR_setpgid, "setpgid"}, {__NR_setpriority, "setpriority"}, {__NR_setsid, "setsid"}, {__NR_setuid, "setuid"},
    {__NR_setxattr, "setxattr"}, {__NR_shmget, "shmget"}, {__NR_socket, "socket"}, {__NR_socketpair, "socketpair"},
    {__NR_syslog, "syslog"}, {__NR_tgkill, "tgkill"}, {__NR_unshare, "unshare"}, {__NR_utimensat, "utimensat"},
};

static const struct name families[] = {
    {AF_UNIX, "AF_UNIX"}, {AF_INET, "AF_INET"}, {AF_INET6, "AF_INET6"}, {AF_NETLINK, "AF_NETLINK"},
    {AF_PACKET, "AF_PACKET"}, {AF_ALG, "AF_ALG"}, {AF_BLUETOOTH, "AF_BLUETOOTH"}, {AF_VSOCK, "AF_VSOCK"},
};

// The calls that are shown by a file's name, and the place of the name among the arguments.
static const struct {
    int number, argument;
} files[] = {
#ifdef __NR_open
    {__NR_open, 0}, {__NR_stat, 0}, {__NR_access, 0},
#endif
    {__NR_openat, 1}, {__NR_newfstatat, 1}, {__NR_faccessat, 1}, {__NR_statx, 1},
};

static const char *name_of(const struct name *names, size_t count, int number, char *room, size_t size) {
    for (size_t index = 0; index < count; index++) {
        if (names[index].number == number) return names[index].name;
    }
    snprintf(room, size, "%d", number);
    return room;
}

// What is not printable becomes a blank, so that each denial stays one line.
static void add(struct denials *denials, char *line, size_t length) {
    unsigned long long hash = 14695981039346656037ULL;
    if (denials->report < 0) return;
    for (size_t index = 0; index < length; index++) {
        if ((unsigned char)line[index] < ' ' || line[index] == 127) line[index] = ' ';
        hash = (hash ^ (unsigned char)line[index]) * 1099511628211ULL;
    }
    line[length++] = '\n';
    pthread_mutex_lock(&denials->lock);
    unsigned index = 0;
    while (index < denials->count && denials->seen[index] != hash) index++;
    if (index == denials->count && index < DENIALS) {
        denials->seen[denials->count++] = hash;
        // A reader that does not read misses lines.
        send(denials->report, line, length, MSG_DONTWAIT | MSG_NOSIGNAL);
    }
    pthread_mutex_unlock(&denials->lock);
}

static void add_words(struct denials *denials, const char *call, const char *argument, const char *path) {
    char line[300];
    const int length = snprintf(
        line, sizeof line - 1, "denied %s%s%s%s%s", call, argument[0] ? " " : "", argument, path[0] ? " " : "", path);
    if (length > 0) add(denials, line, (size_t)length < sizeof line - 1 ? (size_t)length : sizeof line - 2);
}

int denials_add_call(struct denials *denials, const struct seccomp_notif *call) {
    char number[16], argument[32] = "";
    const int which = call->data.nr;
    const char *name = name_of(calls, sizeof calls / sizeof *calls, which, number, sizeof number);
    const char *shown = argument;
    if (which == __NR_socket || which == __NR_socketpair)
        shown = name_of(
            families, sizeof families / sizeof *families, (int)call->data.args[0], argument, sizeof argument);
    else if (which == __NR_ioctl || which == __NR_fcntl)
        snprintf(argument, sizeof argument, "%#llx", (unsigned long long)(call->data.args[1] & 0xFFFFFFFFu));
    else if (which == __NR_prctl)
        snprintf(argument, sizeof argument, "%d", (int)call->data.args[0]);
    add_words(denials, name, shown, "");
    return which == __NR_socket ? -EACCES : -EPERM;
}

void denials_add_connection(struct denials *denials, int family, const char *path) {
    char number[16];
    const char *name = name_of(families, sizeof families / sizeof *families, family, number, sizeof number);
    add_words(denials, "connect", name, path);
}

int denials_path_argument(int number) {
    for (size_t index = 0; index < sizeof files / sizeof *files; index++) {
        if (files[index].number == number) return files[index].argument;
    }
    return -1;
}

void denials_add_file(struct denials *denials, const struct seccomp_notif *call, int argument) {
    char path[256] = "", inside[320];
    struct stat status;
    struct iovec here = {path, sizeof path - 1};
    struct iovec there = {(void *)(uintptr_t)call->data.args[argument], sizeof path - 1};
    // The name may end just before memory that is not there.
    const size_t left = 4096 - ((uintptr_t)there.iov_base & 4095);
    if (left < there.iov_len) there.iov_len = left;
    if (process_vm_readv((pid_t)call->pid, &here, 1, &there, 1, 0) <= 0 || path[0] != '/') return;
    if (strlen(path) == there.iov_len || strncmp(path, "/proc/", 6) == 0 || lstat(path, &status) != 0) return;
    snprintf(inside, sizeof inside, "/proc/%d/root%s", (int)call->pid, path);
    if (lstat(inside, &status) != 0 && (errno == ENOENT || errno == ENOTDIR)) add_words(denials, "file", "", path);
}
