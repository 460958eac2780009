// Numbers that the headers of older systems lack. System calls since 5.1 have one number on every architecture.
#pragma once

#include <stdint.h>
#include <sys/syscall.h>

#define NR_OPEN_TREE 428
#define NR_MOVE_MOUNT 429
#define NR_CLOSE_RANGE 436
#define NR_PIDFD_GETFD 438
#define NR_MOUNT_SETATTR 442
#define NR_LANDLOCK_CREATE 444
#define NR_LANDLOCK_ADD 445
#define NR_LANDLOCK_RESTRICT 446
// The newest system call that this code knows: file_setattr, of 6.17.
#define NR_NEWEST 469

#define MOUNT_EMPTY_PATH 0x1000u
#define MOUNT_RECURSIVE 0x8000u
#define MOUNT_CLONE 1u
#define MOUNT_FROM_EMPTY_PATH 4u

struct mount_attributes {
    uint64_t set, clear, propagation, user_namespace;
};
