// A plugin that takes more than its bounds and never says hello. -DMODE is what it takes: MEMORY, PROCESSOR, NAMELESS,
// DISK, LARGE_FILE, THREADS or NOTHING. It says when it is loaded.

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MEMORY, PROCESSOR, NAMELESS, DISK, LARGE_FILE, THREADS, NOTHING };

__attribute__((section(".note.opencallkit"), used, aligned(4))) static const unsigned note[] = {
    12, 24, 1, 0x6e65704f, 0x6c6c6143, 0x0074694b, 1, 0, 1, 0, 6, 3,
};

__attribute__((constructor)) static void begin(void) { fprintf(stderr, "greedy is loaded\n"); }

static const size_t mebibyte = 1 << 20;

/// Shared memory is not bounded by the limit on data.
static void take_memory(size_t mebibytes) {
    char *start = mmap(NULL, mebibytes * mebibyte, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED) perror("mmap");
    else memset(start, 1, mebibytes * mebibyte);
}

static int make(int number) {
    char name[512];
    snprintf(name, sizeof name, "%s/%d", getenv("HOME"), number);
    int file = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0) perror(name);
    return file;
}

/// A file that has no name any more.
static int make_nameless(int number) {
    int file = make(number);
    char name[64];
    snprintf(name, sizeof name, "/proc/self/fd/%d", file);
    char path[512] = "";
    if (readlink(name, path, sizeof path - 1) < 0 || unlink(path) != 0) perror(path);
    return file;
}

static void fill_open(int file, int mebibytes) {
    char *block = calloc(1, mebibyte);
    while (block != NULL && mebibytes-- > 0 && write(file, block, mebibyte) > 0) {}
    free(block);
}

static void fill(int file, int mebibytes) {
    fill_open(file, mebibytes);
    close(file);
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
    case MEMORY: take_memory(600); break;
    case PROCESSOR:
        while (poll(&end, 1, 0) == 0) {}
        break;
    case NAMELESS: for (int number = 0; number < 3; number++) fill_open(make_nameless(number), 200); break;
    case DISK: for (int number = 0; number < 3; number++) fill(make(number), 100); break;
    case LARGE_FILE:
        // Takes no room: the file has a hole.
        if (pwrite(make(0), "", 1, (off_t)(300 * mebibyte)) < 0) perror("pwrite");
        break;
    case THREADS: start_threads(); break;
    case NOTHING: break;
    }
    fprintf(stderr, "greedy has it\n");
    poll(&end, 1, -1);
    return 0;
}
