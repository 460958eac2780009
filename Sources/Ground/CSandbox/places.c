// Collects what is visible in the sandbox, and opens it.

#define _GNU_SOURCE
#include "places.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// What the loader, the C library and language runtimes read.
static const char *const common[] = {
    "/usr", "/lib", "/lib64", "/etc/ld.so.cache", "/etc/alternatives", "/etc/localtime", "/etc/nsswitch.conf",
    "/etc/passwd", "/sys/devices/system/cpu",
};
// Not /dev/zero: mapped, it is shared memory that no limit counts.
static const char *const plain_devices[] = {"/dev/null", "/dev/urandom"};
// Names and certificates, where the distributions have them.
static const char *const of_network[] = {
    "/etc/resolv.conf", "/etc/hosts", "/etc/host.conf", "/etc/gai.conf", "/etc/services", "/etc/protocols", "/etc/ssl",
    "/etc/pki", "/etc/crypto-policies", "/etc/ca-certificates", "/var/lib/ca-certificates",
};

static int begins_with(const char *path, const char *folder) {
    const size_t length = strlen(folder);
    return strncmp(path, folder, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

// Whether a folder that is read as it stands contains the path.
static int is_visible(const struct places *places, const char *path) {
    for (size_t index = 0; index < places->count; index++) {
        const struct place *place = &places->list[index];
        if (place->access != PLACE_READ || !place->is_folder || !place->keeps_name) continue;
        if (begins_with(path, place->target)) return 1;
    }
    return 0;
}

// Returns an errno.
static int add(struct places *places, enum place_access access, const char *source, const char *target) {
    struct stat status;
    if (places->count == PLACES) return ENOSPC;
    // The process may have replaced a folder that it can write to by a symbolic link.
    const int file = open(source, O_PATH | O_CLOEXEC | (access == PLACE_WRITE ? O_NOFOLLOW : 0));
    if (file < 0) return errno;
    const int error = fstat(file, &status) != 0 ? errno : S_ISLNK(status.st_mode) ? ELOOP : 0;
    if (error != 0) {
        close(file);
        return error;
    }
    const int keeps_name = strcmp(source, target) == 0;
    places->list[places->count++] = (struct place){access, S_ISDIR(status.st_mode), keeps_name, file, -1, target};
    return 0;
}

// Keeps a text until the places are closed; NULL, and no text, if there are too many.
static char *own(struct places *places, char *text) {
    if (text == NULL) return NULL;
    if (places->owned_count == sizeof places->owned / sizeof *places->owned) {
        free(text);
        return NULL;
    }
    return places->owned[places->owned_count++] = text;
}

static void add_link(struct places *places, const char *name, char *content) {
    if (content == NULL || places->link_count == sizeof places->links / sizeof *places->links) return;
    places->links[places->link_count++] = (struct place_link){name, content};
}

// Adds a path of the system. A symbolic link stays one, and its target becomes visible. Below /run the target's folder
// becomes visible, because programs replace files there (such as resolv.conf) while the process runs.
static void add_of_system(struct places *places, const char *path) {
    struct stat status;
    if (lstat(path, &status) != 0) return;
    if (!S_ISLNK(status.st_mode)) {
        add(places, PLACE_READ, path, path);
        return;
    }
    char *real = own(places, realpath(path, NULL));
    if (real == NULL) return;
    add_link(places, path, real);
    if (is_visible(places, real)) return;
    char *slash = strrchr(real, '/');
    char *visible = own(places, begins_with(real, "/run") ? strndup(real, (size_t)(slash - real)) : strdup(real));
    if (visible != NULL) add(places, PLACE_READ, visible, visible);
}

// Adds the process's own files in /proc, under its number and as `self`. `exe` becomes a plain symbolic link, so that
// it leads only to what is visible in the sandbox.
static void add_process(struct places *places) {
    static const char *const names[PROCESS_FILES] = {"auxv", "cmdline", "fd", "maps", "stat", "statm", "status"};
    char program[PATH_MAX];
    const int number = (int)getpid();
    for (size_t index = 0; index < PROCESS_FILES; index++) {
        snprintf(places->files[index], PROCESS_NAME, "/proc/%d/%s", number, names[index]);
        add(places, PLACE_READ, places->files[index], places->files[index]);
    }
    snprintf(places->process, sizeof places->process, "%d", number);
    add_link(places, "/proc/self", places->process);
    snprintf(places->program, PROCESS_NAME, "/proc/%d/exe", number);
    const ssize_t length = readlink(places->program, program, sizeof program - 1);
    if (length <= 0) return;
    program[length] = '\0';
    add_link(places, places->program, own(places, strdup(program)));
}

static void add_of_policy(struct places *places, const sandbox_policy *policy, size_t index) {
    static const enum place_access accesses[] = {PLACE_READ, PLACE_WRITE, PLACE_DEVICE, PLACE_SOCKETS};
    const struct policy_path *path = &policy->paths[index];
    char real[PATH_MAX];
    // With children, all is visible, and `read` is for what lies in a folder to write. A name that leads elsewhere by a
    // symbolic link is not visible because its folder is.
    if (path->access == ACCESS_READ && strcmp(path->path, path->as) == 0 && !policy->keeps_children &&
        is_visible(places, path->path) && realpath(path->path, real) != NULL && strcmp(real, path->path) == 0)
        return;
    places->is_missing[index] = add(places, accesses[path->access], path->path, path->as) != 0;
}

// A path is mounted after the folders that contain it, and before the same path with more rights.
static int by_depth(const void *one, const void *other) {
    const struct place *a = one, *b = other;
    const size_t first = strlen(a->target), second = strlen(b->target);
    if (first != second) return first < second ? -1 : 1;
    return (int)a->access - (int)b->access;
}

static void add_all_of_system(struct places *places, const sandbox_policy *policy) {
    for (size_t index = 0; index < sizeof common / sizeof *common; index++) add_of_system(places, common[index]);
    for (size_t index = 0; index < sizeof of_network / sizeof *of_network && policy->network; index++)
        add_of_system(places, of_network[index]);
    for (size_t index = 0; index < sizeof plain_devices / sizeof *plain_devices; index++)
        add(places, PLACE_PLAIN_DEVICE, plain_devices[index], plain_devices[index]);
    add_process(places);
}

void places_open(struct places *places, const sandbox_policy *policy) {
    // A process with children goes on to see everything.
    if (!policy->keeps_children) add_all_of_system(places, policy);
    for (size_t index = 0; index < policy->path_count; index++) add_of_policy(places, policy, index);
    qsort(places->list, places->count, sizeof *places->list, by_depth);
}

void places_close(struct places *places) {
    for (size_t index = 0; index < places->count; index++) {
        close(places->list[index].file);
        if (places->list[index].tree >= 0) close(places->list[index].tree);
    }
    places->count = 0;
    for (size_t index = 0; index < places->owned_count; index++) free(places->owned[index]);
    places->owned_count = places->link_count = 0;
}
