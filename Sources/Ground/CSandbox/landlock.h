// Landlock: what may be done with files, and with sockets and signals where the kernel is new enough.
#pragma once

#include "places.h"
#include "report.h"

// The version of Landlock here, at most the policy's; 0 if there is none.
unsigned landlock_version(const sandbox_policy *policy);

// Allows this process the places and nothing else, or with `keep-children` to write the places to write. Returns 0 or
// -errno.
int landlock_restrict(
    const sandbox_policy *policy, const struct places *places, unsigned version, struct report *report);
