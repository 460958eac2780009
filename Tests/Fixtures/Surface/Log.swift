// The events of the fixture, until a test reads them.

import Synchronization

final class Log: Sendable {
    private struct Waiter {
        let beginnings: [String]
        let found: @Sendable ([String]) -> Void
    }

    private struct Content {
        var lines: [String] = []
        var waiters: [Waiter] = []
    }

    private let content = Mutex(Content())

    func note(_ line: String) {
        let (lines, ready) = content.withLock { content in
            content.lines.append(line)
            let lines = content.lines
            let ready = content.waiters.filter { Self.lines(lines, have: $0.beginnings) }
            if !ready.isEmpty { content.waiters.removeAll { Self.lines(lines, have: $0.beginnings) } }
            return (lines, ready)
        }
        for waiter in ready { waiter.found(lines) }
    }

    /// Calls `found` with all lines as soon as lines with these beginnings exist, in this order.
    func wait(for beginnings: [String], found: @escaping @Sendable ([String]) -> Void) {
        let lines: [String]? = content.withLock { content in
            if Self.lines(content.lines, have: beginnings) { return content.lines }
            content.waiters.append(Waiter(beginnings: beginnings, found: found))
            return nil
        }
        if let lines { found(lines) }
    }

    var lines: [String] { content.withLock { $0.lines } }

    func clear() { content.withLock { $0.lines = [] } }

    private static func lines(_ lines: [String], have beginnings: [String]) -> Bool {
        var rest = lines[...]
        for beginning in beginnings {
            guard let index = rest.firstIndex(where: { $0.hasPrefix(beginning) }) else { return false }
            rest = rest[(index + 1)...]
        }
        return true
    }
}
