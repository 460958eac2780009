// Requests of the far side within a call.

#include <errno.h>
#include <string.h>

#include "digits.h"
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

// The value of a line such as `Signal=5` or `d=5`, or the text itself if it is one line with nothing else in it.
static struct pl read_signal(struct pl text) {
    static const char *const names[] = {"signal", "d"};
    struct pl name, value;
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        struct pl rest = text;
        while (!re_regex(rest.p, rest.l, "[^=\r\n]+=[^\r\n;]+", &name, &value)) {
            pl_advance(&rest, value.p + value.l - rest.p);
            name = text_trimmed(name);
            if (!pl_strcasecmp(&name, names[i])) return text_trimmed(value);
        }
    }
    return text_trimmed(text);
}

// A key that comes as INFO: `Signal=5` (application/dtmf-relay), `5` (application/dtmf) or `d=5`.
static char read_key(const struct mbuf *content) {
    struct pl signal = read_signal((struct pl){(const char *)mbuf_buf(content), mbuf_get_left(content)});
    return digits_read(signal.p, signal.l);
}

static void info_came(struct call *call, const struct sip_msg *message) {
    struct sip *sip = call->account->sip;
    struct body body;
    body_read(&body, message, &body_key);
    char key[2] = {body.content ? read_key(body.content) : 0, 0};
    uint16_t code = body.refusal ? body.refusal : body.content && !key[0] ? 400 : 0;
    body_reset(&body);
    if (!key[0] && sip_msg_xhdr(message, "Info-Package")) {
        // None was announced (RFC 6086).
        sip_treplyf(NULL, NULL, sip, message, false, 469, "Bad Info Package",
                    "Recv-Info:\r\nContent-Length: 0\r\n\r\n");
        return;
    }
    if (code) {
        body_refuse(sip, message, code, &body_key);
        return;
    }
    // Without a body it asks only whether the call is still there.
    sip_treply(NULL, sip, message, 200, "OK");
    if (key[0] && call->state == CALL_UP) call_tell(call, &(struct csip_event){.kind = CSIP_DIGIT, .text = key});
}

// Who is there may change, such as when the far side's server has transferred the call by itself.
static void tell_identity(struct call *call, const struct sip_msg *message) {
    char identity[MAX_IDENTITY];
    identity_read(identity, sizeof identity, message);
    call_tell(call, &(struct csip_event){
        .kind = CSIP_IDENTIFIED, .identity = identity, .is_trusted = account_is_from_server(call->account, message),
    });
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
        tell_identity(call, message);
        call_changed(call, message);
    } else if (is(message, "UPDATE")) {
        tell_identity(call, message);
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
