// The addresses under which a socket can be reached: those of this machine, the one that a STUN server sees, and one
// at a TURN server.

#ifndef CSIP_GATHER_H
#define CSIP_GATHER_H

#include "reach.h"

enum { MAXIMUM_GATHERED = 12 };

struct gathered {
    enum ice_cand_type type;
    struct sa address;
};

struct gatherer;

/// What to ask for; the texts are used during the call only.
struct gather_request {
    struct udp_sock *socket;
    uint16_t port;
    /// The address of this machine that is the best one.
    struct sa local;
    struct dnsc *dns;
    /// Learns the addresses of the servers.
    struct reach *reach;
    /// `host`, `host:port`, `[address]:port`; NULL means none.
    const char *stun_server, *turn_server, *turn_user, *turn_password;
};

/// Begins to gather; it is freed by mem_deref, and with it the address at the TURN server.
/// @param handler is called once, after 2 seconds at most, and never before this returns.
int gatherer_alloc(struct gatherer **gatherer, const struct gather_request *request, void (*handler)(void *argument),
                   void *argument);

/// @returns how many addresses there are, the best ones of each kind first.
size_t gatherer_list(const struct gatherer *gatherer, const struct gathered **list);

/// NULL if there is none.
struct turnc *gatherer_turn(const struct gatherer *gatherer);

/// Gives the address at the TURN server back.
void gatherer_release_turn(struct gatherer *gatherer);

#endif
