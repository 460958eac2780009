// Taking more than a share: memory, threads, descriptors, files, and what the kernel counts for each user.

#define _GNU_SOURCE
#include "battery.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static long reserve(size_t length) {
    void *memory = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? -1 : munmap(memory, length);
}

static long reserve_much(void) { return reserve(64UL << 30); }
static long take_memory(void) { return reserve(3UL << 30); }

static long lock_memory(void) {
    const size_t length = 16 << 20;
    void *memory = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return -1;
    long result = mlock(memory, length);
    int error = errno;
    munmap(memory, length);
    return result == 0 ? 0 : denied(error);
}

static long open_many(void) {
    static int files[2000];
    int count = 0, error;
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    while (count < 2000 && (files[count] = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0) count++;
    error = errno;
    for (int index = 0; index < count; index++) close(files[index]);
    remark("%d descriptors", count);
    return count == 2000 ? 0 : denied(error);
}

// The kernel counts them for each user: who takes all takes them from the daemon and the desktop.
static long take_all_watchers(void) {
    int watchers[200], count = 0, error;
    while (count < 200 && (watchers[count] = inotify_init1(IN_CLOEXEC)) >= 0) count++;
    error = errno;
    for (int index = 0; index < count; index++) close(watchers[index]);
    remark("%d watchers", count);
    return count >= 64 ? 0 : denied(error);
}

static int watcher, watches;

static int watch_one(const char *path, const struct stat *about, int kind, struct FTW *place) {
    (void)about, (void)kind, (void)place;
    if (inotify_add_watch(watcher, path, IN_DELETE_SELF) < 0) return 1;
    return ++watches == 5000;
}

static long take_many_watches(void) {
    watches = 0;
    if ((watcher = inotify_init1(IN_CLOEXEC)) < 0) return -1;
    nftw("/usr/share", watch_one, 16, FTW_PHYS);
    int error = errno;
    close(watcher);
    remark("%d watches", watches);
    return watches == 5000 ? 0 : denied(error);
}

// The pages of all pipes of a user are counted; with too many, the pipes of others become small.
static long take_pages_of_pipes(void) {
    int ends[80][2], count = 0, error = 0;
    long pages = 0;
    for (; count < 80 && pipe2(ends[count], O_CLOEXEC) == 0; count++) {
        int size = fcntl(ends[count][0], F_SETPIPE_SZ, 1 << 20);
        if (size < 0) error = errno;
        else pages += size >> 12;
    }
    for (int index = 0; index < count; index++) close(ends[index][0]), close(ends[index][1]);
    remark("%ld pages", pages);
    return pages > 8192 ? 0 : denied(error);
}

// Memory that is no part of the process: in files that are in no folder, and that nothing maps.
static long hold_memory_files(void) {
    int files[4], count = 0, error = 0;
    long held = 0;
    for (; count < 4 && (files[count] = memfd_create("held", MFD_CLOEXEC)) >= 0; count++) {
        if (fallocate(files[count], 0, 0, 200 << 20) != 0) error = errno;
        else held += 200;
    }
    if (count < 4) error = errno;
    for (int index = 0; index < count; index++) close(files[index]);
    remark("%ld MiB", held);
    return held > 512 ? 0 : denied(error);
}

// Shared memory stays as long as one page of it is mapped: neither the limits nor the pages in use tell of the rest.
static long hold_shared(int flags, int file) {
    enum { times = 3 };
    const size_t length = 200 << 20, page = 4096;
    char *kept[times];
    int count = 0, error = 0;
    for (; count < times; count++) {
        kept[count] = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED | flags, file, 0);
        if (kept[count] == MAP_FAILED) break;
        memset(kept[count], 1, length);
        munmap(kept[count] + page, length - page);
    }
    if (count < times) error = errno;
    for (int index = 0; index < count; index++) munmap(kept[index], page);
    remark("%d MiB", count * 200);
    return count == times ? 0 : denied(error);
}

static long hold_shared_memory(void) { return hold_shared(MAP_ANONYMOUS, -1); }

static long hold_shared_zeroes(void) {
    int file = open("/dev/zero", O_RDWR | O_CLOEXEC);
    if (file < 0) return -1;
    long result = hold_shared(0, file);
    int error = errno;
    close(file);
    return result == 0 ? 0 : denied(error);
}

// Signals that wait are counted for each user as well.
static long queue_many_signals(void) {
    sigset_t one, before;
    int count = 0;
    sigemptyset(&one);
    sigaddset(&one, SIGRTMAX);
    sigprocmask(SIG_BLOCK, &one, &before);
    while (count < 4000 && sigqueue(getpid(), SIGRTMAX, (union sigval){0}) == 0) count++;
    int error = errno;
    const struct timespec now = {0};
    while (sigtimedwait(&one, NULL, &now) > 0) continue;
    sigprocmask(SIG_SETMASK, &before, NULL);
    remark("%d signals", count);
    return count == 4000 ? 0 : denied(error);
}

static long make_long_file(void) {
    int file = open(in_state("long"), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
    if (file < 0) return -1;
    long result = ftruncate(file, 1L << 40);
    int error = errno;
    close(file);
    unlink(in_state("long"));
    return result == 0 ? 0 : denied(error);
}

static long write_far(void) {
    int file = open(in_state("far"), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
    if (file < 0) return -1;
    long result = pwrite(file, "x", 1, 1L << 33);
    int error = errno;
    close(file);
    unlink(in_state("far"));
    return result == 1 ? 0 : denied(error);
}

static long allocate_file(void) {
    int file = open(in_state("allocated"), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
    if (file < 0) return -1;
    long result = fallocate(file, FALLOC_FL_KEEP_SIZE, 0, 300L << 20);
    int error = errno;
    close(file);
    unlink(in_state("allocated"));
    return result == 0 ? 0 : denied(error);
}

static void *wait_for_ever(void *unused) {
    pause();
    return unused;
}

// Last: they stay.
static long start_threads(void) {
    pthread_attr_t attributes;
    pthread_t thread;
    int count = 0, error = 0;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 65536);
    while (count < 3000 && (error = pthread_create(&thread, &attributes, wait_for_ever, NULL)) == 0) count++;
    remark("%d threads", count);
    return count == 3000 ? 0 : denied(error);
}

const struct attempt resource_attempts[] = {
    {.name = "reserve 64 GiB", .run = reserve_much},
    {.name = "take 3 GiB", .run = take_memory},
    {.name = "lock memory", .run = lock_memory},
    {.name = "open 2000 files", .run = open_many},
    {.name = "take all watchers of the user", .run = take_all_watchers},
    {.name = "take 5000 watches", .run = take_many_watches},
    {.name = "take the user's pages of pipes", .run = take_pages_of_pipes},
    {.name = "hold 600 MiB in memory files", .run = hold_memory_files, .is_alone = 1},
    {.name = "hold 600 MiB of shared memory", .run = hold_shared_memory, .is_alone = 1},
    {.name = "hold 600 MiB of /dev/zero", .run = hold_shared_zeroes, .is_alone = 1},
    {.name = "queue 4000 signals", .run = queue_many_signals},
    {.name = "make a file of 1 TiB", .run = make_long_file},
    {.name = "write far behind the end of a file", .run = write_far},
    {.name = "allocate 300 MiB of disk", .run = allocate_file},
    {.name = "start 3000 threads", .run = start_threads},
    {.name = NULL},
};
