// The sound of a stream: packets to frames and frames to packets.

#include "stream_private.h"

#include <string.h>

enum {
    /// After so many frames that were made up there is silence.
    MOST_MADE_UP = 5,
    /// Steps that one frame may take, whatever the packets say about their length.
    MOST_STEPS = 16,
    /// Digits of the far side are this long at least. So many may come at once, after something held them up.
    SHORTEST_DIGIT = 40,
    MOST_DIGITS_AT_ONCE = 8,
    /// After so long without any, no sound comes.
    LONGEST_PAUSE = 2000,
    FIRST_REPORT = 1000,
    REPORT_INTERVAL = 5000,
    /// Marks a place in the jitter buffer that has no sound: a touch tone.
    NO_SOUND = 255,
    /// The last packet of a touch tone, which takes no time.
    NO_TIME = 254,
};

int stream_apply_codec(struct stream *stream) {
    const struct codec *codec = stream->agreement.codec;
    if (stream->decoder != NULL && stream->decoder_codec == codec) return 0;
    struct encoder *encoder;
    struct decoder *decoder;
    int error = encoder_alloc(&encoder, codec);
    if (error != 0) return error;
    error = decoder_alloc(&decoder, codec);
    if (error != 0) {
        mem_deref(encoder);
        return error;
    }
    mem_deref(stream->encoder);
    mem_deref(stream->decoder);
    stream->encoder = encoder;
    stream->decoder = decoder;
    stream->decoder_codec = codec;
    stream->sample_count = 0;
    jitter_flush(&stream->jitter);
    return 0;
}

// MARK: Receiving

static void take_event(struct stream *stream, const struct rtp_header *header, struct mbuf *packet) {
    uint64_t now = tmr_jiffies();
    char digit = digits_receive(&stream->heard_digits, header->ts, mbuf_buf(packet), mbuf_get_left(packet));
    if (digit == 0 || !stream->is_established) return;
    if (stream->digits_until < now) stream->digits_until = now;
    if (stream->digits_until >= now + MOST_DIGITS_AT_ONCE * SHORTEST_DIGIT) return;
    stream->digits_until += SHORTEST_DIGIT;
    stream_post_digit(stream, digit);
}

// How a packet's place in the jitter buffer is marked.
static uint8_t kind_of(const struct stream *stream, const struct rtp_header *header, const struct mbuf *packet) {
    const struct agreement *agreement = &stream->agreement;
    if (header->pt == agreement->receive_payload || header->pt == agreement->send_payload) return 0;
    bool is_end = mbuf_get_left(packet) >= EVENT_LENGTH && (mbuf_buf(packet)[1] & 0x80) != 0;
    return is_end ? NO_TIME : NO_SOUND;
}

void stream_take_rtp(struct mbuf *packet, bool is_authenticated, void *argument) {
    struct stream *stream = argument;
    const struct agreement *agreement = &stream->agreement;
    struct rtp_header header;
    if (!stream->has_agreement || rtp_read(&header, packet) != 0) return;
    size_t length = mbuf_get_left(packet);
    // Twinkle 1.10 sends touch tones with the number of its answer, which is not the one that we offered with this clock.
    bool is_numbered = header.pt == agreement->send_event && header.pt != agreement->receive_payload;
    bool is_event = agreement->event_clock != 0 && (header.pt == agreement->receive_event || is_numbered);
    bool is_sound = header.pt == agreement->receive_payload || header.pt == agreement->send_payload;
    if (length == 0 || length > MAXIMUM_PAYLOAD || (!is_event && !is_sound)) return;
    enum rtp_verdict verdict = rtp_receiver_take(&stream->receiver, &header, agreement->codec->clock, is_authenticated);
    if (verdict == RTP_REFUSED) return;
    if (verdict == RTP_NEW_SOURCE) {
        jitter_flush(&stream->jitter);
        stream->heard_digits.has_event = false;
    }
    if (is_event) take_event(stream, &header, packet);
    stream->last_sound = tmr_jiffies();
    stream_post_heard(stream, true);
    jitter_put(&stream->jitter, header.seq, kind_of(stream, &header, packet), packet);
}

void stream_take_rtcp(struct mbuf *packet, void *argument) {
    struct stream *stream = argument;
    rtcp_read(packet, &stream->sender, &stream->receiver, &stream->round_trip);
}

// MARK: Hearing

static size_t silence(int16_t *samples) {
    memset(samples, 0, FRAME_SAMPLES * sizeof *samples);
    return FRAME_SAMPLES;
}

static size_t make_up(struct stream *stream, const struct jitter_packet *next, int16_t *samples) {
    stream->made_up += 1;
    if (stream->made_up > MOST_MADE_UP) return silence(samples);
    bool has_next = next != NULL && next->payload != NULL && next->payload_type == 0;
    const uint8_t *payload = has_next ? mbuf_buf(next->payload) : NULL;
    size_t length = has_next ? mbuf_get_left(next->payload) : 0;
    size_t count = decoder_conceal(stream->decoder, payload, length, samples);
    return count > 0 ? count : silence(samples);
}

static size_t play(struct stream *stream, struct jitter_packet *packet, int16_t *samples) {
    size_t count = 0;
    if (packet->payload_type == 0) {
        count = decoder_decode(stream->decoder, mbuf_buf(packet->payload), mbuf_get_left(packet->payload), samples);
        if (count == 0) count = make_up(stream, NULL, samples);
        else stream->made_up = 0;
    } else if (packet->payload_type == NO_SOUND) {
        count = silence(samples);
    }
    mem_deref(packet->payload);
    return count;
}

// Takes one packet, or what stands for it.
static size_t step(struct stream *stream, int16_t *samples, enum jitter_result *result) {
    struct jitter_packet packet;
    *result = jitter_get(&stream->jitter, &packet);
    if (*result == JITTER_PACKET) return play(stream, &packet, samples);
    if (*result == JITTER_LOST) return make_up(stream, &packet, samples);
    return make_up(stream, NULL, samples);
}

// Lets the sound of one packet go over into that of the next one, in the time of one.
static size_t shorten(struct stream *stream, int16_t *samples, size_t count) {
    int16_t next[MAXIMUM_PACKET_SAMPLES];
    enum jitter_result result;
    size_t next_count = step(stream, next, &result);
    if (next_count != count) {
        memcpy(samples, next, next_count * sizeof *next);
        return next_count;
    }
    for (size_t i = 0; i < count; i++) {
        int64_t sum = (int64_t)samples[i] * (int64_t)(count - i) + (int64_t)next[i] * (int64_t)i;
        samples[i] = (int16_t)(sum / (int64_t)count);
    }
    return count;
}

void stream_hear(struct stream *stream) {
    stream->is_silent = true;
    if (stream->is_heard && tmr_jiffies() - stream->last_sound > LONGEST_PAUSE) stream_post_heard(stream, false);
    if (!stream->has_agreement || stream->decoder == NULL) return;
    if (stream->is_held) {
        jitter_flush(&stream->jitter);
        stream->sample_count = 0;
        return;
    }
    enum jitter_result result = JITTER_EMPTY;
    for (int i = 0; i < MOST_STEPS && stream->sample_count < FRAME_SAMPLES; i++) {
        int16_t *samples = stream->samples + stream->sample_count;
        size_t count = step(stream, samples, &result);
        if (result != JITTER_EMPTY && count > 0 && jitter_has_surplus(&stream->jitter)) {
            count = shorten(stream, samples, count);
        }
        stream->sample_count += count;
    }
    if (stream->sample_count < FRAME_SAMPLES) return;
    memcpy(stream->heard, stream->samples, sizeof stream->heard);
    stream->sample_count -= FRAME_SAMPLES;
    memmove(stream->samples, stream->samples + FRAME_SAMPLES, stream->sample_count * sizeof *stream->samples);
    stream->is_silent = stream->made_up > MOST_MADE_UP;
}

// MARK: Saying

static void send_packet(struct stream *stream, bool is_marked, uint8_t payload_type, uint32_t timestamp,
                        const uint8_t *payload, size_t length) {
    struct mbuf *packet = transport_packet(stream->transport);
    int error = rtp_sender_write(&stream->sender, packet, is_marked, payload_type, timestamp, length);
    error |= mbuf_write_mem(packet, payload, length);
    if (error == 0) transport_send_rtp(stream->transport, packet);
}

static void send_report(struct stream *stream) {
    uint64_t now = tmr_jiffies();
    if (stream->next_report == 0) stream->next_report = now + FIRST_REPORT;
    if (now < stream->next_report) return;
    // Between half and one and a half times the interval, so that not all report at once (RFC 3550, 6.2).
    stream->next_report = now + REPORT_INTERVAL / 2 + rand_u32() % REPORT_INTERVAL;
    struct mbuf *packet = transport_packet(stream->transport);
    int error = rtcp_write(packet, &stream->sender, &stream->receiver, stream->agreement.codec->clock, stream->name);
    if (error == 0) transport_send_rtcp(stream->transport, packet);
}

static void send_sound(struct stream *stream, const int16_t *frame) {
    uint8_t payload[MAXIMUM_PAYLOAD];
    size_t length = encoder_encode(stream->encoder, frame, payload, sizeof payload);
    bool is_first = stream->sender.packets == 0;
    if (length == 0) return;
    send_packet(stream, is_first, stream->agreement.send_payload, stream->sender.timestamp, payload, length);
}

// Returns whether a touch tone was sent in place of the sound.
static bool send_digits(struct stream *stream) {
    if (!digits_are_pending(&stream->digits) || !stream->is_established) return false;
    const struct agreement *agreement = &stream->agreement;
    uint8_t event[EVENT_LENGTH];
    bool is_first = false, has_events = agreement->event_clock != 0;
    uint32_t clock = has_events ? agreement->event_clock : agreement->codec->clock;
    unsigned count = digits_pass_frame(&stream->digits, clock, stream->sender.timestamp, event, &is_first);
    for (unsigned i = 0; i < count && has_events; i++) {
        send_packet(stream, is_first, agreement->send_event, stream->digits.timestamp, event, sizeof event);
    }
    if (count > 0 && !has_events) {
        int16_t frame[FRAME_SAMPLES];
        digits_tone(event[0], (stream->digits.frames - 1) * FRAME_SAMPLES, frame, FRAME_SAMPLES);
        send_sound(stream, frame);
    }
    if (!digits_are_pending(&stream->digits)) stream_post_digits_sent(stream);
    return count > 0;
}

void stream_say(struct stream *stream, const int16_t *frame) {
    if (!stream->has_agreement || stream->encoder == NULL) return;
    stream->sender.timestamp += stream->agreement.codec->clock * FRAME_MILLISECONDS / 1000;
    if (!transport_is_open(stream->transport)) return;
    bool is_wanted = (stream->agreement.remote_direction & SDP_RECVONLY) != 0;
    if (send_digits(stream)) return;
    if (is_wanted) send_sound(stream, frame);
    send_report(stream);
}
