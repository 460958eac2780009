// ClientIdentity: who a client of the bus is.

import CallModel

/// The user's own program, or a sandboxed app. Asked once for each connection: what a process becomes later, by
/// starting another program, changes nothing.
struct ClientIdentity: Sendable, Equatable {
    enum Kind: Sendable, Equatable {
        /// A program of the user outside of any sandbox: it is the user.
        case user
        /// A sandboxed app with this id.
        case app(String)
        /// Somebody of whom nothing is known, and why: a stranger like an app, to whom nothing can be granted.
        case unknown(String)
    }

    let kind: Kind
    /// The process that connected; nil if that is not known.
    let process: UInt32?
    /// The name of its program, safe to show; empty if that is not known.
    let program: String

    private static let longestProgram = 64

    init(_ kind: Kind, process: UInt32? = nil, program: String = "") {
        self.kind = kind
        self.process = process
        self.program = String(program.displayable.prefix(Self.longestProgram))
    }

    var isUser: Bool { kind == .user }

    /// The app's id; nil for the user's own programs, and empty if it is not known.
    var app: String? {
        switch kind {
        case .user: nil
        case .app(let id): id
        case .unknown: ""
        }
    }

    /// `:1.42 (program callctl, pid 4711)` for the user's programs, and for an app its id in place of the name on the
    /// bus.
    func text(of name: String) -> String {
        var facts: [String] = []
        if case .unknown = kind { facts.append("unknown app") }
        if !program.isEmpty { facts.append("program \(program)") }
        facts.append("pid \(process.map(String.init) ?? "unknown")")
        let subject = if case .app(let id) = kind { id } else { name }
        return "\(subject) (\(facts.joined(separator: ", ")))"
    }
}
