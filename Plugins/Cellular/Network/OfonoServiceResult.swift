// What oFono says of a service that it carries out itself, in words.

import DBus

/// oFono sends codes for forwarding, barring, waiting and the own number as the commands that they mean, and tells the result
/// as values (supplementaryservices-api.txt).
enum OfonoServiceResult {
    /// How deep values may be nested, and how many there may be.
    private static let maximumDepth = 4
    private static let maximumCount = 64

    /// The words of a network as they are; of anything else, one line for each value.
    ///
    /// - Parameter kind: `USSD`, or the name of the service.
    static func text(of result: Variant, _ kind: String) -> String {
        if kind == "USSD", case .string(let words) = result { return words }
        return ([spaced(kind)] + lines(of: result, maximumDepth)).joined(separator: "\n")
    }

    private static func lines(of value: Variant, _ depth: Int) -> [String] {
        guard depth > 0 else { return [] }
        return switch value {
        case .string(let text): [text]
        case .bool(let isOn): [isOn ? "yes" : "no"]
        case .variant(let inner): lines(of: inner, depth - 1)
        case .structure(let fields): fields.prefix(maximumCount).flatMap { lines(of: $0, depth - 1) }
        case .dictionary(_, _, let entries):
            entries.prefix(maximumCount).map { entry in
                let names = lines(of: entry.key, 1).map(spaced).joined()
                return "\(names): \(lines(of: entry.value, depth - 1).joined(separator: " "))"
            }.sorted()
        default: []
        }
    }

    /// `VoiceUnconditional` as `Voice unconditional`.
    private static func spaced(_ name: String) -> String {
        name.replacing(/([a-z])([A-Z])/) { "\($0.1) \($0.2.lowercased())" }
    }
}
