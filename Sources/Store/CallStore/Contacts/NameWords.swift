// NameWords: a name in the form in which names are searched.

internal import CUnicode
internal import CallModel
internal import Glibc

/// The words of a name, without case, diacritics and punctuation.
struct NameWords: Sendable, Hashable {
    /// Each word follows a space.
    private var text = ""

    /// The longest name that can be searched for, in characters.
    private static let maximumLength = 256

    init(_ name: String) {
        for word in Self.folded(name).split(whereSeparator: { $0.isWhitespace || $0.isPunctuation }) {
            text += " " + word
        }
    }

    private static func folded(_ name: String) -> String {
        guard let folded = ock_unicode_folded(name) else { return name.lowercased() }
        defer { free(folded) }
        return String(cString: folded)
    }

    /// - Throws: `InvalidArguments` if nobody can have this name.
    init(wanted name: String) throws(CallError) {
        guard name.utf8.count <= 4 * Self.maximumLength, name.count <= Self.maximumLength else {
            throw CallError(.invalidArguments, "the name has more than \(Self.maximumLength) characters")
        }
        guard !name.unicodeScalars.contains(where: \.isUnsafeInText) else {
            throw CallError(.invalidArguments, "the name has control or bidirectional-override characters")
        }
        self.init(name)
        guard !text.isEmpty else { throw CallError(.invalidArguments, "the name has no word to look for") }
    }

    /// The words, in their order.
    var list: [Substring] { text.split(separator: " ") }
}

extension NameWords: Comparable {
    static func < (one: NameWords, other: NameWords) -> Bool { one.text < other.text }
}
