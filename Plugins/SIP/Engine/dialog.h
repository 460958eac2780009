// Dialogs, the requests in them, and the digests that requests are asked for.

#ifndef CSIP_DIALOG_H
#define CSIP_DIALOG_H

#include "account.h"

// MARK: Digest authentication (digest.c)

struct digest {
    struct list answers;
    unsigned count;
};

/// Takes the challenges of a 401 or 407.
/// @returns EAUTH: they were answered before, or cannot be.
int digest_challenge(struct digest *digest, const struct account *account, const struct sip_msg *message);
/// Writes Authorization and Proxy-Authorization.
int digest_print(struct mbuf *buffer, struct digest *digest, const struct account *account, const char *method,
                 const char *uri);
void digest_reset(struct digest *digest);

// MARK: Dialogs and requests (dialog.c, request.c)

struct dialog {
    struct account *account;
    char *call_id, *local_tag, *remote_tag;
    /// The values of From and To of our requests, with their tags.
    char *local, *remote;
    /// The Request-URI, the Route headers, and where requests are sent.
    char *target, *routes, *hop;
    uint32_t local_sequence, remote_sequence;
    bool has_remote_sequence;
};

/// Makes the dialog of an INVITE or REGISTER to be sent.
int dialog_alloc(struct dialog **dialog, struct account *account, const char *uri, const char *from);
/// Makes the dialog of an INVITE that was received.
int dialog_accept(struct dialog **dialog, struct account *account, const struct sip_msg *message);
/// Completes a dialog by the 2xx of its INVITE.
int dialog_establish(struct dialog *dialog, const struct sip_msg *message);
/// Makes the dialog of another 2xx for the same INVITE.
int dialog_fork(struct dialog **fork, const struct dialog *dialog, const struct sip_msg *message);
/// Takes the far side's new Contact.
void dialog_update(struct dialog *dialog, const struct sip_msg *message);
/// Reads where requests are sent. The parts belong to the dialog.
int dialog_first_hop(const struct dialog *dialog, struct uri *route);
bool dialog_matches(const struct dialog *dialog, const struct sip_msg *message);
/// Whether the request's sequence number is higher than those before.
bool dialog_takes_sequence(struct dialog *dialog, const struct sip_msg *message);

/// @param error ETIMEDOUT or another errno, with no message.
typedef void request_handler(int error, const struct sip_msg *message, void *argument);

/// A request on its way; challenges are answered.
struct request {
    struct le le;
    struct request **self;
    struct sip_request *sip_request;
    struct dialog *dialog;
    const char *method;
    struct mbuf *content;
    struct digest digest;
    uint32_t sequence;
    request_handler *handler;
    void *argument;
};

/// Sends a request. The handler gets provisional responses and the last one.
/// @param method a constant.
/// @param format headers, an empty line and the body.
int request_send(struct request **request, struct dialog *dialog, const char *method, request_handler *handler,
                 void *argument, const char *format, ...);
/// Sends what follows headers.
int request_send_body(struct request **request, struct dialog *dialog, const char *method, request_handler *handler,
                      void *argument, const char *headers, const char *type, struct mbuf *body);
/// Hears no more of a request. An INVITE is cancelled, and a call that it starts nevertheless is ended.
void request_forget(struct request **request);

/// Acknowledges a 2xx, and again when it is repeated; a 2xx of another branch is acknowledged and ended
/// (acknowledgement.c).
int acknowledgement_send(struct dialog *dialog, uint32_t sequence, struct mbuf *body);
void acknowledgement_repeat(struct account *account, const struct sip_msg *message);

/// The headers that tell what we can.
#define ALLOW "Allow: INVITE, ACK, CANCEL, BYE, OPTIONS, UPDATE, INFO, REFER, NOTIFY\r\n"

/// What the answer to OPTIONS tells beside it.
#define ABILITIES ALLOW "Accept: " ACCEPT_SESSION "\r\nSupported: timer, replaces\r\n"

/// Prints the Contact for a response to `message`.
struct response_contact {
    const struct account *account;
    const struct sip_msg *message;
};
int response_contact_print(struct re_printf *printer, const struct response_contact *contact);

#endif
