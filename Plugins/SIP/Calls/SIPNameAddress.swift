// SIPNameAddress: an address as headers have it.

/// A value of From and its like (RFC 3261, 20.10): `"Bob" <sip:bob@example.org>;tag=1`.
struct SIPNameAddress: Hashable, Sendable {
    /// Without quotes; empty without one.
    let name: String
    /// Without headers.
    let uri: String
    /// What follows the `?` of the URI, with its escapes: `Replaces=…&Privacy=none`.
    let headers: String
    /// In small letters, without quotes.
    private let parameters: [String: String]

    init(_ text: String) {
        var rest = text[...]
        var written = ""
        if let open = SIPQuotes.bracket(in: text) {
            name = SIPQuotes.unquoted(text[..<open].trimmed)
            // Without its end it may be a part of another one.
            if let close = text[open...].firstIndex(of: ">") {
                written = text[text.index(after: open)..<close].trimmed
                rest = text[close...]
            }
        } else {
            // Without brackets, parameters belong to the header.
            name = ""
            written = (SIPQuotes.parts(of: text, at: ";").first ?? "").trimmed
        }
        // A user part may have a question mark.
        let at = written.firstIndex(of: "@") ?? written.startIndex
        let question = written[at...].firstIndex(of: "?") ?? written.endIndex
        uri = String(written[..<question])
        headers = String(written[question...].dropFirst())
        var parameters: [String: String] = [:]
        for part in SIPQuotes.parts(of: rest, at: ";").dropFirst() {
            let halves = part.split(separator: "=", maxSplits: 1).map { $0.trimmed.lowercased() }
            guard let key = halves.first, parameters[key] == nil else { continue }
            parameters[key] = SIPQuotes.unquoted(halves.dropFirst().first ?? "")
        }
        self.parameters = parameters
    }

    /// Nil if it is missing; empty without a value.
    func parameter(_ name: String) -> String? { parameters[name] }

    /// The unescaped value of a header of the URI, by its name in small letters. Nil if it is missing, or if its escapes are
    /// not valid.
    func header(_ name: String) -> String? {
        for part in headers.split(separator: "&") {
            let halves = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if halves.count == 2, halves[0].lowercased() == name { return SIPUser.name(of: halves[1]) }
        }
        return nil
    }
}
