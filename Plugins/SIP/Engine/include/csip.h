// CSIP: SIP accounts and their calls, on libre and librem.
//
// One thread runs all of it. Every function may be called from any thread and returns at once, csip_start and csip_stop
// excepted; what follows comes as events. Texts are UTF-8, end with a zero, and are copied; a text that is missing is NULL.

#ifndef CSIP_H
#define CSIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum csip_transport { CSIP_UDP, CSIP_TCP, CSIP_TLS };

/// How the sound of an account's calls is encrypted.
enum csip_encryption {
    /// Not at all.
    CSIP_ENCRYPTION_OFF,
    /// By SDES or DTLS if the far side can, as it asks for; else not at all.
    CSIP_ENCRYPTION_PREFERRED,
    /// By SDES or DTLS as the far side asks for; offered is SDES. Other calls are refused.
    CSIP_ENCRYPTION_REQUIRED,
    /// By DTLS. Other calls are refused.
    CSIP_ENCRYPTION_DTLS,
};

struct csip_account {
    /// The caller's number of the account.
    uint32_t id;
    /// The address of record, `alice@example.org`, in its parts.
    const char *user, *domain;
    const char *display_name;
    /// The name for authentication; NULL means `user`.
    const char *auth_user;
    const char *password;
    /// A UUID, which never changes (RFC 5626: the instance id). The contact's user follows from it.
    const char *instance;
    /// The outbound proxy as a SIP URI, `sip:proxy.example.org:5061;transport=tls`; NULL means that the domain is looked up.
    const char *proxy;
    enum csip_transport transport;
    enum csip_encryption encryption;
    /// `host` or `host:port`; NULL means none. With either of them, ICE is used.
    const char *stun_server, *turn_server;
    const char *turn_user, *turn_password;
    /// Names in the order of preference, with a comma between them: `opus,G722,PCMA,PCMU`; NULL means all.
    const char *codecs;
    /// For how long a registration is asked, in seconds.
    uint32_t expires;
    /// Whether CSIP_TRACE events are wanted.
    bool is_traced;
};

enum csip_event_kind {
    /// The account is registered. `code` is 200, `seconds` how long it lasts.
    CSIP_REGISTERED,
    /// The account is not registered. `code` is the response's, or 0: then `error` says why (EPROTO: TLS was not verified or
    /// failed). After a 401, 403 or 407 to an answered challenge it is not tried again until csip_account_put.
    CSIP_NOT_REGISTERED,
    /// A new call comes in: `identity`; `is_trusted` if our server says so. Nothing has been answered but 100.
    CSIP_INCOMING,
    /// A provisional response, 100 among them: `code`; `has_media` while early media comes. Is told once until it is
    /// another one, and again with the same code when early media begins or has stopped for two seconds.
    CSIP_PROGRESS,
    /// The far side has answered our call, or has acknowledged our answer; the answer's CSIP_DONE comes just before.
    CSIP_CONNECTED,
    /// What stands about the media has changed: `codec`, `encryption`, `is_remote_held`.
    CSIP_MEDIA,
    /// The far side has pressed a key: `text`.
    CSIP_DIGIT,
    /// The call has ended and its number is free; if it waited for the end of csip_call_answer, it waits no more. `code` of
    /// the final response, or 0 and `error` (0: BYE or CANCEL); `reason` has the values of Reason headers, with a comma
    /// between them.
    CSIP_ENDED,
    /// The command with `token` is done: `error` is 0 or an errno, `code` the response that refused it.
    CSIP_DONE,
    /// The far side asks that we go on with somebody else (REFER): `text` is the value of Refer-To. Take it or refuse it
    /// with csip_call_take_transfer.
    CSIP_TRANSFER_REQUESTED,
    /// The far side of the call is another one now (INVITE with Replaces): `identity`, `is_trusted`. A call that was
    /// connected is, as before; if it was held by us it is held again. One that rang at the far side is connected soon.
    CSIP_REPLACED,
    /// The far side says within the call who it is (INVITE, UPDATE): `identity`, `is_trusted`.
    CSIP_IDENTIFIED,
    /// Every five seconds of a call: `round_trip`, `jitter`, `loss`.
    CSIP_QUALITY,
    /// A SIP message that was sent or received: `text`; `is_sent`. It has identities and secrets.
    CSIP_TRACE,
    /// Something that people who look for a fault want to know: `text`.
    CSIP_NOTE,
};

/// What has happened. The texts last until the handler returns. What the kind does not name is zero.
struct csip_event {
    enum csip_event_kind kind;
    uint32_t account;
    uint64_t call;
    uint64_t token;
    int error;
    uint16_t code;
    uint32_t seconds;
    /// `identity` is the headers of an INVITE or UPDATE that say who calls, `Name: value`, each with a line end: Privacy, From,
    /// P-Asserted-Identity, Remote-Party-ID, P-Preferred-Identity, Diversion and History-Info.
    const char *identity, *reason, *codec, *encryption, *text;
    bool has_media, is_remote_held, is_sent, is_trusted;
    /// Milliseconds; a negative one is not known.
    double round_trip, jitter;
    /// The share of packets that the last five seconds lost, 0 to 1; a negative one is not known.
    double loss;
};

/// Is called on the engine's thread.
typedef void csip_handler(const struct csip_event *event, void *context);

/// Starts the thread. Certificates are checked against the system's authorities (SSL_CERT_FILE, SSL_CERT_DIR).
/// @returns 0 or an errno.
int csip_start(const char *software, csip_handler *handler, void *context);

/// Ends all calls and registrations, waits for the answers for at most `milliseconds`, and ends the thread. No event comes
/// after it.
void csip_stop(uint32_t milliseconds);

/// Adds an account and registers it, or replaces the one with this id. Calls of a replaced account end.
void csip_account_put(const struct csip_account *account);

/// Ends the account's calls and its registration.
void csip_account_remove(uint32_t id);

/// Registers all accounts anew and moves calls to the present addresses. The engine sees changes of addresses, and that the
/// machine has slept, by itself.
void csip_network_changed(void);

/// Calls `uri`. `call` is a number below 2^63 that is not in use; those of incoming calls are above.
/// @param is_anonymous whether the far side is not to see who calls (RFC 3323, 4.1; RFC 3325, 9.3).
void csip_call_start(uint32_t account, uint64_t call, const char *uri, bool is_anonymous);

/// Says 180 Ringing to the caller.
void csip_call_ring(uint64_t call);

void csip_call_answer(uint64_t call, uint64_t token);

/// Rejects with `code` an incoming call that was not answered, and cancels or ends any other.
void csip_call_end(uint64_t call, uint16_t code);

void csip_call_hold(uint64_t call, bool is_held, uint64_t token);

/// Sends silence in place of the microphone.
void csip_call_mute(uint64_t call, bool is_muted);

/// Sends touch tones (RFC 4733) out of 0-9, *, #, A-D; a comma is a pause of two seconds. Done when the last one is sent.
void csip_call_send_digits(uint64_t call, const char *digits, uint64_t token);

/// Puts a call into a conference; calls with the same number hear each other. 0 is none.
void csip_call_group(uint64_t call, uint64_t group);

/// Connects the far side with `uri` (RFC 3515). Done when the far side says how it went.
void csip_call_transfer(uint64_t call, const char *uri, uint64_t token);

/// Connects the far sides of two calls with each other (RFC 5589). Done when the far side says how it went.
void csip_call_transfer_to(uint64_t call, uint64_t other, uint64_t token);

/// Says to the far side that the user is asked whether to go on with `uri` (202), in place of the call `replaces` (the
/// value of a Replaces header, or NULL); or refuses with `code` if `uri` is NULL, and the request is over then.
void csip_call_take_transfer(uint64_t call, const char *uri, const char *replaces, uint16_t code);

/// Answers a transfer that was taken. If accepted, done when the new far side has answered: the call goes on with it. The far
/// side may have left meanwhile; then a refusal or a failure ends the call.
void csip_call_answer_transfer(uint64_t call, bool is_accepted, uint64_t token);

/// Opens or closes the microphone and the speaker; a NULL device is the default one. While they are closed silence is sent.
void csip_audio(bool is_on, const char *source, const char *sink);

#endif
