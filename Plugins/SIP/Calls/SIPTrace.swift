// SIPTrace: SIP messages for a log, without identities and secrets.

/// Makes SIP messages fit for a log. Names become short words that are the same for the same name in one run, so that
/// messages can be matched. What is not known to be harmless is left out: a header, a line of SDP, a body.
public struct SIPTrace: Sendable {
    private static let hidden = "…"
    /// Headers with nothing about people in them.
    private static let plain: Set = [
        "via", "v", "cseq", "max-forwards", "content-type", "c", "content-length", "l", "allow", "supported", "k",
        "require", "unsupported", "proxy-require", "expires", "min-expires", "session-expires", "x", "min-se",
        "user-agent", "server", "event", "o", "allow-events", "u", "subscription-state", "retry-after", "accept",
        "accept-encoding", "content-encoding", "e", "rseq", "rack", "mime-version", "timestamp", "date", "privacy",
    ]
    /// Headers with addresses.
    private static let addresses: Set = [
        "from", "f", "to", "t", "contact", "m", "route", "record-route", "path", "service-route",
        "p-asserted-identity", "p-preferred-identity", "p-associated-uri", "p-called-party-id", "remote-party-id",
        "diversion", "history-info", "refer-to", "r", "referred-by", "b", "reply-to",
    ]
    /// Parameters of addresses with nothing about people in them.
    private static let plainParameters: Set = [
        "tag", "expires", "q", "lr", "transport", "user", "reg-id", "ob", "reason", "index", "privacy", "counter",
        "ftag", "party", "screen", "id-type", "r2", "method", "early-only",
    ]
    /// Lines of SDP that are shown, by their beginnings.
    private static let plainSDP = [
        "v=", "c=", "t=", "m=", "b=", "a=rtpmap:", "a=fmtp:", "a=ptime:", "a=maxptime:", "a=sendrecv", "a=sendonly",
        "a=recvonly", "a=inactive", "a=rtcp", "a=setup:", "a=candidate:", "a=ice-lite", "a=ice-options:",
        "a=end-of-candidates", "a=remote-candidates:", "a=group:", "a=mid:", "a=connection:",
    ]
    /// Attributes of SDP of which the name alone is shown.
    private static let namedSDP = ["crypto", "fingerprint", "ice-pwd", "ice-ufrag", "ssrc", "label", "tls-id"]
    /// Bodies in bodies are shown to this depth.
    private static let maximumDepth = 4
    /// Longer messages are cut off.
    public static let maximumLength = 16_384

    private let word: @Sendable (String) -> String

    /// - Parameter word: the word for a name: the same one for the same name, and without a way back.
    public init(word: @escaping @Sendable (String) -> String) { self.word = word }

    /// The message, with a line end after each line.
    public func shown(_ message: String) -> String {
        let text = String(decoding: message.utf8.prefix(Self.maximumLength), as: UTF8.self)
        let lines = text.split(omittingEmptySubsequences: false) { $0 == "\r\n" || $0 == "\n" }
        let head = unfolded(lines.prefix { !$0.isEmpty })
        let body = lines.dropFirst(lines.prefix { !$0.isEmpty }.count + 1)
        var result = head.first.map { [start($0)] } ?? []
        result += head.dropFirst().map(header)
        if body.contains(where: { !$0.isEmpty }) { result += [""] + shown(body: body, of: head) }
        return result.map { $0.filter { !String($0).hasControls } + "\n" }.joined()
    }

    /// Lines that begin with a space belong to the one before.
    private func unfolded(_ lines: some Sequence<Substring>) -> [String] {
        var result: [String] = []
        for line in lines {
            if line.first?.isWhitespace == true, let last = result.popLast() {
                result.append(last + " " + line.trimmed)
            } else {
                result.append(String(line))
            }
        }
        return result
    }

    /// `INVITE sip:bob@example.org SIP/2.0`, or `SIP/2.0 200 OK`.
    private func start(_ line: String) -> String {
        let words = line.split(separator: " ", maxSplits: 2).map(String.init)
        guard words.count >= 2 else { return Self.hidden }
        if words[0] == "SIP/2.0" { return "SIP/2.0 \(words[1].prefix(while: \.isASCIIDigit))" }
        guard words.count == 3, words[0].allSatisfy(\.isASCIILetter) else { return Self.hidden }
        return "\(words[0]) \(uri(words[1])) SIP/2.0"
    }

    private func header(_ line: String) -> String {
        guard let colon = line.firstIndex(of: ":") else { return Self.hidden }
        let name = line[..<colon].trimmed
        let value = line[line.index(after: colon)...].trimmed
        let key = name.lowercased()
        guard name.allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit || $0 == "-" }) else { return Self.hidden }
        switch key {
        case _ where Self.plain.contains(key): return "\(name): \(value)"
        case _ where Self.addresses.contains(key):
            return "\(name): \(SIPQuotes.parts(of: value, at: ",").map(address).joined(separator: ", "))"
        case "call-id", "i": return "\(name): \(word(value))"
        case "reason", "warning": return "\(name): \(code(value))"
        default: return "\(name): \(Self.hidden)"
        }
    }

    /// The cause of a Reason (RFC 3326), `cause=200`, or the code of a Warning, `399`. The rest is free text.
    private func code(_ value: String) -> String {
        let plain = value.prefix { $0 != "\"" }
        let cause = plain.firstRange(of: "cause=").map { plain[$0.upperBound...] }
        let digits = (cause ?? plain).prefix(while: \.isASCIIDigit)
        guard (1...3).contains(digits.count) else { return Self.hidden }
        return (cause == nil ? "" : "cause=") + digits
    }

    // MARK: addresses

    /// `"Bob" <sip:bob@example.org>;tag=1`.
    private func address(_ text: String) -> String {
        guard let open = SIPQuotes.bracket(in: text), let close = text[open...].firstIndex(of: ">") else {
            let parts = SIPQuotes.parts(of: text, at: ";")
            return (parts.prefix(1).map { uri($0) } + parts.dropFirst().map(parameter)).joined(separator: ";")
        }
        let shown = text[..<open].trimmed
        let name = shown.isEmpty ? "" : "\"\(word(shown))\" "
        let place = uri(String(text[text.index(after: open)..<close]))
        let parameters = SIPQuotes.parts(of: text[text.index(after: close)...], at: ";").dropFirst().map(parameter)
        return ([name + "<" + place + ">"] + parameters).joined(separator: ";")
    }

    private func parameter(_ text: String) -> String {
        let parts = text.split(separator: "=", maxSplits: 1).map(\.trimmed)
        guard let name = parts.first, Self.isToken(name) else { return Self.hidden }
        let isShown = Self.plainParameters.contains(name.lowercased()) && parts.allSatisfy(Self.isToken)
        return isShown ? parts.joined(separator: "=") : "\(name)=\(Self.hidden)"
    }

    /// RFC 3261, 25.1.
    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || "-._!%*+`'~".contains($0) }
    }

    /// The URI with a word for its user part, and without headers. One that is no SIP URI is a word as a whole.
    private func uri(_ text: String) -> String {
        guard let colon = text.firstIndex(of: ":") else { return text == "*" ? text : word(text) }
        let scheme = text[..<colon].lowercased()
        guard scheme == "sip" || scheme == "sips" else { return word(text) }
        let rest = text[text.index(after: colon)...]
        let at = rest.lastIndex(of: "@")
        let user = at.map { word(String(rest[..<$0])) + "@" } ?? ""
        let place = rest[(at.map(rest.index(after:)) ?? rest.startIndex)...].prefix { $0 != "?" }
        let parts = SIPQuotes.parts(of: place, at: ";")
        return "\(scheme):\(user)"
            + (parts.prefix(1).map { SIPServer($0.trimmed)?.text ?? Self.hidden } + parts.dropFirst().map(parameter))
            .joined(separator: ";")
    }

    // MARK: bodies

    private func shown(body: ArraySlice<Substring>, of head: [String], depth: Int = 0) -> [String] {
        let type = head.first { line in
            let name = line.prefix { $0 != ":" }.lowercased()
            return name == "content-type" || name == "c"
        }
        if let type, type.lowercased().contains("multipart/"), depth < Self.maximumDepth,
            let boundary = Self.boundary(in: type)
        {
            return shown(partsOf: body, between: "--" + boundary, depth: depth)
        }
        // How a transfer goes.
        if type?.lowercased().contains("message/sipfrag") == true, let line = body.first, line.hasPrefix("SIP/2.0 ") {
            return [start(String(line))]
        }
        guard type?.lowercased().contains("application/sdp") == true else { return ["(a body that is not shown)"] }
        return body.filter { !$0.isEmpty }.map { line in
            if Self.plainSDP.contains(where: { line.hasPrefix($0) }) { return String(line) }
            let name = Self.namedSDP.first { line.hasPrefix("a=\($0):") }
            return name.map { "a=\($0):\(Self.hidden)" } ?? "\(line.prefix { $0 != "=" }.prefix(1))=\(Self.hidden)"
        }
    }

    /// Each part with its headers (RFC 2046, 5.1).
    private func shown(partsOf body: ArraySlice<Substring>, between delimiter: String, depth: Int) -> [String] {
        let whole = body.prefix { $0.trimmed != delimiter + "--" }
        let parts = whole.split(omittingEmptySubsequences: false) { $0.trimmed == delimiter }
        return parts.dropFirst().flatMap { part in
            let lines = part.prefix { !$0.isEmpty }
            let head = unfolded(lines)
            return ["--" + Self.hidden] + head.map(header) + [""]
                + shown(body: part.dropFirst(lines.count + 1), of: head, depth: depth + 1)
        }
    }

    private static func boundary(in type: String) -> String? {
        let parameter = type.split(separator: ";").map(\.trimmed).first { $0.lowercased().hasPrefix("boundary=") }
        return parameter.map { $0.dropFirst("boundary=".count).filter { $0 != "\"" } }
    }
}
