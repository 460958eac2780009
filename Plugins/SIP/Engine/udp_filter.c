// What comes over UDP and is no SIP message is dropped before libre sees it, which would write a line for each. And
// what goes out is bounded: the sender of a datagram can be forged, so addresses that nobody has shown to be at get no
// more bytes, all together, than have come from such addresses, and a little.

#include "internal.h"

enum {
    /// Before libre's transports, which have no layer.
    LAYER = 0,
    /// Bytes that go to such addresses beyond what came from there: at once, and in a second.
    MOST_CREDIT = 16384,
    CREDIT_A_SECOND = 1024,
};

// Whether somebody has shown to be at an address: the server, or who has acknowledged our answer to its call, which
// went there.
static bool is_proven(const struct account *account, const struct sa *address) {
    if (account_is_server(account, address)) return true;
    for (struct le *at = engine.calls.head; at; at = at->next) {
        const struct call *call = at->data;
        if (call->account == account && sa_cmp(&call->proven, address, SA_ALL)) return true;
    }
    return false;
}

static void earn(struct account *account, size_t bytes) {
    struct credit *credit = &account->credit;
    uint64_t now = tmr_jiffies(), passed = now - credit->since;
    if (passed > MOST_CREDIT) passed = MOST_CREDIT;
    credit->since = now;
    credit->bytes += (size_t)passed * CREDIT_A_SECOND / 1000 + bytes;
    if (credit->bytes > MOST_CREDIT) credit->bytes = MOST_CREDIT;
}

// A Via can ask for the answer to be sent to somebody else (`maddr`, for groups of machines).
static bool is_for_others(const struct sip_msg *message) {
    struct pl rest;
    return message->req && !msg_param_exists(&message->via.params, "maddr", &rest);
}

// Returns true if the packet goes no further.
static bool received(struct sa *source, struct mbuf *buffer, void *argument) {
    struct account *account = argument;
    struct sip_msg *message = NULL;
    size_t start = buffer->pos, length = mbuf_get_left(buffer);
    // Short ones keep the way open; STUN begins with two bits that are zero.
    if (length <= 4 || !(buffer->buf[start] & 0xC0)) return false;
    bool is_stranger = !is_proven(account, source);
    if (is_stranger) earn(account, length);
    bool is_dropped = sip_msg_decode(&message, buffer) || (is_stranger && is_for_others(message));
    mem_deref(message);
    buffer->pos = start;
    return is_dropped;
}

static bool is_withheld(int *error, struct sa *destination, struct mbuf *buffer, void *argument) {
    (void)error;
    struct account *account = argument;
    size_t length = mbuf_get_left(buffer);
    if (is_proven(account, destination)) return false;
    earn(account, 0);
    if (account->credit.bytes < length) return true;
    account->credit.bytes -= length;
    return false;
}

void udp_filter_open(struct account *account, const struct sip_msg *message) {
    if (message->tp != SIP_TRANSP_UDP || account->filtered == message->sock) return;
    udp_filter_close(account);
    if (!udp_register_helper(&account->filter, message->sock, LAYER, is_withheld, received, account)) {
        account->filtered = mem_ref(message->sock);
    }
}

void udp_filter_close(struct account *account) {
    account->filter = mem_deref(account->filter);
    account->filtered = mem_deref(account->filtered);
}
