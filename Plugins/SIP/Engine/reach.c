// Whom the sockets of a stream send to.

#include "reach.h"

#include <string.h>

enum {
    /// What may go to addresses that nothing has come from, in packets of a whole call, and in time since the far side
    /// has named them: a router or server that waits for our sound gets enough, and so does ICE.
    MOST_UNHEARD = 250,
    LONGEST_UNHEARD = 5000,
    /// The same before the far side has answered, and how long a pause of its sound may be then.
    MOST_EARLY = 100,
    LONGEST_PAUSE = 5000,
};

// The place of an address: where RTCP is, RTP is one port lower.
static struct sa place_of(const struct sa *address, bool is_rtcp) {
    struct sa place = *address;
    if (is_rtcp) sa_set_port(&place, (uint16_t)(sa_port(address) - 1));
    return place;
}

// The index of a place, or MAXIMUM_PLACES.
static size_t find(const struct reach *reach, const struct sa *place) {
    size_t i = 0;
    while (i < MAXIMUM_PLACES && !(reach->places[i].used != 0 && sa_cmp(&reach->places[i].address, place, SA_ALL))) i++;
    return i;
}

// The one that was used longest ago makes room. What went there stays counted.
static struct place *use(struct reach *reach, struct sa address) {
    size_t index = find(reach, &address), oldest = 0;
    if (index == MAXIMUM_PLACES) {
        for (size_t i = 1; i < MAXIMUM_PLACES; i++) {
            if (reach->places[i].used < reach->places[oldest].used) oldest = i;
        }
        reach->places[index = oldest] = (struct place){.address = address};
    }
    reach->places[index].used = tmr_jiffies();
    return &reach->places[index];
}

void reach_set(struct reach *reach, enum reach_standing standing) {
    reach->standing = standing;
    reach_name(reach);
}

void reach_name(struct reach *reach) {
    reach->named = tmr_jiffies();
}

static bool is_server(const struct reach *reach, const struct sa *address) {
    for (size_t i = 0; i < reach->server_count; i++) {
        if (sa_cmp(&reach->servers[i], address, SA_ALL)) return true;
    }
    return false;
}

void reach_add_server(struct reach *reach, const struct sa *server) {
    if (reach->server_count == MAXIMUM_REACH_SERVERS || is_server(reach, server)) return;
    reach->servers[reach->server_count++] = *server;
}

void reach_hear(struct reach *reach, const struct sa *source, bool is_rtcp) {
    struct place *place = use(reach, place_of(source, is_rtcp));
    place->heard = place->used;
    reach->count -= place->count;
    place->count = 0;
}

bool reach_allows(const struct reach *reach, const struct sa *destination, bool is_rtcp) {
    if (is_server(reach, destination)) return true;
    if (reach->standing == REACH_CLOSED) return false;
    bool is_early = reach->standing == REACH_EARLY;
    uint64_t now = tmr_jiffies();
    struct sa address = place_of(destination, is_rtcp);
    size_t index = find(reach, &address);
    uint64_t heard = index < MAXIMUM_PLACES ? reach->places[index].heard : 0;
    if (heard != 0) return !is_early || now - heard < LONGEST_PAUSE;
    return reach->count < (is_early ? MOST_EARLY : MOST_UNHEARD) && now - reach->named < LONGEST_UNHEARD;
}

bool reach_send(struct reach *reach, const struct sa *destination, bool is_rtcp) {
    if (!reach_allows(reach, destination, is_rtcp)) return false;
    if (is_server(reach, destination)) return true;
    struct place *place = use(reach, place_of(destination, is_rtcp));
    if (place->heard != 0) return true;
    place->count += 1;
    reach->count += 1;
    return true;
}

void reach_inherit(struct reach *reach, const struct reach *other) {
    memcpy(reach->places, other->places, sizeof reach->places);
    reach->count = other->count;
}
