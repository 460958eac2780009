// callkit-worker <link-fd> <plugin.so> [directory] [<plugin-fd>]: cleans this process up, loads one plugin into it and
// calls the plugin's entry; with `directory`, the entry of its call directory. With the number of a descriptor, that
// file is loaded, and the name only says where it lay.
//
// A guard, which is its parent, sees to it that nothing of the plugin outlives it: guard.h.
//
// C, because a Swift executable would bring a second Swift runtime into the plugin's process. The daemon has looked at
// the file before (it never loads one), holds the other end of the link, and watches how this process ends.

#define _GNU_SOURCE
#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "descriptors.h"
#include "guard.h"

// Listed in docs/exit-codes.md; the daemon knows them as ProgramExit.
enum { EXIT_USAGE = 64, EXIT_NOT_LOADED = 65, EXIT_NO_ENTRY = 66, EXIT_HOST_GONE = 67 };

static const char plugin_entry[] = "opencallkit_plugin_main";
static const char directory_entry[] = "opencallkit_directory_main";

// One line of at most 511 bytes on standard error; what is not printable becomes a blank.
__attribute__((format(printf, 2, 3))) static int fail(int code, const char *format, ...) {
    char line[512] = "callkit-worker: ";
    size_t start = strlen(line);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line + start, sizeof line - start - 1, format, arguments);
    va_end(arguments);
    size_t length = strlen(line);
    for (size_t index = 0; index < length; index++) {
        if (iscntrl((unsigned char)line[index])) line[index] = ' ';
    }
    line[length++] = '\n';
    ssize_t written = write(STDERR_FILENO, line, length);
    (void)written;
    return code;
}

static int parse_descriptor(const char *text) {
    char *end = NULL;
    errno = 0;
    long value = strtol(text, &end, 10);
    if (errno != 0 || end == text || *end != '\0' || value <= STDERR_FILENO || value > 0xFFFF) return -1;
    return (int)value;
}

// True if the host cannot be at the other end any more. Asked for the death signal first: a host that ends after that
// kills us, one that ended before has closed its end of the link.
static int host_is_gone(int link, pid_t parent) {
    struct pollfd end = {.fd = link, .events = 0};
    return getppid() != parent || (poll(&end, 1, 0) == 1 && (end.revents & (POLLHUP | POLLERR)) != 0);
}

static void restrict_process(void) {
    const struct rlimit none = {0, 0};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    // The loader has read it.
    unsetenv("LD_LIBRARY_PATH");
    setrlimit(RLIMIT_CORE, &none);
    // Read by the plugin's Swift runtime and libdbus when they are loaded. The backtracer delays the news of a crash.
    setenv("SWIFT_BACKTRACE", "enable=no", 0);
    setenv("DBUS_FATAL_WARNINGS", "0", 0);
}

static void reset_signals(void) {
    sigset_t none;
    struct sigaction standard;
    memset(&standard, 0, sizeof standard);
    standard.sa_handler = SIG_DFL;
    for (int number = 1; number <= SIGRTMAX; number++) sigaction(number, &standard, NULL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

// A directory is loaded while calls go on, at low priority. Where the kernel shares the processor out by session, the
// session's priority counts.
static void lower_priority(void) {
    enum { background = 10 };
    const struct sched_param none = {0};
    if (nice(background) == -1) return;
    sched_setscheduler(0, SCHED_BATCH, &none);
    int group = open("/proc/self/autogroup", O_WRONLY | O_CLOEXEC);
    if (group < 0) return;
    dprintf(group, "%d", background);
    close(group);
}

int main(int count, char **arguments) {
    pid_t parent = getppid();
    int is_directory = count > 3 && strcmp(arguments[3], "directory") == 0;
    if (count < 3 || count > 4 + is_directory)
        return fail(EXIT_USAGE, "usage: callkit-worker LINK-FD PLUGIN.so [directory] [PLUGIN-FD]");
    const char *entry_name = is_directory ? directory_entry : plugin_entry;
    int link = parse_descriptor(arguments[1]);
    if (link < 0) return fail(EXIT_USAGE, "link descriptor is '%.32s', expected a number above 2", arguments[1]);
    if (fcntl(link, F_SETFD, FD_CLOEXEC) != 0) return fail(EXIT_USAGE, "link descriptor %d: %s", link, strerror(errno));
    const char *path = arguments[2];
    if (path[0] != '/') return fail(EXIT_USAGE, "plugin is '%.300s', expected an absolute file name", path);
    int library = link;
    char open_file[32] = "";
    if (count > 3 + is_directory) {
        const char *number = arguments[3 + is_directory];
        library = parse_descriptor(number);
        if (library < 0 || library == link || fcntl(library, F_SETFD, FD_CLOEXEC) != 0)
            return fail(EXIT_USAGE, "plugin descriptor is '%.32s', expected that of an open file", number);
        // It stays open: this is the plugin's name to the loader and to dladdr().
        snprintf(open_file, sizeof open_file, "/proc/self/fd/%d", library);
    }

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (host_is_gone(link, parent)) return fail(EXIT_HOST_GONE, "the host is gone");
    restrict_process();
    int trouble = begin_guarded();
    if (trouble != 0) return fail(EXIT_FAILURE, "there is no guard: %s", strerror(trouble));
    close_all_but(link, library);
    reset_signals();
    if (is_directory) lower_priority();

    void *image = dlopen(library == link ? path : open_file, RTLD_NOW | RTLD_LOCAL);
    if (image == NULL) return fail(EXIT_NOT_LOADED, "%.300s: %s", path, dlerror());
    int (*entry)(int) = NULL;
    *(void **)&entry = dlsym(image, entry_name);
    if (entry == NULL) return fail(EXIT_NO_ENTRY, "%s has no entry %s", path, entry_name);
    int code = entry(link);
    // Not exit(): it would run destructors while other threads of the plugin still run.
    fflush(NULL);
    _exit(code);
}
