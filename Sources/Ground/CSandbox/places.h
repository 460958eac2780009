// What is visible in the sandbox: the one list from which the mount namespace and the rules of Landlock are made.
#pragma once

#include "policy.h"

enum { PLACES = POLICY_PATHS + 48 };

// Each path of the system may be a symbolic link, and two of the process are.
enum { PLACE_LINKS = 32 };

// A plain device is one of the harmless ones, /dev/null and the like.
enum place_access { PLACE_READ, PLACE_SOCKETS, PLACE_PLAIN_DEVICE, PLACE_DEVICE, PLACE_WRITE };

// The files of /proc/PID that the process sees of itself. The others show the mounts and sockets of the whole machine,
// or lead to files outside the sandbox (`root`, `cwd`, `exe`, and `task`, which contains them).
enum { PROCESS_FILES = 7, PROCESS_NAME = 48 };

struct place {
    enum place_access access;
    // Whether it is a folder, and whether the sandbox has it under its own path.
    int is_folder, keeps_name;
    // Open with O_PATH.
    int file;
    // A mount that is not attached yet, or -1.
    int tree;
    const char *target;
};

// A symbolic link to make: its path, and its target.
struct place_link {
    const char *name;
    char *content;
};

struct places {
    size_t count, link_count;
    struct place list[PLACES];
    struct place_link links[PLACE_LINKS];
    // The folder in /proc that `self` leads to, and the files in it.
    char process[16], files[PROCESS_FILES][PROCESS_NAME], program[PROCESS_NAME];
    // Names that were read from symbolic links.
    char *owned[2 * PLACE_LINKS];
    size_t owned_count;
    unsigned char is_missing[POLICY_PATHS];
};

// Opens what the policy grants and what every process needs to run.
void places_open(struct places *places, const sandbox_policy *policy);
void places_close(struct places *places);
