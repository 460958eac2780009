// What the commands that act on one call share.

import CallModel
import DBus
import EventLoop

extension Session {
    /// Finds the call, calls one of its methods and prints what was done: `held 3f2a9c1d (Alice)`.
    func act<each Argument: DBusType & Sendable>(
        on reference: String?, or candidates: Candidates, _ member: String, _ arguments: repeat each Argument,
        saying done: String
    ) async throws(Failure) {
        let snapshot = try await snapshot()
        let target = try snapshot.call(reference, or: candidates)
        let _: Void = try await call(at: target.path, Contract.call, member, repeat each arguments)
        try report(done, target, in: snapshot)
    }

    func report(_ done: String, _ call: Record, in snapshot: Snapshot) throws(Failure) {
        let caller = call.caller.isEmpty ? "" : " (\(call.caller))"
        let text = "\(done) \(call.id.prefix(snapshot.shortLength))\(caller)".printable
        try output.result(output.terminal.width.map { text.truncated(to: $0) } ?? text, json: call.reference)
    }
}
