// Transfers that we ask for (RFC 3515, RFC 5589): REFER within the call, and the far side's word on how it went.

#include <errno.h>
#include <string.h>

#include "internal.h"

/// How long the far side may take.
enum { TRANSFER_TIMEOUT_MILLISECONDS = 60000 };

struct transfer {
    struct le le;
    struct account *account;
    struct call *call;
    struct dialog *dialog;
    struct request *request;
    uint64_t token, call_id;
    bool is_accepted;
    struct tmr timer;
};

static void transfer_free(void *data) {
    struct transfer *transfer = data;
    list_unlink(&transfer->le);
    tmr_cancel(&transfer->timer);
    request_forget(&transfer->request);
    if (transfer->call) transfer->call->transfer = NULL;
    mem_deref(transfer->dialog);
}

static void tell(const struct transfer *transfer, int error, uint16_t code) {
    engine_event(&(struct csip_event){
        .kind = CSIP_DONE, .account = transfer->account->id, .call = transfer->call_id, .token = transfer->token,
        .error = error, .code = code,
    });
}

// The end of a transfer. One that succeeded ends the call.
static void finish(struct transfer *transfer, int error, uint16_t code) {
    struct call *call = transfer->call;
    tell(transfer, error, code);
    mem_deref(transfer);
    if (call && !error) call_end(call, 0, 0, NULL);
}

static void waited_enough(void *argument) {
    finish(argument, ETIMEDOUT, 0);
}

static void referred(int error, const struct sip_msg *message, void *argument) {
    struct transfer *transfer = argument;
    uint16_t code = message ? message->scode : 0;
    if (message && code < 200) return;
    if (error) finish(transfer, error, 0);
    else if (code >= 300) finish(transfer, EPROTO, code);
    else transfer->is_accepted = true;
}

static void start(struct call *call, uint64_t token, const char *target) {
    struct transfer *transfer = NULL;
    if (call->transfer) {
        call_done(call, token, EBUSY, 0);
        return;
    }
    transfer = mem_zalloc(sizeof *transfer, transfer_free);
    if (!transfer) {
        call_done(call, token, ENOMEM, 0);
        return;
    }
    transfer->account = call->account;
    transfer->call = call;
    transfer->call_id = call->id;
    transfer->token = token;
    transfer->dialog = mem_ref(call->dialog);
    list_append(&call->account->transfers, &transfer->le, transfer);
    call->transfer = transfer;
    int error = request_send(&transfer->request, call->dialog, "REFER", referred, transfer,
                             "Refer-To: <%s>\r\nReferred-By: <%s>\r\n" ALLOW "Content-Length: 0\r\n\r\n", target,
                             call->account->address);
    tmr_start(&transfer->timer, TRANSFER_TIMEOUT_MILLISECONDS, waited_enough, transfer);
    if (error) finish(transfer, error, 0);
}

void transfer_start(struct call *call, const char *uri, uint64_t token) {
    if (text_is_uri(uri)) start(call, token, uri);
    else call_done(call, token, EINVAL, 0);
}

// `sip:bob@example.org?Replaces=…`: whoever was called, and which of the calls.
static int print_target(char **target, const struct dialog *dialog) {
    struct sip_addr address;
    struct pl remote;
    pl_set_str(&remote, dialog->remote);
    if (sip_addr_decode(&address, &remote) || pl_strchr(&address.auri, '?')) return EINVAL;
    return re_sdprintf(target, "%r?Replaces=%H%%3Bto-tag%%3D%H%%3Bfrom-tag%%3D%H", &address.auri, text_print_header,
                       dialog->call_id, text_print_header, dialog->remote_tag, text_print_header, dialog->local_tag);
}

void transfer_connect(struct call *call, struct call *other, uint64_t token) {
    char *target = NULL;
    if (!other || other == call || other->state != CALL_UP) call_done(call, token, ENOENT, 0);
    else if (print_target(&target, other->dialog)) call_done(call, token, EINVAL, 0);
    else start(call, token, target);
    mem_deref(target);
}

void transfer_call_ended(struct call *call) {
    struct transfer *transfer = call->transfer;
    // Some phones say BYE as soon as they go on, and how it went afterwards, or never.
    if (transfer) finish(transfer, transfer->is_accepted ? 0 : ENOTCONN, 0);
}

// Reads the code of a message/sipfrag body.
static uint16_t read_fragment(const struct mbuf *fragment) {
    struct pl code;
    const char *text = (const char *)mbuf_buf(fragment);
    size_t length = mbuf_get_left(fragment);
    if (!length || length > 4096 || re_regex(text, length, "SIP/2.0 [0-9]3", &code)) return 0;
    return (uint16_t)pl_u32(&code);
}

bool transfer_notified(struct account *account, const struct sip_msg *message) {
    const struct sip_hdr *event = sip_msg_hdr(message, SIP_HDR_EVENT);
    const struct sip_hdr *state = sip_msg_hdr(message, SIP_HDR_SUBSCRIPTION_STATE);
    if (!event || event->val.l < 5 || memcmp(event->val.p, "refer", 5)) return false;
    for (struct le *at = account->transfers.head; at; at = at->next) {
        struct transfer *transfer = at->data;
        if (!dialog_matches(transfer->dialog, message)) continue;
        struct body body;
        body_read(&body, message, &body_fragment);
        uint16_t code = read_fragment(body.content);
        bool is_over = state && text_contains(&state->val, "terminated");
        if (body.refusal) body_refuse(account->sip, message, body.refusal, &body_fragment);
        else sip_treply(NULL, account->sip, message, 200, "OK");
        body_reset(&body);
        if (code >= 200 && code < 300) finish(transfer, 0, code);
        else if (code >= 300) finish(transfer, EPROTO, code);
        else if (is_over) finish(transfer, ECANCELED, 0);
        return true;
    }
    return false;
}

void transfers_flush(struct account *account) {
    list_flush(&account->transfers);
}
