// Telephone events. A digit sounds for 160 ms and is followed by 100 ms of nothing: most receivers ask for 40 each.

#include "digits.h"

#include <math.h>
#include <string.h>

enum {
    SOUNDING = 8,
    SILENT = 5,
    COMMA = 100,
    FRAMES_A_SECOND = 50,
    /// The last packet goes out three times (RFC 4733, 2.5.1.4).
    REPEATS = 3,
    /// In units of -1 dB.
    VOLUME = 10,
    END = 0x80,
};

static const char codes[] = "0123456789*#ABCD";

void digits_append(struct digit_sender *sender, const char *digits) {
    size_t length = strlen(sender->queue);
    for (; *digits != '\0' && length < MAXIMUM_DIGITS; digits++) {
        char digit = *digits >= 'a' && *digits <= 'd' ? (char)(*digits - 'a' + 'A') : *digits;
        if (digit == ',' || strchr(codes, digit) != NULL) sender->queue[length++] = digit;
    }
    sender->queue[length] = '\0';
}

bool digits_are_pending(const struct digit_sender *sender) {
    return sender->queue[0] != '\0' || sender->pause > 0;
}

static void leave(struct digit_sender *sender, unsigned pause) {
    memmove(sender->queue, sender->queue + 1, strlen(sender->queue));
    sender->is_sounding = false;
    sender->pause = pause;
}

unsigned digits_pass_frame(struct digit_sender *sender, uint32_t clock, uint32_t now, uint8_t event[EVENT_LENGTH],
                           bool *is_first) {
    *is_first = false;
    if (sender->pause > 0) {
        sender->pause -= 1;
        return 0;
    }
    if (sender->queue[0] == '\0') return 0;
    if (sender->queue[0] == ',') {
        leave(sender, COMMA);
        return 0;
    }
    if (!sender->is_sounding) {
        sender->is_sounding = *is_first = true;
        sender->frames = 0;
        sender->timestamp = now;
    }
    sender->frames += 1;
    bool is_last = sender->frames == SOUNDING;
    uint32_t duration = sender->frames * clock / FRAMES_A_SECOND;
    event[0] = (uint8_t)(strchr(codes, sender->queue[0]) - codes);
    event[1] = is_last ? END | VOLUME : VOLUME;
    event[2] = (uint8_t)(duration >> 8);
    event[3] = (uint8_t)duration;
    if (is_last) leave(sender, SILENT);
    return is_last ? REPEATS : 1;
}

void digits_tone(uint8_t code, size_t begin, int16_t *frame, size_t count) {
    static const double rows[] = {697, 770, 852, 941}, columns[] = {1209, 1336, 1477, 1633};
    // Row by row, as on the keys.
    static const char keys[] = "123A456B789C*0#D";
    const char *key = code < sizeof codes - 1 ? strchr(keys, codes[code]) : NULL;
    if (key == NULL) {
        memset(frame, 0, count * sizeof *frame);
        return;
    }
    double step = 2 * 3.14159265358979323846 / 48000;
    double low = step * rows[(key - keys) / 4], high = step * columns[(key - keys) % 4];
    for (size_t i = 0; i < count; i++) {
        double time = (double)(begin + i);
        frame[i] = (int16_t)(7000 * sin(low * time) + 8000 * sin(high * time));
    }
}

char digits_read(const char *text, size_t length) {
    if (length == 2 && text[0] == '1' && text[1] >= '0' && text[1] <= '5') return codes[10 + text[1] - '0'];
    if (length != 1 || text[0] == '\0') return 0;
    char digit = text[0] >= 'a' && text[0] <= 'd' ? (char)(text[0] - 'a' + 'A') : text[0];
    return strchr(codes, digit) != NULL ? digit : 0;
}

char digits_receive(struct digit_receiver *receiver, uint32_t timestamp, const uint8_t *event, size_t length) {
    if (length < EVENT_LENGTH || event[0] >= sizeof codes - 1) return 0;
    if (receiver->has_event && receiver->timestamp == timestamp) return 0;
    receiver->has_event = true;
    receiver->timestamp = timestamp;
    return codes[event[0]];
}
