// LinphoneAddress: a SIP address in Linphone's file.

/// `"Alice" <sip:alice@example.org:5061;transport=tls>`, or the same without a name and brackets. A password in the address
/// is left out.
struct LinphoneAddress: Sendable, Equatable {
    /// Empty if there is none.
    private(set) var name = ""
    /// Without escapes; empty if there is none.
    private(set) var user = ""
    let host: ImportedServer
    /// In lower case; `tls` for a `sips:` address. Nil if none is named.
    let transport: String?

    /// Returns nil if there is no valid host.
    init?(_ text: String) {
        var address = text.trimmed[...]
        if let open = address.lastIndex(of: "<") {
            name = address[..<open].trimmed.withoutQuotes
            address = address[address.index(after: open)...]
            address = address[..<(address.firstIndex(of: ">") ?? address.endIndex)]
        }
        address = address[..<(address.firstIndex(of: "?") ?? address.endIndex)]
        var isSecure = false
        for (scheme, isTLS) in [("sips:", true), ("sip:", false)] where address.lowercased().hasPrefix(scheme) {
            address = address.dropFirst(scheme.count)
            isSecure = isTLS
            break
        }
        let at = address.lastIndex(of: "@")
        var rest = address
        if let at {
            guard let user = address[..<at].prefix(while: { $0 != ":" }).withoutPercents else { return nil }
            self.user = user
            rest = address[address.index(after: at)...]
        }
        let parts = rest.split(separator: ";", omittingEmptySubsequences: false)
        guard let place = parts.first, let host = ImportedServer(String(place)) else { return nil }
        self.host = host
        let named = parts.dropFirst().map { $0.trimmed.lowercased() }.first { $0.hasPrefix("transport=") }
        transport = isSecure ? "tls" : named.map { String($0.dropFirst("transport=".count)) }
    }
}

extension String {
    /// A quoted string without its quotation marks and backslashes.
    fileprivate var withoutQuotes: String {
        guard count >= 2, hasPrefix("\""), hasSuffix("\"") else { return self }
        var text = ""
        var isEscaped = false
        for character in dropFirst().dropLast() {
            if character == "\\", !isEscaped {
                isEscaped = true
            } else {
                text.append(character)
                isEscaped = false
            }
        }
        return text
    }
}

extension Substring {
    /// This text with `%41` as `A`; nil if that is not valid.
    fileprivate var withoutPercents: String? {
        var bytes: [UInt8] = []
        var rest = utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            guard digits.utf8.count == 2, digits.allSatisfy(\.isHexDigit), let value = UInt8(digits, radix: 16) else {
                return nil
            }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
