// Touch tones as telephone events (RFC 4733), both ways.

#ifndef CSIP_DIGITS_H
#define CSIP_DIGITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MAXIMUM_DIGITS = 64, EVENT_LENGTH = 4 };

/// What is to be sent. Time passes in frames of 20 ms.
struct digit_sender {
    char queue[MAXIMUM_DIGITS + 1];
    /// Frames since the digit began, and frames to wait before the next one.
    unsigned frames, pause;
    bool is_sounding;
    uint32_t timestamp;
};

/// What is received: each event is sent several times.
struct digit_receiver {
    bool has_event;
    uint32_t timestamp;
};

/// Appends digits; what is none is left out, and what there is no room for.
void digits_append(struct digit_sender *sender, const char *digits);

/// Whether anything is to be sent still.
bool digits_are_pending(const struct digit_sender *sender);

/// Lets a frame pass. To be called for each frame while digits are pending.
/// @param clock of the timestamps, a second.
/// @param now the timestamp of this frame; that of the event is sender->timestamp.
/// @returns how many packets with `event` are to be sent in place of the sound; 0 means the sound.
unsigned digits_pass_frame(struct digit_sender *sender, uint32_t clock, uint32_t now, uint8_t event[EVENT_LENGTH],
                           bool *is_first);

/// Writes a frame of the two tones of an event, for a far side that does not know events.
/// @param begin how many samples at 48 kHz have gone before it.
void digits_tone(uint8_t code, size_t begin, int16_t *frame, size_t count);

/// Reads a key as it is written: as its sign, or as the number of its event (RFC 4733, section 3.2).
/// @returns the sign, A to D in capitals; 0 if it is none.
char digits_read(const char *text, size_t length);

/// Reads an event.
/// @returns the digit if it is a new one, else 0.
char digits_receive(struct digit_receiver *receiver, uint32_t timestamp, const uint8_t *event, size_t length);

#endif
