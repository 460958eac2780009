// SIPTelephone: a phone number with its parameters, as `tel` URIs and the user parts of SIP URIs have it.

/// A telephone-subscriber (RFC 3966, 3; RFC 3261, 19.1.6): `+1-555-010-0123;ext=12`.
struct SIPTelephone: Hashable, Sendable {
    /// The number without what stands between its digits, completed by a context such as `+1555`.
    let number: String
    /// The domain whose number it is (`phone-context`), in small letters. Nil for a number that is everybody's.
    let domain: String?
    /// Whether nothing in it changes what the number means, unless it is understood (RFC 3966, 5.4).
    let isUnderstood: Bool

    /// Services such as 112 have short numbers, to which no context belongs (RFC 3966, 5.1.5).
    private static let longestServiceNumber = 3

    /// - Parameter text: with its escapes. Nil if it is no phone number.
    init?(_ text: some StringProtocol) {
        let parts = text.split(separator: ";", omittingEmptySubsequences: false)
        guard let written = parts.first.flatMap({ SIPUser.name(of: $0) }),
            // A user part may have its semicolons escaped.
            let digits = SIPUser.number(written.prefix { $0 != ";" })
        else { return nil }
        var contexts: [String] = []
        var isUnderstood = true
        for part in parts.dropFirst() {
            let halves = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = halves.first?.lowercased() ?? ""
            if name.hasPrefix("m-") { isUnderstood = false }
            guard name == "phone-context" else { continue }
            guard let context = halves.last.flatMap({ SIPUser.name(of: $0) }), halves.count == 2 else { return nil }
            contexts.append(context)
        }
        guard contexts.count <= 1 else { return nil }
        self.isUnderstood = isUnderstood
        guard let context = contexts.first, !digits.hasPrefix("+") else {
            (number, domain) = (digits, nil)
            return
        }
        guard context.hasPrefix("+") else {
            (number, domain) = (digits, context.lowercased())
            return
        }
        guard let prefix = SIPUser.number(context),
            let whole = digits.count > Self.longestServiceNumber ? SIPUser.number(prefix + digits) : digits
        else { return nil }
        (number, domain) = (whole, nil)
    }

    /// Whether a user part that may be a number is understood.
    static func isUnderstood(_ user: String) -> Bool { SIPTelephone(user)?.isUnderstood ?? true }

    /// The number of a `tel` URI. Nil for anything else.
    init?(uri text: some StringProtocol) {
        guard text.prefix(4).lowercased() == "tel:", text.utf8.count <= SIPAddress.maximumURILength, !text.hasControls
        else { return nil }
        self.init(text.dropFirst(4).prefix { $0 != "?" })
    }
}
