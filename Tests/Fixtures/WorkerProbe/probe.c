// A plugin that reports the state of its process over the link, as lines of `key value`, and then returns 42. If it
// first receives a message ("wait"), it waits until the link closes.

#define _GNU_SOURCE
#include "probe.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

int opencallkit_plugin_main(int link) {
    char text[2048] = "";
    size_t used = (size_t)snprintf(text, sizeof text, "descriptors");
    for (int descriptor = 0; descriptor < 1024; descriptor++) {
        if (fcntl(descriptor, F_GETFD) >= 0) used += (size_t)snprintf(text + used, sizeof text - used, " %d", descriptor);
    }
    struct rlimit core;
    getrlimit(RLIMIT_CORE, &core);
    int death_signal = 0;
    prctl(PR_GET_PDEATHSIG, &death_signal);
    sigset_t blocked;
    sigprocmask(SIG_SETMASK, NULL, &blocked);
    struct sigaction pipe_action;
    sigaction(SIGPIPE, NULL, &pipe_action);
    const char *backtrace = getenv("SWIFT_BACKTRACE");
    used += (size_t)snprintf(
        text + used, sizeof text - used,
        "\nclose-on-exec %d\nno-new-privileges %d\ncore %llu\ndeath-signal %d\nblocked %d\nignored %d\nbacktrace %s\n"
        "swift-runtime %d\n",
        fcntl(link, F_GETFD) & FD_CLOEXEC, prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0), (unsigned long long)core.rlim_cur,
        death_signal, sigismember(&blocked, SIGUSR1), pipe_action.sa_handler == SIG_IGN, backtrace ? backtrace : "",
        dlopen("libswiftCore.so", RTLD_NOW | RTLD_NOLOAD) != NULL);
    char order[8];
    ssize_t length = recv(link, order, sizeof order, MSG_DONTWAIT);
    send(link, text, used, MSG_NOSIGNAL);
    if (length > 0) recv(link, order, sizeof order, 0);
    return 42;
}
