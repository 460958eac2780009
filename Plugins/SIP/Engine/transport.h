// The sockets of a stream: what comes in is sorted, bounded, checked and decrypted, what goes out is encrypted.
// Packets of strangers end here.

#ifndef CSIP_TRANSPORT_H
#define CSIP_TRANSPORT_H

#include "description.h"
#include "reach.h"

struct transport;

struct transport_handlers {
    /// @param is_authenticated the packet was encrypted by whom we agreed with.
    void (*rtp)(struct mbuf *packet, bool is_authenticated, void *argument);
    void (*rtcp)(struct mbuf *packet, void *argument);
    /// Whether an address is another one of the far side's.
    bool (*is_known)(const struct sa *source, void *argument);
    void *argument;
};

/// Opens a pair of sockets on all addresses of a family; it is freed by mem_deref.
/// @param reach whom they send to; it outlives the transport.
int transport_alloc(struct transport **transport, int family, struct reach *reach,
                    const struct transport_handlers *handlers);

/// The port of RTP. That of RTCP is the next one.
uint16_t transport_port(const struct transport *transport);
int transport_family(const struct transport *transport);

/// The socket of RTP, to which helpers for ICE, TURN and DTLS can be attached.
struct udp_sock *transport_socket(const struct transport *transport);
struct udp_sock *transport_rtcp_socket(const struct transport *transport);

/// Finds the address of this machine that packets to another one come from.
int transport_source(const struct sa *destination, struct sa *source);

/// Tells where the far side is. Packets from elsewhere are taken only if `is_fixed` is false and none has come from
/// there: then the first one tells the true address, once. What is authenticated is taken from anywhere.
void transport_set_remote(struct transport *transport, const struct sa *rtp, const struct sa *rtcp, bool is_fixed);

/// Packets go past the TURN client, which would wrap all that go to an address it knows.
void transport_set_direct(struct transport *transport, bool is_direct);

/// Sends a packet that is not RTP past the TURN client.
/// @returns false if that is not to be: then it is to go the usual way.
bool transport_send_directly(struct transport *transport, const struct sa *destination, struct mbuf *packet,
                             int *error);

/// RTCP goes over the socket of RTP (RFC 5761).
void transport_set_muxed(struct transport *transport, bool is_muxed);

/// Nothing unencrypted is sent or taken from now on, or it is again.
void transport_require_keys(struct transport *transport, bool is_required);

/// Encrypts from now on. With the same keys as before nothing changes, so that their counters go on.
int transport_set_keys(struct transport *transport, enum srtp_suite suite, const uint8_t *send_key,
                       const uint8_t *receive_key);

/// Goes on with the keys of another transport, and with their counters.
void transport_inherit_keys(struct transport *transport, const struct transport *other);

/// Makes a packet to write into; there is room for headers before its position.
struct mbuf *transport_packet(struct transport *transport);

/// Whether RTP can be sent: the far side's address and the keys are known, and packets may go there.
bool transport_is_open(const struct transport *transport);
int transport_send_rtp(struct transport *transport, struct mbuf *packet);
int transport_send_rtcp(struct transport *transport, struct mbuf *packet);

#endif
