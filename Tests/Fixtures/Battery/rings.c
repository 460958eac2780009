// io_uring: system calls that no filter sees, since the kernel makes them by itself.

#define _GNU_SOURCE
#include "battery.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <netinet/in.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static long make_ring(void) {
    struct io_uring_params parameters = {0};
    return opened((int)syscall(SYS_io_uring_setup, 4, &parameters));
}

static long register_without_ring(void) {
    // Descriptor -1 with this number is a call of its own: it needs no ring.
    return syscall(SYS_io_uring_register, -1, 0, NULL, 0) >= 0 || errno != EPERM ? errno == ENOSYS ? -1 : 0 : -1;
}

static void *map(int ring, size_t length, off_t offset) {
    return mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring, offset);
}

// Lets the kernel do one thing, and returns what came of it.
static long ask_ring(const struct io_uring_sqe *request) {
    struct io_uring_params made = {0};
    int ring = (int)syscall(SYS_io_uring_setup, 1, &made);
    if (ring < 0) return -1;
    size_t submitted = made.sq_off.array + made.sq_entries * sizeof(uint32_t);
    size_t completed = made.cq_off.cqes + made.cq_entries * sizeof(struct io_uring_cqe);
    size_t entries = made.sq_entries * sizeof *request;
    char *submissions = map(ring, submitted, IORING_OFF_SQ_RING);
    char *completions = map(ring, completed, IORING_OFF_CQ_RING);
    struct io_uring_sqe *list = map(ring, entries, IORING_OFF_SQES);
    long result = -1;
    if (submissions != MAP_FAILED && completions != MAP_FAILED && list != MAP_FAILED) {
        *list = *request;
        *(uint32_t *)(submissions + made.sq_off.array) = 0;
        __atomic_store_n((uint32_t *)(submissions + made.sq_off.tail), 1, __ATOMIC_RELEASE);
        if (syscall(SYS_io_uring_enter, ring, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) == 1) {
            int answer = ((struct io_uring_cqe *)(completions + made.cq_off.cqes))->res;
            result = answer >= 0 ? answer : denied(-answer);
        }
    }
    int error = errno;
    munmap(submissions, submitted);
    munmap(completions, completed);
    munmap(list, entries);
    close(ring);
    errno = error;
    return result;
}

static long open_by_ring(void) {
    struct io_uring_sqe request = {.opcode = IORING_OP_OPENAT, .fd = AT_FDCWD, .open_flags = O_RDONLY};
    request.addr = (uintptr_t)below("home", ".ssh/id");
    return reads_secret((int)ask_ring(&request));
}

static long socket_by_ring(void) {
    enum { make_socket = 45 };
    struct io_uring_sqe request = {.opcode = make_socket, .fd = AF_INET, .off = SOCK_STREAM};
    return opened((int)ask_ring(&request));
}

const struct attempt ring_attempts[] = {
    {.name = "make a ring", .run = make_ring},
    {.name = "register without a ring", .run = register_without_ring},
    {.name = "open a secret by a ring", .run = open_by_ring},
    {.name = "make a socket by a ring", .run = socket_by_ring},
    {.name = NULL},
};
