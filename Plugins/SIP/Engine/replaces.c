// An INVITE that takes the place of one of our calls (RFC 3891): the end of an attended transfer.

#include <errno.h>
#include <string.h>

#include "internal.h"

static bool is_tag(const struct pl *value, const char *name, const char *tag) {
    struct pl found;
    return tag && !msg_param_decode(value, name, &found) && !pl_strcmp(&found, tag);
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
        if (is_tag(value, "to-tag", dialog->local_tag) && is_tag(value, "from-tag", dialog->remote_tag)) return call;
    }
    return NULL;
}

bool replaces_received(struct account *account, const struct sip_msg *message) {
    const struct sip_hdr *header = sip_msg_hdr(message, SIP_HDR_REPLACES);
    struct identity identity;
    struct pl end;
    struct call *successor = NULL;
    if (!header) return false;
    struct call *call = sip_msg_hdr_count(message, SIP_HDR_REPLACES) == 1 ? find(account, &header->val) : NULL;
    bool is_early_only = !msg_param_exists(&header->val, "early-only", &end);
    if (!call || call->successor_of || call->state != CALL_UP) {
        sip_reply(account->sip, message, 481, "Call/Transaction Does Not Exist");
        return true;
    }
    if (is_early_only) {
        sip_reply(account->sip, message, 486, "Busy Here");
        return true;
    }
    if (call_take(&successor, account, message)) return true;
    identity_read(&identity, message, account_is_from_server(account, message));
    successor->is_muted = call->is_muted;
    successor->group = call->group;
    stream_succeed(successor->stream, call->stream);
    call_bye(call, NULL);
    call_hand_over(call, successor);
    call_tell(successor, &(struct csip_event){
        .kind = CSIP_REPLACED, .uri = identity.uri, .name = *identity.name ? identity.name : NULL,
    });
    call_answer(successor, 0);
    return true;
}
