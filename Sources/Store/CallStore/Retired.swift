// Retired: something large that something else has replaced.

internal import EventLoop
internal import Synchronization

/// Keeps a value until a background thread releases it. The last release of a mapped file, or of tens of thousands of
/// contacts, takes milliseconds that the loop does not have.
final class Retired<Value: Sendable>: Sendable {
    private let value: Mutex<Value?>

    init(_ value: Value?) { self.value = Mutex(value) }

    /// Releases the value. Call this when nothing else refers to it.
    func end(on thread: BackgroundThread?) {
        thread?.post { [self] in value.withLock { $0 = nil } }
    }
}
