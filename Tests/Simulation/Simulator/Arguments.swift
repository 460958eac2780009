// A verb, then `--name value` or `--flag`, then what is left.

struct Arguments {
    struct Wrong: Error, CustomStringConvertible {
        let description: String
    }

    let verb: String
    private var named: [String: String] = [:]
    private(set) var flags: Set<String> = []
    private(set) var rest: [String] = []

    init(_ words: some Sequence<String>) throws {
        var words = Array(words)[...]
        guard let verb = words.popFirst() else { throw Wrong(description: "a verb is missing") }
        self.verb = verb
        while let word = words.popFirst() {
            if !word.hasPrefix("--") {
                rest.append(word)
            } else if let value = words.first, !value.hasPrefix("--") {
                named[String(word.dropFirst(2))] = value
                words.removeFirst()
            } else {
                flags.insert(String(word.dropFirst(2)))
            }
        }
    }

    func text(_ name: String) -> String? { named[name] }

    func number(_ name: String) throws -> Int? {
        guard let text = named[name] else { return nil }
        guard let number = Int(text) else { throw Wrong(description: "--\(name) \(text) is not a number") }
        return number
    }

    /// How many simulations run at the same time; what they find hangs on it.
    var jobs: Int {
        get throws { max(1, try number("jobs") ?? 2) }
    }
}
