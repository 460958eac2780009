// What a plugin must not inherit.
#pragma once

// Closes every descriptor above standard error except these two, and makes sure that 0, 1 and 2 are open.
void close_all_but(int one, int other);
