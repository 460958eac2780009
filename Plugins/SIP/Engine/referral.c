// Transfers that the far side asks for (RFC 3515): a question to the user, and then a call in place of this one.

#include <errno.h>
#include <string.h>

#include "internal.h"

/// What the far side wants: it is held by the call, until the call ends or the question is answered for good.
struct referral {
    struct call *call, *successor;
    char target[MAX_HEADER], replaces[MAX_HEADER], referred_by[MAX_HEADER];
    uint32_t sequence;
    uint64_t token;
    uint16_t told;
};

static void referral_free(void *data) {
    struct referral *referral = data;
    if (referral->call) referral->call->referral = NULL;
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

// Splits `sip:bob@example.org?Replaces=…` and unescapes what it replaces.
static int read_target(struct referral *referral, const struct pl *value) {
    struct sip_addr address;
    struct pl uri, replaces;
    if (value->l >= MAX_HEADER || sip_addr_decode(&address, value)) return EBADMSG;
    uri = address.auri;
    const char *question = pl_strchr(&uri, '?');
    if (question) uri.l = (size_t)(question - uri.p);
    if (pl_strcpy(&uri, referral->target, sizeof referral->target) || !text_is_uri(referral->target)) return EBADMSG;
    struct pl name = PL("Replaces");
    if (!question || uri_header_get(&address.uri.headers, &name, &replaces)) return 0;
    char *room = referral->replaces;
    if (re_snprintf(room, sizeof referral->replaces, "%H", uri_header_unescape, &replaces) < 0) return EBADMSG;
    return text_is_plain(room, MAX_HEADER) ? 0 : EBADMSG;
}

// A number, `tel:+46123`, is called as the account calls numbers.
static int read_number(struct referral *referral, const struct account *account, const struct pl *value) {
    struct pl number;
    char *target = referral->target;
    size_t start = value->l && *value->p == '<' ? 1 : 0;
    if (value->l > MAX_TEXT || re_regex(value->p, value->l, "tel:[+0-9*#]+", &number)) return EBADMSG;
    if (number.p != value->p + start + strlen("tel:")) return EBADMSG;
    re_snprintf(target, sizeof referral->target, "sip:%r@%s;user=phone", &number, account->domain);
    return text_is_uri(target) ? 0 : EBADMSG;
}

void referral_received(struct call *call, const struct sip_msg *message) {
    struct sip *sip = call->account->sip;
    const struct sip_hdr *target = sip_msg_hdr(message, SIP_HDR_REFER_TO);
    const struct sip_hdr *by = sip_msg_hdr(message, SIP_HDR_REFERRED_BY);
    struct response_contact contact = {call->account, message};
    if (call->state != CALL_UP || call->referral) {
        sip_treply(NULL, sip, message, 491, "Request Pending");
        return;
    }
    if (++call->referral_count > MAX_REFERRALS) {
        sip_treply(NULL, sip, message, 603, "Decline");
        return;
    }
    struct referral *referral = mem_zalloc(sizeof *referral, referral_free);
    if (!referral || !target || sip_msg_hdr_count(message, SIP_HDR_REFER_TO) != 1
        || (read_number(referral, call->account, &target->val) && read_target(referral, &target->val))) {
        mem_deref(referral);
        sip_treply(NULL, sip, message, 400, "Bad Refer-To");
        return;
    }
    referral->call = call;
    referral->sequence = message->cseq.num;
    if (by) text_copy(referral->referred_by, sizeof referral->referred_by, &by->val);
    call->referral = referral;
    sip_treplyf(NULL, NULL, sip, message, false, 202, "Accepted", "%HContent-Length: 0\r\n\r\n",
                response_contact_print, &contact);
    notify(referral, 100);
    call_tell(call, &(struct csip_event){.kind = CSIP_TRANSFER_REQUESTED, .uri = referral->target});
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
    if (!referral || referral->successor) {
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
    char target[MAX_HEADER];
    str_ncpy(target, referral->target, sizeof target);
    notify(referral, 200);
    referral->successor = NULL;
    mem_deref(referral);
    call_bye(call, NULL);
    call_hand_over(call, successor);
    call_done(successor, token, 0, 0);
    call_tell(successor, &(struct csip_event){.kind = CSIP_REPLACED, .uri = target});
    call_tell_media(successor);
}

bool referral_outlives_far_side(struct call *call) {
    if (!call->referral) return false;
    call->is_left = true;
    request_forget(&call->request);
    call_drop_jobs(call, ENOTCONN);
    answer_reset(&call->answer);
    tmr_cancel(&call->glare);
    tmr_cancel(&call->session.timer);
    return true;
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
