// A description of one call's sound (SDP, RFC 8866), ours or the far side's. Reading and writing only; what is agreed
// is decided elsewhere.

#ifndef CSIP_DESCRIPTION_H
#define CSIP_DESCRIPTION_H

#include "libre.h"

enum {
    MAXIMUM_FORMATS = 24,
    MAXIMUM_KEYS = 4,
    MAXIMUM_CANDIDATES = 32,
    MAXIMUM_MEDIA_LINES = 16,
    /// AES_CM_128: a key of 16 bytes and a salt of 14.
    SRTP_KEY_LENGTH = 30,
    FINGERPRINT_LENGTH = 32,
};

/// What carries the sound, after the `m=` line.
enum profile {
    PROFILE_UNKNOWN,
    PROFILE_AVP,
    PROFILE_AVPF,
    PROFILE_SAVP,
    PROFILE_SAVPF,
    PROFILE_TLS_SAVP,
    PROFILE_TLS_SAVPF,
};

/// Who begins the DTLS handshake (RFC 4145).
enum setup { SETUP_NONE, SETUP_ACTPASS, SETUP_ACTIVE, SETUP_PASSIVE };

struct description_format {
    uint8_t payload, channels;
    uint32_t clock;
    char name[20];
    char parameters[64];
};

/// A `crypto` attribute (RFC 4568).
struct description_key {
    uint32_t tag;
    enum srtp_suite suite;
    uint8_t key[SRTP_KEY_LENGTH];
};

/// An `m=` line. In an answer those that are not wanted are repeated with port 0.
struct description_media {
    char name[16], protocol[24], format[24];
};

struct description {
    /// Identify the description's maker and its version in the `o=` line.
    uint64_t session, version;
    /// Where RTP is wanted, and RTCP if that is not the port after it.
    struct sa address, rtcp;
    enum profile profile;
    /// As its writer sees it.
    enum sdp_dir direction;
    struct description_format formats[MAXIMUM_FORMATS];
    size_t format_count;
    struct description_key keys[MAXIMUM_KEYS];
    size_t key_count;
    /// The SHA-256 of the certificate.
    bool has_fingerprint;
    uint8_t fingerprint[FINGERPRINT_LENGTH];
    enum setup setup;
    bool is_muxed;
    /// The far side does not use ICE, as our address reached it changed.
    bool is_ice_lite, is_ice_mismatch;
    char ice_user[260], ice_password[260];
    char candidates[MAXIMUM_CANDIDATES][176];
    size_t candidate_count;
    /// All `m=` lines, and which one of them is the sound.
    struct description_media media[MAXIMUM_MEDIA_LINES];
    size_t media_count, audio_index;
};

/// Reads a description, and one of its lines of sound.
/// @param number which one, from 0, of those that are sound, are wanted (their port is not 0) and have a known profile.
/// @returns EBADMSG if it is no description; ENOTSUP if that sound cannot be had, or there are too many lines; ENOENT if
/// there is no such line.
int description_read(struct description *description, const char *text, size_t length, unsigned number);

/// Writes a description; the buffer is freed by mem_deref.
int description_write(struct mbuf **result, const struct description *description);

/// Finds a format by its number.
const struct description_format *description_format(const struct description *description, uint8_t payload);

#endif
