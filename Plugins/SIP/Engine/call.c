// A call: what it is made of, how it ends, and what is told of it.

#include <errno.h>
#include <string.h>

#include "internal.h"

enum { QUALITY_MILLISECONDS = 5000 };

static void call_free(void *data) {
    struct call *call = data;
    list_unlink(&call->le);
    tmr_cancel(&call->glare);
    tmr_cancel(&call->quality);
    tmr_cancel(&call->later);
    tmr_cancel(&call->session.timer);
    answer_reset(&call->answer);
    list_flush(&call->jobs);
    list_flush(&call->early_tags);
    mem_deref(call->job);
    request_forget(&call->request);
    if (call->transaction) sip_treply(&call->transaction, call->account->sip, call->message, 480, "Gone");
    mem_deref(call->message);
    mem_deref(call->stream);
    mem_deref(call->dialog);
    mem_deref(call->extra_headers);
    mem_deref(call->media_tag);
}

struct call *call_find(uint64_t id) {
    for (struct le *at = engine.calls.head; at; at = at->next) {
        struct call *call = at->data;
        if (call->id == id && !call->successor_of && !call->is_silent) return call;
    }
    return NULL;
}

struct call *call_find_dialog(struct account *account, const struct sip_msg *message) {
    if (!pl_isset(&message->to.tag)) return NULL;
    for (struct le *at = engine.calls.head; at; at = at->next) {
        struct call *call = at->data;
        if (call->account == account && !call->is_left && dialog_matches(call->dialog, message)) return call;
    }
    return NULL;
}

int call_alloc(struct call **call, struct account *account, uint64_t id, bool is_incoming) {
    if (list_count(&engine.calls) >= MAX_CALLS) return ENOSPC;
    struct call *made = mem_zalloc(sizeof *made, call_free);
    if (!made) return ENOMEM;
    made->id = id;
    made->account = account;
    made->is_incoming = is_incoming;
    made->state = is_incoming ? CALL_RINGING : CALL_PREPARING;
    session_timer_reset(&made->session);
    list_append(&engine.calls, &made->le, made);
    *call = made;
    return 0;
}

// MARK: The stream

static void go_on(void *argument) {
    struct call *call = argument;
    if (call->stream_error) call_end(call, 503, call->stream_error, NULL);
    else call_go_on(call);
}

// The stream calls from its own inside, or before there is one: what follows happens later.
static void stream_is_ready(int error, void *argument) {
    struct call *call = argument;
    call->is_ready = !error;
    call->stream_error = error;
    tmr_start(&call->later, 0, go_on, call);
}

static void stream_has_changed(void *argument) {
    struct call *call = argument;
    if (call->state != CALL_ENDED && call->stream) call_tell_media(call);
}

static void sound_has_changed(bool is_heard, void *argument) {
    call_heard(argument, is_heard);
}

static void digit_came(char digit, void *argument) {
    struct call *call = argument;
    char text[2] = {digit, 0};
    if (call->state == CALL_UP) call_tell(call, &(struct csip_event){.kind = CSIP_DIGIT, .text = text});
}

static void digits_are_sent(void *argument) {
    struct call *call = argument;
    uint64_t token = call->digits_token;
    call->digits_token = 0;
    call_done(call, token, 0, 0);
}

static void stream_is_broken(int error, void *argument) {
    struct call *call = argument;
    engine_note(call->account->id, "The sound of a call cannot go on: %m.", error);
    call->stream_error = error ? error : EBADMSG;
    tmr_start(&call->later, 0, go_on, call);
}

int call_open_stream(struct call *call, bool is_offerer) {
    struct stream_handlers handlers = {
        .ready = stream_is_ready, .changed = stream_has_changed, .heard = sound_has_changed, .digit = digit_came,
        .digits_sent = digits_are_sent, .broken = stream_is_broken, .argument = call,
    };
    int error = stream_alloc(&call->stream, &call->account->policy, is_offerer, &call->account->local, engine.dns,
                             &handlers);
    if (error) return error;
    stream_mute(call->stream, call->is_muted);
    stream_set_group(call->stream, call->group);
    return 0;
}

int call_take_answer(struct call *call, const struct sip_msg *message, bool is_needed) {
    struct body body;
    body_read(&body, message, &body_session);
    int error = body.content ? stream_take_answer(call->stream, body.content) : is_needed ? EBADMSG : 0;
    body_reset(&body);
    return error;
}

void call_go_on(struct call *call) {
    if (call->state == CALL_PREPARING) {
        int error = call_invite(call);
        if (error) call_finish(call, 0, error, NULL);
    } else if (call->state == CALL_ANSWERING) {
        call_send_answer(call);
    }
}

// MARK: What is told

void call_tell(struct call *call, struct csip_event *event) {
    if (call->successor_of || call->is_silent) return;
    event->account = call->account->id;
    event->call = call->id;
    engine_event(event);
}

void call_done(struct call *call, uint64_t token, int error, uint16_t code) {
    if (!token) return;
    call_tell(call, &(struct csip_event){.kind = CSIP_DONE, .token = token, .error = error, .code = code});
}

void call_tell_media(struct call *call) {
    struct stream_state state = {0};
    stream_state(call->stream, &state);
    call_tell(call, &(struct csip_event){
        .kind = CSIP_MEDIA, .codec = state.codec, .encryption = state.encryption,
        .is_remote_held = state.is_remote_held,
    });
}

static void tell_quality(void *argument) {
    struct call *call = argument;
    struct stream_quality quality = {-1, -1, -1};
    tmr_start(&call->quality, QUALITY_MILLISECONDS, tell_quality, call);
    stream_quality(call->stream, &quality);
    call_tell(call, &(struct csip_event){
        .kind = CSIP_QUALITY, .round_trip = quality.round_trip, .jitter = quality.jitter, .loss = quality.loss,
    });
}

void call_connected(struct call *call) {
    call->state = CALL_UP;
    stream_establish(call->stream);
    session_timer_run(call);
    tmr_start(&call->quality, QUALITY_MILLISECONDS, tell_quality, call);
    uint64_t token = call->answer_token;
    call->answer_token = 0;
    // Before it is connected: afterwards the system may forget the call at any time.
    call_tell_media(call);
    call_done(call, token, 0, 0);
    if (!call->is_replacement) call_tell(call, &(struct csip_event){.kind = CSIP_CONNECTED});
    if (call->successor_of) referral_succeeded(call);
}

// MARK: The end

void call_finish(struct call *call, uint16_t code, int error, const char *reason) {
    if (call->state == CALL_ENDED) return;
    call->state = CALL_ENDED;
    mem_ref(call);
    list_unlink(&call->le);
    request_forget(&call->request);
    call_drop_jobs(call, ENOTCONN);
    call_done(call, call->digits_token, ENOTCONN, 0);
    // The end itself is the answer to an answer: the caller may have left, and then nothing has failed.
    call->answer_token = call->digits_token = 0;
    if (call->successor_of) referral_failed(call, code ? code : 503);
    else transfer_call_ended(call);
    referral_call_ended(call);
    call_tell(call, &(struct csip_event){.kind = CSIP_ENDED, .code = code, .error = error, .reason = reason});
    mem_deref(call);
    mem_deref(call);
}

void call_hand_over(struct call *call, struct call *successor) {
    bool is_held = call->is_held;
    call_drop_jobs(call, ECANCELED);
    call_done(call, call->digits_token, ECANCELED, 0);
    call->digits_token = 0;
    call->is_silent = true;
    successor->successor_of = NULL;
    successor->is_replacement = true;
    successor->id = call->id;
    call_finish(call, 0, 0, NULL);
    if (is_held) call_queue(successor, JOB_HOLD, 0);
}

void call_bye(struct call *call, const char *reason) {
    if (call->is_left) return;
    request_send(NULL, call->dialog, "BYE", NULL, NULL, "%s%s%sContent-Length: 0\r\n\r\n", reason ? "Reason: " : "",
                 reason ? reason : "", reason ? "\r\n" : "");
}

static void reject(struct call *call, uint16_t code) {
    static const struct {
        uint16_t code;
        const char *text;
    } phrases[] = {
        {404, "Not Found"}, {480, "Temporarily Unavailable"}, {486, "Busy Here"}, {488, "Not Acceptable Here"},
        {500, "Server Internal Error"}, {503, "Service Unavailable"}, {600, "Busy Everywhere"}, {603, "Decline"},
        {606, "Not Acceptable"}, {607, "Unwanted"}, {608, "Rejected"},
    };
    const char *text = "Rejected";
    if (code < 400 || code > 699) code = 480;
    for (size_t i = 0; i < sizeof phrases / sizeof phrases[0]; i++) {
        if (phrases[i].code == code) text = phrases[i].text;
    }
    sip_treply(&call->transaction, call->account->sip, call->message, code, text);
    call->transaction = NULL;
}

void call_end(struct call *call, uint16_t code, int error, const char *reason) {
    switch (call->state) {
    case CALL_PREPARING: case CALL_INVITING:
        // Forgetting the INVITE cancels it.
        call_finish(call, error ? 0 : 487, error, reason);
        return;
    case CALL_RINGING: case CALL_ANSWERING:
        if (!code) code = 480;
        reject(call, code);
        call_finish(call, error ? 0 : code, error, reason);
        return;
    case CALL_ANSWERED: case CALL_UP:
        call_bye(call, reason);
        call_finish(call, 0, error, reason);
        return;
    case CALL_ENDED:
        return;
    }
}
