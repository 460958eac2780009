// Landlock. Its rules hold for files, whatever their names in the sandbox are. Nothing may be executed: the loader only
// reads. Not in Landlock: stat(), modes and times of files, datagrams, Unix sockets by path.

#define _GNU_SOURCE
#include "landlock.h"

#include "kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

// The bits of the kernel's interface, and the version that brought the later ones.
enum {
    RIGHT_EXECUTE = 1 << 0,
    RIGHT_WRITE_FILE = 1 << 1,
    RIGHT_READ_FILE = 1 << 2,
    RIGHT_READ_FOLDER = 1 << 3,
    RIGHT_REMOVE_FOLDER = 1 << 4,
    RIGHT_REMOVE_FILE = 1 << 5,
    RIGHT_MAKE_DEVICE = 1 << 6 | 1 << 11,
    RIGHT_MAKE_FOLDER = 1 << 7,
    RIGHT_MAKE_FILE = 1 << 8,
    RIGHT_MAKE_SOCKET = 1 << 9,
    RIGHT_MAKE_FIFO = 1 << 10,
    RIGHT_MAKE_LINK = 1 << 12,
    RIGHT_MOVE = 1 << 13,          // 2
    RIGHT_TRUNCATE = 1 << 14,      // 3
    RIGHT_DEVICE_IOCTL = 1 << 15,  // 5

    READING = RIGHT_READ_FILE | RIGHT_READ_FOLDER,
    CHANGING = RIGHT_WRITE_FILE | RIGHT_REMOVE_FOLDER | RIGHT_REMOVE_FILE | RIGHT_MAKE_FOLDER | RIGHT_MAKE_FILE |
               RIGHT_MAKE_SOCKET | RIGHT_MAKE_FIFO | RIGHT_MAKE_LINK | RIGHT_MOVE | RIGHT_TRUNCATE,
    // A rule of a file must not have the others.
    OF_FILES = RIGHT_EXECUTE | RIGHT_WRITE_FILE | RIGHT_READ_FILE | RIGHT_TRUNCATE | RIGHT_DEVICE_IOCTL,
};
enum { TCP_BIND_AND_CONNECT = 3, ABSTRACT_SOCKETS_AND_SIGNALS = 3 };

struct ruleset {
    uint64_t files;
    uint64_t tcp;     // 4
    uint64_t scoped;  // 6
};

struct path_rule {
    uint64_t allowed;
    int32_t file;
} __attribute__((packed));

unsigned landlock_version(const sandbox_policy *policy) {
    if (policy->without_landlock) return 0;
    const long version = syscall(NR_LANDLOCK_CREATE, NULL, 0, 1);
    if (version <= 0) return 0;
    return (unsigned long)version < policy->landlock_abi ? (unsigned)version : policy->landlock_abi;
}

static uint64_t known_rights(unsigned version) {
    uint64_t rights = (RIGHT_MAKE_LINK << 1) - 1;
    if (version >= 2) rights |= RIGHT_MOVE;
    if (version >= 3) rights |= RIGHT_TRUNCATE;
    if (version >= 5) rights |= RIGHT_DEVICE_IOCTL;
    return rights;
}

static uint64_t rights_of(enum place_access access) {
    switch (access) {
    case PLACE_READ: return READING;
    case PLACE_WRITE: return READING | CHANGING;
    case PLACE_PLAIN_DEVICE: return RIGHT_READ_FILE | RIGHT_WRITE_FILE | RIGHT_TRUNCATE;
    case PLACE_DEVICE: return READING | RIGHT_WRITE_FILE | RIGHT_TRUNCATE | RIGHT_DEVICE_IOCTL;
    default: return 0;
    }
}

// Returns 0 or -errno.
static int allow(int ruleset, int file, uint64_t rights, int is_folder) {
    const struct path_rule rule = {is_folder ? rights : rights & OF_FILES, file};
    if (rule.allowed == 0) return 0;
    return syscall(NR_LANDLOCK_ADD, ruleset, 1, &rule, 0) == 0 ? 0 : -errno;
}

static int allow_places(int ruleset, const struct places *places, uint64_t known) {
    for (size_t index = 0; index < places->count; index++) {
        const struct place *place = &places->list[index];
        const int result = allow(ruleset, place->file, rights_of(place->access) & known, place->is_folder);
        // A file on no file system: without a rule it is denied.
        if (result != 0 && result != -EBADFD) return result;
    }
    return 0;
}

// All may be read, and devices and /proc written, as children need.
static int allow_writing(int ruleset, const struct places *places, uint64_t known) {
    static const char *const others[] = {"/dev", "/proc"};
    int result = 0;
    for (size_t index = 0; index < 2 && result == 0; index++) {
        const int folder = open(others[index], O_PATH | O_CLOEXEC);
        if (folder < 0) continue;
        result = allow(ruleset, folder, (RIGHT_WRITE_FILE | RIGHT_TRUNCATE) & known, 1);
        close(folder);
    }
    for (size_t index = 0; index < places->count && result == 0; index++) {
        const struct place *place = &places->list[index];
        if (place->access == PLACE_WRITE) result = allow(ruleset, place->file, CHANGING & known, place->is_folder);
    }
    return result;
}

int landlock_restrict(
    const sandbox_policy *policy, const struct places *places, unsigned version, struct report *report) {
    const int writing_only = policy->keeps_children;
    struct ruleset attributes = {known_rights(version), 0, 0};
    if (writing_only) attributes.files &= CHANGING | RIGHT_MAKE_DEVICE;
    if (version >= 4 && !policy->network && !writing_only) attributes.tcp = TCP_BIND_AND_CONNECT;
    if (version >= 6 && !writing_only) attributes.scoped = ABSTRACT_SOCKETS_AND_SIGNALS;
    const size_t size = version < 4 ? 8 : version < 6 ? 16 : 24;
    const int ruleset = (int)syscall(NR_LANDLOCK_CREATE, &attributes, size, 0);
    if (ruleset < 0) return report_failure(report, "landlock", errno);
    int result = writing_only ? allow_writing(ruleset, places, attributes.files)
                              : allow_places(ruleset, places, attributes.files);
    if (result == 0 && syscall(NR_LANDLOCK_RESTRICT, ruleset, 0) != 0) result = -errno;
    close(ruleset);
    return result == 0 ? 0 : report_failure(report, "landlock", -result);
}
