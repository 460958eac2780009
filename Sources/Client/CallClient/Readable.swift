// Reads the properties of an object leniently.

package import CallModel
import CallWire
package import DBus

/// Something with properties by name. A property that is missing or of another type reads as empty.
package protocol Readable {
    var properties: VariantDictionary { get }
}

extension Readable {
    package func text(_ name: String) -> String { value(name) ?? "" }
    package func flag(_ name: String) -> Bool { value(name) ?? false }
    package func number(_ name: String) -> UInt32 { value(name) ?? 0 }
    package func words(_ name: String) -> [String] { value(name) ?? [] }
    package func path(_ name: String) -> ObjectPath { value(name) ?? .root }

    /// Returns an integer of any type; a negative one reads as 0.
    package func count(_ name: String) -> UInt64 {
        switch properties[name] {
        case .byte(let value): UInt64(value)
        case .int16(let value): UInt64(max(0, value))
        case .uint16(let value): UInt64(value)
        case .int32(let value): UInt64(max(0, value))
        case .uint32(let value): UInt64(value)
        case .int64(let value): UInt64(max(0, value))
        case .uint64(let value): value
        default: 0
        }
    }

    /// Returns a time, or nil for 0, which means "not yet" on the bus.
    package func time(_ name: String) -> WallTime? {
        let time: WallTime = value(name) ?? 0
        return time == 0 ? nil : time
    }

    package func handle(_ name: String) -> (type: String, value: String) {
        guard let pair: Struct<String, String> = value(name) else { return ("", "") }
        let (type, value) = pair.fields
        return (type, value)
    }

    /// Returns the other party for people: the name and the handle's value, if known.
    package func party(_ name: String, _ handle: String) -> String {
        .party(text(name), self.handle(handle).value)
    }

    package func value<T: DBusType>(_ name: String) -> T? { try? properties[name]?.value() }
}

extension String {
    /// Another party for people: its name and its handle's value, as far as they are known.
    package static func party(_ name: String, _ value: String) -> String {
        if name.isEmpty { return value.isEmpty ? "withheld" : value }
        return value.isEmpty || value == name ? name : "\(name) (\(value))"
    }
}

extension Published {
    /// The properties of which these are told, as they were read from the bus.
    package func properties(for audience: PropertyAudience) -> VariantDictionary { wire(for: audience) }
}
