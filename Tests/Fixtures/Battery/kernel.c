// The kernel's own doors: keys, programs in the kernel, counters, clocks, modules, and what it tells of itself.
//
// What would change the machine is called with arguments that the kernel refuses once it has looked at the rights: then
// EINVAL or the like says that the attempt got that far.

#define _GNU_SOURCE
#include "battery.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/keyctl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/ioctl.h>
#include <sys/klog.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

// It got as far as the arguments.
static long reached(long result) {
    return result >= 0 || errno == EINVAL || errno == EFAULT || errno == ENOENT || errno == EBADF ? 0 : -1;
}

static long new_keyring(void) { return syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID, KEY_SPEC_SESSION_KEYRING, 0); }
static long search_keys(void) {
    long result = syscall(SYS_keyctl, KEYCTL_SEARCH, KEY_SPEC_USER_KEYRING, "user", "absent", 0);
    return result >= 0 || errno == ENOKEY ? 0 : -1;
}
static long add_key(void) { return syscall(SYS_add_key, "user", "battery", "x", 1, KEY_SPEC_PROCESS_KEYRING); }
static long request_key(void) {
    return syscall(SYS_request_key, "user", "battery-absent", NULL, 0) >= 0 || errno == ENOKEY ? 0 : -1;
}

static long kernel_program(void) {
    uint32_t attributes[32] = {2, 4, 4, 1};
    return opened((int)syscall(SYS_bpf, 0, attributes, sizeof attributes));
}

static long performance_counter(void) {
    struct { uint32_t type, size; uint64_t rest[16]; } attributes = {1, 112, {0}};
    attributes.rest[4] = 1 << 5 | 1 << 6;
    return opened((int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0));
}

static long fault_handler(void) { return opened((int)syscall(SYS_userfaultfd, O_CLOEXEC | 1)); }
static long watch_all_files(void) { return opened((int)syscall(SYS_fanotify_init, 0x200, O_RDONLY)); }
static long change_personality(void) {
    long before = personality(0xFFFFFFFF);
    if (before < 0 || personality((unsigned long)before | ADDR_NO_RANDOMIZE) < 0) return -1;
    personality((unsigned long)before);
    return 0;
}

static long read_kernel_log(void) {
    char text[256];
    return klogctl(3, text, sizeof text);
}
static long open_kernel_log(void) { return opened(open("/dev/kmsg", O_RDONLY | O_CLOEXEC | O_NONBLOCK)); }
static long write_kernel_setting(void) {
    return opened(open("/proc/sys/kernel/core_pattern", O_WRONLY | O_CLOEXEC));
}
static long read_kernel_setting(void) { return reads_anything("/proc/sys/kernel/random/boot_id"); }
static long read_kernel_symbols(void) { return reads_anything("/proc/kallsyms"); }
static long read_partitions(void) { return reads_anything("/proc/partitions"); }
static long read_command_line(void) { return reads_anything("/proc/cmdline"); }
static long read_hardware(void) { return reads_anything("/sys/class/dmi/id/sys_vendor"); }
static long press_system_request(void) { return opened(open("/proc/sysrq-trigger", O_WRONLY | O_CLOEXEC)); }
static long list_sockets(void) { return reads_anything("/proc/self/net/unix"); }
static long list_connections(void) { return reads_anything("/proc/self/net/tcp"); }
static long list_sockets_by_thread(void) { return reads_anything("/proc/thread-self/net/unix"); }
static long list_own_mounts(void) { return reads_anything("/proc/self/mountinfo"); }
static long read_own_cgroup(void) { return reads_anything("/proc/self/cgroup"); }

static long restart(void) { return reached(syscall(SYS_reboot, 1, 2, 3, NULL)); }
static long set_clock(void) {
    struct timespec wrong = {.tv_nsec = -1};
    return reached(syscall(SYS_clock_settime, CLOCK_REALTIME, &wrong));
}
static long adjust_clock(void) {
    char nothing[256] = {0};
    return syscall(SYS_clock_adjtime, CLOCK_REALTIME, nothing);
}
static long name_machine(void) { return reached(syscall(SYS_sethostname, NULL, -1L)); }
static long load_module(void) { return reached(syscall(SYS_finit_module, -1, "", 0)); }
static long unload_module(void) { return reached(syscall(SYS_delete_module, "battery-absent", O_NONBLOCK)); }
static long load_kernel(void) { return reached(syscall(SYS_kexec_load, 0UL, 100UL, NULL, 0UL)); }
static long use_swap(void) { return reached(syscall(SYS_swapon, "/battery-absent", 0)); }
static long change_quota(void) { return reached(syscall(SYS_quotactl, 0x800007 << 8, "/battery-absent", 0, NULL)); }
static long keep_accounts(void) { return reached(syscall(SYS_acct, "/battery-absent")); }

#ifdef __x86_64__
static long reach_ports(void) { return syscall(SYS_ioperm, 0x80UL, 1UL, 1); }
static long reach_all_ports(void) { return syscall(SYS_iopl, 0); }
static long change_descriptors(void) {
    char description[16] = {0};
    return reached(syscall(SYS_modify_ldt, 0, description, sizeof description));
}
#endif

static long type_into_terminal(void) {
    char letter = 'x';
    int results[3];
    for (int descriptor = 0; descriptor < 3; descriptor++) results[descriptor] = ioctl(descriptor, TIOCSTI, &letter);
    return results[0] == 0 || results[1] == 0 || results[2] == 0 ? 0 : -1;
}

static long take_terminal(void) { return ioctl(0, TIOCSCTTY, 1) == 0 ? 0 : -1; }

static long shared_memory(void) {
    int made = shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600);
    if (made < 0) return -1;
    shmctl(made, IPC_RMID, NULL);
    return 0;
}

static long list_shared_memory(void) {
    struct shmid_ds about;
    return shmctl(0, 14, &about);
}

static long semaphore(void) {
    long made = syscall(SYS_semget, IPC_PRIVATE, 1, IPC_CREAT | 0600);
    if (made < 0) return -1;
    syscall(SYS_semctl, made, 0, IPC_RMID, 0);
    return 0;
}

static long message_queue(void) {
    long made = syscall(SYS_msgget, IPC_PRIVATE, IPC_CREAT | 0600);
    if (made < 0) return -1;
    syscall(SYS_msgctl, made, IPC_RMID, NULL);
    return 0;
}

static long posix_queue(void) {
    long made = syscall(SYS_mq_open, "battery-escape", O_CREAT | O_RDWR | O_CLOEXEC, 0600, NULL);
    if (made < 0) return -1;
    close((int)made);
    syscall(SYS_mq_unlink, "battery-escape");
    return 0;
}

static long secret_memory(void) { return opened((int)syscall(SYS_memfd_secret, O_CLOEXEC)); }
static long own_landlock(void) {
    uint64_t handled = 1;
    return opened((int)syscall(SYS_landlock_create_ruleset, &handled, sizeof handled, 0));
}

static long writable_code(void) {
    void *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? -1 : munmap(memory, 4096);
}

const struct attempt kernel_attempts[] = {
    {.name = "use the session's keyring", .run = new_keyring},
    {.name = "search the user's keys", .run = search_keys},
    {.name = "add a key", .run = add_key},
    {.name = "request a key", .run = request_key},
    {.name = "put a program into the kernel", .run = kernel_program},
    {.name = "count performance", .run = performance_counter},
    {.name = "handle page faults", .run = fault_handler},
    {.name = "watch all files", .run = watch_all_files},
    {.name = "change its personality", .run = change_personality},
    {.name = "read the kernel's log", .run = read_kernel_log},
    {.name = "open /dev/kmsg", .run = open_kernel_log},
    {.name = "write a kernel setting", .run = write_kernel_setting},
    {.name = "read a kernel setting", .run = read_kernel_setting},
    {.name = "read the kernel's symbols", .run = read_kernel_symbols},
    {.name = "read the partitions", .run = read_partitions},
    {.name = "read the kernel's command line", .run = read_command_line},
    {.name = "read what the machine is", .run = read_hardware},
    {.name = "press system request", .run = press_system_request},
    {.name = "list the machine's sockets", .run = list_sockets},
    {.name = "list the machine's sockets as a thread", .run = list_sockets_by_thread},
    {.name = "list the machine's connections", .run = list_connections},
    {.name = "read its own mounts", .run = list_own_mounts},
    {.name = "read its own cgroup", .run = read_own_cgroup},
    {.name = "restart the machine", .run = restart},
    {.name = "set the clock", .run = set_clock},
    {.name = "adjust the clock", .run = adjust_clock},
    {.name = "name the machine", .run = name_machine},
    {.name = "load a module", .run = load_module},
    {.name = "unload a module", .run = unload_module},
    {.name = "load a kernel", .run = load_kernel},
    {.name = "use a swap file", .run = use_swap},
    {.name = "change a quota", .run = change_quota},
    {.name = "keep accounts of processes", .run = keep_accounts},
#ifdef __x86_64__
    {.name = "reach ports", .run = reach_ports},
    {.name = "reach all ports", .run = reach_all_ports},
    {.name = "read descriptor tables", .run = change_descriptors},
#endif
    {.name = "type into the terminal", .run = type_into_terminal},
    {.name = "take the terminal", .run = take_terminal},
    {.name = "make System V shared memory", .run = shared_memory},
    {.name = "list System V shared memory", .run = list_shared_memory},
    {.name = "make a System V semaphore", .run = semaphore},
    {.name = "make a System V queue", .run = message_queue},
    {.name = "make a POSIX queue", .run = posix_queue},
    {.name = "make secret memory", .run = secret_memory},
    {.name = "make Landlock rules", .run = own_landlock},
    {.name = "map memory that is writable and executable", .run = writable_code},
    {.name = NULL},
};
