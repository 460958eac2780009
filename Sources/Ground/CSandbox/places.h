// What is visible in the sandbox: the one list from which the mount namespace and the rules of Landlock are made.
#pragma once

#include "policy.h"

enum { PLACES = POLICY_PATHS + 48 };

// A process folder is that of the process itself in /proc, a plain device one of the harmless ones, /dev/null and the
// like.
enum place_access { PLACE_READ, PLACE_PROCESS, PLACE_SOCKETS, PLACE_PLAIN_DEVICE, PLACE_DEVICE, PLACE_WRITE };

struct place {
    enum place_access access;
    int is_folder;
    // Open with O_PATH.
    int file;
    // A mount that is not attached yet, or -1.
    int tree;
    const char *target;
};

// A symbolic link to make: the name, and what it says.
struct place_link {
    const char *name;
    char *content;
};

struct places {
    size_t count, link_count;
    struct place list[PLACES];
    struct place_link links[16];
    char process[32], process_name[16];
    // Names that were read from symbolic links.
    char *owned[16];
    size_t owned_count;
    unsigned char is_missing[POLICY_PATHS];
};

// Opens what the policy grants and what every process needs to run.
void places_open(struct places *places, const sandbox_policy *policy);
void places_close(struct places *places);
