/*
 * The floors: what a plain libdbus service in C costs. Usage: floor NAME [REPLY_FILE]
 *
 *   Get(ss) -> v      of Properties: reads its two arguments, answers a fixed string
 *   Echo(s) -> s
 *   Answer(s) -> s    sends the messages that callkitd sends when a plugin's call is answered. A forked child is the
 *                     plugin: over a SOCK_SEQPACKET socket pair it gets Perform(ssssta{sv}), reads all of it and
 *                     answers with a{sv}. One signal goes out while the child works; then the child is told that it
 *                     has the audio, the call is answered, and three signals go out, six properties each
 *   Copied()          answers with the body of REPLY_FILE (a marshalled reply of the daemon's GetManagedObjects). The
 *                     file is demarshalled once; each answer is a dbus_message_copy of it with a new header, so the
 *                     body is a memcpy of ready bytes. No service that looks up its values can do that
 *   Rebuilt()         the same body, appended value by value with dbus_message_iter_* from a flat list made beforehand,
 *                     as a service does that has its values in memory. It tells how much of a ratio is libdbus's own
 *                     marshalling
 *
 * The dispatch loop is libdbus's own, dbus_connection_read_write_dispatch.
 */
#include "bench.h"

#include <sys/socket.h>
#include <unistd.h>

static DBusConnection *bus;
static DBusMessage *saved_reply;
static int plugin_socket;

static void send_packet(int socket, DBusMessage *message) {
    char *bytes;
    int length;
    if (!dbus_message_marshal(message, &bytes, &length)) die("marshal", "failed");
    if (send(socket, bytes, (size_t)length, 0) != length) die("send", "failed");
    dbus_free(bytes);
}

static DBusMessage *receive_packet(int socket) {
    static char buffer[65536];
    ssize_t length = recv(socket, buffer, sizeof buffer, 0);
    if (length <= 0) return NULL;
    DBusError error = DBUS_ERROR_INIT;
    DBusMessage *message = dbus_message_demarshal(buffer, (int)length, &error);
    if (!message) die("demarshal", error.message);
    return message;
}

static const char *text_of(DBusMessage *message) {
    const char *text;
    if (!dbus_message_get_args(message, NULL, DBUS_TYPE_STRING, &text, DBUS_TYPE_INVALID)) die("message", "no text");
    return text;
}

static DBusMessage *reply_with(DBusMessage *call, const char *text) {
    DBusMessage *reply = some(dbus_message_new_method_return(call));
    if (!dbus_message_append_args(reply, DBUS_TYPE_STRING, &text, DBUS_TYPE_INVALID)) some(NULL);
    return reply;
}

static void append_detail(DBusMessageIter *details, const char *key, int type, const void *value) {
    DBusMessageIter entry, variant;
    dbus_message_iter_open_container(details, DBUS_TYPE_DICT_ENTRY, NULL, &entry);
    dbus_message_iter_append_basic(&entry, DBUS_TYPE_STRING, &key);
    dbus_message_iter_open_container(&entry, DBUS_TYPE_VARIANT, (char[]){(char)type, 0}, &variant);
    dbus_message_iter_append_basic(&variant, type, value);
    dbus_message_iter_close_container(&entry, &variant);
    dbus_message_iter_close_container(details, &entry);
}

/* Reads a{sv} to its end; the sum of what it read keeps that from being left out. */
static size_t read_details(DBusMessageIter *body) {
    size_t sum = 0;
    DBusMessageIter details, entry, variant;
    dbus_message_iter_recurse(body, &details);
    for (; dbus_message_iter_get_arg_type(&details) == DBUS_TYPE_DICT_ENTRY; dbus_message_iter_next(&details)) {
        DBusBasicValue key, value;
        dbus_message_iter_recurse(&details, &entry);
        dbus_message_iter_get_basic(&entry, &key);
        dbus_message_iter_next(&entry);
        dbus_message_iter_recurse(&entry, &variant);
        dbus_message_iter_get_basic(&variant, &value);
        int is_text = dbus_message_iter_get_arg_type(&variant) == DBUS_TYPE_STRING;
        sum += strlen(key.str) + (is_text ? strlen(value.str) : (size_t)value.u64);
    }
    return sum;
}

/* Reads every argument of a Perform; the sum of what it read keeps that from being left out. */
static size_t read_perform(DBusMessage *call) {
    size_t sum = 0;
    DBusMessageIter body;
    dbus_message_iter_init(call, &body);
    for (int type; (type = dbus_message_iter_get_arg_type(&body)) != DBUS_TYPE_ARRAY; dbus_message_iter_next(&body)) {
        DBusBasicValue value;
        if (type == DBUS_TYPE_INVALID) die("Perform", "no details");
        dbus_message_iter_get_basic(&body, &value);
        sum += type == DBUS_TYPE_STRING ? strlen(value.str) : (size_t)value.u64;
    }
    return sum + read_details(&body);
}

static DBusMessage *fulfil(DBusMessage *call) {
    static volatile size_t sum;
    DBusMessageIter body, details;
    sum += read_perform(call);
    DBusMessage *reply = some(dbus_message_new_method_return(call));
    dbus_message_iter_init_append(reply, &body);
    dbus_message_iter_open_container(&body, DBUS_TYPE_ARRAY, "{sv}", &details);
    dbus_message_iter_close_container(&body, &details);
    return reply;
}

/* The plugin: answers each Perform, and reads what it is told besides. */
static void run_child(int socket) {
    static volatile size_t sum;
    for (DBusMessage *message; (message = receive_packet(socket)); dbus_message_unref(message)) {
        if (!dbus_message_has_member(message, "Perform")) {
            DBusMessageIter body;
            dbus_message_iter_init(message, &body);
            sum += read_details(&body);
            continue;
        }
        DBusMessage *reply = fulfil(message);
        dbus_message_set_serial(reply, 1);
        send_packet(socket, reply);
        dbus_message_unref(reply);
    }
    _exit(0);
}

static DBusMessage *get(DBusMessage *call) {
    const char *interface, *property, *value = "held";
    if (!dbus_message_get_args(call, NULL, DBUS_TYPE_STRING, &interface, DBUS_TYPE_STRING, &property,
                               DBUS_TYPE_INVALID))
        return some(dbus_message_new_error(call, DBUS_ERROR_INVALID_ARGS, "expected ss"));
    DBusMessage *reply = some(dbus_message_new_method_return(call));
    DBusMessageIter body, variant;
    dbus_message_iter_init_append(reply, &body);
    dbus_message_iter_open_container(&body, DBUS_TYPE_VARIANT, "s", &variant);
    dbus_message_iter_append_basic(&variant, DBUS_TYPE_STRING, &value);
    dbus_message_iter_close_container(&body, &variant);
    return reply;
}

static DBusMessage *echo(DBusMessage *call) { return reply_with(call, text_of(call)); }

static DBusMessage *copied(DBusMessage *call) {
    DBusMessage *reply = some(dbus_message_copy(saved_reply));
    dbus_message_set_reply_serial(reply, dbus_message_get_serial(call));
    dbus_message_set_destination(reply, dbus_message_get_sender(call));
    return reply;
}

/* One step of building a message: a value, or a container that is opened or, with type 0, closed. */
struct step {
    int type;
    DBusBasicValue value;
    char *signature;
};

static struct step *steps;
static size_t step_count;

static struct step *add_step(int type) {
    if (step_count % 256 == 0) steps = some(realloc(steps, (step_count + 256) * sizeof *steps));
    steps[step_count] = (struct step){.type = type};
    return &steps[step_count++];
}

static void flatten(DBusMessageIter *from) {
    for (int type; (type = dbus_message_iter_get_arg_type(from)) != DBUS_TYPE_INVALID; dbus_message_iter_next(from)) {
        struct step *step = add_step(type);
        if (dbus_type_is_basic(type)) {
            dbus_message_iter_get_basic(from, &step->value);
            continue;
        }
        DBusMessageIter inside;
        dbus_message_iter_recurse(from, &inside);
        if (type == DBUS_TYPE_ARRAY) step->signature = dbus_message_iter_get_signature(from) + 1;
        if (type == DBUS_TYPE_VARIANT) step->signature = dbus_message_iter_get_signature(&inside);
        flatten(&inside);
        add_step(DBUS_TYPE_INVALID);
    }
}

static DBusMessage *rebuilt(DBusMessage *call) {
    DBusMessage *reply = some(dbus_message_new_method_return(call));
    DBusMessageIter levels[16], *level = levels;
    dbus_message_iter_init_append(reply, level);
    for (struct step *step = steps; step < steps + step_count; step++) {
        if (step->type == DBUS_TYPE_INVALID) {
            dbus_message_iter_close_container(level - 1, level);
            level--;
        } else if (dbus_type_is_basic(step->type)) {
            dbus_message_iter_append_basic(level, step->type, &step->value);
        } else {
            if (level == levels + 15) die("reply", "nested too deep");
            dbus_message_iter_open_container(level, step->type, step->signature, level + 1);
            level++;
        }
    }
    return reply;
}

static void send_signals(int count) {
    static const char *keys[] = {"State", "Can", "AnswerOptions", "RingMode"};
    const char *interface = "org.opencallkit.Call1", *value = "answering";
    while (count--) {
        DBusMessage *signal = some(dbus_message_new_signal(FLOOR_PATH, PROPERTIES, "PropertiesChanged"));
        DBusMessageIter body, array, entry, variant;
        dbus_message_iter_init_append(signal, &body);
        dbus_message_iter_append_basic(&body, DBUS_TYPE_STRING, &interface);
        dbus_message_iter_open_container(&body, DBUS_TYPE_ARRAY, "{sv}", &array);
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
            dbus_message_iter_open_container(&array, DBUS_TYPE_DICT_ENTRY, NULL, &entry);
            dbus_message_iter_append_basic(&entry, DBUS_TYPE_STRING, &keys[i]);
            dbus_message_iter_open_container(&entry, DBUS_TYPE_VARIANT, "s", &variant);
            dbus_message_iter_append_basic(&variant, DBUS_TYPE_STRING, &value);
            dbus_message_iter_close_container(&entry, &variant);
            dbus_message_iter_close_container(&array, &entry);
        }
        dbus_message_iter_close_container(&body, &array);
        dbus_message_iter_open_container(&body, DBUS_TYPE_ARRAY, "s", &array);
        dbus_message_iter_close_container(&body, &array);
        if (!dbus_connection_send(bus, signal, NULL)) some(NULL);
        dbus_message_unref(signal);
    }
}

static dbus_uint32_t next_serial(void) {
    static dbus_uint32_t serial;
    return ++serial ? serial : ++serial;
}

static const char *call_uuid = "b1f6a3c4-0c3d-4d0e-9a7b-2f3c4d5e6f70";

static DBusMessage *plugin_call(const char *member) {
    DBusMessage *message =
        some(dbus_message_new_method_call(NULL, FLOOR_PATH, "org.opencallkit.ProviderDelegate1", member));
    dbus_message_set_serial(message, next_serial());
    return message;
}

static void tell_plugin_of_audio(void) {
    DBusMessage *message = plugin_call("AudioSessionActivated");
    DBusMessageIter body, details;
    dbus_message_set_no_reply(message, TRUE);
    dbus_message_iter_init_append(message, &body);
    dbus_message_iter_open_container(&body, DBUS_TYPE_ARRAY, "{sv}", &details);
    append_detail(&details, "call-uuid", DBUS_TYPE_STRING, &call_uuid);
    dbus_message_iter_close_container(&body, &details);
    send_packet(plugin_socket, message);
    dbus_message_unref(message);
}

/* What is done once the reply has been sent. */
static void (*after_reply)(void);

static void after_answer(void) { send_signals(3); }

static DBusMessage *answer(DBusMessage *call) {
    static const char *action = "3b0c2a5e-7d0f-4a43-9c55-8f2f6f1f0a11", *kind = "answer";
    static const char *transaction = "0d9e8f7a-6b5c-4d3e-8f1a-0b9c8d7e6f50";
    dbus_uint64_t deadline = now_ns() / 1000;
    DBusMessage *perform = plugin_call("Perform");
    DBusMessageIter body, details;
    dbus_message_iter_init_append(perform, &body);
    dbus_message_iter_append_basic(&body, DBUS_TYPE_STRING, &action);
    dbus_message_iter_append_basic(&body, DBUS_TYPE_STRING, &kind);
    dbus_message_iter_append_basic(&body, DBUS_TYPE_STRING, &call_uuid);
    dbus_message_iter_append_basic(&body, DBUS_TYPE_STRING, &transaction);
    dbus_message_iter_append_basic(&body, DBUS_TYPE_UINT64, &deadline);
    dbus_message_iter_open_container(&body, DBUS_TYPE_ARRAY, "{sv}", &details);
    dbus_message_iter_close_container(&body, &details);
    send_packet(plugin_socket, perform);
    dbus_message_unref(perform);
    send_signals(1);
    DBusMessage *fulfilled = some(receive_packet(plugin_socket));
    dbus_message_iter_init(fulfilled, &body);
    read_details(&body);
    dbus_message_unref(fulfilled);
    tell_plugin_of_audio();
    after_reply = after_answer;
    return reply_with(call, text_of(call));
}

static const struct {
    const char *interface, *member;
    DBusMessage *(*answer)(DBusMessage *);
} methods[] = {
    {PROPERTIES, "Get", get},           {FLOOR_INTERFACE, "Echo", echo},     {FLOOR_INTERFACE, "Copied", copied},
    {FLOOR_INTERFACE, "Answer", answer}, {FLOOR_INTERFACE, "Rebuilt", rebuilt},
};

static DBusHandlerResult handle(DBusConnection *connection, DBusMessage *message, void *context) {
    (void)context;
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (dbus_message_is_method_call(message, methods[i].interface, methods[i].member)) {
            DBusMessage *reply = methods[i].answer(message);
            if (!dbus_connection_send(connection, reply, NULL)) some(NULL);
            dbus_message_unref(reply);
            if (after_reply) after_reply();
            after_reply = NULL;
            return DBUS_HANDLER_RESULT_HANDLED;
        }
    return DBUS_HANDLER_RESULT_NOT_YET_HANDLED;
}

static DBusMessage *load(const char *path) {
    static char bytes[1 << 20];
    FILE *file = fopen(path, "rb");
    if (!file) die(path, "cannot be read");
    size_t length = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    DBusError error = DBUS_ERROR_INIT;
    DBusMessage *message = dbus_message_demarshal(bytes, (int)length, &error);
    if (!message) die(path, error.message);
    dbus_message_set_no_reply(message, TRUE);
    return message;
}

int main(int count, char **arguments) {
    if (count < 2) die("usage", "floor NAME [REPLY_FILE]");
    int sockets[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sockets)) die("socketpair", "failed");
    pid_t child = fork();
    if (child < 0) die("fork", "failed");
    close(sockets[child ? 1 : 0]);
    if (child == 0) run_child(sockets[1]);
    plugin_socket = sockets[0];
    if (count > 2) {
        DBusMessageIter body;
        saved_reply = load(arguments[2]);
        dbus_message_iter_init(saved_reply, &body);
        flatten(&body);
    }
    static const DBusObjectPathVTable table = {.message_function = handle};
    bus = connect_bus(NULL);
    if (!dbus_connection_register_object_path(bus, FLOOR_PATH, &table, NULL)) some(NULL);
    DBusError error = DBUS_ERROR_INIT;
    if (dbus_bus_request_name(bus, arguments[1], 0, &error) != DBUS_REQUEST_NAME_REPLY_PRIMARY_OWNER)
        die(arguments[1], error.message ? error.message : "already owned");
    while (dbus_connection_read_write_dispatch(bus, -1)) {}
    return 0;
}
