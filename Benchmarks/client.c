/*
 * The one client for the daemon and for the floors. It adds no match rule, so no signal reaches it.
 *
 *   client call ROUNDS WARMUP NAME PATH INTERFACE METHOD [STRING...]   round trips of one method
 *   client answer ROUNDS WARMUP PROVIDER_PATH NAME METHOD
 *                                                 Call1.Answer on a ringing call of that provider, and the
 *                                                 floor's METHOD, in turns
 *   client told ROUNDS WARMUP PROVIDER_PATH NAME METHOD
 *                                                 the same, each with a Ping after it, which is answered when all
 *                                                 signals have been sent
 *   client save FILE NAME PATH INTERFACE METHOD   writes the marshalled reply
 *
 * Prints a line of times in ns. A round trip is timed from before the send of a ready message until its reply has been
 * read; making the message is not timed. `answer` prints a line for Answer and one for the floor, which take turns: a
 * call is made to ring, Answer is timed, the call is ended, the floor is timed. So both find the caches as a daemon does
 * that has done something else meanwhile. Before each, a Ping lets the service finish what came before: people need
 * longer than that to answer.
 */
#include "bench.h"

static DBusConnection *bus;

static DBusMessage *new_call(const char *name, const char *path, const char *interface, const char *method) {
    return some(dbus_message_new_method_call(name, path, interface, method));
}

/* Sends `message`, takes it over, and waits; an error is the end of the benchmark. */
static DBusMessage *exchange(DBusMessage *message, uint64_t *elapsed) {
    DBusError error = DBUS_ERROR_INIT;
    uint64_t began = now_ns();
    DBusMessage *reply = dbus_connection_send_with_reply_and_block(bus, message, CALL_TIMEOUT_MS, &error);
    if (elapsed) *elapsed = now_ns() - began;
    if (!reply) {
        fprintf(stderr, "bench: %s %s: ", dbus_message_get_path(message), dbus_message_get_member(message));
        die(error.name, error.message);
    }
    dbus_message_unref(message);
    return reply;
}

static void tell(DBusMessage *message, uint64_t *elapsed) { dbus_message_unref(exchange(message, elapsed)); }

static void append_strings(DBusMessageIter *body, char **strings, int count) {
    for (int i = 0; i < count; i++) dbus_message_iter_append_basic(body, DBUS_TYPE_STRING, &strings[i]);
}

static void append_options(DBusMessageIter *body, const char *key, const char *value) {
    DBusMessageIter array, entry, variant;
    dbus_message_iter_open_container(body, DBUS_TYPE_ARRAY, "{sv}", &array);
    if (key) {
        dbus_message_iter_open_container(&array, DBUS_TYPE_DICT_ENTRY, NULL, &entry);
        dbus_message_iter_append_basic(&entry, DBUS_TYPE_STRING, &key);
        dbus_message_iter_open_container(&entry, DBUS_TYPE_VARIANT, "s", &variant);
        dbus_message_iter_append_basic(&variant, DBUS_TYPE_STRING, &value);
        dbus_message_iter_close_container(&entry, &variant);
        dbus_message_iter_close_container(&array, &entry);
    }
    dbus_message_iter_close_container(body, &array);
}

static void call_round(char **target, int count, uint64_t *elapsed) {
    DBusMessage *message = new_call(target[0], target[1], target[2], target[3]);
    DBusMessageIter body;
    dbus_message_iter_init_append(message, &body);
    append_strings(&body, target + 4, count - 4);
    tell(message, elapsed);
}

/* Makes a call of `provider` ring and writes its object path. */
static void ring(const char *provider, char *path, size_t capacity) {
    char *action = "simulate-incoming";
    DBusMessage *message = new_call(DAEMON, provider, "org.opencallkit.Provider1", "PerformCustomAction");
    DBusMessageIter body, array, entry, value;
    dbus_message_iter_init_append(message, &body);
    append_strings(&body, &action, 1);
    append_options(&body, "handle", "generic:bench");
    DBusMessage *reply = exchange(message, NULL);
    dbus_message_iter_init(reply, &body);
    dbus_message_iter_recurse(&body, &array);
    for (; dbus_message_iter_get_arg_type(&array) == DBUS_TYPE_DICT_ENTRY; dbus_message_iter_next(&array)) {
        const char *key, *uuid;
        dbus_message_iter_recurse(&array, &entry);
        dbus_message_iter_get_basic(&entry, &key);
        dbus_message_iter_next(&entry);
        dbus_message_iter_recurse(&entry, &value);
        if (strcmp(key, "call-uuid") || dbus_message_iter_get_arg_type(&value) != DBUS_TYPE_STRING) continue;
        dbus_message_iter_get_basic(&value, &uuid);
        size_t prefix = (size_t)snprintf(path, capacity, ROOT "/calls/%s", uuid);
        for (char *c = path + sizeof ROOT; *c && prefix < capacity; c++)
            *c = *c == '-' ? '_' : *c >= 'A' && *c <= 'Z' ? (char)(*c + 32) : *c;
        dbus_message_unref(reply);
        return;
    }
    die("simulate-incoming", "no call-uuid in its result");
}

static void ping(const char *name, uint64_t *elapsed) {
    tell(new_call(name, ROOT, DBUS_INTERFACE_PEER, "Ping"), elapsed);
}

/* Times a call and, if `told`, a Ping after it. */
static void timed(DBusMessage *message, const char *name, int told, uint64_t *elapsed) {
    uint64_t after = 0;
    tell(message, elapsed);
    if (!told) return;
    ping(name, &after);
    if (elapsed) *elapsed += after;
}

static void answer_round(char **target, int told, uint64_t *ours, uint64_t *theirs) {
    char path[256], *text = "0123456789abcdef";
    DBusMessageIter body;
    ring(target[0], path, sizeof path);
    ping(DAEMON, NULL);
    DBusMessage *message = new_call(DAEMON, path, "org.opencallkit.Call1", "Answer");
    timed(message, DAEMON, told, ours);
    tell(new_call(DAEMON, path, "org.opencallkit.Call1", "End"), NULL);
    ping(DAEMON, NULL);
    ping(target[1], NULL);
    message = new_call(target[1], FLOOR_PATH, FLOOR_INTERFACE, target[2]);
    dbus_message_iter_init_append(message, &body);
    append_strings(&body, &text, 1);
    timed(message, target[1], told, theirs);
}

static void measure(char **arguments, int count, int answering, int told) {
    long rounds = atol(arguments[0]), warmup = atol(arguments[1]);
    if (rounds < 1) die("rounds", "must be at least 1");
    uint64_t *ours = some(calloc((size_t)rounds, sizeof *ours)), *theirs = some(calloc((size_t)rounds, sizeof *theirs));
    for (long i = -warmup; i < rounds; i++) {
        if (answering) answer_round(arguments + 2, told, i < 0 ? NULL : &ours[i], i < 0 ? NULL : &theirs[i]);
        else call_round(arguments + 2, count - 2, i < 0 ? NULL : &ours[i]);
    }
    print_samples(ours, (size_t)rounds);
    if (answering) print_samples(theirs, (size_t)rounds);
    free(ours);
    free(theirs);
}

static void save(char **arguments) {
    char *bytes;
    int length;
    DBusMessage *reply = exchange(new_call(arguments[1], arguments[2], arguments[3], arguments[4]), NULL);
    if (!dbus_message_marshal(reply, &bytes, &length)) die("marshal", "failed");
    FILE *file = fopen(arguments[0], "wb");
    if (!file || fwrite(bytes, 1, (size_t)length, file) != (size_t)length || fclose(file))
        die(arguments[0], "cannot be written");
    printf("%d\n", length);
    dbus_free(bytes);
    dbus_message_unref(reply);
}

int main(int count, char **arguments) {
    const char *mode = count > 1 ? arguments[1] : "";
    bus = connect_bus(NULL);
    if (!strcmp(mode, "call") && count >= 8) measure(arguments + 2, count - 2, 0, 0);
    else if (!strcmp(mode, "answer") && count == 7) measure(arguments + 2, count - 2, 1, 0);
    else if (!strcmp(mode, "told") && count == 7) measure(arguments + 2, count - 2, 1, 1);
    else if (!strcmp(mode, "save") && count == 7) save(arguments + 2);
    else die("usage", "client call|answer|told|save ...");
    dbus_connection_close(bus);
    return 0;
}
