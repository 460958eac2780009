// What comes over UDP and is no SIP message is dropped before libre sees it, which would write a line for each.

#include "internal.h"

/// Before libre's transports, which have no layer.
enum { LAYER = 0 };

// Returns true if the packet goes no further.
static bool received(struct sa *source, struct mbuf *buffer, void *argument) {
    (void)source; (void)argument;
    struct sip_msg *message = NULL;
    size_t start = buffer->pos, length = mbuf_get_left(buffer);
    // Short ones keep the way open; STUN begins with two bits that are zero.
    if (length <= 4 || !(buffer->buf[start] & 0xC0)) return false;
    int error = sip_msg_decode(&message, buffer);
    mem_deref(message);
    buffer->pos = start;
    return error != 0;
}

void udp_filter_open(struct account *account, const struct sip_msg *message) {
    if (message->tp != SIP_TRANSP_UDP || account->filtered == message->sock) return;
    udp_filter_close(account);
    if (!udp_register_helper(&account->filter, message->sock, LAYER, NULL, received, NULL)) {
        account->filtered = mem_ref(message->sock);
    }
}

void udp_filter_close(struct account *account) {
    account->filter = mem_deref(account->filter);
    account->filtered = mem_deref(account->filtered);
}
