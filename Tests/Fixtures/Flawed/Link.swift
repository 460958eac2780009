// Access to the plugin's link without the SDK, and to the plugin after its end.

import Glibc
import Synchronization

final class Link: Sendable {
    private let descriptor = Mutex<CInt>(-1)

    func open(_ link: CInt) { descriptor.withLock { $0 = link } }

    /// An answer to a call that was never made: a method return in little-endian order, and its one header field.
    func answerNobody() {
        let bytes: [UInt8] = [
            0x6C, 2, 1, 1, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0x7F, 8, 0, 0, 0, 5, 1, 0x75, 0, 0xEE, 0xFF, 0xFF, 0x7F,
        ]
        _ = send(descriptor.withLock { $0 }, bytes, bytes.count, CInt(MSG_NOSIGNAL))
    }
}

/// The plugin's object, for checks after its end.
final class Kept: Sendable {
    private let plugin = Mutex<(Flawed, Branches)?>(nil)

    @MainActor func keep(_ made: (Flawed, Branches)) -> Flawed {
        plugin.withLock { $0 = made }
        return made.0
    }

    /// Call on the main thread only.
    var hasCalls: Bool {
        let plugin = plugin.withLock { $0 }
        return MainActor.assumeIsolated { plugin?.0.hasCalls ?? false }
    }
}
