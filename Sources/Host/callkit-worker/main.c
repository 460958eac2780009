// callkit-worker LINK-FD PLUGIN-FD POLICY-FD PLUGIN.so [directory]: confines this process, loads one plugin into it and
// calls the plugin's entry; with `directory`, the entry of its call directory. The file that is loaded is that of the
// descriptor; the name only says where it lay. The policy comes from POLICY-FD, a stream socket, and the report of what
// was enforced goes back: sandbox.h.
//
// A plugin in a sandbox can start nothing. One that is not confined has a guard, which is its parent and sees to it
// that nothing of the plugin outlives it: guard.h.
//
// C, because a Swift executable would bring a second Swift runtime into the plugin's process. The daemon has looked at
// the file before (it never loads one), holds the other end of the link, and watches how this process ends.

#define _GNU_SOURCE
#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "descriptors.h"
#include "guard.h"
#include "sandbox.h"

// Listed in docs/exit-codes.md; the daemon knows them as ProgramExit.
enum {
    EXIT_USAGE = 64,
    EXIT_NOT_LOADED = 65,
    EXIT_NO_ENTRY = 66,
    EXIT_HOST_GONE = 67,
    EXIT_NOT_CONFINED = 68,
};

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

// The stack of a thread counts as memory of this process from the beginning. A few dozen threads with the usual 8 MiB
// would take all that the plugin may have.
static void lower_stacks(void) {
    enum { stack = 1 << 20 };
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0) return;
    if (pthread_attr_setstacksize(&attributes, stack) == 0) pthread_setattr_default_np(&attributes);
    pthread_attr_destroy(&attributes);
}

// What is typed at the host's terminal is not for the plugin, and what it prints goes where its errors go.
static void leave_streams_of_host(void) {
    const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (nothing >= 0 && dup2(nothing, STDIN_FILENO) == STDIN_FILENO && nothing > STDERR_FILENO) close(nothing);
    dup2(STDERR_FILENO, STDOUT_FILENO);
}

// Returns 0 or an exit code.
static int confine(int policy_descriptor) {
    sandbox_policy *policy = NULL;
    const int error = sandbox_read_policy(policy_descriptor, &policy);
    if (error == EINVAL) return fail(EXIT_NOT_CONFINED, "%s", sandbox_policy_trouble());
    if (error != 0) return fail(EXIT_NOT_CONFINED, "the policy cannot be read: %s", strerror(error));
    const int level = sandbox_enter_with_guard(policy, policy_descriptor, begin_guarded);
    if (level == -ENOTSUP) {
        const char *demanded = sandbox_level_word(sandbox_demanded_level(policy));
        return fail(EXIT_NOT_CONFINED, "this machine lacks what the sandbox of level '%s' needs", demanded);
    }
    if (level < 0) return fail(EXIT_NOT_CONFINED, "there is no sandbox: %s", strerror(-level));
    if (level > SANDBOX_NONE) {
        lower_stacks();
        leave_streams_of_host();
    }
    sandbox_free_policy(policy);
    close(policy_descriptor);
    return 0;
}

// The host's descriptor leads to the library where it can be written. The same file is opened again, as it is visible
// in the sandbox, unless the name stands for another file by now.
static void reopen(int library, const char *path) {
    struct stat checked, found;
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0) return;
    if (fstat(library, &checked) == 0 && fstat(file, &found) == 0 && checked.st_dev == found.st_dev &&
        checked.st_ino == found.st_ino)
        dup3(file, library, O_CLOEXEC);
    close(file);
}

// The plugin's name to the loader and to dladdr(): its descriptor, which stays open.
static int run(int link, int library, const char *path, const char *entry_name) {
    char open_file[32];
    reopen(library, path);
    snprintf(open_file, sizeof open_file, "/proc/self/fd/%d", library);
    void *image = dlopen(open_file, RTLD_NOW | RTLD_LOCAL);
    if (image == NULL) return fail(EXIT_NOT_LOADED, "%.300s: %s", path, dlerror());
    int (*entry)(int) = NULL;
    *(void **)&entry = dlsym(image, entry_name);
    if (entry == NULL) return fail(EXIT_NO_ENTRY, "%s has no entry %s", path, entry_name);
    return entry(link);
}

enum { LINK, LIBRARY, POLICY, DESCRIPTORS };

// Reads the numbers of the descriptors and keeps them from programs that the plugin starts. Returns 0 or an exit code.
static int read_descriptors(char **arguments, int *descriptors) {
    static const char *const names[] = {"link", "plugin", "policy"};
    for (int index = 0; index < DESCRIPTORS; index++) {
        const int number = descriptors[index] = parse_descriptor(arguments[index]);
        for (int before = 0; before < index; before++) {
            if (descriptors[before] == number)
                return fail(EXIT_USAGE, "%s descriptor is '%.32s', as another one is", names[index], arguments[index]);
        }
        if (number < 0)
            return fail(
                EXIT_USAGE, "%s descriptor is '%.32s', expected a number above 2", names[index], arguments[index]);
        if (fcntl(number, F_SETFD, FD_CLOEXEC) != 0)
            return fail(EXIT_USAGE, "%s descriptor %d: %s", names[index], number, strerror(errno));
    }
    return 0;
}

int main(int count, char **arguments) {
    pid_t parent = getppid();
    int descriptors[DESCRIPTORS];
    const int is_directory = count == 6 && strcmp(arguments[5], "directory") == 0;
    if (count != 5 + is_directory)
        return fail(EXIT_USAGE, "usage: callkit-worker LINK-FD PLUGIN-FD POLICY-FD PLUGIN.so [directory]");
    int code = read_descriptors(arguments + 1, descriptors);
    if (code != 0) return code;
    const char *path = arguments[4];
    if (path[0] != '/') return fail(EXIT_USAGE, "plugin is '%.300s', expected an absolute file name", path);

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (host_is_gone(descriptors[LINK], parent)) return fail(EXIT_HOST_GONE, "the host is gone");
    restrict_process();
    close_all_but(descriptors, DESCRIPTORS);
    reset_signals();
    if (is_directory) lower_priority();
    code = confine(descriptors[POLICY]);
    if (code != 0) return code;
    code = run(descriptors[LINK], descriptors[LIBRARY], path, is_directory ? directory_entry : plugin_entry);
    // Not exit(): it would run destructors while other threads of the plugin still run.
    fflush(NULL);
    _exit(code);
}
