// The registration of an account (RFC 3261, section 10; RFC 5626): found, refreshed, and tried again when it fails.

#include <errno.h>
#include <netinet/tcp.h>
#include <string.h>

#include "internal.h"

enum {
    FIRST_PAUSE = 5, LONGEST_PAUSE = 300,
    /// Within which a server has to answer, in milliseconds: the only one, one of several.
    SERVER_TIMEOUT = 8000, ONE_OF_SEVERAL_TIMEOUT = 4000,
    PING_UDP = 25, PING_TCP = 90,
};

static void look_up(void *argument);
static void try_next(struct account *account);
static void register_now(void *argument);

static void tell(struct account *account, uint16_t code, int error, uint32_t seconds) {
    struct registration *registration = &account->registration;
    bool is_same = registration->is_told && registration->told_code == code && registration->told_error == error;
    registration->is_told = true;
    registration->told_code = code;
    registration->told_error = error;
    if ((is_same && code != 200) || account->is_closing) return;
    bool is_registered = code == 200;
    engine_event(&(struct csip_event){
        .kind = is_registered ? CSIP_REGISTERED : CSIP_NOT_REGISTERED, .account = account->id, .code = code,
        .error = error, .seconds = seconds,
    });
}

// MARK: Failures

static void pause(struct account *account, uint32_t least) {
    struct registration *registration = &account->registration;
    registration->pause = registration->pause ? registration->pause * 2 : FIRST_PAUSE;
    if (registration->pause < least) registration->pause = least;
    if (registration->pause > LONGEST_PAUSE) registration->pause = LONGEST_PAUSE;
    uint64_t milliseconds = registration->pause * (900ull + rand_u16() % 200);
    tmr_start(&registration->timer, milliseconds, look_up, account);
}

static void failed_for(struct account *account, uint16_t code, int error, uint32_t seconds) {
    struct registration *registration = &account->registration;
    registration->is_registered = false;
    tmr_cancel(&registration->ping);
    bool is_final = code == 401 || code == 403 || code == 407;
    registration->is_refused = is_final;
    tell(account, code, error, 0);
    if (account->is_closing || is_final) return;
    if (registration->next < registration->count) try_next(account);
    else pause(account, seconds);
}

static void failed(struct account *account, uint16_t code, int error) {
    failed_for(account, code, error, 0);
}

static void timed_out(void *argument) {
    struct account *account = argument;
    request_forget(&account->registration.request);
    failed(account, 0, ETIMEDOUT);
}

// MARK: Connections

static void ping(void *argument) {
    struct account *account = argument;
    uint64_t seconds = account->transport == CSIP_UDP ? PING_UDP : PING_TCP;
    struct mbuf *buffer = mbuf_alloc(4);
    if (buffer) {
        mbuf_write_str(buffer, "\r\n\r\n");
        buffer->pos = 0;
        sip_send(account->sip, NULL, account_transport(account), &account->server, buffer);
        mem_deref(buffer);
    }
    tmr_start(&account->registration.ping, seconds * 1000, ping, account);
}

static void connection_ended(int error, void *argument) {
    (void)error;
    struct account *account = argument;
    struct registration *registration = &account->registration;
    if (account->is_closing || registration->request || registration->is_refused) return;
    // ejabberd 23.01 promises to answer pings (RFC 5626), and does not answer those of UDP. A way that never was confirmed
    // is not lost, and to register again and again would not open it.
    if (account->transport == CSIP_UDP && tmr_jiffies() - registration->watched_since < PING_UDP * 1000) {
        registration->answers_no_ping = true;
        tmr_start(&registration->ping, PING_UDP * 1000, ping, account);
        return;
    }
    registration->pause = 0;
    tmr_start(&registration->timer, 500, register_now, account);
}

// libre's connections wait for more to send: answers would come late.
static void send_at_once(const struct sip_msg *message) {
    int descriptor = tcp_conn_fd(sip_msg_tcpconn(message)), is_on = 1;
    if (descriptor >= 0) setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &is_on, sizeof is_on);
}

// Keeps the way open through address translators, and watches the connection.
static void keep_way(struct account *account, const struct sip_msg *message) {
    struct registration *registration = &account->registration;
    registration->connection = mem_deref(registration->connection);
    send_at_once(message);
    udp_filter_open(account, message);
    bool answers = sip_msg_hdr_has_value(message, SIP_HDR_REQUIRE, "outbound");
    bool is_udp = message->tp == SIP_TRANSP_UDP;
    if (is_udp && registration->answers_no_ping) answers = false;
    registration->watched_since = tmr_jiffies();
    // A server that does not know RFC 5626 need not answer pings: its connection is only watched.
    uint32_t seconds = answers ? (is_udp ? PING_UDP : PING_TCP) : 3600 * 24 * 7;
    if (!is_udp || answers) {
        sip_keepalive_start(&registration->connection, account->sip, message, seconds, connection_ended, account);
    }
    if (!answers) tmr_start(&registration->ping, (is_udp ? PING_UDP : PING_TCP) * 1000, ping, account);
}

// MARK: Answers

struct expiry {
    const struct account *account;
    uint32_t seconds;
};

// Takes the expiry of our own Contact.
static bool read_expiry(const struct sip_hdr *header, const struct sip_msg *message, void *argument) {
    (void)message;
    struct expiry *expiry = argument;
    struct sip_addr address;
    struct pl value;
    if (sip_addr_decode(&address, &header->val)) return false;
    if (pl_strcmp(&address.uri.user, expiry->account->contact_user)) return false;
    if (!msg_param_decode(&address.params, "expires", &value)) expiry->seconds = pl_u32(&value);
    return false;
}

static void succeeded(struct account *account, const struct sip_msg *message) {
    struct registration *registration = &account->registration;
    struct expiry expiry = {account, pl_isset(&message->expires) ? pl_u32(&message->expires) : account->expires};
    sip_msg_hdr_apply(message, true, SIP_HDR_CONTACT, read_expiry, &expiry);
    uint32_t seconds = expiry.seconds < 10 ? 10 : expiry.seconds > 86400 ? 86400 : expiry.seconds;
    registration->is_registered = true;
    registration->pause = 0;
    registration->next = 0;
    tmr_start(&registration->timer, seconds * 900ull, register_now, account);
    keep_way(account, message);
    tell(account, 200, 0, seconds);
}

static bool takes_longer(struct account *account, const struct sip_msg *message) {
    const struct sip_hdr *header = sip_msg_hdr(message, SIP_HDR_MIN_EXPIRES);
    uint32_t least = header ? pl_u32(&header->val) : 0;
    if (message->scode != 423 || least <= account->registration.expires || least > 86400) return false;
    account->registration.expires = least;
    return true;
}

// How long a server that is too busy wants to be left alone.
static uint32_t read_retry_after(const struct sip_msg *message) {
    const struct sip_hdr *header = sip_msg_hdr(message, SIP_HDR_RETRY_AFTER);
    struct pl digits;
    if (!header || re_regex(header->val.p, header->val.l, "[0-9]+", &digits) || digits.l > 6) return 0;
    return pl_u32(&digits);
}

static void answered(int error, const struct sip_msg *message, void *argument) {
    struct account *account = argument;
    if (message && message->scode < 200) return;
    tmr_cancel(&account->registration.timeout);
    if (error) failed(account, 0, error);
    else if (message->scode < 300) succeeded(account, message);
    else if (takes_longer(account, message)) tmr_start(&account->registration.timer, 0, register_now, account);
    else failed_for(account, message->scode, 0, read_retry_after(message));
}

// MARK: Requests

static int send_register(struct account *account, uint32_t seconds, request_handler *handler) {
    struct registration *registration = &account->registration;
    struct sa local;
    enum sip_transp transport = account_transport(account);
    int error = sip_transp_laddr(account->sip, &local, transport, &account->server);
    if (error) return error;
    mem_deref(registration->dialog->hop);
    error = str_dup(&registration->dialog->hop, account->hop);
    char instance[80] = "";
    if (account->instance) {
        re_snprintf(instance, sizeof instance, ";+sip.instance=\"<urn:uuid:%s>\";reg-id=1", account->instance);
    }
    if (error) return error;
    return request_send(
        handler ? &registration->request : NULL, registration->dialog, "REGISTER", handler, account,
        "Contact: <sip:%s@%J%s>;expires=%u%s\r\nExpires: %u\r\nSupported: outbound, path\r\n" ALLOW
        "Content-Length: 0\r\n\r\n",
        account->contact_user, &local, sip_transp_param(transport), seconds, instance, seconds);
}

static void register_now(void *argument) {
    struct account *account = argument;
    struct registration *registration = &account->registration;
    request_forget(&registration->request);
    int error = send_register(account, registration->expires, answered);
    if (error) {
        failed(account, 0, error);
        return;
    }
    tmr_start(&registration->timeout, registration->count > 1 ? ONE_OF_SEVERAL_TIMEOUT : SERVER_TIMEOUT, timed_out, account);
}

static void try_next(struct account *account) {
    struct registration *registration = &account->registration;
    const struct sa *address = &registration->addresses[registration->next++];
    int error = account_bind(account, address);
    if (error) failed(account, 0, error);
    else register_now(account);
}

static void looked_up(int error, const struct sa *addresses, size_t count, void *argument) {
    struct account *account = argument;
    struct registration *registration = &account->registration;
    registration->count = count < MAX_ADDRESSES ? count : MAX_ADDRESSES;
    registration->next = 0;
    memcpy(registration->addresses, addresses, registration->count * sizeof *addresses);
    registration->lookup = mem_deref(registration->lookup);
    if (error) failed(account, 0, error);
    else try_next(account);
}

static int proxy_place(const struct account *account, char *host, size_t size, uint16_t *port) {
    struct uri proxy;
    struct pl whole;
    pl_set_str(&whole, account->proxy);
    int error = uri_decode(&proxy, &whole);
    if (error) return error;
    *port = proxy.port;
    return pl_strcpy(&proxy.host, host, size);
}

// The domain may have a port: `example.org:5070`.
static int domain_place(const struct account *account, char *host, size_t size, uint16_t *port) {
    struct uri domain;
    struct pl whole;
    pl_set_str(&whole, account->address);
    int error = uri_decode(&domain, &whole);
    if (error) return error;
    *port = domain.port;
    return pl_strcpy(&domain.host, host, size);
}

static void look_up(void *argument) {
    struct account *account = argument;
    struct registration *registration = &account->registration;
    char host[256];
    uint16_t port = 0;
    registration->lookup = mem_deref(registration->lookup);
    registration->count = registration->next = 0;
    registration->answers_no_ping = false;
    int error = account->proxy ? proxy_place(account, host, sizeof host, &port)
        : domain_place(account, host, sizeof host, &port);
    if (!error) {
        error = lookup_start(&registration->lookup, host, port, account_transport(account), looked_up, account);
    }
    if (error) failed(account, 0, error);
}

// MARK: Life

void registration_start(struct account *account) {
    struct registration *registration = &account->registration;
    char *server = NULL;
    registration->expires = account->expires;
    int error = re_sdprintf(&server, "sip:%s", account->domain);
    if (!error) error = dialog_alloc(&registration->dialog, account, server, account->from);
    mem_deref(server);
    if (!error) {
        // It registers the account itself: To is the address of record.
        mem_deref(registration->dialog->remote);
        error = re_sdprintf(&registration->dialog->remote, "<%s>", account->address);
    }
    if (error) failed(account, 0, error);
    else look_up(account);
}

void registration_network_changed(struct account *account) {
    struct registration *registration = &account->registration;
    if (account->is_closing || registration->is_refused || !registration->dialog) return;
    request_forget(&registration->request);
    tmr_cancel(&registration->timeout);
    registration->connection = mem_deref(registration->connection);
    registration->pause = 0;
    if (account->transport != CSIP_UDP) {
        // Connections may be dead without anybody having said so.
        sip_transp_flush(account->sip);
        sa_init(&account->local, AF_UNSPEC);
    }
    look_up(account);
}

void registration_end(struct account *account) {
    struct registration *registration = &account->registration;
    registration->lookup = mem_deref(registration->lookup);
    registration->connection = mem_deref(registration->connection);
    tmr_cancel(&registration->timer);
    tmr_cancel(&registration->timeout);
    tmr_cancel(&registration->ping);
    request_forget(&registration->request);
    if (registration->is_registered) send_register(account, 0, NULL);
    registration->is_registered = false;
}

void registration_free(struct account *account) {
    struct registration *registration = &account->registration;
    registration_end(account);
    registration->dialog = mem_deref(registration->dialog);
}
