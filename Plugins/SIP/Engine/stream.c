// A stream as signalling sees it.

#include "handshake.h"
#include "path.h"
#include "mixer.h"

#include <string.h>

// MARK: News

// Handlers may free the stream, so they are called by a timer and never from inside of something. Whoever holds the
// stream has let go of it when the reference of this function is the only one left.
static void tell(void *argument) {
    struct stream *stream = mem_ref(argument);
    const struct stream_handlers handlers = stream->handlers;
    if (stream->has_ready) {
        stream->has_ready = false;
        stream->is_ready = stream->ready_error == 0;
        if (handlers.ready != NULL) handlers.ready(stream->ready_error, handlers.argument);
    }
    if (mem_nrefs(stream) > 1 && stream->has_changed) {
        stream->has_changed = false;
        if (handlers.changed != NULL) handlers.changed(handlers.argument);
    }
    if (mem_nrefs(stream) > 1 && stream->has_heard) {
        stream->has_heard = false;
        if (handlers.heard != NULL) handlers.heard(stream->is_heard, handlers.argument);
    }
    while (mem_nrefs(stream) > 1 && stream->digits_heard_count > 0) {
        char digit = stream->digits_heard[0];
        memmove(stream->digits_heard, stream->digits_heard + 1, --stream->digits_heard_count);
        if (handlers.digit != NULL) handlers.digit(digit, handlers.argument);
    }
    if (mem_nrefs(stream) > 1 && stream->has_sent_digits) {
        stream->has_sent_digits = false;
        if (handlers.digits_sent != NULL) handlers.digits_sent(handlers.argument);
    }
    if (mem_nrefs(stream) > 1 && stream->broken_error != 0) {
        int error = stream->broken_error;
        stream->broken_error = 0;
        if (handlers.broken != NULL) handlers.broken(error, handlers.argument);
    }
    mem_deref(stream);
}

static void post(struct stream *stream) {
    if (!tmr_isrunning(&stream->news)) tmr_start(&stream->news, 0, tell, stream);
}

void stream_post_ready(struct stream *stream, int error) {
    stream->has_ready = true;
    stream->ready_error = error;
    post(stream);
}

void stream_post_changed(struct stream *stream) {
    stream->has_changed = true;
    post(stream);
}

void stream_post_heard(struct stream *stream, bool is_heard) {
    if (stream->is_heard == is_heard) return;
    stream->is_heard = is_heard;
    stream->has_heard = true;
    post(stream);
}

void stream_post_digit(struct stream *stream, char digit) {
    if (stream->digits_heard_count == MAXIMUM_HEARD_DIGITS) return;
    stream->digits_heard[stream->digits_heard_count++] = digit;
    post(stream);
}

void stream_post_digits_sent(struct stream *stream) {
    stream->has_sent_digits = true;
    post(stream);
}

void stream_post_broken(struct stream *stream, int error) {
    if (stream->is_broken) return;
    stream->is_broken = true;
    stream->broken_error = error;
    post(stream);
}

// MARK: Life

static void stream_free(void *argument) {
    struct stream *stream = argument;
    tmr_cancel(&stream->news);
    mixer_remove(stream);
    mem_deref(stream->handshake);
    mem_deref(stream->path);
    mem_deref(stream->transport);
    mem_deref(stream->encoder);
    mem_deref(stream->decoder);
    jitter_flush(&stream->jitter);
    mem_deref(stream->written);
    mem_deref(stream->taken);
}

static bool is_known(const struct sa *source, void *argument) {
    const struct stream *stream = argument;
    return path_knows(stream->path, source);
}

static int open_transport(struct stream *stream, int family) {
    const struct transport_handlers handlers = {stream_take_rtp, stream_take_rtcp, is_known, stream};
    return transport_alloc(&stream->transport, family, &stream->reach, &handlers);
}

static int begin(struct stream *stream) {
    rtp_sender_init(&stream->sender);
    jitter_init(&stream->jitter);
    rand_bytes(stream->keys[0], sizeof stream->keys);
    // Below 2^62, as some read it as a signed number.
    stream->session = rand_u64() >> 2;
    stream->version = stream->session;
    rand_str(stream->name, sizeof stream->name);
    int error = open_transport(stream, sa_af(&stream->local));
    if (error != 0) return error;
    mixer_add(stream);
    if (!path_is_wanted(&stream->policy)) {
        stream_post_ready(stream, 0);
        return 0;
    }
    return path_alloc(&stream->path, stream);
}

int stream_alloc(struct stream **result, const struct stream_policy *policy, bool is_offerer, const struct sa *local,
                 struct dnsc *dns, const struct stream_handlers *handlers) {
    if (result == NULL || policy == NULL || local == NULL || handlers == NULL) return EINVAL;
    struct stream *stream = mem_zalloc(sizeof *stream, stream_free);
    if (stream == NULL) return ENOMEM;
    stream->policy = *policy;
    stream->handlers = *handlers;
    stream->is_offerer = is_offerer;
    stream->local = *local;
    stream->dns = dns;
    stream->round_trip = -1;
    int error = begin(stream);
    if (error != 0) mem_deref(stream);
    else *result = stream;
    return error;
}

// MARK: Descriptions

static int write_description(struct stream *stream, struct mbuf **text,
                             int (*describe)(struct stream *stream, struct description *ours)) {
    struct description *ours = mem_zalloc(sizeof *ours, NULL);
    if (ours == NULL) return ENOMEM;
    int error = describe(stream, ours);
    if (error == 0) error = description_write(text, ours);
    if (error != 0) {
        mem_deref(ours);
        return error;
    }
    mem_deref(stream->written);
    stream->written = ours;
    return 0;
}

int stream_offer(struct stream *stream, bool is_final, struct mbuf **description) {
    return write_description(stream, description, is_final ? stream_describe_final_offer : stream_describe_offer);
}

// Where the sound goes from now on, and by which keys.
static int connect_to(struct stream *stream) {
    const struct description *theirs = stream->taken;
    const struct agreement *agreement = &stream->agreement;
    if (!path_is_used(stream->path)) {
        transport_set_muxed(stream->transport, theirs->is_muxed);
        transport_set_remote(stream->transport, &theirs->address, &theirs->rtcp, false);
    }
    if (agreement->keying == KEYING_SDES) {
        const uint8_t *ours = stream->keys[agreement->key.suite == SRTP_AES_CM_128_HMAC_SHA1_32];
        return transport_set_keys(stream->transport, agreement->key.suite, ours, agreement->key.key);
    }
    transport_require_keys(stream->transport, agreement->keying == KEYING_DTLS);
    return 0;
}

// The far side may be reached by the other family of addresses only.
static int adapt_family(struct stream *stream, const struct description *theirs) {
    int family = sa_af(&theirs->address);
    struct sa local;
    if (family == transport_family(stream->transport) || sa_is_any(&theirs->address)) return 0;
    int error = transport_source(&theirs->address, &local);
    if (error != 0) return ENOTSUP;
    stream_move(stream, &local);
    return transport_family(stream->transport) == family ? 0 : ENOTSUP;
}

static bool is_same_state(const struct agreement *one, const struct agreement *other) {
    return one->codec == other->codec && one->keying == other->keying && one->is_remote_held == other->is_remote_held;
}

// Takes what was agreed for granted; from here on only a lack of memory is in the way.
static int take_over(struct stream *stream, struct description *theirs, const struct agreement *agreement,
                     bool is_offer) {
    bool is_same = stream->has_agreement && is_same_state(&stream->agreement, agreement);
    mem_deref(stream->taken);
    stream->taken = theirs;
    stream->agreement = *agreement;
    stream->has_agreement = true;
    reach_name(&stream->reach);
    re_snprintf(stream->codec_name, sizeof stream->codec_name, "%s/%u", agreement->codec->name, agreement->codec->rate);
    int error = stream_apply_codec(stream);
    if (error == 0 && stream->path != NULL) error = path_take(stream->path, theirs, is_offer);
    if (error == 0) error = connect_to(stream);
    if (error == 0 && agreement->keying == KEYING_DTLS) {
        error = handshake_take(&stream->handshake, stream, theirs, is_offer);
    }
    if (!is_same) stream_post_changed(stream);
    return error;
}

static bool is_reachable(const struct stream *stream, const struct sa *address) {
    struct sa local;
    return sa_is_any(address) || sa_af(address) == transport_family(stream->transport) ||
           transport_source(address, &local) == 0;
}

// How much a line of sound is wanted among those that can be had: what is encrypted before what is not, and in an answer
// the line that answers ours. 0 is for none.
static int rank(const struct stream *stream, const struct description *theirs, const struct agreement *agreement,
                bool is_offer) {
    if (is_offer) return agreement->keying != KEYING_NONE ? 2 : 1;
    return theirs->audio_index == stream->written->audio_index ? 2 : 1;
}

// Finds the line of sound that is taken (RFC 3264, section 6: each is accepted or refused on its own). The first of equal
// ones counts.
static int choose_line(const struct stream *stream, const struct mbuf *text, bool is_offer, struct description *theirs,
                       struct agreement *agreement) {
    struct description *line = mem_zalloc(sizeof *line, NULL);
    struct agreement found;
    if (line == NULL) return ENOMEM;
    int first_error = ENOTSUP, best = 0;
    for (unsigned number = 0; number < MAXIMUM_MEDIA_LINES; number++) {
        int error = description_read(line, (const char *)mbuf_buf(text), mbuf_get_left(text), number);
        if (error == ENOENT) break;
        if (error == 0) error = stream_agree(stream, line, is_offer, &found);
        if (error == 0 && is_offer && !is_reachable(stream, &line->address)) error = ENOTSUP;
        if (number == 0 && error != 0) first_error = error;
        if (error != 0 || rank(stream, line, &found, is_offer) <= best) continue;
        best = rank(stream, line, &found, is_offer);
        *theirs = *line;
        *agreement = found;
    }
    mem_deref(line);
    return best > 0 ? 0 : first_error;
}

static int take(struct stream *stream, struct mbuf *text, bool is_offer) {
    struct description *theirs = mem_zalloc(sizeof *theirs, NULL);
    if (theirs == NULL) return ENOMEM;
    struct agreement agreement;
    int error = choose_line(stream, text, is_offer, theirs, &agreement);
    if (error == 0 && is_offer) error = adapt_family(stream, theirs);
    if (error != 0) {
        mem_deref(theirs);
        return error;
    }
    return take_over(stream, theirs, &agreement, is_offer);
}

int stream_take_offer(struct stream *stream, struct mbuf *description) {
    return take(stream, description, true);
}

int stream_take_answer(struct stream *stream, struct mbuf *description) {
    return stream->written != NULL ? take(stream, description, false) : EBADMSG;
}

// Looks for the way that the answer allows.
static void look_for_way(struct stream *stream) {
    if (stream->path != NULL) path_start(stream->path);
    if (stream->agreement.keying == KEYING_DTLS) handshake_start(stream->handshake);
}

int stream_answer(struct stream *stream, struct mbuf **description) {
    if (!stream->has_agreement) return EBADMSG;
    int error = write_description(stream, description, stream_describe_answer);
    if (error == 0 && stream->reach.standing == REACH_OPEN) look_for_way(stream);
    return error;
}

bool stream_give_up_encryption(struct stream *stream) {
    if (stream->policy.encryption != CSIP_ENCRYPTION_PREFERRED || stream->has_given_up_encryption) return false;
    stream->has_given_up_encryption = true;
    return true;
}

// MARK: During the call

void stream_open(struct stream *stream, bool is_answered) {
    reach_set(&stream->reach, is_answered ? REACH_OPEN : REACH_EARLY);
    // Our answer was written already.
    if (stream->has_agreement && is_answered) look_for_way(stream);
}

void stream_establish(struct stream *stream) {
    stream_open(stream, true);
    stream->is_established = true;
}

void stream_hold(struct stream *stream, bool is_held) {
    stream->is_held = is_held;
}

void stream_mute(struct stream *stream, bool is_muted) {
    stream->is_muted = is_muted;
}

void stream_send_digits(struct stream *stream, const char *digits) {
    digits_append(&stream->digits, digits);
    if (!digits_are_pending(&stream->digits)) stream_post_digits_sent(stream);
}

void stream_set_group(struct stream *stream, uint64_t group) {
    stream->group = group;
}

void stream_succeed(struct stream *stream, const struct stream *other) {
    stream->is_muted = other->is_muted;
    stream->group = other->group;
    reach_inherit(&stream->reach, &other->reach);
}

void stream_move(struct stream *stream, const struct sa *local) {
    int family = sa_af(local);
    stream->local = *local;
    if (family != transport_family(stream->transport)) {
        struct transport *old = stream->transport;
        stream->handshake = mem_deref(stream->handshake);
        if (open_transport(stream, family) != 0) {
            stream->transport = old;
            return;
        }
        // A handshake begins anew, other keys last as long as the call.
        bool is_handshake = stream->has_agreement && stream->agreement.keying == KEYING_DTLS;
        if (!is_handshake) transport_inherit_keys(stream->transport, old);
        mem_deref(old);
        if (stream->has_agreement) connect_to(stream);
    }
    if (stream->path != NULL) path_restart(stream->path);
}

void stream_state(const struct stream *stream, struct stream_state *state) {
    static const char *const encryptions[] = {"none", "srtp-sdes", "srtp-dtls"};
    state->codec = stream->has_agreement ? stream->codec_name : "";
    state->encryption = stream->has_agreement ? encryptions[stream->agreement.keying] : "";
    state->is_remote_held = stream->has_agreement && stream->agreement.is_remote_held;
}

void stream_quality(struct stream *stream, struct stream_quality *quality) {
    struct rtp_receiver *receiver = &stream->receiver;
    uint32_t all = rtp_receiver_expected(receiver);
    uint32_t expected = all - receiver->told_expected, received = receiver->received - receiver->told_received;
    receiver->told_expected = all;
    receiver->told_received = receiver->received;
    quality->round_trip = stream->round_trip;
    quality->jitter = receiver->has_source ? receiver->jitter * 1000 : -1;
    quality->loss = -1;
    if (expected == 0 || expected > UINT32_MAX / 2) return;
    quality->loss = received >= expected ? 0 : (double)(expected - received) / expected;
}
