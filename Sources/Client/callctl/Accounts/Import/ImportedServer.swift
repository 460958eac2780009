// ImportedServer: where a SIP server is, and how it is reached.

/// A host name or an address, and a port.
struct ImportedServer: Sendable, Equatable {
    /// An IPv6 address is in brackets.
    let name: String
    let port: UInt16?

    /// Reads `example.org`, `example.org:5061`, `[2001:db8::1]` or `[2001:db8::1]:5061`; nil for anything else.
    init?(_ text: String) {
        var rest = text.trimmed[...]
        let end: Substring.Index
        if rest.hasPrefix("["), let close = rest.firstIndex(of: "]") {
            end = rest.index(after: close)
            guard rest.dropFirst()[..<close].allSatisfy({ $0.isASCII && $0.isHexDigit || ":.".contains($0) }) else {
                return nil
            }
        } else {
            end = rest.firstIndex(of: ":") ?? rest.endIndex
            guard rest[..<end].allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) || ".-_".contains($0) }) else {
                return nil
            }
        }
        name = String(rest[..<end])
        guard !name.isEmpty, name != "[]" else { return nil }
        rest = rest[end...]
        if rest.isEmpty {
            port = nil
        } else {
            guard rest.first == ":", let number = UInt16(rest.dropFirst()), number > 0 else { return nil }
            port = number
        }
    }

    /// A place with another port.
    init(_ host: ImportedServer, port: UInt16) { (name, self.port) = (host.name, port) }

    var text: String { port.map { "\(name):\($0)" } ?? name }

    /// The address of a proxy at this place.
    func proxy(_ transport: ImportedTransport) -> String { "sip:\(text);transport=\(transport.rawValue)" }

    /// Whether both are the same machine by name.
    func isNamed(_ other: ImportedServer) -> Bool { name.lowercased() == other.name.lowercased() }
}

/// The raw values are the words of the setting `transport`.
enum ImportedTransport: String, Sendable {
    case udp, tcp, tls
}
