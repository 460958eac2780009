// A plugin in C that hands its link over to the test, which listens at the socket SOCKET, and then waits. With -DCHILDREN
// it first leaves so many processes behind, each in a session of its own, as a daemon does.

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
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

static void hand_over(int link) {
    struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = SOCKET};
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof link)];
    } control;
    struct iovec text = {.iov_base = "link", .iov_len = 4};
    struct msghdr message = {
        .msg_iov = &text, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
    memset(&control, 0, sizeof control);
    control.header.cmsg_level = SOL_SOCKET;
    control.header.cmsg_type = SCM_RIGHTS;
    control.header.cmsg_len = CMSG_LEN(sizeof link);
    memcpy(CMSG_DATA(&control.header), &link, sizeof link);
    int test = socket(AF_UNIX, SOCK_STREAM, 0);
    if (connect(test, (struct sockaddr *)&address, sizeof address) != 0) abort();
    if (sendmsg(test, &message, 0) != 4) abort();
    close(test);
}

int opencallkit_plugin_main(int link) {
    leave_behind();
    hand_over(link);
    for (;;) pause();
}
