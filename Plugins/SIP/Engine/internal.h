// What the files of the signalling half share. Everything in it runs on the engine's thread.

#ifndef CSIP_INTERNAL_H
#define CSIP_INTERNAL_H

#include "csip.h"
#include "libre.h"
#include "stream.h"

/// What strangers can make the engine hold or do.
enum {
    MAX_ACCOUNTS = 16,
    MAX_CALLS = 64,
    /// Highest number of a file descriptor of the process, and one.
    MAX_DESCRIPTORS = 1024,
    MAX_UNANSWERED = 16,
    /// Texts of events, in bytes, with the zero.
    MAX_TEXT = 257,
    MAX_TRACE = 16384,
    MAX_ADDRESSES = 8,
    MAX_ROUTES = 16,
    MAX_ROUTES_LENGTH = 4096,
    MAX_HEADER = 1024,
    MAX_REDIRECTS = 3,
    /// How often one request answers a challenge.
    MAX_CHALLENGES = 2,
    /// In one second: changes of a call that the far side may ask for, new calls of an account, requests to it that belong
    /// to no call, words of libre.
    MAX_CHANGES = 20,
    MAX_NEW_CALLS = 50,
    MAX_STRANGERS = 200,
    MAX_WORDS = 10,
    /// In one call: provisional responses that are told, and transfers that the far side may ask for.
    MAX_PROGRESS = 100,
    MAX_REFERRALS = 10,
    /// Commands that wait for their turn, a call.
    MAX_JOBS = 32,
};

// MARK: Texts (text.c)

/// Copies what is valid UTF-8 and neither a control character nor a mark of direction, cut at a character's border.
void text_copy(char *room, size_t size, const struct pl *text);
/// Whether a text can stand in a header: no control characters, at most `longest` bytes.
bool text_is_plain(const char *text, size_t longest);
/// Whether a text is a SIP URI that we can put between `<` and `>`.
bool text_is_uri(const char *text);
/// Whether a word stands anywhere in a text, in capitals or not.
bool text_contains(const struct pl *text, const char *word);
char *text_duplicate(const char *text);
/// Copies the value of a header into one line: a space takes the place of each control character. libre leaves folds and
/// single returns in it, which would be headers of the far side's choice in our messages.
int text_unfold(char **copy, const struct pl *text);

/// Counts what happens, so that no more than `most` of it happens in one second.
struct rate {
    uint64_t since;
    unsigned count;
};

bool rate_allows(struct rate *rate, unsigned most);

// MARK: The engine (engine.c)

struct engine {
    csip_handler *handler;
    void *context;
    char *software;
    struct dnsc *dns;
    struct list accounts;
    struct list calls;
    uint64_t next_incoming;
    bool is_stopping;
};

extern struct engine engine;

void engine_event(const struct csip_event *event);
void engine_note(uint32_t account, const char *format, ...);
/// Ends the thread if everything is closed.
void engine_check_stopped(void);
/// Reads the name servers of the system anew.
void engine_read_name_servers(void);
/// Moves all accounts and calls to the present addresses.
void engine_network_changed(void);

/// What csip_* functions hand over to the engine's thread (command.c).
int commands_open(void);
void commands_close(void);
void command_stop(uint32_t milliseconds);

/// Watches addresses, routes and sleep (network_watch.c).
int network_watch_open(void);
void network_watch_close(void);

// MARK: Where a server is (lookup.c)

struct lookup;

typedef void lookup_handler(int error, const struct sa *addresses, size_t count, void *argument);

/// Finds addresses by NAPTR, SRV, A and AAAA (RFC 3263), in the order in which they are to be tried. The handler is
/// called later, once; letting go of the lookup before prevents it.
int lookup_start(struct lookup **lookup, const char *host, uint16_t port, enum sip_transp transport,
                 lookup_handler *handler, void *argument);

/// Finds the address of this machine that packets to `remote` come from.
int lookup_source(const struct sa *remote, struct sa *local);

// MARK: Accounts (account.c)

struct registration {
    struct request *request;
    struct lookup *lookup;
    struct dialog *dialog;
    struct sip_keepalive *connection;
    struct sa addresses[MAX_ADDRESSES];
    size_t count, next;
    struct tmr timer, timeout, ping;
    uint32_t pause;
    uint32_t expires;
    bool is_registered, is_told, is_refused;
    uint16_t told_code;
    int told_error;
};

struct account {
    struct le le;
    uint32_t id;
    char *user, *domain, *display_name, *auth_user, *password, *instance, *proxy;
    char *stun_server, *turn_server, *turn_user, *turn_password, *codecs;
    /// `sip:alice@example.org`, the value of From, and the user of the Contact.
    char *address, *from, *contact_user;
    enum csip_transport transport;
    struct stream_policy policy;
    uint32_t expires;
    bool is_traced, is_closing, is_started;

    struct sip *sip;
    struct tls *tls;
    struct sip_lsnr *requests_in, *responses_in;
    struct udp_helper *filter;
    void *filtered;
    /// Where requests that start a dialog go, and what we are there.
    struct sa server, local;
    char hop[128];
    struct registration registration;
    /// The value of Reason of the CANCEL that is being received.
    char cancel_reason[MAX_TEXT];

    struct rate new_calls, strangers, server_requests;
    struct list requests, acknowledgements, transfers;
    struct tmr close_timer;
};

void account_put(const struct csip_account *settings);
void account_remove(uint32_t id);
struct account *account_find(uint32_t id);
void account_close(struct account *account);
/// Frees an account that is closing and has nothing more to wait for.
void account_check_closed(struct account *account);
/// Opens the transports at the address from which `server` is reached, unless they are.
int account_bind(struct account *account, const struct sa *server);
bool account_is_from_server(const struct account *account, const struct sip_msg *message);
enum sip_transp account_transport(const struct account *account);

/// Hears the messages of the account's stack (message.c).
int messages_listen(struct account *account);

/// Lets nobody connect to a stack that only connects (listener.c).
int listener_close(struct account *account, enum sip_transp transport);

/// Drops what is no SIP message on the socket that a message came by (udp_filter.c).
void udp_filter_open(struct account *account, const struct sip_msg *message);
void udp_filter_close(struct account *account);

/// REGISTER (registration.c).
void registration_start(struct account *account);
void registration_network_changed(struct account *account);
void registration_end(struct account *account);
void registration_free(struct account *account);

/// Makes a context that checks the server's certificate for the domain, or the proxy's host (tls.c).
int tls_context_alloc(struct tls **tls, const char *domain, const char *proxy_host);

// MARK: Digest authentication (digest.c)

struct digest {
    struct list answers;
    unsigned count;
};

/// Takes the challenges of a 401 or 407.
/// @returns EAUTH: they were answered before, or cannot be.
int digest_challenge(struct digest *digest, const struct account *account, const struct sip_msg *message);
/// Writes Authorization and Proxy-Authorization.
int digest_print(struct mbuf *buffer, struct digest *digest, const struct account *account, const char *method,
                 const char *uri);
void digest_reset(struct digest *digest);

// MARK: Dialogs and requests (dialog.c, request.c)

struct dialog {
    struct account *account;
    char *call_id, *local_tag, *remote_tag;
    /// The values of From and To of our requests, with their tags.
    char *local, *remote;
    /// The Request-URI, the Route headers, and where requests are sent.
    char *target, *routes, *hop;
    uint32_t local_sequence, remote_sequence;
    bool has_remote_sequence;
};

/// Makes the dialog of an INVITE or REGISTER to be sent.
int dialog_alloc(struct dialog **dialog, struct account *account, const char *uri, const char *from);
/// Makes the dialog of an INVITE that was received.
int dialog_accept(struct dialog **dialog, struct account *account, const struct sip_msg *message);
/// Completes a dialog by the 2xx of its INVITE.
int dialog_establish(struct dialog *dialog, const struct sip_msg *message);
/// Makes the dialog of another 2xx for the same INVITE.
int dialog_fork(struct dialog **fork, const struct dialog *dialog, const struct sip_msg *message);
/// Takes the far side's new Contact.
void dialog_update(struct dialog *dialog, const struct sip_msg *message);
bool dialog_matches(const struct dialog *dialog, const struct sip_msg *message);
/// Whether the request's sequence number is higher than those before.
bool dialog_takes_sequence(struct dialog *dialog, const struct sip_msg *message);

/// @param error ETIMEDOUT or another errno, with no message.
typedef void request_handler(int error, const struct sip_msg *message, void *argument);

/// A request on its way; challenges are answered.
struct request {
    struct le le;
    struct request **self;
    struct sip_request *sip_request;
    struct dialog *dialog;
    const char *method;
    struct mbuf *content;
    struct digest digest;
    uint32_t sequence;
    request_handler *handler;
    void *argument;
};

/// Sends a request. The handler gets provisional responses and the last one.
/// @param method a constant.
/// @param format headers, an empty line and the body.
int request_send(struct request **request, struct dialog *dialog, const char *method, request_handler *handler,
                 void *argument, const char *format, ...);
/// Sends what follows headers.
int request_send_body(struct request **request, struct dialog *dialog, const char *method, request_handler *handler,
                      void *argument, const char *headers, const char *type, struct mbuf *body);
/// Hears no more of a request. An INVITE is cancelled, and a call that it starts nevertheless is ended.
void request_forget(struct request **request);

/// Acknowledges a 2xx, and again when it is repeated; a 2xx of another branch is acknowledged and ended
/// (acknowledgement.c).
int acknowledgement_send(struct dialog *dialog, uint32_t sequence, struct mbuf *body);
void acknowledgement_repeat(struct account *account, const struct sip_msg *message);

/// The headers that tell what we can.
#define ALLOW "Allow: INVITE, ACK, CANCEL, BYE, OPTIONS, UPDATE, INFO, REFER, NOTIFY\r\n"

/// Prints the Contact for a response to `message`.
struct response_contact {
    const struct account *account;
    const struct sip_msg *message;
};
int response_contact_print(struct re_printf *printer, const struct response_contact *contact);

// MARK: Calls (call.c)

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

    struct list jobs;
    struct job *job;
    struct tmr glare, quality, later;
    unsigned redirects, retries;
    bool has_early_media;
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
    uint64_t group;
    bool is_muted;
};

struct call *call_find(uint64_t id);
struct call *call_find_dialog(struct account *account, const struct sip_msg *message);
int call_alloc(struct call **call, struct account *account, uint64_t id, bool is_incoming);
int call_open_stream(struct call *call, bool is_offerer);
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
void call_go_on(struct call *call);

/// Our INVITE (call_outgoing.c).
void call_start(uint32_t account, uint64_t id, const char *uri);
int call_invite(struct call *call);
/// Makes a call whose INVITE is sent as soon as its stream is ready.
int call_prepare(struct call **call, struct account *account, uint64_t id, const char *uri);

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

struct identity {
    char uri[MAX_TEXT], name[MAX_TEXT], asserted[MAX_TEXT], diverted_by[MAX_TEXT], verification[16];
};

/// @param is_trusted whether the message is from the server that we are registered with.
void identity_read(struct identity *identity, const struct sip_msg *message, bool is_trusted);
void identity_reason(const struct sip_msg *message, char *room);

// MARK: Transfers (transfer.c, referral.c)

void transfer_start(struct call *call, const char *uri, uint64_t token);
void transfer_connect(struct call *call, struct call *other, uint64_t token);
void transfer_call_ended(struct call *call);
/// A NOTIFY for a call that is gone, or for one that is there.
bool transfer_notified(struct account *account, const struct sip_msg *message);
void transfers_flush(struct account *account);

void referral_received(struct call *call, const struct sip_msg *message);
void referral_answer(struct call *call, bool is_accepted, uint64_t token);
void referral_progress(struct call *successor, uint16_t code);
void referral_failed(struct call *successor, uint16_t code);
void referral_succeeded(struct call *successor);
void referral_call_ended(struct call *call);
/// Whether a call goes on although the far side has left: it asked us to go on elsewhere before.
bool referral_outlives_far_side(struct call *call);

/// An INVITE with Replaces (replaces.c). @returns whether it was one, and was answered.
bool replaces_received(struct account *account, const struct sip_msg *message);

#endif
