// Other processes: looking into them, changing them, holding them up. `victim` stands for any program of the user,
// `other` is another worker.

#define _GNU_SOURCE
#include "battery.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *of_process(long process, const char *part) {
    static char path[64];
    snprintf(path, sizeof path, "/proc/%ld/%s", process, part);
    return path;
}

static long read_environment(void) { return reads_anything(of_process(target_number("daemon"), "environ")); }
static long read_arguments(void) { return reads_anything(of_process(target_number("daemon"), "cmdline")); }
static long read_maps(void) { return reads_anything(of_process(target_number("daemon"), "maps")); }
static long read_status(void) { return reads_anything(of_process(target_number("victim"), "status")); }
static long read_arguments_of_other(void) { return reads_anything(of_process(target_number("other"), "cmdline")); }
static long open_memory(void) { return opened(open(of_process(target_number("victim"), "mem"), O_RDONLY | O_CLOEXEC)); }
static long open_memory_of_parent(void) { return opened(open(of_process(getppid(), "mem"), O_RDWR | O_CLOEXEC)); }

static long list_processes(void) {
    int seen = 0;
    DIR *folder = opendir("/proc");
    if (folder == NULL) return -1;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        int number = atoi(entry->d_name);
        if (number > 0 && number != getpid()) seen++;
    }
    closedir(folder);
    remark("%d others", seen);
    return seen > 0 ? 0 : denied(ENOENT);
}

// An address that is not mapped is reached only by whoever may look into the process.
static long reach_memory(long call, long process) {
    char here[8] = "";
    struct iovec own = {here, sizeof here}, there = {(void *)16, sizeof here};
    return syscall(call, process, &own, 1, &there, 1, 0) >= 0 || errno == EFAULT ? 0 : -1;
}

static long read_memory(void) { return reach_memory(SYS_process_vm_readv, target_number("victim")); }
static long write_memory(void) { return reach_memory(SYS_process_vm_writev, target_number("victim")); }
static long read_memory_of_daemon(void) { return reach_memory(SYS_process_vm_readv, target_number("daemon")); }
static long read_memory_of_parent(void) { return reach_memory(SYS_process_vm_readv, getppid()); }

// Stops the process for a moment to let go of it again.
static long trace(long process) {
    if (ptrace(PTRACE_SEIZE, process, 0, 0) != 0) return -1;
    ptrace(PTRACE_INTERRUPT, process, 0, 0);
    waitpid((pid_t)process, NULL, __WALL);
    ptrace(PTRACE_DETACH, process, 0, 0);
    return 0;
}

static long trace_victim(void) { return trace(target_number("victim")); }
static long trace_daemon(void) { return trace(target_number("daemon")); }
static long trace_other(void) { return trace(target_number("other")); }
static long trace_parent(void) { return trace(getppid()); }
static long be_traced_here(void) { return ptrace(PTRACE_TRACEME, 0, 0, 0); }
static long be_traced(void) { return in_child(be_traced_here); }

static int handle_of_process(const char *name) {
    return (int)syscall(SYS_pidfd_open, target_number(name), 0);
}

static long open_process(void) { return opened(handle_of_process("victim")); }

static long take_descriptor(const char *name) {
    int process = handle_of_process(name);
    if (process < 0) return -1;
    int taken = (int)syscall(SYS_pidfd_getfd, process, 0, 0);
    int error = errno;
    close(process);
    errno = error;
    return opened(taken);
}

static long take_descriptor_of_victim(void) { return take_descriptor("victim"); }
static long take_descriptor_of_daemon(void) { return take_descriptor("daemon"); }

static long advise_memory(void) {
    int process = handle_of_process("victim");
    struct iovec there = {(void *)0, 0};
    if (process < 0) return -1;
    long result = syscall(SYS_process_madvise, process, &there, 1, MADV_COLD, 0);
    int error = errno;
    close(process);
    return result >= 0 ? 0 : denied(error);
}

static long compare_kernel_objects(void) {
    return syscall(SYS_kcmp, getpid(), target_number("victim"), 0, 0, 0);
}

static long ask_for_futexes(void) {
    void *head;
    size_t length;
    return syscall(SYS_get_robust_list, target_number("victim"), &head, &length);
}

static long move_pages_of_victim(void) {
    return syscall(SYS_move_pages, target_number("victim"), 0UL, NULL, NULL, NULL, 0);
}

static long change_priority(void) { return setpriority(PRIO_PROCESS, (id_t)target_number("victim"), 5); }
static long ask_for_priorities(void) {
    // Asks for what the processes of the user have at best: it changes none of them.
    errno = 0;
    return getpriority(PRIO_USER, 0) == -1 && errno != 0 ? -1 : 0;
}

// What tells at least whether there is such a process.
static long ask_for_session(void) { return getsid((pid_t)target_number("victim")); }
static long ask_for_group(void) { return getpgid((pid_t)target_number("victim")); }
static long ask_for_scheduler(void) { return sched_getscheduler((pid_t)target_number("victim")); }
static long ask_for_processors(void) {
    cpu_set_t processors;
    return sched_getaffinity((pid_t)target_number("victim"), sizeof processors, &processors);
}
static long ask_for_io_priority(void) { return syscall(SYS_ioprio_get, 1, target_number("victim")); }
static long ask_for_capabilities(void) {
    unsigned header[2] = {0x20080522, (unsigned)target_number("victim")}, data[6];
    return syscall(SYS_capget, header, data);
}
static long ask_for_clock(void) {
    struct timespec used;
    return clock_gettime((clockid_t)((~(unsigned)target_number("victim") << 3) | 2), &used);
}

static long change_io_priority(void) { return syscall(SYS_ioprio_set, 1, target_number("victim"), 2 << 13 | 4); }

static long change_limits(void) {
    struct rlimit core = {0, 0};
    return syscall(SYS_prlimit64, target_number("victim"), RLIMIT_CORE, &core, NULL);
}

static long read_limits(void) {
    struct rlimit core;
    return syscall(SYS_prlimit64, target_number("victim"), RLIMIT_CORE, NULL, &core);
}

static long bind_to_processors(void) {
    cpu_set_t processors;
    CPU_ZERO(&processors);
    CPU_SET(0, &processors);
    CPU_SET(1, &processors);
    return syscall(SYS_sched_setaffinity, target_number("victim"), sizeof processors, &processors);
}

static long change_scheduler(void) {
    struct sched_param none = {0};
    return sched_setscheduler((pid_t)target_number("victim"), SCHED_BATCH, &none);
}

static long find_daemons_environment(void) {
    char text[8192];
    const char *secret = target("environment-secret");
    if (getenv("BATTERY_SECRET") != NULL) return 0;
    int file = open("/proc/self/environ", O_RDONLY | O_CLOEXEC);
    ssize_t length = file < 0 ? -1 : read(file, text, sizeof text);
    opened(file);
    if (*secret == '\0') return ABSENT;
    return length > 0 && memmem(text, (size_t)length, secret, strlen(secret)) != NULL ? 0 : denied(ENODATA);
}

const struct attempt process_attempts[] = {
    {.name = "read the daemon's environment", .run = read_environment},
    {.name = "find the daemon's environment in its own", .run = find_daemons_environment},
    {.name = "read the daemon's arguments", .run = read_arguments},
    {.name = "read the daemon's memory map", .run = read_maps},
    {.name = "read the status of a process", .run = read_status},
    {.name = "read the arguments of another worker", .run = read_arguments_of_other},
    {.name = "list processes", .run = list_processes},
    {.name = "open the memory of a process", .run = open_memory},
    {.name = "open the memory of the parent", .run = open_memory_of_parent},
    {.name = "read the memory of a process", .run = read_memory},
    {.name = "write the memory of a process", .run = write_memory},
    {.name = "read the daemon's memory", .run = read_memory_of_daemon},
    {.name = "read the parent's memory", .run = read_memory_of_parent},
    {.name = "trace a process", .run = trace_victim},
    {.name = "trace the daemon", .run = trace_daemon},
    {.name = "trace another worker", .run = trace_other},
    {.name = "trace the parent", .run = trace_parent},
    {.name = "be traced", .run = be_traced},
    {.name = "open a process", .run = open_process},
    {.name = "take a descriptor of a process", .run = take_descriptor_of_victim},
    {.name = "take a descriptor of the daemon", .run = take_descriptor_of_daemon},
    {.name = "advise the memory of a process", .run = advise_memory},
    {.name = "compare kernel objects", .run = compare_kernel_objects},
    {.name = "ask for the futexes of a process", .run = ask_for_futexes},
    {.name = "move the pages of a process", .run = move_pages_of_victim},
    {.name = "change the priority of a process", .run = change_priority},
    {.name = "ask for the priorities of the user", .run = ask_for_priorities},
    {.name = "ask for the session of a process", .run = ask_for_session},
    {.name = "ask for the group of a process", .run = ask_for_group},
    {.name = "ask for the scheduler of a process", .run = ask_for_scheduler},
    {.name = "ask for the processors of a process", .run = ask_for_processors},
    {.name = "ask for the disk priority of a process", .run = ask_for_io_priority},
    {.name = "ask for the capabilities of a process", .run = ask_for_capabilities},
    {.name = "ask for the time that a process used", .run = ask_for_clock},
    {.name = "change the disk priority of a process", .run = change_io_priority},
    {.name = "change the limits of a process", .run = change_limits},
    {.name = "read the limits of a process", .run = read_limits},
    {.name = "bind a process to processors", .run = bind_to_processors},
    {.name = "change the scheduler of a process", .run = change_scheduler},
    {.name = NULL},
};
