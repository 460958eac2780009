// The ACK of a 2xx, which is sent again each time the 2xx comes again.

#include <errno.h>

#include "internal.h"

enum {
    LIFETIME = 64 * SIP_T1,
    /// How many an account keeps. The oldest ones go first: what they acknowledge hardly comes again.
    MAXIMUM_ACKNOWLEDGEMENTS = 64,
    /// How often one is sent again, and how many further phones may answer the same INVITE.
    MAXIMUM_REPEATS = 16,
    MAXIMUM_BRANCHES = 8,
};

struct acknowledgement {
    struct le le;
    struct dialog *dialog;
    uint32_t sequence;
    unsigned repeats, branches;
    struct tmr timer;
    struct sip_request *request;
    struct mbuf *message;
    struct sa destination;
    enum sip_transp transport;
};

static void acknowledgement_free(void *data) {
    struct acknowledgement *acknowledgement = data;
    list_unlink(&acknowledgement->le);
    tmr_cancel(&acknowledgement->timer);
    mem_deref(acknowledgement->request);
    mem_deref(acknowledgement->message);
    mem_deref(acknowledgement->dialog);
}

static void forget(void *argument) {
    mem_deref(argument);
}

// Keeps the message: it is complete when libre has written it.
static int keep(enum sip_transp transport, const struct sa *source, const struct sa *destination, struct mbuf *buffer,
                void *argument) {
    (void)source;
    struct acknowledgement *acknowledgement = argument;
    mem_deref(acknowledgement->message);
    acknowledgement->message = mem_ref(buffer);
    acknowledgement->destination = *destination;
    acknowledgement->transport = transport;
    return 0;
}

int acknowledgement_send(struct dialog *dialog, uint32_t sequence, struct mbuf *body) {
    struct uri route;
    int error = dialog_first_hop(dialog, &route);
    if (error) return error;
    struct acknowledgement *made = mem_zalloc(sizeof *made, acknowledgement_free);
    if (!made) return ENOMEM;
    made->dialog = mem_ref(dialog);
    made->sequence = sequence;
    list_append(&dialog->account->acknowledgements, &made->le, made);
    tmr_start(&made->timer, LIFETIME, forget, made);
    if (list_count(&dialog->account->acknowledgements) > MAXIMUM_ACKNOWLEDGEMENTS) {
        mem_deref(list_ledata(list_head(&dialog->account->acknowledgements)));
    }
    error = sip_requestf(
        &made->request, dialog->account->sip, false, "ACK", dialog->target, &route, NULL, keep, NULL, made,
        "%sTo: %s\r\nFrom: %s\r\nCall-ID: %s\r\nCSeq: %u ACK\r\nUser-Agent: %s\r\n%sContent-Length: %zu\r\n\r\n%b",
        dialog->routes, dialog->remote, dialog->local, dialog->call_id, sequence, engine.software,
        body ? "Content-Type: application/sdp\r\n" : "", body ? mbuf_get_left(body) : (size_t)0,
        body ? mbuf_buf(body) : NULL, body ? mbuf_get_left(body) : (size_t)0);
    if (error) mem_deref(made);
    else if (made->message) mbuf_trim(made->message);
    return error;
}

static bool is_same_call(const struct dialog *dialog, const struct sip_msg *message) {
    return !pl_strcmp(&message->callid, dialog->call_id) && !pl_strcmp(&message->from.tag, dialog->local_tag);
}

// A second phone has answered the same call: it is told that the first one has it.
static void end_branch(const struct dialog *dialog, const struct sip_msg *message) {
    struct dialog *branch = NULL;
    if (dialog_fork(&branch, dialog, message)) return;
    acknowledgement_send(branch, message->cseq.num, NULL);
    request_send(NULL, branch, "BYE", NULL, NULL, "Content-Length: 0\r\n\r\n");
    mem_deref(branch);
}

void acknowledgement_repeat(struct account *account, const struct sip_msg *message) {
    struct acknowledgement *other = NULL;
    for (struct le *at = account->acknowledgements.head; at; at = at->next) {
        struct acknowledgement *acknowledgement = at->data;
        if (acknowledgement->sequence != message->cseq.num) continue;
        if (!other && is_same_call(acknowledgement->dialog, message)) other = acknowledgement;
        if (!dialog_matches(acknowledgement->dialog, message)) continue;
        if (!acknowledgement->message || ++acknowledgement->repeats > MAXIMUM_REPEATS) return;
        acknowledgement->message->pos = 0;
        sip_send(account->sip, NULL, acknowledgement->transport, &acknowledgement->destination,
                 acknowledgement->message);
        return;
    }
    if (other && ++other->branches <= MAXIMUM_BRANCHES) end_branch(other->dialog, message);
}
