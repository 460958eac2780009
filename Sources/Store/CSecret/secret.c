// What is asked of the Secret Service. connection.c has how it is reached.
#include "secret.h"

#include <stdbool.h>
#include <string.h>

#include "connection.h"

// The attributes of an item. They are not encrypted in every keyring: they do not tell who the user is.
#define SERVICE "org.opencallkit"

static GHashTable *attributes(const char *account, const char *key) {
    GHashTable *table = g_hash_table_new(g_str_hash, g_str_equal);
    g_hash_table_insert(table, "service", SERVICE);
    if (account) g_hash_table_insert(table, "account", (char *)account);
    if (key && *key) g_hash_table_insert(table, "key", (char *)key);
    return table;
}

static void free_items(GList *items) {
    g_list_free_full(items, g_object_unref);
}

// account, key: NULL = any.
static GList *search(SecretService *service, const char *account, const char *key, GError **error) {
    GHashTable *table = attributes(account, key);
    GList *items = secret_service_search_sync(service, NULL, table, SECRET_SEARCH_ALL, NULL, error);
    g_hash_table_unref(table);
    return items;
}

static SecretCollection *default_collection(SecretService *service, GError **error) {
    return secret_collection_for_alias_sync(
        service, SECRET_COLLECTION_DEFAULT, SECRET_COLLECTION_NONE, NULL, error);
}

// Ends a call that found nothing: a locked keyring may hide what it has, and one that is not there yet has it all the same.
// KeePassXC 2.7 owns the name before a database is open.
static int found_nothing(SecretService *service) {
    GError *error = NULL;
    SecretCollection *collection = default_collection(service, &error);
    if (!collection && !error) {
        error = g_error_new_literal(G_IO_ERROR, G_IO_ERROR_NOT_FOUND, "there is no default keyring");
    }
    if (error) return ock_connection_end(error);
    bool locked = secret_collection_get_locked(collection);
    g_object_unref(collection);
    return locked ? OCK_SECRETS_LOCKED : OCK_SECRETS_DONE;
}

// Whether one item was changed later than another one, which may be NULL.
static bool is_newer(SecretItem *item, SecretItem *other) {
    return !other || secret_item_get_modified(item) > secret_item_get_modified(other);
}

// Adds the unlocked items to newest, by their keys, and returns whether a locked one may have a key that is not there. Some
// keyrings do not tell the attributes of locked items.
static bool sort_items(GList *items, GHashTable *newest) {
    bool hidden = false;
    for (int locked = 0; locked < 2; locked++) {
        for (GList *at = items; at; at = at->next) {
            SecretItem *item = at->data;
            if (secret_item_get_locked(item) != locked) continue;
            GHashTable *table = secret_item_get_attributes(item);
            const char *key = g_hash_table_lookup(table, "key");
            SecretItem *other = key ? g_hash_table_lookup(newest, key) : NULL;
            if (key && !locked && is_newer(item, other)) g_hash_table_replace(newest, g_strdup(key), item);
            if (locked && !other) hidden = true;
            g_hash_table_unref(table);
        }
    }
    return hidden;
}

// What OpenCallKit puts there: keys of at most 32 characters, and secrets of 1 to 4,096 bytes.
enum { LONGEST_KEY = 32, LONGEST_SECRET = 4096 };

// Appends a secret to room, unless no such secret is put there by OpenCallKit. Returns what is wrong; NULL = nothing.
static const char *append(const char *key, SecretItem *item, uint8_t *room, size_t size, size_t *used) {
    SecretValue *value = secret_item_get_secret(item);
    // It was locked or removed meanwhile.
    if (!value) return "the keyring kept a secret to itself";
    gsize length = 0;
    const char *bytes = secret_value_get(value, &length);
    size_t name = strlen(key);
    bool ours = name >= 1 && name <= LONGEST_KEY && length >= 1 && length <= LONGEST_SECRET;
    bool fits = ours && 3 + name + length <= size - *used;
    if (fits) {
        uint8_t *end = room + *used;
        *end++ = (uint8_t)name;
        memcpy(end, key, name);
        end += name;
        *end++ = (uint8_t)(length & 0xFF);
        *end++ = (uint8_t)(length >> 8);
        memcpy(end, bytes, length);
        *used += 3 + name + length;
    }
    secret_value_unref(value);
    return fits || !ours ? NULL : "the account has too many secrets";
}

int ock_secrets_look_up(const char *account, uint8_t *room, size_t size, size_t *used) {
    *used = 0;
    GError *error = NULL;
    SecretService *service = ock_connection_service(&error);
    if (!service) return ock_connection_end(error);
    GList *items = search(service, account, NULL, &error);
    if (error) return ock_connection_end(error);
    if (!items) return found_nothing(service);
    // SECRET_SEARCH_LOAD_SECRETS of libsecret 0.20.5 would hide that this failed: the items then look as if they had none.
    if (!secret_item_load_secrets_sync(items, NULL, &error)) {
        free_items(items);
        return ock_connection_end(error);
    }
    GHashTable *newest = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    int outcome = OCK_SECRETS_DONE;
    if (sort_items(items, newest)) {
        outcome = OCK_SECRETS_LOCKED;
    } else {
        GHashTableIter entries;
        gpointer key, item;
        g_hash_table_iter_init(&entries, newest);
        while (!error && g_hash_table_iter_next(&entries, &key, &item)) {
            const char *reason = append(key, item, room, size, used);
            if (reason) g_set_error_literal(&error, G_IO_ERROR, G_IO_ERROR_FAILED, reason);
        }
    }
    g_hash_table_unref(newest);
    free_items(items);
    return outcome == OCK_SECRETS_LOCKED ? outcome : ock_connection_end(error);
}

// Whether an object does not exist, in the words of several keyrings.
static bool is_missing(GError *error) {
    return g_error_matches(error, SECRET_ERROR, SECRET_ERROR_NO_SUCH_OBJECT) ||
           g_error_matches(error, G_DBUS_ERROR, G_DBUS_ERROR_UNKNOWN_METHOD) ||
           g_error_matches(error, G_DBUS_ERROR, G_DBUS_ERROR_UNKNOWN_OBJECT);
}

int ock_secrets_store(const char *account, const char *key, const uint8_t *secret, size_t size) {
    GError *error = NULL;
    SecretService *service = ock_connection_service(&error);
    if (!service) return ock_connection_end(error);
    SecretCollection *collection = default_collection(service, &error);
    if (error) return ock_connection_end(error);
    if (collection && secret_collection_get_locked(collection)) {
        g_object_unref(collection);
        return OCK_SECRETS_LOCKED;
    }
    GHashTable *table = attributes(account, key);
    char *label = g_strdup_printf("OpenCallKit: %s", key);
    SecretValue *value = secret_value_new((const char *)secret, (gssize)size, "text/plain");
    bool kept;
    if (collection) {
        SecretItem *item = secret_item_create_sync(
            collection, NULL, table, label, value, SECRET_ITEM_CREATE_REPLACE, NULL, &error);
        kept = item != NULL;
        g_clear_object(&item);
        g_object_unref(collection);
    } else {
        kept = secret_service_store_sync(
            service, NULL, table, SECRET_COLLECTION_DEFAULT, label, value, NULL, &error);
        // The user did not want a keyring.
        if (is_missing(error)) g_clear_error(&error);
    }
    secret_value_unref(value);
    g_free(label);
    g_hash_table_unref(table);
    // A question that the user dismissed is no error of libsecret.
    return kept || error ? ock_connection_end(error) : OCK_SECRETS_DISMISSED;
}

int ock_secrets_clear(const char *account, const char *key) {
    GError *error = NULL;
    SecretService *service = ock_connection_service(&error);
    if (!service) return ock_connection_end(error);
    GList *items = search(service, account, key, &error);
    if (error) return ock_connection_end(error);
    if (!items) return found_nothing(service);
    bool left = false;
    for (GList *at = items; at && !error; at = at->next) {
        if (secret_item_get_locked(at->data)) {
            left = true;
        } else if (!secret_item_delete_sync(at->data, NULL, &error)) {
            // Somebody else may have removed it.
            left = left || !is_missing(error);
            if (is_missing(error)) g_clear_error(&error);
        }
    }
    free_items(items);
    return left && !error ? OCK_SECRETS_LOCKED : ock_connection_end(error);
}

// Returns what is to be unlocked: the default keyring, and items in other ones.
static GList *locked_objects(SecretService *service, GError **error) {
    SecretCollection *collection = default_collection(service, error);
    if (*error) return NULL;
    GList *objects = NULL;
    const char *home = NULL;
    if (collection) {
        home = g_dbus_proxy_get_object_path(G_DBUS_PROXY(collection));
        if (secret_collection_get_locked(collection)) objects = g_list_prepend(objects, g_object_ref(collection));
    }
    GList *items = search(service, NULL, NULL, error);
    for (GList *at = items; at; at = at->next) {
        const char *path = g_dbus_proxy_get_object_path(at->data);
        bool elsewhere = !home || !g_str_has_prefix(path, home) || path[strlen(home)] != '/';
        if (elsewhere && secret_item_get_locked(at->data)) objects = g_list_append(objects, g_object_ref(at->data));
    }
    free_items(items);
    g_clear_object(&collection);
    return objects;
}

int ock_secrets_unlock(void) {
    GError *error = NULL;
    SecretService *service = ock_connection_service(&error);
    if (!service) return ock_connection_end(error);
    GList *objects = locked_objects(service, &error);
    guint wanted = g_list_length(objects);
    gint unlocked = 0;
    if (!error && wanted > 0) {
        unlocked = secret_service_unlock_sync(service, objects, NULL, NULL, &error);
    }
    free_items(objects);
    return error || unlocked >= (gint)wanted ? ock_connection_end(error) : OCK_SECRETS_DISMISSED;
}
