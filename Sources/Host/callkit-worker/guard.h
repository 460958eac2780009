// The worker's guard: nothing that a plugin starts outlives the worker.
#pragma once

// Splits the process in two and returns in the new one, which is the worker. The old one is its guard and never
// returns. It waits for the end of the worker, or for SIGTERM, which it also gets when the host ends; then it ends
// the worker and all processes that descend from it, whichever session they are in, says on standard error if there
// were any, and ends as the worker did.
//
// With `serve`, the guard calls serve(context) in a thread of its own, and keeps the descriptor `kept` open for it:
// it is then the broker of a sandboxed worker. A sandbox_split, see sandbox.h.
//
// Returns 0 in the worker, or an errno if there is none.
int begin_guarded(void (*serve)(void *context), void *context, int kept);
