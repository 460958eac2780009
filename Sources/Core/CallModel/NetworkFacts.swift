// What networks tell of a call beside its state. Raw values are the names on the bus.

/// How far an outgoing call has come before it is connected.
public enum CallProgress: String, Sendable, Hashable, CaseIterable {
    case trying, alerting
    case earlyMedia = "early-media"
    case forwarded, queued
}

/// Whether the network vouches for the caller's handle (STIR/SHAKEN).
public enum CallerVerification: String, Sendable, Hashable, CaseIterable {
    case passed, failed, none
}

/// The network's reason for the end of a call.
public enum EndDetail: String, Sendable, Hashable, CaseIterable {
    case busy, rejected
    case notFound = "not-found"
    case forbidden, network, certificate, incompatible
}

/// What a network tells of the end of a call.
public struct NetworkEnd: Sendable, Hashable {
    public var detail: EndDetail?
    /// The network's own code, such as `SIP 486`; empty if it is unknown.
    public var code: String

    public init(_ detail: EndDetail? = nil, code: String = "") {
        self.detail = detail
        self.code = code
    }
}

/// Why a provider refuses an action, in one word.
public enum RefusalWord: String, Sendable, Hashable, CaseIterable {
    case busy, unreachable, unauthorized, unsupported

    public static let busPrefix = "org.opencallkit.Failure."

    /// The error name, such as `org.opencallkit.Failure.Busy`.
    public var busName: String { Self.busPrefix + rawValue.prefix(1).uppercased() + rawValue.dropFirst() }

    public init?(busName: String) {
        guard let word = Self.allCases.first(where: { $0.busName == busName }) else { return nil }
        self = word
    }

    /// What it says of a call that ends with the refusal.
    public var detail: EndDetail {
        switch self {
        case .busy: .busy
        case .unreachable: .network
        case .unauthorized: .forbidden
        case .unsupported: .incompatible
        }
    }
}

extension String {
    /// The longest word of a network that is kept, in characters.
    public static var maximumNetworkWord: Int { 64 }

    /// The most digits of a word of a network in a row, with nothing but what numbers are written with between them; what
    /// has more may be the number of a caller. Names of codecs have more in all: `G722/16000`.
    private static var mostDigits: Int { 6 }

    /// A word of a network, which everybody is shown, cut at 64 characters: letters and digits of ASCII and `-./_+:`, and a
    /// number after a space if the network has one, such as `SIP 486`. Empty if it may be a name or a number of somebody.
    public var networkWord: String {
        let word = prefix(Self.maximumNetworkWord)
        let halves = word.split(separator: " ", omittingEmptySubsequences: false)
        let isWord = word.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || " -./_+:".contains($0)) }
        guard isWord, halves.count <= 2, halves.dropFirst().allSatisfy({ $0.allSatisfy(\.isNumber) }) else { return "" }
        let digits = word.split { !$0.isNumber && !" -.+".contains($0) }.map { $0.count(where: \.isNumber) }
        return digits.contains { $0 > Self.mostDigits } ? "" : String(word)
    }
}
