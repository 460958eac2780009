// How well the sound of a call travels.

/// How well the sound of a call travels, as its provider has measured it; nil is not known.
public struct CallQuality: Sendable, Hashable {
    /// The time to the far side and back, in milliseconds.
    public var roundTrip: UInt32?
    /// By how much the time between packets varies, in milliseconds (RFC 3550: interarrival jitter).
    public var jitter: UInt32?
    /// Packets lost out of 1,000, both ways, as far as they are known.
    public var loss: UInt32?

    public init(roundTrip: UInt32? = nil, jitter: UInt32? = nil, loss: UInt32? = nil) {
        (self.roundTrip, self.jitter) = (roundTrip, jitter)
        self.loss = loss.map { min($0, 1000) }
    }
}

extension CallQuality: CustomStringConvertible {
    /// `30,4,12`: round trip, jitter and loss; `-` is not known.
    public var description: String {
        [roundTrip, jitter, loss].map { $0.map(String.init) ?? "-" }.joined(separator: ",")
    }

    /// - Returns: nil unless the text is a description.
    public init?(_ description: String) {
        let words = description.split(separator: ",", omittingEmptySubsequences: false)
        guard words.count == 3, words.allSatisfy({ $0 == "-" || UInt32($0) != nil }) else { return nil }
        self.init(roundTrip: UInt32(words[0]), jitter: UInt32(words[1]), loss: UInt32(words[2]))
    }
}
