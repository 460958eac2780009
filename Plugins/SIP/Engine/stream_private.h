// What the files of a stream share.

#ifndef CSIP_STREAM_PRIVATE_H
#define CSIP_STREAM_PRIVATE_H

#include "codec.h"
#include "description.h"
#include "digits.h"
#include "jitter.h"
#include "reach.h"
#include "rtp.h"
#include "stream.h"
#include "transport.h"

enum { MAXIMUM_CODECS = 4, MAXIMUM_HEARD_DIGITS = 16 };

/// How the keys are agreed.
enum keying { KEYING_NONE, KEYING_SDES, KEYING_DTLS };

/// What both sides have agreed on.
struct agreement {
    const struct codec *codec;
    /// The numbers of packets that we send, and that the far side sends.
    uint8_t send_payload, receive_payload;
    /// Touch tones; a clock of 0 means that the far side does not know them.
    uint8_t send_event, receive_event;
    uint32_t event_clock;
    enum keying keying;
    enum profile profile;
    /// Which of our keys goes with which of theirs.
    struct description_key key;
    bool is_remote_held;
    enum sdp_dir remote_direction;
};

struct stream {
    struct le le;
    struct stream_policy policy;
    struct stream_handlers handlers;
    struct dnsc *dns;
    struct sa local;
    bool is_offerer, is_ready;
    bool is_held, is_muted, is_established, has_given_up_encryption;
    uint64_t group;

    struct reach reach;
    struct transport *transport;
    struct handshake *handshake;
    struct path *path;

    /// The descriptions that were written and taken last; NULL before.
    struct description *written, *taken;
    bool has_agreement;
    struct agreement agreement;
    char codec_name[24];
    /// One for each suite, the same for as long as the stream lasts.
    uint8_t keys[2][SRTP_KEY_LENGTH];
    uint64_t session, version;

    struct rtp_sender sender;
    struct rtp_receiver receiver;
    struct jitter jitter;
    struct encoder *encoder;
    struct decoder *decoder;
    const struct codec *decoder_codec;
    struct digit_sender digits;
    struct digit_receiver heard_digits;
    /// Until when the digits that came have sounded, had they come one after the other.
    uint64_t digits_until;
    /// Whether sound comes, and when it came last.
    bool is_heard;
    uint64_t last_sound;
    double round_trip;
    uint64_t next_report;
    char name[24];

    /// Decoded samples that are not played yet.
    int16_t samples[MAXIMUM_PACKET_SAMPLES + FRAME_SAMPLES];
    size_t sample_count;
    unsigned made_up;
    /// What is heard in this frame; all zero if `is_silent`.
    int16_t heard[FRAME_SAMPLES];
    bool is_silent;

    /// What the handlers are to be told, outside of whatever has caused it.
    struct tmr news;
    bool has_ready, has_changed, has_heard, has_sent_digits, is_broken;
    int ready_error, broken_error;
    char digits_heard[MAXIMUM_HEARD_DIGITS];
    size_t digits_heard_count;
};

// MARK: News (stream.c)

void stream_post_ready(struct stream *stream, int error);
void stream_post_changed(struct stream *stream);
void stream_post_heard(struct stream *stream, bool is_heard);
void stream_post_digit(struct stream *stream, char digit);
void stream_post_digits_sent(struct stream *stream);
void stream_post_broken(struct stream *stream, int error);

// MARK: What is agreed (stream_agree.c)

/// Finds what both descriptions allow.
/// @param is_offer `theirs` is an offer, else it answers `stream->written`.
/// @returns ENOTSUP if that is nothing, or less than the account requires.
int stream_agree(const struct stream *stream, const struct description *theirs, bool is_offer,
                 struct agreement *result);

/// Describes the stream for an offer; for a final one, so that also those can take it who do not encrypt, unless the
/// account requires that.
int stream_describe_offer(struct stream *stream, struct description *ours);
int stream_describe_final_offer(struct stream *stream, struct description *ours);

/// Describes the stream for an answer to the description that was taken last.
int stream_describe_answer(struct stream *stream, struct description *ours);

// MARK: Sound (stream_sound.c), on the clock

/// Begins with what was agreed anew.
int stream_apply_codec(struct stream *stream);
void stream_take_rtp(struct mbuf *packet, bool is_authenticated, void *argument);
void stream_take_rtcp(struct mbuf *packet, void *argument);

/// Sets `heard` to the next frame.
void stream_hear(struct stream *stream);

/// Sends a frame; NULL is silence.
void stream_say(struct stream *stream, const int16_t *frame);

#endif
