// The header of a scenario file: its title, its rules, and the settings of its machine.

import CallCore
import CallModel

extension Scenario {
    struct HeaderError: Error {
        let reason: String
    }

    /// The lines before the first block.
    package var header: String {
        var lines = [
            "# \(title)", "# rules:" + (rules.isEmpty ? "" : " ") + rules.map(String.init).joined(separator: ", "),
        ]
        if policy != .desktop { lines.append("# policy: \(policy.name)") }
        let standard = Deadlines()
        let deadlines = DeadlineKind.allCases.filter { self.deadlines[$0] != standard[$0] }
            .map { "\($0.rawValue)=\(self.deadlines[$0])" }
        if !deadlines.isEmpty { lines.append("# deadlines: " + deadlines.joined(separator: " ")) }
        let limits = Self.limitNames.filter { self.limits[keyPath: $0.path] != Limits()[keyPath: $0.path] }
            .map { "\($0.name)=\(self.limits[keyPath: $0.path])" }
        if !limits.isEmpty { lines.append("# limits: " + limits.joined(separator: " ")) }
        return lines.joined(separator: "\n") + "\n"
    }

    mutating func parse(header line: String) throws(HeaderError) {
        let parts = line.dropFirst(2).split(separator: ":", maxSplits: 1).map(String.init)
        let words = (parts.count == 2 ? parts[1] : "").split { $0 == " " || $0 == "," }.map(String.init)
        switch parts.first {
        case "rules":
            for word in words {
                guard let rule = Int(word) else { throw HeaderError(reason: "\(word) is not the number of a row") }
                rules.append(rule)
            }
        case "policy":
            guard words.count == 1, let named = Policy(named: words[0]) else {
                throw HeaderError(reason: "\(line): expected one of \(Policy.all.map(\.name))")
            }
            policy = named
        case "deadlines":
            for word in words {
                let pair = try Self.pair(word)
                guard let kind = DeadlineKind(rawValue: pair.name), let time = UInt32(exactly: pair.value),
                    time > 0
                else {
                    throw HeaderError(reason: "\(word) is not a valid deadline")
                }
                deadlines[kind] = time
            }
        case "limits":
            for word in words {
                let pair = try Self.pair(word)
                guard let path = Self.limitNames.first(where: { $0.name == pair.name })?.path else {
                    throw HeaderError(reason: "\(word) is not a valid limit")
                }
                limits[keyPath: path] = pair.value
            }
        default: throw HeaderError(reason: "expected rules, policy, deadlines or limits: \(line)")
        }
    }

    private static func pair(_ word: String) throws(HeaderError) -> (name: String, value: Int) {
        let halves = word.split(separator: "=", maxSplits: 1).map(String.init)
        guard halves.count == 2, let value = Int(halves[1]), value >= 0 else {
            throw HeaderError(reason: "\(word): expected name=number")
        }
        return (halves[0], value)
    }

    private static var limitNames: [(name: String, path: WritableKeyPath<Limits, Int>)] {
        [
            ("ringing-calls-per-provider", \.ringingCallsPerProvider), ("calls", \.calls),
            ("calls-per-client", \.callsPerClient), ("calls-per-plugin", \.callsPerPlugin),
            ("starts-per-owner", \.startsPerOwner), ("transactions-per-owner", \.transactionsPerOwner),
            ("actions-per-transaction", \.actionsPerTransaction), ("waiting-transactions", \.waitingTransactions),
            ("causes-per-call", \.causesPerCall), ("waiting-reports", \.waitingReports),
            ("remembered-callers", \.rememberedCallers), ("new-calls-per-client", \.newCallsPerClient),
            ("new-calls-per-plugin", \.newCallsPerPlugin), ("requests-per-client", \.requestsPerClient),
        ]
    }
}
