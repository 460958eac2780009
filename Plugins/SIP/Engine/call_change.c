// Changes of a call that is up: hold, another address, the refresh of its timer; and those of the far side. One is
// under way at a time, the others wait.

#include <errno.h>
#include <string.h>

#include "internal.h"

enum { MAX_RETRIES = 5, LONGEST_RETRY_AFTER = 10 };

static void job_free(void *data) {
    list_unlink(&((struct job *)data)->le);
}

static void drop(struct call *call, struct job *job, int error, uint16_t code) {
    call_done(call, job->token, error, code);
    mem_deref(job);
}

void call_drop_jobs(struct call *call, int error) {
    if (call->job) drop(call, call->job, error, 0);
    call->job = NULL;
    while (call->jobs.head) drop(call, call->jobs.head->data, error, 0);
}

static bool waits_for(const struct call *call, enum job_kind kind) {
    for (struct le *at = call->jobs.head; at; at = at->next) {
        if (((const struct job *)at->data)->kind == kind) return true;
    }
    return false;
}

void call_queue(struct call *call, enum job_kind kind, uint64_t token) {
    if (!token && waits_for(call, kind)) return;
    if ((kind == JOB_HOLD || kind == JOB_RESUME) && referral_waits_alone(call)) {
        // There is nobody to tell; another call that holds this one must not wait for the user's word on the transfer.
        call->is_held = kind == JOB_HOLD;
        call_done(call, token, 0, 0);
        return;
    }
    bool can_wait = list_count(&call->jobs) < MAX_JOBS && !call->is_left;
    struct job *job = can_wait ? mem_zalloc(sizeof *job, job_free) : NULL;
    if (!job) {
        call_done(call, token, EBUSY, 0);
        return;
    }
    job->kind = kind;
    job->token = token;
    list_append(&call->jobs, &job->le, job);
    call_next_job(call);
}

// MARK: Ours

static void job_succeeded(struct call *call) {
    struct job *job = call->job;
    call->job = NULL;
    if (job->kind == JOB_HOLD || job->kind == JOB_RESUME) call->is_held = job->kind == JOB_HOLD;
    drop(call, job, 0, 0);
    call_next_job(call);
}

static void job_failed(struct call *call, int error, uint16_t code) {
    struct job *job = call->job;
    call->job = NULL;
    stream_hold(call->stream, call->is_held);
    drop(call, job, error, code);
    call_next_job(call);
}

static void send_job(void *argument);

// Tries again later: the far side is changing the call as well (491), or asks for time (500).
static void retry_job(struct call *call, const struct sip_msg *message) {
    const struct sip_hdr *header = sip_msg_hdr(message, SIP_HDR_RETRY_AFTER);
    uint64_t pause;
    if (++call->retries > MAX_RETRIES) {
        job_failed(call, EBUSY, message->scode);
        return;
    }
    if (message->scode == 500 && header) {
        uint32_t seconds = pl_u32(&header->val);
        pause = 1000ull * (seconds < LONGEST_RETRY_AFTER ? seconds : LONGEST_RETRY_AFTER);
    } else {
        // RFC 3261, section 14.1: whoever made the Call-ID waits longer.
        pause = call->is_incoming ? 10ull * (rand_u16() % 201) : 2100 + 10ull * (rand_u16() % 191);
    }
    tmr_start(&call->glare, pause, send_job, call);
}

static void job_accepted(struct call *call, const struct sip_msg *message) {
    dialog_update(call->dialog, message);
    int error = call_take_answer(call, message, true);
    acknowledgement_send(call->dialog, message->cseq.num, NULL);
    if (error) {
        call_end(call, 488, error, "SIP;cause=488");
        return;
    }
    session_timer_agreed(&call->session, message);
    session_timer_run(call);
    job_succeeded(call);
}

static void job_answered(int error, const struct sip_msg *message, void *argument) {
    struct call *call = argument;
    uint16_t code = message ? message->scode : 0;
    if (message && code < 200) return;
    if (error == ETIMEDOUT || code == 408 || code == 481) {
        call_bye(call, NULL);
        call_finish(call, code, error, NULL);
    } else if (error) {
        job_failed(call, error, 0);
    } else if (code < 300) {
        job_accepted(call, message);
    } else if (code == 491 || (code == 500 && sip_msg_hdr(message, SIP_HDR_RETRY_AFTER))) {
        retry_job(call, message);
    } else if (code == 422 && ++call->retries <= MAX_RETRIES && session_timer_refused(&call->session, message)) {
        send_job(call);
    } else {
        job_failed(call, EPROTO, code);
    }
}

static void send_job(void *argument) {
    struct call *call = argument;
    struct mbuf *description = NULL;
    char session[160], headers[MAX_HEADER];
    if (call->answer.message) {
        // An exchange of the far side came between: it is acknowledged first.
        tmr_start(&call->glare, 200, send_job, call);
        return;
    }
    if (call->job->kind == JOB_HOLD || call->job->kind == JOB_RESUME) {
        stream_hold(call->stream, call->job->kind == JOB_HOLD);
    } else if (call->job->kind == JOB_MOVE) {
        stream_move(call->stream, &call->account->local);
    }
    int error = stream_offer(call->stream, false, &description);
    session_timer_offer(&call->session, true, session, sizeof session);
    re_snprintf(headers, sizeof headers, ALLOW "%s", session);
    if (!error) {
        error = request_send_body(&call->request, call->dialog, "INVITE", job_answered, call, headers,
                                  "application/sdp", description);
    }
    mem_deref(description);
    if (error) job_failed(call, error, 0);
}

void call_next_job(struct call *call) {
    if (call->state != CALL_UP || call->job || call->answer.message || !call->jobs.head) return;
    struct job *job = call->jobs.head->data;
    list_unlink(&job->le);
    call->job = job;
    call->retries = 0;
    bool is_so = (job->kind == JOB_HOLD && call->is_held) || (job->kind == JOB_RESUME && !call->is_held);
    if (is_so) job_succeeded(call);
    else send_job(call);
}

// MARK: Theirs

static void refuse(struct call *call, const struct sip_msg *message, uint16_t code) {
    struct sip *sip = call->account->sip;
    switch (code) {
    case 422:
        sip_treplyf(NULL, NULL, sip, message, false, code, "Session Interval Too Small",
                    "Min-SE: %u\r\nContent-Length: 0\r\n\r\n", (unsigned)SESSION_MINIMUM);
        break;
    case 400: case 415: body_refuse(sip, message, code, &body_session); break;
    case 488: sip_treply(NULL, sip, message, code, "Not Acceptable Here"); break;
    case 491: sip_treply(NULL, sip, message, code, "Request Pending"); break;
    default:
        sip_treplyf(NULL, NULL, sip, message, false, 500, "Server Internal Error",
                    "Retry-After: %u\r\nContent-Length: 0\r\n\r\n", rand_u16() % 10u);
    }
}

// Takes the offer of a request, if it has one, and makes what belongs into its 2xx. Returns the code that refuses it, or
// 0.
static uint16_t agree(struct call *call, const struct sip_msg *message, const struct body *body, char *headers,
                      size_t size, struct mbuf **description, bool is_invite) {
    bool has_offer = body->content != NULL;
    bool is_early = call->state == CALL_RINGING || call->state == CALL_ANSWERING;
    *headers = 0;
    // Without an offer it only tells who is there.
    if (is_early && !has_offer && !is_invite) return body->refusal;
    if (call->state != CALL_UP || call->answer.message) return 500;
    if (call->request && (has_offer || is_invite)) return 491;
    if (body->refusal) return body->refusal;
    if (!session_timer_answer(&call->session, message, headers, size)) return 422;
    if (has_offer && stream_take_offer(call->stream, body->content)) return 488;
    int error = has_offer ? stream_answer(call->stream, description)
        : is_invite ? stream_offer(call->stream, true, description) : 0;
    return error ? 500 : 0;
}

void call_changed(struct call *call, const struct sip_msg *message) {
    struct mbuf *description = NULL;
    struct body body;
    char headers[160];
    body_read(&body, message, &body_session);
    uint16_t code = agree(call, message, &body, headers, sizeof headers, &description, true);
    if (!code) {
        dialog_update(call->dialog, message);
        if (answer_send(call, NULL, message, headers, description)) code = 500;
        call->answer.awaits_description = !body.content;
    }
    body_reset(&body);
    mem_deref(description);
    if (code) refuse(call, message, code);
    else session_timer_run(call);
}

void call_updated(struct call *call, const struct sip_msg *message) {
    struct mbuf *description = NULL;
    struct body body;
    char headers[160];
    body_read(&body, message, &body_session);
    uint16_t code = agree(call, message, &body, headers, sizeof headers, &description, false);
    body_reset(&body);
    if (code) {
        refuse(call, message, code);
        return;
    }
    struct response_contact contact = {call->account, message};
    dialog_update(call->dialog, message);
    sip_treplyf(NULL, NULL, call->account->sip, message, false, 200, "OK",
                "%H" ALLOW "%s%sContent-Length: %zu\r\n\r\n%b", response_contact_print, &contact, headers,
                description ? "Content-Type: application/sdp\r\n" : "",
                description ? mbuf_get_left(description) : (size_t)0, description ? mbuf_buf(description) : NULL,
                description ? mbuf_get_left(description) : (size_t)0);
    mem_deref(description);
    if (call->state == CALL_UP) session_timer_run(call);
}
