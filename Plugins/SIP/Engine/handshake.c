#include "handshake.h"
int handshake_describe(struct handshake **handshake, struct stream *stream, struct description *ours, bool is_offer) {
    (void)handshake; (void)stream; (void)ours; (void)is_offer;
    return ENOTSUP;
}
int handshake_take(struct handshake **handshake, struct stream *stream, const struct description *theirs, bool is_offer) {
    (void)handshake; (void)stream; (void)theirs; (void)is_offer;
    return ENOTSUP;
}
void handshake_start(struct handshake *handshake) { (void)handshake; }
void handshake_close(void) {}
