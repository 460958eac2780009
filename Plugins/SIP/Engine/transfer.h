// Transfers: those that we ask for, those that the far side asks for, and calls that take the place of others.

#ifndef CSIP_TRANSFER_H
#define CSIP_TRANSFER_H

#include "call.h"

void transfer_start(struct call *call, const char *uri, uint64_t token);
void transfer_connect(struct call *call, struct call *other, uint64_t token);
void transfer_call_ended(struct call *call);
/// A NOTIFY for a call that is gone, or for one that is there.
bool transfer_notified(struct account *account, const struct sip_msg *message);
void transfers_flush(struct account *account);

void referral_received(struct call *call, const struct sip_msg *message);
void referral_take(struct call *call, const char *uri, const char *replaces, uint16_t code);
void referral_answer(struct call *call, bool is_accepted, uint64_t token);
void referral_progress(struct call *successor, uint16_t code);
void referral_failed(struct call *successor, uint16_t code);
void referral_succeeded(struct call *successor);
void referral_call_ended(struct call *call);
/// Whether a call goes on although the far side has left: it asked us to go on elsewhere before.
bool referral_outlives_far_side(struct call *call);
/// Whether the far side has left, and the user has not said yet whether the call goes on elsewhere.
bool referral_waits_alone(const struct call *call);

/// An INVITE with Replaces (replaces.c). @returns whether it was one, and was answered.
bool replaces_received(struct account *account, const struct sip_msg *message);

#endif
