// What the commands that act on one call share.

import CallClient
import CallModel
import DBus
import EventLoop

extension Session {
    /// Finds the call, calls one of its methods and prints what was done: `held 3f2a9c1d (Alice)`; or, if there was
    /// nothing to do, `3f2a9c1d (Alice) is held already`.
    ///
    /// - Parameters:
    ///   - state: what the call is then, if that is another word.
    ///   - isDone: whether a call is so already.
    func act<each Argument: DBusType & Sendable>(
        on reference: String?, or candidates: Candidates, _ member: String, _ arguments: repeat each Argument,
        saying done: String, already state: String? = nil,
        unless isDone: @Sendable (PublishedCall) -> Bool = { _ in false }
    ) async throws(Failure) {
        let snapshot = try await snapshot()
        let target = try await find(reference, or: candidates, in: snapshot)
        let _: Void = try await call(at: target.path, Contract.call, member, repeat each arguments)
        try report(done, target, in: snapshot, already: isDone(target) ? state ?? done : nil)
    }

    func report(
        _ done: String, _ call: PublishedCall, in snapshot: Snapshot, already state: String? = nil
    ) throws(Failure) {
        let caller = call.caller.isEmpty ? "" : " (\(call.caller))"
        let name = "\(snapshot.shortID(of: call))\(caller)"
        let text = (state.map { "\(name) is \($0) already" } ?? "\(done) \(name)").printable
        try output.result(output.terminal.width.map { text.truncated(to: $0) } ?? text, json: call.path.reference)
    }
}
