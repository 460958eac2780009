// WordSet: a set of options that is sent as names.

public protocol WordSet: OptionSet, Sendable, Hashable {
    /// Each option with its word, in the order in which they are told.
    static var words: [(Self, String)] { get }
}

extension WordSet {
    public var words: [String] { Self.words.filter { isSuperset(of: $0.0) }.map(\.1) }

    /// Words that are not known are left out.
    public init(_ words: [String]) {
        self = []
        for (option, word) in Self.words where words.contains(word) { formUnion(option) }
    }
}
