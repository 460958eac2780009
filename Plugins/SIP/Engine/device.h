// The microphone and the speaker, by PulseAudio or what speaks its protocol. The sound server runs at its own pace,
// and may vanish and come back at any time; nothing here waits for it.

#ifndef CSIP_DEVICE_H
#define CSIP_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

/// Opens both; NULL is the default one.
void device_open(const char *source, const char *sink);
void device_close(void);

/// Closes both, and what is left of those that were closed before.
void device_end(void);

/// Takes a frame of 20 ms at 48 kHz from the microphone.
/// @returns false if there is none: then it is to be silent.
bool device_read(int16_t *frame);

/// Gives a frame to the speaker.
void device_write(const int16_t *frame);

#endif
