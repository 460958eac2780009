// ClientIdentity: who a client of the bus is.

import CallCore
import CallModel

/// A program of the user, or a sandboxed app. It is determined once for each connection, and stays the same if the
/// process later executes another program.
struct ClientIdentity: Sendable, Equatable {
    enum Kind: Sendable, Equatable {
        /// A program of the user outside any sandbox, or a program of root. It may do everything.
        case user
        /// A sandboxed app with this id.
        case app(String)
        /// A client that cannot be identified, and the reason. It may do what an app without tiers may do.
        case unknown(String)
    }

    let kind: Kind
    /// The id of the process that connected; nil if it is not known.
    let process: UInt32?
    /// When that was started, in clock ticks; nil if it is not known.
    let since: UInt64?
    /// The name of its program, safe to show; empty if it is not known.
    let program: String

    private static let longestProgram = 64

    init(_ kind: Kind, process: UInt32? = nil, since: UInt64? = nil, program: String = "") {
        self.kind = kind
        self.process = process
        self.since = since
        self.program = String(program.displayable.prefix(Self.longestProgram))
    }

    var isUser: Bool { kind == .user }

    /// The app's id; nil for a program of the user, and empty for an unknown app.
    var app: String? {
        switch kind {
        case .user: nil
        case .app(let id): id
        case .unknown: ""
        }
    }

    /// Whose share what the client does counts towards, whichever of its connections it uses.
    ///
    /// - Parameter name: its unique name.
    func owner(_ name: String) -> Owner {
        switch kind {
        case .app(let id): .app(id)
        case .unknown: .app("")
        case .user:
            if let process, let since { .process(process, since: since) } else { .client(name) }
        }
    }

    /// A text for the log, such as `:1.42 (program callctl, pid 4711)`; an app's id takes the place of its unique name.
    func text(of name: String) -> String {
        var facts: [String] = []
        if case .unknown = kind { facts.append("unknown app") }
        if !program.isEmpty { facts.append("program \(program)") }
        facts.append("pid \(process.map(String.init) ?? "unknown")")
        let subject = if case .app(let id) = kind { id } else { name }
        return "\(subject) (\(facts.joined(separator: ", ")))"
    }
}
