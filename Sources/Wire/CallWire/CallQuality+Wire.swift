// The quality of a call, in an update and as the property Quality alike.

public import CallModel
public import DBus

private enum QualityKey {
    static let roundTrip = "round-trip"
    static let jitter = "jitter"
    static let loss = "loss"
}

extension CallQuality {
    /// What is not known is left out.
    public var wire: VariantDictionary {
        var wire = VariantDictionary()
        wire.set(QualityKey.roundTrip, roundTrip)
        wire.set(QualityKey.jitter, jitter)
        wire.set(QualityKey.loss, loss)
        return wire
    }

    /// - Throws: `InvalidArguments` for a value of the wrong type.
    public init(wire: VariantDictionary) throws(CallError) {
        self.init(
            roundTrip: try wire.optional(QualityKey.roundTrip), jitter: try wire.optional(QualityKey.jitter),
            loss: try wire.optional(QualityKey.loss))
    }
}
