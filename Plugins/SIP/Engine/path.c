// ICE by libre's agent. RTCP has a way of its own if the far side does not take it together with RTP.

#include "path.h"

#include "gather.h"
#include "handshake.h"

#include <string.h>

enum {
    LAYER = 0,
    COMPONENTS = 2,
    /// Without a way for so long there is none.
    LONGEST_SEARCH = 20000,
    USER_LENGTH = 8,
    PASSWORD_LENGTH = 24,
    /// A far side that knows the password may try so many addresses. Beyond, its requests are dropped.
    MOST_REMOTE_CANDIDATES = 64,
    /// Sees packets before the agent does.
    GUARD_LAYER = -1,
    /// Sees packets as they come in, before the TURN client has unwrapped them.
    WATCH_LAYER = -50,
    /// So many packets that came directly show that the relay is not needed; a second of sound.
    ENOUGH_DIRECT = 50,
    LOOK_INTERVAL = 50,
    /// How long a better way is waited for after the first one; the agent would wait until every other one has failed.
    BETTER_WAY_TIMEOUT = 250,
    FIRST_RETRANSMISSION = 100,
    RETRANSMISSIONS = 4,
    /// How long the answer to the last one is waited for, in units of the first.
    LAST_WAIT = 4,
};

/// Tries the next pair. libre 1.1 goes on to it only when the one before has answered or failed, which takes a second
/// for each address that nobody answers from; it has this for its own use. Where it is missing, the pairs are tried
/// one by one.
void icem_conncheck_schedule_check(struct icem *agent) __attribute__((weak));

/// RTP or RTCP.
struct component {
    struct path *path;
    unsigned number;
    struct gatherer *gatherer;
    struct udp_helper *guard, *watch;
    bool is_gathered, is_found;
    struct sa remote;
    unsigned direct_packets;
};

struct path {
    struct stream *stream;
    struct component components[COMPONENTS];
    struct icem *agent;
    char user[USER_LENGTH + 1], password[PASSWORD_LENGTH + 1];
    /// The far side's, by which a new start is told; empty if it has none.
    char remote_user[260];
    bool is_used, is_offerer, is_searching, is_found;
    uint64_t search_begin, first_way;
    struct tmr timer;
};

bool path_is_wanted(const struct stream_policy *policy) {
    bool has_stun = policy->stun_server != NULL && *policy->stun_server != '\0';
    bool has_turn = policy->turn_server != NULL && *policy->turn_server != '\0';
    return has_stun || has_turn;
}

static void forget(struct component *component) {
    component->guard = mem_deref(component->guard);
    component->watch = mem_deref(component->watch);
    component->gatherer = mem_deref(component->gatherer);
    component->is_gathered = component->is_found = false;
    component->direct_packets = 0;
}

static void path_free(void *argument) {
    struct path *path = argument;
    tmr_cancel(&path->timer);
    mem_deref(path->agent);
    for (size_t i = 0; i < COMPONENTS; i++) forget(&path->components[i]);
}

// MARK: The agent

// The relay wraps all that goes to an address it knows, so it goes once the far side is seen to send directly.
static void leave_relay(struct component *component) {
    const struct ice_cand *ours = icem_selected_lcand(component->path->agent, component->number);
    if (ours == NULL || icem_cand_type(ours) == ICE_CAND_TYPE_RELAY) return;
    icem_set_turn_client(component->path->agent, component->number, NULL);
    gatherer_release_turn(component->gatherer);
}

static void look(void *argument) {
    struct path *path = argument;
    uint64_t now = tmr_jiffies();
    if (path->is_found) {
        if (path->components[0].direct_packets >= ENOUGH_DIRECT) leave_relay(&path->components[0]);
        else tmr_start(&path->timer, LOOK_INTERVAL * 10, look, path);
        return;
    }
    if (now - path->search_begin > LONGEST_SEARCH) {
        stream_post_broken(path->stream, EHOSTUNREACH);
        return;
    }
    tmr_start(&path->timer, LOOK_INTERVAL, look, path);
    if (icem_conncheck_schedule_check != NULL) icem_conncheck_schedule_check(path->agent);
    if (list_isempty(icem_validl(path->agent))) return;
    if (path->first_way == 0) path->first_way = now;
    if (now - path->first_way > BETTER_WAY_TIMEOUT) icem_conncheck_stop(path->agent, 0);
}

static bool use_selected(struct component *component) {
    const struct ice_cand *remote = icem_selected_rcand(component->path->agent, component->number);
    if (remote == NULL) return false;
    component->is_found = true;
    component->remote = *icem_lcand_addr(remote);
    return true;
}

// A way for RTP is enough: without one for RTCP there are no reports.
static void checked(int error, bool is_update, void *argument) {
    struct path *path = argument;
    struct transport *transport = path->stream->transport;
    (void)is_update;
    if (!use_selected(&path->components[0])) {
        if (!path->is_found) stream_post_broken(path->stream, error != 0 ? error : EHOSTUNREACH);
        return;
    }
    path->is_found = true;
    bool is_muxed = path->stream->taken->is_muxed;
    struct sa rtcp;
    sa_init(&rtcp, AF_UNSPEC);
    if (!is_muxed && use_selected(&path->components[1])) rtcp = path->components[1].remote;
    const struct ice_cand *ours = icem_selected_lcand(path->agent, ICE_COMPID_RTP);
    transport_set_direct(transport, ours != NULL && icem_cand_type(ours) != ICE_CAND_TYPE_RELAY);
    transport_set_muxed(transport, is_muxed);
    transport_set_remote(transport, &path->components[0].remote, &rtcp, true);
    handshake_start(path->stream->handshake);
}

// Whether whoever has sent a message knows the password of our description, or has made theirs.
static bool is_authentic(const struct path *path, const struct stun_msg *message, bool is_request) {
    const struct description *theirs = path->stream->taken;
    const char *password = is_request ? path->password : theirs != NULL ? theirs->ice_password : "";
    return *password != '\0' && stun_msg_chk_mi(message, (const uint8_t *)password, strlen(password)) == 0;
}

// Only who is authentic is answered. Each request that comes from somewhere new adds an address to the agent's list.
static bool guard(struct sa *source, struct mbuf *packet, void *argument) {
    const struct component *component = argument;
    struct icem *agent = component->path->agent;
    struct stun_msg *message;
    struct stun_unknown_attr unknown;
    size_t position = packet->pos;
    if (agent == NULL || mbuf_get_left(packet) < STUN_HEADER_SIZE || mbuf_buf(packet)[0] > 3) return false;
    bool is_message = stun_msg_decode(&message, packet, &unknown) == 0;
    bool is_request = is_message && stun_msg_class(message) == STUN_CLASS_REQUEST;
    bool is_theirs = is_message && is_authentic(component->path, message, is_request);
    if (is_message) mem_deref(message);
    packet->pos = position;
    if (is_theirs) reach_hear(&component->path->stream->reach, source, component->number == ICE_COMPID_RTCP);
    if (is_request && !is_theirs) return true;
    struct list *remotes = icem_rcandl(agent);
    return list_count(remotes) >= MOST_REMOTE_CANDIDATES && icem_cand_find(remotes, component->number, source) == NULL;
}

static bool watch(struct sa *source, struct mbuf *packet, void *argument) {
    struct component *component = argument;
    bool is_sound = mbuf_get_left(packet) > 0 && mbuf_buf(packet)[0] >= 128 && mbuf_buf(packet)[0] < 192;
    if (is_sound && component->is_found && sa_cmp(source, &component->remote, SA_ALL)) component->direct_packets += 1;
    return false;
}

static int add_candidates(struct component *component) {
    struct icem *agent = component->path->agent;
    const struct gathered *list;
    size_t count = gatherer_list(component->gatherer, &list);
    uint16_t preference = UINT16_MAX;
    int error = 0;
    for (size_t i = 0; i < count && error == 0; i++) {
        if (list[i].type == ICE_CAND_TYPE_HOST) {
            error = icem_cand_add(agent, component->number, preference--, NULL, &list[i].address);
        }
    }
    struct ice_cand *base = icem_cand_find(icem_lcandl(agent), component->number, NULL);
    for (size_t i = 0; i < count && error == 0 && base != NULL; i++) {
        if (list[i].type == ICE_CAND_TYPE_HOST) continue;
        error = icem_lcand_add(agent, base, list[i].type, &list[i].address);
    }
    return error;
}

static struct udp_sock *socket_of(const struct component *component) {
    const struct transport *transport = component->path->stream->transport;
    return component->number == ICE_COMPID_RTP ? transport_socket(transport) : transport_rtcp_socket(transport);
}

static int add_component(struct component *component) {
    struct icem *agent = component->path->agent;
    int error = icem_comp_add(agent, component->number, socket_of(component));
    if (error == 0) error = add_candidates(component);
    struct turnc *turn = gatherer_turn(component->gatherer);
    if (error == 0 && turn != NULL) error = icem_set_turn_client(agent, component->number, turn);
    component->is_found = false;
    component->direct_packets = 0;
    return error;
}

static int make_agent(struct path *path, bool is_renamed) {
    path->agent = mem_deref(path->agent);
    path->is_searching = path->is_found = false;
    transport_set_direct(path->stream->transport, false);
    path->first_way = 0;
    tmr_cancel(&path->timer);
    if (is_renamed) {
        rand_str(path->user, sizeof path->user);
        rand_str(path->password, sizeof path->password);
    }
    int error = icem_alloc(&path->agent, ICE_MODE_FULL, path->is_offerer ? ICE_ROLE_CONTROLLING : ICE_ROLE_CONTROLLED,
                           IPPROTO_UDP, LAYER, rand_u64(), path->user, path->password, checked, path);
    const struct ice_conf configuration = {FIRST_RETRANSMISSION, RETRANSMISSIONS, false};
    if (error == 0) icem_set_conf(path->agent, &configuration);
    if (error == 0) stun_conf(icem_stun(path->agent))->rm = LAST_WAIT;
    for (size_t i = 0; i < COMPONENTS && error == 0; i++) error = add_component(&path->components[i]);
    if (error == 0) icem_cand_redund_elim(path->agent);
    if (error == 0) error = icem_comps_set_default_cand(path->agent);
    return error;
}

static void gathered(void *argument) {
    struct component *component = argument;
    struct path *path = component->path;
    component->is_gathered = true;
    // After a new start the agent is at work already.
    if (path->agent != NULL || !path->components[0].is_gathered || !path->components[1].is_gathered) return;
    int error = make_agent(path, true);
    if (error == 0 && path->stream->taken != NULL) error = path_take(path, path->stream->taken, !path->is_offerer);
    stream_post_ready(path->stream, error);
}

static int gather_component(struct component *component) {
    struct stream *stream = component->path->stream;
    const struct stream_policy *policy = &stream->policy;
    struct udp_sock *socket = socket_of(component);
    const struct gather_request request = {
        socket, (uint16_t)(transport_port(stream->transport) + component->number - 1), stream->local, stream->dns,
        &stream->reach, policy->stun_server, policy->turn_server, policy->turn_user, policy->turn_password,
    };
    int error = udp_register_helper(&component->guard, socket, GUARD_LAYER, NULL, guard, component);
    if (error == 0) error = udp_register_helper(&component->watch, socket, WATCH_LAYER, NULL, watch, component);
    return error != 0 ? error : gatherer_alloc(&component->gatherer, &request, gathered, component);
}

static int gather(struct path *path) {
    path->agent = mem_deref(path->agent);
    int error = 0;
    for (size_t i = 0; i < COMPONENTS && error == 0; i++) {
        struct component *component = &path->components[i];
        forget(component);
        component->path = path;
        component->number = (unsigned)i + 1;
        error = gather_component(component);
    }
    return error;
}

int path_alloc(struct path **result, struct stream *stream) {
    struct path *path = mem_zalloc(sizeof *path, path_free);
    if (path == NULL) return ENOMEM;
    path->stream = stream;
    path->is_offerer = stream->is_offerer;
    int error = gather(path);
    if (error != 0) mem_deref(path);
    else *result = path;
    return error;
}

// MARK: Descriptions

// Without ICE at the far side this is the address that it sends to.
static void describe_default(const struct component *component, struct sa *address) {
    const struct gathered *list;
    size_t count = gatherer_list(component->gatherer, &list);
    const struct sa *best = component->is_found ? icem_selected_laddr(component->path->agent, component->number) : NULL;
    for (size_t i = 0; i < count && best == NULL; i++) {
        if (list[i].type == ICE_CAND_TYPE_SRFLX) best = &list[i].address;
    }
    if (best != NULL && sa_isset(best, SA_ALL)) *address = *best;
}

static bool is_told(const struct ice_cand *candidate, const struct path *path, bool is_rtp_only) {
    // Those that were learnt from the far side's requests are not for it.
    if (icem_cand_type(candidate) == ICE_CAND_TYPE_PRFLX) return false;
    const struct sa *address = icem_lcand_addr(candidate);
    return !is_rtp_only || icem_cand_find(icem_lcandl(path->agent), ICE_COMPID_RTP, address) == candidate;
}

int path_describe(const struct path *path, struct description *ours, bool is_offer) {
    if (path->agent == NULL) return 0;
    str_ncpy(ours->ice_user, path->user, sizeof ours->ice_user);
    str_ncpy(ours->ice_password, path->password, sizeof ours->ice_password);
    ours->rtcp = ours->address;
    sa_set_port(&ours->rtcp, (uint16_t)(sa_port(&ours->address) + 1));
    describe_default(&path->components[0], &ours->address);
    describe_default(&path->components[1], &ours->rtcp);
    // An answer that takes RTCP together with RTP needs no way for it.
    bool is_rtp_only = ours->is_muxed && !is_offer;
    if (is_rtp_only) ours->rtcp = ours->address;
    for (struct le *le = list_head(icem_lcandl(path->agent)); le != NULL; le = le->next) {
        if (ours->candidate_count == MAXIMUM_CANDIDATES) break;
        char *text = ours->candidates[ours->candidate_count];
        if (!is_told(le->data, path, is_rtp_only)) continue;
        int length = re_snprintf(text, sizeof ours->candidates[0], "%H", ice_cand_encode, le->data);
        if (length > 0) ours->candidate_count += 1;
    }
    return 0;
}

// The far side's address must be among its candidates; if something on the way has changed it, ICE is not to be used.
static bool has_default(const struct description *theirs) {
    // Who has none yet says so by zeros.
    if (sa_is_any(&theirs->address)) return theirs->candidate_count > 0;
    for (size_t i = 0; i < theirs->candidate_count; i++) {
        struct ice_cand_attr candidate;
        memset(&candidate, 0, sizeof candidate);
        if (ice_cand_attr_decode(&candidate, theirs->candidates[i]) != 0) continue;
        if (sa_cmp(&candidate.addr, &theirs->address, SA_ALL)) return true;
    }
    return false;
}

static bool is_usable(const struct path *path, const char *text, unsigned most) {
    struct ice_cand_attr candidate;
    memset(&candidate, 0, sizeof candidate);
    return ice_cand_attr_decode(&candidate, text) == 0 && candidate.compid >= 1 && candidate.compid <= most &&
           candidate.proto == IPPROTO_UDP && sa_af(&candidate.addr) == sa_af(&path->stream->local) &&
           sa_isset(&candidate.addr, SA_ALL) && !sa_is_any(&candidate.addr);
}

static int read_candidates(struct path *path, const struct description *theirs) {
    if (theirs->is_ice_lite) ice_sdp_decode(path->agent, ice_attr_lite, NULL);
    int error = icem_sdp_decode(path->agent, ice_attr_ufrag, theirs->ice_user);
    if (error == 0) error = icem_sdp_decode(path->agent, ice_attr_pwd, theirs->ice_password);
    unsigned most = theirs->is_muxed ? 1 : COMPONENTS;
    for (size_t i = 0; i < theirs->candidate_count && error == 0; i++) {
        const char *text = theirs->candidates[i];
        if (is_usable(path, text, most)) icem_sdp_decode(path->agent, ice_attr_cand, text);
    }
    return error;
}

int path_take(struct path *path, const struct description *theirs, bool is_offer) {
    bool has_ice = *theirs->ice_user != '\0' && *theirs->ice_password != '\0' && has_default(theirs);
    path->is_used = has_ice && !theirs->is_ice_mismatch;
    if (!path->is_used || path->agent == NULL) return 0;
    bool is_same = strcmp(path->remote_user, theirs->ice_user) == 0;
    if (is_same && path->is_searching) return 0;
    bool is_restart = *path->remote_user != '\0' && !is_same;
    str_ncpy(path->remote_user, theirs->ice_user, sizeof path->remote_user);
    // In an offer a new name of the far side is a new start for both. In an answer it is another one that answers the
    // same offer, with our name in it.
    if (is_restart) {
        int error = make_agent(path, is_offer);
        if (error != 0) return error;
    }
    int error = read_candidates(path, theirs);
    if (error != 0) return error;
    if (!is_offer) path_start(path);
    return 0;
}

void path_start(struct path *path) {
    if (path->agent == NULL || !path->is_used || path->is_searching) return;
    path->is_searching = true;
    path->search_begin = tmr_jiffies();
    tmr_start(&path->timer, LOOK_INTERVAL, look, path);
    int error = icem_conncheck_start(path->agent);
    if (error != 0) stream_post_broken(path->stream, error);
    // Else the agent tries each pair only when the one before has failed.
    else ice_candpair_set_states(path->agent);
}

void path_restart(struct path *path) {
    *path->remote_user = '\0';
    int error = gather(path);
    // What the servers say comes too late for the next offer; the far side learns it from where our requests come.
    if (error == 0) error = make_agent(path, true);
    if (error != 0) stream_post_broken(path->stream, error);
}

bool path_is_used(const struct path *path) {
    return path != NULL && path->is_used;
}

bool path_remote(const struct path *path, const struct stream *stream, struct sa *remote) {
    if (path_is_used(path)) {
        *remote = path->components[0].remote;
        return path->is_found;
    }
    if (stream->taken == NULL) return false;
    *remote = stream->taken->address;
    return sa_isset(remote, SA_ALL);
}

bool path_knows(const struct path *path, const struct sa *source) {
    if (!path_is_used(path) || path->agent == NULL) return false;
    struct list *remotes = icem_rcandl(path->agent);
    if (icem_cand_find(remotes, ICE_COMPID_RTP, source) != NULL) return true;
    return icem_cand_find(remotes, ICE_COMPID_RTCP, source) != NULL;
}
