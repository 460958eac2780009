// The kernel gives orphans to their nearest ancestor that asks for them. So all that a plugin leaves behind become
// children of the guard, and the guard ends its children until none is left.

#define _GNU_SOURCE
#include "guard.h"

#include "descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static pid_t worker;
static int worker_status;
static int has_ended;
static int left_behind;

// Sends SIGKILL to the children that the kernel lists, the oldest first; one that just appears is found the next time.
// A child keeps its number until it was waited for, so no other process is meant.
static void kill_children(void) {
    char list[4096];
    int file = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    ssize_t length = read(file, list, sizeof list - 1);
    close(file);
    list[length > 0 ? length : 0] = '\0';
    // Each number has a space behind it; one that is cut off has none.
    for (char *number = list, *end; (end = strchr(number, ' ')) != NULL; number = end + 1) {
        kill((pid_t)atoi(number), SIGKILL);
    }
}

// Waits for children that have ended. Returns whether there are others.
static int reap(void) {
    int status;
    pid_t child;
    while ((child = waitpid(-1, &status, WNOHANG)) > 0) {
        if (child == worker) {
            has_ended = 1;
            worker_status = status;
        } else if (has_ended && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) {
            left_behind += 1;
        }
    }
    return child == 0;
}

// Ends as the worker has.
static void end_alike(void) {
    sigset_t one;
    if (WIFEXITED(worker_status)) _exit(WEXITSTATUS(worker_status));
    const int number = WTERMSIG(worker_status);
    signal(number, SIG_DFL);
    sigemptyset(&one);
    sigaddset(&one, number);
    raise(number);
    sigprocmask(SIG_UNBLOCK, &one, NULL);
    _exit(128 + number);
}

static void wait_for_worker(void) {
    sigset_t expected;
    sigemptyset(&expected);
    sigaddset(&expected, SIGCHLD);
    sigaddset(&expected, SIGTERM);
    while (!has_ended) {
        if (sigwaitinfo(&expected, NULL) == SIGTERM) {
            // Its end counts as a kill, however it ends now.
            kill(worker, SIGKILL);
            waitpid(worker, &worker_status, 0);
            has_ended = 1;
            worker_status = SIGKILL;
        }
        reap();
    }
    const struct timespec moment = {.tv_nsec = 10000000};
    sigdelset(&expected, SIGTERM);
    for (kill_children(); reap(); kill_children()) sigtimedwait(&expected, NULL, &moment);
    if (left_behind > 0)
        dprintf(STDERR_FILENO, "callkit-worker: ended %d processes that were left behind\n", left_behind);
    end_alike();
}

struct service {
    void (*serve)(void *context);
    void *context;
};

static void *run_service(void *argument) {
    const struct service *service = argument;
    service->serve(service->context);
    return NULL;
}

// In a thread that has all signals blocked, as the whole guard has. Without the thread, the worker's connections fail.
static void start_service(struct service *service) {
    enum { stack = 64 * 1024 };
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, stack);
    if (pthread_create(&thread, &attributes, run_service, service) != 0)
        dprintf(STDERR_FILENO, "callkit-worker: the guard cannot start a thread\n");
    pthread_attr_destroy(&attributes);
}

int begin_guarded(void (*serve)(void *context), void *context, int kept) {
    sigset_t all, before;
    const pid_t guard = getpid();
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0 || prctl(PR_SET_PDEATHSIG, SIGTERM) != 0) return errno;
    // A plugin that may open files must not find a way out in the broker's memory; the broker reads that of the worker.
    if (serve != NULL) prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    worker = fork();
    if (worker < 0) return errno;
    if (worker > 0) {
        struct service service = {serve, context};
        // The link and all else that stays open are the worker's.
        close(STDIN_FILENO);
        close(STDOUT_FILENO);
        close_all_but(&kept, 1);
        if (serve != NULL) start_service(&service);
        wait_for_worker();
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
    if (getppid() != guard) _exit(EXIT_FAILURE);
    return 0;
}
