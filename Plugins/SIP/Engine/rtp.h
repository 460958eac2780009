// What one side of a call knows of its packets: those it sends, and the source it hears (RFC 3550).

#ifndef CSIP_RTP_H
#define CSIP_RTP_H

#include "libre.h"

struct rtp_sender {
    uint32_t source;
    uint16_t sequence;
    uint32_t timestamp;
    uint32_t packets, octets;
};

struct rtp_receiver {
    bool has_source;
    uint32_t source;
    /// The highest number with the rounds counted above 16 bits, and the first one.
    uint32_t highest, first;
    uint32_t received;
    /// What was expected and received when quality was told last, and when a report was sent last.
    uint32_t told_expected, told_received, reported_expected, reported_received;
    /// In seconds.
    double jitter, transit;
    /// Another source, or another run of numbers, counts once two packets follow each other.
    uint32_t next_source;
    uint16_t next_sequence;
    bool has_next;
    /// The far side's last report: the middle of its clock's time, and when it came, in microseconds.
    uint32_t report_time;
    uint64_t report_arrival;
};

/// Microseconds of a clock that does not jump.
uint64_t microseconds(void);

void rtp_sender_init(struct rtp_sender *sender);

/// Writes the header of the next packet and counts it.
/// @param length that of the payload.
int rtp_sender_write(struct rtp_sender *sender, struct mbuf *packet, bool is_marked, uint8_t payload_type,
                     uint32_t timestamp, size_t length);

/// Reads a packet's header and leaves its payload in `packet`.
/// @returns EBADMSG if it is not one.
int rtp_read(struct rtp_header *header, struct mbuf *packet);

enum rtp_verdict { RTP_REFUSED, RTP_TAKEN, RTP_NEW_SOURCE };

/// Counts a packet.
/// @param clock of its timestamps, a second.
/// @param is_trusted it is authenticated, so that one packet is enough for a new source.
enum rtp_verdict rtp_receiver_take(struct rtp_receiver *receiver, const struct rtp_header *header, uint32_t clock,
                                   bool is_trusted);

/// How many packets were to come so far.
uint32_t rtp_receiver_expected(const struct rtp_receiver *receiver);

/// Writes a report (RFC 3550, 6.4) about both directions.
int rtcp_write(struct mbuf *packet, const struct rtp_sender *sender, struct rtp_receiver *receiver, uint32_t clock,
               const char *name);

/// Reads reports.
/// @param round_trip is set, in milliseconds, if a report tells it.
void rtcp_read(struct mbuf *packet, const struct rtp_sender *sender, struct rtp_receiver *receiver, double *round_trip);

#endif
