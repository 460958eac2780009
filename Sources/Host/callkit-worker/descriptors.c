// Closing what leaked through exec: close_range where the kernel has it, else /proc, else one by one.

#define _GNU_SOURCE
#include "descriptors.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static int close_range_of(unsigned first, unsigned last) {
#ifdef SYS_close_range
    if (first > last) return 0;
    return (int)syscall(SYS_close_range, first, last, 0);
#else
    (void)first;
    (void)last;
    return -1;
#endif
}

static int is_kept(int descriptor, const int *kept, int count) {
    for (int index = 0; index < count; index++) {
        if (kept[index] == descriptor) return 1;
    }
    return 0;
}

// Closes the ranges between the kept ones, from the lowest up.
static int close_ranges(const int *kept, int count) {
    unsigned first = STDERR_FILENO + 1;
    for (;;) {
        unsigned next = ~0U;
        for (int index = 0; index < count; index++) {
            if (kept[index] >= (int)first && (unsigned)kept[index] < next) next = (unsigned)kept[index];
        }
        if (next == ~0U) return close_range_of(first, ~0U);
        if (close_range_of(first, next - 1) != 0) return -1;
        first = next + 1;
    }
}

// Closing while reading can make readdir skip entries, so it starts over until a pass finds nothing.
static int close_listed(const int *kept, int count) {
    for (int found = 1; found;) {
        DIR *folder = opendir("/proc/self/fd");
        if (folder == NULL) return -1;
        found = 0;
        for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
            int descriptor = atoi(entry->d_name);
            if (descriptor <= STDERR_FILENO || descriptor == dirfd(folder)) continue;
            if (is_kept(descriptor, kept, count)) continue;
            if (close(descriptor) == 0) found = 1;
        }
        closedir(folder);
    }
    return 0;
}

void close_all_but(const int *kept, int count) {
    if (close_ranges(kept, count) != 0 && close_listed(kept, count) != 0) {
        long limit = sysconf(_SC_OPEN_MAX);
        for (int descriptor = STDERR_FILENO + 1; descriptor < limit; descriptor++) {
            if (!is_kept(descriptor, kept, count)) close(descriptor);
        }
    }
    // A file that the plugin opens must not become its standard output. open() gives the lowest free number.
    for (int descriptor; (descriptor = open("/dev/null", O_RDWR)) >= 0;) {
        if (descriptor > STDERR_FILENO) {
            close(descriptor);
            break;
        }
    }
}
