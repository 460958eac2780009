// A plugin in C that waits: the test takes its link. With -DCHILDREN it first leaves so many processes behind, each in a
// session of its own, as a daemon does; it runs outside the sandbox then.

#include <unistd.h>

__attribute__((section(".note.opencallkit"), used, aligned(4))) static const unsigned note[] = {
    12, 24, 1, 0x6e65704f, 0x6c6c6143, 0x0074694b, 1, 0, 1, 0, 6, 3,
};

#ifndef CHILDREN
#define CHILDREN 0
#endif

static void leave_behind(void) {
    for (int child = 0; child < CHILDREN; child++) {
        if (fork() != 0) continue;
        setsid();
        if (fork() == 0) {
            for (int descriptor = 0; descriptor < 64; descriptor++) close(descriptor);
            for (;;) pause();
        }
        _exit(0);
    }
}

int opencallkit_plugin_main(int link) {
    (void)link;
    leave_behind();
    for (;;) pause();
}
