// The sound of one call: what is offered and agreed (SDP), the packets (RTP, RTCP), their encryption (SRTP) and their
// way (ICE). Signalling carries descriptions and never looks into them. Everything here runs on the engine's thread.

#ifndef CSIP_STREAM_H
#define CSIP_STREAM_H

#include "libre.h"

#include "csip.h"

struct stream;

/// What the account says about the sound of its calls. The texts are the account's and outlive the stream.
struct stream_policy {
    enum csip_encryption encryption;
    const char *codecs, *stun_server, *turn_server, *turn_user, *turn_password;
};

struct stream_handlers {
    /// The addresses are known: a description can be made. May be called before stream_alloc returns.
    void (*ready)(int error, void *argument);
    /// stream_state says something else than before.
    void (*changed)(void *argument);
    /// Sound begins to come, or has stopped for two seconds.
    void (*heard)(bool is_heard, void *argument);
    /// The far side has pressed a key.
    void (*digit)(char digit, void *argument);
    /// The digits of the last stream_send_digits are sent.
    void (*digits_sent)(void *argument);
    /// It cannot go on: the far side's fingerprint is wrong, or ICE finds no way.
    void (*broken)(int error, void *argument);
    void *argument;
};

struct stream_state {
    /// `opus/48000`; empty before anything is agreed.
    const char *codec;
    /// `none`, `srtp-sdes` or `srtp-dtls`; empty before anything is agreed.
    const char *encryption;
    bool is_remote_held;
};

struct stream_quality {
    /// As in csip_event.
    double round_trip, jitter, loss;
};

/// Opens the sockets and gathers addresses.
/// @param local the address of this machine towards the far side; its port is ignored.
/// @param dns resolves the names of STUN and TURN servers.
int stream_alloc(struct stream **stream, const struct stream_policy *policy, bool is_offerer, const struct sa *local,
                 struct dnsc *dns, const struct stream_handlers *handlers);

/// Makes a description: an offer, or the answer to the offer that was taken last.
/// @param is_final who does not take this offer cannot ask for another one, but must end the call.
int stream_offer(struct stream *stream, bool is_final, struct mbuf **description);
int stream_answer(struct stream *stream, struct mbuf **description);

/// Takes the far side's description. EBADMSG: it is not one. ENOTSUP: nothing in common, or the encryption that the
/// account requires is missing (488 Not Acceptable Here). What stood before still stands then.
int stream_take_offer(struct stream *stream, struct mbuf *description);
int stream_take_answer(struct stream *stream, struct mbuf *description);

/// The far side refuses encryption, and the account does not insist: the next offer is without.
/// @returns whether there is anything to leave out.
bool stream_give_up_encryption(struct stream *stream);

/// Packets may go to the far side from now on. Without `is_answered`, for early media of our call, only while something
/// comes from there; before, none do. To where nothing has come from a few go at most, in either case.
void stream_open(struct stream *stream, bool is_answered);

/// The call is established: from now on the microphone is sent and digits count. Before, early media is played only.
void stream_establish(struct stream *stream);

/// The next description says so; from now on nothing is heard and silence is sent.
void stream_hold(struct stream *stream, bool is_held);
void stream_mute(struct stream *stream, bool is_muted);
void stream_send_digits(struct stream *stream, const char *digits);
/// Streams with the same number that is not 0 hear each other.
void stream_set_group(struct stream *stream, uint64_t group);
/// Takes the place of another stream, whose call ends.
void stream_succeed(struct stream *stream, const struct stream *other);
/// This machine has another address; the next offer says so.
void stream_move(struct stream *stream, const struct sa *local);

void stream_state(const struct stream *stream, struct stream_state *state);
/// Tells of the time since the last call of it.
void stream_quality(struct stream *stream, struct stream_quality *quality);

/// The media of the whole engine: the clock of 20 ms. On the engine's thread, after libre_init and before libre_close.
int media_init(void);
void media_close(void);
/// Opens or closes the microphone and the speaker.
void media_set_audio(bool is_on, const char *source, const char *sink);

#endif
