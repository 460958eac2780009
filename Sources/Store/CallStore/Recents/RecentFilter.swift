// RecentFilter: which rows of the recents are asked for.

internal import CallModel
internal import DBus
internal import Numbers
internal import CallWire

struct RecentFilter: Sendable, Hashable {
    var text = ""
    var provider: String?
    var direction: CallDirection?
    var missed: Bool?
    /// The same party, as it is compared.
    var normalized: String?
    var since: Int64?
    var until: Int64?
    var before: Int64?

    /// The longest text that is looked for, in characters.
    private static let maximumLength = 256

    init() {}

    /// - Throws: `InvalidArguments`, naming the key.
    init(wire: VariantDictionary, _ plan: NumberPlan) throws(CallError) {
        text = try wire.optional("text") ?? ""
        guard text.utf8.count <= 4 * Self.maximumLength, !text.unicodeScalars.contains(where: \.isUnsafeInText) else {
            throw CallError(.invalidArguments, "text is too long or has characters that no name has")
        }
        provider = try wire.optional("provider")
        direction = try wire.optionalWord("direction")
        missed = try wire.optional("missed")
        if let pair: Handle.Wire = try wire.optional("handle") { normalized = plan.normalized(try Handle(wire: pair)) }
        since = try wire.optional("since", as: UInt64.self).map { Int64(clamping: $0) }
        until = try wire.optional("until", as: UInt64.self).map { Int64(clamping: $0) }
        before = try wire.optional("before")
    }

    /// The text as it may be written down: as it is, and if it is a number, its digits and these without the zeros with
    /// which a call within the country or abroad begins.
    var spellings: [String] {
        guard !text.isEmpty else { return [] }
        let digits = String(text.filter { "0123456789".contains($0) })
        guard text.allSatisfy({ "0123456789 +-()./".contains($0) }) else { return [text] }
        let all = [text, digits, String(digits.drop { $0 == "0" })]
        // What has another of them in it finds nothing that this one does not.
        var shortest: [String] = []
        for spelling in all.reversed() where !spelling.isEmpty && !shortest.contains(where: { spelling.contains($0) }) {
            shortest.append(spelling)
        }
        return shortest
    }
}
