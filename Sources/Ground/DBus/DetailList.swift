// DetailList: details in an order, as they are written.

internal import CDBus

/// Details to be sent, `a{sv}`, in the order in which they are listed. Keys are not compared: list each one once.
public struct DetailList: DBusType {
    public var entries: [(key: String, value: Variant)]

    public init(_ entries: [(key: String, value: Variant)] = []) {
        self.entries = entries
    }

    public static var signature: String { "a{sv}" }

    /// By name. Of entries with the same key, the last one counts.
    public var dictionary: VariantDictionary {
        VariantDictionary(entries.map { ($0.key, $0.value) }) { _, last in last }
    }

    public func append(to writer: inout MessageWriter) throws(DBusError) {
        try writer.container(ock_type_array, "{sv}") { (writer) throws(DBusError) in
            for (key, value) in entries {
                try writer.container(ock_type_dict_entry) { (writer) throws(DBusError) in
                    try writer.text(ock_type_string, key)
                    try value.append(to: &writer)
                }
            }
        }
    }

    public init(from reader: inout MessageReader) throws(DBusError) {
        var entries: [(key: String, value: Variant)] = []
        try reader.elements { (reader) throws(DBusError) in
            try reader.container(ock_type_dict_entry) { (reader) throws(DBusError) in
                let key = try reader.text(ock_type_string)
                entries.append((key, try Variant(from: &reader)))
            }
        }
        self.entries = entries
    }
}

extension Message {
    /// The arguments if they are details alone, `a{sv}`.
    ///
    /// - Throws: `InvalidArgs` for other types.
    public func readDetails() throws(DBusError) -> VariantDictionary {
        // What was recognized as this answer was not read, and is not now.
        if self === PlainAnswer.shared?.message { return [:] }
        guard has(signature: "a{sv}") else {
            throw DBusError(DBusError.Name.invalidArgs, "expected (a{sv}), found (\(signature))")
        }
        return try read { (reader) throws(DBusError) in try VariantDictionary(from: &reader) }
    }
}
