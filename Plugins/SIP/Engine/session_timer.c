// Session timers (RFC 4028): a call whose far side has vanished ends by itself.

#include <errno.h>
#include <string.h>

#include "internal.h"

// A refresh that does not come is missed by this many seconds at most (RFC 4028, section 10).
enum { LONGEST_EARLY_END = 32, LONGEST_INTERVAL = 86400 };

void session_timer_reset(struct session_timer *timer) {
    tmr_cancel(&timer->timer);
    timer->interval = SESSION_INTERVAL;
    timer->minimum = SESSION_MINIMUM;
    timer->refresher = REFRESHER_NONE;
}

const char *session_timer_offer(const struct session_timer *timer, bool is_refresh, char *room, size_t size) {
    const char *refresher = !is_refresh || timer->refresher == REFRESHER_NONE ? ""
        : timer->refresher == REFRESHER_WE ? ";refresher=uac" : ";refresher=uas";
    re_snprintf(room, size, "Supported: timer, replaces\r\nSession-Expires: %u%s\r\nMin-SE: %u\r\n", timer->interval,
                refresher, timer->minimum);
    return room;
}

// The number at the start of a header, before its parameters; 0 if there is none.
static uint32_t read_seconds(const struct sip_hdr *header) {
    struct pl digits;
    if (!header || re_regex(header->val.p, header->val.l, "[0-9]+", &digits) || digits.p != header->val.p) return 0;
    return digits.l > 6 ? LONGEST_INTERVAL : pl_u32(&digits);
}

// Reads Session-Expires. Returns 0 if there is none.
static uint32_t read_interval(const struct sip_msg *message, struct pl *refresher) {
    const struct sip_hdr *header = sip_msg_hdr(message, SIP_HDR_SESSION_EXPIRES);
    *refresher = pl_null;
    if (header) msg_param_decode(&header->val, "refresher", refresher);
    uint32_t seconds = read_seconds(header);
    return seconds > LONGEST_INTERVAL ? LONGEST_INTERVAL : seconds;
}

bool session_timer_answer(struct session_timer *timer, const struct sip_msg *message, char *room, size_t size) {
    struct pl refresher;
    uint32_t interval = read_interval(message, &refresher);
    bool is_known = sip_msg_hdr_has_value(message, SIP_HDR_SUPPORTED, "timer");
    *room = 0;
    if (interval && interval < SESSION_MINIMUM && is_known) return false;
    if (!interval) {
        timer->refresher = is_known ? REFRESHER_WE : REFRESHER_NONE;
        if (!is_known) return true;
        interval = timer->interval;
    }
    timer->interval = interval < SESSION_MINIMUM ? SESSION_MINIMUM : interval;
    bool is_theirs = is_known && pl_strcasecmp(&refresher, "uas");
    timer->refresher = is_theirs ? REFRESHER_THEY : REFRESHER_WE;
    re_snprintf(room, size, "Supported: timer, replaces\r\n%sSession-Expires: %u;refresher=%s\r\n",
                is_theirs ? "Require: timer\r\n" : "", timer->interval, is_theirs ? "uac" : "uas");
    return true;
}

void session_timer_agreed(struct session_timer *timer, const struct sip_msg *message) {
    struct pl refresher;
    uint32_t interval = read_interval(message, &refresher);
    if (!interval) {
        // The far side knows no timers: we refresh nevertheless, which tells whether it is still there.
        timer->refresher = REFRESHER_WE;
        return;
    }
    timer->interval = interval < SESSION_MINIMUM ? SESSION_MINIMUM : interval;
    timer->refresher = pl_strcasecmp(&refresher, "uas") ? REFRESHER_WE : REFRESHER_THEY;
}

bool session_timer_refused(struct session_timer *timer, const struct sip_msg *message) {
    uint32_t least = read_seconds(sip_msg_hdr(message, SIP_HDR_MIN_SE));
    if (least <= timer->minimum || least > LONGEST_INTERVAL) return false;
    timer->minimum = least;
    if (timer->interval < least) timer->interval = least;
    return true;
}

static void refresh(void *argument) {
    struct call *call = argument;
    call_queue(call, JOB_REFRESH, 0);
}

static void expired(void *argument) {
    struct call *call = argument;
    call_end(call, 408, ETIMEDOUT, NULL);
}

void session_timer_run(struct call *call) {
    struct session_timer *timer = &call->session;
    uint64_t interval = timer->interval;
    uint64_t early = interval / 3 < LONGEST_EARLY_END ? interval / 3 : LONGEST_EARLY_END;
    tmr_cancel(&timer->timer);
    if (timer->refresher == REFRESHER_WE) tmr_start(&timer->timer, interval * 500, refresh, call);
    if (timer->refresher == REFRESHER_THEY) tmr_start(&timer->timer, (interval - early) * 1000, expired, call);
}
