// A policy as it was read.
#pragma once

#include "include/sandbox.h"

enum { POLICY_BYTES = 64 * 1024, POLICY_PATHS = 128, POLICY_VARIABLES = 64 };

enum policy_access { ACCESS_READ, ACCESS_WRITE, ACCESS_DEVICE, ACCESS_SOCKET };

struct policy_path {
    enum policy_access access;
    const char *path;
    // Its path in the sandbox; `path` unless the policy gives another.
    const char *as;
    // The name of a socket; NULL for anything else.
    const char *name;
};

struct policy_variable {
    const char *name, *value;
    int is_below_full;
};

// The strings point into `text`.
struct sandbox_policy {
    char *text;
    enum sandbox_level demand;
    int has_demand, network, keeps_children, reports_denied, without_namespaces, without_landlock;
    // The newest Landlock to use.
    unsigned landlock_abi;
    size_t path_count, variable_count;
    struct policy_path paths[POLICY_PATHS];
    struct policy_variable variables[POLICY_VARIABLES];
};

// Whether the policy has a line `socket`.
int policy_grants_sockets(const sandbox_policy *policy);

// Whether the policy has a line `device`.
int policy_grants_devices(const sandbox_policy *policy);
