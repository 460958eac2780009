// The attempts by their names. Each has an effect if it gets through; a return value alone proves nothing.

#define _GNU_SOURCE
#include "attempts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

static int result(long value) { return value < 0 ? errno : 0; }

// Files.

static int read_file(const char *path) {
    char byte;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return errno;
    const int error = result(read(file, &byte, 1));
    close(file);
    return error;
}

static int list(const char *path) {
    DIR *folder = opendir(path);
    if (folder == NULL) return errno;
    closedir(folder);
    return 0;
}

static int status(const char *path) {
    struct stat found;
    return result(stat(path, &found));
}

static int append(const char *path) {
    const int file = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
    if (file < 0) return errno;
    const int error = result(write(file, "x", 1));
    close(file);
    return error;
}

static int create(const char *path) {
    const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0) return errno;
    close(file);
    return 0;
}

static int make_folder(const char *path) { return result(mkdir(path, 0700)); }
static int delete(const char *path) { return result(unlink(path)); }

static int give_other_name(const char *path) {
    char name[4096];
    snprintf(name, sizeof name, "%s.old", path);
    return result(rename(path, name));
}

static int shorten(const char *path) { return result(truncate(path, 0)); }
static int change_mode(const char *path) { return result(chmod(path, 0777)); }
static int change_times(const char *path) { return result(utimensat(AT_FDCWD, path, NULL, 0)); }
static int set_attribute(const char *path) { return result(setxattr(path, "user.test", "x", 1, 0)); }
static int watch(const char *path) { return result(inotify_add_watch(inotify_init1(0), path, IN_ALL_EVENTS)); }
static int link_to(const char *path) { return result(symlink("/", path)); }

// `path` is a file outside, by its name below the old root.
static int read_by_root(const char *path) {
    char name[4096];
    snprintf(name, sizeof name, "/proc/self/root%s", path);
    return read_file(name);
}

static int append_by_root(const char *path) {
    char name[4096];
    snprintf(name, sizeof name, "/proc/self/root%s", path);
    return append(name);
}

// Other processes: the parent is one that is not confined.

static int parent_file(const char *name) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", getppid(), name);
    return read_file(path);
}

static int parent_memory(const char *path) {
    (void)path;
    return parent_file("mem");
}

static int parent_environment(const char *path) {
    (void)path;
    return parent_file("environ");
}

static int parent_root(const char *path) {
    char name[4096];
    snprintf(name, sizeof name, "/proc/%d/root%s", getppid(), path);
    return read_file(name);
}

static int trace_parent(const char *path) {
    (void)path;
    return result(ptrace(PTRACE_SEIZE, getppid(), NULL, NULL));
}

static int read_parent(const char *path) {
    (void)path;
    char byte;
    struct iovec here = {&byte, 1}, there = {(void *)attempt, 1};
    return result(process_vm_readv(getppid(), &here, 1, &there, 1, 0));
}

static int signal_parent(const char *path) {
    (void)path;
    return result(kill(getppid(), SIGUSR1));
}

static int start_program(const char *path) {
    (void)path;
    const pid_t child = fork();
    if (child < 0) return errno;
    if (child == 0) {
        execl("/bin/true", "true", NULL);
        _exit(errno);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : EPERM;
}

static int run_program(const char *path) {
    (void)path;
    char *words[] = {"true", NULL};
    execv("/bin/true", words);
    return errno;
}

// Sockets.

static int internet(const char *path) {
    (void)path;
    return result(socket(AF_INET, SOCK_STREAM, 0));
}

static int datagrams(const char *path) {
    (void)path;
    return result(socket(AF_INET6, SOCK_DGRAM, 0));
}

static int routes(const char *path) {
    (void)path;
    return result(socket(AF_NETLINK, SOCK_RAW, 0));
}

static int connect_to(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strncpy(address.sun_path, path, sizeof address.sun_path - 1);
    const int end = socket(AF_UNIX, SOCK_STREAM, 0);
    if (end < 0) return errno;
    return result(connect(end, (struct sockaddr *)&address, sizeof address));
}

static int pair(const char *path) {
    (void)path;
    int ends[2];
    return result(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends));
}

// The kernel.

static int remount(const char *path) {
    return result(mount(NULL, path, NULL, MS_REMOUNT | MS_BIND, NULL));
}

static int mount_over(const char *path) { return result(mount("tmpfs", path, "tmpfs", 0, NULL)); }

static int change_root(const char *path) { return result(chroot(path)); }

static int namespaces(const char *path) {
    (void)path;
    return result(unshare(CLONE_NEWUSER));
}

// In a user namespace of its own a process may mount; what it was given read-only stays so.
static int write_in_namespace(const char *path) {
    const pid_t child = fork();
    if (child < 0) return errno;
    if (child == 0) {
        char map[32];
        snprintf(map, sizeof map, "%d %d 1", getuid(), getuid());
        if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) _exit(errno);
        const int file = open("/proc/self/uid_map", O_WRONLY | O_CLOEXEC);
        if (file < 0 || write(file, map, strlen(map)) < 0) _exit(errno);
        mount(NULL, "/", NULL, MS_REMOUNT | MS_BIND, NULL);
        mount(NULL, "/", NULL, MS_REC | MS_SHARED, NULL);
        umount2("/", MNT_DETACH);
        umount2("/tmp", MNT_DETACH);
        _exit(append(path));
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : EPERM;
}

static int rings(const char *path) {
    (void)path;
    char parameters[256] = {0};
    return result(syscall(SYS_io_uring_setup, 4, parameters));
}

static int programs_of_kernel(const char *path) {
    (void)path;
    char attributes[128] = {0};
    return result(syscall(SYS_bpf, 0, attributes, sizeof attributes));
}

static int keys(const char *path) {
    (void)path;
    return result(syscall(SYS_keyctl, 0, -3, 0, 0, 0));
}

static int counters(const char *path) {
    (void)path;
    char attributes[128] = {0};
    return result(syscall(SYS_perf_event_open, attributes, 0, -1, -1, 0));
}

static int faults(const char *path) {
    (void)path;
    return result(syscall(SYS_userfaultfd, 0));
}

static int dumpable(const char *path) {
    (void)path;
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    return result(prctl(PR_SET_DUMPABLE, 1, 0, 0, 0));
}

static const struct {
    const char *name;
    int (*run)(const char *path);
} table[] = {
    {"read", read_file}, {"list", list}, {"stat", status}, {"append", append}, {"create", create},
    {"make-folder", make_folder}, {"rename", give_other_name}, {"delete", delete}, {"shorten", shorten}, {"mode", change_mode},
    {"times", change_times}, {"attribute", set_attribute}, {"watch", watch}, {"link", link_to},
    {"read-by-root", read_by_root}, {"append-by-root", append_by_root}, {"parent-memory", parent_memory},
    {"parent-environment", parent_environment}, {"parent-root", parent_root}, {"trace-parent", trace_parent},
    {"read-parent", read_parent}, {"signal-parent", signal_parent}, {"start-program", start_program},
    {"run-program", run_program}, {"internet", internet}, {"datagrams", datagrams}, {"routes", routes},
    {"connect", connect_to}, {"pair", pair}, {"remount", remount}, {"mount-over", mount_over},
    {"change-root", change_root}, {"namespaces", namespaces},
    {"write-in-namespace", write_in_namespace}, {"rings", rings},
    {"programs-of-kernel", programs_of_kernel}, {"keys", keys}, {"counters", counters}, {"faults", faults},
    {"dumpable", dumpable},
};

int attempt(const char *name, const char *path) {
    for (size_t index = 0; index < sizeof table / sizeof table[0]; index++) {
        if (strcmp(table[index].name, name) == 0) return table[index].run(path != NULL ? path : "/");
    }
    return EDOM;
}
