// Changes the rate of samples by a whole factor: between 48 kHz and the 8 or 16 kHz of a codec.

#ifndef CSIP_RESAMPLER_H
#define CSIP_RESAMPLER_H

#include <stddef.h>
#include <stdint.h>

enum {
    RESAMPLER_MAXIMUM_FACTOR = 6,
    /// Taps of the filter for each sample of the lower rate.
    RESAMPLER_WIDTH = 12,
    RESAMPLER_TAPS = RESAMPLER_MAXIMUM_FACTOR * RESAMPLER_WIDTH,
    /// The most samples of the higher rate in one go.
    RESAMPLER_MAXIMUM = 5760,
};

struct resampler {
    unsigned factor;
    int16_t taps[RESAMPLER_TAPS];
    int16_t history[RESAMPLER_TAPS + RESAMPLER_MAXIMUM];
};

/// Prepares for a factor of 1 to RESAMPLER_MAXIMUM_FACTOR. One that is used for both directions mixes them up.
void resampler_init(struct resampler *resampler, unsigned factor);

/// Divides the rate. `count` is a multiple of the factor, at most RESAMPLER_MAXIMUM.
/// @returns how many samples were written.
size_t resampler_down(struct resampler *resampler, const int16_t *samples, size_t count, int16_t *result);

/// Multiplies the rate. `count` times the factor is at most RESAMPLER_MAXIMUM.
/// @returns how many samples were written.
size_t resampler_up(struct resampler *resampler, const int16_t *samples, size_t count, int16_t *result);

#endif
