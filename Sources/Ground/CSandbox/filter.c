// A seccomp filter: a table of what happens with each number, as a tree of comparisons, and behind it the checks of
// arguments. The kernel tries each number once when the filter is installed, so short ways through the tree save time.

#define _GNU_SOURCE
#include "filter.h"

#include "calls.h"
#include "checks.h"
#include "denials.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__x86_64__)
enum { FIRST_OF_X32 = 0x40000000 };
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#error "callkit: the system calls of this architecture are not listed"
#endif

#define ITEMS(list) (sizeof(list) / sizeof *(list))

// What happens with each number: a verdict, or the check to make.
typedef unsigned char outcomes[NR_NEWEST + 1];

static void decide(unsigned char *table, const short *calls, size_t count, enum outcome outcome) {
    for (size_t index = 0; index < count; index++) table[calls[index]] = (unsigned char)outcome;
}

static void decide_on_sockets(unsigned char *table, const struct filter_terms *terms) {
    const int has_sockets = terms->network || terms->sockets;
    table[__NR_socket] = has_sockets ? CHECK_SOCKET : OUTCOME_NO_ACCESS;
    table[__NR_socketpair] = CHECK_PAIR;
    if (has_sockets) table[__NR_connect] = terms->is_brokered ? OUTCOME_ASK_GUARD : OUTCOME_ALLOWED;
    if (terms->network) decide(table, calls_of_network, ITEMS(calls_of_network), OUTCOME_ALLOWED);
}

// Landlock before version 3 lets a file that may be read be emptied, by open() with O_TRUNC. No version looks at what
// is opened with access mode 3.
static void decide_on_opening(unsigned char *table, const struct filter_terms *terms) {
    if (terms->has_mounts || terms->landlock == 0) return;
    if (terms->landlock >= 3) table[__NR_truncate] = OUTCOME_ALLOWED;
#ifdef __NR_open
    table[__NR_open] = CHECK_OPEN;
#endif
    table[__NR_openat] = CHECK_OPENAT;
    // Its flags lie in memory.
    table[__NR_openat2] = OUTCOME_UNKNOWN;
}

static void fill(unsigned char *table, const struct filter_terms *terms) {
    memset(table, OUTCOME_REFUSED, sizeof(outcomes));
    decide(table, allowed_calls, ITEMS(allowed_calls), OUTCOME_ALLOWED);
    if (terms->has_mounts) decide(table, calls_of_mounts, ITEMS(calls_of_mounts), OUTCOME_ALLOWED);
    else table[__NR_utimensat] = CHECK_TIMES;
    if (terms->has_mounts) table[__NR_inotify_add_watch] = CHECK_WATCH;
    table[__NR_mmap] = CHECK_MAP;
    table[__NR_clone] = CHECK_CLONE;
    // Its flags lie in memory, where they can change; the C library falls back on clone().
    table[__NR_clone3] = OUTCOME_UNKNOWN;
    // No limit counts what such a file holds; libraries go on without.
    table[__NR_memfd_create] = OUTCOME_UNKNOWN;
    table[__NR_fcntl] = CHECK_FCNTL;
    table[__NR_ioctl] = CHECK_IOCTL;
    table[__NR_prctl] = CHECK_PRCTL;
    table[__NR_fallocate] = CHECK_ALLOCATION;
    table[__NR_getpriority] = table[__NR_setpriority] = CHECK_PRIORITY;
    table[__NR_getpgid] = table[__NR_getsid] = CHECK_OWN_OR_CALLER;
    table[__NR_sched_setattr] = CHECK_CALLER;
    table[__NR_prlimit64] = table[__NR_sched_setaffinity] = CHECK_OWN_OR_CALLER;
    table[__NR_kill] = table[__NR_tgkill] = CHECK_OWN;
    table[__NR_rt_sigqueueinfo] = table[__NR_rt_tgsigqueueinfo] = CHECK_OWN;
    decide_on_sockets(table, terms);
    decide_on_opening(table, terms);
    for (int number = 0; number <= NR_NEWEST && terms->reports_denied; number++) {
        if (table[number] == OUTCOME_ALLOWED && denials_path_argument(number) >= 0) table[number] = OUTCOME_ASK_GUARD;
    }
}

static void fill_with_children(unsigned char *table, const struct filter_terms *terms) {
    memset(table, OUTCOME_ALLOWED, sizeof(outcomes));
    decide(table, refused_with_children, ITEMS(refused_with_children), OUTCOME_REFUSED);
    table[__NR_socket] = OUTCOME_NO_ACCESS;
    table[__NR_socketpair] = CHECK_PAIR;
    table[__NR_ioctl] = CHECK_TERMINAL;
    table[__NR_io_uring_setup] = table[__NR_io_uring_enter] = table[__NR_io_uring_register] = OUTCOME_UNKNOWN;
    if (!terms->has_mounts && terms->landlock > 0) table[__NR_truncate] = OUTCOME_REFUSED;
    decide_on_opening(table, terms);
}

// Ranges of numbers with the same outcome.
struct ranges {
    unsigned count;
    unsigned short first[NR_NEWEST + 2];
    unsigned char outcome[NR_NEWEST + 2];
};

static void add_range(struct ranges *ranges, unsigned first, unsigned char outcome) {
    if (ranges->count > 0 && ranges->outcome[ranges->count - 1] == outcome) return;
    ranges->first[ranges->count] = (unsigned short)first;
    ranges->outcome[ranges->count++] = outcome;
}

// Decides between the ranges from `low` up to `high`. A comparison cannot jump far, so it jumps over a jump that can.
static void emit_tree(struct program *program, const struct ranges *ranges, unsigned low, unsigned high) {
    if (high - low == 1) {
        emit_outcome(program, ranges->outcome[low]);
        return;
    }
    const unsigned middle = (low + high) / 2;
    emit(program, BPF_JMP | BPF_JGE | BPF_K, 0, 1, ranges->first[middle]);
    const unsigned jump = emit(program, BPF_JMP | BPF_JA, 0, 0, 0);
    emit_tree(program, ranges, low, middle);
    program->list[jump].k = program->count - jump - 1;
    emit_tree(program, ranges, middle, high);
}

static void build(struct program *program, const struct filter_terms *terms) {
    outcomes table;
    program->asks_guard = terms->reports_denied;
    struct ranges ranges = {.count = 0};
    if (terms->keeps_children) fill_with_children(table, terms);
    else fill(table, terms);
    for (unsigned number = 0; number <= NR_NEWEST; number++) add_range(&ranges, number, table[number]);
    // What is newer than this code does not exist: the C library falls back on what it replaces.
    add_range(&ranges, NR_NEWEST + 1, terms->keeps_children ? OUTCOME_ALLOWED : OUTCOME_UNKNOWN);
    emit_load_architecture(program);
    emit_if_equal(program, ARCHITECTURE, 1, 0);
    emit_return(program, SECCOMP_RET_KILL_PROCESS);
    emit_load_number(program);
#ifdef __x86_64__
    emit(program, BPF_JMP | BPF_JGE | BPF_K, 0, 1, FIRST_OF_X32);
    emit_return(program, SECCOMP_RET_ERRNO | ENOSYS);
#endif
    emit_tree(program, &ranges, 0, ranges.count);
    emit_checks(program, terms);
}

int filter_install(const struct filter_terms *terms) {
    struct program *program = calloc(1, sizeof *program);
    if (program == NULL) return -ENOMEM;
    build(program, terms);
    long result = -EOVERFLOW;
    if (!program->is_full) {
        const struct sock_fprog filter = {(unsigned short)program->count, program->list};
        const unsigned flags = terms->is_brokered || terms->reports_denied ? SECCOMP_FILTER_FLAG_NEW_LISTENER : 0;
        result = syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, flags, &filter);
        if (result < 0) result = -errno;
    }
    free(program);
    return (int)result;
}
