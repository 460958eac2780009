// The microphone and the speaker by libpulse. All of it runs on libpulse's thread but for the two ends of the rings,
// and the engine's thread waits for that thread only to end it.

#include "device.h"

#include "codec.h"
#include "ring.h"

#include <pulse/pulseaudio.h>
#include <stdlib.h>
#include <string.h>

enum {
    RATE = 48000,
    BYTES = sizeof(int16_t),
    /// What the microphone gives at once, and what the speaker asks for at once: 10 ms.
    FRAGMENT = RATE / 100,
    /// What the server keeps for the speaker: 40 ms.
    SERVER_BUFFER = RATE / 25,
    /// Pauses between attempts to reach the server, in milliseconds.
    FIRST_PAUSE = 250,
    LONGEST_PAUSE = 10000,
};

struct device {
    pa_threaded_mainloop *loop;
    pa_mainloop_api *api;
    pa_context *context;
    pa_stream *microphone, *speaker;
    pa_time_event *retry;
    unsigned pause;
    char *source, *sink;
    /// It was closed while it was still connecting.
    bool is_left;
};

// The rings outlast the device, so that the engine's thread can always use them.
static struct ring heard, said;
static struct device *device, *left;

static void connect_context(struct device *device);

// MARK: Samples

static void take_microphone(pa_stream *stream, size_t length, void *argument) {
    (void)length;
    (void)argument;
    while (pa_stream_readable_size(stream) > 0) {
        const void *samples;
        size_t count;
        if (pa_stream_peek(stream, &samples, &count) < 0 || count == 0) return;
        // Without samples it is a hole.
        if (samples != NULL) ring_write(&heard, samples, count / BYTES);
        pa_stream_drop(stream);
    }
}

static void give_speaker(pa_stream *stream, size_t length, void *argument) {
    (void)argument;
    int16_t samples[FRAGMENT];
    for (size_t count = length / BYTES; count > 0;) {
        size_t step = count < FRAGMENT ? count : FRAGMENT;
        if (!ring_read(&said, samples, step)) memset(samples, 0, step * BYTES);
        if (pa_stream_write(stream, samples, step * BYTES, NULL, 0, PA_SEEK_RELATIVE) < 0) return;
        count -= step;
    }
}

// MARK: Streams

static void close_stream(pa_stream **stream) {
    if (*stream == NULL) return;
    pa_stream_set_state_callback(*stream, NULL, NULL);
    pa_stream_set_read_callback(*stream, NULL, NULL);
    pa_stream_set_write_callback(*stream, NULL, NULL);
    pa_stream_disconnect(*stream);
    pa_stream_unref(*stream);
    *stream = NULL;
}

static void close_context(struct device *device) {
    close_stream(&device->microphone);
    close_stream(&device->speaker);
    if (device->context == NULL) return;
    pa_context_set_state_callback(device->context, NULL, NULL);
    pa_context_disconnect(device->context);
    pa_context_unref(device->context);
    device->context = NULL;
}

static void try_again(pa_mainloop_api *api, pa_time_event *event, const struct timeval *time, void *argument) {
    struct device *device = argument;
    (void)time;
    api->time_free(event);
    device->retry = NULL;
    close_context(device);
    connect_context(device);
}

static void try_later(struct device *device) {
    if (device->retry != NULL) return;
    struct timeval time;
    pa_gettimeofday(&time);
    pa_timeval_add(&time, (pa_usec_t)device->pause * PA_USEC_PER_MSEC);
    device->retry = device->api->time_new(device->api, &time, try_again, device);
    device->pause = device->pause * 2 < LONGEST_PAUSE ? device->pause * 2 : LONGEST_PAUSE;
}

static void stream_changed(pa_stream *stream, void *argument) {
    struct device *device = argument;
    pa_stream_state_t state = pa_stream_get_state(stream);
    if (state == PA_STREAM_READY) device->pause = FIRST_PAUSE;
    if (state != PA_STREAM_FAILED) return;
    // The device that was asked for may be gone; any other is better than none.
    free(device->source);
    free(device->sink);
    device->source = device->sink = NULL;
    try_later(device);
}

static pa_stream *make_stream(struct device *device) {
    const pa_sample_spec format = {PA_SAMPLE_S16NE, RATE, 1};
    pa_proplist *properties = pa_proplist_new();
    pa_proplist_sets(properties, PA_PROP_MEDIA_ROLE, "phone");
    pa_proplist_sets(properties, PA_PROP_APPLICATION_ICON_NAME, "org.opencallkit.Phone");
    pa_proplist_sets(properties, "filter.want", "echo-cancel");
    pa_stream *stream = pa_stream_new_with_proplist(device->context, "Call", &format, NULL, properties);
    pa_proplist_free(properties);
    if (stream != NULL) pa_stream_set_state_callback(stream, stream_changed, device);
    return stream;
}

static void open_streams(struct device *device) {
    const uint32_t any = (uint32_t)-1;
    const pa_buffer_attr recorded = {any, any, any, any, FRAGMENT * BYTES};
    const pa_buffer_attr played = {any, SERVER_BUFFER * BYTES, 0, FRAGMENT * BYTES, any};
    device->microphone = make_stream(device);
    device->speaker = make_stream(device);
    if (device->microphone == NULL || device->speaker == NULL) {
        try_later(device);
        return;
    }
    pa_stream_set_read_callback(device->microphone, take_microphone, device);
    pa_stream_set_write_callback(device->speaker, give_speaker, device);
    int error = pa_stream_connect_record(device->microphone, device->source, &recorded, PA_STREAM_ADJUST_LATENCY);
    error |= pa_stream_connect_playback(device->speaker, device->sink, &played, PA_STREAM_ADJUST_LATENCY, NULL, NULL);
    if (error != 0) try_later(device);
}

static void context_changed(pa_context *context, void *argument) {
    struct device *device = argument;
    pa_context_state_t state = pa_context_get_state(context);
    if (device->is_left) {
        if (state == PA_CONTEXT_READY) pa_context_disconnect(context);
        return;
    }
    if (state == PA_CONTEXT_READY) open_streams(device);
    if (state == PA_CONTEXT_FAILED || state == PA_CONTEXT_TERMINATED) try_later(device);
}

static void connect_context(struct device *device) {
    device->context = pa_context_new(device->api, "Phone");
    if (device->context == NULL) {
        try_later(device);
        return;
    }
    pa_context_set_state_callback(device->context, context_changed, device);
    if (pa_context_connect(device->context, NULL, PA_CONTEXT_NOAUTOSPAWN, NULL) < 0) try_later(device);
}

// MARK: Opening

static char *duplicate(const char *text) {
    return text != NULL && *text != '\0' ? strdup(text) : NULL;
}

static void release(struct device **slot) {
    struct device *device = *slot;
    *slot = NULL;
    if (device == NULL) return;
    // Once its thread has ended, nothing else touches it.
    pa_threaded_mainloop_stop(device->loop);
    if (device->retry != NULL) device->api->time_free(device->retry);
    close_context(device);
    free(device->source);
    free(device->sink);
    pa_threaded_mainloop_free(device->loop);
    free(device);
}

// Whether its context is on the way to being ready. To be called with its loop locked.
static bool is_connecting(const struct device *device) {
    if (device->context == NULL) return false;
    pa_context_state_t state = pa_context_get_state(device->context);
    return PA_CONTEXT_IS_GOOD(state) && state != PA_CONTEXT_READY;
}

// Takes the one up again that was left and is still connecting.
static bool resume(const char *source, const char *sink) {
    if (left == NULL) return false;
    pa_threaded_mainloop_lock(left->loop);
    bool is_resumed = is_connecting(left);
    if (is_resumed) {
        free(left->source);
        free(left->sink);
        left->source = duplicate(source);
        left->sink = duplicate(sink);
        left->is_left = false;
        ring_init(&heard, FRAGMENT);
        ring_init(&said, FRAGMENT);
    }
    pa_threaded_mainloop_unlock(left->loop);
    if (!is_resumed) return false;
    device = left;
    left = NULL;
    return true;
}

void device_open(const char *source, const char *sink) {
    device_close();
    if (resume(source, sink)) return;
    release(&left);
    device = calloc(1, sizeof *device);
    if (device == NULL) return;
    device->loop = pa_threaded_mainloop_new();
    if (device->loop == NULL) {
        free(device);
        device = NULL;
        return;
    }
    pa_threaded_mainloop_set_name(device->loop, "sip-sound");
    device->api = pa_threaded_mainloop_get_api(device->loop);
    device->pause = FIRST_PAUSE;
    device->source = duplicate(source);
    device->sink = duplicate(sink);
    // What waits at the start evens out that the two clocks' steps do not fall together.
    ring_init(&heard, FRAGMENT);
    ring_init(&said, FRAGMENT);
    connect_context(device);
    if (pa_threaded_mainloop_start(device->loop) < 0) release(&device);
}

// libpulse forgets descriptors when it is told to disconnect while it is still connecting. So it is let go on, and
// disconnects by itself.
static bool leave(struct device *device) {
    pa_threaded_mainloop_lock(device->loop);
    device->is_left = is_connecting(device);
    pa_threaded_mainloop_unlock(device->loop);
    return device->is_left;
}

void device_close(void) {
    if (device == NULL) return;
    if (!leave(device)) {
        release(&device);
        return;
    }
    release(&left);
    left = device;
    device = NULL;
}

void device_end(void) {
    release(&device);
    release(&left);
}

bool device_read(int16_t *frame) {
    return device != NULL && ring_read(&heard, frame, FRAME_SAMPLES);
}

void device_write(const int16_t *frame) {
    if (device != NULL) ring_write(&said, frame, FRAME_SAMPLES);
}
