// Sets the wall clock of a process that preloads this library: write seconds into the file that SET_CLOCK names. Other
// clocks do not change.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *time) {
    long status = syscall(SYS_clock_gettime, clock, time);
    const char *path = getenv("SET_CLOCK");
    if (status != 0 || clock != CLOCK_REALTIME || path == NULL) return (int)status;
    FILE *file = fopen(path, "re");
    if (file == NULL) return 0;
    long seconds = 0;
    if (fscanf(file, "%ld", &seconds) == 1) time->tv_sec += seconds;
    fclose(file);
    return 0;
}
