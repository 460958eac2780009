// The codecs: G.711, G.722 and Opus. All that is outside of them is 48 kHz, one channel, 20 ms to the frame.

#ifndef CSIP_CODEC_H
#define CSIP_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    FRAME_MILLISECONDS = 20,
    FRAME_SAMPLES = 960,
    /// The longest packet that is decoded: 120 ms, as in Opus.
    MAXIMUM_PACKET_SAMPLES = 6 * FRAME_SAMPLES,
    MAXIMUM_PAYLOAD = 1200,
};

/// A codec as SDP names it.
struct codec {
    const char *name;
    /// The clock of its timestamps, which for G.722 is not the rate of its samples (RFC 3551, 4.5.2).
    uint32_t clock;
    uint8_t channels;
    /// The number that is offered for it.
    uint8_t payload;
    /// The samples a second that are coded.
    uint32_t rate;
    const char *parameters;
};

/// Finds a codec by what an rtpmap says; a clock of 0 stands for any.
/// @returns NULL if there is none.
const struct codec *codec_find(const char *name, uint32_t clock, uint8_t channels);

/// Writes the codecs that `names` lists (`opus,G722`; NULL means all) in that order.
/// @returns how many there are, at most `capacity`.
size_t codec_list(const char *names, const struct codec **list, size_t capacity);

struct encoder;
struct decoder;

/// Makes an encoder; it is freed by mem_deref.
int encoder_alloc(struct encoder **encoder, const struct codec *codec);

/// Encodes a frame; NULL stands for silence.
/// @returns the length in bytes; 0 if it failed.
size_t encoder_encode(struct encoder *encoder, const int16_t *frame, uint8_t *payload, size_t capacity);

/// Makes a decoder; it is freed by mem_deref.
int decoder_alloc(struct decoder **decoder, const struct codec *codec);

/// Decodes a packet that the far side sent.
/// @param samples has room for MAXIMUM_PACKET_SAMPLES.
/// @returns how many samples it gave; 0 if it is not valid.
size_t decoder_decode(struct decoder *decoder, const uint8_t *payload, size_t length, int16_t *samples);

/// Makes up the frame of a lost packet, out of the packet after it if that is known (else NULL).
/// @returns how many samples it gave.
size_t decoder_conceal(struct decoder *decoder, const uint8_t *next, size_t length, int16_t *samples);

#endif
