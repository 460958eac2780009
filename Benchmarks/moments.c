/*
 * How long things take that end with a signal.
 *
 *   moments start ROUNDS NAME PROGRAM [ARGUMENT...]   from before fork and exec until NameOwnerChanged; then SIGTERM
 *   moments ready ROUNDS PLUGIN_PATH                  from Plugin1.Enable of a disabled plugin, whose old worker is
 *                                                     gone, until PropertiesChanged says that State is ready
 *
 * Prints a line of times in ns. Each includes one delivery by the bus.
 */
#include "bench.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static DBusConnection *bus;

typedef int (*Test)(DBusMessage *message, const char *subject, const char *value);

static void watch(const char *rule) {
    DBusError error = DBUS_ERROR_INIT;
    dbus_bus_add_match(bus, rule, &error);
    if (dbus_error_is_set(&error)) die(rule, error.message);
}

/* Reads messages until `test` is satisfied by one, 10 s at most. */
static void await(Test test, const char *subject, const char *value) {
    for (uint64_t deadline = now_ns() + 10000000000u; now_ns() < deadline;) {
        for (DBusMessage *message; (message = dbus_connection_pop_message(bus));) {
            int done = test(message, subject, value);
            dbus_message_unref(message);
            if (done) return;
        }
        dbus_connection_read_write(bus, 100);
    }
    fprintf(stderr, "bench: waited for %s to be %s\n", subject, value);
    die("moments", "nothing happened for 10 s");
}

/* NameOwnerChanged of `name`, to "owned" or to anything else. */
static int name_is(DBusMessage *message, const char *name, const char *value) {
    const char *which, *old, *new;
    return dbus_message_is_signal(message, DBUS_INTERFACE_DBUS, "NameOwnerChanged") &&
           dbus_message_get_args(message, NULL, DBUS_TYPE_STRING, &which, DBUS_TYPE_STRING, &old, DBUS_TYPE_STRING,
                                 &new, DBUS_TYPE_INVALID) &&
           !strcmp(which, name) && (*new != 0) == !strcmp(value, "owned");
}

/* PropertiesChanged of the object `path` with a State of `value`. */
static int state_is(DBusMessage *message, const char *path, const char *value) {
    DBusMessageIter body, array, entry, variant;
    if (!dbus_message_is_signal(message, PROPERTIES, "PropertiesChanged") || !dbus_message_has_path(message, path) ||
        !dbus_message_has_signature(message, "sa{sv}as"))
        return 0;
    dbus_message_iter_init(message, &body);
    dbus_message_iter_next(&body);
    dbus_message_iter_recurse(&body, &array);
    for (; dbus_message_iter_get_arg_type(&array) == DBUS_TYPE_DICT_ENTRY; dbus_message_iter_next(&array)) {
        const char *key, *state;
        dbus_message_iter_recurse(&array, &entry);
        dbus_message_iter_get_basic(&entry, &key);
        dbus_message_iter_next(&entry);
        dbus_message_iter_recurse(&entry, &variant);
        if (strcmp(key, "State") || dbus_message_iter_get_arg_type(&variant) != DBUS_TYPE_STRING) continue;
        dbus_message_iter_get_basic(&variant, &state);
        return !strcmp(state, value);
    }
    return 0;
}

static DBusMessage *exchange(DBusMessage *message) {
    DBusError error = DBUS_ERROR_INIT;
    DBusMessage *reply = dbus_connection_send_with_reply_and_block(bus, message, CALL_TIMEOUT_MS, &error);
    if (!reply) die(error.name, error.message);
    dbus_message_unref(message);
    return reply;
}

static DBusMessage *enabling(const char *path, dbus_bool_t enabled) {
    const char *interface = "org.opencallkit.Plugin1", *property = "Enabled";
    DBusMessage *message = some(dbus_message_new_method_call(DAEMON, path, PROPERTIES, "Set"));
    DBusMessageIter body, variant;
    dbus_message_iter_init_append(message, &body);
    dbus_message_iter_append_basic(&body, DBUS_TYPE_STRING, &interface);
    dbus_message_iter_append_basic(&body, DBUS_TYPE_STRING, &property);
    dbus_message_iter_open_container(&body, DBUS_TYPE_VARIANT, "b", &variant);
    dbus_message_iter_append_basic(&variant, DBUS_TYPE_BOOLEAN, &enabled);
    dbus_message_iter_close_container(&body, &variant);
    return message;
}

static pid_t worker_of(const char *path) {
    const char *interface = "org.opencallkit.Plugin1", *property = "Pid";
    DBusMessage *message = some(dbus_message_new_method_call(DAEMON, path, PROPERTIES, "Get"));
    DBusMessageIter body, variant;
    dbus_uint32_t pid = 0;
    dbus_message_append_args(message, DBUS_TYPE_STRING, &interface, DBUS_TYPE_STRING, &property, DBUS_TYPE_INVALID);
    DBusMessage *reply = exchange(message);
    dbus_message_iter_init(reply, &body);
    dbus_message_iter_recurse(&body, &variant);
    if (dbus_message_iter_get_arg_type(&variant) != DBUS_TYPE_UINT32) die("Pid", "is no u");
    dbus_message_iter_get_basic(&variant, &pid);
    dbus_message_unref(reply);
    return (pid_t)pid;
}

static uint64_t start(char **arguments) {
    uint64_t began = now_ns();
    pid_t child = fork();
    if (child == 0) {
        dup2(STDERR_FILENO, STDOUT_FILENO);
        execv(arguments[1], arguments + 1);
        _exit(127);
    }
    if (child < 0) die("fork", "failed");
    await(name_is, arguments[0], "owned");
    uint64_t elapsed = now_ns() - began;
    kill(child, SIGTERM);
    await(name_is, arguments[0], "free");
    waitpid(child, NULL, 0);
    return elapsed;
}

static uint64_t ready(char **arguments) {
    const char *path = arguments[0];
    pid_t worker = worker_of(path);
    dbus_message_unref(exchange(enabling(path, FALSE)));
    await(state_is, path, "disabled");
    for (uint64_t deadline = now_ns() + 10000000000u; worker && kill(worker, 0) == 0; usleep(1000))
        if (now_ns() > deadline) die("worker", "did not end");
    uint64_t began = now_ns();
    if (!dbus_connection_send(bus, enabling(path, TRUE), NULL)) some(NULL);
    await(state_is, path, "ready");
    return now_ns() - began;
}

int main(int count, char **arguments) {
    if (count < 4) die("usage", "moments start|ready ROUNDS ...");
    int starts = !strcmp(arguments[1], "start");
    long rounds = atol(arguments[2]);
    if (rounds < 1 || (starts && count < 5)) die("usage", "moments start|ready ROUNDS ...");
    bus = connect_bus(NULL);
    char rule[512];
    snprintf(rule, sizeof rule,
             starts ? "type='signal',member='NameOwnerChanged',arg0='%s'"
                    : "type='signal',member='PropertiesChanged',path='%s'",
             arguments[3]);
    watch(rule);
    uint64_t *samples = some(calloc((size_t)rounds, sizeof *samples));
    for (long i = 0; i < rounds; i++) samples[i] = starts ? start(arguments + 3) : ready(arguments + 3);
    print_samples(samples, (size_t)rounds);
    return 0;
}
