// Keys by a DTLS handshake on the way of the sound (RFC 5763, RFC 5764).

#ifndef CSIP_HANDSHAKE_H
#define CSIP_HANDSHAKE_H

#include "stream_private.h"

struct handshake;

/// Adds our certificate's fingerprint and who begins; makes the handshake if there is none.
int handshake_describe(struct handshake **handshake, struct stream *stream, struct description *ours, bool is_offer);

/// Takes the far side's fingerprint; makes the handshake if there is none.
int handshake_take(struct handshake **handshake, struct stream *stream, const struct description *theirs,
                   bool is_offer);

/// Begins, if that is ours to do and the way is known.
void handshake_start(struct handshake *handshake);

/// Frees the certificate that all handshakes share.
void handshake_close(void);

#endif
