// The jitter buffer: a ring of slots by sequence number.

#include "jitter.h"

#include <string.h>

enum {
    LEAST_RESERVE = 1,
    MOST_RESERVE = 8,
    /// How many packets are watched before the buffer is made shorter; 2 seconds of 20 ms.
    WATCHED = 100,
    /// After so many without a late one the reserve is made smaller; 10 seconds.
    CALM = 500,
    /// Running empty for longer is a pause of the far side, not a late packet.
    PAUSE = 10,
};

static struct jitter_packet *slot_of(struct jitter *jitter, uint16_t sequence) {
    return &jitter->slots[sequence % JITTER_SLOTS];
}

void jitter_init(struct jitter *jitter) {
    memset(jitter, 0, sizeof *jitter);
    jitter->reserve = LEAST_RESERVE;
}

static void watch_anew(struct jitter *jitter) {
    jitter->least = JITTER_SLOTS;
    jitter->takes = 0;
}

void jitter_flush(struct jitter *jitter) {
    for (size_t i = 0; i < JITTER_SLOTS; i++) jitter->slots[i].payload = mem_deref(jitter->slots[i].payload);
    jitter->is_running = jitter->is_growing = false;
    jitter->depth = 0;
    jitter->empty_takes = 0;
    watch_anew(jitter);
}

static void note_lateness(struct jitter *jitter) {
    if (jitter->reserve < MOST_RESERVE) jitter->reserve += 1;
    jitter->calm_takes = 0;
    watch_anew(jitter);
}

static void begin(struct jitter *jitter, uint16_t sequence) {
    jitter_flush(jitter);
    jitter->is_running = jitter->is_filling = true;
    jitter->next = sequence;
}

void jitter_put(struct jitter *jitter, uint16_t sequence, uint8_t payload_type, struct mbuf *payload) {
    if (!jitter->is_running) begin(jitter, sequence);
    int16_t distance = (int16_t)(sequence - jitter->next);
    if (distance < 0 && distance > -JITTER_SLOTS) {
        // While the buffer fills, an earlier one can still become the first.
        if (!jitter->is_filling || jitter->depth + (unsigned)-distance > JITTER_SLOTS / 2) {
            jitter->late += 1;
            jitter->is_growing = jitter->reserve < MOST_RESERVE;
            note_lateness(jitter);
            return;
        }
        jitter->next = sequence;
        jitter->depth += (unsigned)-distance;
        distance = 0;
    } else if (distance < 0 || distance >= JITTER_SLOTS) {
        begin(jitter, sequence);
        distance = 0;
    }
    struct jitter_packet *slot = slot_of(jitter, sequence);
    if (slot->payload != NULL) return;
    *slot = (struct jitter_packet){sequence, payload_type, mem_ref(payload)};
    if ((unsigned)distance >= jitter->depth) jitter->depth = (unsigned)distance + 1;
    bool is_late = !jitter->is_filling && jitter->empty_takes > 0 && jitter->empty_takes < PAUSE && distance == 0;
    if (is_late) note_lateness(jitter);
    if (jitter->empty_takes >= PAUSE) jitter->is_filling = true;
    jitter->empty_takes = 0;
}

static enum jitter_result empty(struct jitter *jitter) {
    if (jitter->empty_takes < PAUSE) jitter->empty_takes += 1;
    return JITTER_EMPTY;
}

static void watch(struct jitter *jitter) {
    jitter->takes += 1;
    if (jitter->depth < jitter->least) jitter->least = jitter->depth;
    jitter->calm_takes += 1;
    if (jitter->calm_takes < CALM) return;
    jitter->calm_takes = 0;
    if (jitter->reserve > LEAST_RESERVE) jitter->reserve -= 1;
}

enum jitter_result jitter_get(struct jitter *jitter, struct jitter_packet *packet) {
    *packet = (struct jitter_packet){0};
    if (!jitter->is_running) return JITTER_EMPTY;
    if (jitter->depth == 0) return empty(jitter);
    if (jitter->is_growing) {
        jitter->is_growing = false;
        return JITTER_EMPTY;
    }
    if (jitter->is_filling && jitter->depth <= jitter->reserve) {
        // One packet is waited for as long as there might be more of them behind it.
        jitter->empty_takes += 1;
        if (jitter->empty_takes <= jitter->reserve) return JITTER_EMPTY;
    }
    if (jitter->is_filling) watch_anew(jitter);
    jitter->is_filling = false;
    jitter->empty_takes = 0;
    struct jitter_packet *slot = slot_of(jitter, jitter->next);
    bool is_there = slot->payload != NULL;
    if (is_there) *packet = *slot;
    *slot = (struct jitter_packet){0};
    jitter->next += 1;
    jitter->depth -= 1;
    watch(jitter);
    if (is_there) return JITTER_PACKET;
    *packet = *slot_of(jitter, jitter->next);
    return JITTER_LOST;
}

bool jitter_has_surplus(struct jitter *jitter) {
    // Packets that came at once fill more than any delay explains.
    if (jitter->depth > MOST_RESERVE * 2) return true;
    if (jitter->takes < WATCHED) return false;
    bool is_surplus = jitter->least > jitter->reserve;
    watch_anew(jitter);
    return is_surplus;
}
