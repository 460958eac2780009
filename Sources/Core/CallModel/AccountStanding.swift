// AccountStanding: the state of an account.

/// Raw values are the words on the bus.
public enum AccountState: String, Sendable, CaseIterable {
    case disabled, incomplete
    case needsSecret = "needs-secret"
    case locked, connecting, ready, failed
}

/// Why an account failed; raw values are the words on the bus.
public enum AccountProblem: String, Sendable, CaseIterable {
    case none = ""
    case badCredentials = "bad-credentials"
    case unreachable, certificate, unsupported
}

/// What the bus shows of it.
public struct AccountStanding: Sendable, Equatable {
    public var state: AccountState
    public var problem = AccountProblem.none
    /// One sentence for people, or "".
    public var text = ""

    public init(_ state: AccountState, _ problem: AccountProblem = .none, _ text: String = "") {
        (self.state, self.problem, self.text) = (state, problem, text)
    }

    /// A plugin's word.
    ///
    /// - Throws: `InvalidArguments` for a word that no plugin may say.
    public init(reported state: String, _ problem: String, _ text: String) throws(CallError) {
        let states: [AccountState] = [.connecting, .ready, .failed]
        guard let state = states.first(where: { $0.rawValue == state }) else {
            let known = states.map(\.rawValue).joined(separator: ", ")
            throw CallError(.invalidArguments, "state is \"\(state.excerpt)\", expected one of \(known)")
        }
        guard let word = AccountProblem(rawValue: problem), (word == .none) == (state != .failed) else {
            let known = AccountProblem.allCases.dropFirst().map(\.rawValue).joined(separator: ", ")
            throw CallError(
                .invalidArguments, "problem is \"\(problem.excerpt)\", expected one of \(known) if state is failed")
        }
        self.init(state, word, String(text.displayable.prefix(Self.maximumText)))
    }

    /// The longest sentence of a plugin, in characters.
    private static let maximumText = 256
}
