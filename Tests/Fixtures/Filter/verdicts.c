// Runs the filter of the sandbox for system calls with their arguments, and compares its verdicts with those
// expected: for each combination of grants, in a small interpreter of filter programs. Built with filter.c in place,
// for this architecture or another one, whose programs an emulator runs: no kernel takes part.

#define _GNU_SOURCE
#include "filter.c"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>

enum { VARIANTS = 32 };

static struct program program;
static int checked, wrong;

static unsigned long long verdict(const struct seccomp_data *data) {
    unsigned value = 0;
    for (unsigned place = 0; place < program.count; place++) {
        const struct sock_filter *step = &program.list[place];
        switch (step->code) {
        case BPF_LD | BPF_W | BPF_ABS: memcpy(&value, (const char *)data + step->k, sizeof value); break;
        case BPF_ALU | BPF_AND | BPF_K: value &= step->k; break;
        case BPF_JMP | BPF_JA: place += step->k; break;
        case BPF_JMP | BPF_JEQ | BPF_K: place += value == step->k ? step->jt : step->jf; break;
        case BPF_JMP | BPF_JGE | BPF_K: place += value >= step->k ? step->jt : step->jf; break;
        case BPF_RET | BPF_K: return step->k;
        default: return ~0ull;
        }
    }
    return ~0ull;
}

enum { ALLOWED = SECCOMP_RET_ALLOW, ASKED = SECCOMP_RET_USER_NOTIF };

static unsigned error(int number) { return SECCOMP_RET_ERRNO | (unsigned)number; }

static void compare(const char *what, unsigned expected, const struct seccomp_data *data) {
    const unsigned long long found = verdict(data);
    checked += 1;
    if (found == expected) return;
    wrong += 1;
    printf("%s: the verdict is %#llx, expected %#x\n", what, found, expected);
}

static void expect(const char *what, unsigned expected, int number, unsigned long long a, unsigned long long b, int c) {
    const struct seccomp_data data = {.nr = number, .arch = ARCHITECTURE, .args = {a, b, (unsigned)c}};
    compare(what, expected, &data);
}

static void expect_map(const char *what, unsigned expected, unsigned flags) {
    const struct seccomp_data data = {.nr = __NR_mmap, .arch = ARCHITECTURE, .args = {0, 4096, 3, flags}};
    compare(what, expected, &data);
}

static void prepare(const struct filter_terms *terms) {
    memset(&program, 0, sizeof program);
    build(&program, terms);
    if (program.is_full) printf("the program does not fit\n"), wrong += 1;
}

static void expect_processes(void) {
    const unsigned own = (unsigned)getpid(), no = error(EPERM);
    expect("a thread", ALLOWED, __NR_clone, CLONE_VM | CLONE_THREAD | CLONE_FS | CLONE_FILES | CLONE_SIGHAND, 0, 0);
    expect("a thread with files of its own", no, __NR_clone, CLONE_VM | CLONE_THREAD | CLONE_FS | CLONE_SIGHAND, 0, 0);
    expect("a process", no, __NR_clone, SIGCHLD, 0, 0);
    expect("a process that shares memory", no, __NR_clone, CLONE_VM | CLONE_VFORK | SIGCHLD, 0, 0);
    expect("a thread in a namespace", no, __NR_clone, CLONE_VM | CLONE_THREAD | CLONE_NEWUSER, 0, 0);
    expect("clone3", error(ENOSYS), __NR_clone3, 0, 0, 0);
    expect("execve", no, __NR_execve, 0, 0, 0);
    expect("a signal to oneself", ALLOWED, __NR_kill, own, SIGTERM, 0);
    expect("a signal to the parent", no, __NR_kill, own - 1, SIGTERM, 0);
    expect("a signal to the group", no, __NR_kill, 0, SIGTERM, 0);
    expect("a signal to all", no, __NR_kill, ~0ull, SIGTERM, 0);
    expect("the own priority", ALLOWED, __NR_setpriority, 0, 0, 1);
    expect("the priority of the user", no, __NR_setpriority, 2, 0, 1);
    expect("the priority of another", no, __NR_setpriority, 0, own - 1, 1);
    expect("the limits of another", no, __NR_prlimit64, own - 1, 0, 0);
    expect("hide from the parent's end", no, __NR_prctl, PR_SET_PDEATHSIG, 0, 0);
    expect("show the memory", no, __NR_prctl, PR_SET_DUMPABLE, 1, 0);
    expect("name a thread", ALLOWED, __NR_prctl, PR_SET_NAME, 0, 0);
    expect("ptrace", no, __NR_ptrace, 0, 0, 0);
}

static void expect_files(const struct filter_terms *terms) {
    const unsigned no = error(EPERM), with_mounts = terms->has_mounts ? ALLOWED : no;
    expect("the owner of signals", no, __NR_fcntl, 3, F_SETOWN, 0);
    expect("a lease", no, __NR_fcntl, 3, F_SETLEASE, 0);
    expect("a larger pipe", no, __NR_fcntl, 3, F_SETPIPE_SZ, 0);
    expect("a file in memory", error(ENOSYS), __NR_memfd_create, 0, 0, 0);
    expect("flags of a file", ALLOWED, __NR_fcntl, 3, F_SETFL, 0);
    expect("type into a terminal", no, __NR_ioctl, 0, 0x5412, 0);
    expect("the owner of signals, by ioctl", no, __NR_ioctl, 3, 0x8901, 0);
    expect("an ioctl of a device", terms->devices ? ALLOWED : no, __NR_ioctl, 3, 0x4004550D, 0);
    expect("times of an open file", ALLOWED, __NR_utimensat, 3, 0, 0);
    expect("times of a name", with_mounts, __NR_utimensat, 3, 0x100000000, 0);
    expect("the mode of a name", with_mounts, __NR_fchmodat, 3, 0, 0);
    expect("allocate", ALLOWED, __NR_fallocate, 3, 0, 0);
    expect("allocate beyond the end", error(EOPNOTSUPP), __NR_fallocate, 3, 1, 0);
    expect("open", ALLOWED, __NR_openat, 3, 0, O_TRUNC);
    expect("open with access mode 3", with_mounts, __NR_openat, 3, 0, 3);
    expect("watch what is read", no, __NR_inotify_add_watch, 3, 0, IN_ALL_EVENTS);
    expect("watch what is changed", with_mounts, __NR_inotify_add_watch, 3, 0, IN_MODIFY | IN_CREATE | IN_DELETE);
    expect_map("memory", ALLOWED, MAP_PRIVATE | MAP_ANONYMOUS);
    expect_map("a file", ALLOWED, MAP_SHARED);
    expect_map("shared memory", no, MAP_SHARED | MAP_ANONYMOUS);
    expect_map("shared memory by its other name", no, MAP_SHARED_VALIDATE | MAP_ANONYMOUS);
    expect("mount", no, __NR_mount, 0, 0, 0);
    expect("io_uring", no, __NR_io_uring_setup, 0, 0, 0);
    expect("a call of the future", error(ENOSYS), NR_NEWEST + 1, 0, 0, 0);
    expect("no number", error(ENOSYS), -1, 0, 0, 0);
}

static void expect_sockets(const struct filter_terms *terms) {
    const unsigned no = error(EACCES), network = terms->network ? ALLOWED : no, sockets = terms->sockets ? ALLOWED : no;
    const unsigned connects = terms->is_brokered ? ASKED : ALLOWED;
    expect("a Unix stream", sockets, __NR_socket, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    expect("Unix packets", sockets, __NR_socket, AF_UNIX, SOCK_SEQPACKET, 0);
    expect("Unix datagrams", no, __NR_socket, AF_UNIX, SOCK_DGRAM, 0);
    expect("Unix datagrams by their other name", no, __NR_socket, AF_UNIX, SOCK_RAW, 0);
    expect("TCP", network, __NR_socket, AF_INET, SOCK_STREAM, 0);
    expect("UDP", network, __NR_socket, AF_INET6, SOCK_DGRAM, 17);
    expect("TCP by its number", network, __NR_socket, AF_INET6, SOCK_STREAM | SOCK_NONBLOCK, 6);
    expect("DCCP", no, __NR_socket, AF_INET, SOCK_DCCP, 0);
    expect("SCTP", no, __NR_socket, AF_INET6, SOCK_SEQPACKET, 0);
    expect("raw packets", no, __NR_socket, AF_INET, SOCK_RAW, 6);
    expect("MPTCP", no, __NR_socket, AF_INET, SOCK_STREAM, 262);
    expect("routes", network, __NR_socket, AF_NETLINK, SOCK_RAW, 0);
    expect("events of devices", no, __NR_socket, AF_NETLINK, SOCK_RAW, 15);
    expect("packets", no, __NR_socket, AF_PACKET, SOCK_RAW, 0);
    expect("the crypto of the kernel", no, __NR_socket, AF_ALG, SOCK_SEQPACKET, 0);
    expect("a pair", ALLOWED, __NR_socketpair, AF_UNIX, SOCK_STREAM, 0);
    expect("a pair of datagrams", error(EPERM), __NR_socketpair, AF_UNIX, SOCK_DGRAM, 0);
    expect("connect", terms->network || terms->sockets ? connects : error(EPERM), __NR_connect, 3, 0, 0);
    expect("bind", terms->network ? ALLOWED : error(EPERM), __NR_bind, 3, 0, 0);
}

static void expect_old_landlock(void) {
    prepare(&(struct filter_terms){.landlock = 2});
    expect("empty a file that is read", error(EPERM), __NR_openat, 3, 0, O_RDONLY | O_TRUNC);
    expect("empty a file that is written", ALLOWED, __NR_openat, 3, 0, O_WRONLY | O_TRUNC);
    expect("empty a file with access mode 3", error(EPERM), __NR_openat, 3, 0, O_TRUNC | 3);
    expect("openat2", error(ENOSYS), __NR_openat2, 3, 0, 0);
    expect("truncate", error(EPERM), __NR_truncate, 0, 0, 0);
}

// The guard lets every open() go on that it is asked about.
static void expect_reports(void) {
    prepare(&(struct filter_terms){.landlock = 2, .reports_denied = 1});
    expect("empty a file that is read", error(EPERM), __NR_openat, 3, 0, O_RDONLY | O_TRUNC);
    expect("open with access mode 3", error(EPERM), __NR_openat, 3, 0, 3);
    expect("open", ASKED, __NR_openat, 3, 0, O_RDONLY);
    prepare(&(struct filter_terms){.landlock = 7, .reports_denied = 1});
    expect("open", ASKED, __NR_openat, 3, 0, O_RDONLY);
    expect("a process", ASKED, __NR_clone, SIGCHLD, 0, 0);
    expect("a socket", ASKED, __NR_socket, AF_INET, SOCK_STREAM, 0);
    expect("clone3", error(ENOSYS), __NR_clone3, 0, 0, 0);
    expect("read", ALLOWED, __NR_read, 3, 0, 0);
}

static void expect_children(void) {
    prepare(&(struct filter_terms){.keeps_children = 1});
    expect("a process", ALLOWED, __NR_clone, SIGCHLD, 0, 0);
    expect("its namespaces", ALLOWED, __NR_unshare, CLONE_NEWUSER | CLONE_NEWNS, 0, 0);
    expect("its mounts", ALLOWED, __NR_mount, 0, 0, 0);
    expect("a socket", error(EACCES), __NR_socket, AF_UNIX, SOCK_STREAM, 0);
    expect("a link", ALLOWED, __NR_socketpair, AF_UNIX, SOCK_SEQPACKET, 0);
    expect("ptrace", error(EPERM), __NR_ptrace, 0, 0, 0);
    expect("io_uring", error(ENOSYS), __NR_io_uring_setup, 0, 0, 0);
    expect("open with access mode 3", ALLOWED, __NR_openat, 3, 0, 3);
    prepare(&(struct filter_terms){.keeps_children = 1, .landlock = 2});
    expect("open with access mode 3", error(EPERM), __NR_openat, 3, 0, 3);
    expect("open", ALLOWED, __NR_openat, 3, 0, O_RDWR | O_CREAT | O_TRUNC);
    expect("truncate", error(EPERM), __NR_truncate, 0, 0, 0);
    prepare(&(struct filter_terms){.keeps_children = 1, .landlock = 3});
    expect("truncate", ALLOWED, __NR_truncate, 0, 0, 0);
}

int main(void) {
    for (int variant = 0; variant < VARIANTS; variant++) {
        const struct filter_terms terms = {
            .network = variant & 1, .sockets = (variant & 2) != 0, .devices = (variant & 4) != 0,
            .has_mounts = (variant & 8) != 0, .is_brokered = (variant & 16) != 0, .landlock = 7};
        prepare(&terms);
        expect_processes();
        expect_files(&terms);
        expect_sockets(&terms);
        const struct seccomp_data foreign = {.nr = __NR_read, .arch = AUDIT_ARCH_I386};
        if (verdict(&foreign) != SECCOMP_RET_KILL_PROCESS) printf("another architecture gets in\n"), wrong += 1;
    }
    expect_old_landlock();
    expect_reports();
    expect_children();
    printf("%d verdicts, %d wrong\n", checked, wrong);
    return wrong != 0;
}
