// Which process is behind a client's name: asked of the bus once per client, never waited for.

import CallCore
import DBus
import EventLoop

/// Unique names with their process ids. Bounded: a name that no cause mentions makes room for a new one.
@LoopActor
final class ClientBook {
    static let capacity = 4_096
    private struct Entry {
        /// Nil while the bus has not answered, or if the client had gone before it could.
        var pid: UInt32?
        /// A bus that was started anew gives its names again: what happened before was somebody else.
        let since: UInt64
    }
    private var entries: [String: Entry] = [:]
    private var order: [String] = []

    /// Whether it has been noted.
    func knows(_ name: String) -> Bool { entries[name] != nil }

    /// Notes that a client has asked for something; the first time, the bus is asked for its process.
    ///
    /// - Parameters:
    ///   - mentioned: the names that must be kept.
    ///   - found: what to do once the process is known.
    func note(
        _ name: String, on bus: Bus?, at now: Instant, mentioned: () -> Set<String>,
        found: @escaping @LoopActor (UInt32) -> Void
    ) {
        guard !knows(name), let bus, name.hasPrefix(":") else { return }
        if entries.count >= Self.capacity { forget(Self.capacity / 2, except: mentioned()) }
        guard entries.count < Self.capacity else { return }
        entries[name] = Entry(since: now.uptime)
        order.append(name)
        bus.pid(of: name) { [weak self] pid in
            guard let pid else { return }
            if self?.entries[name]?.since == now.uptime { self?.entries[name]?.pid = pid }
            found(pid)
        }
    }

    /// `:1.42 (pid 4711)`, for what the client did at that moment.
    func text(of name: String, at moment: Instant) -> String {
        guard name.hasPrefix(":") else { return name }
        guard let entry = entries[name], entry.since <= moment.uptime, let pid = entry.pid else {
            return "\(name) (pid unknown)"
        }
        return "\(name) (pid \(pid))"
    }

    /// The bus that gave the names is gone.
    func forgetAll() {
        entries = [:]
        order = []
    }

    /// Forgets the oldest names that nothing mentions.
    private func forget(_ number: Int, except mentioned: Set<String>) {
        var left = number
        order.removeAll { name in
            guard left > 0, !mentioned.contains(name) else { return false }
            left -= 1
            entries[name] = nil
            return true
        }
    }
}
