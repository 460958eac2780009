// Sockets of the network and of the kernel's other families. The listeners are the test's, on the loopback.

#define _GNU_SOURCE
#include "battery.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static struct sockaddr_in loopback(long port) {
    return (struct sockaddr_in){AF_INET, htons((uint16_t)port), {htonl(INADDR_LOOPBACK)}, {0}};
}

static long finish(int descriptor, long result) {
    int error = errno;
    if (descriptor >= 0) close(descriptor);
    return result >= 0 ? 0 : denied(error);
}

static long connect_with(int protocol) {
    struct sockaddr_in address = loopback(target_number("tcp"));
    int made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, protocol);
    return finish(made, made < 0 ? -1 : connect(made, (struct sockaddr *)&address, sizeof address));
}

static long connect_tcp(void) { return connect_with(0); }
static long connect_multipath(void) { return connect_with(262); }
static long connect_sctp(void) { return connect_with(IPPROTO_SCTP); }

static long connect_tcp6(void) {
    struct sockaddr_in6 address = {.sin6_family = AF_INET6, .sin6_port = htons((uint16_t)target_number("tcp"))};
    inet_pton(AF_INET6, "::ffff:127.0.0.1", &address.sin6_addr);
    int made = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    return finish(made, made < 0 ? -1 : connect(made, (struct sockaddr *)&address, sizeof address));
}

static long connect_fast_open(void) {
    struct sockaddr_in address = loopback(target_number("tcp"));
    int made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    long result = made < 0 ? -1 : sendto(made, "x", 1, MSG_FASTOPEN, (struct sockaddr *)&address, sizeof address);
    return finish(made, result);
}

static long listen_tcp(void) {
    struct sockaddr_in address = loopback(0);
    int made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    long result = made < 0 ? -1 : bind(made, (struct sockaddr *)&address, sizeof address);
    return finish(made, result < 0 ? -1 : listen(made, 1));
}

static long send_udp(void) {
    struct sockaddr_in address = loopback(target_number("udp"));
    int made = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    return finish(made, made < 0 ? -1 : sendto(made, "x", 1, 0, (struct sockaddr *)&address, sizeof address));
}

static long send_udp6(void) {
    struct sockaddr_in6 address = {.sin6_family = AF_INET6, .sin6_port = htons((uint16_t)target_number("udp"))};
    inet_pton(AF_INET6, "::ffff:127.0.0.1", &address.sin6_addr);
    int made = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    return finish(made, made < 0 ? -1 : sendto(made, "x", 1, 0, (struct sockaddr *)&address, sizeof address));
}


static long make(int family, int type, int protocol) {
    int made = socket(family, type | SOCK_CLOEXEC, protocol);
    return finish(made, made);
}

static long make_netlink(void) { return make(AF_NETLINK, SOCK_RAW, 0); }
static long make_uevent(void) { return make(AF_NETLINK, SOCK_RAW, 15); }
static long make_packet(void) { return make(AF_PACKET, SOCK_DGRAM, 0); }
static long make_raw(void) { return make(AF_INET, SOCK_RAW, IPPROTO_ICMP); }
static long make_vsock(void) { return make(AF_VSOCK, SOCK_STREAM, 0); }
static long make_algorithm(void) { return make(AF_ALG, SOCK_SEQPACKET, 0); }
static long make_bluetooth(void) { return make(AF_BLUETOOTH, SOCK_RAW, 1); }
static long make_smc(void) { return make(AF_SMC, SOCK_STREAM, 0); }
static long make_tipc(void) { return make(AF_TIPC, SOCK_STREAM, 0); }
static long make_can(void) { return make(AF_CAN, SOCK_RAW, 1); }
static long make_express(void) { return make(AF_XDP, SOCK_RAW, 0); }
static long make_key(void) { return make(AF_KEY, SOCK_RAW, 2); }
static long make_connector(void) { return make(AF_KCM, SOCK_DGRAM, 0); }

static long bind_another_pair(void) {
    int ends[2];
    if (socketpair(AF_TIPC, SOCK_STREAM, 0, ends) != 0) return -1;
    close(ends[1]);
    return finish(ends[0], 0);
}

const struct attempt address_attempts[] = {
    {.name = "connect by TCP", .run = connect_tcp},
    {.name = "connect by TCP over IPv6", .run = connect_tcp6},
    {.name = "connect by multipath TCP", .run = connect_multipath},
    {.name = "connect by SCTP", .run = connect_sctp},
    {.name = "connect by TCP fast open", .run = connect_fast_open},
    {.name = "listen for TCP", .run = listen_tcp},
    {.name = "send UDP", .run = send_udp},
    {.name = "send UDP over IPv6", .run = send_udp6},
    {.name = "make a netlink socket", .run = make_netlink},
    {.name = "listen to the kernel's events", .run = make_uevent},
    {.name = "make a packet socket", .run = make_packet},
    {.name = "make a raw socket", .run = make_raw},
    {.name = "make a vsock socket", .run = make_vsock},
    {.name = "make an AF_ALG socket", .run = make_algorithm},
    {.name = "make a Bluetooth socket", .run = make_bluetooth},
    {.name = "make an SMC socket", .run = make_smc},
    {.name = "make a TIPC socket", .run = make_tipc},
    {.name = "make a CAN socket", .run = make_can},
    {.name = "make an XDP socket", .run = make_express},
    {.name = "make a key socket", .run = make_key},
    {.name = "make a KCM socket", .run = make_connector},
    {.name = "make a pair of another family", .run = bind_another_pair},
    {.name = NULL},
};
