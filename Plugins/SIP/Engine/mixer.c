// The clock, and who hears whom: the speaker hears all calls that are not held, the calls of a conference hear each
// other and the microphone, but never themselves.

#include "mixer.h"

#include "device.h"
#include "handshake.h"

#include <string.h>

enum {
    /// Later than this the frames that were missed are left out.
    MOST_LATENESS = 200,
};

static struct list streams;
static struct tmr clock_timer;
static uint64_t next_frame;

// Sums have room for 65,536 streams.
static void add(int32_t *sum, const int16_t *frame) {
    for (size_t i = 0; i < FRAME_SAMPLES; i++) sum[i] += frame[i];
}

static void clip(int16_t *frame, const int32_t *sum) {
    for (size_t i = 0; i < FRAME_SAMPLES; i++) {
        frame[i] = (int16_t)(sum[i] > INT16_MAX ? INT16_MAX : sum[i] < INT16_MIN ? INT16_MIN : sum[i]);
    }
}

// Sums what the others of a conference say.
static bool add_group(int32_t *sum, const struct stream *listener) {
    bool has_any = false;
    if (listener->group == 0 || listener->is_held) return false;
    for (struct le *le = list_head(&streams); le != NULL; le = le->next) {
        const struct stream *other = le->data;
        if (other == listener || other->group != listener->group) continue;
        if (!other->is_established || other->is_silent) continue;
        add(sum, other->heard);
        has_any = true;
    }
    return has_any;
}

static void say(struct stream *stream, const int16_t *microphone) {
    bool has_microphone = microphone != NULL && stream->is_established && !stream->is_held && !stream->is_muted;
    int32_t sum[FRAME_SAMPLES] = {0};
    if (!stream->is_established || !add_group(sum, stream)) {
        stream_say(stream, has_microphone ? microphone : NULL);
        return;
    }
    int16_t frame[FRAME_SAMPLES];
    if (has_microphone) add(sum, microphone);
    clip(frame, sum);
    stream_say(stream, frame);
}

static void pass_frame(void) {
    int16_t microphone[FRAME_SAMPLES], speaker[FRAME_SAMPLES];
    int32_t sum[FRAME_SAMPLES] = {0};
    bool has_microphone = device_read(microphone);
    for (struct le *le = list_head(&streams); le != NULL; le = le->next) {
        struct stream *stream = le->data;
        stream_hear(stream);
        if (!stream->is_silent) add(sum, stream->heard);
    }
    clip(speaker, sum);
    device_write(speaker);
    for (struct le *le = list_head(&streams); le != NULL; le = le->next) {
        say(le->data, has_microphone ? microphone : NULL);
    }
}

// A timer that is set for 20 ms anew each time is late by a little each time, so the time to come is counted on.
static void tick(void *argument) {
    (void)argument;
    uint64_t now = tmr_jiffies();
    if (now > next_frame + MOST_LATENESS) next_frame = now;
    next_frame += FRAME_MILLISECONDS;
    tmr_start(&clock_timer, next_frame > now ? next_frame - now : 0, tick, NULL);
    pass_frame();
}

void mixer_add(struct stream *stream) {
    bool is_first = list_isempty(&streams);
    list_append(&streams, &stream->le, stream);
    if (!is_first) return;
    next_frame = tmr_jiffies();
    tmr_start(&clock_timer, 0, tick, NULL);
}

void mixer_remove(struct stream *stream) {
    if (stream->le.list == NULL) return;
    list_unlink(&stream->le);
    if (list_isempty(&streams)) tmr_cancel(&clock_timer);
}

int media_init(void) {
    list_init(&streams);
    tmr_init(&clock_timer);
    return 0;
}

void media_close(void) {
    tmr_cancel(&clock_timer);
    device_end();
    handshake_close();
}

void media_set_audio(bool is_on, const char *source, const char *sink) {
    device_close();
    if (is_on) device_open(source, sink);
}
