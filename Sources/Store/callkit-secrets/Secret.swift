// Secret: the bytes of a secret, as long as they are needed.

import EventLoop
import Synchronization

/// A secret, which is erased with this object.
///
/// That is as much as can be done: copies in the buffers of the link, of libdbus and of the allocator stay until something
/// else is written there. Therefore no other program can read this one's memory, and it leaves no core file.
final class Secret: Sendable {
    private let held: Mutex<[UInt8]>

    /// Takes over bytes, of which no copy may be made, so that they are erased and not a copy of them.
    init(_ bytes: [UInt8]) { held = Mutex(bytes) }

    deinit { held.withLock { ProcessMemory.erase(&$0) } }

    /// The bytes, to be passed on and not to be kept.
    var bytes: [UInt8] { held.withLock { $0 } }
}
