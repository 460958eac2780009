// A library that is preloaded and sets a variable, which moves the environment away from the arguments.
#include <stdlib.h>

__attribute__((constructor)) static void set(void) { setenv("PRELOADED", "yes", 1); }
