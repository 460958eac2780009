// One writer, one reader.

#include "ring.h"

#include <string.h>

enum {
    /// So many reads are watched before samples are dropped.
    WATCHED = 150,
    /// More than this is dropped at once: 100 ms.
    MOST = 4800,
    /// Kept beyond what is needed to begin, as the writer writes so much at once: 20 ms.
    SLACK = 960,
};

void ring_init(struct ring *ring, uint32_t start) {
    memset(ring, 0, sizeof *ring);
    ring->start = start;
    ring->is_filling = true;
    ring->least = RING_SIZE;
}

void ring_write(struct ring *ring, const int16_t *samples, size_t count) {
    uint32_t written = atomic_load_explicit(&ring->written, memory_order_relaxed);
    uint32_t used = written - atomic_load_explicit(&ring->read, memory_order_acquire);
    if (count > RING_SIZE - used) count = RING_SIZE - used;
    for (size_t i = 0; i < count; i++) ring->samples[(written + i) % RING_SIZE] = samples[i];
    atomic_store_explicit(&ring->written, written + (uint32_t)count, memory_order_release);
}

static void watch_anew(struct ring *ring) {
    ring->least = RING_SIZE;
    ring->reads = 0;
}

// What was left over each time is never needed; half of what is kept at the start stays.
static uint32_t surplus(struct ring *ring, uint32_t left) {
    if (left < ring->least) ring->least = left;
    ring->reads += 1;
    uint32_t result = left > MOST ? left - ring->start : 0;
    if (ring->reads >= WATCHED) {
        if (result == 0 && ring->least > ring->start) result = ring->least - ring->start / 2;
        watch_anew(ring);
    }
    return result;
}

bool ring_read(struct ring *ring, int16_t *samples, size_t count) {
    uint32_t read = atomic_load_explicit(&ring->read, memory_order_relaxed);
    uint32_t used = atomic_load_explicit(&ring->written, memory_order_acquire) - read;
    if (ring->is_filling && used < ring->start + count) return false;
    // What has piled up before the reader came is old.
    uint32_t wanted = ring->start + (uint32_t)count + SLACK;
    if (ring->is_filling && used > wanted) {
        read += used - wanted;
        used = wanted;
    }
    ring->is_filling = used < count;
    if (ring->is_filling) {
        watch_anew(ring);
        return false;
    }
    for (size_t i = 0; i < count; i++) samples[i] = ring->samples[(read + i) % RING_SIZE];
    uint32_t left = used - (uint32_t)count;
    uint32_t taken = (uint32_t)count + surplus(ring, left);
    atomic_store_explicit(&ring->read, read + taken, memory_order_release);
    return true;
}
