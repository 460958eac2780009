// RTCP: reports to the far side, and what its reports tell.

#include "rtp.h"

#include <string.h>

enum {
    REPORT_BLOCK = 24,
    SENDER_INFORMATION = 20,
    /// Of packets in one datagram; more is no report.
    MOST_PACKETS = 8,
    LONGEST_ROUND_TRIP = 60000,
};

// Seconds in the upper half, parts of them in the lower. They are those of the system's uptime, as RFC 3550 (6.4.1) allows: round
// trips are measured by them, and the wall clock may be set meanwhile.
static uint64_t ntp_time(void) {
    uint64_t now = microseconds();
    return now / 1000000 << 32 | (now % 1000000 << 32) / 1000000;
}

static int write_u32(struct mbuf *packet, uint32_t value) {
    return mbuf_write_u32(packet, htonl(value));
}

static int write_header(struct mbuf *packet, unsigned count, enum rtcp_type type, size_t bytes_after) {
    return write_u32(packet, 0x80000000U | (uint32_t)count << 24 | (uint32_t)type << 16 | (uint32_t)(bytes_after / 4));
}

static int write_block(struct mbuf *packet, struct rtp_receiver *receiver, uint32_t clock) {
    uint32_t expected = rtp_receiver_expected(receiver);
    int64_t lost = (int64_t)expected - receiver->received;
    uint32_t expected_now = expected - receiver->reported_expected;
    int64_t lost_now = (int64_t)expected_now - (receiver->received - receiver->reported_received);
    uint32_t fraction = lost_now > 0 && expected_now > 0 ? (uint32_t)(lost_now * 255 / expected_now) : 0;
    receiver->reported_expected = expected;
    receiver->reported_received = receiver->received;
    if (lost > 0x7fffff) lost = 0x7fffff;
    if (lost < -0x800000) lost = -0x800000;
    uint32_t delay = 0;
    if (receiver->report_time != 0) delay = (uint32_t)((microseconds() - receiver->report_arrival) * 65536 / 1000000);
    int error = write_u32(packet, receiver->source);
    error |= write_u32(packet, fraction << 24 | ((uint32_t)lost & 0xffffff));
    error |= write_u32(packet, receiver->highest);
    error |= write_u32(packet, (uint32_t)(receiver->jitter * clock));
    error |= write_u32(packet, receiver->report_time);
    return error | write_u32(packet, delay);
}

static int write_name(struct mbuf *packet, uint32_t source, const char *name) {
    size_t length = strlen(name), padding = 4 - (2 + length) % 4;
    int error = write_header(packet, 1, RTCP_SDES, 4 + 2 + length + padding);
    error |= write_u32(packet, source);
    error |= mbuf_write_u8(packet, RTCP_SDES_CNAME) | mbuf_write_u8(packet, (uint8_t)length);
    return error | mbuf_write_str(packet, name) | mbuf_fill(packet, 0, padding);
}

int rtcp_write(struct mbuf *packet, const struct rtp_sender *sender, struct rtp_receiver *receiver, uint32_t clock,
               const char *name) {
    bool is_sender = sender->packets > 0;
    unsigned count = receiver->has_source ? 1 : 0;
    size_t length = 4 + (is_sender ? SENDER_INFORMATION : 0) + count * REPORT_BLOCK;
    int error = write_header(packet, count, is_sender ? RTCP_SR : RTCP_RR, length);
    error |= write_u32(packet, sender->source);
    if (is_sender) {
        uint64_t now = ntp_time();
        error |= write_u32(packet, (uint32_t)(now >> 32)) | write_u32(packet, (uint32_t)now);
        error |= write_u32(packet, sender->timestamp);
        error |= write_u32(packet, sender->packets) | write_u32(packet, sender->octets);
    }
    if (count > 0) error |= write_block(packet, receiver, clock);
    return error | write_name(packet, sender->source, name);
}

static uint32_t read_u32(const uint8_t *bytes) {
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static void read_block(const uint8_t *block, const struct rtp_sender *sender, double *round_trip) {
    uint32_t last = read_u32(block + 16), delay = read_u32(block + 20);
    if (read_u32(block) != sender->source || last == 0) return;
    uint32_t now = (uint32_t)(ntp_time() >> 16), passed = now - last - delay;
    double milliseconds = passed * 1000.0 / 65536;
    // The two clocks may differ by a little, so that nothing seems to have passed.
    if (passed > 0xffff0000U) milliseconds = 0;
    if (milliseconds < LONGEST_ROUND_TRIP) *round_trip = milliseconds;
}

static void read_report(const uint8_t *packet, size_t length, const struct rtp_sender *sender,
                        struct rtp_receiver *receiver, double *round_trip) {
    unsigned count = packet[0] & 0x1f;
    size_t offset = 8;
    if (packet[1] == RTCP_SR) {
        offset += SENDER_INFORMATION;
        if (length < offset) return;
        if (receiver->has_source && read_u32(packet + 4) == receiver->source) {
            receiver->report_time = read_u32(packet + 8) << 16 | read_u32(packet + 12) >> 16;
            receiver->report_arrival = microseconds();
        }
    }
    for (; count > 0 && length >= offset + REPORT_BLOCK; count--, offset += REPORT_BLOCK) {
        read_block(packet + offset, sender, round_trip);
    }
}

void rtcp_read(struct mbuf *packet, const struct rtp_sender *sender, struct rtp_receiver *receiver,
               double *round_trip) {
    const uint8_t *bytes = mbuf_buf(packet);
    size_t left = mbuf_get_left(packet);
    for (int i = 0; i < MOST_PACKETS && left >= 8; i++) {
        size_t length = ((size_t)bytes[2] << 8 | bytes[3]) * 4 + 4;
        if (bytes[0] >> 6 != RTCP_VERSION || length > left) return;
        if (length >= 8 && (bytes[1] == RTCP_SR || bytes[1] == RTCP_RR)) {
            read_report(bytes, length, sender, receiver, round_trip);
        }
        bytes += length;
        left -= length;
    }
}
