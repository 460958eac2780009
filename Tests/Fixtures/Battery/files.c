// Files of others: reading, writing, and learning of them.

#define _GNU_SOURCE
#include "battery.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

static long read_secret(void) { return reads_secret_at(below("home", ".ssh/id")); }
static long read_keyring(void) { return reads_secret_at(below("home", ".gnupg/key")); }
static long read_permissions(void) { return reads_secret_at(below("home", ".config/opencallkit/permissions")); }
static long read_other_state(void) { return reads_secret_at(target("other-state")); }
static long read_machine_id(void) { return reads_anything("/etc/machine-id"); }
static long read_group_file(void) { return reads_anything("/etc/group"); }

// 0 if the folder can be listed and this is in it: the sandbox may have an empty folder of the same name.
static long list(const char *path, const char *name) {
    DIR *folder = opendir(path);
    if (folder == NULL) return -1;
    int is_there = 0;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) is_there |= strcmp(entry->d_name, name) == 0;
    closedir(folder);
    return is_there ? 0 : denied(ENOENT);
}

static long list_home(void) { return list(target("home"), ".bashrc"); }
static long list_runtime_folder(void) { return list(target("runtime"), "wayland-0"); }
static long list_temporary_folder(void) { return list(target("outside"), "library.so"); }

static long stat_secret(void) {
    struct stat about;
    return stat(below("home", ".ssh/id"), &about);
}

static long stat_secret_extended(void) {
    struct statx about;
    return statx(AT_FDCWD, below("home", ".ssh/id"), 0, STATX_BASIC_STATS, &about);
}

static long check_secret(void) { return access(below("home", ".ssh/id"), F_OK); }

static long read_attribute(void) {
    char value[16];
    return getxattr(below("home", ".ssh/id"), "user.mark", value, sizeof value) >= 0 || errno == ENODATA ? 0 : -1;
}

static long statfs_home(void) {
    return pathconf(below("home", ".ssh"), _PC_LINK_MAX) >= 0 ? 0 : -1;
}

static long append(void) {
    int file = open(below("home", ".bashrc"), O_WRONLY | O_APPEND | O_CLOEXEC);
    if (file >= 0 && write(file, "appended\n", 9) != 9) return -1;
    return opened(file);
}

static long grant_oneself(void) {
    return opened(open(below("home", ".config/opencallkit/permissions"), O_WRONLY | O_APPEND | O_CLOEXEC));
}

static long truncate_file(void) { return truncate(below("home", ".profile"), 5); }
static long create_outside(void) {
    return opened(open(below("outside", "made"), O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
}
static long make_folder(void) { return mkdir(below("outside", "folder"), 0700); }
static long remove_file(void) { return unlink(below("outside", "removable")); }
static long rename_into_state(void) { return rename(below("outside", "movable"), in_state("moved")); }
static long change_mode(void) { return chmod(below("home", ".ssh"), 0755); }

static long rename_out_of_state(void) {
    opened(open(in_state("planted"), O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
    long result = rename(in_state("planted"), below("outside", "planted"));
    int error = errno;
    unlink(in_state("planted"));
    return result == 0 ? 0 : denied(error);
}

static long change_owner(void) { return lchown(below("home", ".ssh/id"), getuid(), getgid()); }
static long change_times(void) { return utimensat(AT_FDCWD, below("home", ".ssh/id"), NULL, 0); }
static long set_attribute(void) { return setxattr(below("home", ".ssh/id"), "user.mark", "1", 1, 0); }

static long watch(void) {
    int watcher = inotify_init1(IN_CLOEXEC);
    if (watcher < 0) return -1;
    long result = inotify_add_watch(watcher, below("home", ".ssh"), IN_ALL_EVENTS);
    int error = errno;
    close(watcher);
    return result >= 0 ? 0 : denied(error);
}

// Whoever starts a program opens its file.
static long watch_programs(void) {
    int made = inotify_init1(IN_CLOEXEC);
    if (made < 0) return -1;
    long result = inotify_add_watch(made, "/usr/bin", IN_OPEN | IN_ACCESS | IN_CLOSE_NOWRITE);
    int error = errno;
    close(made);
    return result >= 0 ? 0 : denied(error);
}

static long create_in_shared_memory(void) {
    return opened(open(below("shared", "escape"), O_CREAT | O_RDWR | O_CLOEXEC, 0600));
}

static long write_own_bundle(void) {
    return opened(open(below("bundle", "Plugin.ini"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
}

// Landlock before its third version does not see that this empties a file that may be read.
static long empty_by_reading(void) {
    return opened(open(below("bundle", "readme"), O_RDONLY | O_TRUNC | O_CLOEXEC));
}

static long empty_by_reading_again(void) {
    struct { unsigned long long flags, mode, resolve; } how = {.flags = O_RDONLY | O_TRUNC | O_CLOEXEC};
    return opened((int)syscall(SYS_openat2, AT_FDCWD, below("bundle", "readme"), &how, sizeof how));
}

// Neither for reading nor for writing: Landlock does not look at it, and fchmod() takes it.
static long open_in_access_mode_3(void) {
    enum { access = 3 };
    return opened(open(below("home", ".ssh/id"), access | O_CLOEXEC));
}

static long write_worker_folder(void) {
    return opened(open(below("worker-folder", "escape"), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
}

static long write_system(void) {
    const char *name = "/usr/lib/opencallkit-escape";
    long result = opened(open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (result == 0) unlink(name);
    return result;
}

static long make_device(void) {
    long result = mknod(in_state("device"), S_IFCHR | 0600, 1 << 8 | 5);
    if (result == 0) result = opened(open(in_state("device"), O_RDONLY | O_CLOEXEC));
    return result;
}

static long open_terminal(void) { return opened(open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)); }
static long open_new_terminal(void) { return opened(open("/dev/ptmx", O_RDWR | O_CLOEXEC | O_NOCTTY)); }
static long open_fuse(void) { return opened(open("/dev/fuse", O_RDWR | O_CLOEXEC)); }
static long load_library(void) {
    void *image = dlopen(target("library"), RTLD_NOW | RTLD_LOCAL);
    return image != NULL ? 0 : denied(EACCES);
}

// Delays everybody who opens the file, for as long as the kernel lets it.
static long lease(void) {
    int file = open("/etc/passwd", O_RDONLY | O_CLOEXEC);
    if (file < 0) return -1;
    long result = fcntl(file, F_SETLEASE, F_RDLCK);
    int error = errno;
    close(file);
    return result == 0 ? 0 : denied(error);
}

static long notify_of_folder(void) {
    int folder = open("/usr", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) return -1;
    long result = fcntl(folder, F_NOTIFY, DN_CREATE);
    int error = errno;
    close(folder);
    return result == 0 ? 0 : denied(error);
}

const struct attempt file_attempts[] = {
    {.name = "read a secret of the user", .run = read_secret},
    {.name = "read the user's keyring", .run = read_keyring},
    {.name = "read the permissions of plugins", .run = read_permissions},
    {.name = "read another plugin's state", .run = read_other_state},
    {.name = "read the machine id", .run = read_machine_id},
    {.name = "read a system file that is not shown", .run = read_group_file},
    {.name = "list the home folder", .run = list_home},
    {.name = "list the runtime folder", .run = list_runtime_folder},
    {.name = "list a folder in /tmp", .run = list_temporary_folder},
    {.name = "stat a secret", .run = stat_secret},
    {.name = "statx a secret", .run = stat_secret_extended},
    {.name = "ask whether a secret exists", .run = check_secret},
    {.name = "read an attribute of a secret", .run = read_attribute},
    {.name = "ask for the limits of a folder", .run = statfs_home},
    {.name = "append to a file in home", .run = append},
    {.name = "write the permissions of plugins", .run = grant_oneself},
    {.name = "truncate a file in home", .run = truncate_file},
    {.name = "create a file outside", .run = create_outside},
    {.name = "make a folder outside", .run = make_folder},
    {.name = "remove a file outside", .run = remove_file},
    {.name = "rename a file into the state folder", .run = rename_into_state},
    {.name = "rename a file out of the state folder", .run = rename_out_of_state},
    {.name = "chmod a folder outside", .run = change_mode},
    {.name = "chown a secret", .run = change_owner},
    {.name = "set the times of a secret", .run = change_times},
    {.name = "set an attribute of a secret", .run = set_attribute},
    {.name = "watch a secret folder", .run = watch},
    {.name = "watch who opens programs", .run = watch_programs},
    {.name = "create in shared memory", .run = create_in_shared_memory},
    {.name = "write its own bundle", .run = write_own_bundle},
    {.name = "empty a file of its bundle by opening it", .run = empty_by_reading},
    {.name = "empty a file of its bundle by openat2", .run = empty_by_reading_again},
    {.name = "open a secret with access mode 3", .run = open_in_access_mode_3},
    {.name = "write the worker's folder", .run = write_worker_folder},
    {.name = "write a system folder", .run = write_system},
    {.name = "make a device", .run = make_device},
    {.name = "open the terminal", .run = open_terminal},
    {.name = "open a new terminal", .run = open_new_terminal},
    {.name = "open /dev/fuse", .run = open_fuse},
    {.name = "load a library outside", .run = load_library},
    {.name = "take a lease on a system file", .run = lease},
    {.name = "be notified of a system folder", .run = notify_of_folder},
    {.name = NULL},
};
