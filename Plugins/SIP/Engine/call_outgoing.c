// A call that we start: the INVITE and its responses.

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "internal.h"

// RFC 3323, 4.1.1.3.
#define ANONYMOUS "\"Anonymous\" <sip:anonymous@anonymous.invalid>"

/// How many descriptions of early media one call takes.
enum { MAX_EARLY_DESCRIPTIONS = 8 };
/// The plus sign, and as many digits as a number has that is valid everywhere (E.164).
enum { LONGEST_NUMBER = 16 };

// Takes the description of early media. Of several phones that ring, the last one is heard.
static void take_early_media(struct call *call, const struct sip_msg *message) {
    const struct pl *tag = &message->to.tag;
    if (call->has_early_media && (!pl_isset(tag) || (call->media_tag && !pl_strcmp(tag, call->media_tag)))) return;
    struct body body;
    body_read(&body, message, &body_session);
    bool is_taken = body.content && ++call->early_count <= MAX_EARLY_DESCRIPTIONS
        && !stream_take_answer(call->stream, body.content);
    body_reset(&body);
    if (!is_taken) return;
    call->has_early_media = true;
    call->media_tag = mem_deref(call->media_tag);
    pl_strdup(&call->media_tag, tag);
}

static void tell_progress(struct call *call) {
    // What was heard before it was forwarded is over.
    bool has_media = call->is_heard && call->has_early_media && call->progress != 181;
    call_tell(call, &(struct csip_event){.kind = CSIP_PROGRESS, .code = call->progress, .has_media = has_media});
}

void call_heard(struct call *call, bool is_heard) {
    call->is_heard = is_heard;
    if (call->state == CALL_INVITING && call->has_early_media) tell_progress(call);
}

static void early_tag_free(void *data) {
    struct early_tag *tag = data;
    list_unlink(&tag->le);
    mem_deref(tag->text);
}

// Keeps with whom there is an early dialog: the call may be picked up for one of them.
static void remember_place(struct call *call, const struct pl *tag) {
    if (!pl_isset(tag) || list_count(&call->early_tags) >= MAX_EARLY) return;
    for (const struct le *at = call->early_tags.head; at; at = at->next) {
        if (!pl_strcmp(tag, ((const struct early_tag *)at->data)->text)) return;
    }
    struct early_tag *made = mem_zalloc(sizeof *made, early_tag_free);
    if (made && !pl_strdup(&made->text, tag)) list_append(&call->early_tags, &made->le, made);
    else mem_deref(made);
}

static void progressed(struct call *call, const struct sip_msg *message) {
    remember_place(call, &message->to.tag);
    take_early_media(call, message);
    if (message->scode == call->progress || ++call->progress_count > MAX_PROGRESS) return;
    call->progress = message->scode;
    tell_progress(call);
    if (call->successor_of && message->scode > 100) referral_progress(call, message->scode);
}

static void accepted(struct call *call, const struct sip_msg *message) {
    int error = dialog_establish(call->dialog, message);
    if (error) {
        call_finish(call, 0, EBADMSG, NULL);
        return;
    }
    error = call_take_answer(call, message, !call->has_early_media);
    acknowledgement_send(call->dialog, message->cseq.num, NULL);
    if (error) {
        call_bye(call, "SIP;cause=488");
        call_finish(call, 0, error, NULL);
        return;
    }
    session_timer_agreed(&call->session, message);
    call_connected(call);
}

// The number of a `tel` URI that is valid everywhere, as an address of the account's server, which finds the way to it
// (RFC 3261, 19.1.6). False for any other `tel` URI: a part of a number would be somebody else's.
static bool telephone_target(char *uri, size_t size, const struct account *account, const struct pl *telephone) {
    char number[LONGEST_NUMBER + 1];
    size_t length = 0;
    for (size_t at = 0; at < telephone->l; at++) {
        const char sign = telephone->p[at];
        if (at > 0 && strchr("-.()", sign)) continue;
        if (!(at == 0 ? sign == '+' : isdigit((unsigned char)sign)) || length >= LONGEST_NUMBER) return false;
        number[length++] = sign;
    }
    number[length] = '\0';
    return length > 1 && re_snprintf(uri, size, "sip:%s@%s;user=phone", number, account->domain) > 0;
}

// Goes on with where a 3xx points to. Returns whether it did.
static bool redirected(struct call *call, const struct sip_msg *message) {
    const struct sip_hdr *contact = sip_msg_hdr(message, SIP_HDR_CONTACT);
    struct sip_addr address;
    struct pl telephone;
    char uri[MAX_TEXT];
    if (message->scode / 100 != 3 || !contact || ++call->redirects > MAX_REDIRECTS) return false;
    if (!re_regex(contact->val.p, contact->val.l, "<tel:[^>]+>", &telephone)
        && pl_strchr(&contact->val, '<') == telephone.p - 5) {
        if (!telephone_target(uri, sizeof uri, call->account, &telephone)) return false;
    } else {
        if (sip_addr_decode(&address, &contact->val) || address.auri.l >= sizeof uri) return false;
        if (pl_strcpy(&address.auri, uri, sizeof uri)) return false;
    }
    if (!text_is_uri(uri)) return false;
    char *target = text_duplicate(uri);
    if (!target) return false;
    mem_deref(call->dialog->target);
    call->dialog->target = target;
    call_tell(call, &(struct csip_event){.kind = CSIP_PROGRESS, .code = 181});
    return !call_invite(call);
}

static bool can_do_without_encryption(struct call *call, const struct sip_msg *message) {
    bool is_refused = message->scode == 488 || message->scode == 606 || message->scode == 415;
    return is_refused && stream_give_up_encryption(call->stream) && !call_invite(call);
}

static bool takes_longer_interval(struct call *call, const struct sip_msg *message) {
    return message->scode == 422 && ++call->retries <= 2 && session_timer_refused(&call->session, message)
        && !call_invite(call);
}

static void responded(int error, const struct sip_msg *message, void *argument) {
    struct call *call = argument;
    char reason[MAX_REASON] = "";
    if (error) {
        call_finish(call, 0, error, NULL);
    } else if (message->scode < 200) {
        progressed(call, message);
    } else if (message->scode < 300) {
        accepted(call, message);
    } else if (!redirected(call, message) && !can_do_without_encryption(call, message)
               && !takes_longer_interval(call, message)) {
        identity_reason(message, reason);
        call_finish(call, message->scode, 0, *reason ? reason : NULL);
    }
}

int call_invite(struct call *call) {
    struct mbuf *description = NULL;
    char session[160], headers[MAX_HEADER + 512];
    int error = stream_offer(call->stream, false, &description);
    if (error) return error;
    call->state = CALL_INVITING;
    call->has_early_media = false;
    list_flush(&call->early_tags);
    session_timer_offer(&call->session, false, session, sizeof session);
    re_snprintf(headers, sizeof headers, "%s%s" ALLOW "%s", call->extra_headers,
                call->is_anonymous ? "Privacy: id\r\n" : "", session);
    error = request_send_body(&call->request, call->dialog, "INVITE", responded, call, headers, "application/sdp",
                              description);
    mem_deref(description);
    return error;
}

static int prepare(struct call *call, const char *uri, bool is_anonymous) {
    if (!*call->account->hop || !sa_isset(&call->account->local, SA_ADDR)) return ENOTCONN;
    call->is_anonymous = is_anonymous;
    int error = dialog_alloc(&call->dialog, call->account, uri, is_anonymous ? ANONYMOUS : call->account->from);
    if (!error) error = call_open_stream(call, true);
    if (!error) stream_open(call->stream, false);
    return error;
}

int call_prepare(struct call **call, struct account *account, uint64_t id, const char *uri, bool is_anonymous) {
    struct call *made = NULL;
    int error = text_is_uri(uri) ? call_alloc(&made, account, id, false) : EINVAL;
    if (!error) error = prepare(made, uri, is_anonymous);
    if (error) mem_deref(made);
    else *call = made;
    return error;
}

void call_start(uint32_t account, uint64_t id, const char *uri, bool is_anonymous) {
    struct account *found = account_find(account);
    struct call *call = NULL;
    int error = !found ? ENOENT : call_find(id) ? EEXIST : call_prepare(&call, found, id, uri, is_anonymous);
    if (!error) return;
    engine_event(&(struct csip_event){.kind = CSIP_ENDED, .account = account, .call = id, .error = error});
}
