// Sees that the machine has other addresses or another default route (rtnetlink), and that it has slept: then the clock
// was set, which a timer of the kernel tells without any permission.

#include <errno.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "internal.h"

enum { SETTLING_MILLISECONDS = 500 };

static int routes = -1, clock_watch = -1;
static struct tmr settle;

static void settled(void *argument) {
    (void)argument;
    engine_network_changed();
}

static void changed_soon(void) {
    // Not put off for ever by changes that do not end.
    if (!tmr_isrunning(&settle)) tmr_start(&settle, SETTLING_MILLISECONDS, settled, NULL);
}

// Temporary addresses of IPv6 come and go, and the kernel repeats what is known: only what matters counts.
static bool matters(const struct nlmsghdr *header) {
    switch (header->nlmsg_type) {
    case RTM_NEWADDR: case RTM_DELADDR:
        return true;
    case RTM_NEWROUTE: case RTM_DELROUTE: {
        if (header->nlmsg_len < NLMSG_LENGTH(sizeof(struct rtmsg))) return false;
        const struct rtmsg *route = NLMSG_DATA(header);
        return route->rtm_dst_len == 0 && route->rtm_type == RTN_UNICAST;
    }
    default:
        return false;
    }
}

// Whether one of the accounts is affected: its address is gone, or another one is nearer now.
static bool is_affected(void) {
    for (struct le *at = engine.accounts.head; at; at = at->next) {
        const struct account *account = at->data;
        struct sa source;
        if (!sa_isset(&account->local, SA_ADDR)) return true;
        if (lookup_source(&account->server, &source) || !sa_cmp(&source, &account->local, SA_ADDR)) return true;
        if (!account->registration.is_registered) return true;
    }
    return false;
}

static void routes_changed(int flags, void *argument) {
    (void)flags; (void)argument;
    union {
        char bytes[16384];
        struct nlmsghdr header;
    } room;
    ssize_t length;
    bool has_changed = false;
    while ((length = recv(routes, room.bytes, sizeof room.bytes, MSG_DONTWAIT)) > 0) {
        size_t left = (size_t)length;
        for (struct nlmsghdr *at = &room.header; NLMSG_OK(at, left); at = NLMSG_NEXT(at, left)) {
            has_changed = has_changed || matters(at);
        }
    }
    // So much has changed that the kernel dropped some of it.
    if (length < 0 && errno == ENOBUFS) has_changed = true;
    if (has_changed && is_affected()) changed_soon();
}

static void arm_clock(void) {
    // Far away: only the setting of the clock is waited for.
    struct itimerspec never = {.it_value.tv_sec = (time_t)1 << 40};
    timerfd_settime(clock_watch, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &never, NULL);
}

static void clock_changed(int flags, void *argument) {
    (void)flags; (void)argument;
    uint64_t expirations;
    if (read(clock_watch, &expirations, sizeof expirations) < 0 && errno != ECANCELED) return;
    arm_clock();
    changed_soon();
}

static int open_routes(void) {
    struct sockaddr_nl address = {
        .nl_family = AF_NETLINK,
        .nl_groups = RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR | RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_ROUTE,
    };
    routes = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
    if (routes < 0) return errno;
    if (bind(routes, (struct sockaddr *)&address, sizeof address)) return errno;
    return fd_listen(routes, FD_READ, routes_changed, NULL);
}

int network_watch_open(void) {
    tmr_init(&settle);
    int error = open_routes();
    clock_watch = timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK);
    if (clock_watch >= 0) {
        arm_clock();
        fd_listen(clock_watch, FD_READ, clock_changed, NULL);
    }
    return error;
}

void network_watch_close(void) {
    tmr_cancel(&settle);
    int descriptors[] = {routes, clock_watch};
    for (size_t i = 0; i < 2; i++) {
        if (descriptors[i] < 0) continue;
        fd_close(descriptors[i]);
        close(descriptors[i]);
    }
    routes = clock_watch = -1;
}
