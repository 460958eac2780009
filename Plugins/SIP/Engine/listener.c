// libre listens wherever it sends from. Nobody can connect to a TLS account, which has no certificate to show; yet each
// try would hold a descriptor for a while, and strangers could take all of them. The kernel drops what comes there.

#include <errno.h>
#include <linux/filter.h>

#include "internal.h"

static bool listens_at(int descriptor, const struct sa *local) {
    int is_listening = 0;
    socklen_t size = sizeof is_listening;
    if (getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &is_listening, &size) || !is_listening) return false;
    struct sockaddr_storage room;
    struct sa bound;
    size = sizeof room;
    if (getsockname(descriptor, (struct sockaddr *)&room, &size)) return false;
    return !sa_set_sa(&bound, (struct sockaddr *)&room) && sa_cmp(&bound, local, SA_ALL);
}

int listener_close(struct account *account, enum sip_transp transport) {
    struct sock_filter drop = BPF_STMT(BPF_RET | BPF_K, 0);
    struct sock_fprog program = {1, &drop};
    struct sa local;
    int error = sip_transp_laddr(account->sip, &local, transport, &account->server);
    if (error) return error;
    // libre does not tell its descriptor.
    for (int descriptor = 0; descriptor < MAX_DESCRIPTORS; descriptor++) {
        if (!listens_at(descriptor, &local)) continue;
        return setsockopt(descriptor, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program) ? errno : 0;
    }
    return ENOENT;
}
