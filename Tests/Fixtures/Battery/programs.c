// New processes, other programs, and more rights for this one.

#define _GNU_SOURCE
#include "battery.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static long reaped(pid_t child) {
    if (child == 0) _exit(0);
    if (child > 0) waitpid(child, NULL, __WALL);
    return child;
}

static long make_child(void) { return reaped(fork()); }
static long make_child_without_copy(void) {
    // As vfork() does it, with a stack of its own.
    return reaped((pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
}

static long make_child_by_clone3(void) {
    struct clone_args arguments = {.exit_signal = SIGCHLD};
    return reaped((pid_t)syscall(SYS_clone3, &arguments, sizeof arguments));
}

static long make_many_children(void) {
    enum { most = 400 };
    static pid_t children[most];
    int count = 0;
    while (count < most) {
        pid_t child = fork();
        if (child == 0) {
            pause();
            _exit(0);
        }
        if (child < 0) break;
        children[count++] = child;
    }
    int error = errno;
    for (int index = 0; index < count; index++) {
        kill(children[index], SIGKILL);
        waitpid(children[index], NULL, 0);
    }
    remark("%d children", count);
    return count > 0 ? 0 : denied(error);
}

static int run_shell(void *unused) {
    char *arguments[] = {"sh", "-c", "exit 0", NULL};
    (void)unused;
    execv("/bin/sh", arguments);
    _exit(errno);
}

static long exec_shell_here(void) {
    char *arguments[] = {"sh", "-c", "exit 0", NULL};
    return execv("/bin/sh", arguments);
}

static long exec_shell(void) { return in_child(exec_shell_here); }

// A child that shares this memory looks much like a thread.
static long exec_from_sharing_child(void) {
    static char stack[65536] __attribute__((aligned(16)));
    int status = 0;
    pid_t child = clone(run_shell, stack + sizeof stack, CLONE_VM | CLONE_FILES | CLONE_FS | SIGCHLD, NULL);
    if (child < 0) return -1;
    waitpid(child, &status, __WALL);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : denied(WIFEXITED(status) ? WEXITSTATUS(status) : EINTR);
}

static int copy_of_program(void) {
    char bytes[65536];
    int program = open("/usr/bin/true", O_RDONLY | O_CLOEXEC), copy = memfd_create("copy", 0);
    if (program < 0 || copy < 0) return -1;
    for (ssize_t length; (length = read(program, bytes, sizeof bytes)) > 0;) {
        if (write(copy, bytes, (size_t)length) != length) return -1;
    }
    close(program);
    return copy;
}

static long exec_memory_here(void) {
    char *arguments[] = {"true", NULL}, *environment[] = {NULL};
    int copy = copy_of_program();
    return copy < 0 ? -1 : syscall(SYS_execveat, copy, "", arguments, environment, AT_EMPTY_PATH);
}

static long exec_memory(void) { return in_child(exec_memory_here); }

static long exec_own_file_here(void) {
    char bytes[65536], *arguments[] = {"own", NULL};
    int copy = copy_of_program(), file = open(in_state("own"), O_WRONLY | O_CREAT | O_CLOEXEC, 0700);
    if (copy < 0 || file < 0) return -1;
    lseek(copy, 0, SEEK_SET);
    for (ssize_t length; (length = read(copy, bytes, sizeof bytes)) > 0;) {
        if (write(file, bytes, (size_t)length) != length) return -1;
    }
    fchmod(file, 0700);
    close(file);
    return execv(in_state("own"), arguments);
}

static long exec_own_file(void) { return in_child(exec_own_file_here); }

static long exec_loader_here(void) {
    char *arguments[] = {"loader", "/usr/bin/true", NULL};
    return execv("/lib64/ld-linux-x86-64.so.2", arguments);
}

static long exec_by_loader(void) { return in_child(exec_loader_here); }

// The test's program exits with 0 only if it runs with another user's rights.
static long exec_setuid_here(void) {
    char *arguments[] = {"other-user", NULL};
    return execv(target("setuid"), arguments);
}

static long exec_setuid(void) { return *target("setuid") != '\0' ? in_child(exec_setuid_here) : ABSENT; }

static long outlive_host(void) {
    if (prctl(PR_SET_PDEATHSIG, 0) != 0) return -1;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    return 0;
}

// Also from the host, which cannot count what it has open then.
static long hide_memory(void) { return prctl(PR_SET_DUMPABLE, 0) == 0 && prctl(PR_GET_DUMPABLE) == 0 ? 0 : -1; }

static int end_at_once(void *unused) {
    (void)unused;
    syscall(SYS_exit, 0);
    return 0;
}

// /proc shows the open files of a process by its first thread's.
static long hide_descriptors(void) {
    static char stack[65536] __attribute__((aligned(16)));
    const int flags = CLONE_VM | CLONE_FS | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM;
    return clone(end_at_once, stack + sizeof stack, flags, NULL);
}

static long be_dumpable(void) { return prctl(PR_SET_DUMPABLE, 1); }
static long let_all_trace(void) { return prctl(PR_SET_PTRACER, -1L); }
static long be_a_reaper(void) { return prctl(PR_SET_CHILD_SUBREAPER, 1); }
static long undo_no_new_privileges(void) { return prctl(PR_SET_NO_NEW_PRIVS, 0, 0, 0, 0); }
static long raise_ambient(void) { return prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_SYS_ADMIN, 0, 0); }
static long change_secure_bits(void) { return prctl(PR_SET_SECUREBITS, 0); }
static long change_executable(void) { return prctl(PR_SET_MM, PR_SET_MM_EXE_FILE, 0, 0, 0); }
static long dispatch_calls(void) { return prctl(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_OFF, 0, 0, 0); }

static long become_root_here(void) { return getuid() == 0 ? setresuid(65533, 65533, 65533) : setresuid(0, 0, 0); }
static long become_another_user(void) { return in_child(become_root_here); }
static long change_groups_here(void) {
    gid_t group = 6;
    return syscall(SYS_setgroups, 1, &group);
}
static long change_groups(void) { return in_child(change_groups_here); }

static long raise_capabilities_here(void) {
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct data[2] = {{1u << CAP_SYS_ADMIN, 1u << CAP_SYS_ADMIN, 0}};
    return syscall(SYS_capset, &header, data);
}
static long raise_capabilities(void) { return in_child(raise_capabilities_here); }

// What a filter of its own could do: lie to itself in the guise of the kernel, or answer for calls.
static long filter_with_listener_here(void) {
    return syscall(SYS_seccomp, 1, 1 << 3, NULL) == 0 || errno == EFAULT ? 0 : -1;
}
static long filter_with_listener(void) { return in_child(filter_with_listener_here); }

static long leave_session_here(void) { return setsid(); }
static long leave_session(void) { return in_child(leave_session_here); }
static long join_group(void) { return setpgid(0, (pid_t)target_number("victim")); }

static long write_own(const char *file, const char *text) {
    int descriptor = open(file, O_WRONLY | O_CLOEXEC);
    if (descriptor < 0) return -1;
    ssize_t length = write(descriptor, text, strlen(text));
    int error = errno;
    close(descriptor);
    return length > 0 ? 0 : denied(error);
}

static long write_user_map(void) { return write_own("/proc/self/uid_map", "0 0 1"); }
static long write_group_map(void) { return write_own("/proc/self/gid_map", "0 0 1"); }
static long write_setgroups(void) { return write_own("/proc/self/setgroups", "allow"); }
static long be_killed_last(void) { return write_own("/proc/self/oom_score_adj", "-900"); }
static long leave_cgroup(void) { return write_own("/sys/fs/cgroup/cgroup.procs", "0"); }
static long leave_audit(void) { return write_own("/proc/self/loginuid", "4294967295"); }

static long raise_limit(void) {
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max = limit.rlim_max + 1;
    return setrlimit(RLIMIT_NOFILE, &limit);
}

static long be_real_time(void) {
    struct sched_param highest = {.sched_priority = 1};
    if (sched_setscheduler(0, SCHED_FIFO, &highest) != 0) return -1;
    highest.sched_priority = 0;
    sched_setscheduler(0, SCHED_OTHER, &highest);
    return 0;
}

static long be_preferred(void) { return setpriority(PRIO_PROCESS, 0, -5); }

const struct attempt program_attempts[] = {
    {.name = "make a child", .run = make_child},
    {.name = "make a child by clone", .run = make_child_without_copy},
    {.name = "make a child by clone3", .run = make_child_by_clone3},
    {.name = "make 400 children", .run = make_many_children},
    {.name = "run a shell", .run = exec_shell},
    {.name = "run a shell in a sharing child", .run = exec_from_sharing_child},
    {.name = "run a program from memory", .run = exec_memory},
    {.name = "run a program of its own", .run = exec_own_file},
    {.name = "run a program by the loader", .run = exec_by_loader},
    {.name = "run a setuid program", .run = exec_setuid},
    {.name = "outlive the host", .run = outlive_host},
    {.name = "hide its memory", .run = hide_memory, .is_alone = 1},
    {.name = "hide its open files in a thread", .run = hide_descriptors},
    {.name = "be dumpable again", .run = be_dumpable},
    {.name = "let everybody trace it", .run = let_all_trace},
    {.name = "collect orphans", .run = be_a_reaper},
    {.name = "undo no_new_privs", .run = undo_no_new_privileges},
    {.name = "raise an ambient capability", .run = raise_ambient},
    {.name = "change secure bits", .run = change_secure_bits},
    {.name = "change its executable's name", .run = change_executable},
    {.name = "dispatch system calls", .run = dispatch_calls},
    {.name = "become another user", .run = become_another_user},
    {.name = "change its groups", .run = change_groups},
    {.name = "raise capabilities", .run = raise_capabilities},
    {.name = "filter with a listener", .run = filter_with_listener},
    {.name = "leave its session", .run = leave_session},
    {.name = "join a process group", .run = join_group},
    {.name = "write its user map", .run = write_user_map},
    {.name = "write its group map", .run = write_group_map},
    {.name = "allow setgroups", .run = write_setgroups},
    {.name = "be killed last", .run = be_killed_last},
    {.name = "leave its cgroup", .run = leave_cgroup},
    {.name = "change its audit user", .run = leave_audit},
    {.name = "raise a limit", .run = raise_limit},
    {.name = "be real-time", .run = be_real_time},
    {.name = "be preferred", .run = be_preferred},
    {.name = NULL},
};
