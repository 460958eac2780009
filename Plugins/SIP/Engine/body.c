// Reading bodies in several parts (RFC 2046, RFC 5621), within fixed bounds: they come from outside. libre reads media
// types; it has nothing for parts, and its reader of parameters does not know where names and quotes begin.

#include <errno.h>
#include <string.h>

#include "internal.h"
#include "mime.h"

enum {
    MAXIMUM_DEPTH = 4,
    MAXIMUM_PARTS = 32,
};

const struct body_form body_session = {
    .types = (const char *const[]){"application/sdp", NULL}, .accept = ACCEPT_SESSION,
    .disposition = "session",
};
const struct body_form body_key = {
    .types = (const char *const[]){
        "application/dtmf-relay", "application/dtmf", "audio/telephone-event", "application/vnd.nortelnetworks.digits",
        NULL},
    .accept = "application/dtmf-relay, application/dtmf, audio/telephone-event, "
              "application/vnd.nortelnetworks.digits, " ACCEPT_PARTS,
};
const struct body_form body_fragment = {
    .types = (const char *const[]){"message/sipfrag", NULL}, .accept = "message/sipfrag, " ACCEPT_PARTS,
};

/// What a part is to us.
enum verdict {
    /// It has nothing for us, and need not be understood.
    VERDICT_IGNORED,
    VERDICT_FOUND,
    /// It must be understood, and is not.
    VERDICT_UNKNOWN,
    VERDICT_BROKEN,
};

struct reading {
    const struct body_form *form;
    struct mbuf *content;
    unsigned depth, count;
};

static enum verdict read_part(struct reading *reading, const struct mime_part *part);

// MARK: One part

static bool has_type(const struct msg_ctype *type, const struct body_form *form) {
    for (const char *const *name = form->types; *name; name++) {
        const char *slash = strchr(*name, '/');
        struct pl whole = {*name, (size_t)(slash - *name)};
        if (!pl_casecmp(&type->type, &whole) && !pl_strcasecmp(&type->subtype, slash + 1)) return true;
    }
    return false;
}

// Whether a part may be left unread. What others refer to by its Content-ID is there for who follows the reference.
static bool is_optional(const struct mime_part *part) {
    char handling[16];
    if (mime_parameter(&part->disposition, "handling", handling, sizeof handling)) {
        return !str_casecmp(handling, "optional");
    }
    struct pl disposition = mime_value(&part->disposition);
    return disposition.l ? !pl_strcasecmp(&disposition, "by-reference") : part->id.l > 0;
}

static enum verdict take(struct reading *reading, const struct mime_part *part) {
    struct pl disposition = mime_value(&part->disposition);
    const char *wanted = reading->form->disposition;
    if (wanted && disposition.l && pl_strcasecmp(&disposition, wanted)) return VERDICT_UNKNOWN;
    if (part->coding.l && pl_strcasecmp(&part->coding, "identity")) return VERDICT_UNKNOWN;
    // The first one counts.
    if (reading->content) return VERDICT_FOUND;
    int error = mime_decode(&reading->content, part);
    return error == ENOTSUP ? VERDICT_UNKNOWN : error ? VERDICT_BROKEN : VERDICT_FOUND;
}

// MARK: Several parts

// The first part of `related`, or the one that its parameter `start` names, is what it is about (RFC 2387).
static bool is_root(const struct mime_part *part, const char *start, unsigned number) {
    return *start ? !pl_strcmp(&part->id, start) : number == 0;
}

static enum verdict read_all(struct reading *reading, struct mime_parts *parts, const char *start, bool has_root) {
    enum verdict result = VERDICT_IGNORED;
    struct mime_part part;
    for (unsigned number = 0; mime_next(parts, &part); number++) {
        enum verdict verdict = read_part(reading, &part);
        if (verdict == VERDICT_BROKEN) return verdict;
        if (verdict == VERDICT_UNKNOWN && has_root && !is_root(&part, start, number)) continue;
        if (verdict > result) result = verdict;
    }
    return result;
}

// The last one that is understood (RFC 2046, section 5.1.4), whatever the others say of themselves.
static enum verdict read_best(struct reading *reading, struct mime_parts *parts) {
    struct mbuf *before = reading->content, *best = NULL;
    struct mime_part part;
    while (mime_next(parts, &part)) {
        reading->content = NULL;
        bool is_found = read_part(reading, &part) == VERDICT_FOUND;
        mem_deref(is_found ? best : reading->content);
        if (is_found) best = reading->content;
    }
    bool is_understood = best != NULL;
    reading->content = before ? before : best;
    if (before) mem_deref(best);
    if (reading->count > MAXIMUM_PARTS) return VERDICT_BROKEN;
    return is_understood ? VERDICT_FOUND : VERDICT_UNKNOWN;
}

static enum verdict read_parts(struct reading *reading, const struct mime_part *whole, const struct msg_ctype *type) {
    struct mime_parts parts;
    char start[MIME_MAXIMUM_PARAMETER] = "";
    if (reading->depth >= MAXIMUM_DEPTH || mime_open(&parts, whole, &type->params)) return VERDICT_BROKEN;
    bool is_related = !pl_strcasecmp(&type->subtype, "related");
    if (is_related) mime_parameter(&type->params, "start", start, sizeof start);
    reading->depth += 1;
    enum verdict verdict = !pl_strcasecmp(&type->subtype, "alternative") ? read_best(reading, &parts)
        : read_all(reading, &parts, start, is_related);
    reading->depth -= 1;
    return verdict;
}

static enum verdict read_part(struct reading *reading, const struct mime_part *part) {
    struct msg_ctype type;
    enum verdict verdict = VERDICT_UNKNOWN;
    if (++reading->count > MAXIMUM_PARTS) return VERDICT_BROKEN;
    if (!msg_ctype_decode(&type, &part->type)) {
        if (!pl_strcasecmp(&type.type, "multipart")) verdict = read_parts(reading, part, &type);
        else if (has_type(&type, reading->form)) verdict = take(reading, part);
    }
    return verdict >= VERDICT_UNKNOWN && is_optional(part) ? VERDICT_IGNORED : verdict;
}

// MARK: A message

static struct pl value_of(const struct sip_hdr *header) {
    return header ? header->val : (struct pl)PL_INIT;
}

// In a datagram, what follows the announced length is no part of the message (RFC 3261, section 18.3).
static struct pl content_of(const struct sip_msg *message) {
    struct pl content = {(const char *)mbuf_buf(message->mb), mbuf_get_left(message->mb)};
    const struct pl *length = &message->clen;
    bool is_number = length->l > 0 && length->l < 10;
    for (size_t i = 0; is_number && i < length->l; i++) is_number = length->p[i] >= '0' && length->p[i] <= '9';
    if (is_number && pl_u32(length) < content.l) content.l = pl_u32(length);
    return content;
}

void body_read(struct body *body, const struct sip_msg *message, const struct body_form *form) {
    struct mime_part whole = {
        .type = value_of(sip_msg_hdr(message, SIP_HDR_CONTENT_TYPE)),
        .disposition = value_of(sip_msg_hdr(message, SIP_HDR_CONTENT_DISPOSITION)),
        .encoding = value_of(sip_msg_xhdr(message, "Content-Transfer-Encoding")),
        .coding = value_of(sip_msg_hdr(message, SIP_HDR_CONTENT_ENCODING)),
        .content = content_of(message),
    };
    struct reading reading = {.form = form};
    memset(body, 0, sizeof *body);
    if (!whole.content.l) return;
    enum verdict verdict = read_part(&reading, &whole);
    body->content = reading.content;
    body->refusal = verdict == VERDICT_UNKNOWN ? 415 : verdict == VERDICT_BROKEN ? 400 : 0;
}

void body_reset(struct body *body) {
    body->content = mem_deref(body->content);
}

void body_refuse(struct sip *sip, const struct sip_msg *message, uint16_t code, const struct body_form *form) {
    const char *text = code == 415 ? "Unsupported Media Type" : "Bad Request";
    char headers[256] = "";
    if (code == 415) re_snprintf(headers, sizeof headers, "Accept: %s\r\nAccept-Encoding: identity\r\n", form->accept);
    // No transaction is kept for what belongs to no call.
    if (pl_isset(&message->to.tag)) {
        sip_treplyf(NULL, NULL, sip, message, false, code, text, "%sContent-Length: 0\r\n\r\n", headers);
    } else {
        sip_replyf(sip, message, code, text, "%sContent-Length: 0\r\n\r\n", headers);
    }
}
