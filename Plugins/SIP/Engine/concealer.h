// Makes up the sound of lost packets, for codecs that cannot do it themselves: the last period of the voice goes on,
// and fades out.

#ifndef CSIP_CONCEALER_H
#define CSIP_CONCEALER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// 40 ms at the highest rate, 16 kHz.
enum { CONCEALER_HISTORY = 640 };

struct concealer {
    /// Samples a second, at most 16,000.
    size_t rate;
    int16_t history[CONCEALER_HISTORY];
    /// While something is made up: the length of the period, and how many samples were made so far.
    size_t period, made;
};

void concealer_init(struct concealer *concealer, size_t rate);

/// Remembers what was decoded. After something made up, its beginning is blended with what would have gone on.
void concealer_take(struct concealer *concealer, int16_t *samples, size_t count);

/// Makes up samples.
void concealer_make(struct concealer *concealer, int16_t *samples, size_t count);

#endif
