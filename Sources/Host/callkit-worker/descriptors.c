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

// Closing while reading can make readdir skip entries, so it starts over until a pass finds nothing.
static int close_listed(int one, int other) {
    for (int found = 1; found;) {
        DIR *folder = opendir("/proc/self/fd");
        if (folder == NULL) return -1;
        found = 0;
        for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
            int descriptor = atoi(entry->d_name);
            if (descriptor <= STDERR_FILENO || descriptor == one || descriptor == other ||
                descriptor == dirfd(folder))
                continue;
            if (close(descriptor) == 0) found = 1;
        }
        closedir(folder);
    }
    return 0;
}

void close_all_but(int one, int other) {
    unsigned low = (unsigned)(one < other ? one : other), high = (unsigned)(one < other ? other : one);
    int is_done = close_range_of(STDERR_FILENO + 1, low - 1) == 0 && close_range_of(low + 1, high - 1) == 0 &&
                  close_range_of(high + 1, ~0U) == 0;
    if (!is_done && close_listed(one, other) != 0) {
        long limit = sysconf(_SC_OPEN_MAX);
        for (int descriptor = STDERR_FILENO + 1; descriptor < limit; descriptor++) {
            if (descriptor != one && descriptor != other) close(descriptor);
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
