// Whom the sockets of a stream send to. A description can name anybody's address: nothing goes there before the call is
// answered, and nothing goes on if nobody there says anything.

#ifndef CSIP_REACH_H
#define CSIP_REACH_H

#include "libre.h"

enum {
    MAXIMUM_PLACES = 16,
    /// STUN and TURN servers.
    MAXIMUM_REACH_SERVERS = 4,
};

enum reach_standing {
    /// The user has not answered: nothing is sent.
    REACH_CLOSED,
    /// The far side has not answered: a little, and more while something comes from there.
    REACH_EARLY,
    /// Answered.
    REACH_OPEN,
};

/// An address where sound is sent to. That of its reports, one port higher, is the same place.
struct place {
    struct sa address;
    /// When something came from there last; 0 means never.
    uint64_t heard;
    uint64_t used;
    /// How many packets went there before anything came.
    unsigned count;
};

/// All zero at the beginning.
struct reach {
    enum reach_standing standing;
    struct place places[MAXIMUM_PLACES];
    struct sa servers[MAXIMUM_REACH_SERVERS];
    size_t server_count;
    /// When the far side named addresses last.
    uint64_t named;
    /// How many packets went to where nothing has come from so far.
    unsigned count;
};

void reach_set(struct reach *reach, enum reach_standing standing);

/// The far side has named addresses, be it the same ones.
void reach_name(struct reach *reach);

/// Lets packets go to a server that the user has chosen.
void reach_add_server(struct reach *reach, const struct sa *server);

/// Something has come from an address that only whoever is there can have sent, as far as that can be known.
/// @param is_rtcp it has come to, or goes out of, the socket of RTCP.
void reach_hear(struct reach *reach, const struct sa *source, bool is_rtcp);

/// Whether a packet may go to an address; `reach_send` counts it.
bool reach_allows(const struct reach *reach, const struct sa *destination, bool is_rtcp);
bool reach_send(struct reach *reach, const struct sa *destination, bool is_rtcp);

/// Goes on with the counts of another call, whose place this one takes.
void reach_inherit(struct reach *reach, const struct reach *other);

#endif
