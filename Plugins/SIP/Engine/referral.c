// Transfers that the far side asks for (RFC 3515): a question to the user, and then a call in place of this one.

#include <errno.h>
#include <string.h>

#include "internal.h"

/// What the far side wants: it is held by the call, until the call ends or the question is answered for good.
struct referral {
    struct call *call, *successor;
    /// The REFER, until it is known whether it can be done.
    struct sip_strans *transaction;
    struct sip_msg *message;
    char target[MAX_HEADER], replaces[MAX_HEADER], referred_by[MAX_HEADER];
    uint32_t sequence;
    uint64_t token;
    uint16_t told;
};

static void referral_free(void *data) {
    struct referral *referral = data;
    struct call *call = referral->call;
    if (call) call->referral = NULL;
    if (referral->transaction) sip_treply(&referral->transaction, call->account->sip, referral->message, 480, "Gone");
    mem_deref(referral->message);
}

// Tells the far side how it goes. A code of 200 and above is the last word.
static void notify(const struct referral *referral, uint16_t code) {
    char fragment[64];
    if (referral->call->is_left) return;
    const char *words = code < 200 ? "Trying" : code < 300 ? "OK" : "Failed";
    const char *state = code < 200 ? "active;expires=60" : "terminated;reason=noresource";
    re_snprintf(fragment, sizeof fragment, "SIP/2.0 %u %s\r\n", code, words);
    request_send(NULL, referral->call->dialog, "NOTIFY", NULL, NULL,
                 "Event: refer;id=%u\r\nSubscription-State: %s\r\nContent-Type: message/sipfrag;version=2.0\r\n"
                 "Content-Length: %zu\r\n\r\n%s", referral->sequence, state, strlen(fragment), fragment);
}

// Reads a header of which nothing may be left out.
static bool read_whole(char *room, const struct pl *value) {
    char *line = NULL;
    struct pl whole;
    if (value->l >= MAX_HEADER || text_unfold(&line, value)) return false;
    pl_set_str(&whole, line);
    text_copy(room, MAX_HEADER, &whole);
    bool is_whole = strlen(room) == value->l;
    mem_deref(line);
    return is_whole;
}

void referral_received(struct call *call, const struct sip_msg *message) {
    struct sip *sip = call->account->sip;
    const struct sip_hdr *target = sip_msg_hdr(message, SIP_HDR_REFER_TO);
    const struct sip_hdr *by = sip_msg_hdr(message, SIP_HDR_REFERRED_BY);
    char value[MAX_HEADER] = "";
    if (call->state != CALL_UP || call->referral) {
        sip_treply(NULL, sip, message, 491, "Request Pending");
        return;
    }
    if (++call->referral_count > MAX_REFERRALS) {
        sip_treply(NULL, sip, message, 603, "Decline");
        return;
    }
    bool is_whole = target && sip_msg_hdr_count(message, SIP_HDR_REFER_TO) == 1 && read_whole(value, &target->val);
    struct referral *referral = is_whole ? mem_zalloc(sizeof *referral, referral_free) : NULL;
    if (!referral || sip_strans_alloc(&referral->transaction, sip, message, NULL, NULL)) {
        mem_deref(referral);
        sip_treply(NULL, sip, message, 400, "Bad Refer-To");
        return;
    }
    referral->call = call;
    referral->message = mem_ref((void *)message);
    referral->sequence = message->cseq.num;
    if (by) text_copy(referral->referred_by, sizeof referral->referred_by, &by->val);
    call->referral = referral;
    call_tell(call, &(struct csip_event){.kind = CSIP_TRANSFER_REQUESTED, .text = value});
}

static void refuse(struct referral *referral, uint16_t code) {
    const char *text = code == 416 ? "Unsupported URI Scheme" : code == 603 ? "Decline" : "Bad Refer-To";
    sip_treply(&referral->transaction, referral->call->account->sip, referral->message, code, text);
    mem_deref(referral);
}

void referral_take(struct call *call, const char *uri, const char *replaces, uint16_t code) {
    struct referral *referral = call->referral;
    if (!referral || !referral->transaction) return;
    if (!uri) {
        refuse(referral, code);
        return;
    }
    if (!text_is_uri(uri) || !text_is_plain(replaces, MAX_HEADER - 1)) {
        refuse(referral, 400);
        return;
    }
    struct response_contact contact = {call->account, referral->message};
    str_ncpy(referral->target, uri, sizeof referral->target);
    str_ncpy(referral->replaces, replaces ? replaces : "", sizeof referral->replaces);
    sip_treplyf(&referral->transaction, NULL, call->account->sip, referral->message, false, 202, "Accepted",
                "%HContent-Length: 0\r\n\r\n", response_contact_print, &contact);
    referral->transaction = NULL;
    referral->message = mem_deref(referral->message);
    notify(referral, 100);
}

// The last word to the far side and to the user.
static void finish(struct referral *referral, int error, uint16_t code) {
    struct call *call = referral->call;
    uint64_t token = referral->token;
    notify(referral, error ? code : 200);
    mem_deref(referral);
    call_done(call, token, error, error ? code : 0);
    if (call->is_left) call_finish(call, 0, 0, NULL);
}

static int open_successor(struct referral *referral) {
    struct call *call = referral->call, *successor = NULL;
    int error = call_prepare(&successor, call->account, call->id, referral->target, call->is_anonymous);
    if (error) return error;
    successor->successor_of = call;
    successor->is_muted = call->is_muted;
    successor->group = call->group;
    referral->successor = successor;
    const char *replaces = referral->replaces, *by = referral->referred_by;
    return re_sdprintf(&successor->extra_headers, "%s%s%s%s%s%s", *by ? "Referred-By: " : "", by, *by ? "\r\n" : "",
                       *replaces ? "Replaces: " : "", replaces, *replaces ? "\r\n" : "");
}

void referral_answer(struct call *call, bool is_accepted, uint64_t token) {
    struct referral *referral = call->referral;
    if (!referral || referral->transaction || referral->successor) {
        call_done(call, token, ENOENT, 0);
        return;
    }
    referral->token = token;
    if (!is_accepted) {
        notify(referral, 603);
        mem_deref(referral);
        call_done(call, token, 0, 0);
        if (call->is_left) call_finish(call, 0, 0, NULL);
        return;
    }
    int error = open_successor(referral);
    if (error) finish(referral, error, 503);
}

void referral_progress(struct call *successor, uint16_t code) {
    struct referral *referral = successor->successor_of->referral;
    if (!referral || code == referral->told) return;
    referral->told = code;
    notify(referral, code);
}

void referral_failed(struct call *successor, uint16_t code) {
    struct call *call = successor->successor_of;
    struct referral *referral = call->referral;
    if (!referral || referral->successor != successor) return;
    referral->successor = NULL;
    finish(referral, EPROTO, code);
}

// The new far side has answered: its call goes on under the number of the old one, which ends in silence.
void referral_succeeded(struct call *successor) {
    struct call *call = successor->successor_of;
    struct referral *referral = call->referral;
    uint64_t token = referral->token;
    notify(referral, 200);
    referral->successor = NULL;
    mem_deref(referral);
    call_bye(call, NULL);
    call_hand_over(call, successor);
    call_done(successor, token, 0, 0);
    call_tell_media(successor);
}

bool referral_outlives_far_side(struct call *call) {
    if (!call->referral || call->referral->transaction) return false;
    call->is_left = true;
    request_forget(&call->request);
    call_drop_jobs(call, ENOTCONN);
    answer_reset(&call->answer);
    tmr_cancel(&call->glare);
    tmr_cancel(&call->session.timer);
    return true;
}

bool referral_waits_alone(const struct call *call) {
    return call->is_left && call->referral && !call->referral->successor;
}

void referral_call_ended(struct call *call) {
    struct referral *referral = call->referral;
    if (!referral) return;
    struct call *successor = referral->successor;
    uint64_t token = referral->token;
    referral->successor = NULL;
    mem_deref(referral);
    call_done(call, token, ENOTCONN, 0);
    if (successor) call_end(successor, 0, ECANCELED, NULL);
}
