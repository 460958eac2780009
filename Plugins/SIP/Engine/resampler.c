// One low-pass filter, a sinc under a Blackman window, in whole numbers: 14 bits to the right of the point.

#include "resampler.h"

#include <math.h>
#include <string.h>

static int16_t clipped(int32_t sum) {
    sum = (sum + (1 << 13)) >> 14;
    return (int16_t)(sum > INT16_MAX ? INT16_MAX : sum < INT16_MIN ? INT16_MIN : sum);
}

static int32_t product(const int16_t *samples, const int16_t *taps, size_t count) {
    int32_t sum = 0;
    for (size_t i = 0; i < count; i++) sum += samples[i] * taps[i];
    return sum;
}

static double windowed_sinc(unsigned index, unsigned count, double cutoff) {
    const double pi = 3.14159265358979323846;
    double distance = index - (count - 1) / 2.0, phase = 2 * pi * index / (count - 1);
    double window = 0.42 - 0.5 * cos(phase) + 0.08 * cos(2 * phase);
    double sinc = fabs(distance) < 1e-9 ? cutoff : sin(pi * cutoff * distance) / (pi * distance);
    return window * sinc;
}

void resampler_init(struct resampler *resampler, unsigned factor) {
    memset(resampler, 0, sizeof *resampler);
    resampler->factor = factor;
    if (factor <= 1) return;
    unsigned count = factor * RESAMPLER_WIDTH;
    double taps[RESAMPLER_TAPS], sum = 0;
    // 0.88 leaves room for the filter's slope below half of the lower rate.
    for (unsigned i = 0; i < count; i++) sum += taps[i] = windowed_sinc(i, count, 0.88 / factor);
    for (unsigned i = 0; i < count; i++) resampler->taps[i] = (int16_t)lrint(taps[i] / sum * (1 << 14));
}

size_t resampler_down(struct resampler *resampler, const int16_t *samples, size_t count, int16_t *result) {
    unsigned factor = resampler->factor;
    if (factor <= 1) {
        memcpy(result, samples, count * sizeof *samples);
        return count;
    }
    size_t taps = (size_t)factor * RESAMPLER_WIDTH;
    int16_t *history = resampler->history;
    memcpy(history + taps, samples, count * sizeof *samples);
    for (size_t i = 0; i < count / factor; i++) {
        result[i] = clipped(product(history + (i + 1) * factor, resampler->taps, taps));
    }
    memmove(history, history + count, taps * sizeof *history);
    return count / factor;
}

// Of the samples at the higher rate only each factor-th is not zero, so each phase needs only some of the taps. The
// taps are gathered by phase here; there are 72 at most.
size_t resampler_up(struct resampler *resampler, const int16_t *samples, size_t count, int16_t *result) {
    unsigned factor = resampler->factor;
    if (factor <= 1) {
        memcpy(result, samples, count * sizeof *samples);
        return count;
    }
    int16_t phases[RESAMPLER_MAXIMUM_FACTOR][RESAMPLER_WIDTH];
    for (unsigned phase = 0; phase < factor; phase++) {
        for (unsigned i = 0; i < RESAMPLER_WIDTH; i++) {
            phases[phase][i] = resampler->taps[(RESAMPLER_WIDTH - 1 - i) * factor + phase];
        }
    }
    int16_t *history = resampler->history;
    memcpy(history + RESAMPLER_WIDTH, samples, count * sizeof *samples);
    for (size_t i = 0; i < count; i++) {
        for (unsigned phase = 0; phase < factor; phase++) {
            int32_t sum = product(history + i + 1, phases[phase], RESAMPLER_WIDTH);
            // Each input stands for `factor` outputs; a filter that sums up to 1 makes it that much quieter.
            *result++ = clipped(sum * (int)factor);
        }
    }
    memmove(history, history + count, RESAMPLER_WIDTH * sizeof *history);
    return count * factor;
}
