// How a thread reaches the Secret Service: a connection of its own, without libsecret's shared one, which ends the process
// together with the bus.
#include "connection.h"

#include <stdbool.h>

#include "secret.h"

#define NAME "org.freedesktop.secrets"
// How long the keyring may take to answer, in milliseconds. The user may take longer: a question is answered at once.
#define ANSWER_TIMEOUT 10000

// A SecretService on a connection that is given. The constructor of SecretService insists on the shared one.
typedef struct {
    SecretService parent;
} Keyring;

typedef struct {
    SecretServiceClass parent;
} KeyringClass;

static GType keyring_get_type(void);
G_DEFINE_TYPE(Keyring, keyring, SECRET_TYPE_SERVICE)

static GObject *keyring_constructor(GType type, guint count, GObjectConstructParam *properties) {
    GObject *object = G_OBJECT_CLASS(keyring_parent_class)->constructor(type, count, properties);
    // Nobody waits for the signals of the service.
    g_object_set(
        object, "g-bus-type", G_BUS_TYPE_NONE, "g-name", NAME, "g-flags",
        G_DBUS_PROXY_FLAGS_DO_NOT_LOAD_PROPERTIES | G_DBUS_PROXY_FLAGS_DO_NOT_CONNECT_SIGNALS, "g-default-timeout",
        ANSWER_TIMEOUT, NULL);
    return object;
}

static void keyring_class_init(KeyringClass *class) {
    G_OBJECT_CLASS(class)->constructor = keyring_constructor;
}

static void keyring_init(Keyring *keyring) {
    (void)keyring;
}

static _Thread_local struct {
    // The default context of the thread: signals that arrive wait there.
    GMainContext *context;
    GDBusConnection *bus;
    SecretService *service;
    // The unique name of the keyring that the session is with.
    char *owner;
    char *reason;
} here;

const char *ock_secrets_reason(void) {
    return here.reason ? here.reason : "";
}

static void leave(void) {
    g_clear_object(&here.service);
    if (here.bus) g_dbus_connection_close_sync(here.bus, NULL, NULL);
    g_clear_object(&here.bus);
    g_clear_pointer(&here.owner, g_free);
}

// Returns the unique name of the keyring, to be freed; NULL if nobody owns its name.
static char *find_owner(void) {
    GVariant *reply = g_dbus_connection_call_sync(
        here.bus, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "GetNameOwner",
        g_variant_new("(s)", NAME), G_VARIANT_TYPE("(s)"), G_DBUS_CALL_FLAGS_NO_AUTO_START, ANSWER_TIMEOUT,
        NULL, NULL);
    if (!reply) return NULL;
    char *owner = NULL;
    g_variant_get(reply, "(s)", &owner);
    g_variant_unref(reply);
    return owner;
}

static bool is_connected(void) {
    if (!here.service || g_dbus_connection_is_closed(here.bus)) return false;
    char *owner = find_owner();
    bool same = owner && g_strcmp0(owner, here.owner) == 0;
    g_free(owner);
    return same;
}

static void enter(GError **error) {
    char *address = g_dbus_address_get_for_bus_sync(G_BUS_TYPE_SESSION, NULL, error);
    if (!address) return;
    here.bus = g_dbus_connection_new_for_address_sync(
        address, G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION, NULL,
        NULL, error);
    g_free(address);
    if (!here.bus) return;
    here.service = g_initable_new(
        keyring_get_type(), NULL, error, "g-connection", here.bus, "flags", SECRET_SERVICE_OPEN_SESSION, NULL);
    if (!here.service) return;
    // libsecret takes a session without encryption if the keyring offers no other. No secret has been sent yet.
    const char *algorithms = secret_service_get_session_algorithms(here.service);
    if (!algorithms || !g_str_has_prefix(algorithms, "dh-")) {
        g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED, "the keyring takes secrets only unencrypted");
        g_clear_object(&here.service);
        return;
    }
    here.owner = find_owner();
}

SecretService *ock_connection_service(GError **error) {
    g_clear_pointer(&here.reason, g_free);
    if (!here.context) {
        here.context = g_main_context_new();
        g_main_context_push_thread_default(here.context);
    }
    while (g_main_context_iteration(here.context, FALSE)) {}
    if (is_connected()) return here.service;
    leave();
    enter(error);
    return here.service;
}

int ock_connection_end(GError *error) {
    if (!error) return OCK_SECRETS_DONE;
    int outcome = here.service ? OCK_SECRETS_FAILED : OCK_SECRETS_UNAVAILABLE;
    if (g_error_matches(error, SECRET_ERROR, SECRET_ERROR_IS_LOCKED)) outcome = OCK_SECRETS_LOCKED;
    if (outcome != OCK_SECRETS_LOCKED) {
        g_dbus_error_strip_remote_error(error);
        g_free(here.reason);
        here.reason = g_strdup(error->message);
        leave();
    }
    g_error_free(error);
    return outcome;
}
