// A plugin that takes more than its bounds and never says hello. -DMODE is what it takes: MEMORY, PROCESSOR, NAMELESS,
// DISK, LARGE_FILE, HIDDEN_MEMORY, HIDDEN_NAMELESS, THREADS or NOTHING. It says when it is loaded.

#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MEMORY, PROCESSOR, NAMELESS, DISK, LARGE_FILE, HIDDEN_MEMORY, HIDDEN_NAMELESS, THREADS, NOTHING };

__attribute__((section(".note.opencallkit"), used, aligned(4))) static const unsigned note[] = {
    12, 24, 1, 0x6e65704f, 0x6c6c6143, 0x0074694b, 1, 0, 1, 0, 6, 3,
};

__attribute__((constructor)) static void begin(void) { fprintf(stderr, "greedy is loaded\n"); }

static const size_t mebibyte = 1 << 20;

/// Stacks are not bounded by the limit on data.
static void take_memory(void) {
    const size_t mebibytes = 600;
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_GROWSDOWN;
    char *start = mmap(NULL, mebibytes * mebibyte, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (start == MAP_FAILED) perror("mmap");
    else memset(start, 1, mebibytes * mebibyte);
}

static const char *name_of(int number) {
    static char name[512];
    snprintf(name, sizeof name, "%s/%d", getenv("HOME"), number);
    return name;
}

static int make(int number) {
    int file = open(name_of(number), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0) perror(name_of(number));
    return file;
}

/// A file that has no name any more.
static int make_nameless(int number) {
    int file = make(number);
    if (unlink(name_of(number)) != 0) perror(name_of(number));
    return file;
}

/// Takes room without writing, which would take processor time.
static void fill_open(int file, int mebibytes) {
    if (fallocate(file, 0, 0, mebibytes * (off_t)mebibyte) != 0) perror("fallocate");
}

static void fill(int file, int mebibytes) {
    fill_open(file, mebibytes);
    close(file);
}

static void take_nameless(void) {
    for (int number = 0; number < 3; number++) fill_open(make_nameless(number), 200);
}

static pthread_t first;

static void *take_alone(void *take) {
    pthread_join(first, NULL);
    ((void (*)(void))take)();
    fprintf(stderr, "greedy has it\n");
    for (;;) pause();
}

/// The process goes on without its first thread, whose files in /proc tell nothing any more.
static void take_without_first_thread(void (*take)(void)) {
    pthread_t thread;
    first = pthread_self();
    if (pthread_create(&thread, NULL, take_alone, (void *)take) != 0) perror("pthread_create");
    pthread_exit(NULL);
}

static void *stay(void *ignored) {
    pause();
    return ignored;
}

/// As many as it gets, at most 1000.
static void start_threads(void) {
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 1 << 16);
    pthread_t thread;
    int count = 1;
    while (count < 1000 && pthread_create(&thread, &small, stay, NULL) == 0) count++;
    fprintf(stderr, "greedy has %d threads\n", count);
}

int opencallkit_plugin_main(int link) {
    struct pollfd end = {.fd = link, .events = 0};
    switch (MODE) {
    case MEMORY: take_memory(); break;
    case PROCESSOR:
        while (poll(&end, 1, 0) == 0) {}
        break;
    case NAMELESS: take_nameless(); break;
    case DISK: for (int number = 0; number < 3; number++) fill(make(number), 100); break;
    case LARGE_FILE:
        // Takes no room: the file has a hole.
        if (pwrite(make(0), "", 1, (off_t)(300 * mebibyte)) < 0) perror("pwrite");
        break;
    case HIDDEN_MEMORY: take_without_first_thread(take_memory); break;
    case HIDDEN_NAMELESS: take_without_first_thread(take_nameless); break;
    case THREADS: start_threads(); break;
    case NOTHING: break;
    }
    fprintf(stderr, "greedy has it\n");
    poll(&end, 1, -1);
    return 0;
}
