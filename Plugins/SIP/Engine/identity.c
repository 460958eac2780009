// Who calls: what the far side says, and what the network adds.

#define _GNU_SOURCE
#include <string.h>

#include "internal.h"

// Takes the backslashes out of a quoted name.
static void unescape(char *name) {
    char *to = name;
    for (const char *from = name; *from; from++) {
        if (*from == '\\' && from[1]) from++;
        *to++ = *from;
    }
    *to = 0;
}

static void read_from(const struct sip_taddr *from, char *uri, char *name) {
    text_copy(uri, MAX_TEXT, &from->auri);
    text_copy(name, MAX_TEXT, &from->dname);
    unescape(name);
}

// The URI of an address header's first value, without what asks for headers.
static void read_uri(const struct pl *value, char *room) {
    struct sip_addr address;
    struct pl head = *value;
    if (head.l > MAX_HEADER || sip_addr_decode(&address, &head)) return;
    const char *question = pl_strchr(&address.auri, '?');
    if (question) address.auri.l = (size_t)(question - address.auri.p);
    text_copy(room, MAX_TEXT, &address.auri);
}

// The last but one entry of History-Info is who sent the call on to where it is now.
struct history {
    struct pl last, before;
};

static bool read_history(const struct sip_hdr *header, const struct sip_msg *message, void *argument) {
    (void)message;
    struct history *history = argument;
    history->before = history->last;
    history->last = header->val;
    return false;
}

static void read_diversion(struct identity *identity, const struct sip_msg *message) {
    const struct sip_hdr *diversion = sip_msg_xhdr(message, "Diversion");
    struct history history = {PL_INIT, PL_INIT};
    if (diversion) {
        read_uri(&diversion->val, identity->diverted_by);
        return;
    }
    sip_msg_hdr_apply(message, true, SIP_HDR_HISTORY_INFO, read_history, &history);
    if (pl_isset(&history.before)) read_uri(&history.before, identity->diverted_by);
}

// What the network found out about the caller's number (3GPP TS 24.229, verstat).
static void read_verification(struct identity *identity, const struct pl *header) {
    struct pl word;
    if (!header || header->l > MAX_HEADER || re_regex(header->p, header->l, "verstat=[^;>,@ ]+", &word)) return;
    const char *result = text_contains(&word, "passed") ? "passed" : text_contains(&word, "failed") ? "failed" : "none";
    str_ncpy(identity->verification, result, sizeof identity->verification);
}

// What the network found out is told apart from who it is.
static void remove_verification(char *uri) {
    char *start = strcasestr(uri, ";verstat=");
    if (!start) return;
    const char *end = start + 1 + strcspn(start + 1, ";@>");
    memmove(start, end, strlen(end) + 1);
}

// Who the network says it is: then its name counts as well.
static void read_asserted(struct identity *identity, const struct pl *header) {
    struct sip_addr address;
    read_uri(header, identity->asserted);
    remove_verification(identity->asserted);
    if (!*identity->asserted || sip_addr_decode(&address, header)) return;
    text_copy(identity->name, sizeof identity->name, &address.dname);
    unescape(identity->name);
}

void identity_read(struct identity *identity, const struct sip_msg *message, bool is_trusted) {
    memset(identity, 0, sizeof *identity);
    read_from(&message->from, identity->uri, identity->name);
    read_diversion(identity, message);
    const struct sip_hdr *asserted = sip_msg_hdr(message, SIP_HDR_P_ASSERTED_IDENTITY);
    if (!is_trusted) return;
    if (asserted) read_asserted(identity, &asserted->val);
    read_verification(identity, asserted ? &asserted->val : NULL);
    if (!*identity->verification) read_verification(identity, &message->from.val);
}

void identity_reason(const struct sip_msg *message, char *room) {
    const struct sip_hdr *reason = sip_msg_hdr(message, SIP_HDR_REASON);
    if (reason) text_copy(room, MAX_TEXT, &reason->val);
}
