// The way of the packets through networks (ICE, RFC 8445), with the help of STUN and TURN servers.

#ifndef CSIP_PATH_H
#define CSIP_PATH_H

#include "stream_private.h"

struct path;

/// Whether the account has a server, so that ICE is used.
bool path_is_wanted(const struct stream_policy *policy);

/// Begins to gather addresses; stream_post_ready follows, after 2 seconds at most.
int path_alloc(struct path **path, struct stream *stream);

/// Adds what was gathered to a description.
int path_describe(const struct path *path, struct description *ours, bool is_offer);

/// Takes the far side's addresses. Without any the ones of its description are used.
int path_take(struct path *path, const struct description *theirs, bool is_offer);

/// Begins to look for a way, once both descriptions are known.
void path_start(struct path *path);

/// The address of this machine has changed.
void path_restart(struct path *path);

/// Whether both sides use ICE; false without a path.
bool path_is_used(const struct path *path);

/// Tells the address that packets go to.
/// @returns false as long as no way was found.
bool path_remote(const struct path *path, const struct stream *stream, struct sa *remote);

/// Whether an address is one of the far side's.
bool path_knows(const struct path *path, const struct sa *source);

#endif
