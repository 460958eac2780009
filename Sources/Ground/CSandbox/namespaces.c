// User and mount namespace. The user is mapped to itself: files keep their owner, and peers see the same user.
//
// The new root is built in three steps: each place is cloned as a detached mount; a tmpfs becomes the root folder; the
// mounts are attached to it at their paths.

#define _GNU_SOURCE
#include "namespaces.h"

#include "kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

static int put(const char *path, const char *text) {
    const int file = open(path, O_WRONLY | O_CLOEXEC);
    if (file < 0) return -errno;
    const int result = write(file, text, strlen(text)) < 0 ? -errno : 0;
    close(file);
    return result;
}

int namespaces_unshare(struct report *report, int has_own_network) {
    const unsigned user = getuid(), group = getgid();
    char map[64];
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS | (has_own_network ? CLONE_NEWNET : 0)) != 0)
        return report_failure(report, "unshare", errno);
    // Kernels before 3.19 do not have it.
    put("/proc/self/setgroups", "deny");
    snprintf(map, sizeof map, "%u %u 1", user, user);
    int result = put("/proc/self/uid_map", map);
    snprintf(map, sizeof map, "%u %u 1", group, group);
    if (result == 0) result = put("/proc/self/gid_map", map);
    return result == 0 ? 0 : report_failure(report, "user-map", -result);
}

// The kernel counts inotify instances and watches per user, across namespaces. Without a limit, the process could use
// up those of the user's other programs.
static void bound_watches(void) {
    put("/proc/sys/user/max_inotify_instances", "8");
    put("/proc/sys/user/max_inotify_watches", "1024");
}

static int set_attributes(int tree, unsigned flags, uint64_t set) {
    const struct mount_attributes attributes = {.set = set, .propagation = MS_PRIVATE};
    const long result = syscall(NR_MOUNT_SETATTR, tree, "", MOUNT_EMPTY_PATH | flags, &attributes, sizeof attributes);
    return result == 0 ? 0 : -errno;
}

static long set_root(const char *path, unsigned flags, struct mount_attributes attributes) {
    return syscall(NR_MOUNT_SETATTR, AT_FDCWD, path, flags, &attributes, sizeof attributes);
}

// Closes the place's mount; one that was not attached is gone then.
static void let_go(struct place *place) {
    close(place->tree);
    place->tree = -1;
}

// Clones a place with all that is mounted below it; private, so that nothing mounted later shows up in it.
static int clone_place(struct place *place) {
    const unsigned flags = place->is_folder ? MOUNT_RECURSIVE : 0;
    uint64_t set = MS_NOSUID;
    const int is_device = place->access == PLACE_DEVICE || place->access == PLACE_PLAIN_DEVICE;
    if (!is_device && place->access != PLACE_WRITE) set |= MS_RDONLY;
    if (!is_device) set |= MS_NODEV;
    place->tree = (int)syscall(NR_OPEN_TREE, place->file, "", MOUNT_CLONE | MOUNT_EMPTY_PATH | O_CLOEXEC | flags);
    if (place->tree < 0) return -errno;
    const int result = set_attributes(place->tree, flags, set);
    if (result != 0) let_go(place);
    return result;
}

// Makes the folders above a path, and the path itself as an empty folder or file.
static int make_target(const char *path, int is_folder) {
    char name[4096];
    if (strlen(path) >= sizeof name) return -ENAMETOOLONG;
    strcpy(name, path);
    for (char *slash = name + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = '\0';
        mkdir(name, 0755);
        *slash = '/';
    }
    const int result = is_folder ? mkdir(name, 0755) : mknod(name, S_IFREG | 0644, 0);
    return result == 0 || errno == EEXIST ? 0 : -errno;
}

static int attach(struct place *place) {
    const int made = make_target(place->target, place->is_folder);
    if (made != 0) return made;
    const long moved = syscall(NR_MOVE_MOUNT, place->tree, "", AT_FDCWD, place->target, MOUNT_FROM_EMPTY_PATH);
    const int result = moved == 0 ? 0 : -errno;
    let_go(place);
    return result;
}

static void attach_all(struct places *places, struct report *report) {
    const mode_t mask = umask(022);
    for (size_t index = 0; index < places->count; index++) {
        struct place *place = &places->list[index];
        const int result = place->tree < 0 ? 0 : attach(place);
        if (result == 0) continue;
        report_failure(report, "mount", -result);
        report_line(report, "missing %s", place->target);
    }
    for (size_t index = 0; index < places->link_count; index++) {
        const struct place_link *link = &places->links[index];
        make_target(link->name, 0);
        unlink(link->name);
        if (symlink(link->content, link->name) != 0) report_failure(report, "symlink", errno);
    }
    umask(mask);
}

static int is_of_policy(const struct place *place) { return strncmp(place->target, "/proc/", 6) != 0; }

int namespaces_build_root(struct places *places, struct report *report) {
    // A folder that always exists. The tmpfs covers it in this namespace only.
    const char *const base = "/usr";
    for (size_t index = 0; index < places->count; index++) {
        const int result = clone_place(&places->list[index]);
        // One that is on no mount, or on one that must not be cloned, is left out.
        if (result == -EINVAL && is_of_policy(&places->list[index])) {
            report_line(report, "missing %s", places->list[index].target);
        } else if (result != 0 && result != -EINVAL) {
            return report_failure(report, "mounts", -result);
        }
    }
    bound_watches();
    if (mount("tmpfs", base, "tmpfs", MS_NOSUID | MS_NODEV, "size=256k,mode=755") != 0)
        return report_failure(report, "tmpfs", errno);
    if (chdir(base) != 0 || syscall(SYS_pivot_root, ".", ".") != 0) {
        const int error = errno;
        if (chdir("/") != 0 || umount2(base, MNT_DETACH) != 0) report_failure(report, "umount", errno);
        return report_failure(report, "pivot", error);
    }
    // The old root lies over the new one now.
    if (umount2(".", MNT_DETACH) != 0 || chdir("/") != 0) {
        report_failure(report, "pivot", errno);
        return -ENOTRECOVERABLE;
    }
    attach_all(places, report);
    if (set_root("/", 0, (struct mount_attributes){.set = MS_RDONLY}) != 0) report_failure(report, "read-only", errno);
    return 0;
}

// Mounts a place over itself. One to write stays read-only if its file system is.
static void mount_over_itself(struct place *place, struct report *report) {
    if (syscall(NR_MOVE_MOUNT, place->tree, "", AT_FDCWD, place->target, MOUNT_FROM_EMPTY_PATH) != 0) {
        report_failure(report, "mount", errno);
        report_line(report, "missing %s", place->target);
    }
    let_go(place);
}

int namespaces_protect_root(struct places *places, struct report *report) {
    const unsigned flags = MOUNT_CLONE | MOUNT_EMPTY_PATH | MOUNT_RECURSIVE | O_CLOEXEC;
    if (set_root("/", MOUNT_RECURSIVE, (struct mount_attributes){.propagation = MS_PRIVATE}) != 0)
        return report_failure(report, "mounts", errno);
    for (size_t index = 0; index < places->count; index++) {
        struct place *place = &places->list[index];
        if (place->access != PLACE_WRITE) continue;
        place->tree = (int)syscall(NR_OPEN_TREE, place->file, "", flags);
        if (place->tree < 0) report_failure(report, "mount", errno);
    }
    if (set_root("/", MOUNT_RECURSIVE, (struct mount_attributes){.set = MS_RDONLY}) != 0)
        return report_failure(report, "read-only", errno);
    // Children write the maps of their user namespaces there.
    if (set_root("/proc", 0, (struct mount_attributes){.clear = MS_RDONLY}) != 0) report_failure(report, "proc", errno);
    // What was cloned before can be written, what is cloned now cannot: a folder to read may lie in one to write.
    for (size_t index = 0; index < places->count; index++) {
        struct place *place = &places->list[index];
        if (place->access != PLACE_READ) continue;
        place->tree = (int)syscall(NR_OPEN_TREE, place->file, "", flags);
        if (place->tree < 0) report_failure(report, "mount", errno);
    }
    for (size_t index = 0; index < places->count; index++) {
        if (places->list[index].tree >= 0) mount_over_itself(&places->list[index], report);
    }
    return 0;
}

int namespaces_drop_capabilities(int keeps_root) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct kept[2] = {{0}};
    if (keeps_root && getuid() == 0) kept[0].effective = kept[0].permitted = 1u << CAP_SETFCAP;
    return syscall(SYS_capset, &header, kept) == 0 ? 0 : -errno;
}
