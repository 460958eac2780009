// Bodies of messages: the part that is meant for us, out of one or of several (RFC 5621).

#ifndef CSIP_BODY_H
#define CSIP_BODY_H

#include "libre.h"

/// What a message may carry around or beside what is looked for, and the value of Accept for a call.
#define ACCEPT_PARTS "multipart/mixed, multipart/alternative, multipart/related"
#define ACCEPT_SESSION "application/sdp, " ACCEPT_PARTS

/// What is looked for in a message.
struct body_form {
    /// Media types such as `application/sdp`, the last one NULL; and the value of Accept that names them.
    const char *const *types;
    const char *accept;
    /// The Content-Disposition of such parts; NULL means any.
    const char *disposition;
};

/// The description of a session; a key that the far side has pressed; how a transfer goes.
extern const struct body_form body_session, body_key, body_fragment;

struct body {
    /// The part's content; NULL if there is no such part. It is freed by body_reset.
    struct mbuf *content;
    /// The code that refuses a request with this body, or 0: 415 if a part that must be understood is not, 400 if the
    /// parts cannot be told apart.
    uint16_t refusal;
};

/// Looks into a message.
void body_read(struct body *body, const struct sip_msg *message, const struct body_form *form);
void body_reset(struct body *body);

/// Refuses a request with the code that body_read has found.
void body_refuse(struct sip *sip, const struct sip_msg *message, uint16_t code, const struct body_form *form);

#endif
