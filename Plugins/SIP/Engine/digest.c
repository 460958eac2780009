// Digest authentication (RFC 2617, RFC 7616, RFC 8760): MD5 and SHA-256, qop auth or none.

#include <errno.h>
#include <string.h>

#include "internal.h"

#include <openssl/evp.h>

enum { MAX_REALMS = 3, HASH_TEXT = 2 * 32 + 1 };

// A challenge that can be answered.
struct challenge {
    struct le le;
    char *realm, *nonce, *opaque;
    bool is_proxy, has_qop, is_sha256;
    const char *algorithm;
    uint32_t count;
};

static void challenge_free(void *data) {
    struct challenge *challenge = data;
    list_unlink(&challenge->le);
    mem_deref(challenge->realm);
    mem_deref(challenge->nonce);
    mem_deref(challenge->opaque);
}

// Writes the hash of a text as hexadecimal digits.
static int hash(char *room, bool is_sha256, const char *text) {
    uint8_t bytes[EVP_MAX_MD_SIZE];
    unsigned length = 0;
    if (!EVP_Digest(text, strlen(text), bytes, &length, is_sha256 ? EVP_sha256() : EVP_md5(), NULL)) return ENOSYS;
    return re_snprintf(room, HASH_TEXT, "%w", bytes, (size_t)length) < 0 ? ENOMEM : 0;
}

// Writes the hash of a formatted text.
static int hash_format(char *room, bool is_sha256, const char *format, ...) {
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    int error = re_vsdprintf(&text, format, arguments);
    va_end(arguments);
    if (!error) error = hash(room, is_sha256, text);
    if (text) explicit_bzero(text, strlen(text));
    mem_deref(text);
    return error;
}

static bool offers_auth(const struct pl *qop) {
    for (size_t at = 0; at < qop->l;) {
        size_t end = at;
        while (end < qop->l && qop->p[end] != ',') end++;
        while (at < end && qop->p[at] == ' ') at++;
        struct pl word = {qop->p + at, end - at};
        while (word.l && word.p[word.l - 1] == ' ') word.l--;
        if (!pl_strcasecmp(&word, "auth")) return true;
        at = end + 1;
    }
    return false;
}

struct reading {
    struct digest *digest;
    unsigned taken;
    bool is_refused;
};

static struct challenge *find(struct digest *digest, const struct pl *realm, bool is_proxy) {
    for (struct le *at = digest->answers.head; at; at = at->next) {
        struct challenge *challenge = at->data;
        if (challenge->is_proxy == is_proxy && !pl_strcmp(realm, challenge->realm)) return challenge;
    }
    return NULL;
}

// Takes one challenge; those that we cannot answer are passed over.
static bool take(const struct sip_hdr *header, const struct sip_msg *message, void *argument) {
    (void)message;
    struct reading *reading = argument;
    struct httpauth_digest_chall read;
    if (header->val.l > MAX_HEADER || httpauth_digest_challenge_decode(&read, &header->val)) return false;
    bool is_sha256 = !pl_strcasecmp(&read.algorithm, "SHA-256");
    if (pl_isset(&read.algorithm) && !is_sha256 && pl_strcasecmp(&read.algorithm, "MD5")) return false;
    if (pl_isset(&read.qop) && !offers_auth(&read.qop)) return false;
    bool is_proxy = header->id == SIP_HDR_PROXY_AUTHENTICATE;
    struct challenge *known = find(reading->digest, &read.realm, is_proxy);
    if (known && !known->count) return false;
    if (known && pl_strcasecmp(&read.stale, "true")) {
        reading->is_refused = true;
        return true;
    }
    if (!known && list_count(&reading->digest->answers) >= MAX_REALMS) return true;
    mem_deref(known);
    struct challenge *challenge = mem_zalloc(sizeof *challenge, challenge_free);
    if (!challenge) return true;
    list_append(&reading->digest->answers, &challenge->le, challenge);
    challenge->is_proxy = is_proxy;
    challenge->is_sha256 = is_sha256;
    challenge->has_qop = pl_isset(&read.qop);
    challenge->algorithm = pl_isset(&read.algorithm) ? is_sha256 ? "SHA-256" : "MD5" : NULL;
    int error = text_unfold(&challenge->realm, &read.realm) | text_unfold(&challenge->nonce, &read.nonce);
    if (pl_isset(&read.opaque)) error |= text_unfold(&challenge->opaque, &read.opaque);
    if (error) mem_deref(challenge);
    else reading->taken++;
    return false;
}

int digest_challenge(struct digest *digest, const struct account *account, const struct sip_msg *message) {
    if (!account->password || digest->count >= MAX_CHALLENGES) return EAUTH;
    struct reading reading = {.digest = digest};
    sip_msg_hdr_apply(message, true, SIP_HDR_WWW_AUTHENTICATE, take, &reading);
    sip_msg_hdr_apply(message, true, SIP_HDR_PROXY_AUTHENTICATE, take, &reading);
    if (reading.is_refused || !reading.taken) return EAUTH;
    digest->count++;
    return 0;
}

static int print_answer(struct mbuf *buffer, struct challenge *challenge, const struct account *account,
                        const char *method, const char *uri) {
    char secret[HASH_TEXT], request[HASH_TEXT], response[HASH_TEXT], client_nonce[17];
    const char *user = account->auth_user ? account->auth_user : account->user;
    bool sha = challenge->is_sha256;
    challenge->count++;
    re_snprintf(client_nonce, sizeof client_nonce, "%016llx", rand_u64());
    int error = hash_format(secret, sha, "%s:%s:%s", user, challenge->realm, account->password);
    if (!error) error = hash_format(request, sha, "%s:%s", method, uri);
    if (!error && challenge->has_qop) {
        error = hash_format(response, sha, "%s:%s:%08x:%s:auth:%s", secret, challenge->nonce, challenge->count,
                            client_nonce, request);
    } else if (!error) {
        error = hash_format(response, sha, "%s:%s:%s", secret, challenge->nonce, request);
    }
    explicit_bzero(secret, sizeof secret);
    if (error) return error;
    error = mbuf_printf(buffer, "%sAuthorization: Digest username=\"%s\", realm=\"%s\", nonce=\"%s\", uri=\"%s\", "
                        "response=\"%s\"", challenge->is_proxy ? "Proxy-" : "", user, challenge->realm,
                        challenge->nonce, uri, response);
    if (challenge->algorithm) error |= mbuf_printf(buffer, ", algorithm=%s", challenge->algorithm);
    if (challenge->opaque) error |= mbuf_printf(buffer, ", opaque=\"%s\"", challenge->opaque);
    if (challenge->has_qop) {
        error |= mbuf_printf(buffer, ", cnonce=\"%s\", qop=auth, nc=%08x", client_nonce, challenge->count);
    }
    return error | mbuf_write_str(buffer, "\r\n");
}

int digest_print(struct mbuf *buffer, struct digest *digest, const struct account *account, const char *method,
                 const char *uri) {
    int error = 0;
    for (struct le *at = digest->answers.head; at && !error; at = at->next) {
        error = print_answer(buffer, at->data, account, method, uri);
    }
    return error;
}

void digest_reset(struct digest *digest) {
    list_flush(&digest->answers);
    digest->count = 0;
}
