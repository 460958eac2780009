// The clock of all streams: every 20 ms each of them hears and says a frame.

#ifndef CSIP_MIXER_H
#define CSIP_MIXER_H

#include "stream_private.h"

void mixer_add(struct stream *stream);
void mixer_remove(struct stream *stream);

#endif
