// What the descriptors that the plugin has lead to: its library was opened outside the sandbox, where its folder may be
// writable, and the worker's program was started there.

#define _GNU_SOURCE
#include "battery.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

// The first descriptor above standard error that is a file; -1 if there is none.
static int library(void) {
    struct stat about;
    for (int descriptor = STDERR_FILENO + 1; descriptor < 64; descriptor++) {
        if (fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode)) return descriptor;
    }
    return (int)denied(ENOENT);
}

static const char *library_name(void) {
    static char name[40];
    snprintf(name, sizeof name, "/proc/self/fd/%d", library());
    return name;
}

static long write_by_name(const char *name, int flags) {
    int file = open(name, flags | O_CLOEXEC);
    return opened(file);
}

static long write_library(void) { return write_by_name(library_name(), O_WRONLY | O_APPEND); }
static long write_worker(void) { return write_by_name("/proc/self/exe", O_WRONLY | O_APPEND); }
static long truncate_library(void) {
    struct stat about;
    return stat(library_name(), &about) == 0 ? truncate(library_name(), about.st_size) : -1;
}

static long change_mode_of(int descriptor) {
    struct stat about;
    if (fstat(descriptor, &about) != 0) return -1;
    return fchmod(descriptor, about.st_mode & 07777);
}

static long change_mode_of_library(void) { return change_mode_of(library()); }
static long change_mode_by_name(void) { return chmod(library_name(), 0755); }
static long change_owner_of_library(void) { return fchown(library(), getuid(), getgid()); }
static long change_times_of_library(void) { return futimens(library(), NULL); }
static long set_attribute_of_library(void) { return fsetxattr(library(), "user.mark", "1", 1, 0); }

static long with_worker(long (*act)(int)) {
    int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    if (file < 0) return -1;
    long result = act(file);
    int error = errno;
    close(file);
    return result == 0 ? 0 : denied(error);
}

static long times_of(int descriptor) { return futimens(descriptor, NULL); }
static long change_mode_of_worker(void) { return with_worker(change_mode_of); }
static long change_times_of_worker(void) { return with_worker(times_of); }

static long with_bundle(long (*act)(int)) {
    int file = open(below("bundle", "Battery.so"), O_RDONLY | O_CLOEXEC);
    if (file < 0) return -1;
    long result = act(file);
    int error = errno;
    close(file);
    return result == 0 ? 0 : denied(error);
}

static long change_mode_of_bundle(void) { return with_bundle(change_mode_of); }
static long change_times_of_bundle(void) { return with_bundle(times_of); }

// What is typed at the daemon's terminal, or what it writes to a file, would be the plugin's as well.
static long use_inherited(void) {
    struct stat about;
    for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; descriptor++) {
        if (fstat(descriptor, &about) != 0 || !(S_ISREG(about.st_mode) || isatty(descriptor))) continue;
        remark("descriptor %d", descriptor);
        return 0;
    }
    return denied(ENOTTY);
}

static long link_library(void) {
    return linkat(AT_FDCWD, library_name(), AT_FDCWD, in_state("library"), AT_SYMLINK_FOLLOW);
}

static long link_library_by_descriptor(void) {
    return linkat(library(), "", AT_FDCWD, in_state("library-too"), AT_EMPTY_PATH);
}

const struct attempt descriptor_attempts[] = {
    {.name = "write its library by its descriptor", .run = write_library},
    {.name = "truncate its library by its descriptor", .run = truncate_library},
    {.name = "chmod its library by its descriptor", .run = change_mode_of_library},
    {.name = "chmod its library by its descriptor's name", .run = change_mode_by_name},
    {.name = "chown its library by its descriptor", .run = change_owner_of_library},
    {.name = "set the times of its library by its descriptor", .run = change_times_of_library},
    {.name = "set an attribute of its library by its descriptor", .run = set_attribute_of_library},
    {.name = "use a file or a terminal of the host", .run = use_inherited},
    {.name = "link its library by its descriptor's name", .run = link_library},
    {.name = "link its library by its descriptor", .run = link_library_by_descriptor},
    {.name = "write the worker's program", .run = write_worker},
    {.name = "chmod the worker's program", .run = change_mode_of_worker},
    {.name = "set the times of the worker's program", .run = change_times_of_worker},
    {.name = "chmod a file of its bundle", .run = change_mode_of_bundle},
    {.name = "set the times of a file of its bundle", .run = change_times_of_bundle},
    {.name = NULL},
};
