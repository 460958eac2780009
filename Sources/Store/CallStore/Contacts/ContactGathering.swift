// ContactGathering: collects the contacts of a reading, off the loop.

internal import EventLoop
internal import Synchronization

/// Adds contacts and sorts them on a thread: the loop has callers to look up.
final class ContactGathering: Sendable {
    private let entries = Mutex(ContactEntries())
    private let thread: BackgroundThread?

    /// - Parameter thread: nil if none could be started; the loop does it then.
    init(on thread: BackgroundThread?) { self.thread = thread }

    /// Adds contacts, and calls `then` with whether there was room for all.
    func add(_ contacts: [(Contact, [ContactHandle])], then: @escaping @LoopActor (Bool) -> Void) {
        perform(then) { entries in
            contacts.reduce(true) { hasRoom, contact in entries.add(contact.0, contact.1) && hasRoom }
        }
    }

    /// Passes on the contacts that were added.
    func finish(then: @escaping @LoopActor (ContactEntries) -> Void) {
        perform(then) { entries in
            entries.sort()
            defer { entries = ContactEntries() }
            return entries
        }
    }

    private func perform<Value: Sendable>(
        _ then: @escaping @LoopActor (Value) -> Void, _ body: @escaping @Sendable (inout ContactEntries) -> Value
    ) {
        let work: @Sendable () -> Void = { [self] in
            let value = entries.withLock { body(&$0) }
            Loop.shared.post { then(value) }
        }
        if let thread { thread.post(work) } else { work() }
    }
}
