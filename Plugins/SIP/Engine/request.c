// A request that we send within a dialog or to start one, with the answers to its challenges.

#include <errno.h>
#include <string.h>

#include "internal.h"

static int transmit(struct request *request);

static void request_free(void *data) {
    struct request *request = data;
    list_unlink(&request->le);
    if (request->self) *request->self = NULL;
    mem_deref(request->sip_request);
    mem_deref(request->content);
    digest_reset(&request->digest);
    mem_deref(request->dialog);
}

static bool is_invite(const struct request *request) {
    return !strcmp(request->method, "INVITE");
}

// A call that was cancelled when the far side had answered it: it is ended at once.
static void end_unwanted(struct request *request, const struct sip_msg *message) {
    struct dialog *dialog = NULL;
    if (request->dialog->remote_tag) return;
    if (dialog_fork(&dialog, request->dialog, message)) return;
    acknowledgement_send(dialog, message->cseq.num, NULL);
    request_send(NULL, dialog, "BYE", NULL, NULL, "Content-Length: 0\r\n\r\n");
    mem_deref(dialog);
}

static bool is_challenge(const struct sip_msg *message) {
    return message && (message->scode == 401 || message->scode == 407);
}

static void finish(struct request *request, int error, const struct sip_msg *message) {
    struct account *account = mem_ref(request->dialog->account);
    request_handler *handler = request->handler;
    void *argument = request->argument;
    if (request->self) *request->self = NULL;
    request->self = NULL;
    if (handler) handler(error, message, argument);
    else if (is_invite(request) && message && message->scode / 100 == 2) end_unwanted(request, message);
    mem_deref(request);
    account_check_closed(account);
    mem_deref(account);
}

static void response_came(int error, const struct sip_msg *message, void *argument) {
    struct request *request = argument;
    if (message && message->scode < 200) {
        if (request->handler) request->handler(0, message, request->argument);
        return;
    }
    bool is_wanted = request->handler || !is_invite(request);
    if (!error && is_challenge(message) && is_wanted
        && !digest_challenge(&request->digest, request->dialog->account, message) && !transmit(request)) {
        return;
    }
    finish(request, error, message);
}

static int write_contact(enum sip_transp transport, const struct sa *source, const struct sa *destination,
                         struct mbuf *buffer, void *argument) {
    (void)destination;
    const struct request *request = argument;
    return mbuf_printf(buffer, "Contact: <sip:%s@%J%s>\r\n", request->dialog->account->contact_user, source,
                       sip_transp_param(transport));
}

static int transmit(struct request *request) {
    struct dialog *dialog = request->dialog;
    struct uri route;
    int error = dialog_first_hop(dialog, &route);
    if (error) return error;
    struct mbuf *answers = mbuf_alloc(256);
    if (!answers) return ENOMEM;
    error = digest_print(answers, &request->digest, dialog->account, request->method, dialog->target);
    request->sequence = ++dialog->local_sequence;
    bool is_register = !strcmp(request->method, "REGISTER");
    if (!error) {
        error = sip_requestf(
            &request->sip_request, dialog->account->sip, true, request->method, dialog->target, &route, NULL,
            is_register ? NULL : write_contact, response_came, request,
            "%sTo: %s\r\nFrom: %s\r\nCall-ID: %s\r\nCSeq: %u %s\r\n%bUser-Agent: %s\r\n%b",
            dialog->routes, dialog->remote, dialog->local, dialog->call_id, request->sequence, request->method,
            answers->buf, answers->end, engine.software, request->content->buf, request->content->end);
    }
    mem_deref(answers);
    return error;
}

static int start(struct request **request, struct dialog *dialog, const char *method, request_handler *handler,
                 void *argument, struct mbuf *content) {
    struct request *made = mem_zalloc(sizeof *made, request_free);
    if (!made) return ENOMEM;
    made->dialog = mem_ref(dialog);
    made->method = method;
    made->handler = handler;
    made->argument = argument;
    made->content = mem_ref(content);
    list_append(&dialog->account->requests, &made->le, made);
    int error = transmit(made);
    if (error) {
        mem_deref(made);
        return error;
    }
    if (request) {
        made->self = request;
        *request = made;
    }
    return 0;
}

int request_send(struct request **request, struct dialog *dialog, const char *method, request_handler *handler,
                 void *argument, const char *format, ...) {
    struct mbuf *content = mbuf_alloc(512);
    if (!content) return ENOMEM;
    va_list arguments;
    va_start(arguments, format);
    int error = mbuf_vprintf(content, format, arguments);
    va_end(arguments);
    if (!error) error = start(request, dialog, method, handler, argument, content);
    mem_deref(content);
    return error;
}

int request_send_body(struct request **request, struct dialog *dialog, const char *method, request_handler *handler,
                      void *argument, const char *headers, const char *type, struct mbuf *body) {
    return request_send(request, dialog, method, handler, argument, "%s%s%s%sContent-Length: %zu\r\n\r\n%b", headers,
                        body ? "Content-Type: " : "", body ? type : "", body ? "\r\n" : "",
                        body ? mbuf_get_left(body) : (size_t)0, body ? mbuf_buf(body) : NULL,
                        body ? mbuf_get_left(body) : (size_t)0);
}

void request_forget(struct request **request) {
    struct request *forgotten = *request;
    *request = NULL;
    if (!forgotten) return;
    forgotten->self = NULL;
    forgotten->handler = NULL;
    if (is_invite(forgotten) && !forgotten->dialog->remote_tag) sip_request_cancel(forgotten->sip_request);
}

int response_contact_print(struct re_printf *printer, const struct response_contact *contact) {
    return re_hprintf(printer, "Contact: <sip:%s@%J%s>\r\n", contact->account->contact_user, &contact->message->dst,
                      sip_transp_param(contact->message->tp));
}
