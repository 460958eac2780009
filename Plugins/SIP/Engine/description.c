// Reading and writing SDP, within fixed bounds: it comes from outside.

#include "description.h"

#include <stdlib.h>
#include <string.h>

enum { MAXIMUM_LENGTH = 32768 };

static const char *const profiles[] = {
    "", "RTP/AVP", "RTP/AVPF", "RTP/SAVP", "RTP/SAVPF", "UDP/TLS/RTP/SAVP", "UDP/TLS/RTP/SAVPF",
};
static const char *const setups[] = {"", "actpass", "active", "passive"};

/// Where the reader is.
struct reader {
    struct description *description;
    bool is_in_media, is_in_audio, has_audio, has_address, has_strange_address;
    /// How many lines of sound come before the one that is read.
    unsigned to_pass;
    /// Of the session as a whole; the sound's own counts for more.
    struct sa address;
    uint16_t port;
};

const struct description_format *description_format(const struct description *description, uint8_t payload) {
    for (size_t i = 0; i < description->format_count; i++) {
        if (description->formats[i].payload == payload) return &description->formats[i];
    }
    return NULL;
}

static struct description_format *format_of(struct description *description, const struct pl *payload) {
    return (struct description_format *)(uintptr_t)description_format(description, (uint8_t)pl_u32(payload));
}

// Takes the text before the next space off `rest`.
static struct pl next_word(struct pl *rest) {
    while (rest->l > 0 && *rest->p == ' ') pl_advance(rest, 1);
    struct pl word = {rest->p, 0};
    while (word.l < rest->l && word.p[word.l] != ' ') word.l++;
    pl_advance(rest, (ssize_t)word.l);
    return word;
}

static bool is_number(const struct pl *text, uint32_t most) {
    if (text->l == 0 || text->l > 9) return false;
    for (size_t i = 0; i < text->l; i++) {
        if (text->p[i] < '0' || text->p[i] > '9') return false;
    }
    return pl_u32(text) <= most;
}

// MARK: Reading

// Numbers that need no rtpmap (RFC 3551).
static void name_static_format(struct description_format *format) {
    static const struct description_format known[] = {
        {.payload = 0, .name = "PCMU"}, {.payload = 8, .name = "PCMA"}, {.payload = 9, .name = "G722"}};
    for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
        if (known[i].payload == format->payload) str_ncpy(format->name, known[i].name, sizeof format->name);
    }
    format->clock = 8000;
    format->channels = 1;
}

static void read_formats(struct description *description, struct pl rest) {
    while (description->format_count < MAXIMUM_FORMATS) {
        struct pl word = next_word(&rest);
        if (word.l == 0) return;
        if (!is_number(&word, 127) || format_of(description, &word) != NULL) continue;
        struct description_format *format = &description->formats[description->format_count++];
        format->payload = (uint8_t)pl_u32(&word);
        name_static_format(format);
    }
}

// m=audio 49170 RTP/AVP 0 8 101
static int read_media(struct reader *reader, struct pl value) {
    struct description *description = reader->description;
    struct pl name = next_word(&value), port = next_word(&value), protocol = next_word(&value), formats = value;
    struct pl format = next_word(&value);
    reader->is_in_media = true;
    reader->is_in_audio = false;
    if (description->media_count == MAXIMUM_MEDIA_LINES) return ENOTSUP;
    struct description_media *media = &description->media[description->media_count++];
    if (name.l == 0 || format.l == 0 || name.l >= sizeof media->name || protocol.l >= sizeof media->protocol ||
        format.l >= sizeof media->format)
        return EBADMSG;
    pl_strcpy(&name, media->name, sizeof media->name);
    pl_strcpy(&protocol, media->protocol, sizeof media->protocol);
    pl_strcpy(&format, media->format, sizeof media->format);
    // A number of ports may follow.
    for (size_t i = 0; i < port.l; i++) {
        if (port.p[i] == '/') port.l = i;
    }
    if (!is_number(&port, 65535)) return EBADMSG;
    if (reader->has_audio || pl_strcmp(&name, "audio") != 0 || pl_u32(&port) == 0) return 0;
    enum profile profile = PROFILE_UNKNOWN;
    for (size_t i = 1; i < ARRAY_SIZE(profiles); i++) {
        if (pl_strcasecmp(&protocol, profiles[i]) == 0) profile = (enum profile)i;
    }
    if (profile == PROFILE_UNKNOWN || reader->to_pass-- > 0) return 0;
    description->profile = profile;
    reader->is_in_audio = reader->has_audio = true;
    reader->port = (uint16_t)pl_u32(&port);
    description->audio_index = description->media_count - 1;
    read_formats(description, formats);
    return 0;
}

// c=IN IP4 192.0.2.1/127
static void read_connection(struct reader *reader, struct pl value) {
    struct pl net = next_word(&value), family = next_word(&value), address = next_word(&value);
    for (size_t i = 0; i < address.l; i++) {
        if (address.p[i] == '/') address.l = i;
    }
    bool is_known = pl_strcasecmp(&net, "IN") == 0
        && (pl_strcasecmp(&family, "IP4") == 0 || pl_strcasecmp(&family, "IP6") == 0);
    // Names are not looked up: a description must not make this machine ask for them.
    reader->has_address = is_known && sa_set(&reader->address, &address, 0) == 0;
    reader->has_strange_address = !reader->has_address;
}

// rtpmap:96 opus/48000/2
static void read_rtpmap(struct description *description, struct pl value) {
    struct pl payload = next_word(&value), name, clock, channels = PL_INIT, rest = next_word(&value);
    if (!is_number(&payload, 127)) return;
    struct description_format *format = format_of(description, &payload);
    if (format == NULL) return;
    if (re_regex(rest.p, rest.l, "[^/]+/[0-9]+[/]*[0-9]*", &name, &clock, NULL, &channels) != 0) return;
    if (name.l >= sizeof format->name || !is_number(&clock, 192000)) return;
    pl_strcpy(&name, format->name, sizeof format->name);
    format->clock = pl_u32(&clock);
    format->channels = is_number(&channels, 8) && pl_u32(&channels) > 0 ? (uint8_t)pl_u32(&channels) : 1;
}

static void read_parameters(struct description *description, struct pl value) {
    struct pl payload = next_word(&value);
    struct description_format *format = is_number(&payload, 127) ? format_of(description, &payload) : NULL;
    if (format == NULL || value.l < 2 || value.l > sizeof format->parameters) return;
    pl_advance(&value, 1);
    pl_strcpy(&value, format->parameters, sizeof format->parameters);
}

// crypto:1 AES_CM_128_HMAC_SHA1_80 inline:BASE64|2^31
static void read_key(struct description *description, struct pl value) {
    struct pl tag = next_word(&value), suite = next_word(&value), key = next_word(&value), more = next_word(&value);
    // Session parameters change what is sent, and none of them is known here.
    if (description->key_count == MAXIMUM_KEYS || !is_number(&tag, 999999999) || more.l > 0) return;
    struct description_key *result = &description->keys[description->key_count];
    if (pl_strcasecmp(&suite, "AES_CM_128_HMAC_SHA1_80") == 0) result->suite = SRTP_AES_CM_128_HMAC_SHA1_80;
    else if (pl_strcasecmp(&suite, "AES_CM_128_HMAC_SHA1_32") == 0) result->suite = SRTP_AES_CM_128_HMAC_SHA1_32;
    else return;
    if (key.l < 7 || strncasecmp(key.p, "inline:", 7) != 0) return;
    pl_advance(&key, 7);
    size_t length = 0;
    while (length < key.l && key.p[length] != '|' && key.p[length] != ';') length++;
    // With several keys, or one that packets name, each packet says which.
    const char *rest = key.p + length;
    if (memchr(rest, ':', key.l - length) != NULL || memchr(rest, ';', key.l - length) != NULL) return;
    uint8_t bytes[64];
    size_t size = sizeof bytes;
    if (length > 64 || base64_decode(key.p, length, bytes, &size) != 0 || size != SRTP_KEY_LENGTH) return;
    memcpy(result->key, bytes, SRTP_KEY_LENGTH);
    result->tag = pl_u32(&tag);
    description->key_count += 1;
}

static int hex_digit(char digit) {
    if (digit >= '0' && digit <= '9') return digit - '0';
    if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
    if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
    return -1;
}

// fingerprint:sha-256 4A:AD:…
static void read_fingerprint(struct description *description, struct pl value) {
    struct pl hash = next_word(&value), text = next_word(&value);
    if (pl_strcasecmp(&hash, "sha-256") != 0 || text.l != FINGERPRINT_LENGTH * 3 - 1) return;
    for (size_t i = 0; i < FINGERPRINT_LENGTH; i++) {
        int high = hex_digit(text.p[i * 3]), low = hex_digit(text.p[i * 3 + 1]);
        if (high < 0 || low < 0) return;
        description->fingerprint[i] = (uint8_t)(high << 4 | low);
    }
    description->has_fingerprint = true;
}

static void read_rtcp(struct reader *reader, struct pl value) {
    struct pl port = next_word(&value);
    next_word(&value);
    next_word(&value);
    struct pl address = next_word(&value);
    if (!is_number(&port, 65535) || pl_u32(&port) == 0) return;
    struct sa *rtcp = &reader->description->rtcp;
    if (address.l > 0 && sa_set(rtcp, &address, (uint16_t)pl_u32(&port)) == 0) return;
    // The address is the media's, which may not be known yet.
    sa_init(rtcp, AF_UNSPEC);
    sa_set_in(rtcp, 0, (uint16_t)pl_u32(&port));
}

static void read_candidate(struct description *description, struct pl value) {
    if (description->candidate_count == MAXIMUM_CANDIDATES || value.l >= sizeof description->candidates[0]) return;
    pl_strcpy(&value, description->candidates[description->candidate_count++], sizeof description->candidates[0]);
}

static bool read_direction(struct description *description, const struct pl *name) {
    static const enum sdp_dir directions[] = {SDP_INACTIVE, SDP_RECVONLY, SDP_SENDONLY, SDP_SENDRECV};
    for (size_t i = 0; i < ARRAY_SIZE(directions); i++) {
        if (pl_strcmp(name, sdp_dir_name(directions[i])) != 0) continue;
        description->direction = directions[i];
        return true;
    }
    return false;
}

// What may stand for the session as for the sound.
static void read_common_attribute(struct description *description, const struct pl *name, struct pl value) {
    if (read_direction(description, name)) return;
    if (pl_strcmp(name, "fingerprint") == 0) read_fingerprint(description, value);
    else if (pl_strcmp(name, "ice-lite") == 0) description->is_ice_lite = true;
    else if (pl_strcmp(name, "ice-mismatch") == 0) description->is_ice_mismatch = true;
    else if (pl_strcmp(name, "ice-ufrag") == 0)
        pl_strcpy(&value, description->ice_user, sizeof description->ice_user);
    else if (pl_strcmp(name, "ice-pwd") == 0)
        pl_strcpy(&value, description->ice_password, sizeof description->ice_password);
    else if (pl_strcmp(name, "setup") == 0) {
        for (size_t i = 1; i < ARRAY_SIZE(setups); i++) {
            if (pl_strcasecmp(&value, setups[i]) == 0) description->setup = (enum setup)i;
        }
    }
}

static void read_attribute(struct reader *reader, struct pl line) {
    struct description *description = reader->description;
    struct pl name = {line.p, 0}, value;
    while (name.l < line.l && line.p[name.l] != ':') name.l++;
    value = line;
    pl_advance(&value, (ssize_t)(name.l < line.l ? name.l + 1 : name.l));
    read_common_attribute(description, &name, value);
    if (!reader->is_in_audio) return;
    if (pl_strcmp(&name, "rtpmap") == 0) read_rtpmap(description, value);
    else if (pl_strcmp(&name, "fmtp") == 0) read_parameters(description, value);
    else if (pl_strcmp(&name, "crypto") == 0) read_key(description, value);
    else if (pl_strcmp(&name, "rtcp") == 0) read_rtcp(reader, value);
    else if (pl_strcmp(&name, "rtcp-mux") == 0) description->is_muxed = true;
    else if (pl_strcmp(&name, "candidate") == 0) read_candidate(description, value);
}

static int read_line(struct reader *reader, struct pl line) {
    if (line.l < 2 || line.p[1] != '=') return EBADMSG;
    char kind = *line.p;
    pl_advance(&line, 2);
    if (kind == 'm') return read_media(reader, line);
    if (reader->is_in_media && !reader->is_in_audio) return 0;
    if (kind == 'c') read_connection(reader, line);
    if (kind == 'a') read_attribute(reader, line);
    return 0;
}

static int finish(struct reader *reader) {
    struct description *description = reader->description;
    if (!reader->has_audio) return ENOENT;
    if (!reader->has_address) return reader->has_strange_address ? ENOTSUP : EBADMSG;
    description->address = reader->address;
    sa_set_port(&description->address, reader->port);
    uint16_t rtcp_port = reader->port < 65535 ? (uint16_t)(reader->port + 1) : 0;
    if (sa_port(&description->rtcp) != 0 && !sa_is_any(&description->rtcp)) return 0;
    if (sa_port(&description->rtcp) != 0) rtcp_port = sa_port(&description->rtcp);
    description->rtcp = reader->address;
    sa_set_port(&description->rtcp, rtcp_port);
    return 0;
}

int description_read(struct description *description, const char *text, size_t length, unsigned number) {
    memset(description, 0, sizeof *description);
    description->direction = SDP_SENDRECV;
    struct reader reader = {.description = description, .to_pass = number};
    if (length < 5 || length > MAXIMUM_LENGTH || memcmp(text, "v=0", 3) != 0) return EBADMSG;
    if (memchr(text, '\0', length) != NULL) return EBADMSG;
    while (length > 0) {
        const char *end = memchr(text, '\n', length);
        size_t size = end != NULL ? (size_t)(end - text) : length, step = end != NULL ? size + 1 : size;
        struct pl line = {text, size > 0 && text[size - 1] == '\r' ? size - 1 : size};
        int error = line.l > 0 ? read_line(&reader, line) : 0;
        if (error != 0) return error;
        text += step;
        length -= step;
    }
    return finish(&reader);
}

// MARK: Writing

static const char *family_name(const struct sa *address) {
    return sa_af(address) == AF_INET6 ? "IP6" : "IP4";
}

static int write_formats(struct mbuf *text, const struct description *description) {
    int error = 0;
    for (size_t i = 0; i < description->format_count; i++) {
        const struct description_format *format = &description->formats[i];
        error |= mbuf_printf(text, "a=rtpmap:%u %s/%u", format->payload, format->name, format->clock);
        if (format->channels > 1) error |= mbuf_printf(text, "/%u", format->channels);
        error |= mbuf_printf(text, "\r\n");
        if (*format->parameters == '\0') continue;
        error |= mbuf_printf(text, "a=fmtp:%u %s\r\n", format->payload, format->parameters);
    }
    return error | mbuf_printf(text, "a=ptime:20\r\n");
}

static int write_keys(struct mbuf *text, const struct description *description) {
    int error = 0;
    for (size_t i = 0; i < description->key_count; i++) {
        const struct description_key *key = &description->keys[i];
        char base64[64];
        size_t length = sizeof base64 - 1;
        error |= base64_encode(key->key, SRTP_KEY_LENGTH, base64, &length);
        base64[length] = '\0';
        error |= mbuf_printf(text, "a=crypto:%u AES_CM_128_HMAC_SHA1_%s inline:%s\r\n", key->tag,
                             key->suite == SRTP_AES_CM_128_HMAC_SHA1_32 ? "32" : "80", base64);
    }
    if (!description->has_fingerprint) return error;
    error |= mbuf_printf(text, "a=fingerprint:sha-256 ");
    for (size_t i = 0; i < FINGERPRINT_LENGTH; i++) {
        error |= mbuf_printf(text, "%s%02X", i > 0 ? ":" : "", description->fingerprint[i]);
    }
    return error | mbuf_printf(text, "\r\na=setup:%s\r\n", setups[description->setup]);
}

static int write_addresses(struct mbuf *text, const struct description *description) {
    int error = 0;
    const struct sa *rtcp = &description->rtcp;
    if (sa_isset(rtcp, SA_ALL)) {
        error |= mbuf_printf(text, "a=rtcp:%u IN %s %j\r\n", sa_port(rtcp), family_name(rtcp), rtcp);
    }
    if (description->is_muxed) error |= mbuf_printf(text, "a=rtcp-mux\r\n");
    if (*description->ice_user != '\0') {
        error |= mbuf_printf(text, "a=ice-ufrag:%s\r\n", description->ice_user);
        error |= mbuf_printf(text, "a=ice-pwd:%s\r\n", description->ice_password);
    }
    for (size_t i = 0; i < description->candidate_count; i++) {
        error |= mbuf_printf(text, "a=candidate:%s\r\n", description->candidates[i]);
    }
    return error;
}

static int write_audio(struct mbuf *text, const struct description *description) {
    int error = mbuf_printf(text, "m=audio %u %s", sa_port(&description->address), profiles[description->profile]);
    for (size_t i = 0; i < description->format_count; i++) {
        error |= mbuf_printf(text, " %u", description->formats[i].payload);
    }
    error |= mbuf_printf(text, "\r\n");
    error |= write_formats(text, description) | write_keys(text, description) | write_addresses(text, description);
    return error | mbuf_printf(text, "a=%s\r\n", sdp_dir_name(description->direction));
}

int description_write(struct mbuf **result, const struct description *description) {
    struct mbuf *text = mbuf_alloc(1024);
    if (text == NULL) return ENOMEM;
    const struct sa *address = &description->address;
    int error = mbuf_printf(text, "v=0\r\no=- %llu %llu IN %s %j\r\ns=-\r\nc=IN %s %j\r\nt=0 0\r\n",
                            (unsigned long long)description->session, (unsigned long long)description->version,
                            family_name(address), address, family_name(address), address);
    size_t count = description->media_count > 0 ? description->media_count : 1;
    for (size_t i = 0; i < count; i++) {
        const struct description_media *media = &description->media[i];
        if (i == description->audio_index) error |= write_audio(text, description);
        else error |= mbuf_printf(text, "m=%s 0 %s %s\r\n", media->name, media->protocol, media->format);
    }
    if (error != 0) {
        mem_deref(text);
        return ENOMEM;
    }
    text->pos = 0;
    *result = text;
    return 0;
}
