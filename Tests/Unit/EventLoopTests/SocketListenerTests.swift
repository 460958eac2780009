// A socket that tells of visitors.

import EventLoop
import Glibc
import TestSupport
import Testing

@Suite struct SocketListenerTests {
    private let path = "/tmp/listener-\(getpid())-\(UInt32.random(in: 0 ... .max))"

    @Test @LoopActor func aPathIsTakenUntilItIsDropped() throws {
        var listener: SocketListener? = try SocketListener(path) {}
        #expect(throws: SystemError.self) { try SocketListener(path) {} }
        #expect(access(path, F_OK) == 0)
        withExtendedLifetime(listener) {}
        listener = nil
        #expect(access(path, F_OK) != 0)
    }

    @Test @LoopActor func aPathThatIsTooLongIsAnError() {
        #expect(throws: SystemError.self) { try SocketListener("/tmp/" + String(repeating: "x", count: 200)) {} }
    }
}
