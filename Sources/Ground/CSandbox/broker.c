// Each connect() of the sandboxed process stops in the kernel until the broker has answered. The broker copies the
// address once, decides by the copy, and connects a descriptor of the same socket with it: what the process writes to
// its memory meanwhile changes nothing. A Unix socket is one of the policy, by its exact path; anything else is
// refused.

#define _GNU_SOURCE
#include "broker.h"

#include "denials.h"
#include "kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

// Connections that are made at the same time; each may block.
enum { TASKS = 16, STACK = 64 * 1024 };

struct broker;

struct task {
    struct broker *broker;
    int is_busy;
    struct seccomp_notif call;
};

struct broker {
    const sandbox_policy *policy;
    int channel, listener, process;
    // Else connect() is refused.
    int bounds_connections;
    struct denials denials;
    struct task tasks[TASKS];
};

// A bounded copy of the address; its length, or -errno.
static int copy_address(const struct task *task, struct sockaddr_storage *address) {
    const unsigned long long length = task->call.data.args[2] & 0xFFFFFFFFu;
    if (length < sizeof(sa_family_t) || length > sizeof *address) return -EINVAL;
    struct iovec here = {address, (size_t)length};
    struct iovec there = {(void *)(uintptr_t)task->call.data.args[1], (size_t)length};
    memset(address, 0, sizeof *address);
    if (process_vm_readv((pid_t)task->call.pid, &here, 1, &there, 1, 0) != (ssize_t)length) return -EACCES;
    // The number of a process that has ended may be that of another one by now.
    if (ioctl(task->broker->listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &task->call.id) != 0) return -EACCES;
    return (int)length;
}

static int option(int socket, int name) {
    int value = -1;
    socklen_t size = sizeof value;
    return getsockopt(socket, SOL_SOCKET, name, &value, &size) == 0 ? value : -1;
}

// Whether the path is FOLDER/NAME.
static int is_path(const char *path, const char *folder, const char *name) {
    const size_t length = strlen(folder);
    return strncmp(path, folder, length) == 0 && path[length] == '/' && strcmp(path + length + 1, name) == 0;
}

// Connects to the socket in the folder, however long the folder's name is.
static int connect_in(int socket, const struct policy_path *granted) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const int folder = open(granted->path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) return -errno;
    const int length = snprintf(
        address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/%s", folder, granted->name);
    int result = -ENAMETOOLONG;
    if (length > 0 && (size_t)length < sizeof address.sun_path)
        result = connect(socket, (struct sockaddr *)&address, sizeof address) == 0 ? 0 : -errno;
    close(folder);
    return result;
}

// The path in an address, which is 0 where nothing was copied to.
static const char *path_of(const struct sockaddr_storage *address, char *path) {
    const size_t room = sizeof(((struct sockaddr_un *)NULL)->sun_path);
    memcpy(path, (const char *)address + offsetof(struct sockaddr_un, sun_path), room);
    path[room] = '\0';
    return path;
}

static int connect_unix(const sandbox_policy *policy, int socket, const struct sockaddr_storage *address, int length) {
    char path[sizeof(struct sockaddr_un)];
    const int type = option(socket, SO_TYPE);
    if (address->ss_family != AF_UNIX || (type != SOCK_STREAM && type != SOCK_SEQPACKET)) return -EACCES;
    if ((size_t)length > sizeof(struct sockaddr_un)) return -EACCES;
    path_of(address, path);
    for (size_t index = 0; index < policy->path_count; index++) {
        const struct policy_path *granted = &policy->paths[index];
        if (granted->access != ACCESS_SOCKET) continue;
        if (is_path(path, granted->as, granted->name) || is_path(path, granted->path, granted->name))
            return connect_in(socket, granted);
    }
    return -EACCES;
}

// Returns 0 or -errno, as connect() does.
static int answer(const struct task *task) {
    const struct broker *broker = task->broker;
    struct sockaddr_storage address;
    char path[sizeof(struct sockaddr_un)];
    const int length = copy_address(task, &address);
    if (length < 0) return length;
    const int socket = (int)syscall(NR_PIDFD_GETFD, broker->process, (int)task->call.data.args[0], 0);
    if (socket < 0) return errno == EBADF ? -EBADF : -EACCES;
    int result = -EACCES;
    switch (option(socket, SO_DOMAIN)) {
    case -1: result = -ENOTSOCK; break;
    case AF_UNIX: result = connect_unix(broker->policy, socket, &address, length); break;
    case AF_INET:
    case AF_INET6:
    case AF_NETLINK:
        if (!broker->policy->network) break;
        result = connect(socket, (struct sockaddr *)&address, (socklen_t)length) == 0 ? 0 : -errno;
        break;
    default: break;
    }
    close(socket);
    if (result == -EACCES) {
        const int is_path = address.ss_family == AF_UNIX;
        denials_add_connection(&task->broker->denials, address.ss_family, is_path ? path_of(&address, path) : "");
    }
    return result;
}

static void respond(int listener, unsigned long long call, int result, unsigned flags) {
    struct seccomp_notif_resp response = {.id = call, .error = result, .flags = flags};
    // Nobody waits any more if this fails.
    ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &response);
}

static void *run(void *context) {
    struct task *task = context;
    respond(task->broker->listener, task->call.id, answer(task), 0);
    __atomic_store_n(&task->is_busy, 0, __ATOMIC_RELEASE);
    return NULL;
}

static int start(struct broker *broker, const struct seccomp_notif *call) {
    pthread_attr_t attributes;
    pthread_t thread;
    for (size_t index = 0; index < TASKS; index++) {
        struct task *task = &broker->tasks[index];
        if (__atomic_load_n(&task->is_busy, __ATOMIC_ACQUIRE)) continue;
        *task = (struct task){broker, 1, *call};
        pthread_attr_init(&attributes);
        pthread_attr_setstacksize(&attributes, STACK);
        pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
        const int error = pthread_create(&thread, &attributes, run, task);
        pthread_attr_destroy(&attributes);
        if (error != 0) task->is_busy = 0;
        return -error;
    }
    return -EAGAIN;
}

// Answers what the filter refuses or lets the guard see. Only connections may take long.
static void answer_call(struct broker *broker, const struct seccomp_notif *call) {
    const int argument = denials_path_argument(call->data.nr);
    int result;
    if (call->data.nr == __NR_connect && broker->bounds_connections) {
        result = start(broker, call);
        if (result != 0) respond(broker->listener, call->id, result, 0);
    } else if (argument >= 0) {
        denials_add_file(&broker->denials, call, argument);
        respond(broker->listener, call->id, 0, SECCOMP_USER_NOTIF_FLAG_CONTINUE);
    } else {
        respond(broker->listener, call->id, denials_add_call(&broker->denials, call), 0);
    }
}

// Receives the listener, the report if there is one, and the number of the process. Returns 0 or -errno.
static int receive_listener(struct broker *broker) {
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(2 * sizeof(int))];
    } control;
    pid_t process = 0;
    struct iovec part = {&process, sizeof process};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
    ssize_t count;
    while ((count = recvmsg(broker->channel, &message, MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR) continue;
    struct cmsghdr *header = count == (ssize_t)sizeof process ? CMSG_FIRSTHDR(&message) : NULL;
    if (header == NULL || header->cmsg_type != SCM_RIGHTS) return -EPROTO;
    int received[2] = {-1, -1};
    const size_t size = header->cmsg_len - CMSG_LEN(0);
    memcpy(received, CMSG_DATA(header), size < sizeof received ? size : sizeof received);
    broker->listener = received[0];
    broker->denials.report = received[1];
    close(broker->channel);
    broker->process = (int)syscall(SYS_pidfd_open, process, 0);
    return broker->process < 0 ? -errno : 0;
}

// In a thread of the guard, which ends with the process.
static void serve(void *context) {
    struct broker *broker = context;
    // Without a listener, every connect() fails with ENOSYS.
    if (receive_listener(broker) != 0) {
        close(broker->listener);
        return;
    }
    for (;;) {
        struct seccomp_notif call;
        memset(&call, 0, sizeof call);
        if (ioctl(broker->listener, SECCOMP_IOCTL_NOTIF_RECV, &call) != 0) {
            if (errno == EINTR || errno == ENOENT) continue;
            return;
        }
        answer_call(broker, &call);
    }
}

int broker_begin(const sandbox_policy *policy, sandbox_split *split) {
    int ends[2];
    struct broker *broker = calloc(1, sizeof *broker);
    if (broker == NULL) return -ENOMEM;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
        const int error = errno;
        free(broker);
        return -error;
    }
    *broker = (struct broker){.policy = policy, .channel = ends[0], .listener = -1, .process = -1};
    broker->bounds_connections = policy_grants_sockets(policy) || policy->network;
    broker->denials.report = -1;
    pthread_mutex_init(&broker->denials.lock, NULL);
    const int error = split(serve, broker, ends[0]);
    close(ends[0]);
    free(broker);
    if (error == 0) return ends[1];
    close(ends[1]);
    return -error;
}

int broker_hand_over(int channel, int listener, int report) {
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(2 * sizeof(int))];
    } control;
    pid_t process = getpid();
    struct iovec part = {&process, sizeof process};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
    memset(&control, 0, sizeof control);
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    const int sent[] = {listener, report};
    const size_t size = report < 0 ? sizeof listener : sizeof sent;
    header->cmsg_len = CMSG_LEN(size);
    message.msg_controllen = CMSG_SPACE(size);
    memcpy(CMSG_DATA(header), sent, size);
    const int result = sendmsg(channel, &message, MSG_NOSIGNAL) < 0 ? -errno : 0;
    close(listener);
    close(channel);
    return result;
}
