// ClientBook: who is behind a client's name, found out once per client.

import CallCore
import CallModel
import DBus
import EventLoop

/// Unique names with their identities. Bounded: a name that no cause mentions makes room for a new one, and is found
/// out about again when it comes back.
@LoopActor
final class ClientBook {
    static let capacity = 4_096
    /// How many may be asked for at a time.
    private static let maximumAwaited = 1_024

    /// One client, known or being asked for.
    final class Entry {
        fileprivate let name: String
        /// Nil while the bus and the kernel are asked.
        fileprivate(set) var identity: ClientIdentity?
        /// A bus that was started anew gives its names again: what happened before was somebody else.
        fileprivate let since: Uptime

        fileprivate init(_ name: String, since: Uptime) {
            self.name = name
            self.since = since
        }
    }

    private var entries: [String: Entry] = [:]
    private var order: [String] = []
    private var awaited = 0

    /// Whether it has been noted.
    func knows(_ name: String) -> Bool { entries[name] != nil }

    /// Who a client is; nil if that is not known.
    func identity(of name: String) -> ClientIdentity? { entries[name]?.identity }

    /// Notes a client that is to be asked for.
    ///
    /// - Parameter mentioned: the names that should be kept.
    /// - Returns: nil if too many are being asked for.
    func add(_ name: String, at now: Instant, mentioned: () -> Set<String>) -> Entry? {
        guard awaited < Self.maximumAwaited else { return nil }
        if entries.count >= Self.capacity { forget(Self.capacity / 2, except: mentioned()) }
        // Causes name others, but who asks now counts more.
        if entries.count >= Self.capacity { forget(Self.capacity / 2, except: []) }
        let entry = Entry(name, since: now.uptime)
        entries[name] = entry
        order.append(name)
        awaited += 1
        return entry
    }

    /// Takes over who a client is.
    ///
    /// - Returns: false if it was forgotten, with its bus.
    func settle(_ entry: Entry, _ identity: ClientIdentity) -> Bool {
        guard entries[entry.name] === entry, entry.identity == nil else { return false }
        entry.identity = identity
        awaited -= 1
        return true
    }

    /// `:1.42 (program callctl, pid 4711)`, or `org.example.Phone (program phone-ui, pid 4711)`, for what the client
    /// did at that moment.
    func text(of name: String, at moment: Instant) -> String {
        guard name.hasPrefix(":") else { return name }
        return identity(of: name, at: moment)?.text(of: name) ?? "\(name) (pid unknown)"
    }

    /// The program of the client that had this name at that moment, or the id of its app; nil if it is not known.
    func program(of name: String, at moment: Instant) -> String? {
        guard let identity = identity(of: name, at: moment) else { return nil }
        if case .app(let id) = identity.kind { return id }
        return identity.program.isEmpty ? nil : identity.program
    }

    private func identity(of name: String, at moment: Instant) -> ClientIdentity? {
        guard let entry = entries[name], entry.since <= moment.uptime else { return nil }
        return entry.identity
    }

    /// The bus that gave the names is gone.
    func forgetAll() {
        entries = [:]
        order = []
        awaited = 0
    }

    /// Forgets the oldest names that nothing mentions, and that are not being asked for.
    private func forget(_ number: Int, except mentioned: Set<String>) {
        var left = number
        order.removeAll { name in
            guard left > 0, entries[name]?.identity != nil, !mentioned.contains(name) else { return false }
            left -= 1
            entries[name] = nil
            return true
        }
    }
}

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
