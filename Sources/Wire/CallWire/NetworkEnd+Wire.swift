// What a network tells of the end of a call, as the a{sv} of ReportCallEnded.

public import CallModel
public import DBus

extension NetworkEnd {
    /// The keys that the contract has.
    public static let keys: Set<String> = [Key.detail, Key.code]

    private enum Key {
        static let detail = "end-detail"
        static let code = "end-code"
    }

    /// Unknown keys are ignored; the code loses unsafe characters and is cut at 64 characters.
    /// - Throws: `InvalidArguments` for a key of the wrong type or outside its values.
    public init(wire: VariantDictionary) throws(CallError) {
        self.init(
            try wire.optionalWord(Key.detail), code: (try wire.optional(Key.code, as: String.self) ?? "").networkWord)
    }

    /// Empty values are left out.
    public var wire: VariantDictionary {
        var wire = VariantDictionary()
        wire.set(Key.detail, detail?.rawValue)
        wire.set(Key.code, code.isEmpty ? nil : code.withoutNUL)
        return wire
    }
}
