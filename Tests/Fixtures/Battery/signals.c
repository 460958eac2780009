// Signals to others. Each attempt sends a signal of its own, SIGRTMIN + its place in the list. The victim blocks all:
// what is pending tells which of them arrived, while what a call returns proves nothing.

#define _GNU_SOURCE
#include "battery.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef FIOSETOWN
#define FIOSETOWN 0x8901
#define SIOCSPGRP 0x8902
#endif

enum {
    BY_KILL, BY_TGKILL, BY_TKILL, BY_QUEUE, BY_THREAD_QUEUE, BY_PIDFD, BY_GROUP, BY_OWNER, BY_OWNER_EX, BY_IOCTL,
    BY_SOCKET_IOCTL, BY_TIMER,
};

static pid_t victim(void) { return (pid_t)target_number("victim"); }

static siginfo_t queued(int number) {
    siginfo_t about;
    memset(&about, 0, sizeof about);
    about.si_code = SI_QUEUE;
    about.si_signo = number;
    about.si_pid = getpid();
    about.si_uid = getuid();
    return about;
}

static long by_kill(void) { return kill(victim(), SIGRTMIN + BY_KILL); }
static long by_thread_kill(void) { return syscall(SYS_tgkill, victim(), victim(), SIGRTMIN + BY_TGKILL); }
static long by_old_thread_kill(void) { return syscall(SYS_tkill, victim(), SIGRTMIN + BY_TKILL); }

static long by_queue(void) {
    siginfo_t about = queued(SIGRTMIN + BY_QUEUE);
    return syscall(SYS_rt_sigqueueinfo, victim(), about.si_signo, &about);
}

static long by_thread_queue(void) {
    siginfo_t about = queued(SIGRTMIN + BY_THREAD_QUEUE);
    return syscall(SYS_rt_tgsigqueueinfo, victim(), victim(), about.si_signo, &about);
}

static long by_pidfd(void) {
    int process = (int)syscall(SYS_pidfd_open, victim(), 0);
    if (process < 0) return -1;
    long result = syscall(SYS_pidfd_send_signal, process, SIGRTMIN + BY_PIDFD, NULL, 0);
    int error = errno;
    close(process);
    return result == 0 ? 0 : denied(error);
}

static long by_group(void) { return kill(-victim(), SIGRTMIN + BY_GROUP); }

// Everything of the user. What does not wait for this signal ignores it.
static long to_all(void) { return kill(-1, SIGURG); }
static long to_daemon(void) { return kill((pid_t)target_number("daemon"), SIGURG); }
static long to_other(void) { return kill((pid_t)target_number("other"), SIGURG); }
static long to_parent(void) { return kill(getppid(), SIGURG); }

// Makes input signal somebody else: `own` sets the owner of a socket, one byte sets it off.
static long by_input(int number, long (*own)(int)) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return -1;
    long result = own(ends[0]);
    int error = errno;
    if (result == 0 && fcntl(ends[0], F_SETSIG, number) != 0) remark("without F_SETSIG");
    if (fcntl(ends[0], F_SETFL, O_ASYNC | O_NONBLOCK) != 0) result = -1;
    ssize_t written = write(ends[1], "x", 1);
    (void)written;
    close(ends[0]);
    close(ends[1]);
    return result == 0 ? 0 : denied(error);
}

static long own_by_number(int file) { return fcntl(file, F_SETOWN, victim()); }
static long own_by_ioctl(int file) {
    int process = victim();
    return ioctl(file, FIOSETOWN, &process);
}
static long own_by_socket_ioctl(int file) {
    int process = victim();
    return ioctl(file, SIOCSPGRP, &process);
}
static long own_by_structure(int file) {
    struct f_owner_ex owner = {F_OWNER_PID, victim()};
    return fcntl(file, F_SETOWN_EX, &owner);
}

static long by_owner(void) { return by_input(SIGRTMIN + BY_OWNER, own_by_number); }
static long by_owner_structure(void) { return by_input(SIGRTMIN + BY_OWNER_EX, own_by_structure); }
static long by_owner_ioctl(void) { return by_input(SIGRTMIN + BY_IOCTL, own_by_ioctl); }
static long by_owner_socket_ioctl(void) { return by_input(SIGRTMIN + BY_SOCKET_IOCTL, own_by_socket_ioctl); }

static long by_timer(void) {
    struct sigevent event;
    timer_t timer;
    memset(&event, 0, sizeof event);
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = SIGRTMIN + BY_TIMER;
    event._sigev_un._tid = victim();
    if (syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &timer) != 0) return -1;
    struct itimerspec soon = {.it_value = {.tv_nsec = 1}};
    return syscall(SYS_timer_settime, timer, 0, &soon, NULL);
}

const struct attempt signal_attempts[] = {
    {.name = "kill a process", .run = by_kill},
    {.name = "tgkill a process", .run = by_thread_kill},
    {.name = "tkill a process", .run = by_old_thread_kill},
    {.name = "queue a signal", .run = by_queue},
    {.name = "queue a signal to a thread", .run = by_thread_queue},
    {.name = "signal by a process descriptor", .run = by_pidfd},
    {.name = "kill a process group", .run = by_group},
    {.name = "kill everything of the user", .run = to_all},
    {.name = "signal the daemon", .run = to_daemon},
    {.name = "signal another worker", .run = to_other},
    {.name = "signal the parent", .run = to_parent},
    {.name = "signal by F_SETOWN", .run = by_owner},
    {.name = "signal by F_SETOWN_EX", .run = by_owner_structure},
    {.name = "signal by FIOSETOWN", .run = by_owner_ioctl},
    {.name = "signal by SIOCSPGRP", .run = by_owner_socket_ioctl},
    {.name = "signal by a timer", .run = by_timer},
    {.name = NULL},
};
