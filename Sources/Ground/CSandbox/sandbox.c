// The order of the steps: privileges, namespaces, capabilities, Landlock, limits, environment, seccomp, report. A step
// that fails is reported, and the next one follows; without seccomp there is no sandbox.

#define _GNU_SOURCE
#include "include/sandbox.h"

#include "broker.h"
#include "filter.h"
#include "landlock.h"
#include "rlimits.h"
#include "namespaces.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

// The first version of Landlock that keeps a process from abstract sockets.
enum { LANDLOCK_OF_SOCKETS = 6 };

struct entry {
    const sandbox_policy *policy;
    sandbox_split *split;
    struct report report;
    struct places places;
    // The version of Landlock on this machine; once it is applied, the version that is enforced.
    unsigned landlock;
    int has_mounts, has_own_network, has_guard;
    // Whether the broker must check connections. Without this, there may be a broker for reports only.
    int needs_broker;
    // To the broker, or -1.
    int channel;
    int report_descriptor;
};

// Starts the broker, unless there is one or there can be none.
static void begin_broker(struct entry *entry) {
    if (entry->channel >= 0 || entry->split == NULL) return;
    const int result = broker_begin(entry->policy, entry->split);
    if (result < 0) {
        report_failure(&entry->report, "guard", -result);
        return;
    }
    entry->channel = result;
    entry->has_guard = 1;
}

static void begin_needed_broker(struct entry *entry) {
    entry->needs_broker = 1;
    begin_broker(entry);
}

// Returns 0 or -errno. Abstract sockets belong to the network namespace. Where Landlock does not restrict them, a
// process without `network` gets a network namespace of its own, and one with `network` gets the broker.
static int unshare_namespaces(struct entry *entry) {
    const sandbox_policy *policy = entry->policy;
    if (policy->without_namespaces) return report_failure(&entry->report, "unshare", EPERM);
    if (policy_grants_sockets(policy) && entry->landlock < LANDLOCK_OF_SOCKETS) {
        if (!policy->network && namespaces_unshare(&entry->report, 1) == 0) {
            entry->has_own_network = 1;
            return 0;
        }
        begin_needed_broker(entry);
    }
    return namespaces_unshare(&entry->report, 0);
}

// Returns 0, or -errno if the process must end.
static int enter_namespaces(struct entry *entry) {
    const int is_unshared = unshare_namespaces(entry) == 0;
    if (is_unshared) {
        places_open(&entry->places, entry->policy);
        const int result = entry->policy->keeps_children ? namespaces_protect_root(&entry->places, &entry->report)
                                                         : namespaces_build_root(&entry->places, &entry->report);
        if (result == -ENOTRECOVERABLE) return result;
        entry->has_mounts = result == 0;
        if (entry->has_mounts) return 0;
        places_close(&entry->places);
    }
    // Without mounts, all socket paths can be reached.
    if (policy_grants_sockets(entry->policy)) begin_needed_broker(entry);
    places_open(&entry->places, entry->policy);
    return 0;
}

static void enter_landlock(struct entry *entry) {
    // A process under Landlock may not mount, and what it starts neither.
    if (entry->policy->keeps_children && entry->has_mounts) entry->landlock = 0;
    if (entry->landlock == 0) {
        if (!entry->policy->keeps_children || !entry->has_mounts) report_failure(&entry->report, "landlock", ENOSYS);
    } else if (landlock_restrict(entry->policy, &entry->places, entry->landlock, &entry->report) != 0) {
        entry->landlock = 0;
    }
    report_line(&entry->report, "landlock %u", entry->landlock);
}

static void set_environment(const sandbox_policy *policy, enum sandbox_level level) {
    for (size_t index = 0; index < policy->variable_count; index++) {
        const struct policy_variable *variable = &policy->variables[index];
        if (!variable->is_below_full || level < SANDBOX_FULL) setenv(variable->name, variable->value, 1);
    }
}

static enum sandbox_level level_of(const struct entry *entry) {
    return entry->has_mounts ? SANDBOX_FULL : entry->landlock > 0 ? SANDBOX_LANDLOCK : SANDBOX_SYSCALLS;
}

// Whether the sockets that the policy grants can be told from others.
static int bounds_sockets(const struct entry *entry) {
    return entry->channel >= 0 ||
           (entry->has_mounts && (entry->landlock >= LANDLOCK_OF_SOCKETS || entry->has_own_network));
}

static void report_gaps(struct entry *entry, enum sandbox_level level) {
    struct report *report = &entry->report;
    report_line(report, "level %s", sandbox_level_word(level));
    if (entry->has_guard) report_line(report, "guard");
    if (level < SANDBOX_LANDLOCK) report_line(report, "gap file-contents");
    if (level < SANDBOX_FULL) report_line(report, "gap file-attributes");
    if (!entry->policy->keeps_children) {
        if (level < SANDBOX_FULL) report_line(report, "gap file-names");
        // The kernel never counts the threads of root.
        if (level < SANDBOX_FULL || getuid() == 0) report_line(report, "gap threads");
    }
    if (entry->needs_broker && entry->channel >= 0) report_line(report, "gap memory");
    if (policy_grants_sockets(entry->policy) && !bounds_sockets(entry)) report_line(report, "gap sockets-refused");
    for (size_t index = 0; index < entry->policy->path_count; index++) {
        if (entry->places.is_missing[index]) report_line(report, "missing %s", entry->policy->paths[index].path);
    }
}

// Returns as filter_install() does.
static int install_filter(const struct entry *entry) {
    const sandbox_policy *policy = entry->policy;
    const struct filter_terms terms = {
        .network = policy->network,
        .sockets = policy_grants_sockets(policy) && bounds_sockets(entry),
        .devices = policy_grants_devices(policy),
        .has_mounts = entry->has_mounts,
        .landlock = entry->landlock,
        .is_brokered = entry->channel >= 0,
        .reports_denied = entry->channel >= 0 && policy->reports_denied,
        .keeps_children = policy->keeps_children,
    };
    return filter_install(&terms);
}

// Returns 0 or -errno.
static int enter_filter(struct entry *entry, enum sandbox_level level) {
    // Nothing else keeps other processes of the user from its memory. The broker needs that way itself.
    if (level == SANDBOX_SYSCALLS && entry->channel < 0) prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    int result = install_filter(entry);
    if (result < 0 && entry->channel >= 0) {
        // The kernel has one broker for each process, and some manager of containers may be it.
        report_failure(&entry->report, "guard", -result);
        close(entry->channel);
        entry->channel = -1;
        result = install_filter(entry);
    }
    if (result < 0) return report_failure(&entry->report, "seccomp", -result);
    if (entry->channel < 0) return 0;
    const int report = entry->policy->reports_denied ? entry->report_descriptor : -1;
    return broker_hand_over(entry->channel, result, report);
}

static int enter_unconfined(struct entry *entry) {
    if (entry->split != NULL) {
        const int error = entry->split(NULL, NULL, -1);
        if (error != 0) return report_failure(&entry->report, "guard", error);
        entry->has_guard = 1;
    }
    set_environment(entry->policy, SANDBOX_NONE);
    report_line(&entry->report, "level none");
    if (entry->has_guard) report_line(&entry->report, "guard");
    return SANDBOX_NONE;
}

// Steps confine the thread that takes them.
static int has_other_threads(void) {
    enum { folder_of_one = 3 };
    struct stat status;
    return stat("/proc/self/task", &status) != 0 || status.st_nlink > folder_of_one;
}

static int enter(struct entry *entry) {
    if (entry->policy->demand == SANDBOX_NONE) return enter_unconfined(entry);
    if (has_other_threads()) return report_failure(&entry->report, "threads", EBUSY);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return report_failure(&entry->report, "privileges", errno);
    entry->landlock = landlock_version(entry->policy);
    if (entry->policy->reports_denied) begin_broker(entry);
    int result = enter_namespaces(entry);
    if (result == 0) result = namespaces_drop_capabilities(entry->policy->keeps_children && entry->has_mounts);
    if (result != 0) return result;
    enter_landlock(entry);
    places_close(&entry->places);
    // Children inherit limits, and set their own.
    if (!entry->policy->keeps_children) rlimits_set(entry->has_mounts);
    const enum sandbox_level level = level_of(entry);
    set_environment(entry->policy, level);
    result = enter_filter(entry, level);
    if (result != 0) return result;
    report_gaps(entry, level);
    return level < entry->policy->demand ? -ENOTSUP : (int)level;
}

int sandbox_enter_with_guard(const sandbox_policy *policy, int report, sandbox_split *split) {
    struct entry *entry = calloc(1, sizeof *entry);
    if (entry == NULL) return -ENOMEM;
    entry->policy = policy;
    entry->split = split;
    entry->channel = -1;
    entry->report_descriptor = report;
    const int result = enter(entry);
    report_send(&entry->report, report);
    free(entry);
    return result;
}

int sandbox_enter(const sandbox_policy *policy, int report) { return sandbox_enter_with_guard(policy, report, NULL); }

int sandbox_confine(const char *text, size_t length, int report) {
    sandbox_policy *policy = NULL;
    const int error = sandbox_policy_from_text(text, length, &policy);
    if (error != 0) return -error;
    const int result = sandbox_enter(policy, report);
    sandbox_free_policy(policy);
    return result;
}
