// A plugin that becomes a Python program with the link as its standard input: -DSCRIPT is the program's path, -DMODE its
// argument. What it says to the daemon is the program's.

#include <unistd.h>

__attribute__((section(".note.opencallkit"), used, aligned(4))) static const unsigned note[] = {
    12, 24, 1, 0x6e65704f, 0x6c6c6143, 0x0074694b, 1, 0, 1, 0, 6, 3,
};

int opencallkit_plugin_main(int link) {
    dup2(link, STDIN_FILENO);
    execl("/usr/bin/python3", "python3", SCRIPT, MODE, (char *)0);
    return 1;
}
