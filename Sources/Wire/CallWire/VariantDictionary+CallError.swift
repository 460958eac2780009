// Reading a{sv} with the refusals of the contract: wrong types and missing keys are InvalidArguments.

package import CallModel
package import DBus

extension VariantDictionary {
    /// Returns the value for `key`, or nil if it is missing.
    package func optional<T: DBusType>(_ key: String, as type: T.Type = T.self) throws(CallError) -> T? {
        do {
            return try value(key, as: type)
        } catch {
            throw CallError(.invalidArguments, error.message)
        }
    }

    package func needed<T: DBusType>(_ key: String, as type: T.Type = T.self) throws(CallError) -> T {
        do {
            return try required(key, as: type)
        } catch {
            throw CallError(.invalidArguments, error.message)
        }
    }

    /// Returns the value for `key` as one of the raw values of `Word`, or nil if it is missing.
    package func optionalWord<Word: RawRepresentable & CaseIterable>(
        _ key: String, as type: Word.Type = Word.self
    ) throws(CallError) -> Word? where Word.RawValue == String {
        guard let text = try optional(key, as: String.self) else { return nil }
        return try Self.word(text, of: key)
    }

    package static func word<Word: RawRepresentable & CaseIterable>(
        _ text: String, of key: String
    ) throws(CallError) -> Word where Word.RawValue == String {
        guard let word = Word(rawValue: text) else {
            let known = Word.allCases.map(\.rawValue).joined(separator: ", ")
            throw CallError(.invalidArguments, "\(key) is \"\(text.excerpt)\", expected one of \(known)")
        }
        return word
    }

    /// The longest file name that is accepted, in bytes.
    package static let maximumFileName = 4_096

    /// Returns a file name that the outside brings. The file is not looked at.
    package static func fileName(_ name: String, of key: String) throws(CallError) -> String {
        guard name.utf8.count <= maximumFileName else {
            throw CallError(
                .invalidArguments, "\(key) has \(name.utf8.count) bytes, expected at most \(maximumFileName)")
        }
        guard !name.unicodeScalars.contains(where: \.isUnsafeInText) else {
            throw CallError(.invalidArguments, "\(key) has control characters, expected a file name")
        }
        return name
    }

    package func neededCallID(_ key: String) throws(CallError) -> CallID {
        try Self.callID(needed(key, as: String.self), of: key)
    }

    func optionalCallID(_ key: String) throws(CallError) -> CallID? {
        guard let text = try optional(key, as: String.self) else { return nil }
        return try Self.callID(text, of: key)
    }

    static func callID(_ text: String, of key: String) throws(CallError) -> CallID {
        guard let call = CallID(text) else {
            throw CallError(.invalidArguments, "\(key) is \"\(text.excerpt)\", expected a UUID")
        }
        return call
    }
}
