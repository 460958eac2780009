// An INVITE that takes the place of one of our calls (RFC 3891): the end of an attended transfer, or of a call of ours that
// rings and that somebody else picks up (RFC 5359, 2.16).

#include <errno.h>
#include <string.h>

#include "internal.h"

static bool is_tag(const struct pl *value, const char *name, const char *tag) {
    struct pl found;
    return tag && !msg_param_decode(value, name, &found) && !pl_strcmp(&found, tag);
}

// Whether a tag is that of the far side, or of one of those at which our call rings.
static bool is_theirs(const struct pl *value, const struct call *call) {
    for (const struct le *at = call->early_tags.head; at; at = at->next) {
        const struct early_tag *tag = at->data;
        if (call->state == CALL_INVITING && is_tag(value, "from-tag", tag->text)) return true;
    }
    return is_tag(value, "from-tag", call->dialog->remote_tag);
}

// The call that a Replaces header names: the tags are ours as To, theirs as From.
static struct call *find(const struct account *account, const struct pl *value) {
    struct pl call_id = *value;
    const char *semicolon = pl_strchr(value, ';');
    if (!semicolon || value->l > MAX_HEADER) return NULL;
    call_id.l = (size_t)(semicolon - value->p);
    for (struct le *at = engine.calls.head; at; at = at->next) {
        struct call *call = at->data;
        const struct dialog *dialog = call->dialog;
        if (call->account != account || !dialog || pl_strcmp(&call_id, dialog->call_id)) continue;
        if (is_tag(value, "to-tag", dialog->local_tag) && is_theirs(value, call)) return call;
    }
    return NULL;
}

bool replaces_received(struct account *account, const struct sip_msg *message) {
    const struct sip_hdr *header = sip_msg_hdr(message, SIP_HDR_REPLACES);
    char identity[MAX_IDENTITY];
    struct pl end;
    struct call *successor = NULL;
    if (!header) return false;
    if (sip_msg_hdr_count(message, SIP_HDR_REPLACES) != 1) {
        sip_reply(account->sip, message, 400, "Bad Replaces");
        return true;
    }
    struct call *call = find(account, &header->val);
    bool is_early_only = !msg_param_exists(&header->val, "early-only", &end);
    // Of the calls that ring only ours can be picked up in this way (RFC 3891, 3).
    bool is_early = call && call->state == CALL_INVITING;
    if (!call || call->successor_of || (call->state != CALL_UP && !is_early)) {
        sip_reply(account->sip, message, 481, "Call/Transaction Does Not Exist");
        return true;
    }
    if (is_early_only && !is_early) {
        sip_reply(account->sip, message, 486, "Busy Here");
        return true;
    }
    if (call_take(&successor, account, message)) return true;
    identity_read(identity, sizeof identity, message);
    successor->is_muted = call->is_muted;
    successor->group = call->group;
    stream_succeed(successor->stream, call->stream);
    // One that rings is cancelled as it ends.
    if (!is_early) call_bye(call, NULL);
    call_hand_over(call, successor);
    successor->is_replacement = !is_early;
    call_tell(successor, &(struct csip_event){
        .kind = CSIP_REPLACED, .identity = identity, .is_trusted = !successor->is_strange,
    });
    call_answer(successor, 0);
    return true;
}
