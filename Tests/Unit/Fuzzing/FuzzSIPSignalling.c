// Reads libFuzzer's input as a SIP message, and lets everything read it that reads messages before they are believed.
#include "../../../Plugins/SIP/Engine/call_requests.c"
#include "../../../Plugins/SIP/Engine/referral.c"
#include "../../../Plugins/SIP/Engine/replaces.c"

#define DEBUG_MODULE "fuzz"
#define DEBUG_LEVEL 0
#include <re_dbg.h>
#include <stdlib.h>

static struct account account = {
    .user = "alice", .domain = "example.org", .password = "secret", .address = "sip:alice@example.org",
    .from = "<sip:alice@example.org>", .contact_user = "contact", .hop = "sip:127.0.0.1",
};

// A text that goes on to others: valid UTF-8 without control characters, and no longer than its room.
static void check_text(const char *text, size_t room) {
    char copy[2 * MAX_HEADER];
    size_t length = strnlen(text, room);
    if (length == room) abort();
    struct pl whole = {text, length};
    text_copy(copy, sizeof copy, &whole);
    if (strcmp(copy, text) != 0) abort();
}

static void read_identity(const struct sip_msg *message) {
    char identity[MAX_IDENTITY], reason[MAX_REASON];
    identity_read(identity, sizeof identity, message);
    // Each line is a text with a name.
    for (char *at = identity, *end; *at; at = end + 1) {
        end = strchr(at, '\n');
        if (!end) abort();
        *end = 0;
        if (!strstr(at, ": ")) abort();
        check_text(at, (size_t)(end - at) + 1);
    }
    identity_reason(message, reason);
    check_text(reason, sizeof reason);
}

static void read_timers(const struct sip_msg *message) {
    char room[160];
    struct session_timer timer = {.interval = SESSION_INTERVAL, .minimum = SESSION_MINIMUM};
    session_timer_answer(&timer, message, room, sizeof room);
    session_timer_agreed(&timer, message);
    session_timer_refused(&timer, message);
    session_timer_offer(&timer, true, room, sizeof room);
    if (timer.interval < SESSION_MINIMUM || timer.interval > 86400) abort();
}

// What is written into our requests begins no header of its own: lines may only go on, with a space.
static void check_line(const char *text) {
    for (const char *at = text; at && (at = strpbrk(at, "\r\n"));) {
        at += at[0] == '\r' && at[1] == '\n' ? 2 : 1;
        if (*at != ' ' && *at != '\t') abort();
    }
}

static void read_dialog(const struct sip_msg *message) {
    struct dialog *dialog = NULL;
    if (message->req ? dialog_accept(&dialog, &account, message)
                     : dialog_alloc(&dialog, &account, "sip:bob@example.org", account.from)) return;
    if (!message->req) dialog_establish(dialog, message);
    dialog_update(dialog, message);
    dialog_matches(dialog, message);
    dialog_takes_sequence(dialog, message);
    check_line(dialog->target);
    check_line(dialog->remote);
    check_line(dialog->local);
    check_line(dialog->call_id);
    if (strlen(dialog->routes) > MAX_ROUTES_LENGTH + 16 * MAX_ROUTES) abort();
    mem_deref(dialog);
}

static void read_transfer(const struct sip_msg *message) {
    const struct sip_hdr *target = sip_msg_hdr(message, SIP_HDR_REFER_TO);
    const struct sip_hdr *replaces = sip_msg_hdr(message, SIP_HDR_REPLACES);
    char value[MAX_HEADER] = "";
    if (target && read_whole(value, &target->val)) check_text(value, sizeof value);
    if (replaces) find(&account, &replaces->val);
}

static void read_challenge(const struct sip_msg *message) {
    struct digest digest = {0};
    struct mbuf *buffer = mbuf_alloc(512);
    if (!digest_challenge(&digest, &account, message)) {
        digest_print(buffer, &digest, &account, "REGISTER", "sip:example.org");
    }
    mem_deref(buffer);
    digest_reset(&digest);
}

static void read_body(const struct sip_msg *message) {
    static const struct body_form *const forms[] = {&body_session, &body_key, &body_fragment};
    for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
        struct body body;
        body_read(&body, message, forms[i]);
        if (body.refusal && body.refusal != 400 && body.refusal != 415) abort();
        if (body.content && mbuf_get_left(body.content) > mbuf_get_left(message->mb)) abort();
        char key = body.content ? read_key(body.content) : 0;
        if (key && !strchr("0123456789*#ABCD", key)) abort();
        body_reset(&body);
    }
}

int LLVMFuzzerInitialize(int *count, char ***arguments) {
    (void)count; (void)arguments;
    dbg_init(DBG_EMERG, DBG_NONE);
    return libre_init();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct mbuf *buffer = mbuf_alloc(size + 1);
    struct sip_msg *message = NULL;
    mbuf_write_mem(buffer, data, size);
    buffer->pos = 0;
    if (!sip_msg_decode(&message, buffer)) {
        read_identity(message);
        read_timers(message);
        read_dialog(message);
        read_transfer(message);
        read_challenge(message);
        read_body(message);
    }
    mem_deref(message);
    mem_deref(buffer);
    return 0;
}
