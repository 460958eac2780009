// Which process is behind a client's name: asked of the bus once per client, never waited for.

import DBus
import EventLoop

/// Unique names with their process ids. Bounded: a name that no cause mentions makes room for a new one.
@LoopActor
final class ClientBook {
    static let capacity = 4_096
    /// Nil while the bus has not answered, or if the client had gone before it could.
    private var pids: [String: UInt32?] = [:]
    private var order: [String] = []

    var count: Int { pids.count }

    /// Notes that a client has asked for something; the first time, the bus is asked for its process.
    ///
    /// - Parameters:
    ///   - mentioned: the names that must be kept.
    ///   - found: what to do once the process is known.
    func note(
        _ name: String, on bus: Bus?, mentioned: () -> Set<String>, found: @escaping @LoopActor (UInt32) -> Void
    ) {
        guard pids[name] == nil, let bus, name.hasPrefix(":") else { return }
        if pids.count >= Self.capacity { forget(Self.capacity / 2, except: mentioned()) }
        guard pids.count < Self.capacity else { return }
        pids[name] = .some(nil)
        order.append(name)
        bus.pid(of: name) { [weak self] pid in
            if let self, pids[name] != nil { pids[name] = .some(pid) }
            if let pid { found(pid) }
        }
    }

    /// `:1.42 (pid 4711)`
    func text(of name: String) -> String {
        guard name.hasPrefix(":") else { return name }
        guard let pid = pids[name] ?? nil else { return "\(name) (pid unknown)" }
        return "\(name) (pid \(pid))"
    }

    /// Forgets the oldest names that nothing mentions.
    private func forget(_ number: Int, except mentioned: Set<String>) {
        var left = number
        order.removeAll { name in
            guard left > 0, !mentioned.contains(name) else { return false }
            left -= 1
            pids[name] = nil
            return true
        }
    }
}
