// libre listens wherever it sends from. Nobody can connect to a TLS account, which has no certificate to show; yet each
// try would hold a descriptor for a while, and strangers could take all of them. And libre answers everybody's STUN
// requests, with more bytes than they have. The kernel drops what comes there.

#include <errno.h>
#include <linux/filter.h>

#include "internal.h"

enum {
    UDP_HEADER = 8,
    /// The bits of a STUN message's type that are zero in a request, and in nothing else that comes.
    NO_REQUEST = 0xC110,
};

static bool is_at(int descriptor, const struct sa *local, bool is_udp) {
    int type = 0, is_listening = 0;
    socklen_t size = sizeof type;
    if (getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &size) || (type == SOCK_DGRAM) != is_udp) return false;
    size = sizeof is_listening;
    if (getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &is_listening, &size)) return false;
    struct sockaddr_storage room;
    struct sa bound;
    size = sizeof room;
    if ((!is_udp && !is_listening) || getsockname(descriptor, (struct sockaddr *)&room, &size)) return false;
    return !sa_set_sa(&bound, (struct sockaddr *)&room) && sa_cmp(&bound, local, SA_ALL);
}

static int attach(struct account *account, enum sip_transp transport, const struct sock_fprog *program) {
    struct sa local;
    int error = sip_transp_laddr(account->sip, &local, transport, &account->server);
    if (error) return error;
    // libre does not tell its descriptor.
    for (int descriptor = 0; descriptor < MAX_DESCRIPTORS; descriptor++) {
        if (!is_at(descriptor, &local, transport == SIP_TRANSP_UDP)) continue;
        return setsockopt(descriptor, SOL_SOCKET, SO_ATTACH_FILTER, program, sizeof *program) ? errno : 0;
    }
    return ENOENT;
}

int listener_close(struct account *account, enum sip_transp transport) {
    struct sock_filter drop = BPF_STMT(BPF_RET | BPF_K, 0);
    return attach(account, transport, &(struct sock_fprog){1, &drop});
}

int listener_leave_stun(struct account *account) {
    struct sock_filter steps[] = {
        BPF_STMT(BPF_LD | BPF_H | BPF_ABS, UDP_HEADER),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, NO_REQUEST, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, 0),
        BPF_STMT(BPF_RET | BPF_K, UINT32_MAX),
    };
    return attach(account, SIP_TRANSP_UDP, &(struct sock_fprog){ARRAY_SIZE(steps), steps});
}
