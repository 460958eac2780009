// A hostile plugin: it tries what a sandbox has to prevent, and reports each attempt as a line
// `name|ALLOWED or denied or absent|detail` in the file `report` of its state folder.
//
// Its targets are lines `name=value` of a file: that which BATTERY_TARGETS names, else `targets` in HOME. A value that
// begins with `$` is that of a variable of the environment. With `only=NAME`, it makes that attempt alone.
// All targets belong to the test: what gets through does no harm.

#define _GNU_SOURCE
#include "battery.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((section(".note.opencallkit"), used, aligned(4))) static const unsigned note[] = {
    12, 24, 1, 0x6e65704f, 0x6c6c6143, 0x0074694b, 1, 0, 1, 0, 6, 3,
};

int battery_link;
static char lines[16384];
static char detail[160];

static const struct attempt *const groups[] = {
    file_attempts, path_attempts, descriptor_attempts, process_attempts, signal_attempts, address_attempts,
    unix_attempts, bus_attempts, kernel_attempts, mount_attempts, ring_attempts, call_attempts, link_attempts,
    program_attempts, resource_attempts,
};

const char *target(const char *name) {
    size_t length = strlen(name);
    for (const char *line = lines; *line != '\0'; line += strlen(line) + 1) {
        if (strncmp(line, name, length) != 0 || line[length] != '=') continue;
        const char *value = line + length + 1, *variable = *value == '$' ? getenv(value + 1) : NULL;
        if (variable != NULL && strncmp(variable, "unix:", 5) == 0) variable += 5;
        return *value != '$' ? value : variable != NULL ? variable : "";
    }
    return "";
}

long target_number(const char *name) {
    const char *text = target(name);
    return *text != '\0' ? atol(text) : -1;
}

static const char *joined(const char *folder, const char *rest) {
    static char names[8][1024];
    static unsigned next;
    char *name = names[next++ % 8];
    snprintf(name, sizeof names[0], "%s/%s", folder, rest);
    return name;
}

const char *below(const char *name, const char *rest) {
    return joined(target(name), rest);
}

static const char *state_folder(void) {
    const char *folder = target("state");
    return *folder != '\0' ? folder : getenv("HOME");
}

const char *in_state(const char *rest) {
    return joined(state_folder(), rest);
}

void remark(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(detail, sizeof detail, format, arguments);
    va_end(arguments);
}

long denied(int error) {
    errno = error;
    return -1;
}

long opened(int descriptor) {
    if (descriptor < 0) return -1;
    close(descriptor);
    return 0;
}

long reads_secret(int descriptor) {
    char text[64] = "";
    const char *secret = target("secret");
    if (descriptor < 0) return -1;
    ssize_t length = read(descriptor, text, sizeof text - 1);
    int error = length < 0 ? errno : ENODATA;
    close(descriptor);
    return length > 0 && strncmp(text, secret, strlen(secret)) == 0 ? 0 : denied(error);
}

long reads_secret_at(const char *path) {
    return reads_secret(open(path, O_RDONLY | O_CLOEXEC));
}

long reads_anything(const char *path) {
    char text[64];
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) return -1;
    ssize_t length = read(file, text, sizeof text);
    int error = length < 0 ? errno : ENODATA;
    close(file);
    return length > 0 ? 0 : denied(error);
}

long in_child(long (*run)(void)) {
    pid_t child = fork();
    if (child < 0) return run();
    if (child == 0) _exit(run() >= 0 ? 0 : errno);
    int status = 0;
    if (waitpid(child, &status, 0) != child) return -1;
    if (WIFSIGNALED(status)) {
        remark("ended by signal %d", WTERMSIG(status));
        return denied(EINTR);
    }
    return WEXITSTATUS(status) == 0 ? 0 : denied(WEXITSTATUS(status));
}

static void report(const char *name, const char *verdict, const char *reason) {
    char line[400];
    const char *blank = *reason != '\0' && *detail != '\0' ? " " : "";
    int length = snprintf(line, sizeof line, "%s|%s|%s%s%s\n", name, verdict, reason, blank, detail);
    int file = open(in_state("report"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    ssize_t written = write(file < 0 ? STDERR_FILENO : file, line, (size_t)length);
    (void)written;
    if (file >= 0) close(file);
}

static void make(const struct attempt *attempt) {
    detail[0] = '\0';
    errno = 0;
    long result = attempt->run();
    const char *reason = result == -1 ? strerrorname_np(errno) : "";
    const char *verdict = result >= 0 ? "ALLOWED" : result == ABSENT ? "absent" : "denied";
    report(attempt->name, verdict, reason != NULL ? reason : "?");
}

static void make_all(void) {
    const char *only = target("only");
    for (size_t group = 0; group < sizeof groups / sizeof *groups; group++) {
        for (const struct attempt *attempt = groups[group]; attempt->name != NULL; attempt++) {
            if (*only != '\0' ? strcmp(attempt->name, only) == 0 : !attempt->is_alone) make(attempt);
        }
    }
    detail[0] = '\0';
    report("end", "", "");
}

static int read_targets(void) {
    const char *path = getenv("BATTERY_TARGETS");
    int file = open(path != NULL ? path : joined(getenv("HOME"), "targets"), O_RDONLY | O_CLOEXEC);
    if (file < 0) return -1;
    ssize_t length = read(file, lines, sizeof lines - 2);
    close(file);
    for (ssize_t index = 0; index < length; index++) {
        if (lines[index] == '\n') lines[index] = '\0';
    }
    return length > 0 ? 0 : -1;
}

#ifdef DIRECTORY
int opencallkit_directory_main(int link) {
#else
int opencallkit_plugin_main(int link) {
#endif
    battery_link = link;
    if (getenv("HOME") == NULL || read_targets() != 0) {
        dprintf(STDERR_FILENO, "battery: no targets\n");
        return 1;
    }
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    make_all();
    // With a host that watches: until it is done.
    if (*target("stay") != '\0') {
        unsigned char hello[512];
        struct pollfd host = {.fd = link};
        send(link, hello, hello_for_host(hello), MSG_NOSIGNAL);
        poll(&host, 1, -1);
    }
    return 0;
}
