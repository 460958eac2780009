// What strangers can make the engine hold or do.

#ifndef CSIP_BOUNDS_H
#define CSIP_BOUNDS_H

#include "libre.h"

enum {
    MAX_ACCOUNTS = 16,
    MAX_CALLS = 64,
    /// Highest number of a file descriptor of the process, and one.
    MAX_DESCRIPTORS = 1024,
    /// Calls that ring: by servers, and by others.
    MAX_UNANSWERED = 16,
    MAX_STRANGE_UNANSWERED = 4,
    /// Texts of events, in bytes, with the zero.
    MAX_TEXT = 257,
    /// What a message says of who calls, and why a call has ended.
    MAX_IDENTITY = 8192,
    MAX_REASON = 1024,
    MAX_TRACE = 16384,
    MAX_ADDRESSES = 8,
    MAX_ROUTES = 16,
    MAX_ROUTES_LENGTH = 4096,
    MAX_HEADER = 1024,
    MAX_REDIRECTS = 3,
    /// How often one request answers a challenge.
    MAX_CHALLENGES = 2,
    /// In one second: changes of a call that the far side may ask for; new calls of an account by its server, and by
    /// others; requests that belong to no call, the same; words of libre.
    MAX_CHANGES = 20,
    MAX_NEW_CALLS = 50,
    MAX_STRANGE_CALLS = 5,
    MAX_REQUESTS = 200,
    MAX_WORDS = 10,
    /// In one call: provisional responses that are told, places where it rings, and transfers that the far side may ask for.
    MAX_PROGRESS = 100,
    MAX_EARLY = 16,
    MAX_REFERRALS = 10,
    /// Commands that wait for their turn, a call.
    MAX_JOBS = 32,
};

/// Counts what happens, so that no more than `most` of it happens in one second.
struct rate {
    uint64_t since;
    unsigned count;
};

bool rate_allows(struct rate *rate, unsigned most);

#endif
