// UserRules: the user's block list and allow list, and their file.

internal import CallModel

/// The callers that the user blocks, and those that the user allows even if they are blocked.
public struct UserRules: Equatable, Sendable {
    public var blocked = HandleRules()
    public var allowed = HandleRules()

    public init() {}

    private static let title = "# The callers to block and to allow, as callctl block and callctl allow write them."

    /// The file: one line for each rule, after the word `block` or `allow`. Lines that begin with `#` are comments. Rules that
    /// were added last may stand at the end.
    public var text: String {
        var lines = [Self.title]
        lines += blocked.texts.map { "block \($0)" }
        lines += allowed.texts.map { "allow \($0)" }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The line of the file for one rule.
    public static func line(_ rule: HandleRule, in list: KeyPath<UserRules, HandleRules>) -> String {
        "\(list == \.blocked ? "block" : "allow") \(rule)"
    }

    /// - Returns: the rules, and a complaint for each invalid line. A last line without its end is invalid: what is missing
    ///   would make it another rule.
    public static func read(_ text: String, normalize: (String) -> String) -> (rules: UserRules, complaints: [String]) {
        var rules = UserRules()
        var complaints: [String] = []
        var lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        if let rest = lines.popLast(), !rest.isEmpty {
            complaints.append("line \(lines.count + 1) is cut off, expected a line with an end")
        }
        for (index, line) in lines.enumerated() {
            guard !line.isEmpty, line.first != "#" else { continue }
            do throws(CallError) {
                try rules.read(line, normalize: normalize)
            } catch {
                if complaints.count < 100 { complaints.append("line \(index + 1): \(error.message)") }
            }
        }
        return (rules, complaints)
    }

    private mutating func read(_ line: Substring, normalize: (String) -> String) throws(CallError) {
        let words = line.split(separator: " ", maxSplits: 1)
        // The replacement character stands for bytes that are no text.
        guard words.count == 2, ["block", "allow"].contains(words[0]), !line.contains("\u{FFFD}") else {
            throw CallError(
                .invalidArguments,
                "'\(String(line.prefix(80)).displayable)' is not a valid rule, expected block or allow and a caller")
        }
        let rule = try HandleRule(String(words[1]), normalize: normalize)
        // A rule may stand there twice.
        _ = try words[0] == "block" ? blocked.insert(rule) : allowed.insert(rule)
    }
}
