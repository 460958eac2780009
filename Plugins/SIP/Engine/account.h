// Accounts: their stacks and their registrations.

#ifndef CSIP_ACCOUNT_H
#define CSIP_ACCOUNT_H

#include "bounds.h"
#include "csip.h"
#include "libre.h"
#include "stream.h"

struct dialog;
struct lookup;
struct request;

struct registration {
    struct request *request;
    struct lookup *lookup;
    struct dialog *dialog;
    struct sip_keepalive *connection;
    /// Since when the way to the server is watched, in milliseconds of no date.
    uint64_t watched_since;
    /// Whether the server promises to answer pings over UDP, and does not.
    bool answers_no_ping;
    struct sa addresses[MAX_ADDRESSES];
    size_t count, next;
    struct tmr timer, timeout, ping;
    uint32_t pause;
    uint32_t expires;
    bool is_registered, is_told, is_refused;
    uint16_t told_code;
    int told_error;
};

/// Bytes that may go to addresses that may be forged (udp_filter.c).
struct credit {
    uint64_t since;
    size_t bytes;
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
    /// The values of Reason of the CANCEL that is being received.
    char cancel_reason[MAX_REASON];

    struct rate server_calls, stranger_calls, server_requests, stranger_requests;
    struct credit credit;
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
/// Whether an address and port is what DNS or the settings name as the server, or the end of our connection to it.
bool account_is_server(const struct account *account, const struct sa *address);
bool account_is_from_server(const struct account *account, const struct sip_msg *message);
enum sip_transp account_transport(const struct account *account);

/// Hears the messages of the account's stack (message.c).
int messages_listen(struct account *account);

/// Lets nobody connect to a stack that only connects (listener.c).
int listener_close(struct account *account, enum sip_transp transport);

/// Drops STUN requests that come over UDP, which libre would answer (listener.c).
int listener_leave_stun(struct account *account);

/// Drops what is no SIP message on the socket that a message came by, and bounds what goes to strangers (udp_filter.c).
void udp_filter_open(struct account *account, const struct sip_msg *message);
void udp_filter_close(struct account *account);

/// REGISTER (registration.c).
void registration_start(struct account *account);
void registration_network_changed(struct account *account);
void registration_end(struct account *account);
void registration_free(struct account *account);

/// Makes a context that checks the server's certificate for the domain, or the proxy's host (tls.c).
int tls_context_alloc(struct tls **tls, const char *domain, const char *proxy_host);

#endif
