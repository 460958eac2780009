// A mount namespace with nothing in it but the places, in a user namespace that maps the user to itself.
#pragma once

#include "places.h"
#include "report.h"

// Moves this process into a new user and mount namespace, and a network namespace if `has_own_network` is set.
// Returns 0 or -errno. A user namespace alone may be left behind by a failure.
int namespaces_unshare(struct report *report, int has_own_network);

// Makes a root folder with the places alone. Returns 0, or -errno with the root as it was; after -ENOTRECOVERABLE it is
// not, and the process must end.
int namespaces_build_root(struct places *places, struct report *report);

// Makes everything read-only but the places to write, /proc and devices. Returns 0 or -errno.
int namespaces_protect_root(struct places *places, struct report *report);

// Gives up all capabilities; with `keeps_root`, a process of root keeps the one that it takes to map root in a user
// namespace below its own. Returns 0 or -errno.
int namespaces_drop_capabilities(int keeps_root);
