// ContactHandle: a contact's handle, and how handles are compared.

internal import CallModel

struct ContactHandle: Sendable, Hashable {
    /// The normalized value.
    let value: String
    let type: HandleType
    var label = ContactLabel.none
    /// What is dialed after the number; empty for nothing.
    var postDial = ""

    var key: HandleKey { HandleKey(isEmail: type == .emailAddress, value: value) }

    /// Returns the last seven digits of a number, which two that may be the same have in common; nil if it has fewer.
    static func ending(of number: String) -> UInt32? {
        let ending = number.utf8.suffix(7)
        guard ending.count == 7, ending.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return UInt32(String(Substring(ending)))
    }

    /// Providers report generic handles with their scheme or without it.
    var keys: [HandleKey] {
        guard type == .generic, let colon = value.firstIndex(of: ":") else { return [key] }
        let rest = value[colon...].dropFirst()
        return [key] + (rest.isEmpty ? [] : [HandleKey(isEmail: false, value: String(rest))])
    }
}

/// Where a handle belongs. The raw value is the word on the bus.
enum ContactLabel: String, Sendable {
    case none = ""
    case home, work, mobile, fax
}

/// Distinguishes only e-mail addresses: providers may report a number as generic.
struct HandleKey: Sendable, Hashable {
    let isEmail: Bool
    /// Normalized.
    let value: String
}
