// A call that comes in: the INVITE, and what we answer.

#include <errno.h>
#include <string.h>

#include "internal.h"

/// While it rings, it says so again this often (RFC 3261, section 13.3.1.1).
enum { RING_MILLISECONDS = 60000 };

static unsigned count_unanswered(bool is_strange) {
    unsigned count = 0;
    for (struct le *at = engine.calls.head; at; at = at->next) {
        const struct call *call = at->data;
        if (call->is_incoming && call->state == CALL_RINGING && call->is_strange == is_strange) count++;
    }
    return count;
}

// Strangers take no room of the server's calls.
static bool has_room(struct account *account, const struct sip_msg *message) {
    bool is_strange = !account_is_from_server(account, message);
    if (list_count(&engine.calls) >= MAX_CALLS) return false;
    if (count_unanswered(is_strange) >= (is_strange ? MAX_STRANGE_UNANSWERED : MAX_UNANSWERED)) return false;
    if (is_strange) return rate_allows(&account->stranger_calls, MAX_STRANGE_CALLS);
    return rate_allows(&account->server_calls, MAX_NEW_CALLS);
}

// Whether an INVITE is meant for us. Strangers who scan the network do not know the Contact's user.
static bool is_for_us(const struct account *account, const struct sip_msg *message) {
    char user[MAX_TEXT];
    if (!pl_strcmp(&message->uri.user, account->contact_user)) return true;
    if (re_snprintf(user, sizeof user, "%H", uri_user_unescape, &message->uri.user) < 0) return false;
    return account_is_from_server(account, message) && !strcmp(user, account->user);
}

static bool require_is_unknown(const struct sip_hdr *header, const struct sip_msg *message, void *argument) {
    (void)message; (void)argument;
    return pl_strcasecmp(&header->val, "timer") && pl_strcasecmp(&header->val, "replaces");
}

// What is wrong with an INVITE before it can be a call. Returns true if it was answered.
static bool is_refused(struct account *account, const struct sip_msg *message) {
    struct sip *sip = account->sip;
    const struct sip_hdr *required = sip_msg_hdr_apply(message, true, SIP_HDR_REQUIRE, require_is_unknown, NULL);
    struct body body;
    body_read(&body, message, &body_session);
    body_reset(&body);
    if (account->is_closing) {
        sip_reply(sip, message, 480, "Temporarily Unavailable");
    } else if (!is_for_us(account, message)) {
        sip_reply(sip, message, 404, "Not Found");
    } else if (required) {
        char names[MAX_TEXT];
        text_copy(names, sizeof names, &required->val);
        sip_replyf(sip, message, 420, "Bad Extension",
                   "Unsupported: %s\r\nContent-Length: 0\r\n\r\n", names);
    } else if (body.refusal) {
        body_refuse(sip, message, body.refusal, &body_session);
    } else if (!has_room(account, message)) {
        sip_reply(sip, message, 486, "Busy Here");
    } else {
        return false;
    }
    return true;
}

static void cancelled(void *argument) {
    struct call *call = argument;
    char reason[MAX_REASON];
    str_ncpy(reason, call->account->cancel_reason, sizeof reason);
    sip_treply(&call->transaction, call->account->sip, call->message, 487, "Request Terminated");
    call->transaction = NULL;
    call_finish(call, 0, 0, *reason ? reason : NULL);
}

// Reads what the call is to be like. Returns the code that refuses it, or 0.
static uint16_t take(struct call *call, const struct sip_msg *message) {
    char headers[160];
    if (dialog_accept(&call->dialog, call->account, message)) return 400;
    if (!session_timer_answer(&call->session, message, headers, sizeof headers)) return 422;
    struct body body;
    body_read(&body, message, &body_session);
    call->has_offer = body.content != NULL;
    int error = call_open_stream(call, !call->has_offer);
    uint16_t code = error ? 500 : call->has_offer && stream_take_offer(call->stream, body.content) ? 488 : 0;
    body_reset(&body);
    return code;
}

static void refuse(struct account *account, const struct sip_msg *message, uint16_t code) {
    const char *text = code == 400 ? "Bad Request" : code == 488 ? "Not Acceptable Here" : "Server Internal Error";
    if (code == 422) {
        sip_replyf(account->sip, message, code, "Session Interval Too Small",
                   "Min-SE: %u\r\nContent-Length: 0\r\n\r\n", (unsigned)SESSION_MINIMUM);
    } else {
        sip_reply(account->sip, message, code, text);
    }
}

int call_take(struct call **call, struct account *account, const struct sip_msg *message) {
    struct call *made = NULL;
    if (call_alloc(&made, account, engine.next_incoming++, true)) {
        refuse(account, message, 500);
        return ENOMEM;
    }
    made->is_strange = !account_is_from_server(account, message);
    uint16_t code = take(made, message);
    if (!code && sip_strans_alloc(&made->transaction, account->sip, message, cancelled, made)) code = 500;
    if (code) {
        mem_deref(made);
        refuse(account, message, code);
        return EPROTO;
    }
    made->message = mem_ref((void *)message);
    sip_treply(&made->transaction, account->sip, message, 100, "Trying");
    *call = made;
    return 0;
}

void call_receive(struct account *account, const struct sip_msg *message) {
    struct call *call = NULL;
    char identity[MAX_IDENTITY];
    if (is_refused(account, message) || replaces_received(account, message)) return;
    if (call_take(&call, account, message)) return;
    identity_read(identity, sizeof identity, message);
    call_tell(call, &(struct csip_event){
        .kind = CSIP_INCOMING, .identity = identity, .is_trusted = !call->is_strange,
    });
}

// MARK: Our answers

static void ring_again(void *argument) {
    call_ring(argument);
}

void call_ring(struct call *call) {
    if (call->state != CALL_RINGING || !call->transaction) return;
    struct response_contact contact = {call->account, call->message};
    sip_treplyf(&call->transaction, NULL, call->account->sip, call->message, true, 180, "Ringing",
                "%H" ALLOW "Content-Length: 0\r\n\r\n", response_contact_print, &contact);
    tmr_start(&call->glare, RING_MILLISECONDS, ring_again, call);
}

void call_answer(struct call *call, uint64_t token) {
    tmr_cancel(&call->glare);
    call->answer_token = token;
    call->state = CALL_ANSWERING;
    if (call->is_ready) call_send_answer(call);
}

void call_send_answer(struct call *call) {
    struct mbuf *description = NULL;
    char headers[160];
    int error = call->has_offer ? stream_answer(call->stream, &description) : stream_offer(call->stream, true, &description);
    session_timer_answer(&call->session, call->message, headers, sizeof headers);
    if (!error) error = answer_send(call, &call->transaction, call->message, headers, description);
    mem_deref(description);
    if (error) {
        call_end(call, 500, error, NULL);
        return;
    }
    stream_open(call->stream, true);
    call->transaction = NULL;
    call->state = CALL_ANSWERED;
    call->answer.awaits_description = !call->has_offer;
}

void answer_reset(struct answer *answer) {
    tmr_cancel(&answer->repeat);
    tmr_cancel(&answer->timeout);
    answer->response = mem_deref(answer->response);
    answer->message = mem_deref(answer->message);
    answer->count = 0;
    answer->awaits_description = false;
}

static void repeat_answer(void *argument) {
    struct call *call = argument;
    struct answer *answer = &call->answer;
    uint64_t pause = (uint64_t)SIP_T1 << (answer->count < 3 ? ++answer->count : 3);
    answer->response->pos = 0;
    sip_send(call->account->sip, answer->message->sock, answer->message->tp, &answer->message->src, answer->response);
    tmr_start(&answer->repeat, pause, repeat_answer, call);
}

static void answer_is_lost(void *argument) {
    call_end(argument, 408, ETIMEDOUT, NULL);
}

int answer_send(struct call *call, struct sip_strans **transaction, const struct sip_msg *message, const char *headers,
                struct mbuf *description) {
    struct answer *answer = &call->answer;
    struct response_contact contact = {call->account, message};
    answer_reset(answer);
    int error = sip_treplyf(transaction, &answer->response, call->account->sip, message, true, 200, "OK",
                            "%H" ALLOW "%sContent-Type: application/sdp\r\nContent-Length: %zu\r\n\r\n%b",
                            response_contact_print, &contact, headers, mbuf_get_left(description),
                            mbuf_buf(description), mbuf_get_left(description));
    if (error) return error;
    answer->message = mem_ref((void *)message);
    tmr_start(&answer->repeat, SIP_T1, repeat_answer, call);
    tmr_start(&answer->timeout, 64 * SIP_T1, answer_is_lost, call);
    return 0;
}

void answer_acknowledged(struct call *call, const struct sip_msg *message) {
    struct answer *answer = &call->answer;
    if (!answer->message || answer->message->cseq.num != message->cseq.num) return;
    bool takes_description = answer->awaits_description;
    // Its tag is known to whom our answer has reached.
    if (sa_cmp(&answer->message->src, &message->src, SA_ALL)) call->proven = message->src;
    answer_reset(answer);
    int error = takes_description ? call_take_answer(call, message, true) : 0;
    if (error) {
        call_bye(call, "SIP;cause=488");
        call_finish(call, 0, error, NULL);
    } else if (call->state == CALL_ANSWERED) {
        call->message = mem_deref(call->message);
        call_connected(call);
        call_next_job(call);
    } else {
        call_next_job(call);
    }
}
