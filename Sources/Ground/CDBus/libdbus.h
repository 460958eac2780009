// libdbus, and its type codes, whose macros are casts of characters.
#pragma once
#include <dbus/dbus.h>

static const int ock_type_invalid = DBUS_TYPE_INVALID;
static const int ock_type_byte = DBUS_TYPE_BYTE;
static const int ock_type_boolean = DBUS_TYPE_BOOLEAN;
static const int ock_type_int16 = DBUS_TYPE_INT16;
static const int ock_type_uint16 = DBUS_TYPE_UINT16;
static const int ock_type_int32 = DBUS_TYPE_INT32;
static const int ock_type_uint32 = DBUS_TYPE_UINT32;
static const int ock_type_int64 = DBUS_TYPE_INT64;
static const int ock_type_uint64 = DBUS_TYPE_UINT64;
static const int ock_type_double = DBUS_TYPE_DOUBLE;
static const int ock_type_string = DBUS_TYPE_STRING;
static const int ock_type_object_path = DBUS_TYPE_OBJECT_PATH;
static const int ock_type_signature = DBUS_TYPE_SIGNATURE;
static const int ock_type_variant = DBUS_TYPE_VARIANT;
static const int ock_type_descriptor = DBUS_TYPE_UNIX_FD;
static const int ock_type_array = DBUS_TYPE_ARRAY;
static const int ock_type_struct = DBUS_TYPE_STRUCT;
static const int ock_type_dict_entry = DBUS_TYPE_DICT_ENTRY;

// The bytes that an array takes in the message, given an iterator inside it. libdbus deprecates the only function that
// knows them without reading the elements.
static inline int ock_array_bytes(DBusMessageIter *first) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    return dbus_message_iter_get_array_len(first);
#pragma GCC diagnostic pop
}
