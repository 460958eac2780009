// A plugin in C that never sends Hello, or with -DCRASH ends at once. It does not use the SDK and has a note of its own.

#include <stdlib.h>
#include <unistd.h>

__attribute__((section(".note.opencallkit"), used, aligned(4))) static const unsigned note[] = {
    12, 24, 1, 0x6e65704f, 0x6c6c6143, 0x0074694b, 1, 0, 1, 0, 6, 3,
};

int opencallkit_plugin_main(int link) {
    (void)link;
#ifdef CRASH
    abort();
#endif
    for (;;) pause();
}
