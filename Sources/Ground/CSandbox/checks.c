// The checks of arguments. Only those in registers can be checked: what a pointer leads to may change afterwards.

#define _GNU_SOURCE
#include "checks.h"

#include "kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <sched.h>
#include <stddef.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define ITEMS(list) (sizeof(list) / sizeof *(list))

unsigned emit(struct program *program, unsigned code, unsigned char if_true, unsigned char if_false, unsigned value) {
    if (program->count == PROGRAM_ROOM) {
        program->is_full = 1;
        return 0;
    }
    program->list[program->count] = (struct sock_filter){(unsigned short)code, if_true, if_false, value};
    return program->count++;
}

unsigned emit_if_equal(struct program *program, unsigned value, unsigned char if_true, unsigned char if_false) {
    return emit(program, BPF_JMP | BPF_JEQ | BPF_K, if_true, if_false, value);
}

unsigned emit_return(struct program *program, unsigned value) { return emit(program, BPF_RET | BPF_K, 0, 0, value); }

static void load(struct program *program, size_t offset) {
    emit(program, BPF_LD | BPF_W | BPF_ABS, 0, 0, (unsigned)offset);
}

unsigned emit_load_architecture(struct program *program) {
    load(program, offsetof(struct seccomp_data, arch));
    return program->count - 1;
}

unsigned emit_load_number(struct program *program) {
    load(program, offsetof(struct seccomp_data, nr));
    return program->count - 1;
}

// Loads the low half of an argument; the kernel ignores the high half of an int. Both machines are little-endian.
static void load_argument(struct program *program, int index) {
    load(program, offsetof(struct seccomp_data, args) + 8 * (size_t)index);
}

static void mask(struct program *program, unsigned bits) { emit(program, BPF_ALU | BPF_AND | BPF_K, 0, 0, bits); }

static void refuse(struct program *program, int error) {
    const int is_asked = program->asks_guard && error != ENOSYS && error != EOPNOTSUPP;
    emit_return(program, is_asked ? SECCOMP_RET_USER_NOTIF : SECCOMP_RET_ERRNO | (unsigned)error);
}

static void allow(struct program *program) { emit_return(program, SECCOMP_RET_ALLOW); }

static void allow_if(struct program *program, unsigned value) {
    emit_if_equal(program, value, 0, 1);
    allow(program);
}

static void refuse_if(struct program *program, unsigned value, int error) {
    emit_if_equal(program, value, 0, 1);
    refuse(program, error);
}

// Begins what happens if the value is equal; it ends with a return, and after it end_if().
static unsigned begin_if(struct program *program, unsigned value) { return emit_if_equal(program, value, 0, 0); }

static void end_if(struct program *program, unsigned begin) {
    program->list[begin].jf = (unsigned char)(program->count - begin - 1);
}

static void allow_listed(struct program *program, int argument, const unsigned *values, size_t count) {
    load_argument(program, argument);
    for (size_t index = 0; index < count; index++) allow_if(program, values[index]);
    refuse(program, EPERM);
}

void emit_outcome(struct program *program, enum outcome outcome) {
    switch (outcome) {
    case OUTCOME_ALLOWED: allow(program); return;
    case OUTCOME_REFUSED: refuse(program, EPERM); return;
    case OUTCOME_NO_ACCESS: refuse(program, EACCES); return;
    case OUTCOME_UNKNOWN: refuse(program, ENOSYS); return;
    case OUTCOME_ASK_GUARD: emit_return(program, SECCOMP_RET_USER_NOTIF); return;
    default: break;
    }
    if (program->jump_count == JUMPS) program->is_full = 1;
    if (program->is_full) return;
    program->jumps[program->jump_count].check = (unsigned char)outcome;
    program->jumps[program->jump_count++].place = (unsigned short)emit(program, BPF_JMP | BPF_JA, 0, 0, 0);
}

// A thread, and nothing else. One with open files of its own would hide them: /proc shows those of the first thread.
static void check_clone(struct program *program) {
    const unsigned namespaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER |
                                CLONE_NEWPID | CLONE_NEWNET;
    load_argument(program, 0);
    mask(program, namespaces | CLONE_THREAD | CLONE_VM | CLONE_FILES);
    allow_if(program, CLONE_THREAD | CLONE_VM | CLONE_FILES);
    refuse(program, EPERM);
}

// The priority of this process alone: the "0" of a user or of a group is all of their processes.
static void check_priority(struct program *program) {
    load_argument(program, 0);
    emit_if_equal(program, 0, 1, 0);
    refuse(program, EPERM);
    allow_listed(program, 1, (const unsigned[]){0, (unsigned)getpid()}, 2);
}

// Not shared memory without a file: all of it stays as long as one page is mapped, and no limit counts it.
static void check_map(struct program *program) {
    const unsigned shared = MAP_SHARED | MAP_ANONYMOUS;
    load_argument(program, 3);
    mask(program, shared);
    refuse_if(program, shared, EPERM);
    allow(program);
}

// What is changed may be watched, not what is read: the programs that the user starts are, and their files.
static void check_watch(struct program *program) {
    load_argument(program, 2);
    mask(program, IN_ACCESS | IN_OPEN | IN_CLOSE_NOWRITE);
    allow_if(program, 0);
    refuse(program, EPERM);
}

// Plain allocation: with other modes, what a file takes is not its length, which the limit bounds.
static void check_allocation(struct program *program) {
    load_argument(program, 1);
    allow_if(program, 0);
    refuse(program, EOPNOTSUPP);
}

// Not who gets signals of a descriptor, nor leases, which hold up others, nor larger pipes, which a user has few of.
static void check_fcntl(struct program *program) {
    enum { get_seals = 1034 };
    static const unsigned commands[] = {
        F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_GETLK, F_SETLK, F_SETLKW, F_OFD_GETLK,
        F_OFD_SETLK, F_OFD_SETLKW, F_GETOWN, F_GETPIPE_SZ, get_seals,
    };
    allow_listed(program, 1, commands, ITEMS(commands));
}

// Of a granted device all but what types into terminals, loads drivers for them, or sends signals to others.
static void check_ioctl(struct program *program, const struct filter_terms *terms) {
    static const unsigned common[] = {FIONREAD, FIONBIO, FIOCLEX, FIONCLEX, TCGETS, TIOCGWINSZ, FIOQSIZE};
    static const unsigned of_network[] = {
        SIOCGIFNAME, SIOCGIFCONF, SIOCGIFFLAGS, SIOCGIFADDR, SIOCGIFBRDADDR, SIOCGIFNETMASK, SIOCGIFMTU, SIOCGIFHWADDR,
        SIOCGIFINDEX, SIOCGSTAMP,
    };
    static const unsigned never[] = {
        TIOCSTI, TIOCLINUX, TIOCSETD, TIOCCONS, TIOCSCTTY, TIOCSPGRP, FIOASYNC, FIOSETOWN, SIOCSPGRP,
    };
    load_argument(program, 1);
    if (terms->devices) {
        for (size_t index = 0; index < ITEMS(never); index++) refuse_if(program, never[index], EPERM);
        allow(program);
        return;
    }
    for (size_t index = 0; index < ITEMS(common); index++) allow_if(program, common[index]);
    for (size_t index = 0; index < ITEMS(of_network) && terms->network; index++) allow_if(program, of_network[index]);
    refuse(program, EPERM);
}

// A process may hide its memory from others of the user, and not show it again. The guard reads addresses there, so
// with a broker nothing happens, which is the gap `memory`.
static void check_dumpable(struct program *program, const struct filter_terms *terms) {
    const int needs_memory = terms->is_brokered || terms->reports_denied;
    load_argument(program, 1);
    emit_if_equal(program, 0, 0, 1);
    emit_return(program, needs_memory ? SECCOMP_RET_ERRNO : SECCOMP_RET_ALLOW);
    refuse(program, EPERM);
}

static void check_prctl(struct program *program, const struct filter_terms *terms) {
    enum { name_memory = 0x53564d41 };
    static const unsigned options[] = {
        PR_SET_NAME, PR_GET_NAME, PR_GET_DUMPABLE, PR_SET_TIMERSLACK, PR_GET_TIMERSLACK, PR_GET_NO_NEW_PRIVS,
        PR_GET_PDEATHSIG, PR_CAPBSET_READ, PR_GET_SECCOMP, PR_SET_THP_DISABLE, PR_GET_THP_DISABLE, name_memory,
    };
    load_argument(program, 0);
    const unsigned begin = begin_if(program, PR_SET_DUMPABLE);
    check_dumpable(program, terms);
    end_if(program, begin);
    allow_listed(program, 0, options, ITEMS(options));
}

// Loads the type of a socket, without its flags.
static void load_type(struct program *program) {
    enum { types = 0xF };
    load_argument(program, 1);
    mask(program, types);
}

// A Unix socket with a connection: others send to any name. The kernel makes a datagram socket of SOCK_RAW.
static void allow_connected_types(struct program *program, int error) {
    load_type(program);
    allow_if(program, SOCK_STREAM);
    allow_if(program, SOCK_SEQPACKET);
    refuse(program, error);
}

static void check_pair(struct program *program) {
    load_argument(program, 0);
    emit_if_equal(program, AF_UNIX, 1, 0);
    refuse(program, EPERM);
    allow_connected_types(program, EPERM);
}

// TCP and UDP, by their numbers or as the protocol 0 of their types. With another type, 0 is another protocol.
static void allow_internet_protocols(struct program *program) {
    load_type(program);
    emit_if_equal(program, SOCK_STREAM, 2, 0);
    emit_if_equal(program, SOCK_DGRAM, 1, 0);
    refuse(program, EACCES);
    load_argument(program, 2);
    allow_if(program, 0);
    allow_if(program, IPPROTO_TCP);
    allow_if(program, IPPROTO_UDP);
    refuse(program, EACCES);
}

// Not the many protocols beside TCP, UDP and the routes of netlink: the kernel would load them.
static void check_socket(struct program *program, const struct filter_terms *terms) {
    load_argument(program, 0);
    if (terms->sockets) {
        const unsigned begin = begin_if(program, AF_UNIX);
        allow_connected_types(program, EACCES);
        end_if(program, begin);
    }
    static const int families[] = {AF_INET, AF_INET6};
    for (size_t index = 0; index < ITEMS(families) && terms->network; index++) {
        const unsigned begin = begin_if(program, (unsigned)families[index]);
        allow_internet_protocols(program);
        end_if(program, begin);
    }
    if (terms->network) {
        const unsigned begin = begin_if(program, AF_NETLINK);
        load_argument(program, 2);
        allow_if(program, 0);
        refuse(program, EACCES);
        end_if(program, begin);
    }
    refuse(program, EACCES);
}

// Times of an open file, which has no name.
static void check_times(struct program *program) {
    load(program, offsetof(struct seccomp_data, args) + 8 + 4);
    emit_if_equal(program, 0, 1, 0);
    refuse(program, EPERM);
    allow_listed(program, 1, (const unsigned[]){0}, 1);
}

// The guard lets go on what it is asked about files: so what is refused here must not become a question. Access mode 3
// neither reads nor writes, so Landlock lets it pass: but it can empty a file, and its descriptor leads to the mode.
static void check_open(struct program *program, const struct filter_terms *terms, int argument) {
    enum { access = 3, landlock_of_truncation = 3 };
    load_argument(program, argument);
    mask(program, access);
    emit_if_equal(program, access, 0, 1);
    emit_return(program, SECCOMP_RET_ERRNO | EPERM);
    if (terms->landlock < landlock_of_truncation) {
        load_argument(program, argument);
        mask(program, O_TRUNC | access);
        emit_if_equal(program, O_TRUNC, 0, 1);
        emit_return(program, SECCOMP_RET_ERRNO | EPERM);
    }
    emit_return(program, program->asks_guard ? SECCOMP_RET_USER_NOTIF : SECCOMP_RET_ALLOW);
}

static void check_terminal(struct program *program) {
    load_argument(program, 1);
    refuse_if(program, TIOCSTI, EPERM);
    refuse_if(program, TIOCLINUX, EPERM);
    allow(program);
}

static void emit_check(struct program *program, enum outcome check, const struct filter_terms *terms) {
    const unsigned own[] = {(unsigned)getpid(), 0};
    switch (check) {
    case CHECK_CLONE: check_clone(program); break;
    case CHECK_OWN: allow_listed(program, 0, own, 1); break;
    case CHECK_CALLER: allow_listed(program, 0, own + 1, 1); break;
    case CHECK_OWN_OR_CALLER: allow_listed(program, 0, own, 2); break;
    case CHECK_PRIORITY: check_priority(program); break;
    case CHECK_ALLOCATION: check_allocation(program); break;
    case CHECK_FCNTL: check_fcntl(program); break;
    case CHECK_IOCTL: check_ioctl(program, terms); break;
    case CHECK_PRCTL: check_prctl(program, terms); break;
    case CHECK_MAP: check_map(program); break;
    case CHECK_WATCH: check_watch(program); break;
    case CHECK_SOCKET: check_socket(program, terms); break;
    case CHECK_PAIR: check_pair(program); break;
    case CHECK_TIMES: check_times(program); break;
    case CHECK_OPEN: check_open(program, terms, 1); break;
    case CHECK_OPENAT: check_open(program, terms, 2); break;
    case CHECK_TERMINAL: check_terminal(program); break;
    default: refuse(program, EPERM); break;
    }
}

void emit_checks(struct program *program, const struct filter_terms *terms) {
    for (int check = CHECK_CLONE; check < CHECK_END; check++) {
        const unsigned place = program->count;
        int is_used = 0;
        for (unsigned index = 0; index < program->jump_count; index++) {
            if (program->jumps[index].check != check) continue;
            program->list[program->jumps[index].place].k = place - program->jumps[index].place - 1;
            is_used = 1;
        }
        if (is_used) emit_check(program, (enum outcome)check, terms);
    }
}
