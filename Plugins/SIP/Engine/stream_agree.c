// What is offered, and what two descriptions agree on (RFC 3264).

#include "handshake.h"
#include "path.h"
#include "stream_private.h"

#include <string.h>

enum {
    EVENT_NUMBER = 101,
    /// Timestamps of touch tones count as those of the sound (RFC 4733, 2.1), so that Opus needs a second number: the
    /// one of browsers. Twinkle 1.10 takes the last number for touch tones, whatever its clock, and plays those from 96
    /// to 105 as the codecs for which it uses them itself.
    WIDE_EVENT_NUMBER = 110,
    EVENT_CLOCK = 8000,
};

static const char event_name[] = "telephone-event";

static bool is_event(const struct description_format *format) {
    return str_casecmp(format->name, event_name) == 0;
}

static const struct codec *codec_of(const struct description_format *format) {
    return codec_find(format->name, format->clock, format->channels);
}

static const struct description_format *find_codec(const struct description *description, const struct codec *codec) {
    for (size_t i = 0; i < description->format_count; i++) {
        if (codec_of(&description->formats[i]) == codec) return &description->formats[i];
    }
    return NULL;
}

// MARK: Agreeing

// An answer's order is the far side's, an offer is answered in the account's.
static const struct description_format *choose_codec(const struct stream *stream, const struct description *theirs,
                                                     bool is_offer, const struct codec **codec) {
    const struct codec *list[MAXIMUM_CODECS];
    size_t count = codec_list(stream->policy.codecs, list, MAXIMUM_CODECS);
    const struct description_format *chosen = NULL;
    for (size_t i = 0; is_offer && chosen == NULL && i < count; i++) chosen = find_codec(theirs, *codec = list[i]);
    for (size_t i = 0; !is_offer && chosen == NULL && i < theirs->format_count; i++) {
        *codec = codec_of(&theirs->formats[i]);
        if (*codec != NULL && find_codec(stream->written, *codec) != NULL) chosen = &theirs->formats[i];
    }
    return chosen;
}

static void choose_event(const struct description *theirs, const struct description *ours, struct agreement *result) {
    const struct description_format *best = NULL;
    for (size_t i = 0; i < theirs->format_count; i++) {
        const struct description_format *format = &theirs->formats[i];
        if (!is_event(format) || (format->clock != EVENT_CLOCK && format->clock != result->codec->clock)) continue;
        if (best == NULL || format->clock == result->codec->clock) best = format;
    }
    result->event_clock = 0;
    if (best == NULL) return;
    result->send_event = result->receive_event = best->payload;
    result->event_clock = best->clock;
    for (size_t i = 0; ours != NULL && i < ours->format_count; i++) {
        bool is_same = is_event(&ours->formats[i]) && ours->formats[i].clock == best->clock;
        if (is_same) result->receive_event = ours->formats[i].payload;
    }
}

static bool is_secure_profile(enum profile profile) {
    return profile != PROFILE_AVP && profile != PROFILE_AVPF;
}

static const struct description_key *choose_key(const struct stream *stream, const struct description *theirs,
                                                bool is_offer) {
    for (size_t i = 0; i < theirs->key_count; i++) {
        if (is_offer) return &theirs->keys[i];
        for (size_t j = 0; j < stream->written->key_count; j++) {
            const struct description_key *ours = &stream->written->keys[j];
            if (ours->tag == theirs->keys[i].tag && ours->suite == theirs->keys[i].suite) return &theirs->keys[i];
        }
    }
    return NULL;
}

static int choose_keying(const struct stream *stream, const struct description *theirs, bool is_offer,
                         struct agreement *result) {
    enum csip_encryption policy = stream->policy.encryption;
    bool is_dtls_profile = theirs->profile == PROFILE_TLS_SAVP || theirs->profile == PROFILE_TLS_SAVPF;
    bool may_sdes = policy == CSIP_ENCRYPTION_PREFERRED || policy == CSIP_ENCRYPTION_REQUIRED;
    bool may_dtls = policy != CSIP_ENCRYPTION_OFF;
    if (!is_offer) {
        may_sdes = stream->written->key_count > 0;
        may_dtls = stream->written->has_fingerprint;
    }
    const struct description_key *key = may_sdes && !is_dtls_profile ? choose_key(stream, theirs, is_offer) : NULL;
    result->keying = KEYING_NONE;
    if (key != NULL) {
        result->keying = KEYING_SDES;
        result->key = *key;
    } else if (may_dtls && theirs->has_fingerprint) {
        result->keying = KEYING_DTLS;
    }
    bool is_required = policy == CSIP_ENCRYPTION_REQUIRED || policy == CSIP_ENCRYPTION_DTLS;
    if (result->keying == KEYING_NONE && (is_required || is_secure_profile(theirs->profile))) return ENOTSUP;
    if (policy == CSIP_ENCRYPTION_DTLS && result->keying != KEYING_DTLS) return ENOTSUP;
    return 0;
}

int stream_agree(const struct stream *stream, const struct description *theirs, bool is_offer,
                 struct agreement *result) {
    memset(result, 0, sizeof *result);
    const struct description_format *format = choose_codec(stream, theirs, is_offer, &result->codec);
    if (format == NULL) return ENOTSUP;
    result->send_payload = result->receive_payload = format->payload;
    if (!is_offer) {
        const struct description_format *ours = find_codec(stream->written, result->codec);
        if (ours != NULL) result->receive_payload = ours->payload;
    }
    choose_event(theirs, is_offer ? NULL : stream->written, result);
    result->profile = theirs->profile;
    result->remote_direction = theirs->direction;
    // Who holds wants to receive nothing. An address of zeros is the old way to say so (RFC 2543); with ICE it says
    // nothing.
    bool has_ice = *theirs->ice_user != '\0' && theirs->candidate_count > 0;
    result->is_remote_held = !(theirs->direction & SDP_RECVONLY) || (!has_ice && sa_is_any(&theirs->address));
    return choose_keying(stream, theirs, is_offer, result);
}

// MARK: Describing

static void add_format(struct description *ours, const char *name, uint8_t payload, uint32_t clock, uint8_t channels,
                       const char *parameters) {
    struct description_format *format = &ours->formats[ours->format_count++];
    format->payload = payload;
    format->clock = clock;
    format->channels = channels;
    str_ncpy(format->name, name, sizeof format->name);
    str_ncpy(format->parameters, parameters != NULL ? parameters : "", sizeof format->parameters);
}

static void add_codec(struct description *ours, const struct codec *codec, uint8_t payload) {
    add_format(ours, codec->name, payload, codec->clock, codec->channels, codec->parameters);
}

// Numbers do not change their meaning during a call.
static void add_offered_formats(const struct stream *stream, struct description *ours) {
    const struct codec *list[MAXIMUM_CODECS];
    size_t count = codec_list(stream->policy.codecs, list, MAXIMUM_CODECS);
    const struct agreement *agreement = stream->has_agreement ? &stream->agreement : NULL;
    uint32_t event_clock = agreement != NULL ? agreement->event_clock : 0;
    bool has_wide = false;
    for (size_t i = 0; i < count; i++) {
        bool is_agreed = agreement != NULL && agreement->codec == list[i];
        add_codec(ours, list[i], is_agreed ? agreement->receive_payload : list[i]->payload);
        if (list[i]->clock != EVENT_CLOCK) has_wide = true;
    }
    uint8_t number = event_clock == EVENT_CLOCK ? agreement->receive_event : EVENT_NUMBER;
    uint8_t wide = event_clock > EVENT_CLOCK ? agreement->receive_event : WIDE_EVENT_NUMBER;
    if (number == wide) wide = number == EVENT_NUMBER ? WIDE_EVENT_NUMBER : EVENT_NUMBER;
    add_format(ours, event_name, number, EVENT_CLOCK, 1, "0-15");
    if (has_wide) add_format(ours, event_name, wide, 48000, 1, "0-15");
}

static void add_keys(const struct stream *stream, struct description *ours) {
    static const enum srtp_suite suites[] = {SRTP_AES_CM_128_HMAC_SHA1_80, SRTP_AES_CM_128_HMAC_SHA1_32};
    for (size_t i = 0; i < ARRAY_SIZE(suites); i++) {
        struct description_key *key = &ours->keys[ours->key_count++];
        key->tag = (uint32_t)i + 1;
        key->suite = suites[i];
        memcpy(key->key, stream->keys[i], SRTP_KEY_LENGTH);
    }
}

static enum sdp_dir wanted_direction(const struct stream *stream) {
    if (!stream->is_held) return SDP_SENDRECV;
    return stream->has_agreement && stream->agreement.is_remote_held ? SDP_INACTIVE : SDP_SENDONLY;
}

static enum keying offered_keying(const struct stream *stream) {
    if (stream->has_agreement) return stream->agreement.keying;
    if (stream->policy.encryption == CSIP_ENCRYPTION_DTLS) return KEYING_DTLS;
    bool is_plain = stream->policy.encryption == CSIP_ENCRYPTION_OFF || stream->has_given_up_encryption;
    return is_plain ? KEYING_NONE : KEYING_SDES;
}

static void describe(struct stream *stream, struct description *ours) {
    ours->session = stream->session;
    ours->version = ++stream->version;
    ours->address = stream->local;
    sa_set_port(&ours->address, transport_port(stream->transport));
}

// The lines of a description stay what they are for as long as the session lasts (RFC 3264, section 8).
static void add_lines(struct description *ours, const struct description *theirs) {
    memcpy(ours->media, theirs->media, sizeof ours->media);
    ours->media_count = theirs->media_count;
    ours->audio_index = theirs->audio_index;
}

int stream_describe_offer(struct stream *stream, struct description *ours) {
    static const enum profile profiles[] = {PROFILE_AVP, PROFILE_SAVP, PROFILE_TLS_SAVPF};
    enum keying keying = offered_keying(stream);
    describe(stream, ours);
    ours->profile = stream->has_agreement ? stream->agreement.profile : profiles[keying];
    ours->direction = wanted_direction(stream);
    ours->is_muxed = true;
    if (stream->has_agreement) add_lines(ours, stream->taken);
    add_offered_formats(stream, ours);
    if (keying == KEYING_SDES) add_keys(stream, ours);
    int error = keying == KEYING_DTLS ? handshake_describe(&stream->handshake, stream, ours, true) : 0;
    if (error == 0 && stream->path != NULL) error = path_describe(stream->path, ours, true);
    return error;
}

int stream_describe_final_offer(struct stream *stream, struct description *ours) {
    int error = stream_describe_offer(stream, ours);
    // Who does not know the keys leaves them out of the answer.
    bool is_choice = !stream->has_agreement && stream->policy.encryption == CSIP_ENCRYPTION_PREFERRED;
    if (is_choice && ours->profile == PROFILE_SAVP) ours->profile = PROFILE_AVP;
    return error;
}

int stream_describe_answer(struct stream *stream, struct description *ours) {
    const struct description *theirs = stream->taken;
    const struct agreement *agreement = &stream->agreement;
    describe(stream, ours);
    ours->profile = agreement->profile;
    add_lines(ours, theirs);
    ours->is_muxed = theirs->is_muxed;
    // We send where they receive, and the other way round.
    enum sdp_dir mirrored = SDP_INACTIVE;
    if (agreement->remote_direction & SDP_SENDONLY) mirrored |= SDP_RECVONLY;
    if (agreement->remote_direction & SDP_RECVONLY) mirrored |= SDP_SENDONLY;
    ours->direction = wanted_direction(stream) & mirrored;
    if (stream->is_held) ours->direction = mirrored & SDP_SENDONLY;
    add_codec(ours, agreement->codec, agreement->receive_payload);
    if (agreement->event_clock != 0) {
        add_format(ours, event_name, agreement->receive_event, agreement->event_clock, 1, "0-15");
    }
    if (agreement->keying == KEYING_SDES) {
        ours->keys[ours->key_count++] = agreement->key;
        const uint8_t *key = stream->keys[agreement->key.suite == SRTP_AES_CM_128_HMAC_SHA1_32];
        memcpy(ours->keys[0].key, key, SRTP_KEY_LENGTH);
    }
    int error = agreement->keying == KEYING_DTLS ? handshake_describe(&stream->handshake, stream, ours, false) : 0;
    if (error == 0 && path_is_used(stream->path)) error = path_describe(stream->path, ours, false);
    return error;
}
