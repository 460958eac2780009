// DTLS on the socket of RTP. The far side is who it says if its certificate has the fingerprint of its description; the
// handshake may be over before that description is here.

#define _DEFAULT_SOURCE
#include "handshake.h"

#include "certificate.h"
#include "path.h"

#include <string.h>

enum {
    /// Above STUN and TURN.
    LAYER = 10,
    GATE_LAYER = 9,
    HASH_SIZE = 4,
    /// Without keys for so long there is nothing to wait for.
    LONGEST_HANDSHAKE = 20000,
};

struct handshake {
    struct stream *stream;
    struct dtls_sock *socket;
    struct tls_conn *connection;
    struct udp_helper *gate;
    /// Whose handshake runs.
    struct sa peer;
    bool has_role, is_active, is_over, has_keys;
    bool has_fingerprint;
    uint8_t fingerprint[FINGERPRINT_LENGTH];
    struct tmr timer;
};

static struct tls *context;

static void handshake_free(void *argument) {
    struct handshake *handshake = argument;
    tmr_cancel(&handshake->timer);
    mem_deref(handshake->gate);
    mem_deref(handshake->connection);
    mem_deref(handshake->socket);
}

static void time_out(void *argument) {
    struct handshake *handshake = argument;
    stream_post_broken(handshake->stream, ETIMEDOUT);
}

// MARK: The end of a handshake

static bool is_from_remote(const struct handshake *handshake) {
    const struct stream *stream = handshake->stream;
    if (path_is_used(stream->path)) return true;
    return stream->taken != NULL && sa_cmp(&handshake->peer, &stream->taken->address, SA_ALL);
}

// Anybody can begin a handshake; only the far side's breaks the call.
static void give_up(struct handshake *handshake, int error) {
    bool is_remote = handshake->is_active || is_from_remote(handshake);
    handshake->connection = mem_deref(handshake->connection);
    handshake->is_over = false;
    if (is_remote) stream_post_broken(handshake->stream, error);
}

static void use_keys(struct handshake *handshake) {
    enum srtp_suite suite;
    uint8_t client[64], server[64], fingerprint[FINGERPRINT_LENGTH];
    int error = tls_peer_fingerprint(handshake->connection, TLS_FINGERPRINT_SHA256, fingerprint, sizeof fingerprint);
    if (error != 0 || mem_seccmp(fingerprint, handshake->fingerprint, sizeof fingerprint) != 0) {
        give_up(handshake, EACCES);
        return;
    }
    error = tls_srtp_keyinfo(handshake->connection, &suite, client, sizeof client, server, sizeof server);
    bool is_known = suite == SRTP_AES_CM_128_HMAC_SHA1_80 || suite == SRTP_AES_CM_128_HMAC_SHA1_32;
    if (error == 0 && is_known) {
        const uint8_t *ours = handshake->is_active ? client : server, *theirs = handshake->is_active ? server : client;
        error = transport_set_keys(handshake->stream->transport, suite, ours, theirs);
    }
    explicit_bzero(client, sizeof client);
    explicit_bzero(server, sizeof server);
    if (error != 0 || !is_known) {
        give_up(handshake, error != 0 ? error : ENOTSUP);
        return;
    }
    handshake->has_keys = true;
    reach_hear(&handshake->stream->reach, &handshake->peer, false);
    tmr_cancel(&handshake->timer);
}

static void established(void *argument) {
    struct handshake *handshake = argument;
    handshake->is_over = true;
    if (handshake->has_fingerprint) use_keys(handshake);
}

static void closed(int error, void *argument) {
    struct handshake *handshake = argument;
    // The keys live on when the far side ends what they came from.
    if (!handshake->has_keys) give_up(handshake, error != 0 ? error : ECONNRESET);
    else handshake->connection = mem_deref(handshake->connection);
}

// MARK: Beginning

// The far side begins. A stranger's handshake must give way to that from the address that was agreed.
static void accept_peer(const struct sa *peer, void *argument) {
    struct handshake *handshake = argument;
    if (handshake->has_keys || (handshake->has_role && handshake->is_active)) return;
    if (handshake->connection != NULL) {
        const struct stream *stream = handshake->stream;
        bool is_remote = stream->taken != NULL && sa_cmp(peer, &stream->taken->address, SA_ALL);
        if (!is_remote || is_from_remote(handshake)) return;
        handshake->connection = mem_deref(handshake->connection);
        handshake->is_over = false;
    }
    handshake->peer = *peer;
    dtls_accept(&handshake->connection, context, handshake->socket, established, NULL, closed, handshake);
}

// Answers go back to where the last packet came from.
static void follow(struct handshake *handshake, const struct sa *source) {
    handshake->peer = *source;
    dtls_set_peer(handshake->connection, source);
}

// With ICE the far side's packets may come by several ways, while libre tells handshakes apart by where they come
// from. So all that come from one of its addresses count as one, and those from elsewhere do not count.
static bool pass_gate(struct sa *source, struct mbuf *packet, void *argument) {
    struct handshake *handshake = argument;
    const struct path *path = handshake->stream->path;
    uint8_t first = mbuf_get_left(packet) > 0 ? mbuf_buf(packet)[0] : 0;
    if (first < 20 || first > 63 || !path_is_used(path)) return false;
    if (!path_knows(path, source)) return true;
    if (handshake->connection == NULL || sa_cmp(source, &handshake->peer, SA_ALL)) return false;
    if (handshake->is_active) *source = handshake->peer;
    else follow(handshake, source);
    return false;
}

static bool send_past(int *error, struct sa *destination, struct mbuf *packet, void *argument) {
    const struct handshake *handshake = argument;
    uint8_t first = mbuf_get_left(packet) > 0 ? mbuf_buf(packet)[0] : 0;
    bool is_ours = first >= 20 && first < 64;
    return is_ours && transport_send_directly(handshake->stream->transport, destination, packet, error);
}

static int begin(struct handshake **result, struct stream *stream) {
    int error = context == NULL ? certificate_make(&context) : 0;
    if (error != 0 || *result != NULL) return error;
    struct handshake *handshake = mem_zalloc(sizeof *handshake, handshake_free);
    if (handshake == NULL) return ENOMEM;
    handshake->stream = stream;
    struct udp_sock *socket = transport_socket(stream->transport);
    error = dtls_listen(&handshake->socket, NULL, socket, HASH_SIZE, LAYER, accept_peer, handshake);
    if (error == 0) error = udp_register_helper(&handshake->gate, socket, GATE_LAYER, send_past, pass_gate, handshake);
    if (error != 0) {
        mem_deref(handshake);
        return error;
    }
    transport_require_keys(stream->transport, true);
    *result = handshake;
    return 0;
}

void handshake_start(struct handshake *handshake) {
    struct sa peer;
    if (handshake == NULL || !handshake->has_role || handshake->has_keys) return;
    if (!path_remote(handshake->stream->path, handshake->stream, &peer)) return;
    if (handshake->connection != NULL) {
        if (handshake->is_active && path_is_used(handshake->stream->path)) follow(handshake, &peer);
        return;
    }
    if (!tmr_isrunning(&handshake->timer)) tmr_start(&handshake->timer, LONGEST_HANDSHAKE, time_out, handshake);
    if (!handshake->is_active) return;
    handshake->peer = peer;
    int error = dtls_connect(&handshake->connection, context, handshake->socket, &handshake->peer, established, NULL,
                             closed, handshake);
    if (error != 0) stream_post_broken(handshake->stream, error);
}

// MARK: Descriptions

int handshake_describe(struct handshake **handshake, struct stream *stream, struct description *ours, bool is_offer) {
    int error = begin(handshake, stream);
    if (error == 0) error = tls_fingerprint(context, TLS_FINGERPRINT_SHA256, ours->fingerprint, FINGERPRINT_LENGTH);
    if (error != 0) return error;
    ours->has_fingerprint = true;
    ours->setup = is_offer ? SETUP_ACTPASS : (*handshake)->is_active ? SETUP_ACTIVE : SETUP_PASSIVE;
    return 0;
}

int handshake_take(struct handshake **result, struct stream *stream, const struct description *theirs, bool is_offer) {
    bool is_other = *result != NULL && (*result)->has_fingerprint &&
                    memcmp((*result)->fingerprint, theirs->fingerprint, FINGERPRINT_LENGTH) != 0;
    // Another certificate is another far side: what was agreed with the last one is worth nothing.
    if (is_other) {
        *result = mem_deref(*result);
        transport_require_keys(stream->transport, false);
    }
    int error = begin(result, stream);
    if (error != 0) return error;
    struct handshake *handshake = *result;
    memcpy(handshake->fingerprint, theirs->fingerprint, FINGERPRINT_LENGTH);
    handshake->has_fingerprint = true;
    if (handshake->has_keys) return 0;
    bool is_theirs = theirs->setup == SETUP_ACTIVE;
    if (!handshake->has_role) handshake->is_active = !is_theirs;
    handshake->has_role = true;
    if (handshake->is_over) use_keys(handshake);
    // The answer goes out first, else the far side cannot check who begins.
    if (!is_offer) handshake_start(handshake);
    return 0;
}

void handshake_close(void) {
    context = mem_deref(context);
}
