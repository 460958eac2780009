// RecentFilter: the conditions that listed rows meet.

internal import CallModel
internal import CallWire
internal import DBus
internal import Numbers
internal import SQLite

struct RecentFilter: Sendable, Hashable {
    var text = ""
    var provider: String?
    var direction: CallDirection?
    var missed: Bool?
    /// The other party's normalized handle.
    var normalized: String?
    var since: WallTime?
    var until: WallTime?
    var before: Int64?

    /// The longest text to search for, in characters.
    private static let maximumLength = 256

    init() {}

    /// - Throws: `InvalidArguments`, naming the key.
    init(wire: VariantDictionary, _ plan: NumberPlan) throws(CallError) {
        text = try wire.optional("text") ?? ""
        if Self.isNumber(text) { text = text.withoutInvisibles }
        guard text.utf8.count <= 4 * Self.maximumLength, !text.unicodeScalars.contains(where: \.isUnsafeInText) else {
            throw CallError(.invalidArguments, "text is too long or has control characters")
        }
        provider = try wire.optional("provider-id", as: String.self)
            .map { Contract.provider(named: $0)?.rawValue ?? $0 }
        direction = try wire.optionalWord("direction")
        missed = try wire.optional("missed")
        if let pair: Handle.Wire = try wire.optional("handle") { normalized = plan.normalized(try Handle(wire: pair)) }
        since = try wire.optional("since", as: WallTime.self)
        until = try wire.optional("until", as: WallTime.self)
        before = try wire.optional("before")
    }

    private static func isNumber(_ text: String) -> Bool {
        let plain = text.withoutNumberFormatting
        return plain.contains(where: \.isNumber) && plain.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2B }
    }

    /// The text in the notations in which it may be kept. A number may be kept as it was entered, as its digits, or
    /// without the zeros of a national or international prefix.
    var spellings: [String] {
        guard !text.isEmpty else { return [] }
        guard Self.isNumber(text) else { return [text] }
        let digits = text.withoutNumberFormatting.filter { $0 != "+" }
        let all = [text, digits, String(digits.drop { $0 == "0" })]
        // A spelling that contains another one finds nothing more.
        var shortest: [String] = []
        for spelling in all.reversed() where !spelling.isEmpty && !shortest.contains(where: { spelling.contains($0) }) {
            shortest.append(spelling)
        }
        return shortest
    }
}

extension RecentFilter {
    struct Condition {
        let sql: SQL
        /// The index that has the rows of this condition in order; nil if there is none.
        var index: String?
    }

    /// The conditions that a row must all meet, except `before`; the most expensive one last.
    var conditions: [Condition] {
        var conditions: [Condition] = []
        if let provider { conditions.append(Condition(sql: "provider = \(provider)", index: "recentByProvider")) }
        if let direction { conditions.append(Condition(sql: "direction = \(direction.rawValue)")) }
        switch missed {
        case true?: conditions.append(Condition(sql: "missed", index: "recentMissed"))
        case false?: conditions.append(Condition(sql: "NOT missed"))
        case nil: break
        }
        if let since { conditions.append(Condition(sql: "started >= \(Int64(clamping: since.microseconds))")) }
        if let until { conditions.append(Condition(sql: "started <= \(Int64(clamping: until.microseconds))")) }
        if let parties { conditions.append(Condition(sql: "party IN (\(parties))", index: "recentByParty")) }
        return conditions
    }

    /// Selects the ids of the parties with the handle and the text; nil if any party will do.
    var parties: SQL? {
        guard let normalized else { return partiesWithText }
        let sameHandle: SQL = "SELECT id FROM party WHERE normalized = \(normalized)"
        return partiesWithText.map { sameHandle + " AND id IN (\($0))" } ?? sameHandle
    }

    private var partiesWithText: SQL? {
        let spellings = spellings.map { $0.lowercased() }
        guard !spellings.isEmpty else { return nil }
        // The index has three letters at a time.
        guard spellings.allSatisfy({ $0.unicodeScalars.count >= 3 }) else {
            let matches = spellings.map { "instr(text, \($0)) > 0" as SQL }
            return "SELECT id FROM party WHERE " + matches.joined(separator: " OR ")
        }
        let pattern = spellings.map { "\"" + $0.replacing("\"", with: "\"\"") + "\"" }.joined(separator: " OR ")
        return "SELECT rowid FROM partyText WHERE partyText MATCH \(pattern)"
    }
}
