// The user's own block list and allow list, and the file that keeps them.

internal import CallModel

/// Whom the user blocks and whom the user allows, whoever else blocks them.
public struct UserRules: Equatable, Sendable {
    public var blocked = HandleRules()
    public var allowed = HandleRules()

    public init() {}

    private static let title = "# Whom to block and whom to allow, as callctl block and callctl allow write it."

    /// The file: a line for each rule, `block` or `allow` before it; lines that begin with `#` say nothing.
    public var text: String {
        var lines = [Self.title]
        lines += blocked.all.map { "block \($0)" }
        lines += allowed.all.map { "allow \($0)" }
        return lines.joined(separator: "\n") + "\n"
    }

    /// - Returns: the rules, and a complaint for each line that is none.
    public static func read(_ text: String, normalize: (String) -> String) -> (rules: UserRules, complaints: [String]) {
        var rules = UserRules()
        var complaints: [String] = []
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            guard !line.isEmpty, line.first != "#" else { continue }
            do throws(CallError) {
                try rules.take(line, normalize: normalize)
            } catch {
                if complaints.count < 100 { complaints.append("line \(index + 1): \(error.message)") }
            }
        }
        return (rules, complaints)
    }

    private mutating func take(_ line: Substring, normalize: (String) -> String) throws(CallError) {
        let words = line.split(separator: " ", maxSplits: 1)
        guard words.count == 2, ["block", "allow"].contains(words[0]) else {
            throw CallError(
                .invalidArguments,
                "'\(String(line.prefix(80)).displayable)' is no rule, expected block or allow and whom")
        }
        let rule = try HandleRule(String(words[1]), normalize: normalize)
        if words[0] == "block" { try blocked.insert(rule) } else { try allowed.insert(rule) }
    }
}
