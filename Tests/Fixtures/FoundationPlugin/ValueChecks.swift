// Values: what Foundation computes with the files of the system, such as those of time zones and languages.

import CheckingProvider
import Foundation

enum ValueChecks {
    static let all = [
        Check("json") { _ in try json() }, Check("property-lists") { _ in try propertyLists() },
        Check("dates") { _ in try dates() }, Check("time-zones") { _ in try timeZones() },
        Check("numbers") { _ in try numbers() }, Check("texts") { _ in try texts() },
        Check("random") { _ in try random() },
    ]

    private struct Card: Codable, Equatable {
        var name: String
        var numbers: [String]
        var since: Date
        var id: UUID
    }

    private static func json() throws -> String {
        let since = Date(timeIntervalSince1970: 1)
        let card = Card(name: "Ada Łódź", numbers: ["+46 701", "112"], since: since, id: UUID())
        let data = try JSONEncoder().encode([card])
        let back = try JSONDecoder().decode([Card].self, from: data)
        try expect(back == [card], "\(back)")
        let object = try JSONSerialization.jsonObject(with: data) as? [[String: Any]]
        try expect(object?.first?["name"] as? String == card.name, "\(object ?? [])")
        return "\(data.count) bytes"
    }

    private static func propertyLists() throws -> String {
        let data = try PropertyListEncoder().encode(["a": [1, 2]])
        let back = try PropertyListDecoder().decode([String: [Int]].self, from: data)
        try expect(back == ["a": [1, 2]], "\(back)")
        return "\(data.count) bytes"
    }

    private static func dates() throws -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "de_DE")
        formatter.timeZone = TimeZone(identifier: "Europe/Stockholm")
        formatter.dateStyle = .full
        formatter.timeStyle = .short
        let text = formatter.string(from: Date(timeIntervalSince1970: 1_750_000_000))
        try expect(text.hasPrefix("Sonntag, 15. Juni 2025") && text.contains("17:06"), text)
        let parts = Calendar(identifier: .gregorian).dateComponents([.year], from: Date(timeIntervalSince1970: 0))
        try expect(parts.year != nil, "no year")
        let iso = ISO8601DateFormatter().date(from: "2026-11-24T01:30:00Z")
        try expect(iso != nil, "an ISO 8601 date cannot be read")
        return text
    }

    private static func timeZones() throws -> String {
        let known = TimeZone.knownTimeZoneIdentifiers.count
        try expect(known > 300, "only \(known) time zones are known")
        let zone = TimeZone(identifier: "America/Argentina/Buenos_Aires")
        try expect(zone?.secondsFromGMT(for: Date(timeIntervalSince1970: 1_750_000_000)) == -10_800, "\(zone as Any)")
        return TimeZone.current.identifier
    }

    private static func numbers() throws -> String {
        let formatter = NumberFormatter()
        formatter.locale = Locale(identifier: "fr_CH")
        formatter.numberStyle = .spellOut
        guard let text = formatter.string(from: 71) else { throw Unexpected("71 cannot be spelled out") }
        try expect(text.hasPrefix("septante"), text)
        let bytes = ByteCountFormatter.string(fromByteCount: 1 << 20, countStyle: .binary)
        try expect(bytes.contains("1"), bytes)
        return text
    }

    private static func texts() throws -> String {
        let expression = try NSRegularExpression(pattern: #"\p{Lu}\w+"#)
        let text = "Łódź är Świnoujście"
        let found = expression.numberOfMatches(in: text, range: NSRange(text.startIndex..., in: text))
        try expect(found == 2, "found \(found)")
        let order = "ä".compare("z", locale: Locale(identifier: "sv_SE")) == .orderedDescending
        try expect(order, "ä comes before z in Swedish")
        let plain = text.folding(options: .diacriticInsensitive, locale: nil)
        try expect(plain.contains("Swinouj"), plain)
        let latin1 = "ø".data(using: .isoLatin1)
        try expect(latin1 == Data([0xF8]), "\(latin1 as Any)")
        return plain
    }

    private static func random() throws -> String {
        let (one, two) = (UUID(), UUID())
        try expect(one != two, "two UUIDs are the same")
        return String(UInt64.random(in: 1 ... .max))
    }
}
