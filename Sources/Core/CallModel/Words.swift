// One line of text, taken apart into words: plain ones and `key=value`, with double quotes around spaces.

/// The words of a line, read from the left.
package struct Words {
    package private(set) var plain: [String] = []
    private var named: [String: String] = [:]
    private var next = 0
    package let line: String

    package init(_ line: String) throws(CallError) {
        self.line = line
        var reader = WordReader()
        for scalar in line.unicodeScalars { reader.read(scalar) }
        for word in try reader.finish(line) {
            if let name = word.name { named[name] = word.text } else { plain.append(word.text) }
        }
    }

    package mutating func read(_ what: String) throws(CallError) -> String {
        guard next < plain.count else { throw CallError(.invalidArguments, "\(what) is missing: \(line)") }
        next += 1
        return plain[next - 1]
    }

    package var peek: String? { next < plain.count ? plain[next] : nil }

    package func value(_ key: String) -> String? { named[key] }

    package mutating func readCall() throws(CallError) -> CallID {
        let text = try read("a call")
        guard let id = CallID(scenarioText: text) else {
            throw CallError(.invalidArguments, "\(text) is not a valid call: \(line)")
        }
        return id
    }

    package mutating func readProvider() throws(CallError) -> ProviderID {
        let text = try read("a provider")
        guard let id = ProviderID(text) else {
            throw CallError(.invalidArguments, "\(text) is not a valid provider: \(line)")
        }
        return id
    }

    package func number(_ key: String) throws(CallError) -> UInt64? {
        guard let text = named[key] else { return nil }
        guard let number = UInt64(text) else {
            throw CallError(.invalidArguments, "\(key)=\(text) is not a valid number: \(line)")
        }
        return number
    }

    package func date(_ key: String) throws(CallError) -> WallTime? {
        try number(key).map(WallTime.init(microseconds:))
    }

    package func flag(_ key: String) throws(CallError) -> Bool? {
        switch named[key] {
        case nil: return nil
        case "yes"?: return true
        case "no"?: return false
        case let text?: throw CallError(.invalidArguments, "\(key)=\(text) is neither yes nor no: \(line)")
        }
    }

    package func word<Word: RawRepresentable<String>>(_ key: String, _ type: Word.Type) throws(CallError) -> Word? {
        guard let text = named[key] else { return nil }
        guard let word = Word(rawValue: text) else {
            throw CallError(.invalidArguments, "\(key)=\(text) is not known: \(line)")
        }
        return word
    }
}

extension CallID {
    /// A call's name in scenario files: `A` … `Z`, `A1` …, for the identifiers that begin with 64 zero bits.
    public var scenarioText: String {
        guard high == 0, low < 2_600 else { return description }
        let letter = String(UnicodeScalar(UInt8(65 + low % 26)))
        return low < 26 ? letter : letter + String(low / 26)
    }

    public init?(scenarioText text: String) {
        if let id = CallID(text) {
            self = id
            return
        }
        guard let first = text.utf8.first, (65...90).contains(first) else { return nil }
        let rest = text.dropFirst()
        let row = rest.isEmpty ? 0 : UInt64(rest)
        guard let row, row < 100 else { return nil }
        self.init(high: 0, low: row * 26 + UInt64(first - 65))
    }
}

extension Bool {
    /// `yes` or `no`, as `Words` reads it.
    package var word: String { self ? "yes" : "no" }
}
