// Unix sockets of others: by path and by abstract name, as streams and as datagrams, with and without socket().

#define _GNU_SOURCE
#include "battery.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

struct address {
    struct sockaddr_un name;
    socklen_t length;
};

// A name that begins with @ is abstract.
static struct address address_of(const char *text) {
    struct address made = {.name = {.sun_family = AF_UNIX}};
    size_t length = strnlen(text, sizeof made.name.sun_path - 1);
    memcpy(made.name.sun_path, text, length);
    int is_abstract = *text == '@';
    if (is_abstract) made.name.sun_path[0] = '\0';
    made.length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length + !is_abstract);
    return made;
}

static long finish(int descriptor, long result) {
    int error = errno;
    if (descriptor >= 0) close(descriptor);
    return result >= 0 ? 0 : denied(error);
}

static long connect_as(int type, const char *text) {
    if (*text == '\0') return ABSENT;
    struct address address = address_of(text);
    int made = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);
    return finish(made, made < 0 ? -1 : connect(made, (struct sockaddr *)&address.name, address.length));
}

static long connect_path(void) { return connect_as(SOCK_STREAM, target("unix-path")); }
static long connect_packets(void) { return connect_as(SOCK_SEQPACKET, target("packets-path")); }
static long connect_abstract(void) { return connect_as(SOCK_STREAM, target("unix-abstract")); }
static long connect_session_bus(void) { return connect_as(SOCK_STREAM, target("session-bus")); }
static long connect_system_bus(void) { return connect_as(SOCK_STREAM, target("system-bus")); }
static long connect_daemon(void) { return connect_as(SOCK_STREAM, target("daemon-socket")); }
static long connect_wayland(void) { return connect_as(SOCK_STREAM, target("wayland")); }
static long connect_pulse(void) { return connect_as(SOCK_STREAM, target("pulse")); }
static long connect_pipewire(void) { return connect_as(SOCK_STREAM, target("pipewire")); }
static long connect_agent(void) { return connect_as(SOCK_STREAM, target("agent")); }
static long connect_x11(void) { return connect_as(SOCK_STREAM, target("x11")); }
static long connect_x11_abstract(void) { return connect_as(SOCK_STREAM, target("x11-abstract")); }

static long send_as(const char *text) {
    if (*text == '\0') return ABSENT;
    struct address address = address_of(text);
    int made = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    return finish(made, made < 0 ? -1 : sendto(made, "x", 1, 0, (struct sockaddr *)&address.name, address.length));
}

static long send_to_journal(void) { return send_as(target("journal")); }
static long send_to_path(void) { return send_as(target("datagram-path")); }
static long send_to_abstract(void) { return send_as(target("datagram-abstract")); }

static long send_message(int made, const char *text, int is_many) {
    struct address address = address_of(text);
    struct iovec part = {"x", 1};
    struct mmsghdr message = {.msg_hdr = {.msg_name = &address.name, .msg_namelen = address.length, .msg_iov = &part,
                                          .msg_iovlen = 1}};
    if (made < 0) return -1;
    return finish(made, is_many ? sendmmsg(made, &message, 1, 0) : sendmsg(made, &message.msg_hdr, 0));
}

static long message_to_path(void) { return send_message(socket(AF_UNIX, SOCK_DGRAM, 0), target("datagram-path"), 0); }

// A pair of datagram sockets comes without socket(), and its ends can name other addresses.
static int end_of_pair(int type) {
    int ends[2];
    if (socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends) != 0) return -1;
    close(ends[1]);
    return ends[0];
}

static long pair_message_to_path(void) { return send_message(end_of_pair(SOCK_DGRAM), target("datagram-path"), 0); }
static long pair_messages_to_path(void) { return send_message(end_of_pair(SOCK_DGRAM), target("datagram-path"), 1); }
static long pair_message_to_abstract(void) {
    return send_message(end_of_pair(SOCK_DGRAM), target("datagram-abstract"), 0);
}
static long raw_pair_message_to_path(void) { return send_message(end_of_pair(SOCK_RAW), target("datagram-path"), 0); }

static long pair_connects(void) {
    struct address address = address_of(target("datagram-path"));
    int made = end_of_pair(SOCK_DGRAM);
    return finish(made, made < 0 ? -1 : connect(made, (struct sockaddr *)&address.name, address.length));
}

// What was granted must work, or the test would prove nothing.
static long connect_granted(void) { return connect_as(SOCK_STREAM, target("granted-socket")); }
static long connect_granted_packets(void) { return connect_as(SOCK_DGRAM, target("granted-socket")); }

// A granted folder may hold more than files.
static long connect_in_files(void) { return connect_as(SOCK_STREAM, target("files-socket")); }

static long connect_through_link(void) {
    char folder[1024], *slash;
    snprintf(folder, sizeof folder, "%s", target("unix-path"));
    if ((slash = strrchr(folder, '/')) == NULL) return ABSENT;
    *slash = '\0';
    unlink(in_state("sockets"));
    if (symlink(folder, in_state("sockets")) != 0) return -1;
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", in_state("sockets"), slash + 1);
    return connect_as(SOCK_STREAM, path);
}

static long listen_at(const char *text) {
    struct address address = address_of(text);
    int made = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    long result = made < 0 ? -1 : bind(made, (struct sockaddr *)&address.name, address.length);
    return finish(made, result < 0 ? -1 : listen(made, 1));
}

// Where other plugins, or programs of the user, would look for somebody else.
static long listen_abstract(void) { return listen_at("@opencallkit-battery-own"); }
static long listen_in_granted_folder(void) {
    const char *folder = target("granted-folder");
    char path[1024];
    if (*folder == '\0') return ABSENT;
    snprintf(path, sizeof path, "%s/escape", folder);
    return listen_at(path);
}

static long remove_granted_socket(void) {
    const char *granted = target("granted-socket");
    return *granted != '\0' ? unlink(granted) : ABSENT;
}

static struct address forbidden, granted, shown;
static atomic_int is_changing;
static atomic_uint changes;

// Exchanges the address under the eyes of whoever checks it, each time after another while.
static void *change_address(void *unused) {
    (void)unused;
    for (unsigned turn = 0; atomic_load(&is_changing); turn++) {
        shown = turn % 2 == 0 ? granted : forbidden;
        atomic_fetch_add(&changes, 1);
        for (unsigned pause = turn * 37 % 2048; pause > 0; pause--) atomic_signal_fence(memory_order_seq_cst);
        sched_yield();
    }
    return NULL;
}

// The test counts at the forbidden listener; here, who is at the other end is told by its name.
static long race_to(const char *text) {
    const char *allowed = target("granted-socket");
    if (*allowed == '\0') allowed = target("unix-path");
    if (*text == '\0') return ABSENT;
    granted = address_of(allowed);
    forbidden = address_of(text);
    pthread_t thread;
    shown = granted;
    atomic_store(&is_changing, 1);
    if (pthread_create(&thread, NULL, change_address, NULL) != 0) return denied(EAGAIN);
    int through = 0, error = EACCES;
    for (int turn = 0; turn < 500 && !through; turn++) {
        // The two may share a processor.
        for (unsigned seen = atomic_load(&changes); atomic_load(&changes) == seen;) sched_yield();
        struct sockaddr_un peer = {0};
        socklen_t length = sizeof peer;
        int made = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (made < 0) turn = 500;
        if (made < 0 || connect(made, (struct sockaddr *)&shown.name, forbidden.length) != 0) error = errno;
        else if (getpeername(made, (struct sockaddr *)&peer, &length) == 0)
            through = memcmp(peer.sun_path, forbidden.name.sun_path, strlen(text)) == 0;
        if (made >= 0) close(made);
    }
    atomic_store(&is_changing, 0);
    pthread_join(thread, NULL);
    return through ? 0 : denied(error);
}

static long race_to_path(void) { return race_to(target("race-path")); }
static long race_to_abstract(void) { return race_to(target("race-abstract")); }

const struct attempt unix_attempts[] = {
    {.name = "connect to a socket by its path", .run = connect_path},
    {.name = "connect to a packet socket by its path", .run = connect_packets},
    {.name = "connect to an abstract socket", .run = connect_abstract},
    {.name = "connect to a socket through a symbolic link", .run = connect_through_link},
    {.name = "connect to a granted socket", .run = connect_granted},
    {.name = "connect a datagram socket to a granted one", .run = connect_granted_packets},
    {.name = "connect to a socket among granted files", .run = connect_in_files},
    {.name = "connect to the session bus", .run = connect_session_bus},
    {.name = "connect to the system bus", .run = connect_system_bus},
    {.name = "connect to the daemon", .run = connect_daemon},
    {.name = "connect to Wayland", .run = connect_wayland},
    {.name = "connect to X11", .run = connect_x11},
    {.name = "connect to X11 by its abstract name", .run = connect_x11_abstract},
    {.name = "connect to PulseAudio", .run = connect_pulse},
    {.name = "connect to PipeWire", .run = connect_pipewire},
    {.name = "connect to an agent of keys", .run = connect_agent},
    {.name = "send to the journal", .run = send_to_journal},
    {.name = "send a datagram to a path", .run = send_to_path},
    {.name = "send a datagram to an abstract name", .run = send_to_abstract},
    {.name = "send a message to a path", .run = message_to_path},
    {.name = "send a message to a path from a pair", .run = pair_message_to_path},
    {.name = "send messages to a path from a pair", .run = pair_messages_to_path},
    {.name = "send a message to an abstract name from a pair", .run = pair_message_to_abstract},
    {.name = "send a message to a path from a raw pair", .run = raw_pair_message_to_path},
    {.name = "connect an end of a pair", .run = pair_connects},
    {.name = "listen at an abstract name", .run = listen_abstract},
    {.name = "listen in a granted folder", .run = listen_in_granted_folder},
    {.name = "remove a granted socket", .run = remove_granted_socket},
    {.name = "race the address of a path", .run = race_to_path},
    {.name = "race the address of an abstract name", .run = race_to_abstract},
    {.name = NULL},
};
