// A plugin that is loaded and never says hello. Not written in Swift, and without the SDK: it brings its own note.

#include <unistd.h>

__attribute__((section(".note.opencallkit"), used, aligned(4))) static const unsigned note[] = {
    12, 24, 1, 0x6e65704f, 0x6c6c6143, 0x0074694b, 1, 0, 1, 0, 6, 3,
};

int opencallkit_plugin_main(int link) {
    (void)link;
    for (;;) pause();
}
