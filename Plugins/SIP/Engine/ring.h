// Samples on their way from one thread to another, without a lock. The two run by clocks that differ a little: what
// piles up is dropped, and after running dry it fills up first.

#ifndef CSIP_RING_H
#define CSIP_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A power of two, 170 ms at 48 kHz.
enum { RING_SIZE = 8192 };

struct ring {
    int16_t samples[RING_SIZE];
    /// Counted on without end; the writer's and the reader's.
    _Atomic uint32_t written, read;
    /// The reader's alone: how many samples there are to be before it begins, whether it waits for them, and the least
    /// that was left over in the last `reads` reads.
    uint32_t start;
    bool is_filling;
    uint32_t least, reads;
};

/// Empties it. No other thread may use it.
void ring_init(struct ring *ring, uint32_t start);

/// Appends samples. What there is no room for is lost.
void ring_write(struct ring *ring, const int16_t *samples, size_t count);

/// Takes samples out.
/// @returns false if there are not enough: then nothing is written.
bool ring_read(struct ring *ring, int16_t *samples, size_t count);

#endif
