// Gathering addresses by libre's STUN and TURN clients.

#include "gather.h"

#include <stdlib.h>
#include <string.h>

enum {
    /// A call waits no longer than this for servers.
    LONGEST_GATHERING = 2000,
    /// Below ICE, which sees what comes through the server without its wrapping.
    TURN_LAYER = -10,
    /// Below TURN, whose client takes all that its server says for itself.
    STUN_LAYER = -20,
    TURN_LIFETIME = 600,
    /// Routers forget a way that nothing goes for half a minute.
    KEEP_ALIVE = 15000,
    MOST_LOCAL_ADDRESSES = 6,
};

struct gatherer {
    struct gather_request request;
    char turn_user[256], turn_password[256];
    struct gathered list[MAXIMUM_GATHERED];
    size_t count;
    struct stun_dns *stun_query, *turn_query;
    struct stun *stun;
    struct stun_ctrans *request_to_stun;
    struct udp_helper *helper;
    struct sa stun_server;
    struct tmr keep_alive;
    struct turnc *turn;
    bool waits_for_stun, waits_for_turn, is_done;
    struct tmr timer;
    void (*handler)(void *argument);
    void *argument;
};

static void gatherer_free(void *argument) {
    struct gatherer *gatherer = argument;
    tmr_cancel(&gatherer->timer);
    mem_deref(gatherer->stun_query);
    mem_deref(gatherer->turn_query);
    tmr_cancel(&gatherer->keep_alive);
    mem_deref(gatherer->request_to_stun);
    mem_deref(gatherer->helper);
    mem_deref(gatherer->stun);
    mem_deref(gatherer->turn);
}

static void add(struct gatherer *gatherer, enum ice_cand_type type, const struct sa *address) {
    if (gatherer->count == MAXIMUM_GATHERED || !sa_isset(address, SA_ALL)) return;
    for (size_t i = 0; i < gatherer->count; i++) {
        if (sa_cmp(&gatherer->list[i].address, address, SA_ALL)) return;
    }
    gatherer->list[gatherer->count++] = (struct gathered){type, *address};
}

static void finish(void *argument) {
    struct gatherer *gatherer = argument;
    tmr_cancel(&gatherer->timer);
    if (gatherer->is_done) return;
    gatherer->is_done = true;
    gatherer->handler(gatherer->argument);
}

// Ends it from a timer, as what calls this is not always outside of gatherer_alloc.
static void finish_if_done(struct gatherer *gatherer) {
    if (gatherer->is_done || gatherer->waits_for_stun || gatherer->waits_for_turn) return;
    tmr_start(&gatherer->timer, 0, finish, gatherer);
}

// MARK: Servers

static void send_request(void *argument);

static void take_mapped(int error, uint16_t code, const char *reason, const struct stun_msg *message, void *argument) {
    struct gatherer *gatherer = argument;
    (void)reason;
    bool is_good = error == 0 && code == 0 && message != NULL;
    const struct stun_attr *attribute = is_good ? stun_msg_attr(message, STUN_ATTR_XOR_MAPPED_ADDR) : NULL;
    if (attribute == NULL && is_good) attribute = stun_msg_attr(message, STUN_ATTR_MAPPED_ADDR);
    bool is_usable = attribute != NULL && sa_af(&attribute->v.sa) == sa_af(&gatherer->request.local);
    if (is_usable && !gatherer->is_done) add(gatherer, ICE_CAND_TYPE_SRFLX, &attribute->v.sa);
    tmr_start(&gatherer->keep_alive, KEEP_ALIVE, send_request, gatherer);
    gatherer->waits_for_stun = false;
    finish_if_done(gatherer);
}

static void send_request(void *argument) {
    struct gatherer *gatherer = argument;
    gatherer->request_to_stun = mem_deref(gatherer->request_to_stun);
    int error = stun_request(&gatherer->request_to_stun, gatherer->stun, IPPROTO_UDP, gatherer->request.socket,
                             &gatherer->stun_server, 0, STUN_METHOD_BINDING, NULL, 0, false, take_mapped, gatherer, 0);
    if (error != 0) tmr_start(&gatherer->keep_alive, KEEP_ALIVE, send_request, gatherer);
}

// Takes the server's answers to this, and leaves those to ICE alone.
static bool take_response(struct sa *source, struct mbuf *packet, void *argument) {
    struct gatherer *gatherer = argument;
    if (!sa_cmp(source, &gatherer->stun_server, SA_ALL)) return false;
    struct stun_msg *message;
    struct stun_unknown_attr unknown;
    size_t position = packet->pos;
    bool is_ours = false;
    if (stun_msg_decode(&message, packet, &unknown) == 0) {
        is_ours = stun_msg_method(message) == STUN_METHOD_BINDING && stun_msg_class(message) != STUN_CLASS_REQUEST &&
                  stun_ctrans_recv(gatherer->stun, message, &unknown) == 0;
        mem_deref(message);
    }
    packet->pos = position;
    return is_ours;
}

static void ask_stun(int error, const struct sa *server, void *argument) {
    struct gatherer *gatherer = argument;
    if (error == 0 && sa_af(server) != sa_af(&gatherer->request.local)) error = EAFNOSUPPORT;
    if (error == 0) error = stun_alloc(&gatherer->stun, NULL, NULL, NULL);
    if (error == 0) {
        gatherer->stun_server = *server;
        reach_add_server(gatherer->request.reach, server);
        struct udp_sock *socket = gatherer->request.socket;
        error = udp_register_helper(&gatherer->helper, socket, STUN_LAYER, NULL, take_response, gatherer);
    }
    if (error == 0) {
        send_request(gatherer);
        return;
    }
    gatherer->waits_for_stun = false;
    finish_if_done(gatherer);
}

static void take_relay(int error, uint16_t code, const char *reason, const struct sa *relay, const struct sa *mapped,
                       const struct stun_msg *message, void *argument) {
    struct gatherer *gatherer = argument;
    (void)reason;
    (void)message;
    bool is_there = error == 0 && code == 0;
    if (is_there && !gatherer->is_done) {
        if (mapped != NULL) add(gatherer, ICE_CAND_TYPE_SRFLX, mapped);
        if (relay != NULL) add(gatherer, ICE_CAND_TYPE_RELAY, relay);
    }
    gatherer->waits_for_turn = false;
    finish_if_done(gatherer);
}

static void ask_turn(int error, const struct sa *server, void *argument) {
    struct gatherer *gatherer = argument;
    if (error == 0 && sa_af(server) == sa_af(&gatherer->request.local)) {
        reach_add_server(gatherer->request.reach, server);
        error = turnc_alloc(&gatherer->turn, NULL, IPPROTO_UDP, gatherer->request.socket, TURN_LAYER, server,
                            gatherer->turn_user, gatherer->turn_password, TURN_LIFETIME, take_relay, gatherer);
        if (error == 0) return;
    }
    gatherer->waits_for_turn = false;
    finish_if_done(gatherer);
}

// Splits `host:port`; the port is 0 if there is none.
static bool split(const char *server, char *host, size_t size, uint16_t *port) {
    struct pl name, number = PL_INIT;
    *port = 0;
    if (server == NULL || *server == '\0') return false;
    struct sa literal;
    if (*server == '[') {
        const char *end = strchr(server, ']');
        if (end == NULL) return false;
        name = (struct pl){server + 1, (size_t)(end - server - 1)};
        if (end[1] == ':') pl_set_str(&number, end + 2);
    } else if (sa_set_str(&literal, server, 0) == 0) {
        pl_set_str(&name, server);
    } else {
        size_t length = strcspn(server, ":");
        name = (struct pl){server, length};
        if (server[length] == ':') pl_set_str(&number, server + length + 1);
    }
    if (name.l == 0 || name.l >= size || pl_u32(&number) > 65535) return false;
    *port = (uint16_t)pl_u32(&number);
    return pl_strcpy(&name, host, size) == 0;
}

static void find_server(struct gatherer *gatherer, const char *text, bool is_turn) {
    char host[256];
    uint16_t port;
    if (!split(text, host, sizeof host, &port)) return;
    bool *waits = is_turn ? &gatherer->waits_for_turn : &gatherer->waits_for_stun;
    *waits = true;
    int error = stun_server_discover(is_turn ? &gatherer->turn_query : &gatherer->stun_query, gatherer->request.dns,
                                     is_turn ? stun_usage_relay : stun_usage_binding, stun_proto_udp,
                                     sa_af(&gatherer->request.local), host, port, is_turn ? ask_turn : ask_stun,
                                     gatherer);
    if (error != 0) *waits = false;
}

// MARK: This machine

static bool add_interface(const char *name, const struct sa *address, void *argument) {
    struct gatherer *gatherer = argument;
    (void)name;
    bool is_useful = sa_af(address) == sa_af(&gatherer->request.local) && !sa_is_loopback(address) &&
                     !sa_is_linklocal(address);
    if (!is_useful) return false;
    struct sa local = *address;
    sa_set_port(&local, gatherer->request.port);
    add(gatherer, ICE_CAND_TYPE_HOST, &local);
    return gatherer->count >= MOST_LOCAL_ADDRESSES;
}

int gatherer_alloc(struct gatherer **result, const struct gather_request *request, void (*handler)(void *argument),
                   void *argument) {
    struct gatherer *gatherer = mem_zalloc(sizeof *gatherer, gatherer_free);
    if (gatherer == NULL) return ENOMEM;
    gatherer->request = *request;
    gatherer->handler = handler;
    gatherer->argument = argument;
    str_ncpy(gatherer->turn_user, request->turn_user != NULL ? request->turn_user : "", sizeof gatherer->turn_user);
    str_ncpy(gatherer->turn_password, request->turn_password != NULL ? request->turn_password : "",
             sizeof gatherer->turn_password);
    struct sa local = request->local;
    sa_set_port(&local, request->port);
    add(gatherer, ICE_CAND_TYPE_HOST, &local);
    net_if_apply(add_interface, gatherer);
    tmr_start(&gatherer->timer, LONGEST_GATHERING, finish, gatherer);
    find_server(gatherer, request->stun_server, false);
    find_server(gatherer, request->turn_server, true);
    finish_if_done(gatherer);
    *result = gatherer;
    return 0;
}

size_t gatherer_list(const struct gatherer *gatherer, const struct gathered **list) {
    *list = gatherer->list;
    return gatherer->count;
}

struct turnc *gatherer_turn(const struct gatherer *gatherer) {
    return gatherer->turn;
}

void gatherer_release_turn(struct gatherer *gatherer) {
    gatherer->turn = mem_deref(gatherer->turn);
}
