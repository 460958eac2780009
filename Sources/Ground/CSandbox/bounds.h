// Resource limits.
#pragma once

#include "policy.h"

// Sets the limits of the policy, or the defaults; for a process with children, which inherit them, those of the policy
// only. The number of threads is bounded only where the user namespace has a count of its own.
void bounds_set(const sandbox_policy *policy, int has_own_count);
