// RTP: numbering what is sent, judging what is received.

#include "rtp.h"

#include <math.h>
#include <string.h>
#include <time.h>

enum {
    /// A number that is further away is another run of numbers.
    MOST_MISSING = 3000,
    MOST_BACKWARD = 100,
};

uint64_t microseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

void rtp_sender_init(struct rtp_sender *sender) {
    memset(sender, 0, sizeof *sender);
    sender->source = rand_u32();
    // In the lower half, so that a lost first packet does not confuse the count of rounds (RFC 3711, 3.3.1).
    sender->sequence = rand_u16() & 0x7fff;
    sender->timestamp = rand_u32();
}

int rtp_sender_write(struct rtp_sender *sender, struct mbuf *packet, bool is_marked, uint8_t payload_type,
                     uint32_t timestamp, size_t length) {
    struct rtp_header header = {.ver = RTP_VERSION, .m = is_marked, .pt = payload_type};
    header.seq = sender->sequence++;
    header.ts = timestamp;
    header.ssrc = sender->source;
    sender->packets += 1;
    sender->octets += (uint32_t)length;
    return rtp_hdr_encode(packet, &header);
}

int rtp_read(struct rtp_header *header, struct mbuf *packet) {
    if (mbuf_get_left(packet) < RTP_HEADER_SIZE) return EBADMSG;
    if (rtp_hdr_decode(header, packet) != 0 || header->ver != RTP_VERSION) return EBADMSG;
    if (!header->pad) return 0;
    size_t left = mbuf_get_left(packet), padding = left > 0 ? packet->buf[packet->end - 1] : 0;
    if (padding == 0 || padding > left) return EBADMSG;
    packet->end -= padding;
    return 0;
}

static void begin(struct rtp_receiver *receiver, const struct rtp_header *header) {
    uint32_t report_time = receiver->report_time;
    uint64_t report_arrival = receiver->report_arrival;
    bool is_same = receiver->has_source && receiver->source == header->ssrc;
    memset(receiver, 0, sizeof *receiver);
    receiver->has_source = true;
    receiver->source = header->ssrc;
    receiver->first = receiver->highest = header->seq;
    if (!is_same) return;
    receiver->report_time = report_time;
    receiver->report_arrival = report_arrival;
}

static void measure_jitter(struct rtp_receiver *receiver, const struct rtp_header *header, uint32_t clock) {
    double arrival = (double)microseconds() / 1e6, transit = arrival - (double)header->ts / clock;
    double difference = fabs(transit - receiver->transit);
    bool is_first = receiver->received == 0;
    receiver->transit = transit;
    // A far side that begins a new count of time, or whose count goes over, has not been late for hours.
    if (is_first || difference > 10) return;
    receiver->jitter += (difference - receiver->jitter) / 16;
}

static bool is_second_of_new(struct rtp_receiver *receiver, const struct rtp_header *header) {
    bool is_second = receiver->has_next && receiver->next_source == header->ssrc &&
                     receiver->next_sequence == header->seq;
    receiver->has_next = true;
    receiver->next_source = header->ssrc;
    receiver->next_sequence = (uint16_t)(header->seq + 1);
    return is_second;
}

enum rtp_verdict rtp_receiver_take(struct rtp_receiver *receiver, const struct rtp_header *header, uint32_t clock,
                                   bool is_trusted) {
    bool is_known = receiver->has_source && receiver->source == header->ssrc;
    int16_t distance = (int16_t)(header->seq - (uint16_t)receiver->highest);
    if (!is_known || distance > MOST_MISSING || distance < -MOST_BACKWARD) {
        if (receiver->has_source && !is_trusted && !is_second_of_new(receiver, header)) return RTP_REFUSED;
        begin(receiver, header);
        measure_jitter(receiver, header, clock);
        receiver->received = 1;
        return RTP_NEW_SOURCE;
    }
    if (distance > 0) receiver->highest += (uint32_t)distance;
    measure_jitter(receiver, header, clock);
    receiver->received += 1;
    receiver->has_next = false;
    return RTP_TAKEN;
}

uint32_t rtp_receiver_expected(const struct rtp_receiver *receiver) {
    return receiver->has_source ? receiver->highest - receiver->first + 1 : 0;
}
