// Namespaces and mounts: more rights by a new namespace, and the old root by another's.

#define _GNU_SOURCE
#include "battery.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef SYS_statmount
#define SYS_statmount 457
#define SYS_listmount 458
#endif

static const char *mount_point(void) {
    mkdir(in_state("mount"), 0700);
    return in_state("mount");
}

static long mount_here(void) { return mount("none", mount_point(), "tmpfs", 0, 0); }
static long bind_here(void) { return mount(target("home"), mount_point(), NULL, MS_BIND, NULL); }
static long make_writable(void) { return mount(NULL, "/usr", NULL, MS_REMOUNT | MS_BIND, NULL); }
static long make_root_writable(void) { return mount(NULL, "/", NULL, MS_REMOUNT | MS_BIND, NULL); }
static long mount_proc(void) { return mount("proc", mount_point(), "proc", 0, NULL); }

static long unmount_proc(void) { return umount2("/proc", MNT_DETACH); }
static long unmount_own_folder(void) { return umount2(in_state("."), MNT_DETACH); }
static long change_root(void) { return chroot(mount_point()); }
static long exchange_root(void) { return syscall(SYS_pivot_root, "/", "/"); }
static long clone_tree(void) { return opened((int)syscall(SYS_open_tree, AT_FDCWD, "/", 1 | O_CLOEXEC)); }
static long open_file_system(void) { return opened((int)syscall(SYS_fsopen, "tmpfs", 1)); }

static long set_mount_attributes(void) {
    struct { uint64_t set, clear, propagation, user; } attributes = {.clear = 1};
    return syscall(SYS_mount_setattr, AT_FDCWD, "/", 0, &attributes, sizeof attributes);
}

static long list_mounts(void) {
    struct { uint32_t size, spare; uint64_t mount, last, space; } request = {.size = 24, .mount = UINT64_MAX};
    uint64_t found[16];
    return syscall(SYS_listmount, &request, found, 16, 0);
}

static long describe_mount(void) {
    struct { uint32_t size, spare; uint64_t mount, mask, space; } request = {.size = 24, .mount = 1, .mask = 1};
    char about[512];
    long result = syscall(SYS_statmount, &request, about, sizeof about, 0);
    return result >= 0 || errno == ENOENT ? 0 : -1;
}

static long new_user_here(void) { return syscall(SYS_unshare, CLONE_NEWUSER); }
static long new_user(void) { return in_child(new_user_here); }
static long new_mounts_here(void) { return syscall(SYS_unshare, CLONE_NEWNS); }
static long new_mounts(void) { return in_child(new_mounts_here); }

// The way that a sandbox takes itself: with a namespace of its own it could mount.
static long nested_here(void) {
    if (syscall(SYS_unshare, CLONE_NEWUSER | CLONE_NEWNS) != 0) return -1;
    return mount("none", mount_point(), "tmpfs", 0, NULL);
}
static long nested(void) { return in_child(nested_here); }

static long clone_user(void) {
    pid_t child = (pid_t)syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0);
    if (child == 0) _exit(0);
    if (child > 0) waitpid(child, NULL, 0);
    return child;
}

static long join(long process, const char *kind) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/ns/%s", process, kind);
    int space = open(path, O_RDONLY | O_CLOEXEC);
    if (space < 0) return -1;
    long result = setns(space, 0);
    int error = errno;
    close(space);
    return result == 0 ? 0 : denied(error);
}

static long join_mounts_here(void) { return join(target_number("victim"), "mnt"); }
static long join_mounts(void) { return in_child(join_mounts_here); }
static long join_user_here(void) { return join(target_number("daemon"), "user"); }
static long join_user(void) { return in_child(join_user_here); }
static long join_parent_here(void) { return join(getppid(), "mnt"); }
static long join_parent(void) { return in_child(join_parent_here); }
static long join_own_here(void) { return join(getpid(), "mnt"); }
static long join_own(void) { return in_child(join_own_here); }

static long join_by_process_here(void) {
    int process = (int)syscall(SYS_pidfd_open, target_number("victim"), 0);
    return process < 0 ? -1 : setns(process, CLONE_NEWNS | CLONE_NEWUSER);
}
static long join_by_process(void) { return in_child(join_by_process_here); }

const struct attempt mount_attempts[] = {
    {.name = "mount", .run = mount_here},
    {.name = "bind the home folder", .run = bind_here},
    {.name = "make a system folder writable", .run = make_writable},
    {.name = "make the root writable", .run = make_root_writable},
    {.name = "mount /proc", .run = mount_proc},
    {.name = "unmount /proc", .run = unmount_proc},
    {.name = "unmount its state folder", .run = unmount_own_folder},
    {.name = "change the root", .run = change_root},
    {.name = "exchange the root", .run = exchange_root},
    {.name = "clone a tree of mounts", .run = clone_tree},
    {.name = "open a file system", .run = open_file_system},
    {.name = "set attributes of a mount", .run = set_mount_attributes},
    {.name = "list mounts", .run = list_mounts},
    {.name = "describe a mount", .run = describe_mount},
    {.name = "make a user namespace", .run = new_user},
    {.name = "make a mount namespace", .run = new_mounts},
    {.name = "mount in a nested namespace", .run = nested},
    {.name = "clone into a user namespace", .run = clone_user},
    {.name = "join the mounts of a process", .run = join_mounts},
    {.name = "join the daemon's user namespace", .run = join_user},
    {.name = "join the parent's mounts", .run = join_parent},
    {.name = "join its own mounts again", .run = join_own},
    {.name = "join by a process descriptor", .run = join_by_process},
    {.name = NULL},
};
