// The certificate that all DTLS handshakes of this process use. Only its fingerprint counts, which descriptions carry.

#ifndef CSIP_CERTIFICATE_H
#define CSIP_CERTIFICATE_H

#include "libre.h"

/// Makes a DTLS context with a new certificate; it is freed by mem_deref.
int certificate_make(struct tls **tls);

#endif
