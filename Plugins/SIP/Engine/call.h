// Calls: what they are made of, their changes, their timers, and who calls.

#ifndef CSIP_CALL_H
#define CSIP_CALL_H

#include "dialog.h"
#include "stream.h"

enum call_state {
    /// Ours: the stream gathers addresses; the INVITE was sent.
    CALL_PREPARING, CALL_INVITING,
    /// Theirs: nobody has answered; the user has; our 200 waits for its ACK.
    CALL_RINGING, CALL_ANSWERING, CALL_ANSWERED,
    CALL_UP,
    CALL_ENDED,
};

enum session_refresher { REFRESHER_NONE, REFRESHER_WE, REFRESHER_THEY };

struct session_timer {
    uint32_t interval, minimum;
    enum session_refresher refresher;
    struct tmr timer;
};

/// Something that changes a call that is up and waits for its turn: a re-INVITE.
enum job_kind { JOB_HOLD, JOB_RESUME, JOB_MOVE, JOB_REFRESH };

struct job {
    struct le le;
    enum job_kind kind;
    uint64_t token;
};

/// The tag of somebody at whom our call rings.
struct early_tag {
    struct le le;
    char *text;
};

/// Our 2xx, which is repeated until its ACK comes.
struct answer {
    struct sip_msg *message;
    struct mbuf *response;
    struct tmr repeat, timeout;
    unsigned count;
    bool awaits_description;
};

struct call {
    struct le le;
    uint64_t id;
    enum call_state state;
    bool is_incoming, is_ready, has_offer, is_held;
    /// It came from elsewhere than the server.
    bool is_strange;
    /// Nobody hears of it any more; it took another call's place and is known already.
    bool is_silent, is_replacement;
    /// The far side has left it, for us to go on with the one that it named.
    bool is_left;
    struct account *account;
    struct dialog *dialog;
    struct stream *stream;
    struct request *request;
    int stream_error;

    /// The INVITE that is to be answered.
    struct sip_strans *transaction;
    struct sip_msg *message;
    struct answer answer;
    uint64_t answer_token;
    /// Where the far side is seen to be: both its INVITE and the ACK of our answer came from there.
    struct sa proven;

    struct list jobs;
    struct job *job;
    struct tmr glare, quality, later;
    unsigned redirects, retries;
    bool has_early_media, is_heard;
    /// Whose description of early media was taken last.
    char *media_tag;
    unsigned early_count;
    uint16_t progress;

    struct session_timer session;
    struct rate changes;
    unsigned progress_count, referral_count;

    uint64_t digits_token;
    /// We asked the far side to go on elsewhere; it asked us.
    struct transfer *transfer;
    struct referral *referral;
    /// The call that this one takes the place of: nobody hears of this one before.
    struct call *successor_of;
    char *extra_headers;
    /// The tags of those at which our call rings.
    struct list early_tags;
    /// The far side is not to see who calls.
    bool is_anonymous;
    uint64_t group;
    bool is_muted;
};

struct call *call_find(uint64_t id);
struct call *call_find_dialog(struct account *account, const struct sip_msg *message);
int call_alloc(struct call **call, struct account *account, uint64_t id, bool is_incoming);
int call_open_stream(struct call *call, bool is_offerer);
/// Takes the answer to our offer out of a message.
/// @returns EBADMSG also if it is missing and needed.
int call_take_answer(struct call *call, const struct sip_msg *message, bool is_needed);
/// Ends a call without a word to the far side, and tells it.
void call_finish(struct call *call, uint16_t code, int error, const char *reason);
/// Ends a call in the way that its state asks for, and tells it.
void call_end(struct call *call, uint16_t code, int error, const char *reason);
void call_bye(struct call *call, const char *reason);
/// Lets `successor` go on under the number of a call whose far side was told; nobody hears of the old one's end.
void call_hand_over(struct call *call, struct call *successor);
void call_tell(struct call *call, struct csip_event *event);
void call_done(struct call *call, uint64_t token, int error, uint16_t code);
void call_tell_media(struct call *call);
void call_connected(struct call *call);
/// The sound of the far side begins or stops.
void call_heard(struct call *call, bool is_heard);
void call_go_on(struct call *call);

/// Our INVITE (call_outgoing.c).
void call_start(uint32_t account, uint64_t id, const char *uri, bool is_anonymous);
int call_invite(struct call *call);
/// Makes a call whose INVITE is sent as soon as its stream is ready.
int call_prepare(struct call **call, struct account *account, uint64_t id, const char *uri, bool is_anonymous);

/// Theirs (call_incoming.c).
void call_receive(struct account *account, const struct sip_msg *message);
/// Makes a call of an INVITE and says 100 Trying, or refuses it.
int call_take(struct call **call, struct account *account, const struct sip_msg *message);
void call_ring(struct call *call);
void call_answer(struct call *call, uint64_t token);
void call_send_answer(struct call *call);
int answer_send(struct call *call, struct sip_strans **transaction, const struct sip_msg *message, const char *headers,
                struct mbuf *description);
void answer_acknowledged(struct call *call, const struct sip_msg *message);
void answer_reset(struct answer *answer);

/// Requests within the call (call_requests.c).
void call_request(struct call *call, const struct sip_msg *message);
/// Whether the far side asks for too many changes; then it has its answer.
bool call_is_flooded(struct call *call, const struct sip_msg *message);

/// Changes of the call by us and by them (call_change.c).
void call_queue(struct call *call, enum job_kind kind, uint64_t token);
void call_next_job(struct call *call);
void call_changed(struct call *call, const struct sip_msg *message);
void call_updated(struct call *call, const struct sip_msg *message);
void call_drop_jobs(struct call *call, int error);

// MARK: Session timers (session_timer.c)

enum { SESSION_INTERVAL = 1800, SESSION_MINIMUM = 90 };

void session_timer_reset(struct session_timer *timer);
/// The headers of our offer. @returns `room`.
const char *session_timer_offer(const struct session_timer *timer, bool is_refresh, char *room, size_t size);
/// Reads a request, and writes the headers of its 2xx. @returns whether the interval is long enough.
bool session_timer_answer(struct session_timer *timer, const struct sip_msg *message, char *room, size_t size);
/// Reads the 2xx of our request.
void session_timer_agreed(struct session_timer *timer, const struct sip_msg *message);
/// Reads Min-SE of a 422. @returns whether to try again.
bool session_timer_refused(struct session_timer *timer, const struct sip_msg *message);
void session_timer_run(struct call *call);

// MARK: Who calls (identity.c)

/// Writes the headers that say who calls, a line each.
void identity_read(char *room, size_t size, const struct sip_msg *message);
/// Writes the values of Reason (RFC 3326) into MAX_REASON bytes, with a comma between them.
void identity_reason(const struct sip_msg *message, char *room);

#endif
