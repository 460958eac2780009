// The sockets of a stream.

#define _DEFAULT_SOURCE
#include "transport.h"

#include "rtp.h"

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    FIRST_PORT = 16384,
    LAST_PORT = 32766,
    PORT_ATTEMPTS = 100,
    /// A call has 50 packets a second, and no codec here more than 100. What is beyond is a flood.
    MOST_PACKETS_A_SECOND = 500,
    /// Of all others together: the far side by a TURN server, and strangers, who must not use up its share.
    MOST_STRANGE_PACKETS_A_SECOND = 200,
    /// How long packets from where the far side was before do not tell where it is, in milliseconds.
    LONGEST_FAREWELL = 2000,
    /// Before all other helpers of the socket.
    GUARD_LAYER = -100,
    /// Above TURN, which wraps what goes by the relay, and below whatever sends.
    GATE_LAYER = 8,
    /// Enough for the header of a TURN channel. With more the TURN client would wrap what has no channel too.
    HEADROOM = 16,
    LARGEST_PACKET = 2048,
};

struct transport {
    struct udp_sock *rtp, *rtcp;
    struct udp_helper *guards[2], *gates[2];
    struct reach *reach;
    struct transport_handlers handlers;
    int family;
    uint16_t port;
    struct sa remote, remote_rtcp;
    /// Where packets come from; unset until one has come. Where they came from, or were to come from, before the far side
    /// named another address, and when it did.
    struct sa source, former;
    uint64_t renamed;
    bool is_fixed, is_muxed, is_direct, needs_keys, has_latched;
    struct mbuf *packet;
    uint64_t second;
    unsigned packets_in_second, strange_packets_in_second;
    struct srtp *sending, *receiving;
    enum srtp_suite suite;
    uint8_t send_key[SRTP_KEY_LENGTH], receive_key[SRTP_KEY_LENGTH];
    /// The source whose packets `receiving` knows.
    bool has_ssrc;
    uint32_t ssrc;
};

// MARK: Receiving

static bool guard(struct sa *source, struct mbuf *packet, void *argument) {
    struct transport *transport = argument;
    uint64_t second = tmr_jiffies() / 1000;
    if (second != transport->second) transport->packets_in_second = transport->strange_packets_in_second = 0;
    transport->second = second;
    if (mbuf_get_left(packet) < 2) return true;
    bool is_far_side = sa_cmp(source, &transport->remote, SA_ALL) || sa_cmp(source, &transport->remote_rtcp, SA_ALL) ||
                       (transport->has_latched && sa_cmp(source, &transport->source, SA_ALL));
    if (is_far_side) return ++transport->packets_in_second > MOST_PACKETS_A_SECOND;
    return ++transport->strange_packets_in_second > MOST_STRANGE_PACKETS_A_SECOND;
}

static uint32_t ssrc_of(const struct mbuf *packet, bool is_rtcp) {
    const uint8_t *bytes = mbuf_buf(packet) + (is_rtcp ? 4 : 8);
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

// libre's context has room for few sources and makes room before it has checked the packet. So a source that is not
// known is tried with a context of its own, which takes the place of the other one if the packet is authentic.
static int decrypt_unknown(struct transport *transport, struct mbuf *packet, bool is_rtcp, uint32_t ssrc) {
    struct srtp *fresh;
    int error = srtp_alloc(&fresh, transport->suite, transport->receive_key, SRTP_KEY_LENGTH, 0);
    if (error != 0) return error;
    error = is_rtcp ? srtcp_decrypt(fresh, packet) : srtp_decrypt(fresh, packet);
    if (error != 0 || is_rtcp) {
        mem_deref(fresh);
        return error;
    }
    mem_deref(transport->receiving);
    transport->receiving = fresh;
    transport->has_ssrc = true;
    transport->ssrc = ssrc;
    return 0;
}

static int decrypt(struct transport *transport, struct mbuf *packet, bool is_rtcp) {
    if (mbuf_get_left(packet) < RTP_HEADER_SIZE) return EBADMSG;
    uint32_t ssrc = ssrc_of(packet, is_rtcp);
    if (!transport->has_ssrc || transport->ssrc != ssrc) return decrypt_unknown(transport, packet, is_rtcp, ssrc);
    return is_rtcp ? srtcp_decrypt(transport->receiving, packet) : srtp_decrypt(transport->receiving, packet);
}

// Whether a packet that nothing authenticates may be the far side's.
static bool is_from_remote(struct transport *transport, const struct sa *source) {
    if (sa_cmp(source, &transport->remote, SA_ALL)) {
        transport->source = *source;
        transport->has_latched = true;
        return true;
    }
    if (transport->is_fixed) return transport->handlers.is_known(source, transport->handlers.argument);
    if (transport->has_latched) return sa_cmp(source, &transport->source, SA_ALL);
    // Another phone, which rang as well, may go on for a while.
    return !sa_cmp(source, &transport->former, SA_ALL) || tmr_jiffies() - transport->renamed > LONGEST_FAREWELL;
}

static void take_rtp(struct transport *transport, const struct sa *source, struct mbuf *packet) {
    bool is_authenticated = transport->receiving != NULL;
    if (is_authenticated) {
        if (decrypt(transport, packet, false) != 0) return;
        if (!transport->is_fixed) transport->source = *source;
        transport->has_latched = true;
    } else if (transport->needs_keys || !is_from_remote(transport, source)) {
        return;
    }
    struct mbuf header_only = *packet;
    struct rtp_header header;
    if (rtp_read(&header, &header_only) != 0) return;
    if (!transport->has_latched) {
        transport->source = *source;
        transport->has_latched = true;
    }
    reach_hear(transport->reach, source, false);
    transport->handlers.rtp(packet, is_authenticated, transport->handlers.argument);
}

static void take_rtcp(struct transport *transport, const struct sa *source, struct mbuf *packet, bool is_muxed) {
    if (transport->receiving != NULL) {
        if (decrypt(transport, packet, true) != 0) return;
    } else {
        bool is_remote = sa_cmp(source, &transport->remote, SA_ADDR) ||
                         sa_cmp(source, &transport->remote_rtcp, SA_ADDR) ||
                         (transport->has_latched && sa_cmp(source, &transport->source, SA_ADDR)) ||
                         transport->handlers.is_known(source, transport->handlers.argument);
        if (transport->needs_keys || !is_remote) return;
    }
    reach_hear(transport->reach, source, !is_muxed);
    transport->handlers.rtcp(packet, transport->handlers.argument);
}

// RFC 7983: the first byte tells what it is. STUN and DTLS are the helpers'; what of them comes this far is nobody's.
static void receive(const struct sa *source, struct mbuf *packet, void *argument) {
    struct transport *transport = argument;
    if (mbuf_get_left(packet) < 8) return;
    const uint8_t *bytes = mbuf_buf(packet);
    if (bytes[0] < 128 || bytes[0] > 191) return;
    bool is_rtcp = (bytes[1] & 0x7f) >= 64 && (bytes[1] & 0x7f) < 96;
    if (is_rtcp) take_rtcp(transport, source, packet, true);
    else take_rtp(transport, source, packet);
}

static void receive_rtcp(const struct sa *source, struct mbuf *packet, void *argument) {
    if (mbuf_get_left(packet) < 8) return;
    const uint8_t *bytes = mbuf_buf(packet);
    if (bytes[0] < 128 || bytes[0] > 191) return;
    take_rtcp(argument, source, packet, false);
}

// MARK: Sockets

static void transport_free(void *argument) {
    struct transport *transport = argument;
    mem_deref(transport->guards[0]);
    mem_deref(transport->guards[1]);
    mem_deref(transport->gates[0]);
    mem_deref(transport->gates[1]);
    mem_deref(transport->rtp);
    mem_deref(transport->rtcp);
    mem_deref(transport->packet);
    mem_deref(transport->sending);
    mem_deref(transport->receiving);
    explicit_bzero(transport->send_key, SRTP_KEY_LENGTH);
    explicit_bzero(transport->receive_key, SRTP_KEY_LENGTH);
}

static int listen_on(struct transport *transport, uint16_t port) {
    struct sa local;
    int error = sa_set_str(&local, transport->family == AF_INET6 ? "::" : "0.0.0.0", port);
    if (error != 0) return error;
    error = udp_listen(&transport->rtp, &local, receive, transport);
    if (error != 0) return error;
    sa_set_port(&local, (uint16_t)(port + 1));
    error = udp_listen(&transport->rtcp, &local, receive_rtcp, transport);
    if (error != 0) transport->rtp = mem_deref(transport->rtp);
    return error;
}

// Sees all that goes out by the usual way. @returns true if it goes no further.
static bool gate_rtp(int *error, struct sa *to, struct mbuf *packet, void *argument) {
    (void)error; (void)packet;
    return !reach_send(((struct transport *)argument)->reach, to, false);
}

static bool gate_rtcp(int *error, struct sa *to, struct mbuf *packet, void *argument) {
    (void)error; (void)packet;
    return !reach_send(((struct transport *)argument)->reach, to, true);
}

static int add_helpers(struct transport *transport) {
    int error = udp_register_helper(&transport->guards[0], transport->rtp, GUARD_LAYER, NULL, guard, transport);
    error |= udp_register_helper(&transport->guards[1], transport->rtcp, GUARD_LAYER, NULL, guard, transport);
    error |= udp_register_helper(&transport->gates[0], transport->rtp, GATE_LAYER, gate_rtp, NULL, transport);
    return error | udp_register_helper(&transport->gates[1], transport->rtcp, GATE_LAYER, gate_rtcp, NULL, transport);
}

static int open_sockets(struct transport *transport) {
    int error = EADDRINUSE;
    for (int i = 0; i < PORT_ATTEMPTS && error != 0; i++) {
        transport->port = (uint16_t)((FIRST_PORT + rand_u32() % (LAST_PORT - FIRST_PORT)) & ~1U);
        error = listen_on(transport, transport->port);
        if (error != 0 && error != EADDRINUSE && error != EACCES) return error;
    }
    if (error != 0) return error;
    udp_rxsz_set(transport->rtp, LARGEST_PACKET);
    udp_rxsz_set(transport->rtcp, LARGEST_PACKET);
    return add_helpers(transport);
}

int transport_alloc(struct transport **result, int family, struct reach *reach,
                    const struct transport_handlers *handlers) {
    struct transport *transport = mem_zalloc(sizeof *transport, transport_free);
    if (transport == NULL) return ENOMEM;
    transport->handlers = *handlers;
    transport->family = family;
    transport->reach = reach;
    transport->packet = mbuf_alloc(LARGEST_PACKET);
    int error = transport->packet != NULL ? open_sockets(transport) : ENOMEM;
    if (error != 0) mem_deref(transport);
    else *result = transport;
    return error;
}

uint16_t transport_port(const struct transport *transport) {
    return transport->port;
}

int transport_family(const struct transport *transport) {
    return transport->family;
}

struct udp_sock *transport_socket(const struct transport *transport) {
    return transport->rtp;
}

struct udp_sock *transport_rtcp_socket(const struct transport *transport) {
    return transport->rtcp;
}

int transport_source(const struct sa *destination, struct sa *source) {
    int error = EAFNOSUPPORT, descriptor = socket(sa_af(destination), SOCK_DGRAM | SOCK_CLOEXEC, 0);
    struct sockaddr_storage address;
    socklen_t length = sizeof address;
    if (descriptor < 0) return errno;
    // Nothing is sent: the kernel just chooses a way.
    if (connect(descriptor, &destination->u.sa, destination->len) != 0) error = errno;
    else if (getsockname(descriptor, (struct sockaddr *)&address, &length) != 0) error = errno;
    else error = sa_set_sa(source, (struct sockaddr *)&address);
    close(descriptor);
    return error;
}

// MARK: The far side

void transport_set_remote(struct transport *transport, const struct sa *rtp, const struct sa *rtcp, bool is_fixed) {
    bool is_same = sa_cmp(&transport->remote, rtp, SA_ALL) && transport->is_fixed == is_fixed;
    transport->remote_rtcp = *rtcp;
    if (is_same) return;
    transport->former = transport->has_latched ? transport->source : transport->remote;
    transport->renamed = tmr_jiffies();
    transport->remote = *rtp;
    transport->is_fixed = is_fixed;
    transport->has_latched = false;
    sa_init(&transport->source, AF_UNSPEC);
}

void transport_set_direct(struct transport *transport, bool is_direct) {
    transport->is_direct = is_direct;
}

void transport_set_muxed(struct transport *transport, bool is_muxed) {
    transport->is_muxed = is_muxed;
}

void transport_require_keys(struct transport *transport, bool is_required) {
    transport->needs_keys = is_required;
    if (is_required) return;
    transport->sending = mem_deref(transport->sending);
    transport->receiving = mem_deref(transport->receiving);
}

int transport_set_keys(struct transport *transport, enum srtp_suite suite, const uint8_t *send_key,
                       const uint8_t *receive_key) {
    bool is_same_suite = suite == transport->suite;
    if (transport->sending == NULL || !is_same_suite || memcmp(send_key, transport->send_key, SRTP_KEY_LENGTH) != 0) {
        struct srtp *sending;
        int error = srtp_alloc(&sending, suite, send_key, SRTP_KEY_LENGTH, 0);
        if (error != 0) return error;
        mem_deref(transport->sending);
        transport->sending = sending;
        memcpy(transport->send_key, send_key, SRTP_KEY_LENGTH);
    }
    if (transport->receiving == NULL || !is_same_suite ||
        memcmp(receive_key, transport->receive_key, SRTP_KEY_LENGTH) != 0) {
        struct srtp *receiving;
        int error = srtp_alloc(&receiving, suite, receive_key, SRTP_KEY_LENGTH, 0);
        if (error != 0) return error;
        mem_deref(transport->receiving);
        transport->receiving = receiving;
        memcpy(transport->receive_key, receive_key, SRTP_KEY_LENGTH);
        transport->has_ssrc = false;
    }
    transport->suite = suite;
    transport->needs_keys = true;
    return 0;
}

void transport_inherit_keys(struct transport *transport, const struct transport *other) {
    mem_deref(transport->sending);
    mem_deref(transport->receiving);
    transport->sending = mem_ref(other->sending);
    transport->receiving = mem_ref(other->receiving);
    transport->needs_keys = other->needs_keys;
    transport->suite = other->suite;
    memcpy(transport->send_key, other->send_key, SRTP_KEY_LENGTH);
    memcpy(transport->receive_key, other->receive_key, SRTP_KEY_LENGTH);
    transport->has_ssrc = other->has_ssrc;
    transport->ssrc = other->ssrc;
}

// MARK: Sending

struct mbuf *transport_packet(struct transport *transport) {
    transport->packet->pos = transport->packet->end = HEADROOM;
    return transport->packet;
}

static const struct sa *destination(const struct transport *transport) {
    bool is_elsewhere = !transport->is_fixed && transport->has_latched && sa_isset(&transport->source, SA_ALL);
    return is_elsewhere ? &transport->source : &transport->remote;
}

// A description must not make this machine talk to a whole network.
static bool is_single(const struct sa *address) {
    if (sa_is_any(address)) return false;
    if (sa_af(address) != AF_INET6) return sa_in(address) < 0xe0000000U;
    uint8_t bytes[16];
    sa_in6(address, bytes);
    return bytes[0] != 0xff;
}

bool transport_is_open(const struct transport *transport) {
    const struct sa *remote = destination(transport);
    if (!sa_isset(remote, SA_ALL) || !is_single(remote) || sa_af(remote) != transport->family) return false;
    return (!transport->needs_keys || transport->sending != NULL) && reach_allows(transport->reach, remote, false);
}

// The guards are the lowest helpers, so that none is below them.
static int send_from(struct transport *transport, bool is_rtcp, const struct sa *to, struct mbuf *packet) {
    struct udp_sock *socket = is_rtcp ? transport->rtcp : transport->rtp;
    if (!transport->is_direct) return udp_send(socket, to, packet);
    if (!reach_send(transport->reach, to, is_rtcp)) return 0;
    return udp_send_helper(socket, to, packet, transport->guards[is_rtcp]);
}

bool transport_send_directly(struct transport *transport, const struct sa *to, struct mbuf *packet, int *error) {
    if (!transport->is_direct) return false;
    *error = send_from(transport, false, to, packet);
    return true;
}

int transport_send_rtp(struct transport *transport, struct mbuf *packet) {
    if (!transport_is_open(transport)) return ENOTCONN;
    packet->pos = HEADROOM;
    int error = transport->sending != NULL ? srtp_encrypt(transport->sending, packet) : 0;
    packet->pos = HEADROOM;
    return error != 0 ? error : send_from(transport, false, destination(transport), packet);
}

int transport_send_rtcp(struct transport *transport, struct mbuf *packet) {
    if (!transport_is_open(transport)) return ENOTCONN;
    packet->pos = HEADROOM;
    int error = transport->sending != NULL ? srtcp_encrypt(transport->sending, packet) : 0;
    if (error != 0) return error;
    packet->pos = HEADROOM;
    if (transport->is_muxed) return send_from(transport, false, destination(transport), packet);
    if (sa_af(&transport->remote_rtcp) != transport->family || !is_single(&transport->remote_rtcp)) return 0;
    return send_from(transport, true, &transport->remote_rtcp, packet);
}
