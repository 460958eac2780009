/* Prints who is on the phone, and how each call ends.
 *
 * gcc who.c -o who $(pkg-config --cflags --libs gio-2.0)
 */
#include <gio/gio.h>
#include <stdio.h>

#define NAME "org.opencallkit.CallSystem1"
#define ROOT "/org/opencallkit/CallSystem1"

static void read_identity(GDBusProxy *identity)
{
    g_autoptr(GVariant) name = g_dbus_proxy_get_cached_property(identity, "CallerName");
    g_autoptr(GVariant) handle = g_dbus_proxy_get_cached_property(identity, "Handle");
    if (name == NULL || handle == NULL)
        return;
    const char *type, *value;
    g_variant_get(handle, "(&s&s)", &type, &value);
    g_print("%s <%s>\n", g_variant_get_string(name, NULL), value);
}

static void added(GDBusObjectManager *manager, GDBusObject *object, GHashTable *identities)
{
    const char *path = g_dbus_object_get_object_path(object);
    g_autoptr(GDBusInterface) call = g_dbus_object_get_interface(object, "org.opencallkit.Call1");
    if (call == NULL)
        return;
    /* The manager's own proxy for the identity stays empty: names are not in GetManagedObjects and not in signals. */
    GDBusProxy *identity = g_dbus_proxy_new_for_bus_sync(
        G_BUS_TYPE_SESSION, G_DBUS_PROXY_FLAGS_GET_INVALIDATED_PROPERTIES, NULL, NAME, path,
        "org.opencallkit.CallIdentity1", NULL, NULL);
    if (identity == NULL)
        return;
    g_hash_table_insert(identities, g_strdup(path), identity);
    g_signal_connect(identity, "g-properties-changed", G_CALLBACK(read_identity), NULL);
    read_identity(identity);
}

static void signalled(GDBusProxy *root, const char *sender, const char *signal, GVariant *arguments,
                      GHashTable *identities)
{
    const char *path, *reason, *by;
    if (g_strcmp0(signal, "CallEnded") != 0)
        return;
    g_variant_get(arguments, "(&o&s&s)", &path, &reason, &by);
    g_hash_table_remove(identities, path);
    g_print("over: %s, by %s\n", reason, by);
}

int main(void)
{
    g_autoptr(GHashTable) identities = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_object_unref);
    g_autoptr(GError) error = NULL;
    setvbuf(stdout, NULL, _IOLBF, 0);
    /* The root is not among the objects that it manages: its signals and properties need a proxy. */
    g_autoptr(GDBusProxy) root = g_dbus_proxy_new_for_bus_sync(
        G_BUS_TYPE_SESSION, G_DBUS_PROXY_FLAGS_NONE, NULL, NAME, ROOT, NAME, NULL, &error);
    if (root == NULL)
        g_error("%s", error->message);
    g_signal_connect(root, "g-signal", G_CALLBACK(signalled), identities);
    g_autoptr(GDBusObjectManager) manager = g_dbus_object_manager_client_new_for_bus_sync(
        G_BUS_TYPE_SESSION, G_DBUS_OBJECT_MANAGER_CLIENT_FLAGS_NONE, NAME, ROOT, NULL, NULL, NULL, NULL, &error);
    if (manager == NULL)
        g_error("%s", error->message);
    g_signal_connect(manager, "object-added", G_CALLBACK(added), identities);
    GList *objects = g_dbus_object_manager_get_objects(manager);
    for (GList *each = objects; each != NULL; each = each->next)
        added(manager, each->data, identities);
    g_list_free_full(objects, g_object_unref);
    g_main_loop_run(g_main_loop_new(NULL, FALSE));
}
