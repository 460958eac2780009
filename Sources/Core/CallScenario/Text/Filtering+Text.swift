// The text form of what is known of callers, of Do Not Disturb's exceptions and of verdicts.

import CallCore
package import CallModel

extension CallerFacts {
    var text: String {
        var text = blockedBy.map { " blocked-by=\($0.quoted)" } ?? ""
        if isAllowed { text += " allowed=yes" }
        if isFavorite { text += " favorite=yes" }
        if !name.isEmpty { text += " name=\(name.quoted)" }
        if nameSource != .none { text += " name-source=\(nameSource.rawValue)" }
        if !contact.isEmpty { text += " contact=\(contact.quoted)" }
        if !image.isEmpty { text += " image=\(image.quoted)" }
        if isUnanswered { text += " unanswered=yes" }
        if let caller { text += " about=\(caller.handle?.description.quoted ?? "withheld")" }
        if let normalized { text += " normalized=\(normalized.description.quoted)" }
        return text
    }

    init(_ words: Words) throws(CallError) {
        self.init()
        blockedBy = words.value("blocked-by")
        isAllowed = try words.flag("allowed") ?? false
        isFavorite = try words.flag("favorite") ?? false
        name = words.value("name") ?? ""
        nameSource = try words.word("name-source", CallerNameSource.self) ?? .none
        contact = words.value("contact") ?? ""
        image = words.value("image") ?? ""
        isUnanswered = try words.flag("unanswered") ?? false
        if let text = words.value("about") { caller = Caller(text == "withheld" ? nil : try Handle(text: text)) }
        if let text = words.value("normalized") { normalized = try Handle(text: text) }
    }
}

extension DoNotDisturbRules {
    /// Nothing for the usual rules.
    package var text: String {
        var text = allowsFavorites ? "" : " favorites=no"
        if !allowsRepeated { text += " repeated=no" }
        if !allowedProviders.isEmpty {
            text += " providers=\(allowedProviders.map(\.rawValue).sorted().joined(separator: ","))"
        }
        return text
    }

    package init(_ words: Words) throws(CallError) {
        self.init()
        allowsFavorites = try words.flag("favorites") ?? true
        allowsRepeated = try words.flag("repeated") ?? true
        for name in (words.value("providers") ?? "").split(separator: ",") {
            guard let id = ProviderID(String(name)) else {
                throw CallError(.invalidArguments, "\(name) is not a valid provider: \(words.line)")
            }
            allowedProviders.insert(id)
        }
    }
}

extension ScreeningVerdict {
    var text: String { word.rawValue + (reason.isEmpty ? "" : " reason=\(reason.quoted)") }

    /// Nil for an invalid answer.
    init?(_ words: inout Words) throws(CallError) {
        let text = try words.read("a verdict")
        guard text != "nonsense" else { return nil }
        guard let word = Word(rawValue: text) else {
            throw CallError(.invalidArguments, "\(text) is not a valid verdict: \(words.line)")
        }
        self.init(word, reason: words.value("reason") ?? "")
    }
}

extension Words {
    mutating func readScreener() throws(CallError) -> ScreenerID {
        let text = try read("a screener")
        guard text.hasPrefix("s"), let number = UInt64(text.dropFirst()) else {
            throw CallError(.invalidArguments, "\(text) is not a valid screener: \(line)")
        }
        return ScreenerID(number)
    }
}
