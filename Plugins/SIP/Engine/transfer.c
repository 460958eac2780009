// Transfers that we ask for.

#include <errno.h>

#include "internal.h"

void transfer_start(struct call *call, const char *uri, uint64_t token) {
    (void)uri;
    call_done(call, token, ENOSYS, 0);
}

void transfer_connect(struct call *call, struct call *other, uint64_t token) {
    (void)other;
    call_done(call, token, ENOSYS, 0);
}

void transfer_call_ended(struct call *call) {
    (void)call;
}

bool transfer_notified(struct account *account, const struct sip_msg *message) {
    (void)account; (void)message;
    return false;
}

void transfers_flush(struct account *account) {
    (void)account;
}
