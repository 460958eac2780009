// How large a message is, found out without building any of its values.

internal import CDBus
internal import Glibc

extension Message {
    /// About how many bytes the arguments take: those of their texts, arrays and numbers.
    public var argumentBytes: Int {
        var iterator = DBusMessageIter()
        guard dbus_message_iter_init(raw, &iterator) != 0 else { return 0 }
        return Self.bytes(upToTheEndOf: &iterator)
    }

    /// Whether descriptors came with the message. They are closed with it.
    public var hasDescriptors: Bool { dbus_message_contains_unix_fds(raw) != 0 }

    private static func bytes(upToTheEndOf iterator: inout DBusMessageIter) -> Int {
        var bytes = 0
        while true {
            switch dbus_message_iter_get_arg_type(&iterator) {
            case ock_type_invalid: return bytes
            case ock_type_array:
                var inside = DBusMessageIter()
                dbus_message_iter_recurse(&iterator, &inside)
                bytes += Int(ock_array_bytes(&inside))
            case ock_type_string, ock_type_object_path, ock_type_signature:
                var text: UnsafePointer<CChar>?
                dbus_message_iter_get_basic(&iterator, &text)
                bytes += text.map(strlen) ?? 0
            case ock_type_variant, ock_type_struct:
                var inside = DBusMessageIter()
                dbus_message_iter_recurse(&iterator, &inside)
                bytes += Self.bytes(upToTheEndOf: &inside)
            default: bytes += MemoryLayout<UInt64>.size
            }
            dbus_message_iter_next(&iterator)
        }
    }
}
