// Resource limits.
#pragma once

// Sets the limits of a worker. The number of threads is bounded only where the user namespace has a count of its own.
void rlimits_set(int has_own_count);
