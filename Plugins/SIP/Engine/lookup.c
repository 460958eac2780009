// Where a server is: addresses by NAPTR, SRV, A and AAAA (RFC 3263), for the transport that the user chose.

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "internal.h"

enum { MAX_TARGETS = 4 };

struct lookup {
    char *host;
    enum sip_transp transport;
    lookup_handler *handler;
    void *argument;
    struct dns_query *query, *query6;
    struct tmr timer;
    // What SRV named, in order; the one that is looked up now is `target`.
    struct {
        char *name;
        uint16_t port;
    } targets[MAX_TARGETS];
    size_t target_count, target;
    struct sa addresses[MAX_ADDRESSES];
    size_t count;
};

static void look_up_target(struct lookup *lookup);

static void lookup_free(void *data) {
    struct lookup *lookup = data;
    tmr_cancel(&lookup->timer);
    mem_deref(lookup->query);
    mem_deref(lookup->query6);
    mem_deref(lookup->host);
    for (size_t i = 0; i < lookup->target_count; i++) mem_deref(lookup->targets[i].name);
}

static void finish(void *argument) {
    struct lookup *lookup = argument;
    lookup->handler(lookup->count ? 0 : EDESTADDRREQ, lookup->addresses, lookup->count, lookup->argument);
}

// Tells later: never before lookup_start returns, and not from inside of libre's resolver.
static void finish_soon(struct lookup *lookup) {
    tmr_start(&lookup->timer, 0, finish, lookup);
}

static void add_address(struct lookup *lookup, const struct sa *address) {
    struct sa source;
    if (lookup->count >= MAX_ADDRESSES || lookup_source(address, &source)) return;
    for (size_t i = 0; i < lookup->count; i++) {
        if (sa_cmp(&lookup->addresses[i], address, SA_ALL)) return;
    }
    lookup->addresses[lookup->count++] = *address;
}

static bool add_target(struct lookup *lookup, const char *name, uint16_t port) {
    if (lookup->target_count >= MAX_TARGETS || str_len(name) > 255) return false;
    if (str_dup(&lookup->targets[lookup->target_count].name, name)) return false;
    lookup->targets[lookup->target_count++].port = port;
    return true;
}

static bool take_address(struct dnsrr *record, void *argument) {
    struct lookup *lookup = argument;
    uint16_t port = lookup->targets[lookup->target].port;
    struct sa address;
    if (record->type == DNS_TYPE_A) sa_set_in(&address, record->rdata.a.addr, port);
    else if (record->type == DNS_TYPE_AAAA) sa_set_in6(&address, record->rdata.aaaa.addr, port);
    else return false;
    add_address(lookup, &address);
    return false;
}

static void addresses_came(int error, const struct dnshdr *header, struct list *answers, struct list *authorities,
                           struct list *additional, void *argument) {
    (void)error; (void)header; (void)authorities; (void)additional;
    struct lookup *lookup = argument;
    dns_rrlist_apply2(answers, NULL, DNS_TYPE_A, DNS_TYPE_AAAA, DNS_CLASS_IN, false, take_address, lookup);
    if (lookup->query || lookup->query6) return;
    lookup->target++;
    look_up_target(lookup);
}

// Reads /etc/hosts, which libre's resolver does not.
static bool look_into_hosts(struct lookup *lookup, const char *name, uint16_t port) {
    FILE *file = fopen("/etc/hosts", "re");
    char line[512];
    size_t before = lookup->count;
    while (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "#\r\n")] = 0;
        char *rest = NULL, *word = strtok_r(line, " \t", &rest);
        struct sa address;
        if (!word || sa_set_str(&address, word, port)) continue;
        while ((word = strtok_r(NULL, " \t", &rest))) {
            if (!str_casecmp(word, name)) add_address(lookup, &address);
        }
    }
    if (file) fclose(file);
    return lookup->count > before;
}

static void look_up_target(struct lookup *lookup) {
    while (lookup->target < lookup->target_count) {
        const char *name = lookup->targets[lookup->target].name;
        uint16_t port = lookup->targets[lookup->target].port;
        struct sa address;
        if (!sa_set_str(&address, name, port)) {
            add_address(lookup, &address);
        } else if (!look_into_hosts(lookup, name, port)) {
            dnsc_query(&lookup->query, engine.dns, name, DNS_TYPE_A, DNS_CLASS_IN, true, addresses_came, lookup);
            dnsc_query(&lookup->query6, engine.dns, name, DNS_TYPE_AAAA, DNS_CLASS_IN, true, addresses_came, lookup);
            if (lookup->query || lookup->query6) return;
        }
        lookup->target++;
    }
    finish_soon(lookup);
}

static bool take_service(struct dnsrr *record, void *argument) {
    add_target(argument, record->rdata.srv.target, record->rdata.srv.port);
    return false;
}

static void services_came(int error, const struct dnshdr *header, struct list *answers, struct list *authorities,
                          struct list *additional, void *argument) {
    (void)error; (void)header; (void)authorities; (void)additional;
    struct lookup *lookup = argument;
    dns_rrlist_sort(answers, DNS_TYPE_SRV, rand_u32());
    dns_rrlist_apply(answers, NULL, DNS_TYPE_SRV, DNS_CLASS_IN, false, take_service, lookup);
    if (!lookup->target_count) add_target(lookup, lookup->host, sip_transp_port(lookup->transport, 0));
    look_up_target(lookup);
}

static void look_up_services(struct lookup *lookup, const char *name) {
    if (dnsc_query(&lookup->query, engine.dns, name, DNS_TYPE_SRV, DNS_CLASS_IN, true, services_came, lookup)) {
        finish_soon(lookup);
    }
}

static bool take_pointer(struct dnsrr *record, void *argument) {
    const struct lookup *lookup = argument;
    const char *service = lookup->transport == SIP_TRANSP_UDP ? "SIP+D2U"
        : lookup->transport == SIP_TRANSP_TCP ? "SIP+D2T" : "SIPS+D2T";
    return !str_casecmp(record->rdata.naptr.services, service) && !str_casecmp(record->rdata.naptr.flags, "s");
}

static void pointers_came(int error, const struct dnshdr *header, struct list *answers, struct list *authorities,
                          struct list *additional, void *argument) {
    (void)error; (void)header; (void)authorities; (void)additional;
    struct lookup *lookup = argument;
    dns_rrlist_sort(answers, DNS_TYPE_NAPTR, 0);
    struct dnsrr *record = dns_rrlist_apply(answers, NULL, DNS_TYPE_NAPTR, DNS_CLASS_IN, false, take_pointer, lookup);
    char name[300];
    const char *prefix = lookup->transport == SIP_TRANSP_UDP ? "_sip._udp"
        : lookup->transport == SIP_TRANSP_TCP ? "_sip._tcp" : "_sips._tcp";
    if (record) str_ncpy(name, record->rdata.naptr.replace, sizeof name);
    else re_snprintf(name, sizeof name, "%s.%s", prefix, lookup->host);
    look_up_services(lookup, name);
}

int lookup_start(struct lookup **lookup, const char *host, uint16_t port, enum sip_transp transport,
                 lookup_handler *handler, void *argument) {
    struct lookup *made = mem_zalloc(sizeof *made, lookup_free);
    if (!made) return ENOMEM;
    made->transport = transport;
    made->handler = handler;
    made->argument = argument;
    int error = str_dup(&made->host, host);
    struct sa address;
    uint16_t usual = sip_transp_port(transport, port);
    if (!error && !sa_set_str(&address, host, usual)) {
        add_address(made, &address);
        finish_soon(made);
    } else if (!error && (port || look_into_hosts(made, host, usual))) {
        if (!made->count) add_target(made, host, port);
        look_up_target(made);
    } else if (!error && dnsc_query(&made->query, engine.dns, host, DNS_TYPE_NAPTR, DNS_CLASS_IN, true, pointers_came,
                                    made)) {
        finish_soon(made);
    }
    if (error) mem_deref(made);
    else *lookup = made;
    return error;
}

int lookup_source(const struct sa *remote, struct sa *local) {
    int descriptor = socket(sa_af(remote), SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0) return errno;
    int error = connect(descriptor, &remote->u.sa, remote->len) ? errno : 0;
    struct sockaddr_storage room;
    socklen_t length = sizeof room;
    if (!error && getsockname(descriptor, (struct sockaddr *)&room, &length)) error = errno;
    if (!error) error = sa_set_sa(local, (struct sockaddr *)&room);
    close(descriptor);
    if (!error) sa_set_port(local, 0);
    return error;
}
