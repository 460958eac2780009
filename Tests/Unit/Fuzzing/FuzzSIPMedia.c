// Reads libFuzzer's input as what the far side of a SIP call sends: a description, or packets of sound.
#include "../../../Plugins/SIP/Engine/transport.c"

#include "handshake.h"
#include "stream_private.h"

#define DEBUG_MODULE "fuzz"
#define DEBUG_LEVEL 0
#include <re_dbg.h>
#include <stdlib.h>
#include <sys/socket.h>

enum { OFFER, ANSWER, PACKETS, KINDS, STREAMS = 3, MOST_FUZZED_PACKETS = 16, FRAMES = 4 };

/// One without encryption, one with SDES, one with ICE and DTLS.
static struct stream *streams[STREAMS];
static const struct stream_policy policies[STREAMS] = {
    {.encryption = CSIP_ENCRYPTION_OFF},
    {.encryption = CSIP_ENCRYPTION_PREFERRED},
    {.encryption = CSIP_ENCRYPTION_DTLS, .stun_server = "127.0.0.1:9"},
};
static const char *const offers[STREAMS] = {
    "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio 4000 RTP/AVP 0 101\r\n"
    "a=rtpmap:101 telephone-event/8000\r\n",
    "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio 4000 RTP/SAVP 0 101\r\n"
    "a=rtpmap:101 telephone-event/8000\r\n"
    "a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:YO7vHSNGE5yyDrejBYaCBsm1PIHBa1VcKNS+0ciM\r\n",
    "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio 4000 UDP/TLS/RTP/SAVPF 96 101\r\n"
    "a=rtpmap:96 opus/48000/2\r\na=rtpmap:101 telephone-event/48000\r\na=setup:active\r\na=rtcp-mux\r\n"
    "a=ice-ufrag:abcd\r\na=ice-pwd:abcdefghijklmnopqrstuv\r\na=candidate:1 1 UDP 2113929471 127.0.0.1 4000 typ host\r\n"
    "a=fingerprint:sha-256 9F:AA:CE:4F:3D:F8:9B:AB:94:B1:A9:ED:A4:E1:AD:00:"
    "9F:3C:41:33:42:1A:41:F5:B6:7A:CA:89:C4:D2:3B:68\r\n",
};
static const struct stream_handlers handlers;
static int sender;

static void stop(void *argument) {
    (void)argument;
    re_cancel();
}

// Lets the engine's loop take what has come.
static void run(uint64_t milliseconds) {
    struct tmr timer;
    tmr_init(&timer);
    tmr_start(&timer, milliseconds, stop, NULL);
    re_main(NULL);
    tmr_cancel(&timer);
}

static struct stream *make_stream(const struct stream_policy *policy, bool is_offerer) {
    struct stream *stream = NULL;
    struct sa local;
    if (sa_set_str(&local, "127.0.0.1", 0) != 0) abort();
    return stream_alloc(&stream, policy, is_offerer, &local, NULL, &handlers) == 0 ? stream : NULL;
}

static struct mbuf *text_of(const uint8_t *data, size_t size) {
    struct mbuf *text = mbuf_alloc(size + 1);
    if (text == NULL || mbuf_write_mem(text, data, size) != 0) abort();
    text->pos = 0;
    return text;
}

// What was agreed must be within bounds, and what we write must be a description.
static void check(struct stream *stream) {
    struct stream_state state;
    stream_state(stream, &state);
    if (stream->has_agreement && (stream->agreement.codec == NULL || strlen(state.codec) == 0)) abort();
}

static void fuzz_description(struct stream *stream, bool is_offer, const uint8_t *data, size_t size) {
    struct mbuf *theirs = text_of(data, size), *ours = NULL;
    if (!is_offer && stream_offer(stream, false, &ours) != 0) ours = NULL;
    ours = mem_deref(ours);
    int error = is_offer ? stream_take_offer(stream, theirs) : stream_take_answer(stream, theirs);
    check(stream);
    if (error == 0) {
        if (stream_answer(stream, &ours) == 0) {
            struct description *again = mem_zalloc(sizeof *again, NULL);
            if (again == NULL || description_read(again, (const char *)ours->buf, ours->end, 0) != 0) abort();
            mem_deref(again);
        }
        stream_establish(stream);
        for (int i = 0; i < FRAMES; i++) stream_hear(stream);
        stream_say(stream, NULL);
    }
    mem_deref(ours);
    mem_deref(theirs);
}

static void fuzz_new_stream(uint8_t choice, const uint8_t *data, size_t size) {
    bool is_offer = choice % KINDS == OFFER;
    struct stream *stream = make_stream(&policies[choice / KINDS % STREAMS], !is_offer);
    if (stream == NULL) return;
    fuzz_description(stream, is_offer, data, size);
    mem_deref(stream);
}

// Each packet has two bytes before it: where it goes to, and its length.
static void fuzz_packets(struct stream *stream, const uint8_t *data, size_t size) {
    for (int i = 0; i < MOST_FUZZED_PACKETS && size > 2; i++) {
        uint16_t port = (uint16_t)(transport_port(stream->transport) + (data[0] & 1));
        size_t length = data[1] < size - 2 ? data[1] : size - 2;
        struct sa to;
        sa_set_str(&to, "127.0.0.1", port);
        sendto(sender, data + 2, length, 0, &to.u.sa, to.len);
        data += length + 2;
        size -= length + 2;
    }
    // The number of packets in a second is bounded, which is not the point here.
    stream->transport->second = 0;
    stream->transport->packets_in_second = 0;
    run(0);
    for (int i = 0; i < FRAMES; i++) stream_hear(stream);
    stream_say(stream, NULL);
    struct stream_quality quality;
    stream_quality(stream, &quality);
    if (quality.loss > 1 || quality.round_trip > 60000) abort();
}

int LLVMFuzzerInitialize(int *count, char ***arguments) {
    (void)count; (void)arguments;
    dbg_init(DBG_EMERG, DBG_NONE);
    if (libre_init() != 0) abort();
    sender = socket(AF_INET, SOCK_DGRAM, 0);
    for (int i = 0; i < STREAMS; i++) {
        streams[i] = make_stream(&policies[i], false);
        if (streams[i] == NULL) abort();
    }
    run(2500);
    for (int i = 0; i < STREAMS; i++) {
        fuzz_description(streams[i], true, (const uint8_t *)offers[i], strlen(offers[i]));
        if (!streams[i]->has_agreement) abort();
    }
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 1) return 0;
    if (data[0] % KINDS == PACKETS) fuzz_packets(streams[data[0] / KINDS % STREAMS], data + 1, size - 1);
    else fuzz_new_stream(data[0], data + 1, size - 1);
    return 0;
}
