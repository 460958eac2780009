// ServiceCode: a command to a network, and the answer of the network.

/// A code such as `*100#`, as it is sent to a network (3GPP TS 22.030, 6.5; USSD).
public struct ServiceCode: Sendable, Hashable {
    /// Digits, `*`, `#` and `+`.
    public let text: String

    /// The longest code, and the longest reply to a network, in characters: what one message of a network carries
    /// (3GPP TS 23.038, 5.1).
    public static let maximumLength = 182

    /// The beginnings of the codes that are for the SIM card and the device. A network that got them would read a PIN.
    private static let localBeginnings = ["**04*", "**042*", "**05*", "**052*", "*#06#"]

    /// Reads a code as a number to call is read. One or two digits are codes, too.
    ///
    /// - Throws: `InvalidArguments` for anything else, and for the codes that are not for a network.
    public init(parsing text: String) throws(CallError) {
        let dialed = try DialString(parsing: text)
        let digits = dialed.handle.value
        let isShort = (1...2).contains(digits.count) && digits.allSatisfy { ("0"..."9").contains($0) }
        guard dialed.handle.type == .phoneNumber, dialed.handle.isServiceCode || isShort, dialed.postDial.isEmpty,
            dialed.hidesNumber == nil, digits.count <= Self.maximumLength
        else {
            throw CallError(
                .invalidArguments,
                "this is no service code, expected one such as *100#, or one or two digits, of at most "
                    + "\(Self.maximumLength) characters")
        }
        guard !Self.localBeginnings.contains(where: digits.hasPrefix) else {
            throw CallError(
                .invalidArguments, "this code is for the SIM card or the device, and is not sent to a network")
        }
        self.text = digits
    }

    /// - Throws: `InvalidArguments` for text that cannot be a reply to a network.
    public static func check(reply: String) throws(CallError) {
        guard (1...maximumLength).contains(reply.count), reply.utf8.count <= 4 * maximumLength,
            !reply.unicodeScalars.contains(where: \.isUnsafeInText)
        else {
            throw CallError(
                .invalidArguments,
                "the reply has \(reply.count) characters, expected 1 to \(maximumLength) without control characters")
        }
    }
}

/// What a network says.
public struct ServiceAnswer: Sendable, Hashable {
    /// For people, in lines; empty for nothing.
    public var text: String
    /// Whether the network waits for a reply.
    public var asks: Bool

    public init(_ text: String, asks: Bool) { (self.text, self.asks) = (text, asks) }

    /// The longest text that is passed on, in characters.
    public static let maximumLength = 1_024
}
