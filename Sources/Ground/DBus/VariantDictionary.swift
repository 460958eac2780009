// VariantDictionary: options and details, `a{sv}`.

/// Options or details by name: the D-Bus type `a{sv}`.
public typealias VariantDictionary = [String: Variant]

extension VariantDictionary {
    /// Returns the value for `key`, or nil if it is missing. Throws `InvalidArgs`, naming the key and both types, if it is of
    /// another type.
    public func value<Found: DBusType>(
        _ key: String, as type: Found.Type = Found.self
    ) throws(DBusError) -> Found? {
        guard let variant = self[key] else { return nil }
        do throws(DBusError) {
            return try variant.value(as: type)
        } catch {
            throw DBusError(error.name, "\(key): \(error.message)")
        }
    }

    /// Returns the value for `key`. Throws `InvalidArgs` if it is missing or of another type.
    public func required<Found: DBusType>(
        _ key: String, as type: Found.Type = Found.self
    ) throws(DBusError) -> Found {
        guard let value = try value(key, as: type) else {
            throw DBusError(DBusError.Name.invalidArgs, "\(key): expected type \(Found.signature), found nothing")
        }
        return value
    }

    /// The value for `key`, or `fallback` if it is missing or of another type. For details that may be ignored when invalid.
    public subscript<Found: DBusType>(key: String, default fallback: Found) -> Found {
        self[key].flatMap(Found.init(inside:)) ?? fallback
    }

    /// Sets the value for `key`; nil leaves the dictionary as it is.
    public mutating func set(_ key: String, _ value: (some DBusType)?) {
        if let value { self[key] = value.inVariant }
    }

    public mutating func set(_ key: String, _ value: Variant?) {
        if let value { self[key] = value }
    }
}
