// The published properties of a call that have changed, and how a transcript shows them.

public import CallModel

/// Some of the published properties of a call.
public struct CallChanges: OptionSet, Sendable, Hashable {
    /// A bit for each line of `PublishedCall.fields`.
    public let rawValue: UInt64
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// - Parameter names: of `CallProperty`.
    public init(_ names: String...) { self.init { names.contains($0.name) } }

    init(from old: PublishedCall, to new: PublishedCall) {
        self.init { !$0.isConstant && $0.differs(old, new) }
    }

    private init(where isIn: (Field<PublishedCall>) -> Bool) {
        let fields = PublishedCall.fields
        var bits: UInt64 = 0
        for index in fields.indices where isIn(fields[index]) { bits |= 1 << index }
        self.init(rawValue: bits)
    }

    public var fields: [Field<PublishedCall>] {
        PublishedCall.fields.enumerated().filter { rawValue & 1 << $0.offset != 0 }.map(\.element)
    }

    /// The names of the properties of which these are told.
    public func names(for audience: PropertyAudience) -> [String] {
        fields.filter { $0.audience == audience }.map(\.name)
    }

    public static let state = CallChanges(CallProperty.state)
    public static let heldBy = CallChanges(CallProperty.heldBy)
    public static let emergency = CallChanges(CallProperty.emergency)
    public static let provider = CallChanges(CallProperty.provider)
    /// Who is at the far side.
    public static let identity = CallChanges { $0.audience == .trusted }
}

extension PublishedCall {
    /// Returns ` name=value …` for the properties in `changes`, without the dates.
    package func text(of changes: CallChanges) -> String {
        var text = ""
        for field in changes.fields {
            guard let word = field.word else { continue }
            let value = field.encode(self).text
            text += " \(word)=\(value.isEmpty ? "none" : value)"
        }
        if !changes.isDisjoint(with: .identity) { text += " identity" }
        return text.isEmpty ? " dates" : text
    }
}
