// One account: a SIP stack of its own, so that its server's certificate is checked for its own domain.

#include <errno.h>
#include <string.h>

#include "internal.h"

#include <openssl/evp.h>

enum { CLOSING_MILLISECONDS = 4000, TABLE_SIZE = 32 };


static void wipe(char *text) {
    if (text) explicit_bzero(text, strlen(text));
    mem_deref(text);
}

static void account_free(void *data) {
    struct account *account = data;
    list_unlink(&account->le);
    tmr_cancel(&account->close_timer);
    registration_free(account);
    udp_filter_close(account);
    transfers_flush(account);
    list_flush(&account->acknowledgements);
    list_flush(&account->requests);
    mem_deref(account->requests_in);
    mem_deref(account->responses_in);
    if (account->sip) sip_close(account->sip, true);
    mem_deref(account->sip);
    mem_deref(account->tls);
    wipe(account->password);
    wipe(account->turn_password);
    char *texts[] = {
        account->user, account->domain, account->display_name, account->auth_user, account->instance, account->proxy,
        account->stun_server, account->turn_server, account->turn_user, account->codecs, account->address,
        account->from, account->contact_user,
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) mem_deref(texts[i]);
}

struct account *account_find(uint32_t id) {
    for (struct le *at = engine.accounts.head; at; at = at->next) {
        struct account *account = at->data;
        if (account->id == id && !account->is_closing) return account;
    }
    return NULL;
}

enum sip_transp account_transport(const struct account *account) {
    switch (account->transport) {
    case CSIP_UDP: return SIP_TRANSP_UDP;
    case CSIP_TCP: return SIP_TRANSP_TCP;
    default: return SIP_TRANSP_TLS;
    }
}

bool account_is_server(const struct account *account, const struct sa *address) {
    const struct registration *registration = &account->registration;
    if (sa_isset(&account->server, SA_ALL) && sa_cmp(&account->server, address, SA_ALL)) return true;
    // Calls may come from another one of its machines.
    for (size_t i = 0; i < registration->count; i++) {
        if (sa_cmp(&registration->addresses[i], address, SA_ALL)) return true;
    }
    return false;
}

bool account_is_from_server(const struct account *account, const struct sip_msg *message) {
    return account_is_server(account, &message->src);
}

// Tells the far sides where we are now.
static void move_calls(struct account *account) {
    for (struct le *at = engine.calls.head, *next; at; at = next) {
        struct call *call = at->data;
        next = at->next;
        if (call->account != account || call->state != CALL_UP) continue;
        call_queue(call, JOB_MOVE, 0);
    }
}

int account_bind(struct account *account, const struct sa *server) {
    struct sa local;
    int error = lookup_source(server, &local);
    if (error) return error;
    account->server = *server;
    re_snprintf(account->hop, sizeof account->hop, "sip:%J;transport=%s", server,
                account->transport == CSIP_UDP ? "udp" : account->transport == CSIP_TCP ? "tcp" : "tls");
    if (sa_cmp(&local, &account->local, SA_ADDR)) return 0;
    udp_filter_close(account);
    sip_transp_flush(account->sip);
    sa_init(&account->local, AF_UNSPEC);
    if (account->transport == CSIP_TLS) {
        error = sip_transp_add(account->sip, SIP_TRANSP_TLS, &local, account->tls);
        if (!error && listener_close(account, SIP_TRANSP_TLS)) engine_note(account->id, "Strangers can connect.");
    } else {
        error = sip_transp_add(account->sip, SIP_TRANSP_UDP, &local);
        if (!error && listener_leave_stun(account)) engine_note(account->id, "STUN of strangers is answered.");
        if (!error && account->transport == CSIP_TCP) error = sip_transp_add(account->sip, SIP_TRANSP_TCP, &local);
    }
    if (error) return error;
    account->local = local;
    move_calls(account);
    return 0;
}

// MARK: Settings

static int copy_texts(struct account *account, const struct csip_account *settings) {
    struct {
        char **to;
        const char *from;
    } texts[] = {
        {&account->user, settings->user}, {&account->domain, settings->domain},
        {&account->display_name, settings->display_name}, {&account->auth_user, settings->auth_user},
        {&account->password, settings->password}, {&account->instance, settings->instance},
        {&account->proxy, settings->proxy}, {&account->stun_server, settings->stun_server},
        {&account->turn_server, settings->turn_server}, {&account->turn_user, settings->turn_user},
        {&account->turn_password, settings->turn_password}, {&account->codecs, settings->codecs},
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (!texts[i].from) continue;
        // A password goes out only as a part of a hash: any sign can be in it.
        bool is_hashed = texts[i].to == &account->password;
        if (is_hashed ? strlen(texts[i].from) > 1024 : !text_is_plain(texts[i].from, 256)) return EINVAL;
        *texts[i].to = text_duplicate(texts[i].from);
        if (!*texts[i].to) return ENOMEM;
    }
    return account->user && account->domain ? 0 : EINVAL;
}

// Writes a display name in quotes, or nothing.
static int print_name(struct re_printf *printer, const char *name) {
    if (!name || !*name) return 0;
    return re_hprintf(printer, "\"%H\" ", text_print_quoted, name);
}

// The user of our Contact: the same one for ever, and no one guesses it.
static int make_contact_user(struct account *account) {
    uint8_t key[EVP_MAX_MD_SIZE];
    const char *seed = account->instance ? account->instance : account->user;
    if (!EVP_Digest(seed, strlen(seed), key, NULL, EVP_sha256(), NULL)) return ENOSYS;
    return re_sdprintf(&account->contact_user, "ock-%w", key, (size_t)8);
}

static int make_names(struct account *account) {
    struct uri proxy;
    int error = re_sdprintf(&account->address, "sip:%H@%s", text_print_user, account->user, account->domain);
    error |= re_sdprintf(&account->from, "%H<%s>", print_name, account->display_name, account->address);
    error |= make_contact_user(account);
    if (error) return error;
    if (!text_is_uri(account->address)) return EINVAL;
    if (!account->proxy) return 0;
    struct pl whole;
    pl_set_str(&whole, account->proxy);
    return !text_is_uri(account->proxy) || uri_decode(&proxy, &whole) ? EINVAL : 0;
}

static void read_host(const char *text, char *room, size_t size) {
    struct uri uri;
    struct pl whole;
    *room = 0;
    if (!text) return;
    pl_set_str(&whole, text);
    if (!uri_decode(&uri, &whole)) pl_strcpy(&uri.host, room, size);
}

static int open_stack(struct account *account) {
    char domain[256], proxy[256];
    read_host(account->address, domain, sizeof domain);
    read_host(account->proxy, proxy, sizeof proxy);
    int error = sip_alloc(&account->sip, engine.dns, TABLE_SIZE, TABLE_SIZE, TABLE_SIZE, engine.software, NULL,
                          account);
    if (!error && account->transport == CSIP_TLS) error = tls_context_alloc(&account->tls, domain, proxy);
    return error ? error : messages_listen(account);
}

static int account_alloc(struct account **account, const struct csip_account *settings) {
    struct account *made = mem_zalloc(sizeof *made, account_free);
    if (!made) return ENOMEM;
    made->id = settings->id;
    made->transport = settings->transport;
    made->expires = settings->expires >= 30 && settings->expires <= 86400 ? settings->expires : 600;
    made->is_traced = settings->is_traced;
    int error = copy_texts(made, settings);
    if (!error) error = make_names(made);
    if (!error) error = open_stack(made);
    if (error) {
        mem_deref(made);
        return error;
    }
    made->policy = (struct stream_policy){
        .encryption = settings->encryption, .codecs = made->codecs, .stun_server = made->stun_server,
        .turn_server = made->turn_server, .turn_user = made->turn_user, .turn_password = made->turn_password,
    };
    *account = made;
    return 0;
}

// MARK: Life

// Starts the accounts whose predecessor is gone.
static void start_waiting(uint32_t id) {
    for (struct le *at = engine.accounts.head; at; at = at->next) {
        struct account *account = at->data;
        if (account->id != id) continue;
        if (account->is_closing) return;
        if (account->is_started) continue;
        account->is_started = true;
        registration_start(account);
    }
}

static void closed(void *argument) {
    struct account *account = argument;
    uint32_t id = account->id;
    list_unlink(&account->le);
    mem_deref(account);
    start_waiting(id);
    engine_check_stopped();
}

void account_check_closed(struct account *account) {
    if (!account->is_closing || !account->le.list || !list_isempty(&account->requests)) return;
    // Not from inside of its own stack.
    tmr_start(&account->close_timer, 0, closed, account);
}

// One that ends may end another one.
static void end_calls(struct account *account) {
    for (struct le *at = engine.calls.head; at;) {
        struct call *call = at->data;
        at = at->next;
        if (call->account != account) continue;
        call_end(call, 480, ECANCELED, NULL);
        at = engine.calls.head;
    }
}

void account_close(struct account *account) {
    if (account->is_closing) return;
    end_calls(account);
    account->is_closing = true;
    registration_end(account);
    transfers_flush(account);
    tmr_start(&account->close_timer, CLOSING_MILLISECONDS, closed, account);
    account_check_closed(account);
}

void account_remove(uint32_t id) {
    struct account *account = account_find(id);
    if (account) account_close(account);
}

static unsigned count_open(void) {
    unsigned count = 0;
    for (struct le *at = engine.accounts.head; at; at = at->next) {
        if (!((const struct account *)at->data)->is_closing) count++;
    }
    return count;
}

void account_put(const struct csip_account *settings) {
    if (!settings) return;
    account_remove(settings->id);
    struct account *account = NULL;
    int error = count_open() >= MAX_ACCOUNTS || list_count(&engine.accounts) >= 2 * MAX_ACCOUNTS ? ENOSPC
        : account_alloc(&account, settings);
    if (error) {
        engine_event(&(struct csip_event){.kind = CSIP_NOT_REGISTERED, .account = settings->id, .error = error});
        return;
    }
    list_append(&engine.accounts, &account->le, account);
    start_waiting(account->id);
}
