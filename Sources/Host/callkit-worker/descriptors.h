// What a plugin must not inherit.
#pragma once

// Closes every descriptor above standard error except these, and makes sure that 0, 1 and 2 are open. Numbers of
// standard streams and -1 in the list mean nothing.
void close_all_but(const int *kept, int count);
