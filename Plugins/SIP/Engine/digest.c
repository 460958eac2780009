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

/// What a challenge says. What it does not say is NULL.
struct words {
    char *realm, *nonce, *opaque, *algorithm, *qop, *stale;
};

static void words_free(struct words *words) {
    char *texts[] = {words->realm, words->nonce, words->opaque, words->algorithm, words->qop, words->stale};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) mem_deref(texts[i]);
}

static char **find_word(struct words *words, const struct pl *name) {
    struct {
        const char *name;
        char **text;
    } known[] = {
        {"realm", &words->realm}, {"nonce", &words->nonce}, {"opaque", &words->opaque},
        {"algorithm", &words->algorithm}, {"qop", &words->qop}, {"stale", &words->stale},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (!pl_strcasecmp(name, known[i].name)) return known[i].text;
    }
    return NULL;
}

static void skip(struct pl *text, const char *what) {
    while (text->l && *text->p && strchr(what, *text->p)) pl_advance(text, 1);
}

// The length of what comes before one of these characters.
static size_t length_before(const struct pl *text, const char *ends) {
    size_t length = 0;
    while (length < text->l && !(text->p[length] && strchr(ends, text->p[length]))) length++;
    return length;
}

// Takes a value, without its quotes and the backslashes in them (RFC 3261, 25.1). NULL for a quoted one without an end.
static char *take_value(struct pl *text) {
    char room[MAX_HEADER];
    size_t length = 0;
    if (!text->l || *text->p != '"') {
        struct pl word = {text->p, length_before(text, ", \t\r\n")};
        char *copy = NULL;
        pl_advance(text, (ssize_t)word.l);
        return pl_strdup(&copy, &word) ? NULL : copy;
    }
    for (pl_advance(text, 1); text->l && *text->p != '"' && length + 1 < sizeof room; pl_advance(text, 1)) {
        if (*text->p == '\\' && text->l > 1) pl_advance(text, 1);
        // A line that goes on does so with a space.
        room[length++] = (uint8_t)*text->p < 0x20 || *text->p == 0x7F ? ' ' : *text->p;
    }
    if (!text->l || *text->p != '"') return NULL;
    pl_advance(text, 1);
    room[length] = 0;
    return text_duplicate(room);
}

// Reads `Digest realm="example.org", nonce="…"`. Returns whether it is such a challenge, and whole.
static bool read_words(struct words *words, const struct pl *value) {
    static const char spaces[] = " \t\r\n", ends[] = " \t\r\n,=";
    struct pl rest = *value;
    struct pl scheme = {rest.p, length_before(&rest, spaces)};
    if (pl_strcasecmp(&scheme, "Digest")) return false;
    pl_advance(&rest, (ssize_t)scheme.l);
    while (rest.l) {
        skip(&rest, ", \t\r\n");
        struct pl name = {rest.p, length_before(&rest, ends)};
        pl_advance(&rest, (ssize_t)name.l);
        skip(&rest, spaces);
        if (!rest.l || *rest.p != '=') continue;
        pl_advance(&rest, 1);
        skip(&rest, spaces);
        char *text = take_value(&rest), **room = find_word(words, &name);
        if (!text) return false;
        if (room && !*room) *room = text;
        else mem_deref(text);
    }
    return words->realm && words->nonce;
}

static bool offers_auth(const char *qop) {
    struct pl rest;
    pl_set_str(&rest, qop);
    while (rest.l) {
        skip(&rest, ", \t");
        struct pl word = {rest.p, length_before(&rest, ", \t")};
        if (!pl_strcasecmp(&word, "auth")) return true;
        pl_advance(&rest, (ssize_t)word.l);
    }
    return false;
}

struct reading {
    struct digest *digest;
    unsigned taken;
    bool is_refused;
};

static struct challenge *find(struct digest *digest, const char *realm, bool is_proxy) {
    for (struct le *at = digest->answers.head; at; at = at->next) {
        struct challenge *challenge = at->data;
        if (challenge->is_proxy == is_proxy && !strcmp(realm, challenge->realm)) return challenge;
    }
    return NULL;
}

// Keeps a challenge that can be answered. Returns whether there is no use in reading further ones.
static bool keep(struct reading *reading, struct words *words, bool is_proxy) {
    bool has_algorithm = str_isset(words->algorithm), has_qop = str_isset(words->qop);
    bool is_sha256 = has_algorithm && !str_casecmp(words->algorithm, "SHA-256");
    if (has_algorithm && !is_sha256 && str_casecmp(words->algorithm, "MD5")) return false;
    if (has_qop && !offers_auth(words->qop)) return false;
    struct challenge *known = find(reading->digest, words->realm, is_proxy);
    if (known && !known->count) return false;
    if (known && str_casecmp(words->stale, "true")) {
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
    challenge->has_qop = has_qop;
    challenge->algorithm = has_algorithm ? is_sha256 ? "SHA-256" : "MD5" : NULL;
    challenge->realm = mem_ref(words->realm);
    challenge->nonce = mem_ref(words->nonce);
    challenge->opaque = mem_ref(words->opaque);
    reading->taken++;
    return false;
}

// Takes one challenge; those that we cannot answer are passed over.
static bool take(const struct sip_hdr *header, const struct sip_msg *message, void *argument) {
    (void)message;
    struct words words = {0};
    bool is_enough = header->val.l <= MAX_HEADER && read_words(&words, &header->val)
        && keep(argument, &words, header->id == SIP_HDR_PROXY_AUTHENTICATE);
    words_free(&words);
    return is_enough;
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
    error = mbuf_printf(buffer, "%sAuthorization: Digest username=\"%H\", realm=\"%H\", nonce=\"%H\", uri=\"%s\", "
                        "response=\"%s\"", challenge->is_proxy ? "Proxy-" : "", text_print_quoted, user,
                        text_print_quoted, challenge->realm, text_print_quoted, challenge->nonce, uri, response);
    if (challenge->algorithm) error |= mbuf_printf(buffer, ", algorithm=%s", challenge->algorithm);
    if (challenge->opaque) error |= mbuf_printf(buffer, ", opaque=\"%H\"", text_print_quoted, challenge->opaque);
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
