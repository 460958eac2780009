// Concealment by the period of the voice, as in G.711 Appendix I.

#include "concealer.h"

#include <string.h>

enum {
    /// Voices: 66 to 400 Hz.
    SHORTEST_PERIODS_A_SECOND = 400,
    LONGEST_PERIODS_A_SECOND = 66,
    /// The stretch that is compared: 10 ms.
    COMPARED_A_SECOND = 100,
    /// All is silent after 100 ms.
    FADES_A_SECOND = 10,
    /// 5 ms.
    BLENDS_A_SECOND = 200,
};

void concealer_init(struct concealer *concealer, size_t rate) {
    memset(concealer, 0, sizeof *concealer);
    concealer->rate = rate;
}

// How alike the end is to what was `period` samples before it: the square of the correlation over the energy.
static double likeness(const int16_t *end, size_t count, size_t period) {
    double product = 0, energy = 1;
    for (size_t i = 0; i < count; i++) {
        double now = *(end - 1 - i), before = *(end - 1 - i - period);
        product += now * before;
        energy += before * before;
    }
    return product > 0 ? product * product / energy : 0;
}

static size_t find_period(const struct concealer *concealer) {
    size_t shortest = concealer->rate / SHORTEST_PERIODS_A_SECOND, longest = concealer->rate / LONGEST_PERIODS_A_SECOND;
    size_t best = longest;
    double most = 0;
    for (size_t period = shortest; period <= longest; period++) {
        double value = likeness(concealer->history + CONCEALER_HISTORY, concealer->rate / COMPARED_A_SECOND, period);
        // Twice the period is as alike; the shorter one is the true one.
        if (value > most * 1.05) {
            most = value;
            best = period;
        }
    }
    return best;
}

static int16_t made_sample(struct concealer *concealer) {
    size_t silent = concealer->rate / FADES_A_SECOND;
    if (concealer->made >= silent) return 0;
    size_t begin = CONCEALER_HISTORY - concealer->period;
    int32_t sample = concealer->history[begin + concealer->made % concealer->period];
    int32_t left = (int32_t)(silent - concealer->made);
    concealer->made += 1;
    return (int16_t)(sample * left / (int32_t)silent);
}

void concealer_make(struct concealer *concealer, int16_t *samples, size_t count) {
    if (concealer->made == 0) concealer->period = find_period(concealer);
    for (size_t i = 0; i < count; i++) samples[i] = made_sample(concealer);
}

void concealer_take(struct concealer *concealer, int16_t *samples, size_t count) {
    size_t blended = concealer->rate / BLENDS_A_SECOND;
    for (size_t i = 0; concealer->made > 0 && i < blended && i < count; i++) {
        int32_t sum = samples[i] * (int32_t)i + made_sample(concealer) * (int32_t)(blended - i);
        samples[i] = (int16_t)(sum / (int32_t)blended);
    }
    concealer->made = 0;
    size_t kept = count < CONCEALER_HISTORY ? CONCEALER_HISTORY - count : 0;
    memmove(concealer->history, concealer->history + CONCEALER_HISTORY - kept, kept * sizeof *samples);
    memcpy(concealer->history + kept, samples + count - (CONCEALER_HISTORY - kept),
           (CONCEALER_HISTORY - kept) * sizeof *samples);
}
