// Requests of the far side within a call.

#include <errno.h>
#include <string.h>

#include "internal.h"

static void ended_by_far_side(struct call *call, const struct sip_msg *message) {
    char reason[MAX_REASON];
    identity_reason(message, reason);
    sip_treply(NULL, call->account->sip, message, 200, "OK");
    if (referral_outlives_far_side(call)) return;
    if (call->transaction) {
        sip_treply(&call->transaction, call->account->sip, call->message, 487, "Request Terminated");
        call->transaction = NULL;
    }
    call_finish(call, 0, 0, *reason ? reason : NULL);
}

bool call_is_flooded(struct call *call, const struct sip_msg *message) {
    if (rate_allows(&call->changes, MAX_CHANGES)) return false;
    sip_replyf(call->account->sip, message, 500, "Server Internal Error",
               "Retry-After: 2\r\nContent-Length: 0\r\n\r\n");
    return true;
}

// A key that comes as INFO: `Signal=5` (application/dtmf-relay) or `5` (application/dtmf).
static char read_digit(const struct sip_msg *message) {
    struct pl body = {(const char *)mbuf_buf(message->mb), mbuf_get_left(message->mb)};
    bool is_relay = msg_ctype_cmp(&message->ctyp, "application", "dtmf-relay");
    if (!is_relay && !msg_ctype_cmp(&message->ctyp, "application", "dtmf")) return 0;
    if (is_relay) {
        const char *sign = text_contains(&body, "signal") ? pl_strchr(&body, '=') : NULL;
        if (!sign) return 0;
        pl_advance(&body, sign + 1 - body.p);
    }
    while (body.l && *body.p == ' ') pl_advance(&body, 1);
    return body.l && *body.p && strchr("0123456789*#ABCDabcd", *body.p) ? *body.p : 0;
}

static void info_came(struct call *call, const struct sip_msg *message) {
    char digit[2] = {read_digit(message), 0};
    struct sip *sip = call->account->sip;
    if (!digit[0] && sip_msg_xhdr(message, "Info-Package")) {
        // RFC 6086, 4.2.2: we know no package.
        sip_treplyf(NULL, NULL, sip, message, false, 469, "Bad Info Package",
                    "Recv-Info:\r\nContent-Length: 0\r\n\r\n");
        return;
    }
    if (!digit[0] && mbuf_get_left(message->mb)) {
        sip_treplyf(NULL, NULL, sip, message, false, 415, "Unsupported Media Type",
                    "Accept: application/dtmf-relay, application/dtmf\r\nContent-Length: 0\r\n\r\n");
        return;
    }
    sip_treply(NULL, sip, message, 200, "OK");
    // One without a body only asks whether we are there.
    if (!digit[0]) return;
    if (call->state == CALL_UP) call_tell(call, &(struct csip_event){.kind = CSIP_DIGIT, .text = digit});
}

static bool is(const struct sip_msg *message, const char *method) {
    return !pl_strcmp(&message->met, method);
}

void call_request(struct call *call, const struct sip_msg *message) {
    struct sip *sip = call->account->sip;
    if (is(message, "ACK")) {
        answer_acknowledged(call, message);
    } else if (!dialog_takes_sequence(call->dialog, message)) {
        sip_reply(sip, message, 500, "Server Internal Error");
    } else if (is(message, "BYE")) {
        ended_by_far_side(call, message);
    } else if (call_is_flooded(call, message)) {
        return;
    } else if (is(message, "INVITE")) {
        call_changed(call, message);
    } else if (is(message, "UPDATE")) {
        call_updated(call, message);
    } else if (is(message, "INFO")) {
        info_came(call, message);
    } else if (is(message, "REFER")) {
        referral_received(call, message);
    } else if (is(message, "NOTIFY")) {
        if (transfer_notified(call->account, message)) return;
        sip_treply(NULL, sip, message, 481, "Subscription Does Not Exist");
    } else if (is(message, "OPTIONS")) {
        struct response_contact contact = {call->account, message};
        sip_treplyf(NULL, NULL, sip, message, false, 200, "OK", "%H" ABILITIES "Content-Length: 0\r\n\r\n",
                    response_contact_print, &contact);
    } else {
        sip_treplyf(NULL, NULL, sip, message, false, 405, "Method Not Allowed", ALLOW "Content-Length: 0\r\n\r\n");
    }
}
