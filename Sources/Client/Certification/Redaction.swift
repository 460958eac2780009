// Redaction: keeps secrets out of reports.

/// Replaces secrets in text. One of fewer than four characters is replaced only where no letter or digit stands beside it:
/// elsewhere, what is left of a number would tell it.
struct Redaction: Sendable {
    private static let mark = "(secret)"
    private static let shortest = 4

    private let secrets: [String]

    init(_ secrets: [String] = []) {
        // One secret can be a part of another.
        self.secrets = secrets.filter { !$0.isEmpty }.sorted { $0.count > $1.count }
    }

    func callAsFunction(_ text: String) -> String {
        secrets.reduce(text) { Self.replacing($1, in: $0) }
    }

    private static func replacing(_ secret: String, in text: String) -> String {
        let (secret, text) = (Array(secret), Array(text))
        var (result, index) = ([Character](), 0)
        while index < text.count {
            let end = index + secret.count
            if end <= text.count, text[index..<end].elementsEqual(secret),
                secret.count >= shortest || stands(alone: index..<end, in: text)
            {
                result += mark
                index = end
            } else {
                result.append(text[index])
                index += 1
            }
        }
        return String(result)
    }

    private static func stands(alone range: Range<Int>, in text: [Character]) -> Bool {
        [range.lowerBound - 1, range.upperBound].allSatisfy { place in
            !text.indices.contains(place) || !(text[place].isLetter || text[place].isNumber)
        }
    }
}
