// callkit-worker: carries one plugin. Closes what must not leak, gives up what is not needed, loads the plugin, calls it.
//
// usage: callkit-worker LINK_FD PLUGIN.so
// Exit status: the plugin's own, 64 wrong usage, 65 the file cannot be loaded, 66 it has no entry.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { wrong_usage = 64, cannot_load = 65, no_entry = 66 };

static const char entry_name[] = "opencallkit_plugin_main";
typedef int entry_function(int link);

static int fail(int status, const char *what, const char *why) {
    fprintf(stderr, "callkit-worker: %.200s: %.300s\n", what, why);
    return status;
}

static int parse_descriptor(const char *text) {
    char *end = NULL;
    errno = 0;
    long value = strtol(text, &end, 10);
    if (errno != 0 || end == text || *end != '\0' || value < 3 || value > 1 << 20) return -1;
    return fcntl((int)value, F_GETFD) < 0 ? -1 : (int)value;
}

// Closes every descriptor from `first` to `last`, also on kernels without close_range.
static void close_between(unsigned first, unsigned last) {
    if (first > last || syscall(SYS_close_range, first, last, 0) == 0) return;
    struct rlimit limit;
    unsigned end = getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < last ? (unsigned)limit.rlim_cur : last;
    for (unsigned descriptor = first; descriptor < end; descriptor++) close((int)descriptor);
}

// The worker never outlives its host, gains no privileges, leaves no core file.
static int confine(int link) {
    pid_t host = getppid();
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
    if (getppid() != host) return -1;
    const struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    close_between(3, (unsigned)link - 1);
    close_between((unsigned)link + 1, ~0U);
    sigset_t empty;
    sigemptyset(&empty);
    return sigprocmask(SIG_SETMASK, &empty, NULL);
}

int main(int count, char **arguments) {
    if (count != 3) return fail(wrong_usage, "usage", "callkit-worker LINK_FD PLUGIN.so");
    int link = parse_descriptor(arguments[1]);
    if (link < 0) return fail(wrong_usage, arguments[1], "not an open descriptor from 3");
    if (confine(link) != 0) return fail(wrong_usage, "confine", strerror(errno));

    void *plugin = dlopen(arguments[2], RTLD_NOW | RTLD_LOCAL);
    if (plugin == NULL) return fail(cannot_load, arguments[2], dlerror());
    entry_function *entry = NULL;
    *(void **)&entry = dlsym(plugin, entry_name);
    if (entry == NULL) return fail(no_entry, arguments[2], "no entry opencallkit_plugin_main");
    return entry(link);
}
