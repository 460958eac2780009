// The codecs, on librem (G.711), spandsp (G.722) and libopus.

#include "codec.h"

#include "concealer.h"
#include "libre.h"
#include "resampler.h"

#include <opus/opus.h>
// All of spandsp.h does not compile beside librem.
#include <spandsp/telephony.h>
#include <spandsp/g722.h>
#include <string.h>

enum { DEVICE_RATE = 48000, MAXIMUM_CODED = MAXIMUM_PACKET_SAMPLES / 3 };

static const struct codec codecs[] = {
    {"opus", 48000, 2, 96, 48000, "useinbandfec=1;stereo=0;sprop-stereo=0"},
    {"G722", 8000, 1, 9, 16000, NULL},
    {"PCMA", 8000, 1, 8, 8000, NULL},
    {"PCMU", 8000, 1, 0, 8000, NULL},
};
enum { OPUS, G722, PCMA, PCMU };

struct encoder {
    const struct codec *codec;
    OpusEncoder *opus;
    g722_encode_state_t *g722;
    struct resampler resampler;
};

struct decoder {
    const struct codec *codec;
    OpusDecoder *opus;
    g722_decode_state_t *g722;
    struct concealer concealer;
    struct resampler resampler;
};

const struct codec *codec_find(const char *name, uint32_t clock, uint8_t channels) {
    for (size_t i = 0; i < ARRAY_SIZE(codecs); i++) {
        const struct codec *codec = &codecs[i];
        if (str_casecmp(codec->name, name) != 0) continue;
        // Opus is written with two channels always (RFC 7587, 7); who leaves them out means the same.
        bool is_same = codec->clock == clock && (codec->channels == channels || (codec == &codecs[OPUS] && channels == 1));
        if (clock != 0 && !is_same) continue;
        return codec;
    }
    return NULL;
}

static bool contains(const struct codec **list, size_t count, const struct codec *codec) {
    for (size_t i = 0; i < count; i++) {
        if (list[i] == codec) return true;
    }
    return false;
}

size_t codec_list(const char *names, const struct codec **list, size_t capacity) {
    size_t count = 0;
    if (names == NULL || *names == '\0') names = "opus,G722,PCMA,PCMU";
    while (*names != '\0' && count < capacity) {
        char name[16];
        size_t length = strcspn(names, ",");
        const char *text = names;
        names += length + (names[length] == ',');
        while (length > 0 && *text == ' ') text++, length--;
        while (length > 0 && text[length - 1] == ' ') length--;
        if (length == 0 || length >= sizeof name) continue;
        memcpy(name, text, length);
        name[length] = '\0';
        const struct codec *codec = codec_find(name, 0, 0);
        if (codec != NULL && !contains(list, count, codec)) list[count++] = codec;
    }
    return count;
}

// MARK: Encoding

static void encoder_free(void *argument) {
    struct encoder *encoder = argument;
    if (encoder->opus != NULL) opus_encoder_destroy(encoder->opus);
    if (encoder->g722 != NULL) g722_encode_free(encoder->g722);
}

int encoder_alloc(struct encoder **result, const struct codec *codec) {
    struct encoder *encoder = mem_zalloc(sizeof *encoder, encoder_free);
    if (encoder == NULL) return ENOMEM;
    encoder->codec = codec;
    resampler_init(&encoder->resampler, DEVICE_RATE / codec->rate);
    bool is_made = true;
    if (codec == &codecs[OPUS]) {
        encoder->opus = opus_encoder_create(DEVICE_RATE, 1, OPUS_APPLICATION_VOIP, NULL);
        is_made = encoder->opus != NULL;
        if (is_made) {
            opus_encoder_ctl(encoder->opus, OPUS_SET_BITRATE(28000));
            opus_encoder_ctl(encoder->opus, OPUS_SET_COMPLEXITY(5));
            opus_encoder_ctl(encoder->opus, OPUS_SET_INBAND_FEC(1));
            opus_encoder_ctl(encoder->opus, OPUS_SET_PACKET_LOSS_PERC(5));
        }
    } else if (codec == &codecs[G722]) {
        encoder->g722 = g722_encode_init(NULL, 64000, 0);
        is_made = encoder->g722 != NULL;
    }
    if (!is_made) {
        mem_deref(encoder);
        return ENOMEM;
    }
    *result = encoder;
    return 0;
}

static size_t encode_g711(const struct encoder *encoder, const int16_t *samples, size_t count, uint8_t *payload) {
    bool is_alaw = encoder->codec == &codecs[PCMA];
    for (size_t i = 0; i < count; i++) {
        // librem negates the sample, which INT16_MIN does not survive.
        int16_t sample = samples[i] == INT16_MIN ? -INT16_MAX : samples[i];
        payload[i] = is_alaw ? g711_pcm2alaw(sample) : g711_pcm2ulaw(sample);
    }
    return count;
}

size_t encoder_encode(struct encoder *encoder, const int16_t *frame, uint8_t *payload, size_t capacity) {
    static const int16_t silence[FRAME_SAMPLES];
    size_t coded = encoder->codec->rate * FRAME_MILLISECONDS / 1000;
    if (capacity < coded && encoder->opus == NULL) return 0;
    if (encoder->opus != NULL) {
        int length = opus_encode(encoder->opus, frame != NULL ? frame : silence, FRAME_SAMPLES, payload, (int)capacity);
        return length > 0 ? (size_t)length : 0;
    }
    int16_t samples[FRAME_SAMPLES];
    if (frame != NULL) {
        resampler_down(&encoder->resampler, frame, FRAME_SAMPLES, samples);
        frame = samples;
    } else {
        frame = silence;
    }
    if (encoder->g722 != NULL) return (size_t)g722_encode(encoder->g722, payload, frame, (int)coded);
    return encode_g711(encoder, frame, coded, payload);
}

// MARK: Decoding

static void decoder_free(void *argument) {
    struct decoder *decoder = argument;
    if (decoder->opus != NULL) opus_decoder_destroy(decoder->opus);
    if (decoder->g722 != NULL) g722_decode_free(decoder->g722);
}

int decoder_alloc(struct decoder **result, const struct codec *codec) {
    struct decoder *decoder = mem_zalloc(sizeof *decoder, decoder_free);
    if (decoder == NULL) return ENOMEM;
    decoder->codec = codec;
    resampler_init(&decoder->resampler, DEVICE_RATE / codec->rate);
    bool is_made = true;
    if (codec == &codecs[OPUS]) {
        decoder->opus = opus_decoder_create(DEVICE_RATE, 1, NULL);
        is_made = decoder->opus != NULL;
    } else if (codec == &codecs[G722]) {
        decoder->g722 = g722_decode_init(NULL, 64000, 0);
        is_made = decoder->g722 != NULL;
    }
    if (decoder->opus == NULL) concealer_init(&decoder->concealer, codec->rate);
    if (!is_made) {
        mem_deref(decoder);
        return ENOMEM;
    }
    *result = decoder;
    return 0;
}

size_t decoder_decode(struct decoder *decoder, const uint8_t *payload, size_t length, int16_t *samples) {
    if (length == 0 || length > MAXIMUM_PAYLOAD) return 0;
    if (decoder->opus != NULL) {
        int count = opus_decode(decoder->opus, payload, (opus_int32)length, samples, MAXIMUM_PACKET_SAMPLES, 0);
        return count > 0 ? (size_t)count : 0;
    }
    int16_t coded[MAXIMUM_CODED];
    size_t per_byte = decoder->g722 != NULL ? 2 : 1;
    size_t most = MAXIMUM_PACKET_SAMPLES / (DEVICE_RATE / decoder->codec->rate);
    if (length * per_byte > most) length = most / per_byte;
    size_t count = length * per_byte;
    if (decoder->g722 != NULL) {
        count = (size_t)g722_decode(decoder->g722, coded, payload, (int)length);
    } else {
        bool is_alaw = decoder->codec == &codecs[PCMA];
        for (size_t i = 0; i < length; i++) coded[i] = is_alaw ? g711_alaw2pcm(payload[i]) : g711_ulaw2pcm(payload[i]);
    }
    concealer_take(&decoder->concealer, coded, count);
    return resampler_up(&decoder->resampler, coded, count, samples);
}

size_t decoder_conceal(struct decoder *decoder, const uint8_t *next, size_t length, int16_t *samples) {
    if (decoder->opus != NULL) {
        bool has_next = next != NULL && length > 0 && length <= MAXIMUM_PAYLOAD;
        int count = opus_decode(decoder->opus, has_next ? next : NULL, has_next ? (opus_int32)length : 0, samples,
                                FRAME_SAMPLES, has_next);
        return count > 0 ? (size_t)count : 0;
    }
    int16_t coded[MAXIMUM_CODED];
    size_t count = decoder->codec->rate * FRAME_MILLISECONDS / 1000;
    concealer_make(&decoder->concealer, coded, count);
    return resampler_up(&decoder->resampler, coded, count, samples);
}
