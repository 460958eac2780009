// A dialog (RFC 3261, section 12): who we are to each other, and where its requests go.

#include <errno.h>
#include <string.h>

#include "internal.h"

static void dialog_free(void *data) {
    struct dialog *dialog = data;
    mem_deref(dialog->call_id);
    mem_deref(dialog->local_tag);
    mem_deref(dialog->remote_tag);
    mem_deref(dialog->local);
    mem_deref(dialog->remote);
    mem_deref(dialog->target);
    mem_deref(dialog->routes);
    mem_deref(dialog->hop);
}

static struct dialog *dialog_make(struct account *account) {
    struct dialog *dialog = mem_zalloc(sizeof *dialog, dialog_free);
    if (!dialog) return NULL;
    dialog->account = account;
    dialog->local_sequence = rand_u16();
    return dialog;
}

int dialog_alloc(struct dialog **dialog, struct account *account, const char *uri, const char *from) {
    struct dialog *made = dialog_make(account);
    if (!made) return ENOMEM;
    int error = re_sdprintf(&made->call_id, "%016llx%016llx", rand_u64(), rand_u64());
    error |= re_sdprintf(&made->local_tag, "%016llx", rand_u64());
    error |= re_sdprintf(&made->local, "%s;tag=%s", from, made->local_tag);
    error |= re_sdprintf(&made->remote, "<%s>", uri);
    error |= str_dup(&made->target, uri);
    if (account->proxy) {
        bool is_loose = strstr(account->proxy, ";lr") != NULL;
        error |= re_sdprintf(&made->routes, "Route: <%s%s>\r\n", account->proxy, is_loose ? "" : ";lr");
    } else {
        error |= str_dup(&made->routes, "");
    }
    error |= str_dup(&made->hop, account->hop);
    if (error) mem_deref(made);
    else *dialog = made;
    return error;
}

static bool is_short(const struct pl *text) {
    return text->l <= MAX_ROUTES_LENGTH;
}

// Whether a text is what a Call-ID or a tag can be: neither empty nor long, without spaces and controls.
static bool is_word(const struct pl *text) {
    for (size_t i = 0; i < text->l; i++) {
        if ((uint8_t)text->p[i] <= 0x20 || text->p[i] == 0x7F) return false;
    }
    return text->l > 0 && text->l <= 512;
}

// The Contact's URI.
static int read_target(char **target, const struct sip_msg *message) {
    const struct sip_hdr *contact = sip_msg_hdr(message, SIP_HDR_CONTACT);
    struct sip_addr address;
    char uri[MAX_HEADER];
    if (!contact || contact->val.l >= sizeof uri || sip_addr_decode(&address, &contact->val)) return EBADMSG;
    pl_strcpy(&address.auri, uri, sizeof uri);
    return text_is_uri(uri) ? str_dup(target, uri) : EBADMSG;
}

struct route_reading {
    struct mbuf *routes;
    char *hop;
    unsigned count;
};

static bool read_route(const struct sip_hdr *header, const struct sip_msg *message, void *argument) {
    (void)message;
    struct route_reading *reading = argument;
    struct sip_addr address;
    struct pl whole;
    char *value = NULL;
    if (++reading->count > MAX_ROUTES || reading->routes->end + header->val.l > MAX_ROUTES_LENGTH) return true;
    if (text_unfold(&value, &header->val)) return true;
    pl_set_str(&whole, value);
    int error = mbuf_printf(reading->routes, "Route: %s\r\n", value);
    if (!error && !reading->hop) {
        error = sip_addr_decode(&address, &whole);
        if (!error) error = pl_strdup(&reading->hop, &address.auri);
    }
    mem_deref(value);
    return error != 0;
}

// Takes the route set of a message, and its Contact as the target.
static int read_way(struct dialog *dialog, const struct sip_msg *message) {
    struct route_reading reading = {.routes = mbuf_alloc(256)};
    char *target = NULL, *routes = NULL;
    if (!reading.routes) return ENOMEM;
    int error = read_target(&target, message);
    if (!error && sip_msg_hdr_apply(message, message->req, SIP_HDR_RECORD_ROUTE, read_route, &reading)) error = EBADMSG;
    reading.routes->pos = 0;
    if (!error) error = mbuf_strdup(reading.routes, &routes, mbuf_get_left(reading.routes));
    if (!error && !reading.hop) reading.hop = mem_ref(target);
    if (!error) {
        mem_deref(dialog->target);
        mem_deref(dialog->routes);
        mem_deref(dialog->hop);
        dialog->target = mem_ref(target);
        dialog->routes = mem_ref(routes);
        dialog->hop = mem_ref(reading.hop);
    }
    mem_deref(target);
    mem_deref(routes);
    mem_deref(reading.hop);
    mem_deref(reading.routes);
    return error;
}

int dialog_accept(struct dialog **dialog, struct account *account, const struct sip_msg *message) {
    bool fits = is_short(&message->from.val) && is_short(&message->to.val) && is_word(&message->callid)
        && is_word(&message->from.tag);
    struct dialog *made = fits ? dialog_make(account) : NULL;
    if (!made) return fits ? ENOMEM : EBADMSG;
    made->remote_sequence = message->cseq.num;
    made->has_remote_sequence = true;
    char *to = NULL;
    int error = pl_strdup(&made->call_id, &message->callid);
    error |= re_sdprintf(&made->local_tag, "%016llx", message->tag);
    error |= pl_strdup(&made->remote_tag, &message->from.tag);
    error |= text_unfold(&to, &message->to.val);
    error |= re_sdprintf(&made->local, "%s;tag=%s", to, made->local_tag);
    error |= text_unfold(&made->remote, &message->from.val);
    mem_deref(to);
    if (!error) error = read_way(made, message);
    if (error) mem_deref(made);
    else *dialog = made;
    return error;
}

int dialog_establish(struct dialog *dialog, const struct sip_msg *message) {
    char *tag = NULL, *remote = NULL;
    if (!is_short(&message->to.val) || !is_word(&message->to.tag)) return EBADMSG;
    int error = pl_strdup(&tag, &message->to.tag) | text_unfold(&remote, &message->to.val);
    if (!error) error = read_way(dialog, message);
    if (error) {
        mem_deref(tag);
        mem_deref(remote);
        return error;
    }
    mem_deref(dialog->remote_tag);
    mem_deref(dialog->remote);
    dialog->remote_tag = tag;
    dialog->remote = remote;
    return 0;
}

int dialog_fork(struct dialog **fork, const struct dialog *dialog, const struct sip_msg *message) {
    struct dialog *made = dialog_make(dialog->account);
    if (!made) return ENOMEM;
    made->call_id = mem_ref(dialog->call_id);
    made->local_tag = mem_ref(dialog->local_tag);
    made->local = mem_ref(dialog->local);
    made->local_sequence = dialog->local_sequence;
    int error = dialog_establish(made, message);
    if (error) mem_deref(made);
    else *fork = made;
    return error;
}

void dialog_update(struct dialog *dialog, const struct sip_msg *message) {
    char *target = NULL;
    if (read_target(&target, message)) return;
    if (!*dialog->routes) {
        mem_deref(dialog->hop);
        dialog->hop = mem_ref(target);
    }
    mem_deref(dialog->target);
    dialog->target = target;
}

int dialog_first_hop(const struct dialog *dialog, struct uri *route) {
    struct pl hop;
    pl_set_str(&hop, dialog->hop);
    int error = uri_decode(route, &hop);
    // A TLS account sends nothing by another way, and libre knows no other scheme.
    if (!error) pl_set_str(&route->scheme, "sip");
    return error;
}

bool dialog_matches(const struct dialog *dialog, const struct sip_msg *message) {
    const struct pl *local = message->req ? &message->to.tag : &message->from.tag;
    const struct pl *remote = message->req ? &message->from.tag : &message->to.tag;
    return dialog && dialog->remote_tag && !pl_strcmp(&message->callid, dialog->call_id)
        && !pl_strcmp(local, dialog->local_tag) && !pl_strcmp(remote, dialog->remote_tag);
}

bool dialog_takes_sequence(struct dialog *dialog, const struct sip_msg *message) {
    if (dialog->has_remote_sequence && message->cseq.num <= dialog->remote_sequence) return false;
    dialog->remote_sequence = message->cseq.num;
    dialog->has_remote_sequence = true;
    return true;
}
