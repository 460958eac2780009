// Transfers that the far side asks for.

#include <errno.h>

#include "internal.h"

void referral_received(struct call *call, const struct sip_msg *message) {
    sip_treply(NULL, call->account->sip, message, 603, "Decline");
}

void referral_answer(struct call *call, bool is_accepted, uint64_t token) {
    (void)is_accepted;
    call_done(call, token, ENOSYS, 0);
}

void referral_progress(struct call *successor, uint16_t code) {
    (void)successor; (void)code;
}

void referral_failed(struct call *successor, uint16_t code) {
    (void)successor; (void)code;
}

void referral_succeeded(struct call *successor) {
    (void)successor;
}

void referral_call_ended(struct call *call) {
    (void)call;
}

bool replaces_received(struct account *account, const struct sip_msg *message) {
    (void)account; (void)message;
    return false;
}
