// The jitter buffer: puts packets in order and holds as many back as their delays vary. It measures no delays: it sees
// when it ran empty and when it never came near to it.

#ifndef CSIP_JITTER_H
#define CSIP_JITTER_H

#include "libre.h"

enum { JITTER_SLOTS = 64 };

struct jitter_packet {
    uint16_t sequence;
    uint8_t payload_type;
    /// What is behind the header; NULL if the slot is empty.
    struct mbuf *payload;
};

struct jitter {
    struct jitter_packet slots[JITTER_SLOTS];
    /// The number to play next, and how many there are from it to the newest, holes included.
    uint16_t next;
    unsigned depth;
    /// Packets that are kept back, so that a late one still comes in time.
    unsigned reserve;
    /// The least that was left after taking one, of the last `takes` ones.
    unsigned least, takes;
    unsigned empty_takes, calm_takes;
    /// `is_growing`: a packet was late, so the next ones wait for one packet's time.
    bool is_running, is_filling, is_growing;
    uint32_t late;
};

enum jitter_result { JITTER_PACKET, JITTER_LOST, JITTER_EMPTY };

void jitter_init(struct jitter *jitter);

/// Forgets all packets; the next one is the first again.
void jitter_flush(struct jitter *jitter);

/// Takes a packet in; the payload is referenced.
void jitter_put(struct jitter *jitter, uint16_t sequence, uint8_t payload_type, struct mbuf *payload);

/// Takes the next packet out. Its payload is the caller's to free. Of one that is lost `packet` tells the one after it
/// if that is here (else its payload is NULL), which stays here.
enum jitter_result jitter_get(struct jitter *jitter, struct jitter_packet *packet);

/// Whether more is held back than is needed: playing two packets in the time of one is due.
bool jitter_has_surplus(struct jitter *jitter);

#endif
