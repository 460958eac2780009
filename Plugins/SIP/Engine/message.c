// Messages that come in for an account: which call they belong to, and what belongs to none.

#include <string.h>

#include "internal.h"

static void answer_options(struct account *account, const struct sip_msg *message) {
    struct response_contact contact = {account, message};
    sip_replyf(account->sip, message, 200, "OK",
               "%H" ABILITIES "Content-Length: 0\r\n\r\n", response_contact_print, &contact);
}

static bool is_of_a_call(const struct sip_msg *message) {
    static const char *const methods[] = {"BYE", "INFO", "UPDATE", "PRACK"};
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
        if (!pl_strcmp(&message->met, methods[i])) return true;
    }
    return false;
}

static void refuse(struct account *account, const struct sip_msg *message) {
    if (is_of_a_call(message)) {
        sip_reply(account->sip, message, 481, "Call/Transaction Does Not Exist");
    } else if (!pl_strcmp(&message->met, "SUBSCRIBE") || !pl_strcmp(&message->met, "NOTIFY")) {
        sip_replyf(account->sip, message, 489, "Bad Event", "Allow-Events: refer\r\nContent-Length: 0\r\n\r\n");
    } else {
        sip_replyf(account->sip, message, 405, "Method Not Allowed", ALLOW "Content-Length: 0\r\n\r\n");
    }
}

static bool request_came(const struct sip_msg *message, void *argument) {
    struct account *account = argument;
    struct call *call = call_find_dialog(account, message);
    udp_filter_open(account, message);
    if (call) {
        call_request(call, message);
        return true;
    }
    if (!pl_strcmp(&message->met, "ACK")) return true;
    if (!pl_strcmp(&message->met, "NOTIFY") && transfer_notified(account, message)) return true;
    // Strangers do not crowd out our server.
    bool is_strange = !account_is_from_server(account, message);
    struct rate *rate = is_strange ? &account->stranger_requests : &account->server_requests;
    if (!rate_allows(rate, MAX_REQUESTS)) return true;
    // No transaction is kept for what belongs to no call: whoever asks again is answered again.
    if (pl_isset(&message->to.tag)) {
        sip_reply(account->sip, message, 481, "Call/Transaction Does Not Exist");
    } else if (!pl_strcmp(&message->met, "CANCEL")) {
        sip_reply(account->sip, message, 481, "Call/Transaction Does Not Exist");
    } else if (!pl_strcmp(&message->met, "INVITE")) {
        call_receive(account, message);
    } else if (is_strange) {
        // In few words: the answer is hardly longer than the shortest request.
        bool is_options = !pl_strcmp(&message->met, "OPTIONS");
        sip_reply(account->sip, message, is_options ? 200 : 405, is_options ? "OK" : "Method Not Allowed");
    } else if (!pl_strcmp(&message->met, "OPTIONS")) {
        answer_options(account, message);
    } else {
        refuse(account, message);
    }
    return true;
}

// Responses that belong to no request on its way: repeated 2xx, and those of further branches of a call.
static bool response_came(const struct sip_msg *message, void *argument) {
    struct account *account = argument;
    if (pl_strcmp(&message->cseq.met, "INVITE") || message->scode / 100 != 2) return true;
    acknowledgement_repeat(account, message);
    return true;
}

// libre answers a CANCEL by itself and tells no one why it came: its Reason is read here, just before.
static void read_cancel(struct account *account, const uint8_t *packet, size_t length) {
    account->cancel_reason[0] = 0;
    if (length < 7 || memcmp(packet, "CANCEL ", 7)) return;
    struct mbuf *copy = mbuf_alloc(length);
    struct sip_msg *message = NULL;
    if (!copy) return;
    mbuf_write_mem(copy, packet, length);
    copy->pos = 0;
    if (!sip_msg_decode(&message, copy)) identity_reason(message, account->cancel_reason);
    mem_deref(message);
    mem_deref(copy);
}

static void trace(bool is_sent, enum sip_transp transport, const struct sa *source, const struct sa *destination,
                  const uint8_t *packet, size_t length, void *argument) {
    (void)transport; (void)source; (void)destination;
    struct account *account = argument;
    if (!is_sent) read_cancel(account, packet, length);
    if (!account->is_traced || account->is_closing) return;
    char *text = mem_zalloc(MAX_TRACE + 1, NULL);
    if (!text) return;
    for (size_t i = 0; i < length && i < MAX_TRACE; i++) {
        bool is_shown = (packet[i] >= 0x20 && packet[i] < 0x7F) || packet[i] == '\r' || packet[i] == '\n';
        text[i] = is_shown ? (char)packet[i] : packet[i] == '\t' ? ' ' : '?';
    }
    engine_event(&(struct csip_event){
        .kind = CSIP_TRACE, .account = account->id, .is_sent = is_sent, .text = text,
    });
    mem_deref(text);
}

int messages_listen(struct account *account) {
    int error = sip_listen(&account->requests_in, account->sip, true, request_came, account);
    if (!error) error = sip_listen(&account->responses_in, account->sip, false, response_came, account);
    if (!error) sip_set_trace_handler(account->sip, trace);
    return error;
}
