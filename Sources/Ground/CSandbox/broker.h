// The broker: a thread of the guard that connects sockets for the sandboxed process where the kernel cannot restrict
// them.
#pragma once

#include "policy.h"

// Splits this process in two. Returns in the new one the descriptor on which the broker waits for broker_hand_over(),
// or -errno.
int broker_begin(const sandbox_policy *policy, sandbox_split *split);

// Gives the broker the descriptor from which it takes calls, and closes it and the channel. With a report that is not
// -1, the broker writes there what it refuses. Returns 0 or -errno.
int broker_hand_over(int channel, int listener, int report);
