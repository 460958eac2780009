// Roundabout ways to a file: links, /proc, descriptors that were kept, handles, races.

#define _GNU_SOURCE
#include "battery.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char climb[] = "../../../../../../../../../../../..";

static long read_through_symbolic_link(void) {
    const char *link = in_state("link");
    unlink(link);
    if (symlink(below("home", ".ssh/id"), link) != 0) return -1;
    long result = reads_secret_at(link);
    int error = errno;
    unlink(link);
    return result == 0 ? 0 : denied(error);
}

static long read_among_files(void) { return reads_secret_at(below("files", "plain")); }
static long read_through_link_among_files(void) { return reads_secret_at(below("files", "link")); }
static long write_among_files(void) {
    return opened(open(below("files", "plain"), O_WRONLY | O_APPEND | O_CLOEXEC));
}
static long create_among_files(void) {
    return opened(open(below("files", "made"), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
}

static long read_through_hard_link(void) {
    const char *name = in_state("hard");
    unlink(name);
    if (link(below("home", ".ssh/id"), name) != 0) return -1;
    long result = reads_secret_at(name);
    int error = errno;
    unlink(name);
    return result == 0 ? 0 : denied(error);
}

static long read_by_prefix(const char *prefix) {
    char path[1200];
    snprintf(path, sizeof path, "%s%s", prefix, below("home", ".ssh/id"));
    return reads_secret_at(path);
}

static long read_through_own_root(void) { return read_by_prefix("/proc/self/root"); }
static long read_through_own_thread(void) { return read_by_prefix("/proc/thread-self/root"); }
static long read_through_own_folder(void) {
    char prefix[80];
    snprintf(prefix, sizeof prefix, "/proc/self/cwd/%s", climb);
    return read_by_prefix(prefix);
}

static long read_through(long process, const char *part) {
    char prefix[80];
    snprintf(prefix, sizeof prefix, "/proc/%ld/%s", process, part);
    return read_by_prefix(prefix);
}

static long read_through_daemon(void) { return read_through(target_number("daemon"), "root"); }
static long read_through_parent(void) { return read_through(getppid(), "root"); }
static long read_through_first_process(void) { return read_through(1, "root"); }
static long read_through_victim(void) { return read_through(target_number("victim"), "cwd/../../../../../../../.."); }

// A secret that somebody else holds open.
static long read_open_file_of_victim(void) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/fd/%ld", target_number("victim"), target_number("victim-file"));
    return reads_secret_at(path);
}

// Every descriptor that was left open, by itself and by its name in /proc.
static long climb_from_descriptors(void) {
    char below_it[1200], by_name[1300];
    int tried = 0;
    snprintf(below_it, sizeof below_it, "%s%s", climb, below("home", ".ssh/id"));
    for (int descriptor = 0; descriptor < 1024; descriptor++) {
        if (fcntl(descriptor, F_GETFD) < 0) continue;
        tried++;
        if (reads_secret(openat(descriptor, below_it, O_RDONLY | O_CLOEXEC)) == 0) return 0;
        snprintf(by_name, sizeof by_name, "/proc/self/fd/%d/%s", descriptor, below_it);
        if (reads_secret_at(by_name) == 0) return 0;
        snprintf(by_name, sizeof by_name, "/proc/self/fdinfo/%d/%s", descriptor, below_it);
        if (reads_secret_at(by_name) == 0) return 0;
    }
    remark("%d descriptors", tried);
    return denied(ENOENT);
}

static long climb_by_changing_folder(void) {
    char path[1200];
    int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (root >= 0) {
        int left = fchdir(root);
        (void)left;
        close(root);
    }
    for (int step = 0; step < 40; step++) {
        if (chdir("..") != 0) break;
    }
    snprintf(path, sizeof path, ".%s", below("home", ".ssh/id"));
    return reads_secret_at(path);
}

static long leave_a_root_within_the_root(void) {
    int root = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    mkdir(in_state("inner"), 0700);
    if (chroot(in_state("inner")) != 0) {
        opened(root);
        return -1;
    }
    if (root < 0 || fchdir(root) != 0) return -1;
    return climb_by_changing_folder();
}

// The old root and what a covered folder holds are found by names from the time before, if they are still there.
static long read_detached_root(void) {
    static const char *const names[] = {"/oldroot", "/old", "/.old", "/put_old", "/tmp", "/mnt", "/newroot"};
    for (size_t index = 0; index < sizeof names / sizeof *names; index++) {
        if (read_by_prefix(names[index]) == 0) return 0;
    }
    return denied(ENOENT);
}

static long handle_of(const char *path, struct file_handle **handle) {
    int mount = 0;
    *handle = calloc(1, sizeof **handle + MAX_HANDLE_SZ);
    (*handle)->handle_bytes = MAX_HANDLE_SZ;
    return name_to_handle_at(AT_FDCWD, path, *handle, &mount, 0);
}

static long name_a_handle(void) {
    struct file_handle *handle;
    long result = handle_of("/usr", &handle);
    free(handle);
    return result;
}

// The test made this handle of the secret; a plugin could count inode numbers up instead.
static long open_by_handle(void) {
    const char *text = target("handle");
    if (*text == '\0') return ABSENT;
    struct file_handle *handle = calloc(1, sizeof *handle + MAX_HANDLE_SZ);
    unsigned type = 0, byte = 0;
    int used = 0;
    sscanf(text, "%u:%n", &type, &used);
    handle->handle_type = (int)type;
    for (text += used; sscanf(text, "%2x", &byte) == 1; text += 2) {
        handle->f_handle[handle->handle_bytes++] = (unsigned char)byte;
    }
    int folder = open(in_state("."), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int file = open_by_handle_at(folder, handle, O_RDONLY | O_CLOEXEC);
    int error = errno;
    opened(folder);
    free(handle);
    return file >= 0 ? reads_secret(file) : denied(error);
}

static char race_folder[1024], race_link[1024];
static atomic_int is_racing;
static atomic_uint exchanges;

// Exchanges a folder and a symbolic link that leads out, until it is told to stop.
static void *exchange(void *unused) {
    (void)unused;
    while (atomic_load(&is_racing)) {
        renameat2(AT_FDCWD, race_folder, AT_FDCWD, race_link, RENAME_EXCHANGE);
        atomic_fetch_add(&exchanges, 1);
        sched_yield();
    }
    return NULL;
}

// A check that looks at the name first and opens it afterwards would be fooled once in a while.
static long race_a_symbolic_link(void) {
    char inside[1100];
    snprintf(race_folder, sizeof race_folder, "%s", in_state("race"));
    snprintf(race_link, sizeof race_link, "%s", in_state("race-link"));
    mkdir(race_folder, 0700);
    unlink(race_link);
    if (symlink(below("home", ".ssh"), race_link) != 0) return -1;
    snprintf(inside, sizeof inside, "%s/id", race_folder);
    pthread_t thread;
    atomic_store(&is_racing, 1);
    if (pthread_create(&thread, NULL, exchange, NULL) != 0) return denied(EAGAIN);
    long result = -1;
    for (int turn = 0; turn < 500 && result != 0; turn++) {
        // The two may share a processor.
        for (unsigned seen = atomic_load(&exchanges); atomic_load(&exchanges) == seen;) sched_yield();
        result = reads_secret_at(inside);
    }
    atomic_store(&is_racing, 0);
    pthread_join(thread, NULL);
    return result == 0 ? 0 : denied(EACCES);
}

static long open_beneath_nothing(void) {
    // RESOLVE_* flags are promises to oneself: without them the same climb must be refused.
    struct { unsigned long long flags, mode, resolve; } how = {.flags = O_RDONLY | O_CLOEXEC};
    char path[1200];
    snprintf(path, sizeof path, "%s%s", climb, below("home", ".ssh/id"));
    return reads_secret((int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how));
}

const struct attempt path_attempts[] = {
    {.name = "read through a symbolic link", .run = read_through_symbolic_link},
    {.name = "read a granted file", .run = read_among_files},
    {.name = "read through a link among granted files", .run = read_through_link_among_files},
    {.name = "write a granted file", .run = write_among_files},
    {.name = "create a file among granted files", .run = create_among_files},
    {.name = "read through a hard link", .run = read_through_hard_link},
    {.name = "read through /proc/self/root", .run = read_through_own_root},
    {.name = "read through /proc/thread-self/root", .run = read_through_own_thread},
    {.name = "read through /proc/self/cwd", .run = read_through_own_folder},
    {.name = "read through the daemon's root", .run = read_through_daemon},
    {.name = "read through the parent's root", .run = read_through_parent},
    {.name = "read through the root of process 1", .run = read_through_first_process},
    {.name = "read through another's folder", .run = read_through_victim},
    {.name = "read a file that another holds open", .run = read_open_file_of_victim},
    {.name = "climb from kept descriptors", .run = climb_from_descriptors},
    {.name = "climb by changing folder", .run = climb_by_changing_folder},
    {.name = "leave a root within the root", .run = leave_a_root_within_the_root},
    {.name = "read the root of before", .run = read_detached_root},
    {.name = "openat2 outside", .run = open_beneath_nothing},
    {.name = "make a handle of a file", .run = name_a_handle},
    {.name = "open a secret by its handle", .run = open_by_handle},
    {.name = "race a symbolic link in the state folder", .run = race_a_symbolic_link},
    {.name = NULL},
};
